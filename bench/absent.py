"""New words that pictures show, and words that none shows: what `find` says of them.

    bench/absent.py BUILD VECTORS DATASET… [--draws 3,4] [--pictures N] [--known TAGS.txt] [--epochs 12] [--json]

For each dataset and draw a quarter of its tags is held out, a model learns the others from N pictures of the training
part (default: all), and a catalogue gets the pictures of the test part without a keyword. Then each word is searched:

    held    tags that were held out, and that a test picture has
    absent  words of bench/things.txt that have a vector and occur in no tag of the dataset, nor in TAGS.txt

A row has, for held words: how many find anything, precision and recall pooled over all words, and precision as the mean
over words that find anything; for absent words: how many find anything, in the median of those how many pictures, how
many have a picture with 50 % or more, and the highest percentage of all. `error` is the mean difference between
percentages of 5 % or more, in ten bins, and the share that is right, absent words weighing as much as held ones. `flat`
is the simplest rival: one cut-off for all words, the one with the best F1 over these very words."""
import argparse
import array
import json
import random
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from made_catalogue import Made

TEST_MOST = 1000


def program(build, *arguments, may_fail=False):
    done = subprocess.run([build / "fast0tag", *map(str, arguments)], capture_output=True, text=True)
    if done.returncode and not may_fail:
        sys.exit(f"fast0tag {' '.join(map(str, arguments))}: {done.stderr}")
    return None if done.returncode else done.stdout


# ---- Datasets ----------------------------------------------------------------------------------------------------------

class Features:
    """Rows of an npy file of float16 or float32."""

    def __init__(self, path):
        data = path.read_bytes()
        end = 10 + struct.unpack("<H", data[8:10])[0]
        head = eval(data[10:end].decode(), {})
        self.dim, self.code = head["shape"][1], {"<f2": "e", "<f4": "f"}[head["descr"]]
        self.data, self.size = data[end:], self.dim * struct.calcsize(self.code)

    def row(self, m):
        return array.array("f", struct.unpack(f"<{self.dim}{self.code}", self.data[m * self.size:(m + 1) * self.size]))


def read(folder):
    tags = [[t for t in line.split("\t") if t] for line in (folder / "tags.txt").read_text().split("\n")[:-1]]
    if (folder / "split.txt").exists():
        return Features(folder / "features.npy"), tags, (folder / "split.txt").read_text().split()
    chance = random.Random(7)
    return Features(folder / "features.npy"), tags, ["test" if chance.random() < 0.2 else "train" for _ in tags]


def write_training(folder, features, tags, numbers, held):
    folder.mkdir()
    head = repr({"descr": "<f4", "fortran_order": False, "shape": (len(numbers), features.dim)})
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    with open(folder / "features.npy", "wb") as file:
        file.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head.encode())
        for m in numbers:
            features.row(m).tofile(file)
    kept = [[t for t in tags[m] if t not in held] for m in numbers]
    (folder / "tags.txt").write_text("".join("\t".join(row) + "\n" for row in kept))
    (folder / "split.txt").write_text("".join("val\n" if i % 10 == 9 else "train\n" for i in range(len(numbers))))
    return {t for row in kept for t in row}


# ---- Words -------------------------------------------------------------------------------------------------------------

def absent_words(tags, known):
    things = [w for line in (Path(__file__).parent / "things.txt").read_text().split("\n") if line[:1] != "#"
              for w in line.split()]
    words = {w.lower() for row in tags + known for t in row for w in t.replace("_", " ").split()}
    return [t for t in things if not words & {t, t + "s", t + "es"}]


class Search:
    """What one word finds, and how sure of which picture the program is."""

    def __init__(self, build, catalogue, vectors, word, right):
        asked = ("find", f'"{word}"', "-c", catalogue, "--vectors", vectors, "-k", 100000, "--json", "-q")
        self.word, self.right = word, right
        found = program(build, *asked, may_fail=True)
        self.known = found is not None and json.loads(found)["words"][0]["kind"] == "new"
        if not self.known:
            return
        self.found = {self.number(p) for p in json.loads(found)["pictures"]}
        everything = json.loads(program(build, *asked, "--nearest"))["pictures"]
        self.sure = sorted(((p["confidence"], self.number(p) in right) for p in everything), reverse=True)

    @staticmethod
    def number(picture):
        return int(picture["path"].rsplit("/", 1)[1])


# ---- Measures ----------------------------------------------------------------------------------------------------------

def share(part, whole):
    return 100 * part / whole if whole else 0


def flat_cut(held, absent):
    """The cut-off of all words with the best F1, absent words weighing as much as held ones."""
    weight = len(held) / max(1, len(absent))
    pairs = sorted([(p, r, 1) for s in held for p, r in s.sure] + [(p, False, weight) for s in absent for p, _ in s.sure],
                   reverse=True)
    relevant, right, shown, best = sum(len(s.right) for s in held), 0, 0.0, (0.0, 1.0)
    for p, r, w in pairs:
        right, shown = right + r, shown + w
        best = max(best, (2 * right / (shown + relevant), p))
    return best[1]


