#include "onnx_generator.h"

#include "onnx/op.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

enum { VALUES = 96, TEXT = 1 << 15, RANK = 8, NAME = 24 };

/* What is believed about a value: enough to make constants that fit, wrong now and then. */
typedef struct guess {
    char name[NAME];
    size_t rank, dims[RANK];
    char type; /* f, i or b, as types are called by letters in say_tensor */
} guess;

typedef struct maker {
    const uint8_t *at, *end;
    char *text;
    size_t used;
    guess values[VALUES];
    size_t count;   /* of values */
    size_t names;   /* given out */
    size_t columns; /* of the last matrix */
    int opset;
} maker;

/* ---- Choices ------------------------------------------------------------------------------------
 */

/* Below n, which is 256 at most; 0 when no bytes are left: the plainest choice. */
static size_t pick(maker *m, size_t n)
{
    return m->at < m->end ? *m->at++ % n : 0;
}

/* One time in n. */
static bool rarely(maker *m, size_t n)
{
    return pick(m, n) == n - 1;
}

__attribute__((format(printf, 2, 3))) static void say(maker *m, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int n = vsnprintf(m->text + m->used, TEXT - m->used, format, list);
    va_end(list);
    if (n < 0 || m->used + (size_t)n >= TEXT)
        abort(); /* is_full looks in time */
    m->used += (size_t)n;
}

/* No room for another node with all that belongs to it. */
static bool is_full(const maker *m)
{
    return m->used > TEXT - 8192 || m->count + 24 > VALUES;
}

static const char *whole(maker *m)
{
    static const char *const likely[] = {"1", "0", "2", "-1", "3", "4", "-2", "5"};
    static const char *const odd[] = {"6",
                                      "7",
                                      "-3",
                                      "-4",
                                      "-9",
                                      "16",
                                      "100",
                                      "128",
                                      "255",
                                      "-128",
                                      "65536",
                                      "2147483647",
                                      "2147483648",
                                      "-2147483648",
                                      "4294967296",
                                      "288230376151711744",
                                      "1152921504606846976",
                                      "4611686018427387904",
                                      "9223372036854775807",
                                      "-9223372036854775807"};
    return rarely(m, 8) ? odd[pick(m, COUNT(odd))] : likely[pick(m, COUNT(likely))];
}

static const char *real(maker *m)
{
    static const char *const reals[] = {
        "1.0",     "0.0",   "0.5",        "-1.0",  "2.0",   "1.0e-5",  "0.1666667",
        "3.25",    "-0.0",  "nan",        "inf",   "-inf",  "1.0e38",  "-1.0e38",
        "1.0e-40", "255.0", "1.41421356", "1.702", "1.0e9", "-9.3e18", "4294967296.0"};
    return reals[pick(m, COUNT(reals))];
}

static const char *word(maker *m)
{
    static const char *const words[] = {"",
                                        "SAME_UPPER",
                                        "SAME_LOWER",
                                        "VALID",
                                        "NOTSET",
                                        "constant",
                                        "reflect",
                                        "edge",
                                        "wrap",
                                        "linear",
                                        "nearest",
                                        "cubic",
                                        "half_pixel",
                                        "asymmetric",
                                        "align_corners",
                                        "tf_crop_and_resize",
                                        "floor",
                                        "ceil",
                                        "round_prefer_floor",
                                        "round_prefer_ceil",
                                        "DCR",
                                        "CRD",
                                        "none",
                                        "tanh",
                                        "add",
                                        "mul",
                                        "max",
                                        "min",
                                        "LEFT",
                                        "RIGHT",
                                        "stretch",
                                        "not_larger",
                                        "not_smaller",
                                        "pytorch_half_pixel",
                                        "half_pixel_symmetric",
                                        "bilinear"};
    return words[pick(m, COUNT(words))];
}

/* ---- Constants ----------------------------------------------------------------------------------
 */

static const char *const types[] = {"float",   "int64",  "bool",     "int32",  "double",
                                    "float16", "uint8",  "int8",     "uint16", "int16",
                                    "uint32",  "uint64", "bfloat16", "string"};

static size_t count_of(size_t rank, const size_t *dims)
{
    size_t count = 1;
    for (size_t d = 0; d < rank; d++)
        count *= dims[d];
    return count;
}

