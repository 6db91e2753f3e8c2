#!/usr/bin/env python3
"""The losses of section 4.3, compared: net and linear-rank, several draws of unseen tags and seeds.

    losses.py PROGRAM DATASET VECTORS FOLDER [--methods net,linear-rank] [--losses LIST] [--draws 3] [--seeds 2]
              [--hidden 512,256] [--trial-epochs 12] [--epochs 60] [--table]

PROGRAM is fast0tag, DATASET a folder of it with features.npy, tags.txt and split.txt. Every draw makes a fifth of
the tags unseen, one of each five neighbours by frequency; draw 0 is the dataset's own seen.txt, where it has one.

Choose: every loss is trained for --trial-epochs with each of its settings (rate, decay, dropout, first scale of the
output layer), a fifth of the seen tags of draw 0 being held out. One training gives two scores on the validation
images: over the tags it knew, and over those held out. Each chooses one setting. Then the chosen ones are trained
with all seen tags for --epochs, for every draw and seed, and tested.

Every training is a line of FOLDER/losses.jsonl: the same command goes on where it was interrupted. --table only
prints what is there, as Markdown. Standard library only.
"""
import argparse
import itertools
import json
import math
import os
import random
import statistics
import subprocess
import sys

LOSSES = ["ranknet", "ranknet-unweighted", "listmle", "crammer-singer", "max-out", "squared-hinge", "hinge",
          "ranknet/batch", "ranknet/offset", "squared-hinge/offset", "ranknet/batch/offset", "ranknet/mean"]
OFFSET = 3  # the constant that "offset" adds to word vectors of length 1
MANY = 5  # an image with many tags has so many


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("dataset")
    parser.add_argument("vectors")
    parser.add_argument("folder")
    parser.add_argument("--methods", default="linear-rank,net")
    parser.add_argument("--losses", default=",".join(LOSSES))
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--hidden", default="512,256")
    parser.add_argument("--trial-epochs", type=int, default=12)
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--threads", default="1")
    parser.add_argument("--table", action="store_true")
    return parser.parse_args()


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


def add_offset(to, vectors):
    """Word vectors as training makes them, centred and of length 1, with one more number that is the same for all:
    f(x) can then shift the scores of all tags together. The order of an image's tags does not change by that."""
    words, rows = [], []
    for line in lines_of(vectors):
        word, *numbers = line.split(" ")
        words.append(word)
        rows.append([float(x) for x in numbers])
    middle = [statistics.fmean(column) for column in zip(*rows)]
    with open(to, "w", encoding="utf-8") as file:
        for word, row in zip(words, rows):
            row = [x - m for x, m in zip(row, middle)]
            length = math.sqrt(sum(x * x for x in row)) or 1
            file.write("%s %s %g\n" % (word, " ".join("%.6f" % (x / length) for x in row), OFFSET))


