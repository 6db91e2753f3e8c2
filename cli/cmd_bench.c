/* fast0tag bench: how fast the parts are on this machine, beside what one would use instead. */
#include "bench.h"

static const cli_option options[] = {
    {"only", 0, CLI_TEXT, offsetof(bench_options, only), "TEXT",
     "Measure only the cases whose name contains TEXT. Default: all.", NULL},
    {.name = NULL},
};

static const cli_example matmul_examples[] = {
    {"fast0tag bench matmul", "shows a table"},
    {"fast0tag bench matmul --only 1000x925x300 --json", "measures the small products only"},
    {.command = NULL},
};

static const cli_verb verb_matmul = {
    .name = "matmul",
    .summary = "time matrix products against oneDNN and OpenBLAS",
    .operands = "",
    .description =
        "Multiplies the matrices that training with 4096 features, 8192 and 2048 hidden units and "
        "925 tags multiplies, in float32 and in bfloat16: x*W' is a forward pass with the weights "
        "as they lie (packed: in a blocked layout), dy*W the gradient of the data, dy'*x that of "
        "the weights. The peers are oneDNN's own primitives at the same layout, called directly, "
        "and OpenBLAS.\n\n"
        "Each is run once to warm up and then five times in turn with the others; the medians are "
        "shown, and their ratio: above 1 fast0tag is faster. Stop other work before measuring.",
    .options = options,
    .examples = matmul_examples,
    .json = true,
    .options_size = sizeof(bench_options),
    .run = bench_matmul,
};

static const cli_example kernels_examples[] = {
    {"fast0tag bench kernels --json", "gives the figures to another program"},
    {.command = NULL},
};

static const cli_verb verb_kernels = {
    .name = "kernels",
    .summary = "time top-k and elementwise functions against the C library",
    .operands = "",
    .description =
        "Measures the exact top-k, the normalisation of rows and the elementwise functions on one "
        "million numbers and less, as 'fast0tag bench matmul' measures products.",
    .options = options,
    .examples = kernels_examples,
    .json = true,
    .options_size = sizeof(bench_options),
    .run = bench_kernels,
};

static const cli_example loss_examples[] = {
    {"fast0tag bench loss --only ranknet", "leaves the other losses out"},
    {.command = NULL},
};

static const cli_verb verb_loss = {
    .name = "loss",
    .summary = "time ranking losses, their gradients, and MiAP",
    .operands = "",
    .description =
        "Measures each loss with its gradient, and the mean average precision, on a batch of 1000 "
        "images and 925 tags, as 'fast0tag bench matmul' measures products.",
    .options = options,
    .examples = loss_examples,
    .json = true,
    .options_size = sizeof(bench_options),
    .run = bench_loss,
};

static const cli_example rank_examples[] = {
    {"fast0tag bench rank --only '1 in'", "ranks along one direction at a time"},
    {.command = NULL},
};

static const cli_verb verb_rank = {
    .name = "rank",
    .summary = "time ranking up to a million words against NumPy and FAISS",
    .operands = "",
    .description =
        "Finds the first ten of 20,000 and of a million vectors of 300 dimensions along one "
        "direction, and along 256 at a time: exactly, from codes of a byte per number and the "
        "vectors of the few that "
        "the codes do not rule out. The peers are NumPy and FAISS's flat index "
        "(bench/rank_peer.py, when run where that is), the product with all vectors, and reading "
        "the codes once from memory, which ranking along one direction cannot be faster than. "
        "Needs "
        "5 GB of memory with the peers. On a GPU products in bfloat16 rule words out, and the peer "
        "is "
        "PyTorch.",
    .options = options,
    .examples = rank_examples,
    .json = true,
    .device = true,
    .options_size = sizeof(bench_options),
    .run = bench_rank,
};

static const cli_example ranksvm_examples[] = {
    {"fast0tag bench ranksvm --only '1 of'", "solves rules of one relevant tag"},
    {.command = NULL},
};

