#include "rank/ranksvm_kernels.h"

#define TABLE(level)                                                                              \
    {                                                                                             \
        f0t_svm_pairs_f32_##level, f0t_svm_pairs_f64_##level, f0t_svm_zone_product_##level,       \
            f0t_svm_zone_row_##level, f0t_svm_sum_rows_##level, f0t_svm_product_lower_##level,    \
            f0t_svm_add_grounded_##level, f0t_svm_cholesky_##level, f0t_svm_product_rows_##level, \
            f0t_svm_gather_##level, f0t_svm_dot_##level, f0t_svm_dot_mixed_##level,               \
            f0t_svm_dot_f64_##level, f0t_svm_add_##level, f0t_svm_add_f32_##level                 \
    }

static const f0t_svm_kernels tables[F0T_CPU_LEVELS] = {
    [F0T_CPU_V1] = TABLE(v1), [F0T_CPU_V3] = TABLE(v3), [F0T_CPU_V4] = TABLE(v4)};

const f0t_svm_kernels *f0t_svm_kernels_get(void)
{
    return &tables[f0t_cpu_level()];
}