class Data:
    """The dataset's tags and parts, and its copies with other lists of seen and unseen tags."""

    def __init__(self, a):
        self.path, self.folder = os.path.abspath(a.dataset), a.folder
        self.tags = [[t for t in line.split("\t") if t] for line in lines_of(os.path.join(self.path, "tags.txt"))]
        self.split = lines_of(os.path.join(self.path, "split.txt"))
        counts = {}
        for tags, part in zip(self.tags, self.split):
            for t in tags:
                counts[t] = counts.get(t, 0) + (part == "train")
        self.by_frequency = sorted(counts, key=lambda t: (-counts[t], t))

    def fifth(self, tags, seed):
        """One of each five neighbours by frequency."""
        rng = random.Random(seed)
        ordered = [t for t in self.by_frequency if t in set(tags)]
        groups = [ordered[i:i + 5] for i in range(0, len(ordered), 5)]
        return [rng.choice(group) for group in groups if len(group) == 5]

    def unseen(self, draw):
        own = os.path.join(self.path, "unseen.txt")
        if draw == 0 and os.path.exists(own):
            return lines_of(own)
        return self.fifth(self.by_frequency, draw)

    def lists(self, draw, held_out):
        """Seen and unseen tags; with a fifth held out, of the seen ones alone."""
        unseen = self.unseen(draw)
        seen = [t for t in self.by_frequency if t not in set(unseen)]
        if held_out:
            unseen = self.fifth(seen, 1000 + draw)
            seen = [t for t in seen if t not in set(unseen)]
        return seen, unseen

    def make(self, draw, held_out):
        seen, unseen = self.lists(draw, held_out)
        folder = os.path.join(self.folder, "draw-%d%s" % (draw, "-held-out" if held_out else ""))
        os.makedirs(folder, exist_ok=True)
        for name in ("features.npy", "tags.txt", "split.txt"):
            if not os.path.exists(os.path.join(folder, name)):
                os.symlink(os.path.join(self.path, name), os.path.join(folder, name))
        for name, tags in (("seen.txt", seen), ("unseen.txt", unseen), ("all.txt", seen + unseen)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write("\n".join(tags) + "\n")
        return folder, set(seen), set(unseen)


# ---- One training -------------------------------------------------------------------------------


def settings_of(method, loss):
    """Rate, decay, dropout, first scale: what every loss is tried with. The rate of the hidden layers is only of
    interest where one tag is moved at a time."""
    one_tag = method == "net" and loss in ("crammer-singer", "max-out")
    grid = {"rate": [3e-5, 1e-3], "decay": [0.3, 3], "dropout": [0, 0.3], "init": [0.1],
            "hidden_rate": [0, 1] if one_tag else [1]}
    if method == "linear-rank":
        grid = {"rate": [5e-4, 2e-3], "decay": [0.3, 3], "dropout": [0.2, 0.8], "init": [0.1, 1]}
    for values in itertools.product(*grid.values()):
        yield dict(zip(grid, values))


def options_of(method, loss, setting, a):
    name, *how = loss.split("/")
    options = ["--method", method, "--loss", name, "--rate", str(setting["rate"]), "--decay", str(setting["decay"]),
               "--input-dropout", str(setting["dropout"]), "--init", str(setting["init"])]
    if method == "net":
        options += ["--dropout", str(setting["dropout"]), "--hidden", a.hidden, "--hidden-rate",
                    str(setting["hidden_rate"])]
    if "batch" in how:
        options += ["--pairs", "batch"]
    if "offset" in how or "mean" in how:
        options += ["--keep-mean"]
    return options


def average_precision(ranking, relevant):
    hits, total = 0, 0.0
    for place, tag in enumerate(ranking, 1):
        if tag in relevant:
            hits += 1
            total += hits / place
    return total / hits


def mean(values):
    return round(100 * statistics.fmean(values), 3) if values else None


def miap(rankings, truths, among, least=1):
    """Over the images with a relevant tag among these, and with `least` tags in all."""
    values = []
    for ranking, truth in zip(rankings, truths):
        relevant = among.intersection(truth)
        if relevant and len(truth) >= least:
            values.append(average_precision([t for t in ranking if t in among], relevant))
    return mean(values)


def vectors_of(a, loss):
    if "offset" not in loss:
        return a.vectors
    path = os.path.join(a.folder, "offset.txt")
    if not os.path.exists(path):
        add_offset(path, a.vectors)
    return path


def rank(a, model, vectors, folder, part):
    """All tags of the draw for each image of the part, best first."""
    out = subprocess.run([a.program, "tag", model, folder, "--part", part, "--vocab", os.path.join(folder, "all.txt"),
                          "--vectors", vectors, "-k", "100000", "--diverse", "0", "--json", "-q", "--threads",
                          a.threads], check=True, stdout=subprocess.PIPE).stdout
    return [[tag["tag"] for tag in image["tags"]] for image in json.loads(out)]


def run(a, data, key):
    folder, seen, unseen = data.make(key["draw"], key["held_out"])
    model = os.path.join(a.folder, "model.f0t")
    vectors = vectors_of(a, key["loss"])
    command = [a.program, "train", folder, "--vectors", vectors, "-o", model, "--arithmetic", "bf16", "--epochs",
               str(key["epochs"]), "--patience", str(key["epochs"]), "--seed", str(key["seed"]), "--threads",
               a.threads, "--json", "-q"] + options_of(key["method"], key["loss"], key["setting"], a)
    trained = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if trained.returncode:  # one that diverged: as bad as can be
        return {"failed": trained.stderr.decode().splitlines()[-1]}
    result = {"known": json.loads(trained.stdout)["training"]["validation_miap"]}
    part = "val" if key["held_out"] else "test"
    rankings = rank(a, model, vectors, folder, part)
    truths = [tags for tags, of in zip(data.tags, data.split) if of == part]
    result["new"] = miap(rankings, truths, unseen)
    if not key["held_out"]:
        result["both"] = miap(rankings, truths, seen | unseen)
        result["many_new"] = miap(rankings, truths, unseen, MANY)
        result["many_both"] = miap(rankings, truths, seen | unseen, MANY)
    os.remove(model)
    return result


# ---- All of them --------------------------------------------------------------------------------


class Journal:
    """A line per training, found again by what was trained."""

    def __init__(self, path):
        self.path, self.done = path, {}
        for line in lines_of(path) if os.path.exists(path) else []:
            row = json.loads(line)
            self.done[self.name(row["key"])] = row["result"]

    @staticmethod
    def name(key):
        return json.dumps(key, sort_keys=True)

    def get(self, a, data, key):
        name = self.name(key)
        if name not in self.done and not a.table:
            self.done[name] = run(a, data, key)
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(json.dumps({"key": key, "result": self.done[name]}, sort_keys=True) + "\n")
            print(name, self.done[name], file=sys.stderr, flush=True)
        return self.done.get(name)


def key_of(a, method, loss, setting, **more):
    return dict({"method": method, "hidden": a.hidden if method == "net" else "", "loss": loss, "setting": setting},
                **more)


def choose(a, data, journal, method, loss):
    """The settings that are best over the known tags and over those held out."""
    scored = []
    for setting in settings_of(method, loss):
        key = key_of(a, method, loss, setting, draw=0, held_out=True, seed=0, epochs=a.trial_epochs)
        result = journal.get(a, data, key)
        if result and "failed" not in result:
            scored.append((setting, result))
    if not scored:
        return []
    best = [max(scored, key=lambda s: s[1][score])[0] for score in ("known", "new")]
    return [best[0]] if best[0] == best[1] else best


def spread(results, name):
    values = [r[name] for r in results if r.get(name) is not None]
    if not values:
        return "–"
    return "%.1f ± %.1f" % (statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else math.nan)


def tested(a, data, journal, method, loss, setting):
    keys = [key_of(a, method, loss, setting, draw=draw, held_out=False, seed=seed, epochs=a.epochs)
            for seed in range(a.seeds) for draw in range(a.draws)]
    results = [journal.get(a, data, key) for key in keys]
    return [r for r in results if r and "failed" not in r]


COLUMNS = ["known", "new", "both", "many_new", "many_both"]


def main():
    a = arguments()
    os.makedirs(a.folder, exist_ok=True)
    data, journal = Data(a), Journal(os.path.join(a.folder, "losses.jsonl"))
    rows = []
    for method in a.methods.split(","):
        chosen = {loss: choose(a, data, journal, method, loss) for loss in a.losses.split(",")}
        for loss, settings in chosen.items():
            for setting in settings:
                results = tested(a, data, journal, method, loss, setting)
                rows.append([method, loss, " ".join("%s %g" % s for s in setting.items()), str(len(results))] +
                            [spread(results, name) for name in COLUMNS])
    head = ["method", "loss", "setting", "trainings"] + COLUMNS
    for row in [head, ["---"] * len(head)] + rows:
        print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
