#!/usr/bin/env python3
"""Writes net.txt: three steps of small nets by PyTorch's autograd and optimisers in float64.

    python3 tests/parity/make_net.py >tests/parity/net.txt

tests/unit/model/test_net_parity.c reads it. For each case: `case OPTIMIZER INPUTS HIDDEN… OUTPUTS`
(the number of hidden layers comes before their sizes), `ROWS TAGS RATE DECAY`; the parameters, in
the order of the layers, weight before bias; the features; the tags' vectors; which tags are
relevant, 0 or 1, one row per image. Then for each step the RankNet loss before it and the parameters
after it.
"""
import torch

torch.manual_seed(1)
torch.set_default_dtype(torch.float64)

CASES = [  # optimiser, inputs, hidden, outputs, rows, tags, rate, decay
    ("adam", 7, [9, 5], 4, 8, 6, 1e-2, 0.0),
    ("adam", 6, [], 3, 5, 7, 1e-2, 0.05),
    ("sgd", 7, [9, 5], 4, 8, 6, 0.1, 0.01),
]


def show(tensor):
    print(" ".join("%.9g" % v for v in tensor.detach().flatten().tolist()))


def as_float32(tensor):
    return tensor.float().double()


def make_layers(inputs, hidden, outputs):
    sizes = [inputs] + hidden + [outputs]
    layers = [torch.nn.Linear(a, b) for a, b in zip(sizes, sizes[1:])]
    for layer in layers:
        layer.weight.data = as_float32(layer.weight.data)
        layer.bias.data = as_float32(layer.bias.data)
    return layers


def forward(layers, x):
    for layer in layers[:-1]:
        x = torch.relu(layer(x))
    return layers[-1](x)


def ranknet(scores, relevant):
    losses = [
        torch.logaddexp(s[~y][None, :] - s[y][:, None], torch.zeros(())).mean()
        for s, y in zip(scores, relevant)
    ]
    return torch.stack(losses).mean()


def make_optimizer(name, parameters, rate, decay):
    weights = [p for p in parameters if p.dim() == 2]
    biases = [p for p in parameters if p.dim() == 1]
    groups = [{"params": weights, "weight_decay": decay}, {"params": biases, "weight_decay": 0.0}]
    if name == "adam":
        return torch.optim.AdamW(groups, lr=rate)
    return torch.optim.SGD(groups, lr=rate, momentum=0.9)


def write_case(name, inputs, hidden, outputs, rows, tag_count, rate, decay):
    layers = make_layers(inputs, hidden, outputs)
    parameters = [p for layer in layers for p in (layer.weight, layer.bias)]
    x = as_float32(torch.randn(rows, inputs))
    tags = as_float32(torch.nn.functional.normalize(torch.randn(tag_count, outputs)))
    relevant = torch.rand(rows, tag_count) < 0.4
    relevant[:, 0] = True
    relevant[:, 1] = False
    print("case", name, inputs, len(hidden), *hidden, outputs)
    print(rows, tag_count, rate, decay)
    for values in parameters + [x, tags, relevant.double()]:
        show(values)
    optimizer = make_optimizer(name, parameters, rate, decay)
    for _ in range(3):
        optimizer.zero_grad()
        loss = ranknet(forward(layers, x) @ tags.T, relevant)
        loss.backward()
        optimizer.step()
        show(loss)
        for values in parameters:
            show(values)


for case in CASES:
    write_case(*case)