/* " type[dims]{elements}" with some odd numbers among them. */
static void say_tensor(maker *m, char type, size_t rank, const size_t *dims)
{
    static const char letters[] = "fibj..un"; /* of the first types; a point: no letter */
    const char *letter = memchr(letters, type, sizeof letters - 1);
    size_t known = letter ? (size_t)(letter - letters) : 0;
    const char *name = types[rarely(m, 16) ? pick(m, COUNT(types)) : known];
    bool floats = strcmp(name, "float") == 0 || strcmp(name, "double") == 0;
    say(m, "%s[", name);
    for (size_t d = 0; d < rank; d++) {
        say(m, d ? "," : "");
        if (rarely(m, 128))
            say(m, "%s", whole(m));
        else
            say(m, "%zu", dims[d]);
    }
    say(m, "]%s{", rarely(m, 4) ? ":" : "");
    size_t given = pick(m, 4);
    for (size_t k = 0; k < given && k < count_of(rank, dims); k++)
        say(m, "%s,", floats ? real(m) : whole(m));
    if (given < count_of(rank, dims))
        say(m, floats ? "0.25,0.375..}" : type == 'i' ? "0,1..}" : "1..}");
    else
        say(m, "}");
}

/* A new value of this shape: an initializer, or the result of a Constant. */
static const char *constant(maker *m, char type, size_t rank, const size_t *dims)
{
    guess *g = &m->values[m->count++];
    *g = (guess){.rank = rank, .type = type};
    snprintf(g->name, sizeof g->name, "k_%zu", m->names++);
    memcpy(g->dims, dims, rank * sizeof *dims);
    bool node = rarely(m, 8);
    say(m, node ? "%s = Constant<value=" : "%s = ", g->name);
    say_tensor(m, type, rank, dims);
    say(m, node ? ">()\n" : "\n");
    return g->name;
}

/* A list of `length` integers of [low, low + span), or odd ones. */
static const char *list(maker *m, size_t length, long low, size_t span)
{
    guess *g = &m->values[m->count++];
    *g = (guess){.rank = 1, .dims = {length}, .type = 'i'};
    snprintf(g->name, sizeof g->name, "k_%zu", m->names++);
    say(m, "%s = int64[%zu]{", g->name, length);
    for (size_t k = 0; k < length; k++)
        if (rarely(m, 16))
            say(m, "%s,", whole(m));
        else
            say(m, "%ld,", low + (long)pick(m, span));
    say(m, "}\n");
    return g->name;
}

static size_t about(maker *m, size_t length)
{
    static const int off[] = {0, 0, 0, 0, 0, 0, -1, 1};
    int by = off[pick(m, COUNT(off))];
    return length || by > 0 ? length + (size_t)by : 0;
}

/* A list of the odd shapes that a tensor may have. */
static size_t shape(maker *m, size_t dims[RANK])
{
    static const size_t ranks[] = {4, 2, 1, 3, 0, 5, 4, 6}, sizes[] = {1, 2, 3, 4, 5, 8, 0, 7};
    size_t rank = ranks[pick(m, COUNT(ranks))];
    for (size_t d = 0; d < rank; d++)
        dims[d] = sizes[pick(m, d < 4 ? COUNT(sizes) : 3)];
    return rank;
}

/* ---- Inputs of nodes ----------------------------------------------------------------------------
 */

/* The operators whose further inputs or attributes have a form of their own. Inputs, a letter each:
 * x a value, b one of its shape, t the same of booleans, c a number for each channel, l for each
 * element of the last dimension, w filters, v those of a transposed convolution, W filters of bytes, m a matrix, M one of bytes,
 * n its bias, u an unsigned byte, z a signed one, j integers for each channel, a axes, d dimensions, p paddings, g indices, i an integer, s a number, F numbers for each
 * dimension, 2 two numbers. Attributes: i an integer, f a number, s a word, t a tensor, a axes, d
 * dimensions, p paddings, k one for each spatial dimension, q two for each, F numbers. */
