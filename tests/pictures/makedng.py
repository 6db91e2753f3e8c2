"""A raw file as cameras write them: DNG with a preview and keywords. makedng.py PREVIEW.jpg OUT.dng [ORIENTATION [PACKET.xmp]]"""
import struct, sys

preview = open(sys.argv[1], "rb").read()
orientation = int(sys.argv[3]) if len(sys.argv) > 3 else 1
packet = open(sys.argv[4], "rb").read() if len(sys.argv) > 4 else b""
SIDE = 32  # of the sensor
ASCII, SHORT, LONG, BYTE, UNDEFINED = 2, 3, 4, 1, 7
SIZES = {ASCII: 1, SHORT: 2, LONG: 4, BYTE: 1, UNDEFINED: 1}


def pack(kind, values):
    if isinstance(values, bytes):
        return values
    return b"".join(struct.pack("<H" if kind == SHORT else "<I" if kind == LONG else "<B", v) for v in values)


def directory(entries, at):
    """The bytes of a directory at this place, with what does not fit into its entries after it."""
    entries = sorted((e for e in entries if e), key=lambda e: e[0])
    room = at + 2 + 12 * len(entries) + 4
    out, extra = struct.pack("<H", len(entries)), b""
    for tag, kind, values in entries:
        data = pack(kind, values)
        count = len(data) // SIZES[kind]
        if len(data) > 4:
            field = struct.pack("<I", room + len(extra))
            extra += data + b"\0" * (len(data) % 2)
        else:
            field = data.ljust(4, b"\0")
        out += struct.pack("<HHI", tag, kind, count) + field
    return out + struct.pack("<I", 0) + extra


sensor = b"".join(struct.pack("<H", 1000 + (x * y) % 3000) for y in range(SIDE) for x in range(SIDE))


def build(raw_at, preview_at, sensor_at):
    width, height = struct.unpack(">HH", preview[preview.index(b"\xff\xc0") + 5:][:4])[::-1]
    first = [(254, LONG, [1]), (256, LONG, [width]), (257, LONG, [height]), (258, SHORT, [8, 8, 8]),
             (259, SHORT, [7]), (262, SHORT, [6]), (271, ASCII, b"Test\0"), (272, ASCII, b"Test One\0"),
             (273, LONG, [preview_at]), (274, SHORT, [orientation]), (277, SHORT, [3]),
             (278, LONG, [height]), (279, LONG, [len(preview)]), (330, LONG, [raw_at]),
             (700, BYTE, packet) if packet else None,
             (50706, BYTE, [1, 4, 0, 0]), (50708, ASCII, b"Test One\0")]
    raw = [(254, LONG, [0]), (256, LONG, [SIDE]), (257, LONG, [SIDE]), (258, SHORT, [16]), (259, SHORT, [1]),
           (262, SHORT, [32803]), (273, LONG, [sensor_at]), (277, SHORT, [1]), (278, LONG, [SIDE]),
           (279, LONG, [len(sensor)]), (33421, SHORT, [2, 2]), (33422, BYTE, [0, 1, 1, 2]),
           (50714, LONG, [0]), (50717, LONG, [4095])]
    a = directory(first, 8)
    return a, directory(raw, 8 + len(a))


a, b = build(0, 0, 0)
preview_at = 8 + len(a) + len(b)
sensor_at = preview_at + len(preview) + len(preview) % 2
a, b = build(8 + len(a), preview_at, sensor_at)
with open(sys.argv[2], "wb") as f:
    f.write(b"II*\0" + struct.pack("<I", 8) + a + b + preview + b"\0" * (len(preview) % 2) + sensor)
