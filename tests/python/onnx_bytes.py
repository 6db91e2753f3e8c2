"""ONNX networks as bytes: protobuf by hand (onnx.proto has the numbers), for tests where no package of it is."""
import struct

FLOAT = 1  # TensorProto.DataType
INTS = 7  # AttributeProto.AttributeType


def number(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(key, value):
    if isinstance(value, int):
        return number(key << 3) + number(value)
    value = value.encode() if isinstance(value, str) else value
    return number(key << 3 | 2) + number(len(value)) + value


def tensor(name, shape, values):
    return (b"".join(field(1, size) for size in shape) + field(2, FLOAT) + field(8, name) +
            field(9, struct.pack("<%df" % len(values), *values)))


def value_info(name, shape):
    """A size that is a text has no number yet."""
    dims = b"".join(field(1, field(2, s) if isinstance(s, str) else field(1, s)) for s in shape)
    return field(1, name) + field(2, field(1, field(1, FLOAT) + field(2, dims)))


def ints(name, *values):
    return field(1, name) + b"".join(field(8, v) for v in values) + field(20, INTS)


def node(kind, inputs, output, *attributes):
    return (b"".join(field(1, name) for name in inputs) + field(2, output) + field(3, output) + field(4, kind) +
            b"".join(field(5, a) for a in attributes))


def model(name, nodes, tensors, inputs, outputs):
    graph = (b"".join(field(1, n) for n in nodes) + field(2, name) + b"".join(field(5, t) for t in tensors) +
             b"".join(field(11, v) for v in inputs) + b"".join(field(12, v) for v in outputs))
    return field(1, 8) + field(7, graph) + field(8, field(2, 13))
