#include "onnx_text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Fields -------------------------------------------------------------------------------------
 */

static void append(onnx_bytes *to, const void *data, size_t size)
{
    if (to->capacity - to->size < size) {
        to->capacity = 2 * (to->size + size);
        to->data = realloc(to->data, to->capacity);
        if (!to->data)
            abort();
    }
    if (size)
        memcpy(to->data + to->size, data, size);
    to->size += size;
}

void onnx_bytes_free(onnx_bytes *bytes)
{
    free(bytes->data);
    *bytes = (onnx_bytes){0};
}

void onnx_put_varint(onnx_bytes *to, uint64_t value)
{
    for (;; value >>= 7) {
        unsigned char byte = (unsigned char)(value > 127 ? value | 128 : value);
        append(to, &byte, 1);
        if (value <= 127)
            return;
    }
}

void onnx_put_int(onnx_bytes *to, unsigned field, uint64_t value)
{
    onnx_put_varint(to, field << 3);
    onnx_put_varint(to, value);
}

void onnx_put_float(onnx_bytes *to, unsigned field, float value)
{
    onnx_put_varint(to, field << 3 | 5);
    append(to, &value, sizeof value);
}

void onnx_put(onnx_bytes *to, unsigned field, const void *data, size_t size)
{
    onnx_put_varint(to, field << 3 | 2);
    onnx_put_varint(to, size);
    append(to, data, size);
}

void onnx_put_text(onnx_bytes *to, unsigned field, const char *text)
{
    onnx_put(to, field, text, strlen(text));
}

void onnx_put_message(onnx_bytes *to, unsigned field, onnx_bytes *message)
{
    onnx_put(to, field, message->data, message->size);
    onnx_bytes_free(message);
}

/* ---- Words --------------------------------------------------------------------------------------
 */

enum { WORD = 64, DIMS = 16, ELEMENTS = 1 << 17 };

typedef struct parser {
    const char *text, *at;
    onnx_bytes graph;
    uint64_t opset;
} parser;

static void give_up(const parser *p, const char *wanted)
{
    fprintf(stderr, "%s\n  %s is wanted at: %.40s\n", p->text, wanted, p->at);
    abort();
}

static void skip_blanks(parser *p)
{
    p->at += strspn(p->at, " \t");
}

static bool accept(parser *p, char c)
{
    skip_blanks(p);
    bool there = *p->at == c && c;
    p->at += there;
    return there;
}

static void expect(parser *p, char c)
{
    if (!accept(p, c))
        give_up(p, (const char[]){c, '\0'});
}

/* A name or number; empty when there is none. */
static void read_word(parser *p, char word[WORD])
{
    size_t n = 0;
    skip_blanks(p);
    while (n < WORD - 1 && (isalnum((unsigned char)*p->at) || (*p->at && strchr("_./-+", *p->at))))
        word[n++] = *p->at++;
    word[n] = '\0';
}

/* ---- Tensors ------------------------------------------------------------------------------------
 */

static const struct {
    const char *name;
    uint64_t number;
    size_t size;    /* of an element among raw bytes */
    unsigned field; /* of TensorProto, for elements that are not */
} types[] = {{"float", 1, 4, 4},    {"uint8", 2, 1, 5},    {"int8", 3, 1, 5},
             {"uint16", 4, 2, 5},   {"int16", 5, 2, 5},    {"int32", 6, 4, 5},
             {"int64", 7, 8, 7},    {"string", 8, 1, 6},   {"bool", 9, 1, 5},
             {"float16", 10, 2, 5}, {"double", 11, 8, 10}, {"uint32", 12, 4, 11},
             {"uint64", 13, 8, 11}, {"complex", 14, 8, 4}, {"bfloat16", 16, 2, 5}};
enum { TYPES = sizeof types / sizeof *types };

static size_t find_type(const char *word)
{
    size_t k = 0;
    while (k < TYPES && strcmp(types[k].name, word) != 0)
        k++;
    return k;
}

/* An element as text has it: a float and an integer, whichever is needed. */
typedef struct element {
    double real;
    int64_t whole;
} element;

static void add_element(onnx_bytes *to, size_t type, bool raw, element e)
{
    float single = (float)e.real;
    if (types[type].number == 1)
        append(to, &single, sizeof single);
    else if (types[type].number == 11)
        append(to, &e.real, sizeof e.real);
    else if (raw)
        append(to, &e.whole, types[type].size);
    else
        onnx_put_varint(to, (uint64_t)e.whole);
}

