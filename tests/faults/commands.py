"""The commands that meet faults, and the small files they work with."""
import os
import random
import shlex
import shutil
import sqlite3
import struct
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.append(os.path.join(ROOT, "tests", "python"))
from onnx_bytes import ints, model, node, tensor, value_info  # noqa: E402

PROGRAM = os.environ.get("FAST0TAG", os.path.join(ROOT, "build", "fast0tag"))

LINEAR = ["--method", "linear", "--lambda", "1", "--ridge", "0.1"]
SVG = """<svg xmlns="http://www.w3.org/2000/svg" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns:cc="http://creativecommons.org/ns#" xmlns:dc="http://purl.org/dc/elements/1.1/" width="8" height="8">
<metadata><rdf:RDF><cc:Work><dc:subject><rdf:Bag>%s</rdf:Bag></dc:subject></cc:Work></rdf:RDF></metadata>
<rect width="8" height="8" fill="hsl(%d,90%%,50%%)"/></svg>
"""
SIDECAR = """<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:Rating="4"/></rdf:RDF></x:xmpmeta>
"""

OWN = """#!/usr/bin/python3 -IS
import os, re, struct, sys
os.chdir(sys.argv[1])
rows, cols = (int(re.search(rb"\\((\\d+),", open(name, "rb").read(128))[1]) for name in ("features.npy", "ranked_vectors.npy"))
head = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }" % (rows, cols)
head += " " * (117 - len(head)) + "\\n"
open("scores.npy", "wb").write(b"\\x93NUMPY\\x01\\x00" + struct.pack("<H", len(head)) + head.encode() +
                               struct.pack("<%df" % (rows * cols), *range(rows * cols)))
"""


# What another program that is measured says and does; none of it takes time.
PEER = """import sys
print("ready none", flush=True)
for line in sys.stdin:
    print("done", flush=True)
"""


class Command:
    """A command, and of the files that `prepare` makes those it needs. `again`: a second run after one that was
    interrupted gives what the first would have given, however far that came; decisions are kept in a log, with each.
    What a run leaves for the next is looked at where `keeps` names it: then every fault is followed by a run without
    one. `stop`: SIGTERM comes with this line of --log, and the next run goes on from there. `kept`: the
    cache is that of an earlier run. `links`: files that are old enough to be known again. `helper`: the process that meets
    faults is the one that reads pictures in this role, behind its sandbox."""

    def __init__(self, name, arguments, needs, stdin=b"", server=False, processes=0, rank=0, again=True, keeps="", stop=0,
                 kept=False, links="", helper=""):
        self.name, self.needs = name, needs.split()
        self.arguments = shlex.split(arguments)
        self.stdin, self.server, self.processes, self.again = stdin, server, processes, again and not server
        self.rank = rank  # of the process that meets faults
        self.keeps, self.stop, self.kept, self.links, self.helper = keeps, stop, kept, links.split(), helper


# A training of three epochs, whose log has a line for each.
EPOCHS = "train photos --vectors words.txt -o m.f0t --method net --hidden 4 --batch 7 --epochs 3 --log log.jsonl --resume"
NETWORK = "features art -o art.out -f --backbone net.onnx --no-cache --cache-network"
EVAL = "eval photos --vectors words.txt --scenarios conventional --no-tune --results r.jsonl --json --methods "

