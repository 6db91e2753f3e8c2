#include "base/random.h"

#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

static void philox_round(uint32_t c[4], uint32_t k0, uint32_t k1)
{
    uint64_t p0 = (uint64_t)0xD2511F53u * c[0];
    uint64_t p1 = (uint64_t)0xCD9E8D57u * c[2];
    uint32_t n0 = (uint32_t)(p1 >> 32) ^ c[1] ^ k0;
    uint32_t n2 = (uint32_t)(p0 >> 32) ^ c[3] ^ k1;
    c[1] = (uint32_t)p1;
    c[3] = (uint32_t)p0;
    c[0] = n0;
    c[2] = n2;
}

void f0t_random_block(uint32_t out[4], const f0t_random *random, uint64_t i)
{
    uint32_t k0 = (uint32_t)random->seed, k1 = (uint32_t)(random->seed >> 32);
    out[0] = (uint32_t)i;
    out[1] = (uint32_t)(i >> 32);
    out[2] = (uint32_t)random->stream;
    out[3] = (uint32_t)(random->stream >> 32);
    for (int round = 0; round < 10; round++) {
        philox_round(out, k0, k1);
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
}

uint64_t f0t_random_u64(const f0t_random *random, uint64_t i)
{
    uint32_t block[4];
    f0t_random_block(block, random, i);
    return (uint64_t)block[1] << 32 | block[0];
}

/* The high half of a 64 x 64 product (Lemire): the bias is below bound / 2^64. */
uint64_t f0t_random_below(const f0t_random *random, uint64_t i, uint64_t bound)
{
    return (uint64_t)(((uint128)f0t_random_u64(random, i) * bound) >> 64);
}

double f0t_random_uniform(const f0t_random *random, uint64_t i)
{
    return (double)(f0t_random_u64(random, i) >> 11) * 0x1p-53;
}

/* Natural logarithm from the four operations alone: libm's last bit differs between platforms. */
static double portable_log(double x)
{
    int exponent;
    double m = frexp(x, &exponent);
    if (m < 0.70710678118654752) {
        m *= 2;
        exponent--;
    }
    double z = (m - 1) / (m + 1), z2 = z * z, sum = 0;
    for (int k = 23; k >= 1; k -= 2)
        sum = sum * z2 + 1.0 / k;
    return 2 * z * sum + exponent * 0.69314718055994531;
}

/* Ratio of two polynomials given from the highest power down. */
static double rational(double x, const double *num, int n, const double *den, int d)
{
    double a = num[0], b = den[0];
    for (int i = 1; i < n; i++)
        a = a * x + num[i];
    for (int i = 1; i < d; i++)
        b = b * x + den[i];
    return a / b;
}

/* Inverse normal distribution, Wichura's PPND7 (AS 241): about 7 digits. */
double f0t_random_normal(const f0t_random *random, uint64_t i)
{
    static const double a[] = {5.9109374720E+01, 1.5929113202E+02, 5.0434271938E+01,
                               3.3871327179E+00};
    static const double b[] = {6.7187563600E+01, 7.8757757664E+01, 1.7895169469E+01, 1.0};
    static const double c[] = {1.7023821103E-01, 1.3067284816E+00, 2.7568153900E+00,
                               1.4234372777E+00};
    static const double d[] = {1.2021132975E-01, 7.3700164250E-01, 1.0};
    static const double e[] = {1.7337203997E-02, 4.2868294337E-01, 3.0812263860E+00,
                               6.6579051150E+00};
    static const double f[] = {1.2258202635E-02, 2.4197894225E-01, 1.0};
    /* 52 bits and a half: exact, never 0 or 1, and the same distance from both. */
    double u = ((double)(f0t_random_u64(random, i) >> 12) + 0.5) * 0x1p-52;
    double q = u - 0.5;
    if (fabs(q) <= 0.425)
        return q * rational(0.180625 - q * q, a, 4, b, 4);
    double r = sqrt(-portable_log(q < 0 ? u : 1 - u));
    double x = r <= 5 ? rational(r - 1.6, c, 4, d, 3) : rational(r - 5, e, 4, f, 3);
    return q < 0 ? -x : x;
}

void f0t_random_shuffle(uint32_t *order, size_t n, const f0t_random *random)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)f0t_random_below(random, i, i);
        uint32_t held = order[i - 1];
        order[i - 1] = order[j];
        order[j] = held;
    }
}
