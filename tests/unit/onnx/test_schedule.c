/* The fast path against the plain operators: what it puts together, the layouts it keeps, what it leaves
 * alone; and hostile networks, scheduled and run. */
#include "onnx_exercise.h"
#include "rows.h"

#include "base/cpu.h"

/* ---- Idioms -------------------------------------------------------------------------------------
 */

static void activations_of_several_nodes_are_joined(void **state)
{
#define SQRT2 "k=float[]{1.4142135}; o=float[]{1}; h=float[]{0.5}; "
#define ERF "d=Div(x,k); e=Erf(d); a=Add(e,o); "
    static const row rows[] = {
        {"x:float[4]; s=Sigmoid(x); y=Mul(x,s)", "float32 4: 0 0.7311 1.762 2.858"},
        {"x:float[4]; s=Sigmoid(x); y=Mul(s,x)", "float32 4: 0 0.7311 1.762 2.858"},
        {"x:float[2]; s=Sigmoid(x); y=Mul(x,s); return y,s",
         "float32 2: 0 0.7311; float32 2: 0.5 0.7311"},
        {"x:float[2]; z:float[2]; s=Sigmoid(z); y=Mul(x,s)", "float32 2: 0 0.7311"},
        {"x:float[3]; k=float[]{2}; m=Mul(x,k); s=Sigmoid(m); y=Mul(x,s)",
         "float32 3: 0 0.8808 1.964"},
        {"x:float[3]; k=float[1]{2}; m=Mul(k,x); s=Sigmoid(m); y=Mul(s,x)",
         "float32 3: 0 0.8808 1.964"},
        {"x:float[3]; k=float[3]{1,2,3}; m=Mul(x,k); s=Sigmoid(m); y=Mul(x,s)",
         "float32 3: 0 0.8808 1.995"},
        {"x:float[2]; z:float[2]; m=Mul(x,z); s=Sigmoid(m); y=Mul(x,s)", "float32 2: 0 0.7311"},
        {"x:float[4]; h=HardSigmoid<alpha=0.16666667>(x); y=Mul(x,h)",
         "float32 4: 0 0.6667 1.667 3"},
        {"x:float[4]; h=HardSigmoid(x); y=Mul(h,x)", "float32 4: 0 0.7 1.8 3"},
        {"x:float[4]; h=HardSigmoid<alpha=0.16666667,beta=0.4>(x); y=Mul(h,x)",
         "float32 4: 0 0.5667 1.467 2.7"},
        {"x:float[2]; z:float[2]; h=HardSigmoid(z); y=Mul(h,x)", "float32 2: 0 0.7"},
        {"x:float[3]; " SQRT2 ERF "m=Mul(x,a); y=Mul(m,h)", "float32 3: 0 0.8413 1.954"},
        {"x:float[3]; " SQRT2 ERF "m=Mul(a,h); y=Mul(x,m)", "float32 3: 0 0.8413 1.954"},
        {"x:float[3]; " SQRT2 ERF "m=Mul(h,x); y=Mul(m,a)", "float32 3: 0 0.8413 1.954"},
        {"x:float[3]; " SQRT2 "d=Div(x,k); e=Erf(d); a=Add(o,e); m=Mul(x,a); y=Mul(m,h)",
         "float32 3: 0 0.8413 1.954"},
        {"x:float[3]; k=float[]{0.70710678}; o=float[]{1}; h=float[]{0.5}; d=Mul(x,k); e=Erf(d); "
         "a=Add(e,o); m=Mul(x,a); y=Mul(m,h)",
         "float32 3: 0 0.8413 1.954"},
        {"x:float[3]; k=float[]{0.70710678}; o=float[]{1}; h=float[]{0.5}; d=Mul(k,x); e=Erf(d); "
         "a=Add(e,o); m=Mul(x,a); y=Mul(m,h)",
         "float32 3: 0 0.8413 1.954"},
        {"x:float[3]; " SQRT2 ERF "m=Mul(x,a); y=Mul(m,o)", "float32 3: 0 1.683 3.909"},
        {"x:float[3]; " SQRT2 "d=Div(x,o); e=Erf(d); a=Add(e,o); m=Mul(x,a); y=Mul(m,h)",
         "float32 3: 0 0.9214 1.995"},
        {"x:float[3]; " SQRT2 "d=Div(x,k); e=Erf(d); a=Add(e,h); m=Mul(x,a); y=Mul(m,h)",
         "float32 3: 0 0.5913 1.454"},
        {"x:float[2]; z:float[2]; " SQRT2 ERF "m=Mul(z,a); y=Mul(m,h)", "float32 2: 0 0.8413"},
        {"x:float[3]; l=float[]{1}; n=Neg(x); y=Clip(n,,l)", "float32 3: 0 -1 -2"},
        {"x:float[3]; l:float[]; y=Clip(x,l)", "float32 3: 0 1 2"},
        {"opset 16; x:float[3]; n=Neg(x); y=LeakyRelu<alpha=0.5>(n)", "float32 3: 0 -0.5 -1"},
    };
#undef SQRT2
#undef ERF
    (void)state;
    CHECK(rows);
}