COMMANDS = [
    Command("train", "train art.data --vectors vectors.txt -o m.f0t --method linear --lambda 2 --ridge 0.1",
            "art.data vectors.txt m.f0t"),
    Command("train-net", "train photos --vectors words.txt -o m.f0t --method net --hidden 4 --epochs 3 --log log.jsonl --resume",
            "photos words.txt m.f0t"),
    Command("train-stopped", EPOCHS, "photos words.txt m.f0t", keeps=r"\.checkpoint$", stop=2),
    Command("train-resumed", EPOCHS, "photos words.txt m.f0t m.f0t.checkpoint", keeps=r"\.checkpoint$"),
    Command("train-blend", "train photos --vectors words.txt -o m.f0t --epochs 1 --resume", "photos words.txt m.f0t",
            keeps=r"\.checkpoint$"),
    Command("train-pictures", "train art --vectors vectors.txt -o m.f0t --method linear --lambda 2 --ridge 0.1",
            "art vectors.txt m.f0t"),
    Command("train-refit", "train -c c.f0c --refit", "c.f0c art blend.f0t", again=False),
    Command("tag", "tag art.f0t art.data -k 1", "art.f0t art.data"),
    Command("tag-words", "tag art.f0t art.data -k 2 --vocab list.txt --vectors own.st --json",
            "art.f0t art.data list.txt own.st"),
    Command("tag-sidecar", "tag art.f0t data -k 1 --xmp", "art.f0t data new"),
    Command("tag-embed", "tag art.f0t photo.data -k 1 --embed", "art.f0t photo.data photo"),
    Command("tag-pictures", "tag art.f0t new -k 1", "art.f0t new"),
    Command("untag", "untag tagged", "tagged"),
    Command("features", "features art -o art.out", "art"),
    Command("features-again", "features art -o art.data -f", "art art.data"),
    Command("features-network", "features art -o art.out --backbone net.onnx", "art net.onnx net.json"),
    Command("features-keeping", NETWORK, "art net.json", keeps=r"/network-[0-9a-f]*$", links="net.onnx"),
    Command("features-kept", NETWORK, "art net.json", keeps=r"/network-[0-9a-f]*$", links="net.onnx", kept=True),
    Command("features-decoding", "features art -o art.out -f --no-cache", "art", helper="decode"),
    Command("features-bitmap", "features bitmaps -o art.out -f --no-cache", "bitmaps", helper="bitmap"),
    Command("index-decoding", "index art new -c c.f0c --model art.f0t", "art new art.f0t", helper="decode",
            again=False),  # what its decoder did not survive is read again when it changes
    Command("tag-merging", "tag art.f0t data -k 1 --xmp", "art.f0t data new", helper="merge"),
    Command("write-merging", "write -c c.f0c --embed", "c.f0c art new", helper="merge"),
    Command("quantize", "quantize net.onnx --pictures art --count 2 -o eight.onnx --cosine 0.1", "art net.onnx net.json"),
    Command("vectors-convert", "vectors convert vectors.txt -o v.st", "vectors.txt v.st"),
    Command("vectors-packed", "vectors convert vectors.txt.gz -o v.st", "vectors.txt.gz v.st"),
    Command("vectors-trim", "vectors trim own.st --words list.txt -o v.st", "own.st list.txt v.st"),
    Command("vectors-join", "vectors join own.st words.txt -o v.st", "own.st words.txt v.st"),
    Command("vectors-nearest", "vectors nearest own.st red -k 2", "own.st"),
    Command("vectors-build", "vectors build wordnet --from wordnet --dim 4 -o v.st", "wordnet v.st"),
    Command("vectors-prepare", "vectors prepare own.st --model art.f0t -o v.vocab", "own.st art.f0t"),
    Command("vectors-translate", "vectors translate vectors.txt --dictionary small.index -o v.st",
            "vectors.txt small.index small.dict v.st"),
    Command("import-csv", "import csv t.csv -o made -f", "t.csv made"),
    Command("import-mulan", "import mulan x.arff x.xml -o made -f", "x.arff x.xml made"),
    Command("import-tagprop", "import tagprop tagprop -o made -f --val 0.5", "tagprop made"),
    Command("import-nuswide", "import nuswide nuswide -o nus.out", "nuswide"),
    Command("eval", EVAL + "frequency,linear", "photos words.txt", keeps=r"^r\.jsonl$"),
    Command("eval-resumed", EVAL + "frequency,linear,conse", "photos words.txt r.jsonl", keeps=r"^r\.jsonl$"),
    Command("eval-page", "eval photos --vectors words.txt --methods frequency --scenarios conventional --no-tune "
            "--html page", "photos words.txt"),
    Command("eval-jobs", EVAL + "frequency,random --jobs 2", "photos words.txt", keeps=r"^r\.jsonl$"),
    Command("eval-own", "eval photos --vectors words.txt --methods frequency --scenarios conventional --no-tune "
            "--add own=./own.py --json", "photos words.txt own.py"),
    Command("analyze", "analyze photos --vectors words.txt -o study --unseen none --lambdas 1",
            "photos words.txt"),
    Command("inspect", "inspect art.f0t", "art.f0t"),
    Command("inspect-dataset", "inspect photos", "photos"),
    Command("inspect-network", "inspect net.onnx", "net.onnx net.json"),
    Command("inspect-vectors", "inspect own.st", "own.st"),
    Command("index", "index art -c c.f0c --model art.f0t", "art art.f0t"),
    Command("index-again", "index art new -c c.f0c", "art new c.f0c blend.f0t"),
    Command("find", "find red -c c.f0c --vectors vectors.txt --html sheet.html", "c.f0c art blend.f0t vectors.txt"),
    Command("find-like", "find --like new/photo.jpg -c c.f0c -k 2", "c.f0c art new blend.f0t"),
    Command("review", "review -c c.f0c --lines", "c.f0c art blend.f0t", stdin=b"1 -2\nn\nt palm tree\nq\n",
            again=False),
    Command("accept", "accept art/p0.svg violet -c c.f0c", "c.f0c art", again=False),
    Command("accept-list", "accept --from decisions.tsv -c c.f0c", "c.f0c art decisions.tsv", again=False),
    Command("reject", "reject art/p0.svg red -c c.f0c", "c.f0c art", again=False),
    Command("write", "write -c c.f0c", "c.f0c art new"),
    Command("write-embed", "write -c c.f0c --embed", "c.f0c art new"),
    Command("write-undo", "write -c written.f0c --undo", "written.f0c written", again=False),
    Command("demo", "demo drawings -o shown --vectors demo.txt --wordnet wordnet --methods conse --epochs 1",
            "drawings demo.txt wordnet"),
    Command("bench", "bench kernels --only 'top 5' --json", ""),
    Command("bench-peer", "bench ranksvm --only 'squared hinge, lambda 1, 1 of' --json", "bench"),
    Command("serve", "serve art.f0t --port 0 --vectors vectors.txt", "art.f0t vectors.txt", server=True),
    Command("serve-catalogue", "serve -c c.f0c --port 0", "c.f0c art new blend.f0t", server=True),
    Command("mpi", "train photos --vectors words.txt -o m.f0t --method net --hidden 4 --epochs 2 --batch 7",
            "photos words.txt m.f0t", processes=2),
    Command("mpi-second", "train photos --vectors words.txt -o m.f0t --method net --hidden 4 --epochs 2 --batch 7",
            "photos words.txt m.f0t", processes=2, rank=1),
]