/* Writes them into `tensor` and counts the elements, ELEMENTS at most. */
static size_t read_dims(parser *p, onnx_bytes *tensor)
{
    size_t count = 1;
    char word[WORD];
    expect(p, '[');
    if (accept(p, ']'))
        return count;
    do {
        read_word(p, word);
        long long dim = strtoll(word, NULL, 0);
        onnx_put_int(tensor, 1, (uint64_t)dim);
        count = dim < 0 || dim > ELEMENTS ? ELEMENTS : count * (size_t)dim;
        count = count > ELEMENTS ? ELEMENTS : count;
    } while (accept(p, ','));
    expect(p, ']');
    return count;
}

static void go_on(onnx_bytes *to, size_t type, bool raw, size_t left, element last, element before)
{
    element step = {last.real - before.real,
                    (int64_t)((uint64_t)last.whole - (uint64_t)before.whole)};
    for (size_t k = 0; k < left; k++) {
        last.real += step.real;
        last.whole = (int64_t)((uint64_t)last.whole + (uint64_t)step.whole);
        add_element(to, type, raw, last);
    }
}

static void read_elements(parser *p, onnx_bytes *to, size_t type, bool raw, size_t count)
{
    size_t got = 0;
    element before, last = {0, 0};
    expect(p, '{');
    while (!accept(p, '}')) {
        char word[WORD];
        read_word(p, word);
        if (!*word)
            give_up(p, "a number");
        before = last;
        last = (element){strtod(word, NULL), strtoll(word, NULL, 0)};
        add_element(to, type, raw, last);
        got++;
        if (strstr(word, ".."))
            go_on(to, type, raw, count > got ? count - got : 0, last, got > 1 ? before : last);
        accept(p, ',');
    }
}

/* TYPE[dims]{elements}, the type being read already. */
static void read_tensor(parser *p, onnx_bytes *tensor, size_t type)
{
    onnx_bytes elements = {0};
    onnx_put_int(tensor, 2, types[type].number);
    size_t count = read_dims(p, tensor);
    bool raw = !accept(p, ':');
    read_elements(p, &elements, type, raw, count);
    onnx_put_message(tensor, raw ? 9 : types[type].field, &elements);
}

/* ---- Attributes ---------------------------------------------------------------------------------
 */

static bool is_real(const char *word)
{
    return strpbrk(word, ".n") != NULL; /* 1.5, nan, inf */
}

static void read_list(parser *p, onnx_bytes *attribute)
{
    bool real = false;
    while (!accept(p, ']')) {
        char word[WORD];
        read_word(p, word);
        if (!*word)
            give_up(p, "a number");
        real |= is_real(word);
        if (real)
            onnx_put_float(attribute, 7, strtof(word, NULL));
        else
            onnx_put_int(attribute, 8, (uint64_t)strtoll(word, NULL, 0));
        accept(p, ',');
    }
    onnx_put_int(attribute, 20, real ? 6 : 7);
}

static void read_text(parser *p, onnx_bytes *attribute)
{
    size_t length = strcspn(p->at, "\"");
    onnx_put(attribute, 4, p->at, length);
    onnx_put_int(attribute, 20, 3);
    p->at += length;
    expect(p, '"');
}

static void read_value(parser *p, onnx_bytes *attribute)
{
    char word[WORD];
    read_word(p, word);
    size_t type = find_type(word);
    if (type < TYPES) {
        onnx_bytes tensor = {0};
        read_tensor(p, &tensor, type);
        onnx_put_message(attribute, 5, &tensor);
        onnx_put_int(attribute, 20, 4);
    } else if (is_real(word)) {
        onnx_put_float(attribute, 2, strtof(word, NULL));
        onnx_put_int(attribute, 20, 1);
    } else if (*word) {
        onnx_put_int(attribute, 3, (uint64_t)strtoll(word, NULL, 0));
        onnx_put_int(attribute, 20, 2);
    } else {
        give_up(p, "a value");
    }
}

static void read_attributes(parser *p, onnx_bytes *node)
{
    while (!accept(p, '>')) {
        onnx_bytes attribute = {0};
        char name[WORD];
        read_word(p, name);
        onnx_put_text(&attribute, 1, name);
        expect(p, '=');
        if (accept(p, '['))
            read_list(p, &attribute);
        else if (accept(p, '"'))
            read_text(p, &attribute);
        else
            read_value(p, &attribute);
        onnx_put_message(node, 5, &attribute);
        accept(p, ',');
    }
}

