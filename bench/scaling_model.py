#!/usr/bin/env python3
"""What the cost model of docs/scaling.md predicts: images per second of training on N machines.

    bench/scaling_model.py F32 BF16 [PARAMETERS]

F32 and BF16 are the images per second of one machine in each arithmetic; PARAMETERS those of the net, 50956588 for
4096-8192-2048-300. Each cell is from nothing hidden, B / (C + X), to all hidden, B / max(C, X).
"""
import sys

# bytes per gradient and parameter, of which a process sends (N - 1) / N
BYTES = {"f32": 4 + 4, "bf16": 2 + 2}
COLUMNS = (("f32", 10), ("bf16", 10), ("bf16", 1), ("f32", 100))
ROWS = ((8, 1000), (64, 1000), (512, 1000), (8, 8000), (64, 64000), (512, 512000))


def predict(machines: int, batch: int, rate: float, sent: float, gigabits: float) -> tuple:
    computing = batch / (machines * rate)
    travelling = (machines - 1) / machines * sent / (gigabits * 1e9 / 8)
    return batch / (computing + travelling), batch / max(computing, travelling)


def main() -> None:
    if not 3 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    rate = {"f32": float(sys.argv[1]), "bf16": float(sys.argv[2])}
    parameters = int(sys.argv[3]) if len(sys.argv) > 3 else 50956588
    print("%4s %7s" % ("N", "B"), *("%21s" % ("%d Gbit/s, %s" % (link, kind)) for kind, link in COLUMNS))
    for machines, batch in ROWS:
        cells = (predict(machines, batch, rate[kind], parameters * BYTES[kind], link) for kind, link in COLUMNS)
        print("%4d %7d" % (machines, batch), *("%10.0f %10.0f" % cell for cell in cells))


main()
