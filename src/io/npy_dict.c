#include "io/npy_header.h"

#include <string.h>

/* What is being read. Positions in messages are bytes of the file. */
typedef struct cursor {
    const char *text, *at, *end;
    size_t offset;
    const char *name;
    bool longs; /* Python 2 wrote 3L: NumPy still reads that in versions 1 and 2 */
} cursor;

typedef struct text {
    const char *start;
    size_t length;
} text;

static bool text_is(text t, const char *word)
{
    return t.length == strlen(word) && !memcmp(t.start, word, t.length);
}

static f0t_status bad(const cursor *c, const char *what)
{
    return f0t_fail(F0T_ERROR_FORMAT, "%s: byte %zu of the npy header: %s", c->name,
                    c->offset + (size_t)(c->at - c->text), what);
}

static void skip_space(cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || (*c->at >= '\t' && *c->at <= '\r')))
        c->at++;
}

/* The next character that is no space, 0 at the end. */
static char peek(cursor *c)
{
    skip_space(c);
    return c->at < c->end ? *c->at : '\0';
}

static bool take(cursor *c, char wanted)
{
    if (peek(c) != wanted)
        return false;
    c->at++;
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static f0t_status read_string(cursor *c, text *out, const char *what)
{
    char quote = peek(c);
    if (quote != '\'' && quote != '"')
        return bad(c, what);
    const char *start = ++c->at;
    while (c->at < c->end && *c->at != quote && *c->at != '\\' && *c->at != '\n')
        c->at++;
    if (c->at == c->end || *c->at != quote)
        return bad(c, "a string that does not end, or with an escape");
    *out = (text){start, (size_t)(c->at - start)};
    c->at++;
    return F0T_OK;
}

static f0t_status read_bool(cursor *c, bool *out)
{
    skip_space(c);
    text word = {c->at, 0};
    while (c->at < c->end && (is_letter(*c->at) || is_digit(*c->at)))
        c->at++;
    word.length = (size_t)(c->at - word.start);
    *out = text_is(word, "True");
    if (*out || text_is(word, "False"))
        return F0T_OK;
    c->at = word.start;
    return bad(c, "'fortran_order' must be True or False");
}

static f0t_status read_size(cursor *c, size_t *out)
{
    const char *start = (skip_space(c), c->at);
    *out = 0;
    for (; c->at < c->end && is_digit(*c->at); c->at++)
        if (__builtin_mul_overflow(*out, (size_t)10, out) ||
            __builtin_add_overflow(*out, (size_t)(*c->at - '0'), out))
            return bad(c, "a size in 'shape' is too large");
    if (c->at == start || (*start == '0' && c->at > start + 1))
        return bad(c, "'shape' must be a tuple of sizes such as (3, 4)");
    if (c->longs && c->at < c->end && *c->at == 'L')
        c->at++;
    return F0T_OK;
}

static f0t_status read_shape(cursor *c, f0t_npy_header *h)
{
    bool comma = true; /* (3) is no tuple, (3,) is */
    if (!take(c, '('))
        return bad(c, "'shape' must be a tuple of sizes such as (3, 4)");
    for (h->dims = 0; peek(c) != ')'; h->dims++) {
        if (!comma)
            return bad(c, "a comma or ')' is missing in 'shape'");
        if (h->dims == F0T_NPY_DIMS)
            return bad(c, "'shape' has more than 32 dimensions");
        F0T_TRY(read_size(c, &h->shape[h->dims]));
        comma = take(c, ',');
    }
    if (h->dims == 1 && !comma)
        return bad(c, "'shape' must be a tuple: (3,) rather than (3)");
    c->at++;
    return F0T_OK;
}

static f0t_status refuse_type(const cursor *c, text descr)
{
    int n = descr.length < 40 ? (int)descr.length : 40;
    if (text_is(descr, "|O") || text_is(descr, "O"))
        return f0t_fail(F0T_ERROR_UNSUPPORTED,
                        "%s: holds Python objects ('O'): save it again as an array of numbers",
                        c->name);
    return f0t_fail(F0T_ERROR_UNSUPPORTED,
                    "%s: element type '%.*s' is none of f2, f4, f8, i4, i8, u1 and b1 (bool): "
                    "convert it with astype('float32')",
                    c->name, n, descr.start);
}

static f0t_status read_descr(cursor *c, f0t_npy_header *h)
{
    static const struct {
        const char *code;
        f0t_dtype dtype;
    } types[] = {{"f4", F0T_F32}, {"f2", F0T_F16}, {"f8", F0T_F64}, {"i4", F0T_I32},
                 {"i8", F0T_I64}, {"u1", F0T_U8},  {"b1", F0T_BOOL}};
    const char own = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>';
    text descr;
    if (peek(c) == '[' || peek(c) == '(')
        return f0t_fail(F0T_ERROR_UNSUPPORTED,
                        "%s: is an array of records (structured type): save each field as an "
                        "array of its own",
                        c->name);
    F0T_TRY(read_string(c, &descr, "'descr' must be a string such as '<f4'"));
    if (descr.length != 3 || !strchr("<>|", descr.start[0]))
        return refuse_type(c, descr);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!memcmp(descr.start + 1, types[i].code, 2)) {
            h->dtype = types[i].dtype;
            bool one_byte = f0t_dtype_size(h->dtype) == 1;
            h->swapped = !one_byte && descr.start[0] != own;
            return descr.start[0] == '|' && !one_byte ? refuse_type(c, descr) : F0T_OK;
        }
    return refuse_type(c, descr);
}

/* One 'key': value; `seen` has a bit for each key that was there. */
static f0t_status read_entry(cursor *c, f0t_npy_header *h, unsigned *seen)
{
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    const char *start = (skip_space(c), c->at);
    unsigned k = 0;
    text key;
    F0T_TRY(read_string(c, &key, "a key in quotes is missing"));
    while (k < 3 && !text_is(key, keys[k]))
        k++;
    c->at = k == 3 || (*seen & 1u << k) ? start : c->at;
    if (k == 3)
        return bad(c, "a key that is none of 'descr', 'fortran_order' and 'shape'");
    if (*seen & 1u << k)
        return bad(c, "a key that was there before");
    *seen |= 1u << k;
    if (!take(c, ':'))
        return bad(c, "':' is missing behind a key");
    return k == 0 ? read_descr(c, h) : k == 1 ? read_bool(c, &h->fortran) : read_shape(c, h);
}

f0t_status f0t_npy_dict_parse(f0t_npy_header *h, const char *dict, size_t size, size_t offset,
                              const char *name)
{
    cursor c = {dict, dict, dict + size, offset, name, h->version < 3};
    unsigned seen = 0;
    bool comma = true;
    if (!take(&c, '{'))
        return bad(&c, "a dictionary {'descr': …, 'fortran_order': …, 'shape': …} is wanted");
    while (!take(&c, '}')) {
        if (!comma)
            return bad(&c, "a comma or '}' is missing");
        F0T_TRY(read_entry(&c, h, &seen));
        comma = take(&c, ',');
    }
    if (seen != 7)
        return bad(&c, !(seen & 1)   ? "'descr' is missing"
                       : !(seen & 2) ? "'fortran_order' is missing"
                                     : "'shape' is missing");
    skip_space(&c);
    return c.at == c.end ? F0T_OK : bad(&c, "text behind the dictionary");
}
