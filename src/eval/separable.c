#include "eval/separable.h"

#include "base/alloc.h"
#include "base/size.h"

#include <complex.h>
#include <math.h>

static const double pi = 3.14159265358979323846;
static const double log_ten = 2.30258509299404568402;

/* log(eᵃ + eᵇ) */
static double log_add(double a, double b)
{
    const double high = fmax(a, b), low = fmin(a, b);
    return isinf(low) ? high : high + log1p(exp(low - high));
}

static double log_choose(size_t n, size_t k)
{
    return lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1);
}

double f0t_cover_log10(size_t points, size_t dim)
{
    double sum = -HUGE_VAL;
    if (points <= dim + 1)
        return 0;
    for (size_t k = 0; k <= dim; k++)
        sum = log_add(sum, log_choose(points - 1, k));
    return fmin(0, (sum - (double)(points - 1) * log(2)) / log_ten);
}

/* ---- The normal distribution in the complex plane ------------------------------------------------ */

/* Faddeeva's w(z) = exp(−z²) erfc(−iz) for Im z ≥ 0 by J. A. C. Weideman's rational series ("Computation of
 * the complex error function", 1994): 12 digits. */
enum { TERMS = 40, SAMPLES = 4 * TERMS };

typedef struct faddeeva {
    double scale, factor[TERMS];
} faddeeva;

static faddeeva faddeeva_create(void)
{
    faddeeva f = {.scale = sqrt(TERMS / sqrt(2.0))};
    for (int n = 0; n < TERMS; n++) {
        double sum = 0;
        for (int k = 1 - SAMPLES / 2; k < SAMPLES / 2; k++) {
            const double theta = 2 * pi * k / SAMPLES, t = f.scale * tan(theta / 2);
            sum += exp(-t * t) * (f.scale * f.scale + t * t) * cos((n + 1) * theta);
        }
        f.factor[n] = sum / SAMPLES;
    }
    return f;
}

static double complex faddeeva_at(const faddeeva *f, double complex z)
{
    const double complex below = f->scale - I * z, turn = (f->scale + I * z) / below;
    double complex sum = 0;
    for (int n = TERMS - 1; n >= 0; n--)
        sum = sum * turn + f->factor[n];
    return 2 * sum / (below * below) + 1 / (sqrt(pi) * below);
}

/* M(z) = ∫₀^∞ exp(zx − x²/2) dx, without the factor exp(shift). */
static double complex moments(const faddeeva *f, double complex z, double shift)
{
    if (creal(z) <= 0)
        return sqrt(pi / 2) * faddeeva_at(f, -I * z / sqrt(2)) * exp(-shift);
    return sqrt(2 * pi) * cexp(z * z / 2 - shift) - moments(f, -z, shift);
}

/* M(θ) is exp(shift) times a number of moderate size. */
static double shift_of(double theta)
{
    return theta > 0 ? theta * theta / 2 : 0;
}

/* Mean and variance of x under the density exp(θx − x²/2) / M(θ). */
static void tilted(double *mean, double *variance, const faddeeva *f, double theta)
{
    const double shift = shift_of(theta), one = exp(-shift);
    const double m = creal(moments(f, theta, shift)), first = (one + theta * m) / m;
    *mean = first;
    *variance = 1 + theta * first - first * first;
}

/* ---- Inner angles ---------------------------------------------------------------------------------- */

/* The θ at which the sum of `a` numbers tilted by θ and that of `b` tilted by −θ are equal in the mean. */
static double saddle(const faddeeva *f, double a, double b, double *width)
{
    double low = -sqrt(a / b) - 2, high = sqrt(b / a) + 2, up[2], down[2];
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;
        tilted(&up[0], &up[1], f, middle);
        tilted(&down[0], &down[1], f, -middle);
        *(a * up[0] > b * down[0] ? &high : &low) = middle;
    }
    *width = 1 / sqrt(a * up[1] + b * down[1]);
    return (low + high) / 2;
}

/* The cone {x ≥ 0, the sum of a of them = the sum of b others} as a share of its linear hull:
 * √(m/2π) ∫ M(θ + it)ᵃ M(−θ − it)ᵇ dt / √(2π)ᵐ, m = a + b, for any θ; at the saddle nothing cancels. */
static double log_inner(const faddeeva *f, size_t a, size_t b)
{
    const double m = (double)(a + b), step = 0.02;
    double width, sum = 0.5;
    if (a == 1 && b == 1)
        return log(0.5);
    const double theta = saddle(f, (double)a, (double)b, &width);
    const double up = shift_of(theta), down = shift_of(-theta);
    const double up_at = creal(moments(f, theta, up)), down_at = creal(moments(f, -theta, down));
    for (int i = 1; i < 600; i++) {
        const double t = width * sinh(i * step);
        const double complex z = theta + I * t;
        const double complex all = (double)a * clog(moments(f, z, up) / up_at) +
                                   (double)b * clog(moments(f, -z, down) / down_at);
        if (creal(all) < -40)
            break;
        sum += creal(cexp(all)) * cosh(i * step);
    }
    return 0.5 * log(m / (2 * pi)) + (double)a * (log(up_at) + up) +
           (double)b * (log(down_at) + down) + log(2 * sum * step * width) - m / 2 * log(2 * pi);
}