static void layer_normalisation_of_several_nodes_is_joined(void **state)
{
#define CENTRE "x:float[2,2]; m=ReduceMean<axes=[-1]>(x); d=Sub(x,m); "
#define SPREAD \
    "t=float[]{2}; p=Pow(d,t); v=ReduceMean<axes=[1]>(p); e=float[]{0}; a=Add(v,e); r=Sqrt(a); "
    static const row rows[] = {
        {CENTRE SPREAD "y=Div(d,r)", "float32 2x2: -1 1 -1 1"},
        {CENTRE SPREAD "n=Div(d,r); s=float[2]{1,2}; y=Mul(n,s)", "float32 2x2: -1 2 -1 2"},
        {CENTRE SPREAD "n=Div(d,r); s=float[2]{1,2}; u=Mul(s,n); b=float[2]{0,1}; y=Add(u,b)",
         "float32 2x2: -1 3 -1 3"},
        {CENTRE SPREAD "n=Div(d,r); s=float[1,2]{1,2}; y=Mul(n,s)", "float32 2x2: -1 2 -1 2"},
        {CENTRE SPREAD "n=Div(d,r); z:float[2]; y=Mul(n,z)", "float32 2x2: 0 1 0 1"},
        {CENTRE SPREAD "n=Div(d,r); y=Mul(n,n)", "float32 2x2: 1 1 1 1"},
        {CENTRE SPREAD "n=Div(d,r); s=float[2]{1,2}; u=Mul(n,s); y=Add(u,u)",
         "float32 2x2: -2 4 -2 4"},
        {CENTRE SPREAD "n=Div(d,r); y=Relu(n); return y,n",
         "float32 2x2: 0 1 0 1; float32 2x2: -1 1 -1 1"},
        {CENTRE SPREAD "y=Div(d,r); return y,v", "float32 2x2: -1 1 -1 1; float32 2x1: 0.25 0.25"},
        {CENTRE "p=Mul(d,d); v=ReduceMean<axes=[1]>(p); e=float[]{0}; a=Add(v,e); r=Sqrt(a); "
                "y=Div(d,r)",
         "float32 2x2: -1 1 -1 1"},
        {CENTRE "t=float[]{2}; p=Pow(d,t); v=ReduceMean<axes=[1]>(p); e=float[]{0}; a=Add(e,v); "
                "r=Sqrt(a); y=Div(d,r)",
         "float32 2x2: -1 1 -1 1"},
        {CENTRE "t=float[]{2}; p=Pow(d,t); v=ReduceMean<axes=[1]>(p); e=float[1,2]{0,0}; "
                "a=Add(v,e); r=Sqrt(a); y=Div(d,r)",
         "float32 2x2: -1 1 -1 1"},
        {"x:float[2,2]; m=ReduceMean<axes=[0]>(x); d=Sub(x,m); t=float[]{2}; p=Pow(d,t); "
         "v=ReduceMean<axes=[0]>(p); e=float[]{0}; a=Add(v,e); r=Sqrt(a); y=Div(d,r)",
         "float32 2x2: -1 -1 1 1"},
        {"opset 18; x:float[2,2]; l=int64[1]{-1}; m=ReduceMean(x,l); d=Sub(x,m); t=float[]{2}; "
         "p=Pow(d,t); v=ReduceMean(p,l); e=float[]{0}; a=Add(v,e); r=Sqrt(a); y=Div(d,r)",
         "float32 2x2: -1 1 -1 1"},
        {"x:float[2,2]; z:float[2,1]; d=Sub(x,z); " SPREAD "y=Div(d,r)",
         "float32 2x2: 0 1.414 0.6325 1.265"},
        {"x:float[1,2]; z:float[1,2]; r=Sqrt(z); y=Div(x,r)", "float32 1x2: nan 1"},
    };
#undef CENTRE
#undef SPREAD
    (void)state;
    CHECK(rows);
}

/* ---- Layers and layouts ---------------------------------------------------------------------------
 */

