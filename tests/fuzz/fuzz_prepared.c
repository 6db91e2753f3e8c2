/* The weights of a network that are kept, of a stranger who could write into the user's own folder: every piece of them is
 * read, looked up, and written again. Size and checksum of an input are made right, or nothing behind them would be reached. */
#include "fuzz.h"
#include "scratch.h"

#include "onnx/prepared.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { SIZE = 8, KEY = 24, PIECES = 28, CHECKSUM = 32, HEADER = 40, RECORD = 32, KEY_MOST = 256 };

static char folder[4096], path[sizeof folder + 16], copy[sizeof folder + 16];

static void clean(void)
{
    unlink(path);
    unlink(copy);
    rmdir(folder);
}

static void prepare(void)
{
    if (*folder)
        return;
    make_folder(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/network", folder);
    snprintf(copy, sizeof copy, "%s/again", folder);
    atexit(clean);
}

/* The key that the file is for. */
static void sign(uint8_t *file, size_t size, char key[KEY_MOST])
{
    uint32_t length, pieces, sum = 0;
    memcpy(&length, file + KEY, sizeof length);
    memcpy(&pieces, file + PIECES, sizeof pieces);
    if (length >= KEY_MOST || length > size - HEADER)
        return;
    memcpy(key, file + HEADER, length);
    memcpy(file + SIZE, &(uint64_t){size}, sizeof(uint64_t));
    if (pieces > (size - HEADER - length) / RECORD)
        return;
    memcpy(file + CHECKSUM, &sum, sizeof sum);
    sum = (uint32_t)crc32_z(0, file, HEADER + length + (size_t)pieces * RECORD);
    memcpy(file + CHECKSUM, &sum, sizeof sum);
}

static void write_whole(const uint8_t *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0 || chmod(path, 0600) != 0)
        abort();
}

static void use(const f0t_onnx_prepared *p, const char *key)
{
    enum { MOST = 1000 };
    const size_t count = f0t_onnx_prepared_count(p);
    f0t_onnx_piece pieces[MOST];
    f0t_onnx_prepared *again;
    volatile uLong sum = 0; /* kept by the compiler */
    for (size_t k = 0; k < count && k < MOST; k++) {
        pieces[k] = f0t_onnx_prepared_piece(p, k);
        sum = crc32_z(sum, pieces[k].data, pieces[k].bytes);
        if (!f0t_onnx_prepared_find(p, &pieces[k]))
            abort();
    }
    if (count > 8 || f0t_onnx_prepared_check(p) != F0T_OK)
        return;
    if (f0t_onnx_prepared_write(copy, key, f0t_onnx_prepared_sums(p), pieces, count, p) != F0T_OK ||
        f0t_onnx_prepared_open(&again, copy, key) != F0T_OK || !again)
        abort();
    for (size_t k = 0; k < count; k++) {
        const f0t_onnx_piece piece = f0t_onnx_prepared_piece(again, k);
        if (piece.bytes != pieces[k].bytes || memcmp(piece.data, pieces[k].data, piece.bytes) != 0)
            abort();
    }
    f0t_onnx_prepared_close(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char key[KEY_MOST] = "";
    f0t_onnx_prepared *prepared;
    uint8_t *file = malloc(size ? size : 1);
    prepare();
    if (file && size)
        memcpy(file, data, size);
    if (file && size >= HEADER)
        sign(file, size, key);
    if (file)
        write_whole(file, size);
    if (file && f0t_onnx_prepared_open(&prepared, path, key) == F0T_OK && prepared) {
        use(prepared, key);
        f0t_onnx_prepared_close(prepared);
    }
    free(file);
    return 0;
}
