/* Which kernels OpenBLAS uses. */
#ifndef F0T_MATH_BLAS_H
#define F0T_MATH_BLAS_H

/* Those of this CPU, also of one that it does not know. Called when the library is loaded; who uses OpenBLAS refers to it, so
 * that it is linked. */
void f0t_blas_choose(void);

#endif