static const struct hint {
    const char *op, *inputs, *attributes;
} hints[] = {
    {"ArgMax", "x", "i axis,i keepdims,i select_last_index"},
    {"ArgMin", "x", "i axis,i keepdims,i select_last_index"},
    {"AveragePool", "x",
     "k kernel_shape,k strides,q pads,k dilations,i ceil_mode,i count_include_pad,s auto_pad"},
    {"BatchNormalization", "xcccc", "f epsilon,i training_mode,i spatial,f momentum"},
    {"BitShift", "gb", "s direction"},
    {"Cast", "x", "i to"},
    {"Clip", "xss", "f min,f max"},
    {"Concat", "xbbb", "i axis"},
    {"Constant", "",
     "t value,f value_float,F value_floats,i value_int,d value_ints,s value_string"},
    {"ConstantOfShape", "d", "t value"},
    {"Conv", "xwc", "k kernel_shape,k strides,q pads,k dilations,i group,s auto_pad"},
    {"ConvInteger", "xWuz", "k kernel_shape,k strides,q pads,k dilations,i group,s auto_pad"},
    {"ConvTranspose", "xvc",
     "k kernel_shape,k strides,q pads,k dilations,i group,s auto_pad,k output_padding,k "
     "output_shape"},
    {"CumSum", "xi", "i exclusive,i reverse"},
    {"DequantizeLinear", "xsu", "i axis,i block_size"},
    {"DepthToSpace", "x", "i blocksize,s mode"},
    {"Dropout", "xst", "f ratio"},
    {"Expand", "xd", ""},
    {"EyeLike", "x", "i dtype,i k"},
    {"Flatten", "x", "i axis"},
    {"Gather", "xg", "i axis"},
    {"GatherElements", "xg", "i axis"},
    {"GatherND", "xg", "i batch_dims"},
    {"Gelu", "x", "s approximate"},
    {"Gemm", "xmn", "i transA,i transB,f alpha,f beta"},
    {"GlobalLpPool", "x", "i p"},
    {"GroupNormalization", "xcc", "f epsilon,i num_groups"},
    {"Hardmax", "x", "i axis"},
    {"InstanceNormalization", "xcc", "f epsilon"},
    {"IsInf", "x", "i detect_negative,i detect_positive"},
    {"LRN", "x", "i size,f alpha,f beta,f bias"},
    {"LayerNormalization", "xll", "i axis,f epsilon,i stash_type"},
    {"LogSoftmax", "x", "i axis"},
    {"LpNormalization", "x", "i axis,i p"},
    {"LpPool", "x", "k kernel_shape,k strides,q pads,i p,s auto_pad,i ceil_mode"},
    {"MatMul", "xm", ""},
    {"MatMulInteger", "xMuz", ""},
    {"MaxPool", "x",
     "k kernel_shape,k strides,q pads,k dilations,i ceil_mode,i storage_order,s auto_pad"},
    {"Mod", "xb", "i fmod"},
    {"OneHot", "gi2", "i axis"},
    {"PRelu", "xc", ""},
    {"Pad", "xpsa", "p pads,p paddings,f value,s mode"},
    {"QLinearConv", "xsuWszsuj", "k kernel_shape,k strides,q pads,k dilations,i group,s auto_pad"},
    {"QLinearMatMul", "xsuMszsu", ""},
    {"QuantizeLinear", "xsu", "i axis,i saturate"},
    {"Range", "iii", ""},
    {"ReduceMax", "xa", "a axes,i keepdims,i noop_with_empty_axes"},
    {"ReduceMean", "xa", "a axes,i keepdims,i noop_with_empty_axes"},
    {"ReduceSum", "xa", "a axes,i keepdims,i noop_with_empty_axes"},
    {"ReduceL2", "xa", "a axes,i keepdims,i noop_with_empty_axes"},
    {"ReduceLogSumExp", "xa", "a axes,i keepdims,i noop_with_empty_axes"},
    {"Reshape", "xd", "d shape,i allowzero"},
    {"Resize", "xFFd",
     "s mode,s coordinate_transformation_mode,s nearest_mode,f cubic_coeff_a,i exclude_outside,f "
     "extrapolation_value,i antialias,a axes,s keep_aspect_ratio_policy"},
    {"Scatter", "xgb", "i axis"},
    {"ScatterElements", "xgb", "i axis,s reduction"},
    {"ScatterND", "xgb", "s reduction"},
    {"Shape", "x", "i start,i end"},
    {"Slice", "xaaaa", "a axes,a starts,a ends"},
    {"Softmax", "x", "i axis"},
    {"SpaceToDepth", "x", "i blocksize"},
    {"Split", "xd", "i axis,d split,i num_outputs"},
    {"Squeeze", "xa", "a axes"},
    {"Tile", "xd", ""},
    {"Transpose", "x", "a perm"},
    {"Trilu", "xi", "i upper"},
    {"Unsqueeze", "xa", "a axes"},
    {"Upsample", "xF", "s mode,F scales"},
    {"Where", "tbb", ""},
};

