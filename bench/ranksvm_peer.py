#!/usr/bin/env python3
"""The peer of `fast0tag bench ranksvm`: scikit-learn's LinearSVC on the differences of all pairs.

    ranksvm_peer.py FOLDER

FOLDER has vectors.npy (tags x dims) and case.json: lambda, squared, rules (relevant tags of each) and
our objectives. Half of the differences are turned around, with the label -1; there is no intercept,
and C = 1/lambda. The primal and the dual solver are tried with ever smaller tolerances, and the
fastest setting is used whose objectives are all within 0.1 % of ours. Says `ready NAME` with that
setting and how far its objectives are from ours at most, then fits all rules for each line on stdin
and answers `done`. Making the differences is not timed: only the fit is in NAME's turn.
"""
import json
import sys
import time
import warnings

import numpy
import sklearn
from sklearn.svm import LinearSVC

TOLERANCES = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
AGREED = 1e-3


def differences(vectors, relevant):
    """All p - n, every other one negated, and their labels."""
    is_relevant = numpy.zeros(len(vectors), bool)
    is_relevant[relevant] = True
    x = (vectors[is_relevant][:, None] - vectors[~is_relevant][None]).reshape(-1, vectors.shape[1])
    y = numpy.ones(len(x))
    y[::2] = -1
    return numpy.ascontiguousarray(x * y[:, None]), y


def objective(w, x, y, lam, squared):
    z = numpy.maximum(0, 1 - y * (x @ w))
    return lam / 2 * w @ w + (z @ z if squared else z.sum())


class Setting:
    def __init__(self, case, examples, dual, tolerance):
        self.case, self.examples = case, examples
        self.dual, self.tolerance = dual, tolerance

    def fit(self):
        """The fitted directions."""
        solver = LinearSVC(
            loss="squared_hinge" if self.case["squared"] else "hinge", dual=self.dual,
            C=1 / self.case["lambda"], fit_intercept=False, tol=self.tolerance, max_iter=10**6)
        return [solver.fit(x, y).coef_[0].copy() for x, y in self.examples]

    def measure(self):
        """Seconds, and the objectives' largest relative difference from ours."""
        start = time.perf_counter()
        fitted = self.fit()
        seconds = time.perf_counter() - start
        far = [objective(w, x, y, self.case["lambda"], self.case["squared"]) / ours - 1
               for w, (x, y), ours in zip(fitted, self.examples, self.case["objectives"])]
        return seconds, max(far, key=abs)

    def name(self):
        return "LinearSVC %s, tol %g" % ("dual" if self.dual else "primal", self.tolerance)


def best_setting(case, examples):
    """The fastest that agrees; the nearest, where none does."""
    tried = []
    for dual in (True, False) if case["squared"] else (True,):
        for tolerance in TOLERANCES:
            setting = Setting(case, examples, dual, tolerance)
            tried.append((*setting.measure(), setting))
            if abs(tried[-1][1]) <= AGREED:
                break
    agreed = [t for t in tried if abs(t[1]) <= AGREED]
    _, far, setting = min(agreed, key=lambda t: t[0]) if agreed else min(
        tried, key=lambda t: abs(t[1]))
    return setting, far


def main():
    warnings.filterwarnings("ignore")
    vectors = numpy.load(sys.argv[1] + "/vectors.npy").astype(numpy.float64)
    with open(sys.argv[1] + "/case.json") as file:
        case = json.load(file)
    examples = [differences(vectors, relevant) for relevant in case["rules"]]
    setting, far = best_setting(case, examples)
    print("ready scikit-learn %s %s, objective %+.3f %%" % (
        sklearn.__version__, setting.name(), 100 * far), flush=True)
    for _ in sys.stdin:
        setting.fit()
        print("done", flush=True)


main()
