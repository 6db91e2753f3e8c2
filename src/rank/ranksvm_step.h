/* How far to go along a direction: the root of a slope that only grows. */
#ifndef F0T_RANK_RANKSVM_STEP_H
#define F0T_RANK_RANKSVM_STEP_H

/* The slope of a convex function at t. */
typedef double (*f0t_svm_slope)(void *context, double t);

/* A t > 0 at which the slope is at most a tenth of start = slope(0) < 0 in size, or the nearest that
 * was found. Tries 1 first. */
double f0t_svm_step(f0t_svm_slope slope, void *context, double start);

#endif