static const struct hint *hint_for(const char *op)
{
    static const struct hint other = {
        "", "xbbb", "f alpha,f beta,f gamma,f lambd,f bias,i axis,i broadcast,a axes,i keepdims"};
    for (size_t k = 0; k < COUNT(hints); k++)
        if (strcmp(hints[k].op, op) == 0)
            return &hints[k];
    return &other;
}

static const char *filters(maker *m, char type, const guess *x, bool transposed)
{
    size_t dims[RANK], channels = x->rank > 1 ? x->dims[1] : 1;
    size_t many = 1 + pick(m, 4);
    dims[0] = transposed ? channels : many;
    dims[1] = transposed ? many : channels;
    if (rarely(m, 4)) { /* in groups, as many as there are channels */
        dims[0] = channels;
        dims[1] = 1;
    }
    for (size_t d = 2; d < x->rank && d < RANK; d++)
        dims[d] = 1 + pick(m, 3);
    m->columns = transposed ? dims[1] : dims[0];
    return constant(m, type, x->rank < 2 ? 2 : x->rank, dims);
}

/* A new constant of the form that `kind` says, fit for x. */
static const char *fitting(maker *m, char kind, const guess *x)
{
    size_t channels = x->rank > 1 ? x->dims[1] : 1, last = x->rank ? x->dims[x->rank - 1] : 1;
    size_t dims[RANK], spread = 2 * x->rank + 1;
    switch (kind) {
    case 'b':
    case 't':
        memcpy(dims, x->dims, sizeof dims);
        for (size_t d = 0; d < x->rank; d++)
            dims[d] = rarely(m, 6) ? 1 : dims[d];
        return constant(m, kind == 't' ? 'b' : x->type, x->rank, dims);
    case 'c':
        channels = m->columns ? m->columns : channels;
        return constant(m, 'f', 1, &channels);
    case 'l':
        return constant(m, 'f', 1, &last);
    case 'j':
        channels = m->columns ? m->columns : channels;
        return constant(m, 'j', 1, &channels);
    case 'w':
    case 'v':
    case 'W':
        return filters(m, kind == 'W' ? 'n' : 'f', x, kind == 'v');
    case 'm':
    case 'M':
        dims[0] = last;
        dims[1] = m->columns = 1 + pick(m, 5);
        return constant(m, kind == 'M' ? 'n' : 'f', 2, dims);
    case 'u':
        return constant(m, 'u', 0, dims);
    case 'z':
        return constant(m, 'n', 0, dims);
    case 'n':
        return constant(m, 'f', 1, &m->columns);
    case 'a':
        return list(m, pick(m, x->rank + 2), -(long)x->rank, spread);
    case 'd':
        return list(m, about(m, x->rank), -1, 6);
    case 'p':
        return list(m, about(m, 2 * x->rank), -1, 4);
    case 'g':
        return constant(m, 'i', shape(m, dims), dims);
    case 'i':
        return constant(m, 'i', pick(m, 2), (const size_t[]){1});
    case 'F':
        dims[0] = about(m, x->rank);
        return constant(m, 'f', 1, dims);
    case '2':
        return constant(m, 'f', 1, (const size_t[]){2});
    default:
        return constant(m, 'f', 0, dims);
    }
}

static const char *an_input(maker *m, char kind, const guess *x)
{
    size_t how = pick(m, 32);
    if (how >= 31)
        return "later";
    if (how >= 29)
        return "";
    if (how >= 26)
        return m->values[pick(m, m->count)].name;
    if (how >= 25) {
        size_t dims[RANK], rank = shape(m, dims);
        return constant(m, 'f', rank, dims);
    }
    return kind == 'x' ? x->name : fitting(m, kind, x);
}

/* ---- Attributes ---------------------------------------------------------------------------------
 */

static void say_wholes(maker *m, size_t length, long low, size_t span)
{
    say(m, "[");
    for (size_t k = 0; k < length; k++)
        if (rarely(m, 16))
            say(m, "%s,", whole(m));
        else
            say(m, "%ld,", low + (long)pick(m, span));
    say(m, "]");
}