# What `make test` runs: every kind of file that is written, and every kind of call. Of commands that take long, the kinds of
# calls that no other command makes in their way; the others have all kinds.
QUICK = {"train-net": None, "train-stopped": "write read sync name stat lock change", "train-resumed": "read open stat name change",
         "features-keeping": "write sync name stat change", "features-kept": "open read stat", "eval-resumed": None,
         "tag-embed": "write sync name close change", "tag-sidecar": None,
         "features": "write read sync map folder spawn change", "features-decoding": "read talk any", "tag-merging": None,
         "vectors-trim": None, "import-csv": None, "eval": None, "accept": None, "write": None, "serve": None}

DECISION = b'{"decisions": [{"picture": 1, "tag": "violet", "decision": "accepted"}]}'
REQUESTS = {
    "serve": [("GET", "/readyz", None), ("POST", "/v1/tag?k=1", (SVG % ("", 90)).encode()), ("GET", "/v1/model", None)],
    "serve-catalogue": [("GET", "/v1/pictures", None), ("GET", "/v1/find?q=red", None), ("POST", "/v1/decisions", DECISION),
                        ("GET", "/page/app.js", None), ("POST", "/v1/write", b"{}")],
}


def is_decided(state, new):
    with sqlite3.connect("c.f0c") as c:
        found = c.execute("SELECT count(*) FROM decisions d JOIN tags t ON t.id = d.tag WHERE d.picture = 1 AND d.decision = 1"
                          " AND d.current = 1 AND t.name = 'violet'").fetchone()
    c.close()
    return found == (1,)


def is_written(state, new):
    return all(state.get(path) == new[path] for path in new if path.endswith(".xmp"))


# What an answer that is the same as without a fault confirms.
CONFIRMED = {"/v1/decisions": [is_decided], "/v1/write": [is_written]}


def program(*arguments, stdin=b""):
    done = subprocess.run([PROGRAM, *arguments, "-q"], input=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          timeout=300)
    if done.returncode:
        raise SystemExit("fast0tag %s: %s" % (" ".join(arguments), done.stderr.decode()))