static void convolutions_take_what_follows(void **state)
{
#define CONV "x:float[1,1,2,2]; w=float[1,1,1,1]{2}; c=Conv(x,w); "
#define NORM "s=float[1]{2}; b=float[1]{1}; v=float[1]{1}; "
    static const row rows[] = {
        {CONV "y=Relu(c)", "float32 1x1x2x2: 0 2 4 6"},
        {CONV NORM "y=BatchNormalization<epsilon=0.0>(c,s,b,b,v)", "float32 1x1x2x2: -1 3 7 11"},
        {CONV NORM "n=BatchNormalization<epsilon=0.0>(c,s,b,b,v); y=Relu(n)",
         "float32 1x1x2x2: 0 3 7 11"},
        {CONV NORM "r=Neg(c); n=BatchNormalization<epsilon=0.0>(r,s,b,b,v); y=Relu(n); return y,n",
         "float32 1x1x2x2: 0 0 0 0; float32 1x1x2x2: -1 -5 -9 -13"},
        {CONV NORM "r=Relu(c); y=BatchNormalization<epsilon=0.0>(r,s,b,b,v)",
         "float32 1x1x2x2: -1 3 7 11"},
        {CONV "m:float[1]; " NORM "y=BatchNormalization<epsilon=0.0>(c,s,b,m,v)",
         "float32 1x1x2x2: 1 5 9 13"},
        {CONV "y=Add(c,x)", "float32 1x1x2x2: 0 3 6 9"},
        {CONV "y=Add(x,c)", "float32 1x1x2x2: 0 3 6 9"},
        {CONV "y=Add(c,c)", "float32 1x1x2x2: 0 4 8 12"},
        {"x:float[1,1,2,2]; r=Relu(x); w=float[1,1,1,1]{2}; c=Conv(x,w); a=Add(c,r); y=Relu(a)",
         "float32 1x1x2x2: 0 3 6 9"},
        {"x:float[1,1,2,2]; r=Relu(x); w=float[1,1,1,1]{2}; c=Conv(x,w); y=Add(r,c); return y,r",
         "float32 1x1x2x2: 0 3 6 9; float32 1x1x2x2: 0 1 2 3"},
        {CONV "k=float[1,1,1,1]{5}; y=Add(c,k)", "float32 1x1x2x2: 5 7 9 11"},
        {CONV "k=float[]{5}; y=Mul(c,k); return y,c",
         "float32 1x1x2x2: 0 10 20 30; float32 1x1x2x2: 0 2 4 6"},
        {CONV "h=HardSigmoid(c); y=Mul(c,h)", "float32 1x1x2x2: 0 1.8 4 6"},
        {CONV "e=Exp(c); l=Log(e); t=Tanh(l); y=Abs(t)", "="},
        {"x:float[1,1,2,2]; b=Constant<value=float[1]{3}>(); "
         "w=Constant<value=float[1,1,1,1]{2}>(); "
         "y=Conv(x,w,b)",
         "float32 1x1x2x2: 3 5 7 9"},
        {"x:float[1,1,2,2]; w=float[1,1,1,1]{2}; y=Conv(x,w,)", "float32 1x1x2x2: 0 2 4 6"},
        {"x:float16[1,1,2,2]; w=float16[1,1,1,1]{0x4000}; y=Conv(x,w)", "float16 1x1x2x2: 0 2 4 6"},
        {"x:float[0,1,2,2]; w=float[1,1,1,1]{2}; y=Conv(x,w)", "="},
    };
#undef CONV
#undef NORM
    (void)state;
    CHECK(rows);
}

static void blocks_are_kept_and_undone(void **state)
{
#define CONV "x:float[2,3,6,6]; w=float[16,3,3,3]{-2,-1..}; c=Conv<pads=[1,1,1,1]>(x,w); "
    static const row rows[] = {
        {CONV "y=MaxPool<kernel_shape=[3,3],strides=[3,3]>(c)", "="},
        {CONV "y=MaxPool<kernel_shape=[4,4],strides=[2,2]>(c)", "="},
        {CONV "g=GlobalMaxPool(c); y=Flatten(g)", "="},
        {CONV "m=MaxPool<kernel_shape=[6,6]>(c); y=Concat<axis=1>(m,m)", "="},
        {CONV "m=MaxPool<kernel_shape=[6,6]>(c); y=Concat<axis=0>(m,m)", "="},
        {CONV "m=MaxPool<kernel_shape=[6,6]>(c); k=float[2,1,1,1]{1,2}; y=Concat<axis=1>(m,k)",
         "="},
        {CONV "m=MaxPool<kernel_shape=[6,6]>(c); y=Concat<axis=2>(m,m,m)", "="},
        {CONV "m=MaxPool<kernel_shape=[3,3],strides=[3,3]>(c); y=Transpose<perm=[0,2,3,1]>(m)",
         "="},
        {CONV "m=MaxPool<kernel_shape=[3,3],strides=[3,3]>(c); t=Transpose<perm=[0,2,3,1]>(m); "
              "y=Transpose<perm=[0,3,1,2]>(t)",
         "="},
        {CONV "m=MaxPool<kernel_shape=[3,3],strides=[3,3]>(c); s=int64[2]{2,-1}; y=Reshape(m,s)",
         "="},
        {CONV
         "m=MaxPool<kernel_shape=[3,3],strides=[3,3]>(c); k=float[1,16,1,1]{1,2..}; y=Mul(m,k)",
         "="},
        {CONV
         "m=MaxPool<kernel_shape=[3,3],strides=[3,3]>(c); k=float[1,16,1,1]{1,2..}; y=Sub(k,m)",
         "="},
        {CONV "m=MaxPool<kernel_shape=[6,6]>(c); a=Relu(m); n=Neg(m); y=Add(a,n); return y,a", "="},
        {CONV "m=MaxPool<kernel_shape=[6,6]>(c); y=Add(m,m); return y,m", "="},
        {CONV "m=MaxPool<kernel_shape=[6,6]>(c); p=int64[8]{0..}; y=Pad(m,p)", "="},
        {CONV "m=MaxPool<kernel_shape=[6,6]>(c); p=int64[8]{0,0,0,0,1,0,0,0}; y=Pad(m,p)", "="},
        {CONV "m=MaxPool<kernel_shape=[6,6]>(c); y=Identity(m); return y,m", "="},
        {CONV "m=MaxPool<kernel_shape=[6,6]>(c); y,z=Dropout(m); return y,z", "="},
        {CONV "m=MaxPool<kernel_shape=[6,6]>(c); r=float[16]{1,2..}; b=float[16]{0..}; "
              "v=float[16]{1..}; y=BatchNormalization<epsilon=0.0>(m,r,b,b,v)",
         "="},
        {CONV "m=MaxPool<kernel_shape=[6,6]>(c); y=ReduceMax<axes=[2,3],keepdims=0>(m)", "="},
        {CONV "m,i=MaxPool<kernel_shape=[6,6]>(c); return m,i", "="},
        {CONV "d=float[16,1,1,1]{1,2..}; e=Conv<group=16>(c,d); y=MaxPool<kernel_shape=[6,6]>(e)",
         "="},
        {CONV "k=float[16,16,3,3]{0.1,-0.1..}; l=Conv<pads=[1,1,1,1]>(c,k); "
              "v=float[24,16,1,1]{0.2,-0.1..}; "
              "m=Conv(l,v); d=float[24,1,3,3]{0.3,-0.2..}; n=Conv<group=24,pads=[1,1,1,1]>(m,d); "
              "u=float[16,24,1,1]{0.1,-0.1..}; o=Conv(n,u); s=Add(o,l); r=Relu(s); "
              "y=MaxPool<kernel_shape=[6,6]>(r)",
         "="},
        {CONV "z:float[2,16,6,6]; a=Add(c,z); y=MaxPool<kernel_shape=[6,6]>(a)", "="},
        {CONV "z:float[2,16,1,1]; m=MaxPool<kernel_shape=[6,6]>(c); y=Mul(m,z)", "="},
    };
#undef CONV
    (void)state;
    CHECK(rows);
}

