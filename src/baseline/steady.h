/* Matrix products whose rows do not depend on how many there are. */
#ifndef F0T_BASELINE_STEADY_H
#define F0T_BASELINE_STEADY_H

#include "math/matmul.h"

/* Below this many rows other kernels run, which sum in another order; from here on a row's bytes are the
 * same for any number of rows with AVX-512. Before it, the last rows of some numbers of rows still sum in
 * another order: what is left is rounding. */
enum { F0T_STEADY_ROWS = 16 };

/* f0t_matmul_run for float32 with neither a_transposed nor accumulate; few rows are filled up with
 * zeros. Scores must not depend on the caller's blocks. */
f0t_status f0t_steady_run(float *c, const float *a, const float *b, const float *bias,
                          const f0t_matmul *op);

#endif
