#include "onnx/prepared.h"

#include "base/alloc.h"
#include "base/size.h"
#include "io/file.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* The file: this, the key, the records, and their data, each at a multiple of PAGE. */
typedef struct header {
    char magic[8];
    uint64_t size; /* of the file */
    f0t_onnx_sums sums;
    uint32_t key, pieces; /* bytes; records */
    uint32_t checksum;    /* CRC-32 of the header with 0 here, the key and the records */
    uint32_t unused;
} header;

typedef struct record {
    uint32_t node, kind;
    uint64_t layout, bytes, offset;
} record;

enum { PAGE = 4096, MOST_PIECES = 1 << 20, MOST_KEY = 1 << 16 };

static const char magic[8] = {'F', '0', 'T', 'p', 'r', 'e', 'p', '1'};

struct f0t_onnx_prepared {
    char *path;
    f0t_map map;
    header header;
    record *records; /* a copy: what was checked may change in the file */
};

/* ---- Reading ------------------------------------------------------------------------------------ */

/* A file that somebody else wrote, or can write, may hold anything. */
static bool is_own(const char *path, const f0t_map *map)
{
    struct stat info;
    return lstat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
           !(info.st_mode & (S_IWGRP | S_IWOTH)) && (uint64_t)info.st_dev == map->device &&
           (uint64_t)info.st_ino == map->inode;
}

static uint32_t checksum_of(const header *h, const void *key, const void *records)
{
    header plain = *h;
    plain.checksum = 0;
    uLong sum = crc32_z(0, (const void *)&plain, sizeof plain);
    sum = crc32_z(sum, key, h->key);
    return (uint32_t)crc32_z(sum, records, h->pieces * sizeof(record));
}

/* Every piece lies behind the records, inside of the file. */
static bool pieces_fit(const f0t_onnx_prepared *p, size_t begin)
{
    for (size_t k = 0; k < p->header.pieces; k++) {
        const record *r = &p->records[k];
        if (r->offset % PAGE || r->offset < begin || r->offset > p->map.size ||
            r->bytes > p->map.size - r->offset)
            return false;
    }
    return true;
}

static f0t_status read_sound(bool *sound, f0t_onnx_prepared *p, const char *key)
{
    const size_t length = strlen(key);
    header *h = &p->header;
    *sound = false;
    if (p->map.size < sizeof *h)
        return F0T_OK;
    memcpy(h, p->map.data, sizeof *h);
    if (memcmp(h->magic, magic, sizeof magic) != 0 || h->size != p->map.size || h->key != length ||
        h->pieces > MOST_PIECES)
        return F0T_OK;
    const size_t begin = sizeof *h + length + h->pieces * sizeof(record);
    if (begin > p->map.size || memcmp(p->map.data + sizeof *h, key, length) != 0)
        return F0T_OK;
    F0T_TRY(f0t_alloc(&p->records, h->pieces, sizeof *p->records));
    memcpy(p->records, p->map.data + sizeof *h + length, h->pieces * sizeof *p->records);
    *sound = checksum_of(h, key, p->records) == h->checksum && pieces_fit(p, begin);
    return F0T_OK;
}

static void release(f0t_onnx_prepared *p)
{
    f0t_free(p->records);
    f0t_free(p->path);
    f0t_free(p);
}

f0t_status f0t_onnx_prepared_open(f0t_onnx_prepared **out, const char *path, const char *key)
{
    f0t_onnx_prepared *p;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&p, 1, sizeof *p));
    f0t_status status = f0t_string_copy(&p->path, path, strlen(path));
    const bool opened = status == F0T_OK && f0t_map_open(&p->map, path) == F0T_OK;
    bool sound = false;
    if (opened && is_own(path, &p->map))
        status = read_sound(&sound, p, key);
    if (sound) {
        *out = p;
        return F0T_OK;
    }
    if (opened)
        f0t_map_close(&p->map);
    release(p);
    return status;
}

void f0t_onnx_prepared_close(f0t_onnx_prepared *prepared)
{
    if (!prepared)
        return;
    f0t_map_close(&prepared->map);
    release(prepared);
}

size_t f0t_onnx_prepared_count(const f0t_onnx_prepared *prepared)
{
    return prepared ? prepared->header.pieces : 0;
}

