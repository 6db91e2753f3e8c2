/* FNV-1a (Fowler, Noll and Vo): tells things apart that nobody made alike on purpose. */
#ifndef F0T_BASE_HASH_H
#define F0T_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define F0T_HASH_START UINT64_C(0xCBF29CE484222325)

/* Goes on from `hash`, which is F0T_HASH_START at first. */
static inline uint64_t f0t_hash(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001B3);
    return hash;
}

#endif