f0t_status f0t_separable_create(f0t_separable *out, size_t dim, size_t most)
{
    const faddeeva f = faddeeva_create();
    size_t count;
    *out = (f0t_separable){.dim = dim, .most = most};
    if (!dim || !f0t_size_mul(&count, dim, most))
        return f0t_fail(F0T_ERROR_ARGUMENT, "angles of %zu points in %zu dimensions", most, dim);
    F0T_TRY(f0t_alloc(&out->inner, count, sizeof *out->inner));
    for (size_t a = 1; a <= most; a++)
        for (size_t b = 1; b <= dim; b++)
            out->inner[(a - 1) * dim + b - 1] = a + b <= dim ? log_inner(&f, a, b) : -HUGE_VAL;
    return F0T_OK;
}

void f0t_separable_free(f0t_separable *separable)
{
    f0t_free(separable->inner);
    *separable = (f0t_separable){0};
}

/* ---- Outer angles ---------------------------------------------------------------------------------- */

/* log Φ(s) */
static double log_normal(double s)
{
    if (s > -30)
        return log(0.5 * erfc(-s / sqrt(2)));
    return -s * s / 2 - log(-s * sqrt(2 * pi)) - 1 / (s * s);
}

/* √(m/2π) exp(−m s²/2) Φ(s)^more Φ(−s)^less, or with factor φ's own m = 1 for the apex. */
typedef struct bump {
    double m, more, less;
} bump;

static double bump_log(const bump *b, double s)
{
    double sum = 0.5 * log(b->m / (2 * pi)) - b->m * s * s / 2;
    sum += b->more > 0 ? b->more * log_normal(s) : 0;
    return sum + (b->less > 0 ? b->less * log_normal(-s) : 0);
}

/* The log of its integral: it is log-concave, with a curvature of at least m. */
static double bump_integral(const bump *b)
{
    double low = -40, high = 40;
    for (int i = 0; i < 45; i++) {
        const double left = low + 0.4 * (high - low), right = high - 0.4 * (high - low);
        if (bump_log(b, left) < bump_log(b, right))
            low = left;
        else
            high = right;
    }
    const double top = (low + high) / 2, peak = bump_log(b, top), h = 1e-3;
    const double bend = -(bump_log(b, top + h) - 2 * peak + bump_log(b, top - h)) / (h * h);
    const double step = 0.2 / sqrt(fmax(bend, b->m));
    double sum = 1;
    for (int side = -1; side < 2; side += 2)
        for (int i = 1; i < 2000; i++) {
            const double at = bump_log(b, top + side * i * step) - peak;
            if (at < -36)
                break;
            sum += exp(at);
        }
    return peak + log(sum * step);
}

/* ---- The chance ------------------------------------------------------------------------------------ */

/* log v_0: the largest of the y numbers and the largest of the others add up to less than 0. */
static double log_apex(double chosen, double others)
{
    return log(chosen) + bump_integral(&(bump){1, chosen - 1, others});
}

/* log v_k */
static double log_volume(const f0t_separable *s, size_t k, size_t chosen, size_t others)
{
    double sum = -HUGE_VAL;
    if (!k)
        return log_apex((double)chosen, (double)others);
    for (size_t a = 1; a <= chosen && a <= k; a++) {
        const size_t b = k + 1 - a;
        if (b > others)
            continue;
        const bump outer = {(double)(a + b), (double)(chosen - a), (double)(others - b)};
        sum = log_add(sum, log_choose(chosen, a) + log_choose(others, b) +
                               s->inner[(a - 1) * s->dim + b - 1] + bump_integral(&outer));
    }
    return sum;
}

double f0t_separable_log10(const f0t_separable *s, size_t points, size_t chosen)
{
    double sum = -HUGE_VAL, most = -HUGE_VAL;
    if (!chosen || chosen == points || points <= s->dim + 1)
        return 0;
    for (size_t k = s->dim; k-- > 0;) {
        if ((s->dim - 1 - k) % 2)
            continue;
        const double volume = log_volume(s, k, chosen, points - chosen);
        sum = log_add(sum, volume);
        /* Volumes have one peak along k: what follows is smaller still. */
        if (volume < most - 40)
            break;
        most = fmax(most, volume);
    }
    return fmin(0, (log(2) + sum) / log_ten);
}