static bool has_blocks_of_16(void)
{
    const char *isa = getenv("ONEDNN_MAX_CPU_ISA");
    return f0t_cpu_level() == F0T_CPU_WIDEST && !isa;
}

/* Three branches of an input whose channels are last, in each of which Winograd's algorithm comes second: the first convolutions have blocks,
 * too, into which the input is rewritten once. Steps: that and the relu before, two convolutions per branch, the pooling and its result rewritten. */
static void blocks_are_kept_around_winograds_convolutions(void **state)
{
#define BRANCHES                                                                    \
    "x:float[1,24,24,64]; n=Transpose<perm=[0,3,1,2]>(x); p=Relu(n); "              \
    "v=float[64,64,1,1]{0.02,0.01999..}; t=float[64,64,3,3]{-0.01,-0.009999..}; "   \
    "a=Conv(p,v); b=Relu(a); c=Conv<pads=[1,1,1,1]>(b,t); d=Conv(p,v); e=Relu(d); " \
    "f=Conv<pads=[1,1,1,1]>(e,t); g=Add(c,f); h=Conv(p,v); i=Relu(h); "             \
    "j=Conv<pads=[1,1,1,1]>(i,t); k=Add(g,j); r=Relu(k); "
    enum { STEPS = 10 };
    static const row rows[] = {
        {BRANCHES "y=MaxPool<kernel_shape=[24,24]>(r)", "="},
        {BRANCHES "y=MaxPool<kernel_shape=[24,24]>(r); z=GlobalMaxPool(p); return y,z", "="},
        {BRANCHES "m=Add(p,e); y=GlobalMaxPool(m); z=GlobalMaxPool(r); return y,z", "="},
        {BRANCHES "l=Concat<axis=1>(p,e,r); y=GlobalMaxPool(l)", "="},
    };
    (void)state;
    CHECK(rows);
    if (!has_blocks_of_16())
        test_skip("this CPU has no AVX-512, or F0T_MAX_CPU is set");
    assert_in_range(count_steps(BRANCHES "y=MaxPool<kernel_shape=[24,24]>(r)"), 1, STEPS);
#undef BRANCHES
}

/* What a convolution rounds to bfloat16 for itself, others have as it is. */
static void bfloat16_is_for_the_convolution_alone(void **state)
{
    enum { COUNT = 16 * 12 * 12 };
    f0t_onnx_array outputs[ENDS] = {{0}};
    f0t_onnx_weights *weights;
    f0t_onnx_schedule *s;
    net n;
    (void)state;
    assert_ok(open_net(&n, "x:float[1,12,12,16]; n=Transpose<perm=[0,3,1,2]>(x); p=Relu(n); "
                           "w=float[16,16,1,1]{0.001..}; c=Conv(p,w); return p,c"));
    assert_ok(f0t_onnx_weights_create(&weights));
    assert_ok(make_schedule_as(&s, &n, weights, true));
    assert_ok(run_schedule(s, &n, outputs));
    for (size_t k = 0; k < COUNT; k++) /* x counts, channels last */
        assert_float_equal(outputs[0].f[k], (float)(k % 144 * 16 + k / 144), 0);
    f0t_onnx_schedule_free(s);
    f0t_onnx_weights_free(weights);
    for (size_t k = 0; k < ENDS; k++)
        f0t_onnx_array_clear(&outputs[k]);
    close_net(&n);
}

