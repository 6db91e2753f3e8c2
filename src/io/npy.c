/* NumPy's .npy. The format: numpy/lib/format.py, NEP 1. */
#include "io/npy.h"

#include "base/alloc.h"
#include "base/size.h"

#include <stdio.h>
#include <string.h>

/* ---- The dictionary of the header, a Python literal ------------------------------------------- */

typedef struct npy_header {
    int version;
    f0t_dtype dtype;
    bool swapped, fortran;
    size_t dims, shape[F0T_NPY_DIMS];
    size_t count;  /* elements */
    size_t offset; /* of the first element in the file */
} npy_header;

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

static f0t_status read_shape(cursor *c, npy_header *h)
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

static f0t_status read_descr(cursor *c, npy_header *h)
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
static f0t_status read_entry(cursor *c, npy_header *h, unsigned *seen)
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
        return bad(c, "':' is missing after a key");
    return k == 0 ? read_descr(c, h) : k == 1 ? read_bool(c, &h->fortran) : read_shape(c, h);
}

/* Reads the dictionary, text[0, size), which begins at byte `offset` of the file: dtype, swapped,
 * fortran, dims and shape. `version` is known already. */
static f0t_status dict_parse(npy_header *h, const char *dict, size_t size, size_t offset,
                             const char *name)
{
    cursor c = {dict, dict, dict + size, offset, name, h->version < 3};
    unsigned seen = 0;
    bool comma = true;
    if (!take(&c, '{'))
        return bad(&c, "a dictionary {'descr': …, 'fortran_order': …, 'shape': …} is expected");
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
    return c.at == c.end ? F0T_OK : bad(&c, "text after the dictionary");
}

/* ---- The header ------------------------------------------------------------------------------- */

/* "3 x 4 float32", cut with … when it is long. */
static void describe(const npy_header *h, char out[160])
{
    size_t used = 0;
    for (size_t i = 0; i < h->dims && used < 100; i++)
        used += (size_t)snprintf(out + used, 160 - used, "%s%zu", i ? " x " : "", h->shape[i]);
    snprintf(out + used, 160 - used, "%s%s",
             used >= 100 ? " … "
             : used      ? " "
                         : "one ",
             f0t_dtype_name(h->dtype));
}

/* Elements and bytes. As NumPy has it, sizes beside a 0 must multiply to something sane too. */
static f0t_status count_elements(npy_header *h, size_t *bytes, const char *name)
{
    bool empty = false;
    *bytes = f0t_dtype_size(h->dtype);
    for (size_t i = 0; i < h->dims; i++) {
        empty = empty || !h->shape[i];
        if ((h->shape[i] && !f0t_size_mul(bytes, *bytes, h->shape[i])) || *bytes > PTRDIFF_MAX)
            return f0t_fail(F0T_ERROR_FORMAT, "%s: the sizes in 'shape' multiply to too much",
                            name);
    }
    *bytes = empty ? 0 : *bytes;
    h->count = *bytes / f0t_dtype_size(h->dtype);
    return F0T_OK;
}

static f0t_status check_size(npy_header *h, size_t size, const char *name)
{
    size_t bytes;
    char what[160];
    F0T_TRY(count_elements(h, &bytes, name));
    describe(h, what);
    if (size - h->offset < bytes)
        return f0t_fail(F0T_ERROR_FORMAT,
                        "%s: the file is cut: its header says %s, %zu bytes, and %zu are there",
                        name, what, bytes, size - h->offset);
    if (size - h->offset > bytes)
        return f0t_fail(F0T_ERROR_FORMAT,
                        "%s: %zu bytes follow the array (%s, %zu bytes): not a file of one array",
                        name, size - h->offset - bytes, what, bytes);
    return F0T_OK;
}

/* Reads the header of a file of `size` bytes and checks it against that size: nothing may be
 * missing, and nothing may follow. `name` is for messages. */
