"""Metrics and methods once more, from docs/evaluation.md and docs/methods.md alone, in NumPy: nothing here knows
the library.

    python3 independent.py DATASET VECTORS [SEED]

draws unseen tags, by the clock without SEED, and compares what `fast0tag` (or the program that FAST0TAG names) measures
with what is computed here. VECTORS is a text file."""
from __future__ import annotations

import itertools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np

# ---- Metrics ---------------------------------------------------------------------------------------


def groups(scores):
    """Places of equal scores, the highest first."""
    return [np.flatnonzero(scores == value) for value in np.unique(scores)[::-1]]


def average_precision(scores, truth):
    """The mean over all orders of equal scores: every choice of places for the relevant ones of a tie."""
    above = hits = total = 0.0
    for tie in groups(scores):
        right = int(truth[tie].sum())
        choices = list(itertools.combinations(range(len(tie)), right))
        total += sum((hits + i + 1) / (above + place + 1)
                     for places in choices for i, place in enumerate(places)) / len(choices)
        above += len(tie)
        hits += right
    return total / hits


def shares(scores, k):
    """The share of the orders in which each tag is among the first k."""
    chosen, left = np.zeros(len(scores)), float(k)
    for tie in groups(scores):
        chosen[tie] = min(1.0, left / len(tie))
        left = max(0.0, left - len(tie))
    return chosen


def gain(scores, truth):
    discount, got, place = 1 / np.log2(np.arange(len(scores)) + 2), 0.0, 0
    for tie in groups(scores):
        got += truth[tie].sum() * discount[place:place + len(tie)].mean()
        place += len(tie)
    return got / discount[:int(truth.sum())].sum()


def interpolated(scores, truth):
    """Precision at a recall is the best at that or a higher one; by relevant item, and at eleven recalls."""
    taken = [np.flatnonzero(scores >= value) for value in np.unique(scores)[::-1]]
    recall = np.array([truth[t].sum() for t in taken]) / truth.sum()
    precision = np.array([truth[t].mean() for t in taken])
    best = lambda at: precision[recall >= at - 1e-12].max()  # noqa: E731
    count = int(truth.sum())
    return (np.mean([best((i + 1) / count) for i in range(count)]),
            np.mean([best(i / 10) for i in range(11)]))


def harmonic(a, b):
    return 2 * a * b / (a + b) if a + b > 0 else 0.0


def list_metrics(scores, truth):
    """Of the images that have a tag."""
    tagged = [(s, t) for s, t in zip(scores, truth) if t.any()]
    worst = [(s[:, None] <= s[None, :]) for s, _ in tagged]  # [i, j]: j before i, or equal
    return {
        "miap": 100 * np.mean([average_precision(s, t) for s, t in tagged]),
        "ndcg": 100 * np.mean([gain(s, t) for s, t in tagged]),
        "coverage": np.mean([w[t > 0].sum(1).max() for w, (_, t) in zip(worst, tagged)]),
        "ranking_loss": 100 * np.mean([w[t > 0][:, t == 0].mean() if (t == 0).any() else 0.0
                                       for w, (_, t) in zip(worst, tagged)]),
        "lrap": 100 * np.mean([(w[t > 0][:, t > 0].sum(1) / w[t > 0].sum(1)).mean()
                               for w, (_, t) in zip(worst, tagged)]),
    }


def tag_metrics(scores, truth):
    occurs = np.flatnonzero(truth.any(0))
    precisions = [average_precision(scores[:, t], truth[:, t]) for t in occurs]
    smooth = np.mean([interpolated(scores[:, t], truth[:, t]) for t in occurs], axis=0)
    return {"map": 100 * np.mean(precisions), "map_all": 100 * np.sum(precisions) / truth.shape[1],
            "map_interpolated": 100 * smooth[0], "map_11": 100 * smooth[1]}


def first_metrics(scores, truth, k):
    """Of the first k tags as the prediction."""
    k = min(k, truth.shape[1])
    predicted = np.array([shares(row, k) for row in scores])
    hits, tagged, occurs = predicted * truth, truth.any(1), truth.any(0)
    p, r = hits.sum() / (k * len(truth)), hits.sum() / truth.sum()
    tagged_p = hits.sum() / (k * tagged.sum())
    chosen = predicted.sum(0)
    class_p = np.divide(hits.sum(0), chosen, out=np.zeros(len(chosen)), where=chosen > 0)
    class_r = hits.sum(0)[occurs] / truth.sum(0)[occurs]
    found = {"p": p, "r": r, "f": harmonic(p, r), "tagged_p": tagged_p, "tagged_r": r,
             "tagged_f": harmonic(tagged_p, r), "class_p": class_p.mean(), "class_r": class_r.mean(),
             "class_f": harmonic(class_p.mean(), class_r.mean()),
             "class_predicted_p": class_p[chosen > 0].mean()}
    made = {f"{name}{k}": 100 * value for name, value in found.items()}
    made[f"n_plus{k}"] = (1 - np.prod(1 - hits, axis=0)).sum()
    return made


