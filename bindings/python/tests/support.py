"""What the tests share: a small collection whose features are sums of its tags' vectors, the program
fast0tag beside the package, and a runner that prints a line for each case."""
from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import fast0tag

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROGRAM = os.environ.get("FAST0TAG", "fast0tag")
WORDS = ["cat", "dog", "sea", "sky", "tree", "car", "boat", "rain"]


class Collection:
    """60 images of 8 features, tagged with two of six words each; ten words have vectors."""

    def __init__(self) -> None:
        random = np.random.default_rng(3)
        table = {word: random.normal(size=6) for word in WORDS}
        table["lake"] = table["sea"] + 0.1
        table["lorry"] = table["car"] + 0.1
        self.words = list(table)
        self.matrix = np.round(np.stack(list(table.values())), 4).astype(np.float32)
        self.tags = [[str(tag) for tag in random.choice(WORDS[:6], 2, replace=False)]
                     for _ in range(60)]
        sums = [sum(table[tag] for tag in tags) for tags in self.tags]
        self.features = np.concatenate(
            [sums, random.normal(0, 0.1, (60, 1)), np.ones((60, 1))], axis=1).astype(np.float32)
        self.split = [["train", "train", "train", "val", "test"][m % 5] for m in range(60)]

    def write_vectors(self, path: str) -> None:
        with open(path, "w", encoding="utf-8") as file:
            for word, row in zip(self.words, self.matrix):
                file.write(word + " " + " ".join("%.4f" % x for x in row) + "\n")


class TestCase(unittest.TestCase):
    """Each case runs in an empty folder with vectors.txt; `self.data` is the collection."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.data = Collection()

    def setUp(self) -> None:
        before = os.getcwd()
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        self.addCleanup(os.chdir, before)
        os.chdir(folder)
        self.data.write_vectors("vectors.txt")

    def assert_same_tags(self, got: list, want: list) -> None:
        """Alike but for the last digits of scores: a product of another number of rows rounds
        otherwise on some CPUs."""
        self.assertEqual([[tag for tag, _ in row] for row in got],
                         [[tag for tag, _ in row] for row in want])
        for row, other in zip(got, want):
            np.testing.assert_allclose([score for _, score in row], [score for _, score in other],
                                       rtol=1e-5, atol=1e-6)

    def write_dataset(self, path: str = "photos", **more: object) -> None:
        fast0tag.write_dataset(path, self.data.features, self.data.tags, split=self.data.split,
                               **more)

    def train(self, **options: object) -> fast0tag.Model:
        return fast0tag.train(self.data.features, self.data.tags, vectors="vectors.txt",
                              **{"method": "linear", **options})

    def program(self, *arguments: str) -> str:
        """What the program prints."""
        done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def program_json(self, *arguments: str) -> object:
        return json.loads(self.program(*arguments, "--json"))


def python(code: str, **environment: str) -> subprocess.CompletedProcess:
    """Runs code in a Python of its own. A variable that is "" is taken out of the environment."""
    merged = {**os.environ, **environment}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False,
                          env={name: value for name, value in merged.items() if value})


def draw(path: str, colour: str, *keywords: str) -> None:
    """A picture of one colour that carries keywords."""
    items = "".join(f"<rdf:li>{word}</rdf:li>" for word in keywords)
    pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
    pathlib.Path(path).write_text(f"""<svg xmlns="http://www.w3.org/2000/svg"
 xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:cc="http://creativecommons.org/ns#"
 xmlns:dc="http://purl.org/dc/elements/1.1/" width="8" height="8"><metadata><rdf:RDF><cc:Work>
<dc:subject><rdf:Bag>{items}</rdf:Bag></dc:subject></cc:Work></rdf:RDF></metadata>
<rect width="8" height="8" fill="{colour}"/></svg>""", encoding="utf-8")