def write(path, content):
    if os.path.dirname(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(content if isinstance(content, bytes) else content.encode())


def draw(path, hue, *words):
    write(path, SVG % ("".join("<rdf:li>%s</rdf:li>" % w for w in words), hue))


def network():
    """One convolution and one product."""
    draw_number = random.Random(3).gauss
    values = lambda count: [draw_number(0, .3) for _ in range(count)]
    return model("net", [node("Conv", ["x", "w", "b"], "c", ints("kernel_shape", 3, 3), ints("strides", 2, 2)),
                         node("Relu", ["c"], "r"), node("GlobalAveragePool", ["r"], "g"), node("Flatten", ["g"], "f"),
                         node("Gemm", ["f", "v", "a"], "y")],
                 [tensor("w", [4, 3, 3, 3], values(108)), tensor("b", [4], values(4)), tensor("v", [4, 5], values(20)),
                  tensor("a", [5], values(5))],
                 [value_info("x", [1, 3, 32, 32])], [value_info("y", [1, 5])])


# ---- The files ---------------------------------------------------------------------------------------------------------


def npy(path, rows):
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }" % (len(rows), len(rows[0]))
    head += " " * (117 - len(head)) + "\n"
    write(path, b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() +
          b"".join(struct.pack("<%df" % len(r), *r) for r in rows))


def collection():
    """60 images whose features are sums of their tags' vectors."""
    drawn = random.Random(3)
    words = ["cat", "dog", "sea", "sky", "tree", "car"]
    vector = {w: [drawn.gauss(0, 1) for _ in range(6)] for w in words}
    write("words.txt", "".join(w + " " + " ".join("%.4f" % x for x in v) + "\n" for w, v in vector.items()))
    tags = [drawn.sample(words, 2) for _ in range(60)]
    npy("photos/features.npy", [[sum(vector[t][k] for t in row) for k in range(6)] + [1.0] for row in tags])
    write("photos/tags.txt", "".join("\t".join(row) + "\n" for row in tags))
    write("photos/split.txt", "".join(["train", "train", "train", "val", "test"][m % 5] + "\n" for m in range(60)))
    write("photos/images.txt", "".join("%d.jpg\n" % m for m in range(60)))
    write("photos/seen.txt", "cat\ndog\nsea\nsky\n")
    write("photos/unseen.txt", "tree\ncar\n")


def others_formats():
    write("t.csv", 'path,tags\na.jpg,sea;sky\nb.jpg,\nc.jpg,"palm tree"\n')
    write("x.xml", '<labels><label name="sea"/></labels>')
    write("x.arff", "@attribute f numeric\n@attribute sea {0,1}\n@data\n0.5,1\n2,0\n")
    write("tagprop/x_dictionary.txt", "sea\nsky\n")
    write("tagprop/x_train_list.txt", "1\n2\n")
    write("tagprop/x_test_list.txt", "3\n")
    write("tagprop/x_train_annot.hvecs", b"\2\0\1\0\0\0\2\0\1\0\1\0")
    write("tagprop/x_test_annot.hvecs", b"\2\0\0\0\1\0")
    write("nuswide/ImageList/Imagelist.txt", "a\\1_1.jpg\nb\\2_2.jpg\n")
    write("nuswide/ImageList/TrainImagelist.txt", "a\\1_1.jpg\n")
    write("nuswide/ImageList/TestImagelist.txt", "b\\2_2.jpg\n")
    write("nuswide/Concepts81.txt", "sky\n")
    write("nuswide/Groundtruth/AllLabels/Labels_sky.txt", "0\n1\n")
    write("nuswide/NUS_WID_Tags/TagList1k.txt", "sky\nblue\n")
    write("nuswide/NUS_WID_Tags/AllTags1k.txt", "1\t1\t\n0\t1\t\n")
    write("nuswide/NUS_WID_Tags/Final_Tag_List.txt", "sky\nblue\nzoo\n")
    write("nuswide/NUS_WID_Tags/All_Tags.txt", "1   sky zoo\n2   blue\n")
    write("made/tags.txt", "old\n")
    shutil.copytree(os.path.join(ROOT, "tests", "wordnet"), "wordnet")
    write("small.dict", "rot\nred\n\n")
    write("small.index", "x\tAA\tJ\n")


