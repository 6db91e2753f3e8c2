/* The table of one CPU level. */
#include "base/kernels.h"

#define ENTRY(type, name, args) .name = F0T_KERNEL(name),
const f0t_kernel_table F0T_KERNEL(kernel_table) = {F0T_KERNELS(ENTRY)};
