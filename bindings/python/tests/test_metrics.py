"""Metrics of any scores, against scikit-learn and NumPy."""
import unittest

import numpy as np
import support  # noqa: F401

import fast0tag


class Metrics(unittest.TestCase):
    def setUp(self):
        random = np.random.default_rng(3)
        self.scores = random.random((40, 12))
        self.truth = (random.random((40, 12)) < 0.3).astype(int)
        self.truth[0] = 0

    def test_against_scikit_learn(self):
        from sklearn.metrics import (average_precision_score, coverage_error,
                                     label_ranking_average_precision_score, label_ranking_loss,
                                     ndcg_score)
        scores, truth = self.scores.astype(np.float32), self.truth
        tagged = truth.any(1)
        got = fast0tag.metrics(scores, truth)
        for name, measure in (("miap", label_ranking_average_precision_score),
                              ("ndcg", ndcg_score), ("ranking_loss", label_ranking_loss)):
            self.assertAlmostEqual(got[name], 100 * measure(truth[tagged], scores[tagged]), 9)
        self.assertAlmostEqual(got["coverage"], coverage_error(truth[tagged], scores[tagged]), 9)
        for t in range(12):
            self.assertAlmostEqual(got.tag_precisions[t],
                                   100 * average_precision_score(truth[:, t], scores[:, t]), 9)
        self.assertTrue(np.isnan(got.image_precisions[0]))
        self.assertAlmostEqual(np.nanmean(got.image_precisions), got["miap"], 9)

    def test_first_tags_and_kinds(self):
        seen = np.arange(12) < 8
        got = fast0tag.metrics(self.scores, self.truth, k=4, seen=seen)
        top = np.argsort(-self.scores, axis=1)[:, :4]
        hits = np.take_along_axis(self.truth, top, 1)
        self.assertAlmostEqual(got["p4"], 100 * hits.mean(), 9)
        unseen = hits[top >= 8].sum() / self.truth[:, 8:].sum()
        self.assertAlmostEqual(got["unseen_r4"], 100 * unseen, 9)
        self.assertTrue(0 < got["ausuc4"] < 100)
        self.assertIsNone(fast0tag.metrics(self.scores, self.truth)["ausuc3"])

    def test_equal_scores_have_no_order(self):
        truth = np.zeros((1, 3), int)
        truth[0, 2] = 1
        self.assertAlmostEqual(fast0tag.metrics(np.zeros((1, 3)), truth)["miap"],
                               100 * (1 + 1 / 2 + 1 / 3) / 3, 9)

    def test_nothing_relevant_is_not_defined(self):
        got = fast0tag.metrics(self.scores, np.zeros_like(self.truth))
        self.assertIsNone(got["miap"])
        self.assertEqual(got["miap_all"], 0)

    def test_what_is_refused(self):
        bad = self.scores.copy()
        bad[3, 4] = np.nan
        with self.assertRaisesRegex(fast0tag.NumericError, "row 3"):
            fast0tag.metrics(bad, self.truth)
        with self.assertRaisesRegex(fast0tag.ArgumentError, "shape"):
            fast0tag.metrics(self.scores, self.truth[:, :5])
        with self.assertRaisesRegex(fast0tag.ArgumentError, "0 or 1"):
            fast0tag.metrics(self.scores, self.truth * 2)
        with self.assertRaisesRegex(fast0tag.ArgumentError, "seen"):
            fast0tag.metrics(self.scores, self.truth, seen=[True])
        with self.assertRaisesRegex(fast0tag.ArgumentError, "at most 8"):
            fast0tag.metrics(self.scores, self.truth, k=range(1, 10))
        with self.assertRaises(fast0tag.ArgumentError):
            fast0tag.metrics(self.scores[0], self.truth[0])


if __name__ == "__main__":
    unittest.main()
