#!/usr/bin/env python3
"""Whole figures of `fast0tag eval` by a second implementation in NumPy.

    figures.py PROGRAM [DATASET VECTORS.txt] [--unseen HOW-MANY] [--seed N] [--save FILE | --read FILE]

Reads the dataset and the word vectors by itself, takes from the program only which tags it drew (`eval --tasks`), and
computes MiAP, mAP, precision and recall of the methods that have a closed form or one optimum: random (its
expectation), frequency, frequency-told, frequency-predicted, the oracle of ranking SVMs, and the linear map. Written from
docs/evaluation.md and docs/methods.md: nothing is shared with the program. Fails where a figure of `eval --json` differs
by more than 0.1, precision and recall by more than one hit where that is more, or chance by more than four standard deviations.

Without DATASET a small one is made up. Without --seed the draw is anybody's: the seed is printed. --save keeps what
`eval` said in a file, --read takes it from there.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

import numpy as np

SCENARIOS = ["conventional", "zero-shot", "seen-unseen"]
METHODS = ["random", "frequency", "frequency-told", "frequency-predicted", "linear", "ranksvm"]
LAMBDA, RIDGE, PRIOR = 1.0, 1.0, 1.0  # of ranking SVMs, the linear map, the predicted frequency
CUTOFF = 3
MOST = 0.1  # points


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("dataset", nargs="?")
    parser.add_argument("vectors", nargs="?")
    parser.add_argument("--unseen", default="20%")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--threads", default="0")
    parser.add_argument("--save")
    parser.add_argument("--read")
    return parser.parse_args()


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


# ---- A dataset of one's own ---------------------------------------------------------------------


def make_dataset(folder, images=1200, tags=30, features=24, dim=16):
    """Images with one to five tags, some with none; features and word vectors that know of the tags; one tag that has
    no vector."""
    chance = np.random.default_rng(1)
    names = ["tag%02d" % t for t in range(tags)]
    vectors = chance.normal(size=(tags, dim))
    mixing = vectors @ chance.normal(size=(dim, features))
    common = 1 / (1 + np.arange(tags))
    rows, lines = [], []
    for m in range(images):
        own = chance.choice(tags, size=m % 6, replace=False, p=common / common.sum())
        rows.append(mixing[own].sum(axis=0) + chance.normal(size=features, scale=4))
        lines.append("\t".join([names[t] for t in own] + (["unheard"] if m % 50 == 0 else [])))
    np.save(folder + "/features.npy", np.array(rows, dtype=np.float32))
    write(folder + "/tags.txt", lines)
    write(folder + "/split.txt", [("train", "test", "test", "test", "val")[m % 5] for m in range(images)])
    write(folder + "/vectors.txt", [" ".join([name] + ["%.6f" % x for x in row]) for name, row in zip(names, vectors)])
    return folder, folder + "/vectors.txt"


def write(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in lines)


# ---- What is compared ---------------------------------------------------------------------------


class Data:
    def __init__(self, folder, vectors):
        described = {}
        if os.path.exists(folder + "/dataset.json"):
            with open(folder + "/dataset.json", encoding="utf-8") as file:
                described = json.load(file)
        self.features = np.load(os.path.join(folder, described.get("features", "features.npy"))).astype(np.float64)
        self.features /= np.maximum(np.linalg.norm(self.features, axis=1, keepdims=True), 1e-30)
        self.tags = [set(line.split("\t")) for line in lines_of(folder + "/tags.txt")]
        self.parts = np.array(lines_of(folder + "/split.txt"))
        self.vectors = read_vectors(vectors)

    def labels(self, part, tags):
        """Images of the part x tags, 0 or 1."""
        place = {tag: t for t, tag in enumerate(tags)}
        rows = [m for m in range(len(self.tags)) if self.parts[m] == part]
        found = np.zeros((len(rows), len(tags)))
        for row, m in enumerate(rows):
            for tag in self.tags[m]:
                if tag in place:
                    found[row, place[tag]] = 1
        return found

    def images(self, part):
        return self.features[self.parts == part]

    def words(self, tags):
        """A tag without a vector has that of its spelling in one word, or of its singular."""
        return np.array([next(self.vectors[form] for form in (tag, tag.replace("-", ""), tag.removesuffix("s"))
                              if form in self.vectors) for tag in tags])


def read_vectors(path):
    """Centred by the mean of the file, then of length 1."""
    names, rows = [], []
    for line in lines_of(path):
        name, *numbers = line.rstrip().split(" ")
        names.append(name)
        rows.append(np.array(numbers, dtype=np.float64))
    rows = np.array(rows)
    rows -= rows.mean(axis=0)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return dict(zip(names, rows))


# ---- Methods ------------------------------------------------------------------------------------


def log_odds(labels):
    count, images = labels.sum(axis=0), len(labels)
    return np.log((count + 0.5) / (images - count + 0.5))


def predicted(odds, words, new):
    """Ridge regression with an intercept, from vectors to log-odds."""
    middle, base = words.mean(axis=0), odds.mean()
    centred = words - middle
    weights = np.linalg.solve(centred.T @ centred + PRIOR * np.eye(words.shape[1]), centred.T @ (odds - base))
    return base + (new - middle) @ weights


class Rules:
    """Ranking SVMs of several rules side by side: for each the minimum of λ/2 |w|² + Σ_p Σ_n max(0, 1 - w·p + w·n)²."""

    def __init__(self, relevant, words):
        self.words, self.relevant = words, relevant
        most = int(relevant.sum(axis=1).max())
        self.places = np.argsort(~relevant, axis=1, kind="stable")[:, :most]
        there = np.take_along_axis(relevant, self.places, axis=1)
        self.pairs = there[:, :, None] & ~relevant[:, None, :]

    def margins(self, w):
        """w·p - w·n, rules x relevant x tags."""
        scores = w @ self.words.T
        return np.take_along_axis(scores, self.places, axis=1)[:, :, None] - scores[:, None, :]

    def together(self, shares):
        """Σ over the pairs of share (p - n)."""
        tags = -shares.sum(axis=1)
        for k in range(self.places.shape[1]):
            np.add.at(tags, (np.arange(len(tags)), self.places[:, k]), shares[:, k].sum(axis=1))
        return tags @ self.words

    def over(self, w):
        return np.maximum(0, 1 - self.margins(w)) * self.pairs

    def loss(self, w):
        return LAMBDA / 2 * (w * w).sum(axis=1) + (self.over(w) ** 2).sum(axis=(1, 2))

    def newton_step(self, gradient, active):
        """Solves with the second derivative by conjugate gradients."""
        x, r = np.zeros_like(gradient), gradient.copy()
        p, square = r.copy(), (r * r).sum(axis=1)
        enough = 1e-6 * square
        for _ in range(200):
            if (square <= enough).all():
                break
            turned = LAMBDA * p + 2 * self.together(self.margins(p) * active)
            along = (p * turned).sum(axis=1)
            size = np.where(square > enough, square / np.where(along > 0, along, 1), 0)[:, None]
            x += size * p
            r -= size * turned
            before, square = square, (r * r).sum(axis=1)
            p = r + (square / np.where(before > 0, before, 1))[:, None] * p
        return x

    def solve(self):
        w = np.zeros((len(self.relevant), self.words.shape[1]))
        for _ in range(100):
            over = self.over(w)
            gradient = LAMBDA * w - 2 * self.together(over)
            if (np.linalg.norm(gradient, axis=1) < 1e-6 * (1 + np.linalg.norm(w, axis=1))).all():
                break
            step, size, before = self.newton_step(gradient, over > 0), np.ones(len(w)), self.loss(w)
            for _ in range(20):
                worse = self.loss(w - size[:, None] * step) > before
                if not worse.any():
                    break
                size[worse] /= 2
            w = w - size[:, None] * step
        return w


def directions(labels, words, together=200):
    """One per image; 0 for an image without a relevant tag, or with all. Rules with about as many relevant tags are solved
    together."""
    rules, of_image = np.unique(labels.astype(bool), axis=0, return_inverse=True)
    counts = rules.sum(axis=1)
    solved = np.zeros((len(rules), words.shape[1]))
    usable = np.flatnonzero((counts > 0) & (counts < labels.shape[1]))
    usable = usable[np.argsort(counts[usable], kind="stable")]
    for first in range(0, len(usable), together):
        some = usable[first:first + together]
        solved[some] = Rules(rules[some], words).solve()
    return solved[of_image]


def linear_map(features, labels, words):
    """A with the least Σ |A x - w|² + ρ tr(Σ x xᵀ) / D |A|²."""
    used = (labels.sum(axis=1) > 0) & (labels.sum(axis=1) < labels.shape[1])
    x, w = features[used], directions(labels[used], words)
    moments = x.T @ x
    ridge = RIDGE * np.trace(moments) / len(moments)
    return np.linalg.solve(moments + ridge * np.eye(len(moments)), x.T @ w)


class Scores:
    """Test images x ranked tags by each method. What is fitted to the learned tags is fitted once."""

    def __init__(self, data):
        self.data, self.maps = data, {}

    def of(self, method, learned, ranked):
        data = self.data
        train, test = data.labels("train", learned), data.labels("test", learned)
        images = int((data.parts == "test").sum())
        if method == "random":
            return np.zeros((images, len(ranked)))
        if method == "frequency":
            return None if set(ranked) - set(learned) else self.constant(train, learned, ranked, images)
        if method == "frequency-told":
            told = log_odds(data.labels("train", ranked))
            return np.tile(told, (images, 1)) if set(ranked) - set(learned) else None
        if method == "frequency-predicted":
            return self.predicted(train, learned, ranked, images)
        if method == "ranksvm":
            told = set(ranked) & set(learned)
            return None if told else directions(test, data.words(learned)) @ data.words(ranked).T
        key = tuple(learned)
        if key not in self.maps:
            self.maps[key] = linear_map(data.images("train"), train, data.words(learned))
        return data.images("test") @ self.maps[key] @ data.words(ranked).T

    @staticmethod
    def constant(train, learned, ranked, images):
        odds = dict(zip(learned, log_odds(train)))
        return np.tile([odds[tag] for tag in ranked], (images, 1))

    def predicted(self, train, learned, ranked, images):
        if not set(ranked) - set(learned):
            return None
        odds = log_odds(train)
        own = dict(zip(learned, odds))
        guess = predicted(odds, self.data.words(learned), self.data.words(ranked))
        return np.tile([own.get(tag, guess[t]) for t, tag in enumerate(ranked)], (images, 1))


# ---- Metrics ------------------------------------------------------------------------------------


def average_precision(scores, relevant):
    """Its expectation over the orders of equal scores (docs/evaluation.md, Ties)."""
    order = np.argsort(-scores, kind="stable")
    values, total, above, hits = scores[order], 0.0, 0, 0.0
    while above < len(values):
        end = above
        while end < len(values) and values[end] == values[above]:
            end += 1
        g, r = end - above, relevant[order[above:end]].sum()
        if r:
            j = np.arange(1, g + 1)
            inside = (j - 1) * (r - 1) / (g - 1) if g > 1 else np.zeros(1)
            total += r / g * ((hits + 1 + inside) / (above + j)).sum()
        hits += r
        above = end
    return total / relevant.sum()


def first_share(scores, k):
    """For each tag the chance to be among the first k."""
    cut = np.sort(scores)[::-1][k - 1]
    sure, tie = scores > cut, scores == cut
    return sure + tie * (k - sure.sum()) / tie.sum()


def measure(scores, labels):
    k = min(CUTOFF, labels.shape[1])
    hits = sum((first_share(row, k) * own).sum() for row, own in zip(scores, labels))
    precisions = [average_precision(row, own) for row, own in zip(scores, labels) if own.any()]
    by_tag = [average_precision(scores[:, t], labels[:, t]) for t in range(labels.shape[1]) if labels[:, t].any()]
    return {"miap": 100 * np.mean(precisions), "map": 100 * np.mean(by_tag),
            "p%d" % CUTOFF: 100 * hits / (k * len(labels)), "r%d" % CUTOFF: 100 * hits / labels.sum()}


def chance_spread(labels):
    """The standard deviation of chance's MiAP, from that of one shuffle's images."""
    scores = np.random.default_rng(0).random(labels.shape)
    precisions = [100 * average_precision(row, own) for row, own in zip(scores, labels) if own.any()]
    return np.std(precisions, ddof=1) / np.sqrt(len(precisions))


# ---- The comparison -----------------------------------------------------------------------------


def call(a, dataset, vectors, *more):
    command = [a.program, "eval", dataset, "--vectors", vectors, "--scenarios", ",".join(SCENARIOS), "--unseen", a.unseen,
               "--seed", str(a.seed), "-q", *more]
    if a.threads != "0":
        command += ["--threads", a.threads]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


def ask(a, dataset, vectors, folder):
    """What the program measured, and the tags that it drew."""
    if a.read:
        with open(a.read, encoding="utf-8") as file:
            rows = json.load(file)
    else:
        rows = json.loads(call(a, dataset, vectors, "--methods", ",".join(METHODS), "--no-tune", "--set",
                               "linear.lambda=%g" % LAMBDA, "--set", "linear.ridge=%g" % RIDGE, "--results",
                               folder + "/results.jsonl", "--json"))
    if a.save:
        with open(a.save, "w", encoding="utf-8") as file:
            json.dump(rows, file)
    call(a, dataset, vectors, "--tasks", folder + "/tasks")
    drawn = {scenario: [lines_of("%s/tasks/%s/%s.txt" % (folder, scenario, name)) for name in ("learned", "ranked")]
             for scenario in SCENARIOS}
    return {(row["method"], row["scenario"]): row for row in rows}, drawn


def tolerance(name, labels):
    """One hit where that is more: of 300 relevant tags it is 0.3 points of recall."""
    hit = {"p%d" % CUTOFF: CUTOFF * len(labels), "r%d" % CUTOFF: labels.sum()}
    return max(MOST, 100.001 / hit[name]) if name in hit else MOST


def compare(method, scenario, row, scores, labels):
    """The largest difference over what is allowed; None where both say that the method does not apply."""
    if scores is None or row.get("miap") is None:
        if (scores is None) != (row.get("miap") is None):
            sys.exit("%s in %s: only one of the two has a figure" % (method, scenario))
        return None
    found, worst = measure(scores, labels), 0
    for name, value in found.items():
        allowed = tolerance(name, labels)
        if method == "random":  # its row is one shuffle, and ours the mean of all
            allowed = 4 * chance_spread(labels) if name == "miap" else np.inf
        worst = max(worst, abs(value - row[name]) / allowed)
        mark = "" if abs(value - row[name]) <= allowed else "   <-- differs"
        print("%-20s %-13s %-5s eval %8.4f  NumPy %8.4f%s" % (method, scenario, name, row[name], value, mark))
    return worst


def main():
    a = arguments()
    if a.seed is None:
        a.seed = random.SystemRandom().randrange(1000000)
    print("seed %d" % a.seed)
    with tempfile.TemporaryDirectory() as folder:
        dataset, vectors = (a.dataset, a.vectors) if a.dataset else make_dataset(folder)
        rows, drawn = ask(a, dataset, vectors, folder)
        data = Data(dataset, vectors)
        scores = Scores(data)
        compared = []
        for scenario in SCENARIOS:
            learned, ranked = drawn[scenario]
            labels = data.labels("test", ranked)
            for method in METHODS:
                compared.append(compare(method, scenario, rows[method, scenario], scores.of(method, learned, ranked),
                                        labels))
    compared = [one for one in compared if one is not None]
    print("%d figures compared" % len(compared))
    if not compared or max(compared) > 1:
        sys.exit("NumPy and eval differ")


if __name__ == "__main__":
    main()
