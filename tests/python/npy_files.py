"""Writes npy files with NumPy for our reader, and reads ours with NumPy.

npy_files.py write FOLDER    every type, byte order, memory order and version, and odd shapes:
                             NAME.npy, its elements as row-major float32 in NAME.raw, and a line of
                             `list` each: NAME dtype version fortran swapped dims shape…
npy_files.py check FOLDER    each NAME.npy that stands in `ours` (NAME descr) has the elements of
                             NAME.raw (float32), as NumPy loads and as it maps them
"""

import os
import sys

import numpy as np
from numpy.lib import format as npy

TYPES = {"float16": "f2", "float32": "f4", "float64": "f8", "int32": "i4", "int64": "i8",
         "uint8": "u1", "bool": "b1"}
SHAPES = [(), (1,), (7,), (0,), (0, 5), (5, 0), (1, 9), (9, 1), (300, 37), (2, 3, 4)]


def numbers(name, shape):
    random = np.random.RandomState(sum(shape) + len(name))
    values = np.asarray(random.standard_normal(shape) * 100)
    if name == "bool":
        return values > 0
    if name.startswith("float") and values.size > 3:
        values.flat[:4] = [np.nan, np.inf, -np.inf, 1e-7]
        if name != "float16":
            values.flat[-1] = 1e30
    return np.asarray(values % 256 if name == "uint8" else values).astype(name)


def save(folder, name, array, version):
    with open(os.path.join(folder, name + ".npy"), "wb") as file:
        npy.write_array(file, array, version=version)
    with open(os.path.join(folder, name + ".raw"), "wb") as file:
        with np.errstate(over="ignore"):
            file.write(np.ascontiguousarray(array).astype("<f4").tobytes())


def write(folder):
    lines = []
    for dtype, code in TYPES.items():
        for shape in SHAPES:
            for fortran in (False, True):
                for order in "<>":
                    for version in ((1, 0), (2, 0), (3, 0)):
                        array = numbers(dtype, shape).astype(order + code)
                        array = np.array(array, order="F" if fortran else "C")
                        name = "n%d" % len(lines)
                        save(folder, name, array, version)
                        # What NumPy writes in the header: both orders are "C" where they are one.
                        column = array.flags.f_contiguous and not array.flags.c_contiguous
                        swapped = order == ">" and array.itemsize > 1
                        lines.append(" ".join(str(x) for x in (
                            name, dtype, version[0], int(column), int(swapped), len(shape), *shape)))
    with open(os.path.join(folder, "list"), "w") as file:
        file.write("\n".join(lines) + "\n")


def check(folder):
    for line in open(os.path.join(folder, "ours")):
        name, descr = line.split()
        path = os.path.join(folder, name + ".npy")
        want = np.fromfile(os.path.join(folder, name + ".raw"), dtype="<f4")
        with open(path, "rb") as file:
            version = npy.read_magic(file)
            shape, fortran, dtype = npy.read_array_header_1_0(file)
            assert version == (1, 0) and not fortran and dtype.str == descr, (name, version, dtype)
            assert file.tell() % 64 == 0, (name, file.tell())
        for got in (np.load(path, allow_pickle=False), np.load(path, mmap_mode="r")):
            with np.errstate(over="ignore"):
                expected = want.astype(descr).reshape(shape)
            assert got.dtype.str == descr and got.flags.c_contiguous
            np.testing.assert_array_equal(got, expected, name)


if __name__ == "__main__":
    {"write": write, "check": check}[sys.argv[1]](sys.argv[2])