static f0t_status header_parse(npy_header *h, const void *file, size_t size, const char *name)
{
    static const unsigned char magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
    const unsigned char *bytes = file;
    *h = (npy_header){0};
    if (size < 8 || memcmp(bytes, magic, sizeof magic) != 0)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: is no npy file (its first bytes are not \\x93NUMPY)",
                        name);
    h->version = bytes[6];
    if (h->version < 1 || h->version > 3 || bytes[7] != 0)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "%s: npy version %d.%d is not 1.0, 2.0 or 3.0", name,
                        bytes[6], bytes[7]);
    size_t width = h->version == 1 ? 2 : 4, length = 0, dict = 8 + width;
    if (size < dict)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: the file is cut after %zu bytes", name, size);
    for (size_t i = width; i-- > 0;)
        length = length << 8 | bytes[8 + i];
    if (length > size - dict)
        return f0t_fail(F0T_ERROR_FORMAT,
                        "%s: the header says that it is %zu bytes long, and %zu are there", name,
                        length, size - dict);
    h->offset = dict + length;
    F0T_TRY(dict_parse(h, (const char *)bytes + dict, length, dict, name));
    return check_size(h, size, name);
}

/* ---- Reading ---------------------------------------------------------------------------------- */

struct f0t_npy {
    char *name;
    f0t_map map; /* of f0t_npy_open */
    const unsigned char *elements;
    npy_header header;
};

static f0t_status create(f0t_npy **out, const char *name)
{
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(out, 1, sizeof **out));
    f0t_status status = f0t_string_copy(&(*out)->name, name, strlen(name));
    if (status != F0T_OK) {
        f0t_free(*out);
        *out = NULL;
    }
    return status;
}

static f0t_status start(f0t_npy *npy, const void *data, size_t size)
{
    F0T_TRY(header_parse(&npy->header, data, size, npy->name));
    npy->elements = (const unsigned char *)data + npy->header.offset;
    return F0T_OK;
}

f0t_status f0t_npy_open(f0t_npy **out, const char *path)
{
    F0T_TRY(create(out, path));
    f0t_status status = f0t_map_open(&(*out)->map, path);
    if (status == F0T_OK)
        status = start(*out, (*out)->map.data, (*out)->map.size);
    if (status != F0T_OK) {
        f0t_npy_close(*out);
        *out = NULL;
    }
    return status;
}

f0t_status f0t_npy_open_memory(f0t_npy **out, const void *data, size_t size, const char *name)
{
    F0T_TRY(create(out, name));
    f0t_status status = start(*out, data, size);
    if (status != F0T_OK) {
        f0t_npy_close(*out);
        *out = NULL;
    }
    return status;
}

f0t_status f0t_npy_open_matrix(f0t_npy **out, const void *elements, f0t_dtype dtype, size_t rows,
                               size_t cols, const char *name)
{
    size_t count, bytes;
    *out = NULL;
    if (!f0t_size_mul(&count, rows, cols) || !f0t_size_mul(&bytes, count, f0t_dtype_size(dtype)))
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s: %zu x %zu numbers are more than memory can hold",
                        name, rows, cols);
    F0T_TRY(create(out, name));
    (*out)->elements = elements;
    (*out)->header = (npy_header){.dtype = dtype, .dims = 2, .shape = {rows, cols}, .count = count};
    return F0T_OK;
}

void f0t_npy_close(f0t_npy *npy)
{
    if (!npy)
        return;
    f0t_map_close(&npy->map);
    f0t_free(npy->name);
    f0t_free(npy);
}

f0t_dtype f0t_npy_dtype(const f0t_npy *npy)
{
    return npy->header.dtype;
}

size_t f0t_npy_dims(const f0t_npy *npy)
{
    return npy->header.dims;
}

const size_t *f0t_npy_shape(const f0t_npy *npy)
{
    return npy->header.shape;
}

size_t f0t_npy_count(const f0t_npy *npy)
{
    return npy->header.count;
}

bool f0t_npy_fortran(const f0t_npy *npy)
{
    return npy->header.fortran;
}

bool f0t_npy_swapped(const f0t_npy *npy)
{
    return npy->header.swapped;
}

