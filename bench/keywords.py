#!/usr/bin/env python3
"""The blend beside what is usual, on a collection's own keywords: frequency, neighbours, ridge regression.

    keywords.py PROGRAM DATASET VECTORS RESULTS.jsonl [--pictures all,1150,50] [--draws 1,2,5] [--threads N]

DATASET is a directory with features and raw keywords. So many pictures (--pictures) are learned from, drawn by the seeds 0, 1, …
(--draws, as many for each number) from those that are not in the test part, and the test part is tagged. Without split.txt
half of the pictures are the test part; those whose names differ in their numbers alone are a series and stay together.

Every method ranks the keywords of the pictures learned from, as they are. MiAP and P@5 are over the tagged pictures that
have one of these keywords. PROGRAM (fast0tag) learns as a user has it, `train DATASET --vectors VECTORS`, which cleans keywords:
those that it merges with others or leaves out count as missed. The others, in NumPy, are tuned by MiAP on a fifth of what is
learned from, and then learn from all of it: the number of neighbours and how sharply near ones count, and λ.

Every draw is a line of RESULTS.jsonl: the same command goes on where it was interrupted.
"""
import argparse
import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time

import numpy as np

NEIGHBOURS = [5, 10, 20, 50, 100, 200]
SHARPNESS = [0, 5, 10, 20, 40]
RIDGES = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000]  # of the mean square of a feature
FIRST = 5
TUNED_ON = 600  # images at most


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("dataset")
    parser.add_argument("vectors")
    parser.add_argument("results")
    parser.add_argument("--pictures", default="all")
    parser.add_argument("--draws", default="1")
    parser.add_argument("--threads")
    return parser.parse_args()


# ---- The collection -----------------------------------------------------------------------------


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


class Collection:
    def __init__(self, folder):
        described = {}
        if os.path.exists(folder + "/dataset.json"):
            with open(folder + "/dataset.json", encoding="utf-8") as file:
                described = json.load(file)
        self.features = np.load(os.path.join(folder, described.get("features", "features.npy"))).astype(np.float32)
        self.tags = [[tag for tag in line.split("\t") if tag] for line in lines_of(folder + "/tags.txt")]
        if os.path.exists(folder + "/split.txt"):
            test = np.array(lines_of(folder + "/split.txt")) == "test"
        else:
            test = half(lines_of(folder + "/images.txt"))
        tagged = np.array([bool(some) for some in self.tags])
        self.test, self.pool = np.flatnonzero(test & tagged), np.flatnonzero(~test & tagged)

    def draw(self, pictures, seed):
        if pictures == "all":
            return self.pool
        return np.sort(np.random.default_rng(seed).choice(self.pool, int(pictures), replace=False))


def half(names):
    """Whether each picture is in the test part; a series as a whole."""
    series = [re.sub(r"\d+", "#", name) for name in names]
    order = sorted(set(series))
    random.Random(0).shuffle(order)
    sizes, chosen, used = collections.Counter(series), set(), 0
    for one in order:
        if 2 * used < len(names):
            chosen.add(one)
            used += sizes[one]
    return np.array([one in chosen for one in series])


# ---- The others, in NumPy -----------------------------------------------------------------------


class Table:
    """Images with features of length 1 and numbers of keywords."""

    def __init__(self, collection, rows, place):
        x = collection.features[rows]
        self.x = x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-12)
        self.tags = [np.array(sorted({place[tag] for tag in collection.tags[m] if tag in place}), dtype=int) for m in rows]

    def part(self, rows):
        other = Table.__new__(Table)
        other.x, other.tags = self.x[rows], [self.tags[m] for m in rows]
        return other

    def labels(self, count):
        found = np.zeros((len(self.tags), count), dtype=np.float32)
        for row, own in zip(found, self.tags):
            row[own] = 1
        return found


def counts_of(learned, count):
    return np.bincount(np.concatenate(learned.tags), minlength=count)


class Judge:
    """MiAP and P@5 of scores; among equal ones the more frequent keyword is first, and of two as frequent the first."""

    def __init__(self, learned, count):
        order = np.argsort(np.argsort(counts_of(learned, count), kind="stable"), kind="stable")
        self.last = 1e-9 * order / max(count, 1)
        self.precisions, self.hits = [], []

    def add(self, scores, relevant):
        if not len(relevant):
            return
        scores = scores + self.last
        places = np.sort([(scores >= scores[t]).sum() for t in relevant])
        self.add_places(places, len(relevant))

    def add_places(self, places, relevant):
        """Places, from 1 on and ascending, of the relevant keywords that are in the list."""
        places = np.asarray(places, dtype=float)
        self.precisions.append((np.arange(1, len(places) + 1) / places).sum() / relevant)
        self.hits.append((places <= FIRST).sum() / FIRST)

    def result(self):
        return {"miap": 100 * float(np.mean(self.precisions)), "p5": 100 * float(np.mean(self.hits))}


def frequency(learned, asked, count):
    judge, scores = Judge(learned, count), counts_of(learned, count).astype(float)
    for own in asked.tags:
        judge.add(scores, own)
    return judge.result()


def neighbours(learned, asked, count, settings):
    """A result for each (k, sharpness)."""
    judges = {setting: Judge(learned, count) for setting in settings}
    most = min(max(k for k, _ in settings), len(learned.tags))
    for x, own in zip(asked.x, asked.tags):
        near = learned.x @ x
        nearest = np.argsort(-near, kind="stable")[:most]
        lengths = np.array([len(learned.tags[m]) for m in nearest])
        tags = np.concatenate([learned.tags[m] for m in nearest])
        for (k, sharp), judge in judges.items():
            used = lengths[:k].sum()
            weights = np.exp(sharp * (near[nearest[:k]] - near[nearest[0]])).astype(float)
            judge.add(np.bincount(tags[:used], np.repeat(weights, lengths[:k]), minlength=count), own)
    return {setting: judge.result() for setting, judge in judges.items()}