/* Squeeze and excitation: the Mul is done by the convolution that follows, where it alone takes the product. */
static void gates_are_opened_by_the_convolution_after_them(void **state)
{
#define GATES                                                                                  \
    "x:float[2,3,3,3]; w=float[16,3,3,3]{-0.02,-0.0198973..}; "                                \
    "c=Conv<pads=[1,1,1,1]>(x,w); g=GlobalAveragePool(c); a=float[16,16,1,1]{-0.1,-0.099..}; " \
    "b=Conv(g,a); s=Sigmoid(b); u=float[3,16,1,1]{-0.2,-0.19..}; v=float[3]{1,2..}; "
    static const row rows[] = {
        {GATES "m=Mul(c,s); y=Conv(m,u,v)", "="},
        {GATES "m=Mul(s,c); y=Conv(m,u)", "="},
        {GATES "m=Mul(c,s); n=Conv(m,u,v); i=Sigmoid(n); y=Mul(n,i)", "="},
        {GATES "m=Mul(c,s); n=Conv(m,u,v); y=Relu(n)", "="},
        {GATES "m=Mul(c,s); y=Conv(m,u,v); z=GlobalMaxPool(m); return y,z", "="},
        {GATES "m=Mul(c,s); y=Conv(m,u,v); r=Neg(c); z=GlobalMaxPool(r); return y,z", "="},
        {GATES "m=Mul(c,s); y=Conv(m,u,v); r=Relu(c); z=GlobalMaxPool(r); t=Relu(s); return y,z,t",
         "="},
        {GATES "m=Mul(c,s); o=float[16,16,1,1]{-0.1,-0.099..}; n=Conv(m,o); d=Add(n,c); "
               "y=GlobalMaxPool(d)",
         "="},
        {GATES "f=Conv(c,u,v); m=Mul(c,s); n=Conv(m,u,v); y=Add(n,f)", "="},
        {GATES "f=Conv(c,u,v); m=Mul(c,s); n=Conv(m,u,v); h=Add(f,n); y=Relu(h); return y,f", "="},
        {GATES "m=Mul(c,s); y=Conv<strides=[2,2]>(m,u,v)", "="},
        {GATES "m=Mul(c,s); t=Mul(m,s); y=Conv(t,u,v)", "="},
        {GATES "m=Mul(s,s); y=Conv(m,u,v)", "="},
        {GATES "o=float[1,16,1,1]{1,2..}; m=Mul(c,o); y=Conv(m,u,v)", "="},
        {"x:float[2,5,3,3]; z:float[2,5,1,1]; m=Mul(x,z); u=float[7,5,1,1]{0.2,-0.1..}; "
         "y=Conv(m,u)",
         "="},
        /* no filters */
        {GATES "m=Mul(c,s); o=float[0,16,1,1]{}; n=Conv(m,o); y=Concat<axis=1>(c,n)", "="},
        {GATES "m=Mul(c,s); o=float[0,16,1,1]{}; n=Conv(m,o); k=float[0]{}; "
               "e=BatchNormalization(n,k,k,k,k); y=Concat<axis=1>(c,e)",
         "="},
    };
#undef GATES
    (void)state;
    CHECK(rows);
}

static void arrays_of_one_picture_are_joined_in_place(void **state)
{
#define CONV                                                                      \
    "x:float[1,3,2,1]; w=float[16,3,3,3]{-2,-1..}; c=Conv<pads=[1,1,1,1]>(x,w); " \
    "v=float[16,16,1,1]{-3,-2..}; u=Conv(c,v); g=float[]{0.001}; e=Mul(u,g); "
#define JOIN CONV "j=Concat<axis=1>(c,u); "
    static const row rows[] = {
        {CONV "y=Concat<axis=1>(c,u)", "="},
        {CONV "y=Concat<axis=1>(u,c,u)", "="},
        {CONV "y=Concat<axis=1>(c,e)", "="},
        {CONV "y=Concat<axis=2>(c,u)", "="},
        {JOIN "y=Relu(j); return y,c,u", "="},
        {JOIN "y=Relu(j); r=Relu(c); n=Neg(u); return y,r,n", "="},
        {JOIN "r=Relu(j); y=Concat<axis=1>(j,r)", "="},
        {JOIN "k=Concat<axis=1>(c,u); y=Add(j,k)", "="},
        {JOIN "k=Concat<axis=1>(u,c); y=Sub(j,k)", "="},
        {JOIN "a=float[16,32,1,1]{1,-1..}; b=Conv(j,a); k=Concat<axis=1>(j,b); l=Relu(k); "
              "y=Concat<axis=1>(k,l)",
         "="},
        {JOIN "a=float[16,32,1,1]{1,-1..}; b=Conv(j,a); k=Concat<axis=1>(c,u,b); "
              "d=float[16,48,1,1]{1,-1..}; f=Conv(k,d); y=Concat<axis=1>(c,u,b,f)",
         "="},
        {JOIN "a=float[16,32,1,1]{1,-1..}; b=Conv(j,a); s=Add(b,c); y=Concat<axis=1>(s,j)", "="},
        {JOIN "a=float[16,32,1,1]{1,-1..}; b=Conv(j,a); k=Concat<axis=1>(u,b); y=Relu(k); "
              "return y,j",
         "="},
    };
#undef JOIN
#undef CONV
    (void)state;
    CHECK(rows);
}

