"""A simulated person: what learning from corrections is worth.

    bench/person.py BUILD FLICKR8K VECTORS [--seeds 3]

The person has tagged 300 pictures of flickr8k's training part and goes through 1,000 others, 100 at a time. Of each
they see the five surest suggestions: one key accepts a right one, one key rejects a wrong one, and tags that were not
suggested are typed, with Enter after each. Without suggestions all tags are typed. The model of the 300

    stays        is never learned again,
    refit        goes on with each 100 (train --refit),
    from scratch is trained anew after 100, 300 and 1,000 (train).

MiAP is that of the test part, over all tags; seconds are processor time of learning. All of it goes through the
program: train, accept, reject, tag."""
import argparse
import json
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from made_catalogue import Made

FIRST, STEP, POINTS, SHOWN = 300, 100, (100, 300, 1000), 5
BACKBONE = '{"name": "mobilenet_v2"}'


def program(build, *arguments, text=None):
    done = subprocess.run([build / "fast0tag", *map(str, arguments)], input=text, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"fast0tag {' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


def timed(build, *arguments):
    """Processor time of a command, in seconds, its other threads included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    program(build, *arguments)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def read(folder):
    features = np.load(folder / "features.npy").astype(np.float32)
    tags = [line.split("\t") if line else [] for line in (folder / "tags.txt").read_text().split("\n")[:-1]]
    parts = (folder / "split.txt").read_text().split()
    return features, tags, parts


def write_test(folder, features, tags, numbers):
    folder.mkdir()
    np.save(folder / "features.npy", features[numbers].astype(np.float16))
    (folder / "tags.txt").write_text("".join("\t".join(tags[m]) + "\n" for m in numbers))


def miap(build, model, folder, truth, count):
    ranked = json.loads(program(build, "tag", model, folder, "-k", count, "--diverse", 0, "--json", "-q"))
    rows = ranked["images"] if isinstance(ranked, dict) else ranked
    total, images = 0.0, 0
    for row, right in zip(rows, truth):
        if not right:
            continue
        hits, precision = 0, 0.0
        for place, tag in enumerate(row["tags"], 1):
            if tag["tag"] in right:
                hits += 1
                precision += hits / place
        total += precision / len(right)
        images += 1
    return 100 * total / images


def suggested(catalogue, path):
    with sqlite3.connect(catalogue) as db:
        return [name for name, in db.execute(
            "SELECT name FROM suggestions s JOIN tags t ON t.id = s.tag JOIN pictures p ON p.id = s.picture"
            " WHERE p.path = ? ORDER BY s.confidence DESC LIMIT ?", (path, SHOWN))]


def review(build, catalogue, numbers, tags):
    """Keys that were pressed, and keys that typing everything takes."""
    keys = typed = 0
    yes, no = [], []
    for m in numbers:
        path, shown = f"/flickr8k/{m}", suggested(catalogue, f"/flickr8k/{m}")
        keys += len(shown) + sum(len(t) + 1 for t in tags[m] if t not in shown)
        typed += sum(len(t) + 1 for t in tags[m])
        yes += [f"{path}\t{t}\n" for t in tags[m]]
        no += [f"{path}\t{t}\n" for t in shown if t not in tags[m]]
    program(build, "accept", "--from", "-", "-c", catalogue, "-q", text="".join(yes))
    if no:
        program(build, "reject", "--from", "-", "-c", catalogue, "-q", text="".join(no))
    return keys, typed


def learn(build, way, catalogue, vectors, model, reviewed):
    if way == "stays" or (way == "from scratch" and reviewed not in POINTS):
        return 0.0
    if way == "refit":
        return timed(build, "train", "-c", catalogue, "--refit", "-q")
    return timed(build, "train", "-c", catalogue, "--vectors", vectors, "-o", model, "--keep-tags", "-q")


def run_seed(build, data, vectors, seed, folder):
    features, tags, parts = data
    numbers = [m for m, part in enumerate(parts) if part == "train" and tags[m]]
    random.Random(seed).shuffle(numbers)
    first, pool = numbers[:FIRST], numbers[FIRST:FIRST + max(POINTS)]
    test = [m for m, part in enumerate(parts) if part == "test"]
    every = sorted({t for row in tags for t in row})
    start, model = folder / "start.catalogue", folder / "start.f0t"
    made = Made(build, start, BACKBONE)
    with made:
        for m in first + pool:
            made.put(f"/flickr8k/{m}", features[m], tags[m] if m in set(first) else ())
    made.close()
    write_test(folder / "test", features, tags, test)
    truth = [set(tags[m]) for m in test]
    seconds = timed(build, "train", "-c", start, "--vectors", vectors, "-o", model, "--keep-tags", "-q")
    rows = [{"seed": seed, "way": "start", "reviewed": 0, "seconds": seconds,
             "miap": miap(build, model, folder / "test", truth, len(every))}]
    for way in ("stays", "refit", "from scratch"):
        catalogue, own = folder / f"{way}.catalogue", folder / f"{way}.f0t"
        shutil.copy(start, catalogue)
        shutil.copy(model, own)
        with sqlite3.connect(catalogue) as db:
            db.execute("UPDATE models SET path = ?", (str(own),))
        db.close()
        keys = typed = 0
        for done in range(0, max(POINTS), STEP):
            pressed, whole = review(build, catalogue, pool[done:done + STEP], tags)
            keys, typed = keys + pressed, typed + whole
            seconds = learn(build, way, catalogue, vectors, own, done + STEP)
            if done + STEP in POINTS:
                rows.append({"seed": seed, "way": way, "reviewed": done + STEP, "seconds": seconds,
                             "miap": miap(build, own, folder / "test", truth, len(every)),
                             "keys": keys, "typed": typed, "saved": 100 * (1 - keys / typed)})
                print(json.dumps(rows[-1]), file=sys.stderr)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("vectors", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    data, rows = read(options.data), []
    for seed in range(options.seeds):
        with tempfile.TemporaryDirectory() as folder:
            rows += run_seed(options.build.resolve(), data, options.vectors.resolve(), seed, Path(folder))
    print(f"{'pictures reviewed':>17}  {'way':<13} {'MiAP':>6} {'keys saved':>10} {'seconds':>8}")
    for reviewed in (0, *POINTS):
        for way in ("start", "stays", "refit", "from scratch"):
            some = [r for r in rows if r["way"] == way and r["reviewed"] == reviewed]
            if some:
                mean = {k: sum(r.get(k, 0) for r in some) / len(some) for k in ("miap", "saved", "seconds")}
                print(f"{reviewed:>17}  {way:<13} {mean['miap']:6.2f} {mean['saved']:9.1f}% {mean['seconds']:8.1f}")


if __name__ == "__main__":
    main()
