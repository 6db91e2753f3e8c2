#!/usr/bin/env python3
"""Writes metrics.txt: metrics of small rankings by scikit-learn.

    python3 tests/parity/make_metrics.py >tests/parity/metrics.txt

tests/unit/eval/test_metrics_parity.c reads it. For each case: `case IMAGES TAGS K`; the scores, a
line an image, all different; the relevant tags of each image, their number first; then a line
`values` with, in this order: miap, map, map_all, pooled p r f, class p r (a tag that is never
predicted has precision 0; recall over tags that occur), class p over predicted tags, n_plus. All
but n_plus are 0 … 1.
"""
import warnings

import numpy as np
from sklearn.metrics import (average_precision_score, label_ranking_average_precision_score,
                             precision_recall_fscore_support)

warnings.simplefilter("ignore")


def values(truth, scores, k):
    predicted = np.zeros_like(truth)
    for row, order in enumerate(np.argsort(-scores, axis=1)[:, :k]):
        predicted[row, order] = 1
    tagged, occurs, chosen = truth.any(1), truth.any(0), predicted.any(0)
    tag_ap = [average_precision_score(truth[:, t], scores[:, t]) for t in np.flatnonzero(occurs)]
    pooled = precision_recall_fscore_support(truth, predicted, average="micro", zero_division=0)
    p, r, _, _ = precision_recall_fscore_support(truth, predicted, average=None, zero_division=0)
    return [
        label_ranking_average_precision_score(truth[tagged], scores[tagged]),
        np.mean(tag_ap), np.sum(tag_ap) / truth.shape[1], *pooled[:3],
        p.mean(), r[occurs].mean(), p[chosen].mean(), (r > 0).sum()
    ]


def case(random, images, tags, k, share):
    scores = random.permutation(images * tags).reshape(images, tags).astype(np.float32)
    truth = (random.random((images, tags)) < share).astype(int)
    truth[0] = 0
    truth[:, tags - 1] = 0
    print("case", images, tags, k)
    for row in scores:
        print(" ".join("%d" % x for x in row))
    for row in truth:
        print(" ".join(str(x) for x in [row.sum(), *np.flatnonzero(row)]))
    print("values", " ".join("%.14g" % x for x in values(truth, scores, k)))


random = np.random.default_rng(2016)
case(random, 12, 9, 3, 0.3)
case(random, 25, 14, 5, 0.15)
case(random, 6, 20, 1, 0.1)
case(random, 15, 4, 3, 0.6)