static void attention_takes_heads_where_they_are(void **state)
{
#define HEADS                                                                               \
    "x:float[2,3,24]; g=float[]{0.01}; e=Mul(x,g); s=int64[5]{2,3,3,2,4}; r=Reshape(e,s); " \
    "t=Transpose<perm=[2,0,3,1,4]>(r); z=int64[1]{0}; "
#define SPLIT                                                                        \
    HEADS "a,b,c=Split<axis=0>(t); q=Squeeze(a,z); k=Squeeze(b,z); v=Squeeze(c,z); " \
          "u=Transpose<perm=[0,1,3,2]>(k); m=MatMul(q,u); "
#define GATHER                                                                                 \
    HEADS                                                                                      \
    "i=int64[]{0}; j=int64[]{1}; l=int64[]{-1}; q=Gather(t,i); k=Gather(t,j); v=Gather(t,l); " \
    "u=Transpose<perm=[0,1,3,2]>(k); m=MatMul(q,u); "
#define BACK "p=Transpose<perm=[0,2,1,3]>(o); n=int64[3]{2,3,8}; y=Reshape(p,n)"
    static const row rows[] = {
        {SPLIT "h=float[]{2}; d=Div(m,h); f=Softmax<axis=-1>(d); o=MatMul(f,v); " BACK, "="},
        {SPLIT "h=float[]{0.5}; d=Mul(h,m); f=Softmax(d); o=MatMul(f,v); " BACK, "="},
        {SPLIT "f=Softmax(m); o=MatMul(f,v); " BACK, "="},
        {SPLIT "f=Softmax(m); y=MatMul(f,v)", "="},
        {SPLIT "f=Softmax(m); o=MatMul(f,v); y=Transpose<perm=[3,2,1,0]>(o)", "="},
        {SPLIT "f=Softmax<axis=2>(m); o=MatMul(f,v); " BACK, "="},
        {SPLIT "h=float[]{0}; d=Div(m,h); f=Softmax(d); o=MatMul(f,v); " BACK, "="},
        {SPLIT "h=float[3]{1,2,3}; d=Mul(m,h); f=Softmax(d); o=MatMul(f,v); " BACK, "="},
        {SPLIT "f=Softmax(m); o=MatMul(f,v); " BACK "; return y,m", "="},
        {SPLIT "f=Softmax(m); o=MatMul(f,v); " BACK "; return y,t", "="},
        {GATHER "f=Softmax(m); o=MatMul(f,v); " BACK, "="},
        {"x:float[2,3,4]; r=Relu(x); q=Neg(r); k=Transpose<perm=[0,2,1]>(r); m=MatMul(q,k); "
         "f=Softmax(m); y=MatMul(f,r)",
         "="},
        {"x:float[2,3,4]; z:float[2,4,3]; m=MatMul(x,z); f=Softmax(m); y=MatMul(f,x)", "="},
        {"x:float[2,3,4]; z:float[1,4,3]; m=MatMul(x,z); f=Softmax(m); y=MatMul(f,x)", "="},
        {"x:float[3,4]; z:float[4,3]; m=MatMul(x,z); f=Softmax(m); y=MatMul(f,x)", "="},
        {"x:float[2,1,4]; z:float[2,4,1]; m=MatMul(x,z); f=Softmax(m); y=MatMul(f,x)", "="},
        {"x:float[1,2,3,4]; r=Relu(x); t=Transpose<perm=[0,2,1,3]>(r); s=int64[3]{3,2,4}; "
         "q=Reshape(t,s); k=Transpose<perm=[0,2,1]>(q); y=MatMul(q,k)",
         "="},
        {"x:float[1,5,4]; z:float[1,4,7]; v:float[1,7,3]; m=MatMul(x,z); f=Softmax(m); "
         "y=MatMul(f,v)",
         "="},
        {"x:float[3]; w:float[1,2]; r=Relu(x); i=int64[]{1}; g=Gather(r,i); s=int64[2]{1,1}; "
         "u=Reshape(g,s); y=MatMul(u,w)",
         "="},
    };
#undef HEADS
#undef SPLIT
#undef GATHER
#undef BACK
    (void)state;
    CHECK(rows);
}

