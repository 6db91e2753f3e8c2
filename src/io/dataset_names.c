#include "io/dataset_names.h"

#include "base/alloc.h"

#include <string.h>
#include <sys/random.h>
#include <time.h>

/* ---- Texts ------------------------------------------------------------------------------------ */

f0t_status f0t_texts_add(f0t_texts *texts, const char *text, size_t length)
{
    F0T_TRY(
        f0t_grow(&texts->starts, &texts->starts_capacity, texts->count, 2, sizeof *texts->starts));
    F0T_TRY(f0t_grow(&texts->bytes, &texts->capacity, texts->size, length, 1));
    F0T_TRY(f0t_grow(&texts->bytes, &texts->capacity, texts->size + length, 1, 1));
    texts->starts[texts->count] = texts->size;
    if (length)
        memcpy(texts->bytes + texts->size, text, length);
    texts->size += length;
    texts->bytes[texts->size++] = '\0';
    texts->starts[++texts->count] = texts->size;
    return F0T_OK;
}

const char *f0t_texts_get(const f0t_texts *texts, size_t i)
{
    return texts->bytes + texts->starts[i];
}

size_t f0t_texts_length(const f0t_texts *texts, size_t i)
{
    return texts->starts[i + 1] - texts->starts[i] - 1;
}

void f0t_texts_free(f0t_texts *texts)
{
    f0t_free(texts->bytes);
    f0t_free(texts->starts);
    *texts = (f0t_texts){0};
}

/* ---- Hash: SipHash-1-3 (Aumasson and Bernstein, 2012) ----------------------------------------------- */

static uint64_t rotate(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

static void sip_round(uint64_t v[4])
{
    v[0] += v[1];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[0] = rotate(v[0], 32);
    v[2] += v[3];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[2] = rotate(v[2], 32);
}

static uint64_t hash(const uint64_t key[2], const char *text, size_t length)
{
    uint64_t v[4] = {key[0] ^ 0x736f6d6570736575u, key[1] ^ 0x646f72616e646f6du,
                     key[0] ^ 0x6c7967656e657261u, key[1] ^ 0x7465646279746573u};
    uint64_t word;
    size_t i = 0;
    for (; i + 8 <= length; i += 8) {
        memcpy(&word, text + i, 8);
        v[3] ^= word;
        sip_round(v);
        v[0] ^= word;
    }
    word = (uint64_t)length << 56;
    for (size_t k = i; k < length; k++)
        word |= (uint64_t)(unsigned char)text[k] << (8 * (k - i));
    v[3] ^= word;
    sip_round(v);
    v[0] ^= word;
    v[2] ^= 0xFF;
    for (int k = 0; k < 3; k++)
        sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* The key orders nothing that anyone sees: indices are given in the order of arrival. */
static void draw_key(uint64_t key[2])
{
    struct timespec now;
    if (getrandom(key, 16, GRND_NONBLOCK) == 16)
        return;
    clock_gettime(CLOCK_REALTIME, &now);
    key[0] = (uint64_t)now.tv_sec ^ (uint64_t)(uintptr_t)&now;
    key[1] = (uint64_t)now.tv_nsec * 0x9E3779B97F4A7C15u;
}

/* ---- Names ----------------------------------------------------------------------------------------- */

/* The slot of the text, or the free slot where it belongs. */
static size_t find_slot(const f0t_names *names, const char *text, size_t length)
{
    size_t mask = names->slot_count - 1;
    size_t slot = (size_t)hash(names->key, text, length) & mask;
    for (; names->slots[slot]; slot = (slot + 1) & mask) {
        size_t i = names->slots[slot] - 1;
        if (f0t_texts_length(&names->texts, i) == length &&
            (!length || !memcmp(f0t_texts_get(&names->texts, i), text, length)))
            break;
    }
    return slot;
}

static f0t_status grow_table(f0t_names *names)
{
    f0t_names grown = *names;
    if (!names->slot_count)
        draw_key(grown.key);
    grown.slot_count = names->slot_count ? names->slot_count * 2 : 64;
    F0T_TRY(f0t_alloc_zero(&grown.slots, grown.slot_count, sizeof *grown.slots));
    for (size_t i = 0; i < names->texts.count; i++) {
        size_t slot =
            find_slot(&grown, f0t_texts_get(&names->texts, i), f0t_texts_length(&names->texts, i));
        grown.slots[slot] = (uint32_t)i + 1;
    }
    f0t_free(names->slots);
    *names = grown;
    return F0T_OK;
}

f0t_status f0t_names_add(f0t_names *names, const char *text, size_t length, uint32_t *index,
                         bool *added)
{
    if (names->texts.count >= UINT32_MAX - 1)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "more than %u distinct names", UINT32_MAX - 1);
    if (names->texts.count >= names->slot_count / 2)
        F0T_TRY(grow_table(names));
    size_t slot = find_slot(names, text, length);
    bool is_new = !names->slots[slot];
    if (is_new) {
        F0T_TRY(f0t_texts_add(&names->texts, text, length));
        names->slots[slot] = (uint32_t)names->texts.count;
    }
    *index = names->slots[slot] - 1;
    if (added)
        *added = is_new;
    return F0T_OK;
}

bool f0t_names_find(const f0t_names *names, const char *text, size_t length, uint32_t *index)
{
    if (!names->slot_count)
        return false;
    uint32_t found = names->slots[find_slot(names, text, length)];
    *index = found - 1;
    return found != 0;
}

const char *f0t_names_get(const f0t_names *names, size_t i)
{
    return f0t_texts_get(&names->texts, i);
}

size_t f0t_names_count(const f0t_names *names)
{
    return names->texts.count;
}

void f0t_names_free(f0t_names *names)
{
    f0t_texts_free(&names->texts);
    f0t_free(names->slots);
    *names = (f0t_names){0};
}
