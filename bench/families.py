#!/usr/bin/env python3
"""Pictures per second, decoding included, of fast0tag features and fast0tag serve with a network of each family.

    python3 bench/families.py DATA [NAME…] [--seconds 5] [--clients 16] [--arithmetic bf16] [--eight]

DATA has photos and glove-300d-flickr8k.txt; networks are DATA/NAME/NAME.onnx, or made with random weights as for `bench backbone`.
--eight quantises them first. `features` is what more pictures take in addition to eight, so that starting does not count; the
server has a linear model of the photos with one word each. Needs wrk.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

import serve

NAMES = ["mobilenet_v3", "mobilenet_v2", "efficientnet", "densenet121", "resnet50", "resnext50", "convnext", "clip", "vgg19", "vit"]


def run(*words):
    subprocess.run([serve.PROGRAM, *words, "-q"], check=True, stdout=subprocess.DEVNULL)


def find(a, name, work):
    """The network and how pictures are prepared for it."""
    path = f"{a.data}/{name}/{name}.onnx"
    if not os.path.exists(path):
        path = f"{work}/{name}.onnx"
        peer = os.path.join(serve.HERE, "backbone_peer.py")
        subprocess.run(["/usr/bin/python3", "-B", peer, "make", name, path], check=True, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL)
    preset = [] if os.path.exists(path[:-5] + ".json") else ["--preset", "clip" if name == "clip" else "imagenet"]
    if a.eight:
        eight = f"{work}/{name}.int8.onnx"
        run("quantize", path, "--pictures", f"{a.data}/photos", "-o", eight, *preset)
        return eight, []
    return path, preset


def copies(photos, folder, count):
    os.makedirs(folder, exist_ok=True)
    for i in range(count):
        shutil.copy(photos[i % len(photos)], f"{folder}/{i:04}.jpg")
    return folder


def features_rate(a, photos, work, options):
    """Four seconds of pictures, as a first round of 48 promises."""
    few = copies(photos, f"{work}/few", 8)

    def rate(count):
        many = copies(photos, f"{work}/many{count}", count + 8)
        short, long = (serve.features_once(folder, *options)[0] for folder in (few, many))
        return count / (long - short)

    return rate(min(800, max(40, round(4 * rate(40)))))


def train(a, work, network, options):
    """A model of the photos: one word of the vectors for each."""
    dataset, model = f"{work}/dataset", f"{work}/model.f0t"
    vectors = f"{a.data}/glove-300d-flickr8k.txt"
    run("features", f"{a.data}/photos", "-o", dataset, "--backbone", network, "--no-cache", *options)
    count = len(open(f"{dataset}/tags.txt", encoding="utf-8").readlines())
    words = [line.split(" ", 1)[0] for line in open(vectors, encoding="utf-8")][:count]
    with open(f"{dataset}/tags.txt", "w", encoding="utf-8") as f:
        f.writelines(word + "\n" for word in words)
    run("train", dataset, "--vectors", vectors, "-o", model, "--method", "linear")
    return [model, "--vectors", vectors]


def measure(a, name, photos):
    with tempfile.TemporaryDirectory() as work:
        network, options = find(a, name, work)
        if a.arithmetic:
            options = [*options, "--arithmetic", a.arithmetic]
        batch = features_rate(a, photos, work, (network, *options))
        model = train(a, work, network, options)
        extra = ["--arithmetic", a.arithmetic] if a.arithmetic else []
        served, errors, p50, _, used = serve.measure(serve.Ours(*model, *extra), "/v1/tag", "image/jpeg", photos, a.clients, a.seconds)
    print(f"{name:14} features {batch:6.1f} per second; serve {served:6.1f}, median {p50:.0f} ms, {errors} errors, {used:.1f} ms of "
          "processor time each", flush=True)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("data")
    p.add_argument("names", nargs="*", default=NAMES)
    p.add_argument("--seconds", type=int, default=5)
    p.add_argument("--clients", type=int, default=16)
    p.add_argument("--arithmetic")
    p.add_argument("--eight", action="store_true")
    a = p.parse_args()
    photos = sorted(os.path.join(a.data, "photos", f) for f in os.listdir(f"{a.data}/photos") if f.endswith(".jpg"))
    for name in a.names:
        measure(a, name, photos)


if __name__ == "__main__":
    sys.exit(main())
