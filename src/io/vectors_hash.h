/* SipHash-1-3 (Aumasson and Bernstein, INDOCRYPT 2012): a hash with a key, so that words which
 * collide under one key do not collide under the next. */
#ifndef F0T_IO_VECTORS_HASH_H
#define F0T_IO_VECTORS_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t f0t_siphash(const void *data, size_t size, uint64_t key0, uint64_t key1);

#endif
