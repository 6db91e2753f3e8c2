#include "compute/dropout.h"

#include "base/kernels.h"
#include "base/team.h"

#include <math.h>
#include <string.h>

/* Elements that a thread takes at a time: a multiple of F0T_DROPOUT_GROUP. */
enum { CHUNK = 1 << 14 };

f0t_dropout f0t_dropout_make(double rate, uint64_t seed, uint64_t step, size_t layer)
{
    uint32_t limit = (uint32_t)lrint(rate * 65536);
    limit = limit > 65535 ? 65535 : limit;
    return (f0t_dropout){.random = {.seed = seed, .stream = step << 8 | layer},
                         .limit = limit,
                         .scale = (float)(65536.0 / (65536.0 - limit))};
}

uint32_t f0t_dropout_number(const f0t_random *random, uint64_t e)
{
    uint32_t words[4];
    uint64_t group = e / F0T_DROPOUT_GROUP, at = e % F0T_DROPOUT_GROUP;
    f0t_random_block(words, random, group * 64 + at % 64);
    return words[at / 128] >> at / 64 % 2 * 16 & 0xFFFF;
}

static void input_chunk(void *y, f0t_dtype type, const float *x, size_t first, size_t n,
                        const f0t_dropout *dropout)
{
    float *y32 = (float *)y + first;
    uint16_t *y16 = (uint16_t *)y + first;
    if (dropout->limit && type == F0T_F32) {
        f0t_kernels()->drop_f32(y32, x + first, dropout->first + first, n, dropout);
    } else if (dropout->limit) {
        f0t_kernels()->drop_to_bf16(y16, x + first, dropout->first + first, n, dropout);
    } else if (type == F0T_F32) {
        memcpy(y32, x + first, n * sizeof *x);
    } else {
        f0t_f32_to_bf16(y16, x + first, n);
    }
}

void f0t_layer_input(void *y, f0t_dtype type, const float *x, size_t n, const f0t_dropout *dropout)
{
#pragma omp parallel for schedule(static) num_threads(f0t_team_size())
    for (size_t first = 0; first < n; first += CHUNK)
        input_chunk(y, type, x, first, n - first < CHUNK ? n - first : CHUNK, dropout);
}

void f0t_layer_drop(void *y, f0t_dtype type, size_t n, const f0t_dropout *dropout)
{
    if (!dropout->limit)
        return;
#pragma omp parallel for schedule(static) num_threads(f0t_team_size())
    for (size_t first = 0; first < n; first += CHUNK) {
        float *y32 = (float *)y + first;
        uint16_t *y16 = (uint16_t *)y + first;
        size_t count = n - first < CHUNK ? n - first : CHUNK;
        if (type == F0T_F32) {
            f0t_kernels()->drop_f32(y32, y32, dropout->first + first, count, dropout);
        } else {
            f0t_kernels()->drop_bf16(y16, y16, dropout->first + first, count, dropout);
        }
    }
}

static size_t strip_width(size_t cols, size_t first)
{
    return cols - first < F0T_STRIP ? cols - first : F0T_STRIP;
}

/* Threads share the columns, not the rows: the sums are the same for any number of threads. */
void f0t_layer_gate(void *d, const void *y, f0t_dtype type, size_t rows, size_t cols, float scale,
                    float *sums)
{
#pragma omp parallel for schedule(static) num_threads(f0t_team_size())
    for (size_t c = 0; c < cols; c += F0T_STRIP) {
        size_t n = strip_width(cols, c);
        if (type == F0T_F32) {
            float *to = (float *)d + c;
            const float *by = (const float *)y + c;
            f0t_kernels()->gate_f32(to, by, cols, rows, n, scale, sums + c);
        } else {
            uint16_t *to = (uint16_t *)d + c;
            const uint16_t *by = (const uint16_t *)y + c;
            f0t_kernels()->gate_bf16(to, by, cols, rows, n, scale, sums + c);
        }
    }
}

void f0t_layer_output(void *to, f0t_dtype type, const float *d, size_t rows, size_t cols,
                      float *sums)
{
#pragma omp parallel for schedule(static) num_threads(f0t_team_size())
    for (size_t c = 0; c < cols; c += F0T_STRIP)
        f0t_kernels()->column_sums(sums + c, d + c, cols, rows, strip_width(cols, c));
    if (type == F0T_BF16)
        f0t_f32_to_bf16(to, d, rows * cols);
    else if (to != d)
        memcpy(to, d, rows * cols * sizeof *d);
}