static void say_value(maker *m, char kind, const guess *x)
{
    size_t dims[RANK], spatial = x->rank > 2 ? x->rank - 2 : 1;
    switch (kind) {
    case 'f':
        say(m, "%s", real(m));
        break;
    case 's':
        say(m, "\"%s\"", word(m));
        break;
    case 't':
        say_tensor(m, 'f', shape(m, dims), dims);
        break;
    case 'a':
        say_wholes(m, about(m, x->rank), -(long)x->rank, 2 * x->rank + 1);
        break;
    case 'd':
        say_wholes(m, about(m, x->rank), -1, 6);
        break;
    case 'p':
        say_wholes(m, about(m, 2 * x->rank), -1, 4);
        break;
    case 'k':
        say_wholes(m, about(m, spatial), 1, 3);
        break;
    case 'q':
        say_wholes(m, about(m, 2 * spatial), 0, 3);
        break;
    case 'F':
        say(m, "[");
        for (size_t k = 0; k < x->rank; k++)
            say(m, "%s,", real(m));
        say(m, "]");
        break;
    default:
        say(m, "%s", whole(m));
    }
}

static void say_attributes(maker *m, const char *attributes, const guess *x)
{
    const char *open = "<";
    for (const char *at = attributes; *at; at += *at == ',') {
        size_t length = strcspn(at, ",");
        if (pick(m, 3)) {
            char kind = rarely(m, 24) ? "ifstadF"[pick(m, 7)] : *at;
            say(m, "%s%.*s=", open, (int)(length - 2), at + 2);
            say_value(m, kind, x);
            open = ",";
        }
        at += length;
    }
    say(m, *open == ',' ? ">" : "");
}

/* ---- Nodes --------------------------------------------------------------------------------------
 */

/* What becomes of the shape, roughly. */
static void guess_result(guess *y, const f0t_op *op, const maker *m)
{
    if (strncmp(op->name, "Global", 6) == 0) {
        for (size_t d = 2; d < y->rank; d++)
            y->dims[d] = 1;
    } else if (strstr(op->name, "Conv") && y->rank > 1 && m->columns) {
        y->dims[1] = m->columns;
    } else if ((strcmp(op->name, "Gemm") == 0 || strstr(op->name, "MatMul")) && y->rank) {
        y->dims[y->rank - 1] = m->columns;
    } else if (strcmp(op->name, "Flatten") == 0) {
        y->dims[1] = y->rank > 1 ? count_of(y->rank - 1, y->dims + 1) : 1;
        y->rank = 2;
    } else if (strcmp(op->name, "Shape") == 0) {
        *y = (guess){.rank = 1, .dims = {y->rank}};
    }
    y->type = op->run == f0t_op_find("Shape", 13)->run ? 'i' : y->type;
}

static void say_outputs(maker *m, const f0t_op *op, const guess *x)
{
    size_t most = op->outputs < 4 ? op->outputs : 4, count = 1 + pick(m, most);
    if (rarely(m, 64))
        count++;
    for (size_t k = 0; k < count; k++) {
        say(m, k ? ", " : "");
        if (rarely(m, count > 1 ? 4 : 64))
            continue; /* without a name */
        if (rarely(m, 128)) {
            say(m, "%s", m->values[pick(m, m->count)].name);
            continue;
        }
        guess *y = &m->values[m->count++];
        *y = *x;
        snprintf(y->name, sizeof y->name, "v_%zu", m->names++);
        guess_result(y, op, m);
        say(m, "%s", y->name);
    }
}

static void add_node(maker *m)
{
    size_t ops;
    const f0t_op *table = f0t_op_table(&ops), *op = &table[pick(m, ops)];
    while (!f0t_op_find(op->name, m->opset))
        op = op == table ? table + ops - 1 : op - 1;
    const struct hint *hint = hint_for(op->name);
    size_t back = pick(m, 4) ? 0 : pick(m, m->count);
    const guess x = m->values[m->count - 1 - back];
    const char *inputs[10];
    size_t most = op->most ? op->most : op->least + 3, forms = strlen(hint->inputs);
    size_t count = op->least + pick(m, most - op->least + 1);
    if (rarely(m, 64))
        count = pick(m, 6);
    m->columns = 0;
    for (size_t k = 0; k < count && k < COUNT(inputs); k++)
        inputs[k] = an_input(m, k < forms ? hint->inputs[k] : 'b', &x);
    say_outputs(m, op, &x);
    say(m, " = %s", op->name);
    say_attributes(m, hint->attributes, &x);
    say(m, "(");
    for (size_t k = 0; k < count && k < COUNT(inputs); k++)
        say(m, "%s%s", k ? ", " : "", inputs[k]);
    say(m, ")\n");
}

/* What exporters write in several nodes and the fast path puts together again: @ is the value that it
 * begins with, $ its end, %a a name inside, # a number that is nearly always the right one. */
