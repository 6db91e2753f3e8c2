#!/usr/bin/env python3
"""Writes the small networks of tests/fuzz/onnx.corpus (needs Debian's python3-onnx).

    onnx_corpus.py FOLDER
"""
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

rng = np.random.default_rng(1)


def weights(name, *shape):
    return numpy_helper.from_array(rng.standard_normal(shape).astype(np.float32) * 0.3, name)


def save(folder, name, nodes, inputs, outputs, constants=(), opset=13):
    ends = [[helper.make_tensor_value_info(n, t, s) for n, t, s in side] for side in (inputs, outputs)]
    graph = helper.make_graph(nodes, name, ends[0], ends[1], list(constants))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=7)
    with open(os.path.join(folder, name + ".onnx"), "wb") as file:
        file.write(model.SerializeToString())


def convolutions(folder):
    node = helper.make_node
    save(folder, "convolutions", [
        node("Conv", ["x", "w1", "b1"], ["c1"], kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[2, 2]),
        node("BatchNormalization", ["c1", "s", "o", "m", "v"], ["n1"]),
        node("Relu", ["n1"], ["r1"]),
        node("Conv", ["r1", "w2"], ["c2"], kernel_shape=[1, 1]),
        node("Add", ["c2", "r1"], ["a"]),
        node("GlobalAveragePool", ["a"], ["g"]),
        node("Flatten", ["g"], ["features"]),
        node("Gemm", ["features", "w3", "b3"], ["logits"], transB=1),
    ], [("x", TensorProto.FLOAT, ["N", 2, 6, 6])],
        [("logits", TensorProto.FLOAT, ["N", 3])],
        [weights("w1", 4, 2, 3, 3), weights("b1", 4), weights("s", 4), weights("o", 4), weights("m", 4),
         numpy_helper.from_array(np.ones(4, np.float32), "v"), weights("w2", 4, 4, 1, 1),
         weights("w3", 3, 4), weights("b3", 3)])


def shapes(folder):
    """What exporters write for x.view(x.size(0), -1) and a class token."""
    node = helper.make_node
    integer = lambda name, *v: numpy_helper.from_array(np.array(v, np.int64), name)
    save(folder, "shapes", [
        node("Shape", ["x"], ["s"]),
        node("Gather", ["s", "zero"], ["n"], axis=0),
        node("Unsqueeze", ["n", "axes"], ["n1"]),
        node("Concat", ["n1", "minus"], ["wanted"], axis=0),
        node("Reshape", ["x", "wanted"], ["flat"]),
        node("Slice", ["flat", "from", "to", "along"], ["half"]),
        node("Transpose", ["half"], ["t"], perm=[1, 0]),
        node("MatMul", ["half", "t"], ["square"]),
        node("Softmax", ["square"], ["y"], axis=-1),
    ], [("x", TensorProto.FLOAT, ["N", 2, 2, 2])], [("y", TensorProto.FLOAT, ["N", "N"])],
        [numpy_helper.from_array(np.array(0, np.int64), "zero"), integer("axes", 0), integer("minus", -1),
         integer("from", 0), integer("to", 4), integer("along", 1)])


def places(folder):
    """Numbers in each of the fields that may have them, and in a file of their own."""
    node = helper.make_node
    half = TensorProto(name="h", data_type=TensorProto.FLOAT16, dims=[2], int32_data=[0x3C00, 0x4000])
    double = TensorProto(name="d", data_type=TensorProto.DOUBLE, dims=[2], double_data=[1.5, 2.5])
    single = TensorProto(name="f", data_type=TensorProto.FLOAT, dims=[2], float_data=[1.5, 2.5])
    save(folder, "places", [
        node("Cast", ["h"], ["h1"], to=TensorProto.FLOAT),
        node("Cast", ["d"], ["d1"], to=TensorProto.FLOAT),
        node("Sum", ["x", "h1", "d1", "f"], ["y"]),
    ], [("x", TensorProto.FLOAT, [2])], [("y", TensorProto.FLOAT, [2])], [half, double, single])
    outside = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[2],
                          data_location=TensorProto.EXTERNAL)
    for key, value in (("location", "w.bin"), ("offset", "4"), ("length", "8")):
        outside.external_data.add(key=key, value=value)
    save(folder, "external", [node("Mul", ["x", "w"], ["y"])], [("x", TensorProto.FLOAT, [2])],
         [("y", TensorProto.FLOAT, [2])], [outside])


def main():
    for make in (convolutions, shapes, places):
        make(sys.argv[1])


main()
