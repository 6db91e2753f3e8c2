#!/usr/bin/env python3
"""Makes a dataset of NUS-WIDE's size and shape, for runs at full scale.

    make_nuswide.py LABELS VECTORS OUT [--train N] [--test N] [--dim D] [--tags] [--seed S]

LABELS is a dataset directory with NUS-WIDE's real 81 concepts (tags.txt, split.txt), VECTORS a GloVe
text file with its words. N images of each part are drawn by seed, again and again where it has fewer;
one in five training images becomes validation (the paper, section 5.1). What is not real:

features   float16, relu(G (mean of the concepts' vectors + noise) + noise), G a fixed random matrix:
           a picture without a concept is noise alone
--tags     the 925 Flickr tags as well: about five an image, drawn by their closeness to the same
           point of word space, times a popularity of the form 1/rank. They are the seen tags then,
           and the concepts the unseen ones
"""
import argparse
import os

import numpy

BLOCK = 4096
POINT_NOISE, FEATURE_NOISE = 4.0, 1.0
TAGS_AN_IMAGE, SHARPNESS = 5, 12


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("labels")
    parser.add_argument("vectors")
    parser.add_argument("out")
    parser.add_argument("--train", type=int, default=134281)
    parser.add_argument("--test", type=int, default=0)
    parser.add_argument("--dim", type=int, default=4096)
    parser.add_argument("--tags", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def read_vectors(path):
    """Words to vectors of length 1 around their mean."""
    words = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            word, *numbers = line.rstrip().split(" ")
            words[word] = numpy.array(numbers, numpy.float32)
    mean = numpy.mean(list(words.values()), axis=0)
    return {w: (v - mean) / numpy.linalg.norm(v - mean) for w, v in words.items()}


def read_labels(folder, part, count, random):
    """The tags of so many images of a part, in their order: each at most once unless more are wanted."""
    with open(folder + "/split.txt") as split, open(folder + "/tags.txt", encoding="utf-8") as tags:
        lines = [line for name, line in zip(split, tags) if name.strip() == part]
    if count > len(lines):
        chosen = numpy.sort(random.integers(len(lines), size=count))
    else:
        chosen = numpy.sort(random.permutation(len(lines))[:count])
    return [lines[i].rstrip("\n").split("\t") if lines[i].strip() else [] for i in chosen]


def draw_tags(random, points, seen, popularity):
    """Row by row the best of closeness + log popularity + Gumbel noise: draws without repetition."""
    points = points / numpy.linalg.norm(points, axis=1, keepdims=True)
    worth = SHARPNESS * points @ seen.T + popularity + random.gumbel(
        size=(len(points), len(seen))).astype(numpy.float32)
    counts = numpy.clip(random.poisson(TAGS_AN_IMAGE, len(points)), 0, 117)
    order = numpy.argsort(-worth, axis=1)
    return [order[i, :n] for i, n in enumerate(counts)]


def main():
    a = arguments()
    random = numpy.random.default_rng(a.seed)
    words = read_vectors(a.vectors)
    labels = read_labels(a.labels, "train", a.train, random)
    trains = len(labels)
    labels += read_labels(a.labels, "test", a.test, random)
    tests = len(labels) - trains
    concepts = sorted({tag for tags in labels for tag in tags})
    names = [w for w in words if w not in concepts] if a.tags else []
    seen = numpy.array([words[w] for w in names]) if a.tags else None
    popularity = -numpy.log(1 + random.permutation(len(names)), dtype=numpy.float32)
    dims = len(next(iter(words.values())))
    project = random.standard_normal((dims, a.dim), numpy.float32)

    os.makedirs(a.out)
    features = numpy.lib.format.open_memmap(
        a.out + "/features.npy", "w+", numpy.float16, (trains + tests, a.dim))
    with open(a.out + "/tags.txt", "w", encoding="utf-8") as file:
        for start in range(0, trains + tests, BLOCK):
            block = labels[start:start + BLOCK]
            points = POINT_NOISE / dims ** 0.5 * random.standard_normal(
                (len(block), dims), numpy.float32)
            for point, tags in zip(points, block):
                if tags:
                    point += numpy.mean([words[t] for t in tags], axis=0)
            x = points @ project + FEATURE_NOISE * random.standard_normal(
                (len(block), a.dim), numpy.float32)
            features[start:start + len(block)] = numpy.maximum(x, 0)
            drawn = draw_tags(random, points, seen, popularity) if a.tags else [[]] * len(block)
            for tags, more in zip(block, drawn):
                file.write("\t".join(tags + [names[t] for t in more]) + "\n")
    features.flush()
    is_val = random.random(trains) < 0.2
    with open(a.out + "/split.txt", "w") as file:
        file.writelines("val\n" if v else "train\n" for v in is_val)
        file.writelines("test\n" for _ in range(tests))
    if a.tags:
        for name, tags in (("seen", names), ("unseen", concepts)):
            with open(a.out + "/%s.txt" % name, "w", encoding="utf-8") as file:
                file.writelines(t + "\n" for t in tags)
    print("%s: %d images, %d + %d tags" % (a.out, trains + tests, len(names), len(concepts)))


main()
