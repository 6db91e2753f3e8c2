#!/usr/bin/env python3
"""The losses of the net and of the linear map, by another implementation (PyTorch, on a GPU): many settings at once.

    bench/losses_torch.py DATASET VECTORS.txt OUT.jsonl [--trial-epochs 30] [--epochs 60] [--draws 5] [--seeds 2]

DATASET is a dataset directory with features.npy, tags.txt, split.txt, seen.txt and unseen.txt; VECTORS.txt has GloVe's
form. For each loss and shape every setting of a grid (rate, decay, dropout) is trained with four fifths of the seen tags of
two draws; the one with the best validation MiAP over the tags it was trained with, and the one with the best over
those held out, is trained again with all seen tags of each draw and seed, and with all tags (draw -1). Every training
is a line of OUT.jsonl. Draw 0 is the dataset's own; of the others every fifth tag by frequency is unseen.

The recipe is that of "fast0tag train": features of length sqrt(D), centred vectors of length 1, Adam with decoupled
decay, a cosine schedule, 24 mini-batches per epoch, the epoch with the best validation MiAP. Models of a grid are
trained side by side, as one batched product.
"""
import argparse
import itertools
import json
import math

import numpy as np
import torch
import torch.nn.functional as F

LOSSES = ("ranknet", "ranknet-unweighted", "listmle", "logistic", "squared-hinge", "hinge", "crammer-singer",
          "max-out", "ranknet-batch")
SHAPES = ((), (2560, 640))
RATES, DECAYS, DROPOUTS = (3e-5, 1e-4, 3e-4, 1e-3, 3e-3), (0.03, 0.3, 3.0, 10.0), (0.0, 0.3)
BATCHES, OUTPUT_SCALE, NEGATIVES, FAR = 24, 0.1, 2048, 1e30


class Data:
    def __init__(self, folder, vectors):
        def lines(name):
            with open(f"{folder}/{name}", encoding="utf-8") as file:
                return [line.rstrip("\n") for line in file]
        features = np.load(f"{folder}/features.npy").astype(np.float32)
        features *= math.sqrt(features.shape[1]) / np.linalg.norm(features, axis=1, keepdims=True)
        tags = lines("seen.txt") + lines("unseen.txt")
        self.own = len(lines("seen.txt"))
        number = {tag: i for i, tag in enumerate(tags)}
        truth = np.zeros((len(features), len(tags)), np.float32)
        for i, line in enumerate(lines("tags.txt")):
            for tag in line.split("\t"):
                if tag in number:
                    truth[i, number[tag]] = 1
        split = np.array(lines("split.txt"))
        parts = {part: np.nonzero(split == part)[0] for part in ("train", "val", "test")}
        self.x = {part: torch.tensor(features[rows], device="cuda") for part, rows in parts.items()}
        self.y = {part: torch.tensor(truth[rows], device="cuda") for part, rows in parts.items()}
        self.tags = len(tags)
        self.v = torch.tensor(self.read_vectors(vectors, tags), device="cuda")
        self.common = np.argsort(-truth[parts["train"]].sum(0))
        self.positives = self.list_positives(truth[parts["train"]])

    @staticmethod
    def read_vectors(path, tags):
        rows = {}
        with open(path, encoding="utf-8") as file:
            for line in file:
                word, *numbers = line.rstrip("\n").split(" ")
                rows[word] = np.array(numbers, np.float32)
        mean = np.mean(list(rows.values()), axis=0)
        v = np.stack([rows[tag] for tag in tags]) - mean
        return v / np.linalg.norm(v, axis=1, keepdims=True)

    def list_positives(self, truth):
        """[images x most]: the numbers of an image's tags; past them the number of tags."""
        most = int(truth.sum(1).max())
        out = torch.full((len(truth), most), self.tags, dtype=torch.long)
        for i, row in enumerate(truth):
            found = np.nonzero(row)[0]
            out[i, :len(found)] = torch.tensor(found)
        return out.cuda()

    def seen(self, draw):
        mask = np.ones(self.tags, bool)
        if draw == 0:
            mask[self.own:] = False
        elif draw > 0:
            random = np.random.RandomState(1000 + draw)
            for first in range(0, self.tags - 4, 5):
                mask[self.common[first + random.randint(5)]] = False
        return mask

    def learned(self, draw, fold):
        mask = self.seen(draw)
        if fold is not None:
            rest = np.nonzero(mask)[0]
            np.random.RandomState(7 + draw).shuffle(rest)
            mask[rest[fold::5]] = False
        return mask


