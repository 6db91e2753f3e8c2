"""python3 miap.py check FOLDER: the cases of tests/unit/rank/test_miap_python.c by scikit-learn."""
import os
import sys

import numpy as np
from sklearn.metrics import label_ranking_average_precision_score


def check(path):
    with open(path) as file:
        images, tags, miap = file.readline().split()
        table = np.loadtxt(file).reshape(int(images), int(tags), 2)
    scores, labels = table[:, :, 0], table[:, :, 1].astype(int)
    assert all(len(set(row)) == len(row) for row in scores), "ties"
    # An image without a relevant tag counts as 1 there, and not at all here.
    ranked = labels.any(axis=1)
    want = label_ranking_average_precision_score(labels[ranked], scores[ranked])
    assert abs(float(miap) - want) < 1e-12, f"{path}: {miap}, not {want}"


_, verb, folder = sys.argv
assert verb == "check"
names = os.listdir(folder)
assert len(names) == 4
for name in names:
    check(os.path.join(folder, name))
