"""A writer and a strict reader of safetensors with nothing but the standard library, independent of
ours; the layout is that of the package: tensors of wide types first, then by name, the header padded
with spaces to a multiple of 8.

safetensors_files.py write FOLDER   one.safetensors, empty.safetensors and, for each tensor of `one`,
                                    its bytes in NAME.raw
safetensors_files.py check FOLDER   ours.safetensors keeps every rule of the format and has the
                                    tensors whose bytes are in NAME.raw, as `ours` lists:
                                    NAME dtype shape…
"""

import json
import os
import struct
import sys

SIZES = {"F64": 8, "I64": 8, "F32": 4, "I32": 4, "F16": 2, "BF16": 2, "U8": 1, "I8": 1, "BOOL": 1}


def write_file(path, tensors, metadata):
    header = {"__metadata__": metadata} if metadata else {}
    data = b""
    for name, (dtype, shape, raw) in sorted(tensors.items(),
                                            key=lambda t: (-SIZES[t[1][0]], t[0])):
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data),
                                                                         len(data) + len(raw)]}
        data += raw
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def write(folder):
    tensors = {}
    for i, (dtype, size) in enumerate(SIZES.items()):
        for shape in ([], [3], [2, 5], [0, 4], [2, 1, 3]):
            count = 1
            for n in shape:
                count *= n
            raw = bytes((7 * k + i) % (2 if dtype == "BOOL" else 251) for k in range(count * size))
            tensors["%s.%s" % (dtype, "x".join(map(str, shape)))] = (dtype, shape, raw)
    tensors["größe \"1\"/名"] = ("U8", [2], b"ab")
    write_file(os.path.join(folder, "one.safetensors"), tensors,
               {"format": "pt", "text": "a\n\"b\"\\ \u00e9\u20ac\U0001F600"})
    write_file(os.path.join(folder, "empty.safetensors"), {}, {})
    with open(os.path.join(folder, "list"), "w") as file:
        for i, (name, (dtype, shape, raw)) in enumerate(tensors.items()):
            with open(os.path.join(folder, "%d.raw" % i), "wb") as out:
                out.write(raw)
            print(name, i, dtype, len(shape), *shape, sep="\t", file=file)


def no_duplicates(pairs):
    assert len(dict(pairs)) == len(pairs), "a key comes twice"
    return dict(pairs)


def read_strictly(path):
    data = open(path, "rb").read()
    length, = struct.unpack("<Q", data[:8])
    assert length <= 100_000_000 and 8 + length <= len(data) and data[8:9] == b"{"
    text = data[8:8 + length].decode("utf-8")
    header = json.loads(text, object_pairs_hook=no_duplicates)
    assert text.rstrip(" ").endswith("}"), "padding other than spaces"
    metadata = header.pop("__metadata__", {})
    assert all(isinstance(x, str) for pair in metadata.items() for x in pair)
    buffer, at, tensors = data[8 + length:], 0, {}
    for name, entry in sorted(header.items(), key=lambda t: t[1]["data_offsets"]):
        assert set(entry) == {"dtype", "shape", "data_offsets"} and name
        begin, end = entry["data_offsets"]
        count = 1
        for n in entry["shape"]:
            assert isinstance(n, int) and n >= 0
            count *= n
        assert begin == at and end - begin == count * SIZES[entry["dtype"]], name
        assert (8 + length + begin) % SIZES[entry["dtype"]] == 0, "unaligned"
        tensors[name] = (entry["dtype"], entry["shape"], buffer[begin:end])
        at = end
    assert at == len(buffer), "bytes after the last tensor"
    return tensors, metadata


def check(folder):
    tensors, metadata = read_strictly(os.path.join(folder, "ours.safetensors"))
    assert metadata == {"made by": "fast0tag \u2713 \"quoted\"\n"}, metadata
    lines = [line.split() for line in open(os.path.join(folder, "ours"))]
    assert [line[0] for line in lines] == list(tensors)
    for name, dtype, *shape in lines:
        raw = open(os.path.join(folder, name + ".raw"), "rb").read()
        assert tensors[name] == (dtype, [int(n) for n in shape], raw), name


if __name__ == "__main__":
    {"write": write, "check": check}[sys.argv[1]](sys.argv[2])