static void products_are_scheduled(void **state)
{
    static const row rows[] = {
        {"x:float[2,40]; w=float[40,30]{0,1..}; y=MatMul(x,w)", "="},
        {"x:float[2,40]; w=float[30,40]{0,1..}; t=Transpose(w); y=MatMul(x,t)", "="},
        {"x:float[2,40]; w=float[30,40]{0,1..}; t=Transpose<perm=[1,0]>(w); y=Gemm(x,t)", "="},
        {"x:float[2,40]; w=float[30,40]{0,1..}; t=Transpose(w); u=Transpose(t); v=Transpose(u); "
         "y=MatMul(x,v)",
         "="},
        {"x:float[2,40]; w=float[40,30]{0,1..}; b=float[30]{5..}; p=MatMul(x,w); y=Add(p,b)", "="},
        {"x:float[2,40]; w=float[40,30]{0,1..}; b=float[30]{5..}; p=MatMul(x,w); y=Add(b,p)", "="},
        {"x:float[2,40]; w=float[40,30]{0,1..}; b=float[2,30]{5..}; p=MatMul(x,w); y=Add(p,b)",
         "="},
        {"x:float[2,40]; w=float[40,30]{0,1..}; b=float[30]{5..}; p=MatMul(x,w); y=Add(p,b); "
         "return y,p",
         "="},
        {"x:float[2,4]; w=float[30,4]{0,1..}; b=float[30]{5,6..}; "
         "y=Gemm<transB=1,alpha=2.0,beta=3.0>(x,w,b)",
         "="},
        {"x:float[4,2]; w=float[4,3]{0,1..}; y=Gemm<transA=1>(x,w)", "="},
        {"x:float[2,4]; w=float[4,3]{0,1..}; b=float[2,1]{5,6}; y=Gemm(x,w,b)", "="},
        {"x:float[2,4]; w=float[4,3]{0,1..}; b=float[]{5}; y=Gemm(x,w,b)", "="},
        {"x:float[2,4]; w=float[4,3]{0,1..}; b=float[3]{5..}; g=Gemm(x,w,b); y=Relu(g)", "="},
        {"x:float[2,3,4]; w=float[4,3]{0,1..}; y=MatMul(x,w)", "="},
        {"x:float[2,3,4]; w=float[1,4,3]{0,1..}; y=MatMul(x,w)", "="},
        {"x:float[2,3,4]; z:float[2,4,3]; y=MatMul(x,z)", "="},
        {"x:float[2,3,4]; z:float[4,3]; y=MatMul(x,z)", "="},
        {"x:float[1,3,4]; z:float[2,4,3]; y=MatMul(x,z)", "="},
        {"c=float[3,2]{1,2..}; x:float[2,2]; y=MatMul(c,x)", "="},
        {"x:float[4]; w=float[4,3]{0,1..}; y=MatMul(x,w)", "="},
        {"x:float[2,3]; y=Softmax(x)", "="},
        {"x:float[2,3,2]; y=Softmax<axis=1>(x)", "="},
        {"opset 11; x:float[2,3]; y=Softmax(x)", "="},
        {"x:float[2,3]; s=float[3]{1,2,3}; b=float[3]{4,5,6}; y=LayerNormalization(x,s,b)", "="},
        {"x:float[2,3]; s=float[3]{1,2,3}; y,,d=LayerNormalization(x,s); return y,d", "="},
    };
    (void)state;
    CHECK(rows);
}

/* Those of a product with several rows of a picture are not, nor filters. */
static void weights_of_dense_layers_are_counted(void **state)
{
    enum { BYTES = 400 * 300 * sizeof(float) };
    static const struct {
        const char *text;
        size_t least, most;
    } rows[] = {
        {"x:float[1,400]; w=float[400,300]{1..}; y=MatMul(x,w)", BYTES, 2 * BYTES},
        {"x:float[1,400]; w=float[300,400]{1..}; y=Gemm<transB=1>(x,w)", BYTES, 2 * BYTES},
        {"x:float[1,3,400]; w=float[400,300]{1..}; y=MatMul(x,w)", 0, 0},
        {"x:float[1,16,6,6]; w=float[16,16,3,3]{1..}; y=Conv(x,w)", 0, 0},
    };
    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        f0t_onnx_weights *weights;
        f0t_onnx_schedule *s;
        net n;
        assert_ok(open_net(&n, rows[k].text));
        assert_ok(f0t_onnx_weights_create(&weights));
        assert_ok(make_schedule(&s, &n, weights));
        assert_in_range(f0t_onnx_schedule_dense(s), rows[k].least, rows[k].most);
        f0t_onnx_schedule_free(s);
        f0t_onnx_weights_free(weights);
        close_net(&n);
    }
}

/* ---- Shapes that nobody knows -----------------------------------------------------------------------
 */

static void a_shape_that_depends_on_the_picture_is_refused(void **state)
{
    static const char *const texts[] = {
        "x:float[2]; i=Cast<to=7>(x); y=Expand(x,i)", "x:float[2]; i=Cast<to=7>(x); y=Tile(x,i)",
        "x:float[]; y=Range(x,x,x)", "x:float[1]; i=Cast<to=7>(x); y=CumSum(x,i)",
        "x:float[1]; i=Cast<to=7>(x); v=float[2]{0,1}; y=OneHot(i,x,v)"};
    (void)state;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        char line[LINE];
        net n;
        assert_ok(open_net(&n, texts[k]));
        assert_fails(F0T_ERROR_UNSUPPORTED, "depends on what is in the picture",
                     schedule(&n, line));
        close_net(&n);
    }
}

