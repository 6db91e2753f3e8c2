#include "base/hash.h"

#include <string.h>
#include <sys/random.h>
#include <time.h>

typedef struct state {
    uint64_t v0, v1, v2, v3;
} state;

static uint64_t rotate(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

static void mix(state *s)
{
    s->v0 += s->v1;
    s->v2 += s->v3;
    s->v1 = rotate(s->v1, 13) ^ s->v0;
    s->v3 = rotate(s->v3, 16) ^ s->v2;
    s->v0 = rotate(s->v0, 32);
    s->v2 += s->v1;
    s->v0 += s->v3;
    s->v1 = rotate(s->v1, 17) ^ s->v2;
    s->v3 = rotate(s->v3, 21) ^ s->v0;
    s->v2 = rotate(s->v2, 32);
}

static void absorb(state *s, uint64_t block)
{
    s->v3 ^= block;
    mix(s);
    s->v0 ^= block;
}

uint64_t f0t_siphash(const void *data, size_t size, uint64_t key0, uint64_t key1)
{
    state s = {key0 ^ UINT64_C(0x736f6d6570736575), key1 ^ UINT64_C(0x646f72616e646f6d),
               key0 ^ UINT64_C(0x6c7967656e657261), key1 ^ UINT64_C(0x7465646279746573)};
    const unsigned char *p = data;
    uint64_t block;
    size_t left = size;
    for (; left >= 8; left -= 8, p += 8) {
        memcpy(&block, p, 8);
        absorb(&s, block);
    }
    block = 0;
    if (left)
        memcpy(&block, p, left);
    absorb(&s, block | (uint64_t)size << 56);
    s.v2 ^= 0xFF;
    mix(&s);
    mix(&s);
    mix(&s);
    return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}

uint64_t f0t_siphash_draw_key(void)
{
    struct timespec now;
    uint64_t key;
    if (getrandom(&key, sizeof key, GRND_NONBLOCK) == (ssize_t)sizeof key)
        return key;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec ^ (uint64_t)(uintptr_t)&now ^
           (uint64_t)now.tv_nsec * UINT64_C(0x9E3779B97F4A7C15);
}