def kind_metrics(scores, truth, seen):
    """Seen and unseen tags in one ranking."""
    made = {}
    for name, kind in (("seen", seen), ("unseen", ~seen)):
        only = truth * kind
        made[f"{name}_miap"] = 100 * np.mean([average_precision(s, t)
                                              for s, t in zip(scores, only) if t.any()])
    made["harmonic_miap"] = harmonic(made["seen_miap"], made["unseen_miap"])
    return made


def metrics(scores, truth, k=(3, 5), seen=None):
    """In percent, by the names of `fast0tag eval --json`."""
    scores, truth = np.asarray(scores, float), np.asarray(truth, int)
    made = {**list_metrics(scores, truth), **tag_metrics(scores, truth)}
    made["miap_all"] = made["miap"] * truth.any(1).mean()
    for number in k:
        made.update(first_metrics(scores, truth, number))
    if seen is not None:
        made.update(kind_metrics(scores, truth, np.asarray(seen, bool)))
    return made


# ---- A dataset --------------------------------------------------------------------------------------


def lines(path):
    return pathlib.Path(path).read_text(encoding="utf-8").split("\n")[:-1]


def normalised(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


class Data:
    """A dataset directory and a text file of vectors; tags without a vector are left out."""

    def __init__(self, folder, vectors):
        self.features = normalised(np.load(f"{folder}/features.npy").astype(float))
        self.split = np.array(lines(f"{folder}/split.txt"))
        own = [line.split("\t") if line else [] for line in lines(f"{folder}/tags.txt")]
        rows = [line.split(" ") for line in lines(vectors)]
        table = {row[0]: np.array(row[1:], np.float32).astype(float) for row in rows}
        mean = np.mean(list(table.values()), axis=0)
        names = sorted({tag for tags in own for tag in tags})
        self.tags = [name for name in names if name in table]
        self.vectors = normalised(np.array([table[name] - mean for name in self.tags]))
        place = {name: i for i, name in enumerate(self.tags)}
        self.truth = np.zeros((len(own), len(self.tags)), int)
        for m, tags in enumerate(own):
            self.truth[m, [place[tag] for tag in tags if tag in place]] = 1

    def draw(self, count, random):
        """Unseen tags: sorted by how many training images have them, one of each of `count` equal strata."""
        order = np.argsort(self.truth[self.split == "train"].sum(0), kind="stable")
        bounds = np.arange(count + 1) * len(order) // count
        unseen = np.zeros(len(order), bool)
        unseen[[order[random.integers(a, b)] for a, b in zip(bounds, bounds[1:])]] = True
        return unseen


# ---- Methods: scores of the unseen tags for the test images --------------------------------------------


def ranking_svm(vectors, relevant, weight=1.0):
    """The direction of a rule: weight/2 |w|^2 + the sum over pairs of max(0, 1 - w·p + w·n)^2, by Newton's method."""
    pairs = (vectors[relevant > 0][:, None] - vectors[relevant == 0][None]).reshape(-1, vectors.shape[1])
    w = np.zeros(vectors.shape[1])
    value = lambda w: weight / 2 * w @ w + (np.maximum(0, 1 - pairs @ w)**2).sum()  # noqa: E731
    for _ in range(100):
        slack = np.maximum(0, 1 - pairs @ w)
        slope = weight * w - 2 * pairs.T @ slack
        if np.linalg.norm(slope) < 1e-9 * len(pairs):
            break
        active = pairs[slack > 0]
        step = np.linalg.solve(weight * np.eye(len(w)) + 2 * active.T @ active, -slope)
        length = 1.0
        while value(w + length * step) > value(w) + 1e-4 * length * slope @ step and length > 1e-10:
            length /= 2
        w = w + length * step
    return w


def linear(data, unseen, ridge=1.0):
    """f(x) = A x, least squares onto the directions of the rules."""
    train, test = data.split == "train", data.split == "test"
    rules = data.truth[train][:, ~unseen]
    used = rules.any(1) & ~rules.all(1)
    distinct, which = np.unique(rules[used], axis=0, return_inverse=True)
    directions = np.array([ranking_svm(data.vectors[~unseen], rule) for rule in distinct])[which.ravel()]
    x = data.features[train][used]
    square = x.T @ x
    square += ridge * np.trace(square) / len(square) * np.eye(len(square))
    a = np.linalg.solve(square, x.T @ directions)
    return data.features[test] @ a @ data.vectors[unseen].T


def predicted_frequency(data, unseen, weight=1.0):
    """Log-odds of the unseen tags by ridge regression with an intercept from the vectors of the seen ones."""
    train = data.truth[data.split == "train"][:, ~unseen]
    odds = np.log((train.sum(0) + 0.5) / (len(train) - train.sum(0) + 0.5))
    v, mean = data.vectors[~unseen], data.vectors[~unseen].mean(0)
    w = np.linalg.solve((v - mean).T @ (v - mean) + weight * np.eye(v.shape[1]),
                        (v - mean).T @ (odds - odds.mean()))
    scores = odds.mean() + (data.vectors[unseen] - mean) @ w
    return np.tile(scores.astype(np.float32), ((data.split == "test").sum(), 1))


def combinations(data, unseen, ridge=1.0, temperature=0.1):
    """Fu-style, direct: a ridge regression with an offset onto the sum of the tags' vectors, and the probability
    of the combinations that have a tag under a softmax over the cosines with all of them."""
    train, test = data.split == "train", data.split == "test"
    x, y = data.features[train], data.truth[train][:, ~unseen] @ data.vectors[~unseen]
    centred = x - x.mean(0)
    square = centred.T @ centred
    square += ridge * np.trace(square) / len(square) * np.eye(len(square))
    a = np.linalg.solve(square, centred.T @ (y - y.mean(0)))
    projected = normalised((data.features[test] - x.mean(0)) @ a + y.mean(0))
    sets = np.array(list(itertools.product((0, 1), repeat=int(unseen.sum()))))[1:]
    cosines = projected @ normalised(sets @ data.vectors[unseen]).T
    weights = np.exp((cosines - cosines.max(1, keepdims=True)) / temperature)
    return weights @ sets / weights.sum(1, keepdims=True)


METHODS = {"linear": (linear, ["linear.lambda=1", "linear.ridge=1"]),
           "frequency-predicted": (predicted_frequency, ["frequency-predicted.lambda=1"]),
           "fu2015-direct": (combinations, ["fu2015-direct.ridge=1", "fu2015-direct.temperature=0.1"])}


# ---- Against the program ---------------------------------------------------------------------------------


def compare(folder, vectors, seed, count, methods=tuple(METHODS)):
    """The zero-shot MiAP of each method with a draw of `count` unseen tags, here and by the program."""
    data = Data(folder, vectors)
    unseen = data.draw(count, np.random.default_rng(seed))
    made = {}
    with tempfile.TemporaryDirectory() as place:
        copy = f"{place}/data"
        os.mkdir(copy)
        for name in ("features.npy", "tags.txt", "split.txt"):
            shutil.copy(f"{folder}/{name}", copy)
        for name, which in (("seen", ~unseen), ("unseen", unseen)):
            text = "".join(data.tags[i] + "\n" for i in np.flatnonzero(which))
            pathlib.Path(copy, f"{name}.txt").write_text(text, encoding="utf-8")
        fixed = [word for name in methods for value in METHODS[name][1] for word in ("--set", value)]
        done = subprocess.run([os.environ.get("FAST0TAG", "fast0tag"), "eval", copy, "--vectors",
                               os.path.abspath(vectors), "--methods", ",".join(methods), "--scenarios",
                               "zero-shot", "--no-tune", "--json", "--quiet", *fixed],
                              cwd=place, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr)
        truth = data.truth[data.split == "test"][:, unseen]
        for row in json.loads(done.stdout):
            scores = METHODS[row["method"]][0](data, unseen)
            here = list_metrics(np.asarray(scores), truth)["miap"]
            made[row["method"]] = (here, row["miap"])
    return made


if __name__ == "__main__":
    clock = int(sys.argv[3]) if len(sys.argv) > 3 else int(time.time())
    print("seed", clock)
    for method, (ours, theirs) in compare(sys.argv[1], sys.argv[2], clock, 12).items():
        print(f"{method:20} here {ours:8.4f}   fast0tag {theirs:8.4f}   difference {ours - theirs:+.4f}")
