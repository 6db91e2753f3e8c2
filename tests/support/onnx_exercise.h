/* What a hostile network is put through, by the fuzz target and by unit tests. */
#ifndef F0T_TESTS_ONNX_EXERCISE_H
#define F0T_TESTS_ONNX_EXERCISE_H

#include "base/status.h"

/* Opens a network, describes it, takes the layers that make classes out of it, schedules it for one picture and
 * for three, runs it on numbers of every kind (NaN, infinite, huge) where that takes little, reads all results,
 * and compares their shapes with those of the plain operators; aborts when they differ. Gives what opening
 * gave. */
f0t_status onnx_exercise(const void *data, size_t size);

/* Where it is a network of pictures, runs it as one, makes one of eight bits of it, which must give as many numbers, and runs
 * that one, too. Gives what opening gave. */
f0t_status onnx_exercise_pictures(const void *data, size_t size);

#endif