int f0t_npy_version(const f0t_npy *npy)
{
    return npy->header.version;
}

f0t_status f0t_npy_matrix(size_t *rows, size_t *cols, const f0t_npy *npy)
{
    const npy_header *h = &npy->header;
    *rows = *cols = 0;
    if (h->dims > 2)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: has %zu dimensions, a matrix (two) is expected",
                        npy->name, h->dims);
    *rows = h->dims > 0 ? h->shape[0] : 1;
    *cols = h->dims > 1 ? h->shape[1] : 1;
    if (*rows && !*cols)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: has %zu rows without columns", npy->name, *rows);
    return F0T_OK;
}

/* An array with one long dimension at most is the same in both orders. */
static bool column_major(const npy_header *h)
{
    size_t longer = 0;
    for (size_t i = 0; i < h->dims; i++)
        longer += h->shape[i] != 1;
    return h->fortran && longer > 1;
}

const void *f0t_npy_data(const f0t_npy *npy)
{
    const npy_header *h = &npy->header;
    bool aligned = (uintptr_t)npy->elements % f0t_dtype_size(h->dtype) == 0;
    return h->swapped || !aligned || column_major(h) ? NULL : npy->elements;
}

/* `n` elements that lie in a row on disk, as float32. */
static void convert(const npy_header *h, float *to, const unsigned char *from, size_t n)
{
    unsigned char block[4096];
    size_t size = f0t_dtype_size(h->dtype);
    if (!h->swapped) {
        f0t_dtype_to_f32(to, from, h->dtype, n);
        return;
    }
    for (size_t done = 0, part; done < n; done += part) {
        part = n - done < sizeof block / size ? n - done : sizeof block / size;
        memcpy(block, from + done * size, part * size);
        f0t_swap_bytes(block, size, part);
        f0t_dtype_to_f32(to + done, block, h->dtype, part);
    }
}

enum { TILE_ROWS = 256, TILE_COLS = 16 };

/* Columns lie in a row on disk. A tile takes a strip of each of 16 columns, so that what is written
 * of a row is one cache line. */
static void read_tile(const f0t_npy *npy, size_t row, size_t rows, size_t col, size_t cols,
                      float *to)
{
    float tile[TILE_COLS][TILE_ROWS];
    const npy_header *h = &npy->header;
    size_t size = f0t_dtype_size(h->dtype);
    for (size_t c = 0; c < cols; c++)
        convert(h, tile[c], npy->elements + ((col + c) * h->shape[0] + row) * size, rows);
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < cols; c++)
            to[r * h->shape[1] + col + c] = tile[c][r];
}

/* Strip by strip down the columns: pages of the file are met in their order. */
static void read_column_major(const f0t_npy *npy, size_t first, size_t count, float *to)
{
    size_t all = npy->header.shape[1];
    for (size_t col = 0; col < all; col += TILE_COLS)
        for (size_t r = 0; r < count; r += TILE_ROWS)
            read_tile(npy, first + r, count - r < TILE_ROWS ? count - r : TILE_ROWS, col,
                      all - col < TILE_COLS ? all - col : TILE_COLS, to + r * all);
}

f0t_status f0t_npy_read_rows(float *to, const f0t_npy *npy, size_t first, size_t count)
{
    const npy_header *h = &npy->header;
    size_t rows, cols;
    F0T_TRY(f0t_npy_matrix(&rows, &cols, npy));
    if (first > rows || count > rows - first)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s: rows %zu to %zu are expected, and there are %zu",
                        npy->name, first, first + count, rows);
    if (column_major(h))
        read_column_major(npy, first, count, to);
    else
        convert(h, to, npy->elements + first * cols * f0t_dtype_size(h->dtype), count * cols);
    return f0t_map_check(&npy->map, npy->name);
}

f0t_status f0t_npy_read_elements(void *to, const f0t_npy *npy, size_t first, size_t count)
{
    const npy_header *h = &npy->header;
    size_t size = f0t_dtype_size(h->dtype);
    if (first > h->count || count > h->count - first)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s: elements %zu to %zu are expected, there are %zu",
                        npy->name, first, first + count, h->count);
    if (count)
        memcpy(to, npy->elements + first * size, count * size);
    if (h->swapped)
        f0t_swap_bytes(to, size, count);
    return f0t_map_check(&npy->map, npy->name);
}

