/* Compiled once a CPU level: step_layer.h has what others call. */
#ifndef F0T_MODEL_STEP_LAYER_KERNELS_H
#define F0T_MODEL_STEP_LAYER_KERNELS_H

#include "base/kernels.h"
#include "model/step_layer.h"

/* A strip of at most F0T_STRIP columns, all rows, `stride` elements apart. */
enum { F0T_STRIP = 512 };

#endif
