/* f0t_svm_pairs for one type: ranksvm_kernels.c includes this with REAL and PAIRS defined. Sums over
 * one relevant tag are of that type, those over all tags are double. */

void F0T_KERNEL(PAIRS)(f0t_svm_sums *sums, REAL *gp, REAL *gn, const REAL *p, size_t np,
                       const REAL *n, size_t nn, f0t_svm_loss loss)
{
    const REAL k = (REAL)loss.k, cap = (REAL)loss.cap;
    memset(sums, 0, sizeof *sums);
    memset(gn, 0, nn * sizeof *gn);
    for (size_t i = 0; i < np; i++) {
        const REAL margin = 1 - p[i];
        REAL slope = 0, moment = 0, square = 0, slack = 0, zone = 0;
#pragma omp simd reduction(+ : slope, moment, square, slack, zone)
        for (size_t j = 0; j < nn; j++) {
            REAL z = margin + n[j];
            z = z > 0 ? z : 0;
            REAL g = k * z;
            zone += z > 0 && g < cap ? (REAL)1 : (REAL)0;
            g = g < cap ? g : cap;
            gn[j] += g;
            slope += g;
            moment += g * z;
            square += g * g;
            slack += z;
        }
        gp[i] = slope;
        sums->slope += (double)slope;
        sums->moment += (double)moment;
        sums->square += (double)square;
        sums->slack += (double)slack;
        sums->zone += (double)zone;
    }
}
