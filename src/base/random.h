/*
 * Random numbers by counter (Philox4x32-10, Salmon et al., SC 2011): number i of a stream is a pure
 * function of (seed, stream, i). What a program draws does not depend on the number of threads, on
 * the order of the work, or on the platform.
 */
#ifndef F0T_BASE_RANDOM_H
#define F0T_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* A stream of numbers: the seed, and what the stream is for (an epoch, a layer, an image). */
typedef struct f0t_random {
    uint64_t seed;
    uint64_t stream;
} f0t_random;

/* Block i of the stream: four 32-bit numbers. */
void f0t_random_block(uint32_t out[4], const f0t_random *random, uint64_t i);

/* Number i of the stream: 64 bits, or uniform below `bound` (> 0), or uniform in [0, 1), or
 * standard normal. */
uint64_t f0t_random_u64(const f0t_random *random, uint64_t i);
uint64_t f0t_random_below(const f0t_random *random, uint64_t i, uint64_t bound);
double f0t_random_uniform(const f0t_random *random, uint64_t i);
double f0t_random_normal(const f0t_random *random, uint64_t i);

/* Puts `order` (n indices) into random order. */
void f0t_random_shuffle(uint32_t *order, size_t n, const f0t_random *random);

#endif
