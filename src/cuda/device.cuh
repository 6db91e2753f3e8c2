/* What the kernels share. */
#ifndef F0T_CUDA_DEVICE_CUH
#define F0T_CUDA_DEVICE_CUH

#include "cuda/kernels.h"

__device__ inline float f0t_widen(uint16_t half)
{
    return __uint_as_float((uint32_t)half << 16);
}

/* To nearest, ties to even. */
__device__ inline uint16_t f0t_narrow(float value)
{
    uint16_t half;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(half) : "f"(value));
    return half;
}

/* An element as float32, whatever it is stored as. */
__device__ inline float f0t_load(const float *x)
{
    return *x;
}

__device__ inline float f0t_load(const uint16_t *x)
{
    return f0t_widen(*x);
}

__device__ inline void f0t_store(float *y, float value)
{
    *y = value;
}

__device__ inline void f0t_store(uint16_t *y, float value)
{
    *y = f0t_narrow(value);
}

/* One element of the optimiser's pass (compute/optimizer.h). The quotient and the root are within two units of the last
 * place. */
template <bool ADAM>
__device__ inline void f0t_update_one(float *w, float *m, float *v, float g,
                                      const f0t_kernel_update &f)
{
    if (ADAM) {
        float root;
        *m = f.beta1 * *m + f.rest1 * g;
        *v = f.beta2 * *v + f.rest2 * g * g;
        asm("sqrt.approx.f32 %0, %1;" : "=f"(root) : "f"(*v));
        *w = f.keep * *w - __fdividef(f.rate * *m, root * f.root + f.epsilon);
    } else {
        *m = f.momentum * *m + (g + f.decay * *w);
        *w -= f.rate * *m;
    }
}

template <bool ADAM>
__device__ inline void f0t_update_four(float4 *w, float4 *m, float4 *v, const float4 &g,
                                       const f0t_kernel_update &f)
{
    f0t_update_one<ADAM>(&w->x, &m->x, &v->x, g.x, f);
    f0t_update_one<ADAM>(&w->y, &m->y, &v->y, g.y, f);
    f0t_update_one<ADAM>(&w->z, &m->z, &v->z, g.z, f);
    f0t_update_one<ADAM>(&w->w, &m->w, &v->w, g.w, f);
}

__device__ inline uint2 f0t_narrow_four(const float4 &x)
{
    return make_uint2(f0t_narrow(x.x) | (uint32_t)f0t_narrow(x.y) << 16,
                      f0t_narrow(x.z) | (uint32_t)f0t_narrow(x.w) << 16);
}

#endif
