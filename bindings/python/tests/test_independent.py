"""Metrics and methods against an implementation that shares nothing with the library: independent.py."""
import os
import time
import unittest

import numpy as np
import support

import fast0tag
import independent

SEED = int(os.environ.get("F0T_TEST_SEED", time.time()))


def write_collection(folder, random, images=4000, tags=24, dim=8):
    """Features from which the tags' vectors can be guessed; the tags are of very different frequency."""
    vectors = random.normal(size=(tags, dim))
    odds = np.linspace(-4, -1, tags)
    mix = random.normal(size=(dim, 12))
    wanted = random.normal(size=(images, dim))
    chance = 1 / (1 + np.exp(-(odds + 1.5 * wanted @ vectors.T / np.sqrt(dim))))
    truth = random.random((images, tags)) < chance
    features = (wanted @ mix + random.normal(0, 1, (images, 12))).astype(np.float32)
    names = ["word" + chr(97 + t) for t in range(tags)]
    split = ["train"] * (images * 2 // 5) + ["test"] * (images - images * 2 // 5)
    fast0tag.write_dataset(folder, features, [[names[t] for t in np.flatnonzero(row)] for row in truth],
                           split=split)
    with open("words.txt", "w", encoding="utf-8") as file:
        for name, row in zip(names, vectors):
            file.write(name + "".join(f" {x:.5f}" for x in row) + "\n")
        for extra in range(10):  # words that are no tags: the mean is that of the file
            file.write(f"other{extra}" + "".join(f" {x:.5f}" for x in random.normal(1, 1, dim)) + "\n")


class Independent(support.TestCase):
    def setUp(self):
        super().setUp()
        print(f"F0T_TEST_SEED={SEED}")
        self.random = np.random.default_rng(SEED)

    def assert_same(self, got, want):
        for name, value in want.items():
            self.assertAlmostEqual(got[name], value, delta=1e-9, msg=f"{name}, F0T_TEST_SEED={SEED}")

    def draw_scores(self, images, tags, levels):
        """With few levels most scores are equal."""
        truth = (self.random.random((images, tags)) < 0.25).astype(int)
        truth[0] = 0
        truth[:, 0] = 0
        truth[1, 1:3] = 1
        return self.random.integers(0, levels, (images, tags)) / 8, truth

    def test_metrics_of_scores_with_ties(self):
        for levels in (2, 5, 1000):
            scores, truth = self.draw_scores(14, 9, levels)
            seen = np.arange(9) % 2 == 0
            truth[2, :2] = 1  # of both kinds
            self.assert_same(fast0tag.metrics(scores, truth, seen=seen).values,
                             independent.metrics(scores, truth, seen=seen))

    def test_metrics_of_scores_against_scikit_learn(self):
        try:
            from sklearn import metrics as peer
        except ImportError:
            self.skipTest("scikit-learn is not installed")
        scores, truth = self.draw_scores(30, 9, 4)
        tagged = truth.any(1)
        want = {"ndcg": 100 * peer.ndcg_score(truth[tagged], scores[tagged]),
                "coverage": peer.coverage_error(truth[tagged], scores[tagged]),
                "ranking_loss": 100 * peer.label_ranking_loss(truth[tagged], scores[tagged]),
                "lrap": 100 * peer.label_ranking_average_precision_score(truth[tagged], scores[tagged])}
        self.assert_same(fast0tag.metrics(scores, truth).values, want)
        self.assert_same(independent.metrics(scores, truth), want)

    def test_scores_in_a_comparison(self):
        write_collection("data", self.random, images=60, tags=10)
        data = independent.Data("data", "words.txt")
        self.program("eval", "data", "--vectors", "words.txt", "--unseen", "3", "--scenarios", "seen-unseen",
                     "--tasks", "tasks", "--quiet")
        ranked = independent.lines("tasks/seen-unseen/ranked.txt")
        learned = set(independent.lines("tasks/seen-unseen/learned.txt"))
        truth = data.truth[data.split == "test"][:, [data.tags.index(tag) for tag in ranked]]
        scores = self.random.integers(0, 6, truth.shape) / 4
        np.save("mine.npy", scores)
        row = fast0tag.evaluate("data", vectors="words.txt", methods="random", unseen=3,
                                scenarios="seen-unseen", scores={"mine": "mine.npy"})[1]
        self.assert_same(row, independent.metrics(scores, truth,
                                                  seen=[tag in learned for tag in ranked]))

    def test_methods_on_a_draw_of_their_own(self):
        write_collection("data", self.random)
        for method, (here, there) in independent.compare("data", "words.txt", SEED, 6).items():
            self.assertAlmostEqual(here, there, delta=0.1, msg=f"{method}, F0T_TEST_SEED={SEED}")
            self.assertTrue(25 < here < 95, method)


if __name__ == "__main__":
    unittest.main()