static const char *const idioms[] = {
    "%a = Sigmoid(@)\n$ = Mul(@, %a)\n",
    "%k = float[]{#1.702}\n%a = Mul(@, %k)\n%b = Sigmoid(%a)\n$ = Mul(%b, @)\n",
    "%a = HardSigmoid<alpha=#0.16666667>(@)\n$ = Mul(%a, @)\n",
    "%k = float[1]{#1.4142135}\n%o = float[]{#1.0}\n%h = float[]{#0.5}\n%a = Div(@, %k)\n"
    "%b = Erf(%a)\n%c = Add(%b, %o)\n%d = Mul(@, %c)\n$ = Mul(%d, %h)\n",
    "%t = float[]{#2.0}\n%e = float[]{#1.0e-5}\n%a = ReduceMean<axes=[-1]>(@)\n%b = Sub(@, %a)\n"
    "%c = Pow(%b, %t)\n%d = ReduceMean<axes=[-1]>(%c)\n%f = Add(%d, %e)\n%g = Sqrt(%f)\n"
    "$ = Div(%b, %g)\n",
    "%a = Clip<min=#0.0, max=#6.0>(@)\n$ = Relu(%a)\n",
    "%s = float[]{#0.05}\n%z = uint8[]{3}\n$ = QuantizeLinear(@, %s, %z)\n",
    "%s = float[]{#0.05}\n%z = uint8[]{3}\n%q = QuantizeLinear(@, %s, %z)\n"
    "$ = DequantizeLinear(%q, %s, %z)\n",
    "%k = float[]{#0.5}\n%t = Transpose<perm=[0,2,1]>(@)\n%a = MatMul(@, %t)\n%b = Mul(%a, %k)\n"
    "%c = Softmax<axis=-1>(%b)\n$ = MatMul(%c, @)\n"};

static void add_idiom(maker *m)
{
    const guess x = m->values[m->count - 1];
    guess *y = &m->values[m->count++];
    size_t group = m->names++;
    *y = x;
    snprintf(y->name, sizeof y->name, "v_%zu", group);
    for (const char *at = idioms[pick(m, COUNT(idioms))]; *at; at++) {
        if (*at == '@' || *at == '$') {
            say(m, "%s", *at == '@' ? x.name : y->name);
        } else if (*at == '%') {
            say(m, "%c%zu", *++at, group);
        } else if (*at == '#') {
            size_t length = strspn(at + 1, "0123456789.e-");
            if (rarely(m, 8))
                say(m, "%s", real(m));
            else
                say(m, "%.*s", (int)length, at + 1);
            at += length;
        } else {
            say(m, "%c", *at);
        }
    }
}

/* ---- The whole ----------------------------------------------------------------------------------
 */

static void add_input(maker *m)
{
    guess *g = &m->values[m->count++];
    *g = (guess){.type = 'f'};
    snprintf(g->name, sizeof g->name, "x_%zu", m->names++);
    g->rank = shape(m, g->dims);
    say(m, "%s : %s[", g->name, rarely(m, 16) ? types[pick(m, COUNT(types))] : "float");
    for (size_t d = 0; d < g->rank; d++)
        if (d == 0 && !rarely(m, 4)) {
            say(m, "N,");
            g->dims[0] = 1;
        } else if (rarely(m, 64)) {
            say(m, "%s,", whole(m));
        } else {
            g->dims[d] = g->dims[d] ? g->dims[d] : 1; /* 0 is open */
            say(m, "%zu,", g->dims[d]);
        }
    say(m, "]\n");
}

char *onnx_generate(const uint8_t *recipe, size_t size)
{
    static const int sets[] = {17, 13, 11, 18, 9, 7, 21, 6, 1, 12, 10, 14, 8, 20};
    maker m = {.at = recipe, .end = recipe + size, .text = calloc(1, TEXT)};
    if (!m.text)
        abort();
    m.opset = sets[pick(&m, COUNT(sets))];
    say(&m, "opset %d\n", m.opset);
    for (size_t k = 0, inputs = 1 + (rarely(&m, 4) ? pick(&m, 3) : 0); k < inputs; k++)
        add_input(&m);
    for (size_t k = 0, nodes = 1 + pick(&m, 8); k < nodes && m.at < m.end && !is_full(&m); k++) {
        if (rarely(&m, 8))
            add_idiom(&m);
        else
            add_node(&m);
    }
    say(&m, "return %s", m.values[m.count - 1].name);
    for (size_t k = 0, more = pick(&m, 3); k < more; k++)
        say(&m, ", %s", m.values[pick(&m, m.count)].name);
    say(&m, "\n");
    return m.text;
}
