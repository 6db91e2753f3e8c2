"""python3 researcher.py FOLDER: what docs/reproducing.md takes for granted, made up and small: NUS-WIDE's
and TagProp's files, pictures of them, word vectors, and a network that takes pictures of 224 x 224."""
import os
import random
import struct
import sys

from onnx_bytes import model, node, tensor, value_info

WORDS = ["word%02d" % i for i in range(80)]


def write(path, lines):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in lines)


def draw(path, colour):
    write(path, ['<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8">'
                 '<rect width="8" height="8" fill="#%06x"/></svg>' % colour])


def make_nuswide(images=60):
    """Three concepts, twelve frequent tags (one of them a concept), twenty raw tags."""
    concepts, frequent, raw = WORDS[:3], WORDS[2:14], WORDS[:20]
    names = ["a\\%04d_%d.jpg" % (m, 1000 + m) for m in range(images)]
    own = [sorted(random.sample(range(20), 6)) for _ in range(images)]
    write("NUS-WIDE/ImageList/Imagelist.txt", names)
    write("NUS-WIDE/ImageList/TrainImagelist.txt", names[:40])
    write("NUS-WIDE/ImageList/TestImagelist.txt", names[40:])
    write("NUS-WIDE/ConceptsList/Concepts81.txt", concepts)
    for t, concept in enumerate(concepts):
        write("NUS-WIDE/Groundtruth/AllLabels/Labels_%s.txt" % concept,
              ["1" if t in tags or m % 3 == t else "0" for m, tags in enumerate(own)])
    write("NUS-WIDE/NUS_WID_Tags/TagList1k.txt", frequent)
    write("NUS-WIDE/NUS_WID_Tags/AllTags1k.txt",
          ["\t".join(str(int(t in tags)) for t in range(2, 14)) + "\t" for tags in own])
    write("NUS-WIDE/NUS_WID_Tags/Final_Tag_List.txt", raw)
    write("NUS-WIDE/NUS_WID_Tags/All_Tags.txt",
          ["%d   %s" % (1000 + m, " ".join(raw[t] for t in tags)) for m, tags in enumerate(own)])
    for m in range(images):
        draw("Flickr/a/%04d_%d.svg" % (m, 1000 + m), random.randrange(1 << 24))


def make_tagprop():
    write("iaprtc12/iaprtc12_dictionary.txt", WORDS)
    for part, first, count in (("train", 0, 160), ("test", 160, 80)):
        write("iaprtc12/iaprtc12_%s_list.txt" % part, [str(m) for m in range(first, first + count)])
        with open("iaprtc12/iaprtc12_%s_annot.hvecs" % part, "wb") as file:
            for m in range(first, first + count):
                tags = {m % 80, *random.sample(range(80), 4)}
                file.write(struct.pack("<H80H", 80, *(int(t in tags) for t in range(80))))
    for m in range(240):
        draw("iapr-images/%d.svg" % m, random.randrange(1 << 24))


def make_network(channels=8):
    weights = [random.gauss(0, 1) for _ in range(channels * 3)]
    with open("vgg19.onnx", "wb") as file:
        file.write(model("small", [node("Conv", ["x", "w"], "c"), node("Relu", ["c"], "r"),
                                   node("GlobalAveragePool", ["r"], "p"), node("Flatten", ["p"], "features")],
                         [tensor("w", (channels, 3, 1, 1), weights)], [value_info("x", ("N", 3, 224, 224))],
                         [value_info("features", ("N", channels))]))


if __name__ == "__main__":
    os.chdir(sys.argv[1])
    random.seed(5)
    make_nuswide()
    make_tagprop()
    make_network()
    write("glove.840B.300d.txt",
          [word + "".join(" %.4f" % random.gauss(0, 1) for _ in range(12)) for word in WORDS])
