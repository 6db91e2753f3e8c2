#include "base/kernels.h"

#include "math/floats.h"

void F0T_KERNEL(swish_block)(float *y, const float *x, size_t n, float slope)
{
    size_t i = 0;
    for (; i + F0T_FLOATS <= n; i += F0T_FLOATS)
        f0t_floats_write(y + i, f0t_floats_swish(f0t_floats_read(x + i), slope));
    if (i < n)
        f0t_floats_write_first(y + i, f0t_floats_swish(f0t_floats_read_first(x + i, n - i), slope),
                               n - i);
}

/* erf(x) for |x| up to 4, a quotient of polynomials: an error of 4e-7. */
static F0T_INLINE f0t_floats erf_near(f0t_floats x)
{
    const f0t_floats z = x * x;
    f0t_floats p = -2.72614225801306e-10F * z + 2.77068142495902e-08F;
    p = p * z - 2.10102402082508e-06F;
    p = p * z - 5.69250639462346e-05F;
    p = p * z - 7.34990630326855e-04F;
    p = p * z - 2.95459980854025e-03F;
    p = p * z - 1.60960333262415e-02F;
    f0t_floats q = -1.45660718464996e-05F * z - 2.13374055278905e-04F;
    q = q * z - 1.68282697438203e-03F;
    q = q * z - 7.37332916720468e-03F;
    q = q * z - 1.42647390514189e-02F;
    return x * p / q;
}

/* Beyond 4 it is 1 in all its digits. What is no number stays so. */
static F0T_INLINE f0t_floats gelu(f0t_floats x)
{
    const f0t_floats most = f0t_floats_all(4), half = 0.5F * x, scaled = 0.707106781F * x;
    const f0t_floats near =
        f0t_floats_smaller(most, f0t_floats_larger(-most, scaled)); /* the second, where none is */
    const f0t_floats size = half * erf_near(near) + half;
    const f0t_floats high = f0t_floats_choose((f0t_float_bits)(scaled > most), x, size);
    return f0t_floats_choose((f0t_float_bits)(scaled < -most), (f0t_floats){0}, high);
}

void F0T_KERNEL(gelu_block)(float *y, const float *x, size_t n)
{
    size_t i = 0;
    for (; i + F0T_FLOATS <= n; i += F0T_FLOATS)
        f0t_floats_write(y + i, gelu(f0t_floats_read(x + i)));
    if (i < n)
        f0t_floats_write_first(y + i, gelu(f0t_floats_read_first(x + i, n - i)), n - i);
}