static const cli_verb verb_ranksvm = {
    .name = "ranksvm",
    .summary = "time ranking SVMs against scikit-learn's LinearSVC",
    .operands = "",
    .description = "Solves 512 rules with 1, 5 and 20 relevant of 925 tags of 300 dimensions, with "
                   "both hinges and small to large lambda, and all rules of NUS-WIDE's ground "
                   "truth in one go. The words and the rules are those below F0T_DATA; random "
                   "vectors take their place without it.\n\n"
                   "The peer is LinearSVC on the differences of all pairs (bench/ranksvm_peer.py, "
                   "when run where that is), at its fastest setting whose objectives are within "
                   "0.1 % of ours: its name says which, and how far they are. It uses one thread: "
                   "give --threads 1 to compare with one of ours.",
    .options = options,
    .examples = ranksvm_examples,
    .json = true,
    .options_size = sizeof(bench_options),
    .run = bench_ranksvm,
};

static const cli_example train_examples[] = {
    {"fast0tag bench train --only bf16", "measures in bfloat16 alone"},
    {"fast0tag bench train --device cuda", "measures on a GPU"},
    {.command = NULL},
};

static const cli_verb verb_train = {
    .name = "train",
    .summary = "time a training step of the net against PyTorch",
    .operands = "",
    .description =
        "Runs whole training steps (forward with dropout, RankNet over all pairs, backward, Adam) "
        "on mini-batches of 1000 images with 4096 features, with 8192 and 2048 hidden units or "
        "none, 300-D vectors and 925 tags, 5 of them relevant, as 'fast0tag bench matmul' measures "
        "products. The peers are PyTorch doing the same (bench/train_peer.py, when run where that "
        "is), and the matrix products of the step alone, which no step can be faster than.\n\n"
        "On a GPU the features lie in its memory, as in a training, 20 steps are one run, and the "
        "rows after the first are the stages of the step up to one of them. F0T_PYTHON names "
        "another Python than the system's for the peers.",
    .options = options,
    .examples = train_examples,
    .json = true,
    .device = true,
    .options_size = sizeof(bench_options),
    .run = bench_train,
};

static const cli_example descriptor_examples[] = {
    {"fast0tag bench descriptor --only whole", "measures whole pictures only"},
    {.command = NULL},
};

static const cli_verb verb_descriptor = {
    .name = "descriptor",
    .summary = "time the built-in descriptor of pictures, and its steps",
    .operands = "",
    .description = "Describes a decoded picture of 341x256 and of 171x128 pixels, and runs each "
                   "step by itself: how many pictures per second one thread can do.",
    .options = options,
    .examples = descriptor_examples,
    .json = true,
    .options_size = sizeof(bench_options),
    .run = bench_descriptor,
};

static const cli_example backbone_examples[] = {
    {"fast0tag bench backbone --only mobilenet", "measures MobileNetV2 alone"},
    {.command = NULL},
};

static const cli_verb verb_backbone = {
    .name = "backbone",
    .summary = "time neural networks against ONNX Runtime and others",
    .operands = "",
    .description =
        "Runs pictures of 224 x 224 through a network of each family, one at a time and "
        "eight at a time, with all threads and with one, in float32 and bfloat16, and three of "
        "them in eight bits, as 'fast0tag bench matmul' measures products. The networks are those "
        "below "
        "F0T_DATA, or made with random weights by bench/backbone_peer.py. The peers are "
        "ONNX Runtime (in float32 also beside bfloat16, which it does not have; in eight "
        "bits with the same file) and, for VGG-19 and MobileNetV2, PyTorch (channels "
        "last, traced, whichever is fastest) and OpenCV's dnn, which has float32 alone. "
        "ONNX Runtime also computes the classes, from our features on.",
    .options = options,
    .examples = backbone_examples,
    .json = true,
    .options_size = sizeof(bench_options),
    .run = bench_backbone,
};

static const cli_verb *const verbs[] = {&verb_matmul,     &verb_kernels,  &verb_loss,
                                        &verb_rank,       &verb_ranksvm,  &verb_train,
                                        &verb_descriptor, &verb_backbone, NULL};

const cli_verb cli_verb_bench = {
    .name = "bench",
    .summary = "benchmark its parts on this machine against their peers",
    .operands = "",
    .description = "Each command measures one part of the program and what one would use instead, "
                   "in the same run.",
    .verbs = verbs,
};