def miap(scores, truth, mask):
    """Percent, of each of C models: scores [C, images, tags], mask [C, tags] of the tags that are ranked."""
    scores = scores.masked_fill(~mask[:, None], -FAR)
    order = scores.argsort(2, descending=True)
    hits = torch.gather(truth[None] * mask[:, None], 2, order)
    ranks = torch.arange(1, scores.shape[2] + 1, device="cuda")
    count = hits.sum(2)
    precision = (hits * hits.cumsum(2) / ranks).sum(2) / count.clamp(min=1)
    return 100 * (precision * (count > 0)).sum(1) / (count > 0).sum(1)


def with_end(x):
    return torch.cat([x, torch.zeros_like(x[:, :, :1])], 2)


def loss_of(kind, s, y, positives, mask):
    """[C]: the mean over the images that train. s, y [C, B, T]; positives [B, most]; mask [C, T]."""
    negative = (1 - y) * mask[:, None]
    count, trains = y.sum(2), (y.sum(2) > 0).float()
    index = positives[None].expand(len(s), -1, -1)
    sp, is_p = torch.gather(with_end(s), 2, index), torch.gather(with_end(y), 2, index)
    worst = s.masked_fill(negative == 0, -FAR)
    if kind == "ranknet-batch":
        chosen = torch.randint(0, s[0].numel(), (len(s), NEGATIVES), device="cuda")
        sn, w = torch.gather(s.flatten(1), 1, chosen), torch.gather(negative.flatten(1), 1, chosen)
        each = (F.softplus(sn[:, None] - sp.flatten(1)[:, :, None]) * w[:, None]).sum(2) / w.sum(1)[:, None]
        return (each * is_p.flatten(1)).sum(1) / is_p.sum((1, 2))
    if kind.startswith("ranknet"):
        pairs = F.softplus(s[:, :, None] - sp[..., None]) * negative[:, :, None] * is_p[..., None]
        image = pairs.sum((2, 3))
        if kind == "ranknet":
            image = image / (count * negative.sum(2)).clamp(min=1)
    elif kind == "crammer-singer":
        image = (F.relu(1 + worst.max(2).values[..., None] - sp) * is_p).sum(2)
    elif kind == "max-out":
        last = s.masked_fill(y == 0, FAR).min(2).values
        image = torch.where(trains > 0, F.relu(1 + worst.max(2).values - last), torch.zeros_like(last))
    elif kind == "listmle":
        rest = torch.logcumsumexp(sp.masked_fill(is_p == 0, -FAR).flip(2), 2).flip(2)
        image = ((torch.logaddexp(rest, worst.logsumexp(2)[..., None]) - sp) * is_p).sum(2)
    elif kind == "logistic":
        image = (F.softplus(-s) * y + F.softplus(s) * negative).sum(2)
    else:
        power = 2 if kind == "squared-hinge" else 1
        image = (F.relu(1 - s) ** power * y + F.relu(1 + s) ** power * negative).sum(2) / mask.sum(1)[:, None]
    return (image * trains).sum(1) / trains.sum(1).clamp(min=1)


class Models:
    """Of one shape, each with its own rate, decay and dropout."""

    def __init__(self, data, settings, shape, seed):
        torch.manual_seed(seed)
        column = lambda key: torch.tensor([s[key] for s in settings], device="cuda")[:, None, None]
        self.rate, self.decay, self.dropout = column("rate"), column("decay"), column("dropout")
        dims = [data.x["train"].shape[1], *shape, data.v.shape[1]]
        self.weights = [torch.randn(len(settings), a, b, device="cuda") *
                        ((math.sqrt(2) if i < len(shape) else OUTPUT_SCALE) / math.sqrt(a))
                        for i, (a, b) in enumerate(zip(dims, dims[1:]))]
        self.biases = [torch.zeros(len(settings), 1, b, device="cuda") for b in dims[1:]]
        self.all = [p.requires_grad_() for p in self.weights + self.biases]
        self.mean = [torch.zeros_like(p) for p in self.all]
        self.square = [torch.zeros_like(p) for p in self.all]
        self.steps = 0

    def forward(self, x, training):
        h = x[None].expand(len(self.rate), -1, -1)
        for i, (w, b) in enumerate(zip(self.weights, self.biases)):
            if training:
                h = h * (torch.rand_like(h.float()) >= self.dropout) / (1 - self.dropout)
            h = torch.baddbmm(b, h, w)
            h = F.relu(h) if i + 1 < len(self.weights) else h
        return h

    @torch.no_grad()
    def step(self, gradients, share):
        """Adam with decoupled decay; `share` of the training is done."""
        self.steps += 1
        rate = self.rate * 0.5 * (1 + math.cos(math.pi * share))
        for i, (p, g) in enumerate(zip(self.all, gradients)):
            self.mean[i].mul_(0.9).add_(g, alpha=0.1)
            self.square[i].mul_(0.999).addcmul_(g, g, value=0.001)
            if i < len(self.weights):
                p.mul_(1 - rate * self.decay)
            scale = (self.square[i] / (1 - 0.999 ** self.steps)).sqrt_().add_(1e-8)
            p.sub_(rate / (1 - 0.9 ** self.steps) * self.mean[i] / scale)

    @torch.no_grad()
    def scores(self, data, part):
        return torch.cat([self.forward(block, False).float() @ data.v.T for block in data.x[part].split(500)], 1)