f0t_onnx_piece f0t_onnx_prepared_piece(const f0t_onnx_prepared *prepared, size_t k)
{
    const record *r = &prepared->records[k];
    return (f0t_onnx_piece){r->node, r->kind, r->layout, r->bytes, prepared->map.data + r->offset};
}

const void *f0t_onnx_prepared_find(const f0t_onnx_prepared *p, const f0t_onnx_piece *piece)
{
    for (size_t k = 0; p && k < p->header.pieces; k++) {
        const record *r = &p->records[k];
        if (r->node == piece->node && r->kind == piece->kind && r->layout == piece->layout &&
            r->bytes == piece->bytes)
            return p->map.data + r->offset;
    }
    return NULL;
}

f0t_status f0t_onnx_prepared_check(const f0t_onnx_prepared *prepared)
{
    return prepared ? f0t_map_check(&prepared->map, prepared->path) : F0T_OK;
}

f0t_onnx_sums f0t_onnx_prepared_sums(const f0t_onnx_prepared *prepared)
{
    return prepared->header.sums;
}

/* ---- Writing ------------------------------------------------------------------------------------ */

static bool next_page(uint64_t *offset)
{
    size_t rounded;
    if (!f0t_size_round_up(&rounded, (size_t)*offset, PAGE))
        return false;
    *offset = rounded;
    return true;
}

/* Where everything goes; false where that is more than a file can be. */
static bool arrange(header *h, record *records, const f0t_onnx_piece *pieces, size_t count)
{
    uint64_t at = sizeof *h + h->key + count * sizeof *records;
    for (size_t k = 0; k < count; k++) {
        const f0t_onnx_piece *p = &pieces[k];
        if (!next_page(&at))
            return false;
        records[k] = (record){p->node, p->kind, p->layout, p->bytes, at};
        if (__builtin_add_overflow(at, p->bytes, &at))
            return false;
    }
    h->size = at;
    return true;
}

static f0t_status fill_up(f0t_writer *writer, uint64_t to)
{
    static const unsigned char zeros[PAGE];
    const uint64_t at = f0t_writer_position(writer);
    return at < to ? f0t_writer_write(writer, zeros, (size_t)(to - at)) : F0T_OK;
}

static f0t_status write_all(f0t_writer *writer, const header *h, const char *key,
                            const record *records, const f0t_onnx_piece *pieces)
{
    F0T_TRY(f0t_writer_write(writer, h, sizeof *h));
    F0T_TRY(f0t_writer_write(writer, key, h->key));
    F0T_TRY(f0t_writer_write(writer, records, h->pieces * sizeof *records));
    for (size_t k = 0; k < h->pieces; k++) {
        F0T_TRY(fill_up(writer, records[k].offset));
        F0T_TRY(f0t_writer_write(writer, pieces[k].data, (size_t)pieces[k].bytes));
    }
    return F0T_OK;
}

/* Where the lender is cut, its pieces read as zeros: seen before anything is written, or before it gets its name. */
static f0t_status write_file(const char *path, const header *h, const char *key,
                             const record *records, const f0t_onnx_piece *pieces,
                             const f0t_onnx_prepared *lender)
{
    f0t_writer *writer;
    F0T_TRY(f0t_onnx_prepared_check(lender));
    F0T_TRY(f0t_writer_open_private(&writer, path));
    f0t_status status = write_all(writer, h, key, records, pieces);
    if (status == F0T_OK)
        status = f0t_onnx_prepared_check(lender);
    return f0t_writer_finish(writer, status);
}

f0t_status f0t_onnx_prepared_write(const char *path, const char *key, f0t_onnx_sums sums,
                                   const f0t_onnx_piece *pieces, size_t count,
                                   const f0t_onnx_prepared *lender)
{
    header h = {.sums = sums, .key = (uint32_t)strlen(key), .pieces = (uint32_t)count};
    record *records;
    if (count > MOST_PIECES || strlen(key) > MOST_KEY)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "%s: the network has too many pieces to be kept",
                        path);
    memcpy(h.magic, magic, sizeof magic);
    F0T_TRY(f0t_alloc_zero(&records, count, sizeof *records));
    f0t_status status = arrange(&h, records, pieces, count)
                            ? F0T_OK
                            : f0t_fail(F0T_ERROR_UNSUPPORTED, "%s: it would be too large", path);
    h.checksum = checksum_of(&h, key, records);
    if (status == F0T_OK)
        status = write_file(path, &h, key, records, pieces, lender);
    f0t_free(records);
    return status;
}