/* ---- Statements ---------------------------------------------------------------------------------
 */

static void read_opset(parser *p)
{
    char word[WORD];
    read_word(p, word);
    p->opset = (uint64_t)strtoll(word, NULL, 0);
}

static void add_output(parser *p, const char *name)
{
    onnx_bytes end = {0};
    onnx_put_text(&end, 1, name);
    onnx_put_message(&p->graph, 12, &end);
}

static void read_returns(parser *p)
{
    do {
        char name[WORD];
        read_word(p, name);
        add_output(p, name);
    } while (accept(p, ','));
}

static void read_shape(parser *p, onnx_bytes *tensor)
{
    onnx_bytes shape = {0};
    while (!accept(p, ']')) {
        onnx_bytes dim = {0};
        char word[WORD];
        read_word(p, word);
        if (isdigit((unsigned char)*word) || *word == '-')
            onnx_put_int(&dim, 1, (uint64_t)strtoll(word, NULL, 0));
        else
            onnx_put_text(&dim, 2, word);
        onnx_put_message(&shape, 1, &dim);
        accept(p, ',');
    }
    onnx_put_message(tensor, 2, &shape);
}

static void read_input(parser *p, const char *name)
{
    onnx_bytes tensor = {0}, type = {0}, end = {0};
    char word[WORD];
    read_word(p, word);
    size_t number = find_type(word);
    if (number == TYPES)
        give_up(p, "a type");
    onnx_put_int(&tensor, 1, types[number].number);
    if (accept(p, '['))
        read_shape(p, &tensor);
    onnx_put_message(&type, 1, &tensor);
    onnx_put_text(&end, 1, name);
    onnx_put_message(&end, 2, &type);
    onnx_put_message(&p->graph, 11, &end);
}

static void read_initializer(parser *p, const char *name, size_t type)
{
    onnx_bytes tensor = {0};
    onnx_put_text(&tensor, 8, name);
    read_tensor(p, &tensor, type);
    onnx_put_message(&p->graph, 5, &tensor);
}

/* `node` has its outputs already. */
static void read_node(parser *p, onnx_bytes *node, char *op)
{
    char *dot = strrchr(op, '.');
    if (dot) {
        onnx_put(node, 7, op, (size_t)(dot - op));
        op = dot + 1;
    }
    onnx_put_text(node, 4, op);
    if (accept(p, '<'))
        read_attributes(p, node);
    expect(p, '(');
    if (accept(p, ')'))
        return;
    do {
        char name[WORD];
        read_word(p, name);
        onnx_put_text(node, 1, name);
    } while (accept(p, ','));
    expect(p, ')');
}

static void read_statement(parser *p)
{
    onnx_bytes node = {0};
    char name[WORD], word[WORD];
    read_word(p, name);
    if (strcmp(name, "opset") == 0) {
        read_opset(p);
    } else if (strcmp(name, "return") == 0) {
        read_returns(p);
    } else if (accept(p, ':')) {
        read_input(p, name);
    } else {
        onnx_put_text(&node, 2, name);
        while (accept(p, ',')) {
            read_word(p, word);
            onnx_put_text(&node, 2, word);
        }
        expect(p, '=');
        read_word(p, word);
        size_t type = find_type(word);
        if (type < TYPES) {
            read_initializer(p, name, type);
            onnx_bytes_free(&node);
        } else {
            read_node(p, &node, word);
            onnx_put_message(&p->graph, 1, &node);
        }
    }
}

onnx_bytes onnx_from_text(const char *text)
{
    parser p = {.text = text, .at = text, .opset = 17};
    onnx_bytes model = {0}, set = {0};
    for (;;) {
        p.at += strspn(p.at, " \t\n;");
        if (!*p.at)
            break;
        read_statement(&p);
        skip_blanks(&p);
        if (*p.at && *p.at != '\n' && *p.at != ';')
            give_up(&p, "the end of a statement");
    }
    onnx_put_int(&model, 1, 8);
    onnx_put_int(&set, 2, p.opset);
    onnx_put_message(&model, 7, &p.graph);
    onnx_put_message(&model, 8, &set);
    return model;
}
