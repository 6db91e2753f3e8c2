#!/usr/bin/env python3
"""A dataset whose tags are in another language: bench/translated.py DATASET WORDS.tsv COLUMN OUT [KEEP.txt]

WORDS.tsv has one tag per line in several languages, the dataset's own first. OUT is DATASET with the words of that
column in place of its tags, as a folder that links to its features. With KEEP.txt (words of the column, one per
line) the other tags are left out.
"""
import os
import sys


def main(dataset, words, column, out, keep=None):
    with open(words, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file]
    kept = None if keep is None else {line.strip() for line in open(keep, encoding="utf-8")}
    names = {row[0]: row[int(column)] for row in rows}
    check = {row[0]: row for row in rows}
    os.makedirs(out)
    for name in ("features.npy", "split.txt", "images.txt", "dataset.json"):
        if os.path.exists(os.path.join(dataset, name)):
            os.symlink(os.path.abspath(os.path.join(dataset, name)), os.path.join(out, name))

    def translate(tags):
        return [names[tag] for tag in tags if tag in names and (kept is None or kept & set(check[tag]))]

    for name in ("tags.txt", "seen.txt", "unseen.txt"):
        with open(os.path.join(dataset, name), encoding="utf-8") as file, \
                open(os.path.join(out, name), "w", encoding="utf-8") as new:
            for line in file:
                tags = translate(line.rstrip("\n").split("\t"))
                if name == "tags.txt" or tags:
                    new.write("\t".join(tags) + "\n")


if __name__ == "__main__":
    if len(sys.argv) not in (5, 6):
        sys.exit(__doc__)
    main(*sys.argv[1:])