def pictures():
    names = ["red", "green", "blue", "yellow"]
    for i in range(8):
        draw("art/p%d.svg" % i, i % 4 * 90 + i // 4, names[i % 4])
    write("new/photo.jpg", open(os.path.join(ROOT, "tests", "pictures", "keywords-xmp.jpg"), "rb").read())
    write("new/photo.jpg.xmp", SIDECAR)
    for i in range(2):  # 8 x 8 pixels of one colour
        write("bitmaps/b%d.bmp" % i, struct.pack("<2sIIIIiiHHIIiiII", b"BM", 246, 0, 54, 40, 8, 8, 1, 24, 0, 192, 0, 0, 0, 0) +
              bytes([250 * i, 90, 30]) * 64)
    draw("new/leaf.svg", 91)
    write("vectors.txt", "red 1 0 0 0\ngreen 0 1 0 0\nblue 0 0 1 0\nyellow 0 0 0 1\nviolet .5 0 .5 0\n")
    subprocess.run(["gzip", "-kn", "vectors.txt"], check=True)
    write("list.txt", "red\nviolet\n")
    hues = ["red", "orange", "gold", "green", "cyan", "blue"]
    shapes = ["dog", "wolf", "bird", "vehicle"]
    for i in range(48):
        draw("drawings/p%02d.svg" % i, i % 6 * 60 + i // 12, hues[i % 6], shapes[i // 2 % 4])
    drawn = random.Random(5)
    write("demo.txt", "".join(w + " " + " ".join("%.3f" % drawn.gauss(0, 1) for _ in range(8)) + "\n"
                              for w in hues + shapes + ["puppy", "beast", "animal", "entity", "tree", "house"]))


def catalogues():
    program("index", "art", "new", "-c", "c.f0c", "--model", "blend.f0t")
    with sqlite3.connect("c.f0c") as c:
        for name, sure in (("red", .9), ("green", .5)):
            c.execute("INSERT OR IGNORE INTO tags(name) VALUES (?)", (name,))
            c.execute("UPDATE tags SET same = id WHERE same IS NULL")
            c.execute("INSERT OR REPLACE INTO suggestions SELECT p.id, t.id, ? FROM pictures p, tags t WHERE t.name = ?",
                      (sure, name))
    c.close()
    program("accept", "new/photo.jpg", "violet", "-c", "c.f0c")
    shutil.copytree("new", "written")
    program("index", "written", "-c", "written.f0c")
    program("accept", "written/photo.jpg", "violet", "-c", "written.f0c")
    program("write", "-c", "written.f0c")
    write("decisions.tsv", "art/p1.svg\tviolet\nart/p2.svg\tsunset\n")


def unfinished(shim):
    """What a training that was interrupted has left, and a comparison of two methods of which one is asked for again."""
    env = {**os.environ, "LD_PRELOAD": shim, "F0T_FAULT": "any:0:EIO", "F0T_FAULT_STOP": "1"}
    done = subprocess.run([PROGRAM, *EPOCHS.split(), "-q", "--threads", "1"], env=env, stderr=subprocess.PIPE, timeout=300)
    if done.returncode != 1 or not os.path.exists("m.f0t.checkpoint"):
        raise SystemExit("a training that is told to end leaves no checkpoint: %s" % done.stderr.decode())
    os.remove("log.jsonl")
    program(*(EVAL + "frequency,random").split(), "--threads", "1")


def prepare(shim):
    """Makes all of them in the current folder."""
    collection()
    others_formats()
    pictures()
    write("net.onnx", network())
    write("net.json", '{"input": "x", "output": "y", "resize": {"shorter_side": 32}, "crop": {"centre": 32},'
          '"channels": "RGB", "mean": [128, 128, 128], "scale": [0.0078125, 0.0078125, 0.0078125]}')
    program("features", "art", "-o", "art.data")
    program("features", "new", "-o", "data")
    write("photo/photo.jpg", open("new/photo.jpg", "rb").read())
    program("features", "photo", "-o", "photo.data")
    program("train", "art.data", "--vectors", "vectors.txt", "-o", "art.f0t", *LINEAR)
    shutil.copy("art.f0t", "m.f0t")
    program("train", "art.data", "--vectors", "vectors.txt", "-o", "blend.f0t", "--without", "direction,tags")
    program("vectors", "convert", "vectors.txt", "-o", "own.st")
    shutil.copy("own.st", "v.st")
    unfinished(shim)
    catalogues()
    shutil.copytree("new", "tagged")
    program("tag", "art.f0t", "tagged", "-k", "1", "--xmp")
    write("bench/ranksvm_peer.py", PEER)
    write("own.py", OWN)
    os.chmod("own.py", 0o755)