def error(held, absent):
    bins = [[0.0, 0.0] for _ in range(10)]
    weight = len(held) / max(1, len(absent))
    for s, w in [(s, 1) for s in held] + [(s, weight) for s in absent]:
        for p, r in s.sure:
            if p >= 0.05:
                bins[min(9, int(10 * p))][0] += w
                bins[min(9, int(10 * p))][1] += w * (p - r)
    shown = sum(b[0] for b in bins)
    return 100 * sum(abs(b[1]) for b in bins) / shown if shown else None


def measure(held, absent, finds):
    """finds(search): (pictures found, of them right)"""
    of_held, of_absent = [finds(s) for s in held], sorted(finds(s)[0] for s in absent)
    some = [n for n in of_absent if n]
    return {"held": len(held), "answered": share(sum(n > 0 for n, _ in of_held), len(held)),
            "precision": share(sum(r for _, r in of_held), sum(n for n, _ in of_held)),
            "recall": share(sum(r for _, r in of_held), sum(len(s.right) for s in held)),
            "word_precision": share(sum(r / n for n, r in of_held if n), sum(n > 0 for n, _ in of_held)),
            "absent": len(absent), "found": share(len(some), len(absent)),
            "pictures": some[len(some) // 2] if some else 0,
            "half": share(sum(s.sure[0][0] >= 0.5 for s in absent), len(absent)),
            "highest": 100 * max((s.sure[0][0] for s in absent), default=0), "error": error(held, absent)}


# ---- One draw ----------------------------------------------------------------------------------------------------------

def run_draw(options, dataset, draw, folder):
    features, tags, parts = read(dataset)
    chance = random.Random(draw)
    learned_from = [m for m, part in enumerate(parts) if part != "test"]
    chance.shuffle(learned_from)
    learned_from = sorted(learned_from[:options.pictures or len(learned_from)])
    tests = [m for m, part in enumerate(parts) if part == "test"][:TEST_MOST]
    names = sorted({t for m in learned_from + tests for t in tags[m]})
    held = set(chance.sample(names, len(names) // 4))
    learned = write_training(folder / "data", features, tags, learned_from, held)
    model, catalogue = folder / "model.f0t", folder / "catalogue.f0t"
    program(options.build, "train", folder / "data", "--vectors", options.vectors, "-o", model, "--keep-tags", "--epochs",
            options.epochs, "-q")
    made = Made(options.build, catalogue, '{"name": "bench"}')
    with made:
        for m in tests:
            made.put(f"/test/{m}", features.row(m))
    made.suggest(model, options.vectors)
    made.close()
    known = [line.split("\t") for line in options.known.read_text().split("\n")] if options.known else []

    def search(words):
        all_of_them = [Search(options.build, catalogue, options.vectors, w, {m for m in tests if w in tags[m]})
                       for w in words]
        return [s for s in all_of_them if s.known]
    words = absent_words(tags, known)
    here = search(sorted(w for w in held if w not in learned and any(w in tags[m] for m in tests))[:options.words])
    absent = search(sorted(chance.sample(words, min(len(words), options.words))))
    cut = flat_cut(here, absent)
    found = {"cut": lambda s: (len(s.found), len(s.found & s.right)),
             "flat": lambda s: (sum(p >= cut for p, _ in s.sure), sum(r for p, r in s.sure if p >= cut))}
    return [{"dataset": dataset.name, "pictures_learned": len(learned_from), "draw": draw, "way": way,
             **measure(here, absent, finds)} for way, finds in found.items()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=lambda path: Path(path).resolve())
    parser.add_argument("vectors", type=lambda path: Path(path).resolve())
    parser.add_argument("datasets", type=Path, nargs="+")
    parser.add_argument("--draws", default="3,4")
    parser.add_argument("--pictures", type=int, default=0)
    parser.add_argument("--words", type=int, default=150)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--known", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not options.json:
        print("dataset       learned draw way  held answered precision recall by-word  absent found pictures >=50% highest error")
    for dataset in options.datasets:
        for draw in map(int, options.draws.split(",")):
            with tempfile.TemporaryDirectory() as folder:
                rows = run_draw(options, dataset, draw, Path(folder))
            for r in rows:
                print(json.dumps(r) if options.json else
                      f"{r['dataset']:<14}{r['pictures_learned']:>6}{r['draw']:>5} {r['way']:<5}{r['held']:>4}"
                      f"{r['answered']:>8.0f}%{r['precision']:>9.0f}%{r['recall']:>6.0f}%{r['word_precision']:>7.0f}%"
                      f"{r['absent']:>8}{r['found']:>5.0f}%{r['pictures']:>9}{r['half']:>5.0f}%{r['highest']:>7.0f}%"
                      + (f"{r['error']:>6.1f}" if r["error"] is not None else "     –"), flush=True)


if __name__ == "__main__":
    main()
