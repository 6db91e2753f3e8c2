#!/usr/bin/env python3
"""How the page of fast0tag serve scrolls through a large catalogue, in a browser (scripts/deps-npm).

    python3 bench/page.py BUILD MODEL PHOTOS [--pictures 100000] [--seconds 5]

BUILD has fast0tag and libfast0tag.so. The catalogue is made for it, with thumbnails of the JPEGs in PHOTOS. Printed: how long
the library takes to show, the times between frames (not scrolling, slowly, and five rows per frame), and what drawing the
grid at another place takes.
"""
import argparse
import json
import re
import signal
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy

from made_catalogue import Made

HERE = Path(__file__).resolve().parent


def make(build, path, photos, count, work):
    thumbnails = []
    for i, photo in enumerate(sorted(photos.glob("*.jpg"))[:40]):
        subprocess.run(["vipsthumbnail", photo, "-s", "256", "-o", work / f"{i}.jpg"], check=True)
        thumbnails.append((work / f"{i}.jpg").read_bytes())
    made = Made(build, path, '{"name":"made"}')
    features = numpy.zeros(2, numpy.float32)
    with made:
        for i in range(count):
            made.put(f"/pictures/{i // 1000}/{i}.jpg", features, thumbnail=thumbnails[i % len(thumbnails)], taken=i * 1000)
    made.close()


def tell(name, times):
    times = sorted(times)
    at = lambda share: times[min(len(times) - 1, int(share * len(times)))]
    late = sum(t > 50 for t in times) / len(times)
    print(f"{name:28} median {statistics.median(times):6.1f} ms, p95 {at(.95):6.1f}, p99 {at(.99):6.1f}, longest {times[-1]:6.1f}, "
          f"{100 * late:.1f} % above 50 ms, {len(times)} in all")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("build", type=Path)
    p.add_argument("model")
    p.add_argument("photos", type=Path)
    p.add_argument("--pictures", type=int, default=100000)
    p.add_argument("--seconds", type=int, default=5)
    a = p.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        make(a.build.resolve(), work / "catalogue.f0t", a.photos, a.pictures, work)
        server = subprocess.Popen([a.build / "fast0tag", "serve", a.model, "-c", work / "catalogue.f0t", "--port", "0", "-q"],
                                  stdout=subprocess.PIPE, text=True)
        try:
            url = re.search(r"http://\S+", server.stdout.readline())[0]
            out = subprocess.run(["node", HERE.parent / "tests/server/scroll.mjs", url, str(a.seconds)], check=True,
                                 capture_output=True, text=True).stdout
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait()
    d = json.loads(out)
    print(f"{a.pictures} pictures: shown after {d['shown']} ms, {d['cells']} cells exist")
    for name, key in (("frames, not scrolling", "still"), ("frames, 40 pixels per frame", "slow"),
                      ("frames, 800 pixels per frame", "fast"), ("drawing at another place", "draws")):
        tell(name, d[key])


if __name__ == "__main__":
    sys.exit(main())
