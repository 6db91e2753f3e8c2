"""A large catalogue: how long it takes to fill, index, find and review, and how large it is.

    bench/catalogue.py BUILD FLICKR8K MODEL VECTORS NETWORK.onnx [--pictures 100000] [--json]

The pictures are flickr8k's features again and again with a little noise, with flickr8k's thumbnails and, for one in
ten, its tags; their files are empty. MODEL was trained on flickr8k with VECTORS, NETWORK made its features. Nothing
is decoded."""
import argparse
import ctypes
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from made_catalogue import Made

PER_FOLDER = 1000


def fill(made, folder, data, count):
    features = np.load(data / "features.npy", mmap_mode="r")
    tags = [line.split("\t") if line else [] for line in (data / "tags.txt").read_text().split("\n")[:-1]]
    names = [os.path.basename(line) for line in (data / "images.txt").read_text().split("\n")[:-1]]
    thumbs = [(data / "thumbs" / name).read_bytes() if (data / "thumbs" / name).exists() else b"" for name in names]
    noise = np.random.default_rng(0)
    seconds = 0.0
    for first in range(0, count, PER_FOLDER):
        below = folder / f"{first // PER_FOLDER:05d}"
        below.mkdir()
        block = range(first, min(first + PER_FOLDER, count))
        rows = [np.maximum(features[i % len(tags)].astype(np.float32) * noise.normal(1, 0.2, features.shape[1]), 0)
                .astype(np.float32) for i in block]
        for i in block:
            (below / f"{i}.jpg").touch()
        began = time.monotonic()
        with made:
            for i, row in zip(block, rows):
                m, path = i % len(tags), str(below / f"{i}.jpg")
                made.put(path, row, tags[m] if i % 10 == 0 else (), taken=1_000_000_000 + 3600 * i,
                         thumbnail=thumbs[m] or None, bytes_=0, mtime=os.stat(path).st_mtime_ns)
        seconds += time.monotonic() - began
    return seconds


def timed(build, *arguments, text=None):
    """Seconds and the most memory of a command."""
    began = time.monotonic()
    done = subprocess.Popen([build / "fast0tag", *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)
    out, err = done.communicate(text)
    if done.returncode:
        sys.exit(f"fast0tag {' '.join(map(str, arguments))}: {err}")
    return time.monotonic() - began, out


def best(build, *arguments, runs=3):
    return min(timed(build, *arguments)[0] for _ in range(runs))


def size_of(path):
    return sum(os.path.getsize(p) for p in path.parent.glob(path.name + "*"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("vectors", type=Path)
    parser.add_argument("network", type=Path)
    parser.add_argument("--pictures", type=int, default=100000)
    parser.add_argument("--json", action="store_true")
    o = parser.parse_args()
    build, rows = o.build.resolve(), []
    with tempfile.TemporaryDirectory() as scratch:
        path, folder = Path(scratch) / "c.f0t", Path(scratch) / "pictures"
        folder.mkdir()
        made = Made(build, path, str(o.network.resolve()))
        rows.append(("filled, without decoding", fill(made, folder, o.data, o.pictures), "s"))
        rows.append(("size without suggestions", size_of(path) / 1e6, "MB"))
        began = time.monotonic()
        made.suggest(o.model.resolve(), o.vectors.resolve())
        rows.append(("suggestions of all", time.monotonic() - began, "s"))
        made.close()
        rows.append(("size", size_of(path) / 1e6, "MB"))
        rows.append(("index, nothing changed", best(build, "index", folder, "-c", path), "s"))
        rows.append(("find a learned tag", best(build, "find", "dog", "-c", path), "s"))
        rows.append(("find a new word, first time", timed(build, "find", "puppy", "-c", path)[0], "s"))
        rows.append(("find a new word", best(build, "find", "puppy", "-c", path), "s"))
        rows.append(("find two words and a date", best(build, "find", "dog", "beach", "after:2005", "-c", path), "s"))
        lines = [f"{folder}/{i // PER_FOLDER:05d}/{i}.jpg\tdog\n" for i in range(1, o.pictures, o.pictures // 1000)]
        seconds, _ = timed(build, "accept", "--from", "-", "-c", path, text="".join(lines))
        rows.append((f"{len(lines)} decisions", seconds, "s"))
        rows.append(("review: the first picture", timed(build, "review", "--lines", "-c", path, text="q\n")[0], "s"))
        rows.append(("size with the directions for find", size_of(path) / 1e6, "MB"))
        usage = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        rows.append(("most memory of a command", usage, "MB"))
    if o.json:
        print(json.dumps([{"bench": "catalogue", "case": name, "value": value, "unit": unit, "peer": None,
                           "peer_value": None, "ratio": None} for name, value, unit in rows], indent=1))
    else:
        for name, value, unit in rows:
            print(f"{name:<36} {value:10.2f} {unit}")


if __name__ == "__main__":
    main()
