/*
 * In place of a GPU: CUDA's functions, cuBLASLt's and the kernels of src/cuda, for a module that is made of its host side and
 * these. Memory and copies are real, the arithmetic is not: products and losses are 0. What it is for is failures: any call
 * can be made to fail, once, or that one and all after it, as those of a GPU that is lost do.
 */
#ifndef F0T_TESTS_FAKE_CUDA_H
#define F0T_TESTS_FAKE_CUDA_H

#include <stdbool.h>
#include <stddef.h>

typedef struct fake_cuda_state {
    size_t calls;   /* that could have failed */
    size_t fail_at; /* the call that fails, from 1; 0: none */
    int error;      /* with this cudaError_t */
    bool lost;      /* and so do all after it */
    size_t live;    /* allocations that were not freed */
    size_t updates; /* passes of the optimiser that began, and losses that were added */
    size_t losses;
    size_t instantiated, launched; /* graphs */
    bool late;  /* copies to the device are done when they are waited for, as CUDA may do them */
    bool far;   /* the scores of a batch lie too far apart */
    int driver; /* the CUDA that the driver knows: 13000; 0: there is no driver */
    int devices, major; /* GPUs, and their compute capability */
} fake_cuda_state;

/* The module's, by dlsym. */
#define FAKE_CUDA_STATE "fake_cuda"

#endif
