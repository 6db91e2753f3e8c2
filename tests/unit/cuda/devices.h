/* The GPU beside the CPU: shared by the tests of src/cuda, which skip, saying why, where there is none. */
#ifndef F0T_TESTS_DEVICES_H
#define F0T_TESTS_DEVICES_H

#include "support.h"

#include "compute/device.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static inline const f0t_compute *gpu(void)
{
    const f0t_compute *found;
    if (f0t_device_find(&found, "cuda") == F0T_OK)
        return found;
    test_skip("no GPU: %s", f0t_last_error());
}

static inline float *random_floats(size_t n, uint64_t seed)
{
    float *x = NULL;
    assert_ok(f0t_alloc(&x, n + 1, sizeof *x));
    test_random_floats(x, n, seed);
    return x;
}

static inline f0t_buffer *buffer_of(const f0t_compute *compute, f0t_dtype type, const float *x,
                                    size_t n)
{
    f0t_buffer *buffer;
    assert_ok(f0t_buffer_create(&buffer, compute, type, n));
    if (x)
        assert_ok(compute->upload(buffer, 0, x, n));
    return buffer;
}

/* The content of two buffers differs by at most `tolerance` of the largest number. */
static inline void assert_near(const f0t_buffer *one, const f0t_buffer *other, size_t n,
                               double tolerance)
{
    float *x = random_floats(n, 1), *y = random_floats(n, 2);
    double largest = 1e-30, far = 0;
    assert_ok(one->compute->download(x, one, 0, n));
    assert_ok(other->compute->download(y, other, 0, n));
    for (size_t i = 0; i < n; i++) {
        assert_true(isfinite(x[i]) && isfinite(y[i]));
        largest = fmax(largest, fabs((double)x[i]));
        far = fmax(far, fabs((double)x[i] - (double)y[i]));
    }
    if (far > tolerance * largest)
        fail_msg("%zu numbers differ by up to %g of %g", n, far, largest);
    f0t_free(x);
    f0t_free(y);
}

static inline void free_all(f0t_buffer **buffers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        f0t_buffer_free(buffers[i]);
}

#endif
