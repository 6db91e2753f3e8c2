#!/usr/bin/env python3
"""Makes a dataset with an open vocabulary: the frequent tags are learned, all others are ranked.

    make_open.py SOURCE OUT [--frequent N] [--unseen SHARE] [--seed S]

SOURCE is a dataset directory with many raw keywords, such as the folder "pictures" of "fast0tag demo -o DIR" or
any that "fast0tag import photos" made. Tags stay as they are. seen.txt has the tags that at least N (20) training
images have; of the others a SHARE (0.2), drawn by seed, is in unseen.txt, and the rest in neither list:
"fast0tag eval OUT --scenarios open" learns the first and ranks all others that have a vector.

Without split.txt images are drawn by seed, 70 % to learn, 10 % to tune, 20 % to test; images whose names differ in their
numbers alone are a series and stay in one part.
"""
import argparse
import collections
import json
import os
import random
import re


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("source")
    parser.add_argument("out")
    parser.add_argument("--frequent", type=int, default=20)
    parser.add_argument("--unseen", type=float, default=0.2)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


def draw_parts(names, chance):
    """A part for each name; names of one series have the same."""
    series = [re.sub(r"\d+", "#", name) for name in names]
    order = sorted(set(series))
    chance.shuffle(order)
    sizes, parts, used = collections.Counter(series), {}, 0
    for one in order:
        parts[one] = ("train" if used < 0.7 * len(names) else
                      "val" if used < 0.8 * len(names) else "test")
        used += sizes[one]
    return [parts[one] for one in series]


def features_of(source, out):
    """What dataset.json of the new dataset says, with the features where they are."""
    described = {}
    if os.path.exists(source + "/dataset.json"):
        with open(source + "/dataset.json", encoding="utf-8") as file:
            described = json.load(file)
    features = os.path.join(source, described.get("features", "features.npy"))
    described["features"] = os.path.relpath(os.path.realpath(features), os.path.realpath(out))
    described["name"] = os.path.basename(os.path.normpath(out))
    return described


def write(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in lines)


def main():
    args = arguments()
    chance = random.Random(args.seed)
    tags = [[t for t in line.split("\t") if t] for line in lines_of(args.source + "/tags.txt")]
    if os.path.exists(args.source + "/images.txt"):
        names = lines_of(args.source + "/images.txt")
    else:
        names = [str(i) for i in range(len(tags))]
    if os.path.exists(args.source + "/split.txt"):
        parts = lines_of(args.source + "/split.txt")
    else:
        parts = draw_parts(names, chance)
    counts = collections.Counter(t for some, part in zip(tags, parts) if part == "train" for t in some)
    every = sorted({t for some in tags for t in some})
    seen = sorted((t for t in every if counts[t] >= args.frequent), key=lambda t: (-counts[t], t))
    others = [t for t in every if counts[t] < args.frequent]
    unseen = sorted(chance.sample(others, round(args.unseen * len(others))))
    os.makedirs(args.out, exist_ok=True)
    write(args.out + "/tags.txt", ["\t".join(some) for some in tags])
    write(args.out + "/split.txt", parts)
    write(args.out + "/images.txt", names)
    write(args.out + "/seen.txt", seen)
    if unseen:
        write(args.out + "/unseen.txt", unseen)
    with open(args.out + "/dataset.json", "w", encoding="utf-8") as file:
        json.dump(features_of(args.source, args.out), file)
    print(f"{args.out}: {len(tags)} images, {len(seen)} seen tags, {len(unseen)} unseen, "
          f"{len(others) - len(unseen)} others")


if __name__ == "__main__":
    main()
