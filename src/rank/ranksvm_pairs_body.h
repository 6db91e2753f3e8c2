/* f0t_svm_pairs for one type: ranksvm_kernels.c includes this with REAL, ROW and PAIRS defined. Sums
 * over one relevant tag are of that type, those over all tags are double. */

/* The pairs of one relevant tag, 1 − its score being `margin`. The conditions stand one by one and
 * choose between two numbers: so the loop has no branch and becomes vector instructions. */
static REAL ROW(f0t_svm_sums *restrict sums, REAL *restrict gn, const REAL *restrict n, size_t nn,
                REAL margin, REAL k, REAL cap)
{
    REAL slope = 0, moment = 0, square = 0, slack = 0, zone = 0;
#pragma omp simd reduction(+ : slope, moment, square, slack, zone)
    for (size_t j = 0; j < nn; j++) {
        REAL z = margin + n[j];
        REAL in = z > 0 ? (REAL)1 : (REAL)0;
        z = z > 0 ? z : 0;
        REAL g = k * z;
        in = g < cap ? in : 0;
        g = g < cap ? g : cap;
        gn[j] += g;
        slope += g;
        moment += g * z;
        square += g * g;
        slack += z;
        zone += in;
    }
    sums->slope += (double)slope;
    sums->moment += (double)moment;
    sums->square += (double)square;
    sums->slack += (double)slack;
    sums->zone += (double)zone;
    return slope;
}

void F0T_KERNEL(PAIRS)(f0t_svm_sums *sums, REAL *gp, REAL *gn, const REAL *p, size_t np,
                       const REAL *n, size_t nn, f0t_svm_loss loss)
{
    memset(sums, 0, sizeof *sums);
    memset(gn, 0, nn * sizeof *gn);
    for (size_t i = 0; i < np; i++)
        gp[i] = ROW(sums, gn, n, nn, 1 - p[i], (REAL)loss.k, (REAL)loss.cap);
}
