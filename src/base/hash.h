/*
 * The two hashes of the library, both of 64 bits. FNV-1a (Fowler, Noll and Vo) distinguishes things that
 * nobody made collide on purpose, and continues from call to call. SipHash-1-3 (Aumasson and Bernstein,
 * INDOCRYPT 2012) has a key, so that texts which collide under one key do not collide under the next:
 * for tables of what comes from a file.
 */
#ifndef F0T_BASE_HASH_H
#define F0T_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define F0T_HASH_START UINT64_C(0xCBF29CE484222325)

/* Continues from `hash`, which is F0T_HASH_START at first. */
static inline uint64_t f0t_hash(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001B3);
    return hash;
}

uint64_t f0t_siphash(const void *data, size_t size, uint64_t key0, uint64_t key1);

/* A key that nobody knows in advance: for tables whose order is not visible. */
uint64_t f0t_siphash_draw_key(void);

#endif
