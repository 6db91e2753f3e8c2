#!/usr/bin/env python3
"""The peer of `fast0tag bench train`: the same training step in PyTorch.

    train_peer.py DEVICE PRECISION THREADS BATCH TAGS INPUTS HIDDEN… OUTPUTS

Says `ready NAME`, then runs one step (on cuda: 20) for each line on stdin and answers `done`. PRECISION
is f32, or bf16 by autocast. The settings that are known to matter are tried first, and the fastest is
used: on the CPU the optimiser's foreach form, and whether large blocks of memory are kept by malloc
(PyTorch frees and takes hundreds of megabytes per step, which costs page faults: run again with glibc
told to keep them); on cuda the whole step is a CUDA graph with the fused Adam, its loss compiled or not.
"""
import os
import sys
import time

KEEP_MEMORY = {"MALLOC_MMAP_THRESHOLD_": "1099511627776", "MALLOC_TRIM_THRESHOLD_": "1099511627776"}


def use_kept_memory():
    if any(os.environ.get(k) != v for k, v in KEEP_MEMORY.items()):
        os.execve(sys.executable, [sys.executable, "-B"] + sys.argv, {**os.environ, **KEEP_MEMORY})


use_kept_memory()
import torch  # noqa: E402

RELEVANT = 5
DROPOUT = 0.3


def make_net(sizes):
    layers = []
    for a, b in zip(sizes[:-2], sizes[1:-1]):
        layers += [torch.nn.Linear(a, b), torch.nn.ReLU(inplace=True), torch.nn.Dropout(DROPOUT)]
    return torch.nn.Sequential(*layers, torch.nn.Linear(sizes[-2], sizes[-1]))


def ranknet(scores, rows, relevant, is_relevant):
    """Mean over images of the mean over their pairs; all images have RELEVANT relevant tags."""
    differences = scores[rows] - scores[rows, relevant][:, None]
    losses = torch.nn.functional.softplus(differences).masked_fill(is_relevant[rows], 0.0)
    pairs = RELEVANT * (scores.shape[1] - RELEVANT)
    return losses.sum() / (pairs * scores.shape[0])


class Step:
    def __init__(self, precision, batch, tags, sizes, foreach):
        torch.manual_seed(1)
        self.loss = ranknet
        self.autocast = precision == "bf16"
        self.net = make_net(sizes)
        self.x = torch.randn(batch, sizes[0])
        self.tags = torch.nn.functional.normalize(torch.randn(tags, sizes[-1]))
        picked = torch.rand(batch, tags).topk(RELEVANT).indices
        self.rows = torch.arange(batch).repeat_interleave(RELEVANT)
        self.relevant = picked.flatten()
        self.is_relevant = torch.zeros(batch, tags, dtype=torch.bool).scatter_(1, picked, True)
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=1e-4, foreach=foreach)

    def run(self):
        self.optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self.autocast):
            scores = self.net(self.x) @ self.tags.T
        ranknet(scores.float(), self.rows, self.relevant, self.is_relevant).backward()
        self.optimizer.step()


class CudaStep(Step):
    """The same as one CUDA graph; a run is STEPS of them."""
    STEPS = 20

    def __init__(self, precision, batch, tags, sizes, compiled):
        torch.set_default_device("cuda")
        super().__init__(precision, batch, tags, sizes, None)
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=1e-4, fused=True, capturable=True)
        self.loss = torch.compile(ranknet, dynamic=False) if compiled else ranknet
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            for _ in range(3):
                self.once()
        torch.cuda.synchronize()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.once()

    def once(self):
        self.optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", dtype=torch.bfloat16, enabled=self.autocast):
            scores = self.net(self.x) @ self.tags.T
        self.loss(scores.float(), self.rows, self.relevant, self.is_relevant).backward()
        self.optimizer.step()

    def run(self):
        for _ in range(self.STEPS):
            self.graph.replay()
        torch.cuda.synchronize()


def seconds(step, runs=3):
    step.run()
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        step.run()
        times.append(time.perf_counter() - start)
    return min(times)


def fastest(make, names):
    """The fastest of the settings that work here, and its name."""
    timed = {}
    for setting in names:
        try:
            step = make(setting)
            timed[setting] = seconds(step)
            del step
        except Exception as error:  # no compiler, an older PyTorch
            print("%s: %s" % (names[setting], error), file=sys.stderr)
    best = min(timed, key=timed.get)
    return make(best), names[best]


def main():
    device, precision, (threads, batch, tags, *sizes) = *sys.argv[1:3], map(int, sys.argv[3:])
    torch.set_num_threads(threads)
    if device == "cuda":
        step, name = fastest(lambda compiled: CudaStep(precision, batch, tags, sizes, compiled),
                             {False: " CUDA graph", True: " CUDA graph, compiled loss"})
    else:
        step, name = fastest(lambda foreach: Step(precision, batch, tags, sizes, foreach),
                             {False: "", True: " foreach"})
    step.run()
    print("ready PyTorch %s%s" % (torch.__version__.split("+")[0], name), flush=True)
    for _ in sys.stdin:
        step.run()
        print("done", flush=True)


main()