/* ---- Writing ---------------------------------------------------------------------------------- */

enum { HEADER_SIZE = 128, BLOCK = 4096 };

struct f0t_npy_writer {
    f0t_writer *file;
    f0t_dtype dtype;
    size_t rows, cols;
};

/* The header has room for any number of rows, so that it can be written first and put right at the
 * end. NumPy pads it with spaces and a newline to a multiple of 64; 10 bytes are before it. */
static void make_header(const f0t_npy_writer *w, char out[HEADER_SIZE])
{
    const char order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>';
    memset(out, ' ', HEADER_SIZE);
    memcpy(out, "\x93NUMPY\x01\x00", 8);
    out[8] = (HEADER_SIZE - 10) & 0xFF;
    out[9] = (HEADER_SIZE - 10) >> 8;
    int n = snprintf(out + 10, HEADER_SIZE - 10,
                     "{'descr': '%cf%zu', 'fortran_order': False, 'shape': (%zu, %zu), }", order,
                     f0t_dtype_size(w->dtype), w->rows, w->cols);
    out[10 + n] = ' ';
    out[HEADER_SIZE - 1] = '\n';
}

f0t_status f0t_npy_create(f0t_npy_writer **out, const char *path, f0t_dtype dtype, size_t cols)
{
    char header[HEADER_SIZE];
    *out = NULL;
    if (dtype != F0T_F32 && dtype != F0T_F16 && dtype != F0T_F64)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s: npy files are written as float16, 32 or 64", path);
    if (!cols)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s: a matrix without columns", path);
    f0t_npy_writer *w;
    F0T_TRY(f0t_alloc_zero(&w, 1, sizeof *w));
    w->dtype = dtype;
    w->cols = cols;
    make_header(w, header);
    f0t_status status = f0t_writer_open(&w->file, path);
    if (status == F0T_OK)
        status = f0t_writer_write(w->file, header, sizeof header);
    if (status != F0T_OK)
        f0t_npy_abort(w);
    else
        *out = w;
    return status;
}

static f0t_status write_block(f0t_npy_writer *w, const float *from, size_t n)
{
    union {
        uint16_t f16[BLOCK];
        double f64[BLOCK];
    } block;
    if (w->dtype == F0T_F16)
        f0t_f32_to_f16(block.f16, from, n);
    else
        for (size_t i = 0; i < n; i++)
            block.f64[i] = (double)from[i];
    return f0t_writer_write(w->file, &block, n * f0t_dtype_size(w->dtype));
}

f0t_status f0t_npy_write_rows(f0t_npy_writer *w, const float *from, size_t rows)
{
    size_t n, total;
    if (!f0t_size_mul(&n, rows, w->cols) || !f0t_size_mul(&total, n, sizeof *from) ||
        !f0t_size_add(&total, w->rows, rows))
        return f0t_fail(F0T_ERROR_ARGUMENT, "%zu rows of %zu numbers are too many", rows, w->cols);
    w->rows = total;
    if (w->dtype == F0T_F32)
        return f0t_writer_write(w->file, from, n * sizeof *from);
    for (size_t done = 0, part; done < n; done += part) {
        part = n - done < BLOCK ? n - done : BLOCK;
        F0T_TRY(write_block(w, from + done, part));
    }
    return F0T_OK;
}

f0t_status f0t_npy_commit(f0t_npy_writer *w)
{
    char header[HEADER_SIZE];
    make_header(w, header);
    f0t_status status = f0t_writer_patch(w->file, 0, header, sizeof header);
    status = f0t_writer_finish(w->file, status);
    f0t_free(w);
    return status;
}

void f0t_npy_abort(f0t_npy_writer *w)
{
    if (!w)
        return;
    f0t_writer_abort(w->file);
    f0t_free(w);
}
