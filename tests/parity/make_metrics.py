#!/usr/bin/env python3
"""Writes metrics.txt: metrics of small rankings by scikit-learn.

    python3 tests/parity/make_metrics.py >tests/parity/metrics.txt

tests/unit/eval/test_metrics_parity.c reads it. For each case: `case IMAGES TAGS K`; the scores, a
line an image; the relevant tags of each image, their number first; then a line `lists` with ndcg, coverage,
ranking_loss and lrap over images that have a tag; then, where all scores are different, a line
`values` with, in this order: miap, map, map_all, map_interpolated, map_11, pooled p r f, class p r (a tag
that is never predicted has precision 0; recall over tags that occur), class p over predicted tags, n_plus.
All but coverage and n_plus are 0 … 1.
"""
import warnings

import numpy as np
from sklearn.metrics import (average_precision_score, coverage_error,
                             label_ranking_average_precision_score, label_ranking_loss, ndcg_score,
                             precision_recall_curve, precision_recall_fscore_support)

warnings.simplefilter("ignore")


def lists(truth, scores):
    tagged = truth.any(1)
    return [measure(truth[tagged], scores[tagged]) for measure in
            (ndcg_score, coverage_error, label_ranking_loss, label_ranking_average_precision_score)]


def interpolated(truth, scores):
    """The mean over relevant images, and over eleven recalls, of the best precision from there on."""
    precision, recall, _ = precision_recall_curve(truth, scores)
    at = [max(precision[recall >= i / truth.sum() - 1e-9]) for i in range(1, truth.sum() + 1)]
    eleven = [max(precision[:-1][recall[:-1] >= i / 10 - 1e-9]) for i in range(11)]
    return np.mean(at), np.mean(eleven)


def values(truth, scores, k):
    predicted = np.zeros_like(truth)
    for row, order in enumerate(np.argsort(-scores, axis=1)[:, :k]):
        predicted[row, order] = 1
    tagged, occurs, chosen = truth.any(1), truth.any(0), predicted.any(0)
    tag_ap = [average_precision_score(truth[:, t], scores[:, t]) for t in np.flatnonzero(occurs)]
    smooth = np.mean([interpolated(truth[:, t], scores[:, t]) for t in np.flatnonzero(occurs)], axis=0)
    pooled = precision_recall_fscore_support(truth, predicted, average="micro", zero_division=0)
    p, r, _, _ = precision_recall_fscore_support(truth, predicted, average=None, zero_division=0)
    return [
        label_ranking_average_precision_score(truth[tagged], scores[tagged]),
        np.mean(tag_ap), np.sum(tag_ap) / truth.shape[1], *smooth, *pooled[:3],
        p.mean(), r[occurs].mean(), p[chosen].mean(), (r > 0).sum()
    ]


def case(random, images, tags, k, share, levels=0):
    """With `levels` scores are so few that most are equal."""
    scores = random.permutation(images * tags).reshape(images, tags).astype(np.float32)
    scores = np.floor(scores * levels / (images * tags)) if levels else scores
    truth = (random.random((images, tags)) < share).astype(int)
    truth[0] = 0
    truth[:, tags - 1] = 0
    print("case", images, tags, k)
    for row in scores:
        print(" ".join("%d" % x for x in row))
    for row in truth:
        print(" ".join(str(x) for x in [row.sum(), *np.flatnonzero(row)]))
    print("lists", " ".join("%.14g" % x for x in lists(truth, scores)))
    if levels:
        return
    print("values", " ".join("%.14g" % x for x in values(truth, scores, k)))


random = np.random.default_rng(2016)
case(random, 12, 9, 3, 0.3)
case(random, 25, 14, 5, 0.15)
case(random, 6, 20, 1, 0.1)
case(random, 15, 4, 3, 0.6)
case(random, 20, 12, 3, 0.3, 4)
case(random, 12, 7, 2, 0.5, 2)
