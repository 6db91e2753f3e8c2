#!/usr/bin/env python3
"""Writes losses.txt: losses and gradients of small batches by PyTorch's autograd in float64.

    python3 tests/parity/make_losses.py >tests/parity/losses.txt

tests/unit/rank/test_loss_parity.c reads it. For each case: `case IMAGES TAGS`; the scores, one line per
image; the relevant tags of each image in listmle's order, their number first; the targets of the
regression, whose outputs are the scores; then for each loss its name and value, and the gradient
with respect to the scores, one line per image.
"""
import numpy as np
import torch


def softplus(x):  # PyTorch's own is linear above 20
    return torch.logaddexp(x, torch.zeros_like(x))


def split(scores, relevant):
    mask = torch.zeros(scores.shape[0], dtype=torch.bool)
    mask[relevant] = True
    return scores[mask], scores[~mask]


def pair_differences(scores, relevant):
    p, n = split(scores, relevant)
    return n[None, :] - p[:, None]


def signs(scores, relevant):
    y = -torch.ones_like(scores)
    y[relevant] = 1
    return y


def listmle(scores, order):
    left = list(range(scores.shape[0]))
    loss = 0
    for tag in order:
        loss = loss + torch.logsumexp(scores[left], 0) - scores[tag]
        left.remove(tag)
    return loss


def max_out(scores, relevant):
    p, n = split(scores, relevant)
    return (1 + n.max() - p.min()).clamp(min=0)


IMAGE_LOSSES = {
    "ranknet": lambda s, r: softplus(pair_differences(s, r)).mean(),
    "ranknet-unweighted": lambda s, r: softplus(pair_differences(s, r)).sum(),
    "hinge": lambda s, r: (1 - signs(s, r) * s).clamp(min=0).mean(),
    "squared-hinge": lambda s, r: ((1 - signs(s, r) * s).clamp(min=0) ** 2).mean(),
    "crammer-singer": lambda s, r: (1 + pair_differences(s, r).max(1).values).clamp(min=0).sum(),
    "max-out": max_out,
    "listmle": listmle,
    "logistic": lambda s, r: softplus(-signs(s, r) * s).sum(),
}


def mean_of_images(name, scores, relevant):
    tags, loss = scores.shape[1], IMAGE_LOSSES[name]
    terms = [loss(s, r) for s, r in zip(scores, relevant)
             if name == "logistic" or 0 < len(r) < tags]
    return torch.stack(terms).mean()


def all_pairs(scores, relevant):
    tags = scores.shape[1]
    flat = [m * tags + t for m, r in enumerate(relevant) for t in r]
    return softplus(pair_differences(scores.reshape(-1), flat)).mean()


def regression(scores, targets):
    return ((scores - targets) ** 2).sum(1).mean()


def lines(matrix, form):
    for row in matrix:
        print(" ".join(form % x for x in row))


def show(name, loss, scores):
    value = loss(scores)
    (gradient,) = torch.autograd.grad(value, scores)
    print(name, "%.14g" % value.item())
    lines(gradient.numpy(), "%.14g")


def case(random, images, tags, scale):
    matrix = (scale * random.standard_normal((images, tags))).astype(np.float32)
    targets = random.standard_normal((images, tags)).astype(np.float32)
    counts = [0, tags, 1, tags - 1] + [int(c) for c in random.integers(1, tags, images)]
    relevant = [random.permutation(tags)[:count].tolist() for count in counts[:images]]
    print("case", images, tags)
    lines(matrix, "%.9g")
    for r in relevant:
        print(" ".join(str(x) for x in [len(r)] + r))
    lines(targets, "%.9g")
    scores = torch.tensor(matrix, dtype=torch.float64, requires_grad=True)
    for name in IMAGE_LOSSES:
        show(name, lambda s: mean_of_images(name, s, relevant), scores)
    show("ranknet-batch", lambda s: all_pairs(s, relevant), scores)
    show("regression", lambda s: regression(s, torch.tensor(targets, dtype=torch.float64)), scores)


random = np.random.default_rng(2016)
case(random, 7, 9, 1.0)
case(random, 6, 13, 8.0)
case(random, 5, 5, 0.05)
case(random, 5, 6, 400.0)
