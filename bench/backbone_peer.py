#!/usr/bin/env python3
"""The peers of `fast0tag bench backbone`, and the networks that it measures.

    backbone_peer.py make NAME FILE                          writes NAME (vgg19, resnet50, …) as ONNX
    backbone_peer.py torch NAME PRECISION THREADS BATCH
    backbone_peer.py opencv FILE PRECISION THREADS BATCH
    backbone_peer.py onnxruntime FILE PRECISION THREADS BATCH

Says `ready NAME`, then runs a batch for each line on stdin and answers `done`. Each peer is tried in the
settings that are known to matter, and the fastest is used: PyTorch with and without channels last,
traced or not, bf16 by autocast or all of it; OpenCV in float32 on its CPU target. ONNX Runtime, with all of its
optimisations, is npm's onnxruntime-node: `make bench` or `scripts/deps-npm bench/serve-node` installs it.
"""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "python"))


def seconds(run, times=3):
    run()
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        taken.append(time.perf_counter() - start)
    return min(taken)


def fastest(ways):
    """(name, function) of the fastest of a list of such pairs."""
    return min(ways, key=lambda way: seconds(way[1]))


def serve(name, run):
    run()
    print("ready " + name, flush=True)
    for _ in sys.stdin:
        run()
        print("done", flush=True)


# ---- PyTorch ----------------------------------------------------------------------------------------


def torch_ways(network, precision, batch):
    import torch
    import onnx_networks
    net = onnx_networks.randomise(onnx_networks.FAMILIES[network][2]())
    x = torch.randn(batch, 3, 224, 224)
    ways = []

    def add(name, module, pixels, autocast):
        def run():
            with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16, enabled=autocast):
                module(pixels)
        ways.append((name, run))

    last = torch.channels_last
    forms = [("", net, x), (" channels last", net.to(memory_format=last), x.to(memory_format=last))]
    for name, module, pixels in forms:
        add(name + (" autocast" if precision == "bf16" else ""), module, pixels, precision == "bf16")
    try:
        with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16, enabled=precision == "bf16",
                                             cache_enabled=False):
            traced = torch.jit.freeze(torch.jit.trace(net, forms[1][2]))
        add(" channels last traced", traced, forms[1][2], False)
    except RuntimeError:
        pass
    return ways


def run_torch(network, precision, threads, batch):
    import torch
    torch.set_num_threads(threads)
    name, run = fastest(torch_ways(network, precision, batch))
    serve("PyTorch %s%s" % (torch.__version__.split("a")[0], name), run)


# ---- OpenCV -----------------------------------------------------------------------------------------


def readable(path):
    """OpenCV 4.6 knows Clip with its limits as attributes, as up to set 10."""
    import onnx
    from onnx import helper, numpy_helper
    model = onnx.load(path)
    constants = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type == "Constant":
            constants[node.output[0]] = numpy_helper.to_array(node.attribute[0].t)
    for node in model.graph.node:
        if node.op_type == "Clip" and len(node.input) > 1:
            low, high = (float(constants[name]) for name in node.input[1:3])
            del node.input[1:]
            node.attribute.extend([helper.make_attribute("min", low), helper.make_attribute("max", high)])
    return model.SerializeToString()


def run_opencv(path, threads, batch):
    import cv2
    import numpy as np
    cv2.setNumThreads(threads)
    data = readable(path) if os.path.getsize(path) < 1 << 28 else None
    net = cv2.dnn.readNetFromONNX(np.frombuffer(data, np.uint8)) if data else cv2.dnn.readNetFromONNX(path)
    net.setPreferableBackend(cv2.dnn.DNN_BACKEND_OPENCV)
    x = np.random.default_rng(1).standard_normal((batch, 3, 224, 224)).astype(np.float32)
    names = net.getUnconnectedOutLayersNames()

    def run():
        net.setInput(x)
        net.forward(names)
    serve("OpenCV %s dnn" % cv2.__version__, run)


# ---- ONNX Runtime -----------------------------------------------------------------------------------


def run_onnxruntime(path, threads, batch):
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "serve-node")
    if not os.path.isdir(os.path.join(folder, "node_modules", "onnxruntime-node")):
        sys.exit("no onnxruntime-node: scripts/deps-npm bench/serve-node installs it")
    os.execvp("node", ["node", os.path.join(folder, "backbone.js"), path, str(threads), str(batch)])


def main():
    verb, network = sys.argv[1:3]
    if verb == "make":
        import onnx_networks
        onnx_networks.write(os.path.dirname(sys.argv[3]), network, True, 1)
        for ending in (".in", ".out"):
            os.remove(os.path.splitext(sys.argv[3])[0] + ending)
        serve(network, lambda: None)
        return
    precision, threads, batch = sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
    if verb == "torch":
        run_torch(network, precision, threads, batch)
    elif verb == "onnxruntime":
        run_onnxruntime(network, threads, batch)
    else:
        run_opencv(network, threads, batch)


main()