static void integers_are_no_pictures(void **state)
{
    net n;
    char line[LINE];
    (void)state;
    assert_ok(open_net(&n, "x:int64[2]; y=Abs(x)"));
    f0t_onnx_array_clear(&n.inputs[0]);
    assert_ok(f0t_onnx_array_shape(&n.inputs[0], F0T_ONNX_INT64, 1, (const size_t[]){2}));
    assert_fails(F0T_ERROR_UNSUPPORTED, "input 'x' is int64, not float", schedule(&n, line));
    close_net(&n);
}

/* ---- Faults and hostile bytes ---------------------------------------------------------------------
 */

static f0t_status run_text(void *context)
{
    char line[LINE];
    net n;
    f0t_status status = open_net(&n, context);
    if (status == F0T_OK)
        status = interpret(&n, line);
    if (status == F0T_OK)
        status = schedule(&n, line);
    close_net(&n);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    static const char *const texts[] = {
        "x:float[1,3,6,6]; w=float[16,3,3,3]{1..}; c=Conv(x,w); s=float[16]{1..}; "
        "n=BatchNormalization(c,s,s,s,s); r=Relu(n); m=MaxPool<kernel_shape=[2,2]>(r); "
        "t=Transpose<perm=[0,2,3,1]>(m); k=int64[2]{1,-1}; y=Reshape(t,k)",
        "x:float[2,40]; w=float[30,40]{1..}; t=Transpose(w); p=MatMul(x,t); b=float[30]{1..}; "
        "a=Add(p,b); y=Softmax(a)",
        "x:float[2,4]; s=float[4]{1..}; n=LayerNormalization(x,s); l=int64[1]{-1}; "
        "r=ReduceSum(n,l); a,b=Split<axis=1>(n); c=Concat<axis=1>(a,b,r); f=float[2]{1,2}; "
        "z=Resize(c,,f); q=float[]{2}; y=Pow(z,q)",
        "x:float[1,1,4]; w=float[1,1,2]{1..}; c=ConvTranspose(x,w); e=Sigmoid(c); m=Mul(c,e); "
        "a=Add(m,m); g=GlobalAveragePool(a); h=HardSigmoid(g); y=Sub(a,h)",
    };
    (void)state;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        char text[2048];
        snprintf(text, sizeof text, "%s", texts[k]);
        test_each_fault(F0T_FAULT_ALLOC, run_text, text);
    }
}

static void check_hostile(const void *data, size_t size)
{
    assert_ok(onnx_exercise(data, size));
    test_cut_everywhere(data, size, onnx_exercise, NULL);
    test_alter_everywhere(data, size, onnx_exercise);
}

static void cut_and_altered_files_are_run(void **state)
{
    static const char *const names[] = {"convolutions.onnx", "shapes.onnx", "places.onnx"};
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        size_t size;
        char *data = test_read(test_corpus("onnx", names[k]), &size);
        check_hostile(data, size);
        f0t_free(data);
    }
}

static void cut_and_altered_networks_are_run(void **state)
{
    static const char *const texts[] = {
        "x:float[N,2,3]; s=float[3]{1..}; y,,d=LayerNormalization(x,s); a,,b=Split<axis=2>(y); "
        "c=Concat<axis=-1>(a,b); return c,d",
        "x:float[N,2,4,4]; i=int64[2]{0,-1}; g=Gather<axis=1>(x,i); s=float[4]{1,1,2,2}; "
        "r=Resize<mode=\"linear\">(g,,s); p=int64[8]{0,0,1,1,0,0,1,1}; "
        "q=Pad<mode=\"reflect\">(r,p); "
        "y=AveragePool<kernel_shape=[3,3],strides=[2,2]>(q); return y",
        "x:float[N,4]; b=int64[1]{1}; e=int64[1]{-1}; l=int64[1]{1}; t=int64[1]{2}; "
        "s=Slice(x,b,e,l,t); k=int64[2]{1,3}; u=Tile(s,k); m=float[3,2]{1..}; p=MatMul(u,m); "
        "a=ArgMax<axis=1>(p); return p,a",
    };
    (void)state;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        onnx_bytes file = onnx_from_text(texts[k]);
        check_hostile(file.data, file.size);
        onnx_bytes_free(&file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(activations_of_several_nodes_are_joined),
        cmocka_unit_test(layer_normalisation_of_several_nodes_is_joined),
        cmocka_unit_test(convolutions_take_what_follows),
        cmocka_unit_test(blocks_are_kept_and_undone),
        cmocka_unit_test(blocks_are_kept_around_winograds_convolutions),
        cmocka_unit_test(bfloat16_is_for_the_convolution_alone),
        cmocka_unit_test(gates_are_opened_by_the_convolution_after_them),
        cmocka_unit_test(arrays_of_one_picture_are_joined_in_place),
        cmocka_unit_test(attention_takes_heads_where_they_are),
        cmocka_unit_test(products_are_scheduled),
        cmocka_unit_test(weights_of_dense_layers_are_counted),
        cmocka_unit_test(a_shape_that_depends_on_the_picture_is_refused),
        cmocka_unit_test(integers_are_no_pictures),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(cut_and_altered_files_are_run),
        cmocka_unit_test(cut_and_altered_networks_are_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