def measure(models, data, seen, learned, many):
    """Every MiAP that a line has, [C] each."""
    val, test, every = models.scores(data, "val"), models.scores(data, "test"), torch.ones_like(seen)
    return {"val": miap(val, data.y["val"], learned), "held_out": miap(val, data.y["val"], seen & ~learned),
            "zero_shot": miap(test, data.y["test"], ~seen), "seen_unseen": miap(test, data.y["test"], every),
            "conventional": miap(test, data.y["test"], seen),
            "many_tags": miap(test[:, many], data.y["test"][many], every)}


def train(data, kind, shape, settings, epochs, seed):
    """A line for each setting, of its best epoch by validation MiAP over the tags it was trained with."""
    models = Models(data, settings, shape, seed)
    mask = lambda of: torch.tensor(np.stack([of(s) for s in settings]), device="cuda")
    seen, learned = mask(lambda s: data.seen(s["draw"])), mask(lambda s: data.learned(s["draw"], s["fold"]))
    many, best = data.y["test"].sum(1) >= 5, None
    images = len(data.x["train"])
    for epoch in range(epochs):
        order = torch.randperm(images, device="cuda")
        for b in range(BATCHES):
            rows = order[b * (images // BATCHES):(b + 1) * (images // BATCHES)]
            with torch.autocast("cuda", dtype=torch.bfloat16, enabled=bool(shape)):
                f = models.forward(data.x["train"][rows], True)
            y = data.y["train"][rows][None] * learned[:, None]
            loss = loss_of(kind, f.float() @ data.v.T, y, data.positives[rows], learned).sum()
            models.step(torch.autograd.grad(loss, models.all), (epoch * BATCHES + b) / (epochs * BATCHES))
        if epoch % 2 == 1 or epoch + 1 == epochs:
            now = measure(models, data, seen, learned, many)
            better = None if best is None else torch.nan_to_num(now["val"], nan=-1) > best["val"]
            best = now if best is None else {k: torch.where(better, now[k], best[k]) for k in now}
    return [{"loss": kind, "hidden": list(shape), "seed": seed, **s,
             **{k: None if torch.isnan(v[i]) else round(v[i].item(), 2) for k, v in best.items()}}
            for i, s in enumerate(settings)]


def choose(lines, by):
    """The setting with the best mean over the draws of its trials."""
    groups = {}
    for line in lines:
        groups.setdefault((line["rate"], line["decay"], line["dropout"]), []).append(line[by])
    best = max(groups, key=lambda key: sum(groups[key]))
    return dict(zip(("rate", "decay", "dropout"), best))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset")
    parser.add_argument("vectors")
    parser.add_argument("out")
    for name, value in (("trial-epochs", 30), ("epochs", 60), ("draws", 5), ("seeds", 2)):
        parser.add_argument("--" + name, type=int, default=value)
    o = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = True
    data = Data(o.dataset, o.vectors)
    with open(o.out, "w", encoding="utf-8") as out:
        for shape, kind in itertools.product(SHAPES, LOSSES):
            grid = [{"rate": r, "decay": d, "dropout": p, "draw": k, "fold": 0}
                    for r, d, p, k in itertools.product(RATES, DECAYS, DROPOUTS, (0, 1))]
            trials = [line for i in range(0, len(grid), 40)
                      for line in train(data, kind, shape, grid[i:i + 40], o.trial_epochs, 0)]
            final = [{"chosen": by, **choose(trials, by), "draw": k, "fold": None}
                     for by in ("val", "held_out") for k in range(-1, o.draws)]
            lines = trials + [line for seed in range(o.seeds) for line in train(data, kind, shape, final, o.epochs, seed)]
            out.writelines(json.dumps(line) + "\n" for line in lines)
            out.flush()
            print(kind, shape, flush=True)


if __name__ == "__main__":
    main()
