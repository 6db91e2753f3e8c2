#!/usr/bin/env python3
"""What 'fast0tag tag --xmp' writes: the share of right tags, and how many a picture gets, on the test part of a dataset.

    written.py BUILD MODEL DATASET

BUILD is a folder with fast0tag, MODEL a blend that learned from DATASET, whose test part has its own tags. A tag is right where the
picture has it, in these letters. The rows are -k 5, which was the default of --xmp and --embed, and the options whose effect is
the default now, with other thresholds beside it.
"""
import json
import os
import subprocess
import sys

CHOICES = ("-k 5", "--confidence 0.15 --max 9", "--confidence 0.5 --max 5", "--confidence 0.6 --max 5", "--confidence 0.7 --max 5",
           "--confidence 0.6")


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


def image_numbers(dataset):
    """The row of each image by the name that the program prints: its path, or its number from 1."""
    path = os.path.join(dataset, "images.txt")
    if os.path.exists(path):
        return {name: i for i, name in enumerate(lines_of(path))}
    return {str(i + 1): i for i in range(len(lines_of(os.path.join(dataset, "tags.txt"))))}


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    build, model, dataset = sys.argv[1:]
    own = [set(filter(None, line.split("\t"))) for line in lines_of(os.path.join(dataset, "tags.txt"))]
    number = image_numbers(dataset)
    print(f"{'':<28}  {'tags per picture':>16}  {'right':>7}  {'of the own tags':>15}  {'pictures without any':>20}")
    for choice in CHOICES:
        command = [os.path.join(build, "fast0tag"), "tag", model, dataset, "--part", "test", "--json", "--quiet", *choice.split()]
        pictures = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        truth = [own[number[p["image"]]] for p in pictures]
        given = sum(len(p["tags"]) for p in pictures)
        right = sum(t["tag"] in its for p, its in zip(pictures, truth) for t in p["tags"])
        bare = sum(not p["tags"] for p in pictures)
        print(f"{choice:<28}  {given / len(pictures):>16.2f}  {100 * right / max(1, given):>5.1f} %  "
              f"{100 * right / sum(map(len, truth)):>13.1f} %  {100 * bare / len(pictures):>18.1f} %")


if __name__ == "__main__":
    main()
