#!/usr/bin/env python3
"""How training and testing grow with the number of training images (the paper, section 5.3): a log-log plot.

    cost.py PROGRAM LABELS VECTORS FOLDER [--sizes 4096,8192,16384,32768,65536] [--dim 1024]

PROGRAM is fast0tag, LABELS and VECTORS as for make_nuswide.py, which makes a dataset of each size below
FOLDER with the same 2,000 test images. Each method is fitted with fixed hyper-parameters, two epochs where
it iterates. Writes FOLDER/cost.csv and FOLDER/cost.svg; what is there is used again.
"""
import argparse
import csv
import json
import math
import os
import subprocess
import sys

METHODS = ["linear", "linear-rank", "net", "conse", "tagprop"]
COLOURS = ["#0072b2", "#56b4e9", "#009e73", "#e69f00", "#d55e00"]  # Okabe and Ito: told apart by all
TESTS = 2000
WIDTH, HEIGHT, LEFT, TOP, GAP = 330, 270, 60, 40, 90


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("labels")
    parser.add_argument("vectors")
    parser.add_argument("folder")
    parser.add_argument("--sizes", default="4096,8192,16384,32768,65536")
    parser.add_argument("--dim", type=int, default=1024)
    return parser.parse_args()


def measure(a, size):
    """Rows (images, method, seconds to train, seconds to test)."""
    data = os.path.join(a.folder, str(size))
    if not os.path.exists(data):
        maker = os.path.join(os.path.dirname(os.path.abspath(__file__)), "make_nuswide.py")
        subprocess.run([sys.executable, maker, a.labels, a.vectors, data, "--train", str(size), "--test",
                        str(TESTS), "--dim", str(a.dim)], check=True, stdout=sys.stderr)
    out = subprocess.run([a.program, "eval", data, "--vectors", a.vectors, "--methods", ",".join(METHODS),
                          "--scenarios", "conventional", "--no-tune", "--epochs", "2", "--results",
                          data + ".jsonl", "--json"], check=True, stdout=subprocess.PIPE).stdout
    return [(size, row["method"], row["train_s"], row["test_s"]) for row in json.loads(out)]


class Panel:
    """One plot: decades on both axes."""

    def __init__(self, left, title, points):
        self.left, self.title, self.points = left, title, points
        xs = [x for _, x, _ in points]
        ys = [y for _, _, y in points]
        self.x0, self.x1 = math.log10(min(xs)) - 0.1, math.log10(max(xs)) + 0.1
        self.y0, self.y1 = math.floor(math.log10(min(ys))), math.ceil(math.log10(max(ys)))

    def place(self, x, y):
        return (self.left + WIDTH * (math.log10(x) - self.x0) / (self.x1 - self.x0),
                TOP + HEIGHT * (self.y1 - math.log10(y)) / (self.y1 - self.y0))

    def axes(self, sizes):
        yield '<rect x="%d" y="%d" width="%d" height="%d" class="frame"/>' % (self.left, TOP, WIDTH, HEIGHT)
        yield '<text x="%d" y="%d" class="title">%s</text>' % (self.left, TOP - 14, self.title)
        for size in sizes:
            x, _ = self.place(size, 10 ** self.y0)
            yield '<text x="%.1f" y="%d" class="mid">%dk</text>' % (x, TOP + HEIGHT + 18, size // 1000)
        yield '<text x="%d" y="%d" class="mid">training images</text>' % (self.left + WIDTH / 2, TOP + HEIGHT + 38)
        for power in range(self.y0, self.y1 + 1):
            _, y = self.place(10 ** self.x0, 10 ** power)
            yield '<path d="M%d %.1fh%d" class="line"/>' % (self.left, y, WIDTH)
            yield '<text x="%d" y="%.1f" class="end">%g s</text>' % (self.left - 6, y + 4, 10 ** power)

    def curves(self):
        for method, colour in zip(METHODS, COLOURS):
            line = [self.place(x, y) for m, x, y in self.points if m == method]
            yield '<polyline points="%s" stroke="%s"/>' % (" ".join("%.1f,%.1f" % p for p in line), colour)
            yield from ('<circle cx="%.1f" cy="%.1f" r="3.5" fill="%s"/>' % (*p, colour) for p in line)


def draw(path, rows):
    sizes = sorted({row[0] for row in rows})
    panels = [Panel(LEFT, "training, seconds", [(m, n, max(t, 1e-3)) for n, m, t, _ in rows]),
              Panel(LEFT + WIDTH + GAP, "testing %d images, seconds" % TESTS,
                    [(m, n, max(t, 1e-3)) for n, m, _, t in rows])]
    width = LEFT + 2 * WIDTH + GAP + 130
    lines = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d">' % (width, TOP + HEIGHT + 50, width),
             '<title>Seconds to train and to test against the number of training images</title>',
             '<style>svg{background:#fff}text{font:13px sans-serif;fill:#222}.title{font-weight:bold}'
             '.mid{text-anchor:middle}.end{text-anchor:end}.frame{fill:none;stroke:#888}.line{stroke:#ddd}'
             'polyline{fill:none;stroke-width:2}</style>']
    for panel in panels:
        lines += [*panel.axes(sizes), *panel.curves()]
    for k, (method, colour) in enumerate(zip(METHODS, COLOURS)):
        x, y = width - 115, TOP + 20 + 22 * k
        lines.append('<circle cx="%d" cy="%d" r="4" fill="%s"/><text x="%d" y="%d">%s</text>'
                     % (x, y - 4, colour, x + 10, y, method))
    with open(path, "w") as file:
        file.write("\n".join(lines + ["</svg>"]) + "\n")


def slope(rows, method, column):
    """Of the last doubling: 1 is linear, 2 quadratic, 0 constant."""
    (n, *_, a), (m, *_, b) = [(r[0], r[column]) for r in rows if r[1] == method][-2:]
    return math.log(b / a) / math.log(m / n)


def main():
    a = arguments()
    os.makedirs(a.folder, exist_ok=True)
    rows = [row for size in a.sizes.split(",") for row in measure(a, int(size))]
    with open(os.path.join(a.folder, "cost.csv"), "w") as file:
        csv.writer(file).writerows([("images", "method", "train_s", "test_s"), *rows])
    draw(os.path.join(a.folder, "cost.svg"), rows)
    for method in METHODS:
        print("%-12s training grows with the power %.2f, testing with %.2f of the number of images"
              % (method, slope(rows, method, 2), slope(rows, method, 3)))


main()
