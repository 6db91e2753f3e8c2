/* libFuzzer's mutations of two packets: mostly the same change of both, where they have the same bytes, so that they stay alike
 * but for keywords; else a change anywhere. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

/* libFuzzer's interface. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

enum { PIECE = 48, GROWN = 2 * PIECE };

/* Puts `length` bytes in place of `old` at `at`; the new size. */
static size_t replace(uint8_t *data, size_t size, size_t at, size_t old, const uint8_t *with,
                      size_t length)
{
    memmove(data + at + length, data + at + old, size - at - old);
    memcpy(data + at, with, length);
    return size + length - old;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    uint8_t piece[PIECE], changed[GROWN];
    const uint8_t *mark = size ? memmem(data, size, "\n%\n", 3) : NULL;
    const size_t first = mark ? (size_t)(mark - data) : 0;
    if (first < 2 || seed % 4 == 0)
        return LLVMFuzzerMutate(data, size, most);
    const size_t at = 1 + seed / 4 % (first - 1), left = first - at;
    const size_t length = 1 + seed / 64 % (left < PIECE ? left : PIECE);
    memcpy(piece, data + at, length);
    const uint8_t *again = memmem(mark + 3, size - first - 3, piece, length);
    if (!again || size + 2 * GROWN > most)
        return LLVMFuzzerMutate(data, size, most);
    memcpy(changed, piece, length);
    const size_t grown = LLVMFuzzerMutate(changed, length, GROWN);
    size = replace(data, size, (size_t)(again - data), length, changed, grown);
    return replace(data, size, at, length, changed, grown);
}
