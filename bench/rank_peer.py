#!/usr/bin/env python3
"""The peers of `fast0tag bench rank`: the first rows along directions, by NumPy, by FAISS, or on a GPU by PyTorch.

    rank_peer.py numpy|faiss|torch THREADS ROWS DIM DIRECTIONS K

Says `ready NAME`, then ranks once for each line on stdin and answers `done`. All compare all rows: NumPy
multiplies and selects by argpartition, FAISS is its flat index (exact, by inner product), PyTorch multiplies in float32
and selects by topk on the GPU, from and to the memory of the CPU.
"""
import os
import sys

KIND, THREADS = sys.argv[1:3]
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = THREADS
import numpy as np  # noqa: E402


def make_rows(count, dim, seed):
    random = np.random.default_rng(seed)
    rows = random.standard_normal((count, dim), dtype=np.float32)
    rows /= np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    return rows


AT_ONCE = 32  # directions, so that NumPy's scores and their order fit into memory


def first_rows(rows, directions, k):
    scores = rows @ directions[0] if len(directions) == 1 else directions @ rows.T
    scores = scores.reshape(len(directions), -1)
    first = np.argpartition(scores, -k, axis=1)[:, -k:]
    values = np.take_along_axis(scores, first, axis=1)
    order = np.argsort(-values, axis=1, kind="stable")
    return np.take_along_axis(first, order, axis=1)


def by_numpy(rows, directions, k):
    def run():
        for i in range(0, len(directions), AT_ONCE):
            first_rows(rows, directions[i:i + AT_ONCE], k)

    return "NumPy %s" % np.__version__, run


def by_faiss(rows, directions, k):
    import faiss
    faiss.omp_set_num_threads(int(THREADS))
    index = faiss.IndexFlatIP(rows.shape[1])
    index.add(rows)
    return "FAISS %s flat" % faiss.__version__, lambda: index.search(directions, k)


def by_torch(rows, directions, k):
    import torch
    on_gpu = torch.from_numpy(rows).cuda()

    def run():
        for i in range(0, len(directions), 256):
            along = torch.from_numpy(directions[i:i + 256]).cuda()
            (along @ on_gpu.T).topk(k).indices.cpu()

    return "PyTorch %s" % torch.__version__.split("+")[0], run


def main():
    count, dim, directions, k = map(int, sys.argv[3:])
    rows, along = make_rows(count, dim, 1), make_rows(directions, dim, 2)
    name, run = {"numpy": by_numpy, "faiss": by_faiss, "torch": by_torch}[KIND](rows, along, k)
    del rows
    print("ready " + name, flush=True)
    for _ in sys.stdin:
        run()
        print("done", flush=True)


main()