def ridge(learned, asked, count, settings):
    """Least squares from centred features to centred labels, a result for each λ: by the eigenvectors of Σ x xᵀ, or of the
    images' products where they are fewer than the features."""
    middle = learned.x.mean(axis=0)
    x, y = learned.x - middle, learned.labels(count)
    base = y.mean(axis=0)
    few = len(x) < x.shape[1]
    values, axes = np.linalg.eigh((x @ x.T if few else x.T @ x).astype(np.float64))
    axes = axes.astype(np.float32)
    mapped = (asked.x - middle) @ (x.T @ axes if few else axes)
    target = axes.T @ (y - base if few else x.T @ (y - base))
    results = {}
    for setting in settings:
        judge = Judge(learned, count)
        shrunk = mapped / (np.maximum(values, 0) + setting * values.sum() / x.shape[1]).astype(np.float32)
        for row, own in zip(shrunk @ target + base, asked.tags):
            judge.add(row.astype(float), own)
        results[setting] = judge.result()
    return results


def tune(method, table, count, settings, seed):
    """The setting with the best MiAP on a fifth of what is learned from."""
    order = np.random.default_rng(1000 + seed).permutation(len(table.tags))
    fifth = max(len(order) // 5, 1)
    found = method(table.part(order[fifth:]), table.part(order[:fifth][:TUNED_ON]), count, settings)
    return max(settings, key=lambda setting: found[setting]["miap"])


def rivals(table, asked, count, seed):
    grid = [(k, sharp) for k in NEIGHBOURS for sharp in SHARPNESS if k < 0.8 * len(table.tags)]
    near, flat = tune(neighbours, table, count, grid, seed), tune(ridge, table, count, RIDGES, seed)
    return {"frequency": frequency(table, asked, count),
            "neighbours": dict(neighbours(table, asked, count, [near])[near], k=near[0], sharpness=near[1]),
            "ridge": dict(ridge(table, asked, count, [flat])[flat], ridge=flat)}


# ---- The blend ----------------------------------------------------------------------------------


def write_dataset(folder, collection, rows):
    np.save(folder + "/features.npy", collection.features[rows])
    with open(folder + "/tags.txt", "w", encoding="utf-8") as file:
        file.writelines("\t".join(collection.tags[m]) + "\n" for m in rows)


def run(a, *words):
    command = [a.program, *words, "-q"] + (["--threads", a.threads] if a.threads else [])
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8")


def finish(process):
    process.communicate()
    if process.returncode:
        sys.exit("keywords.py: %s ended with %d" % (process.args[1], process.returncode))


def places_of(lines, asked):
    """For each picture the places of its relevant keywords in its list; lines are picture, place, keyword and more."""
    found, picture = [], None
    next(lines)  # the heads
    for line in lines:
        name, place, tag = line.split("\t", 3)[:3]
        if name != picture:
            picture, relevant = name, asked[len(found)]
            found.append([])
        if tag in relevant:
            found[-1].append(int(place))
    return found


def blend(a, collection, rows, asked):
    with tempfile.TemporaryDirectory() as folder:
        write_dataset(folder, collection, rows)
        np.save(folder + "/asked.npy", collection.features[collection.test])
        model, started = folder + "/model.f0t", time.time()
        finish(run(a, "train", folder, "--vectors", a.vectors, "-o", model))
        seconds = time.time() - started
        process = run(a, "tag", model, folder + "/asked.npy", "-k", "1000000", "--format", "tsv")
        places = places_of(iter(process.stdout), asked)
        finish(process)
    if len(places) != len(asked):
        sys.exit("keywords.py: %d pictures were tagged, not %d" % (len(places), len(asked)))
    judge = Judge.__new__(Judge)
    judge.precisions, judge.hits = [], []
    for some, relevant in zip(places, asked):
        if relevant:
            judge.add_places(some, len(relevant))
    return dict(judge.result(), seconds=round(seconds, 1))


# ---- All of them --------------------------------------------------------------------------------


def measure(a, collection, pictures, seed):
    rows = collection.draw(pictures, seed)
    vocabulary = sorted({tag for m in rows for tag in collection.tags[m]})
    place = {tag: t for t, tag in enumerate(vocabulary)}
    asked = [set(collection.tags[m]) & set(vocabulary) for m in collection.test]
    found = rivals(Table(collection, rows, place), Table(collection, collection.test, place), len(vocabulary), seed)
    found["blend"] = blend(a, collection, rows, asked)
    return dict({"learned": len(rows), "tagged": sum(map(bool, asked)), "keywords": len(vocabulary)}, methods=found)


def main():
    a = arguments()
    done = [json.loads(line) for line in (lines_of(a.results) if os.path.exists(a.results) else [])]
    keys = [(one["collection"], one["pictures"], one["seed"]) for one in done]
    name, collection = os.path.normpath(a.dataset), None
    for pictures, draws in zip(a.pictures.split(","), map(int, a.draws.split(","))):
        for seed in range(draws):
            if (name, pictures, seed) in keys:
                continue
            collection = collection or Collection(a.dataset)
            line = dict({"collection": name, "pictures": pictures, "seed": seed}, **measure(a, collection, pictures, seed))
            with open(a.results, "a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
            print(json.dumps(line), file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
