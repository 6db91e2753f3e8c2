#!/usr/bin/env python3
"""A method of one's own for "fast0tag eval --add": the tags of the k nearest training images."""
import json
import os
import sys

import numpy as np

os.chdir(sys.argv[1])
k = int(json.load(open("task.json"))["knobs"]["k"])
train, labels = np.load("train_features.npy"), np.load("train_labels.npy").astype(np.float32)
learned = {tag: i for i, tag in enumerate(open("learned.txt").read().splitlines())}
columns = [learned[tag] for tag in open("ranked.txt").read().splitlines()]
scores = []
for image in np.load("features.npy"):
    near = train @ image  # features have length 1
    nearest = np.argsort(-near)[:k]
    scores.append(near[nearest] @ labels[nearest])
np.save("scores.npy", np.array(scores)[:, columns])
