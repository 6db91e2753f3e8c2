/* Networks in eight bits: the plain operators beyond ONNX's own cases, what they refuse, and the fast path, which
 * must give the same, in eight bits where the CPU can. Scales are powers of two, so that both are exact; zero points
 * are even, because the fast path rounds halves after it has added them. Of others it may be one step off. */
#include "rows.h"

#include "math/tiles.h"
#include "onnx/builder.h"

#include <stdlib.h>

static void arrays_are_quantised(void **state)
{
    static const row rows[] = {
        {"x:float[4]; s=float[]{0.5}; y=QuantizeLinear(x,s)", "uint8 4: 0 2 4 6"},
        {"x:float[4]; s=float[]{2}; z=uint8[]{8}; y=QuantizeLinear(x,s,z)", "uint8 4: 8 8 9 10"},
        {"x:float[3]; s=float[1]{0.0078125}; z=int8[1]{-1}; y=QuantizeLinear(x,s,z)",
         "int8 3: -1 127 127"},
        {"x:float[3]; n=Neg(x); s=float[]{0.25}; z=uint8[]{5}; y=QuantizeLinear(n,s,z)",
         "uint8 3: 5 1 0"},
        {"x:float[2,2]; s=float[2]{1,0.5}; z=uint8[2]{1,2}; y=QuantizeLinear<axis=0>(x,s,z)",
         "uint8 2x2: 1 2 6 8"},
        {"x:float[2,2]; s=float[2]{1,0.5}; z=uint8[2]{1,2}; y=QuantizeLinear(x,s,z)",
         "uint8 2x2: 1 4 3 8"},
        {"opset 21; x:float[2]; s=float[]{1}; y=QuantizeLinear<output_dtype=3>(x,s)",
         "int8 2: 0 1"},
        {"opset 21; x:float[2]; s=float[]{0.001953125}; z=int16[]{0}; y=QuantizeLinear(x,s,z)",
         "int16 2: 0 512"},
        {"c=int32[2]{3,-4}; s=float[]{2}; z=int8[]{0}; y=QuantizeLinear(c,s,z)", "int8 2: 2 -2"},
        {"x:float[2]; c=float[]{0}; d=Div(x,c); s=float[]{1}; y=QuantizeLinear(d,s)",
         "uint8 2: 0 255"},
        {"x:float[0]; s=float[]{1}; y=QuantizeLinear(x,s)", "uint8 0:"},
        {"c=uint8[3]{0,128,255}; s=float[]{2}; z=uint8[]{128}; y=DequantizeLinear(c,s,z)",
         "float32 3: -256 0 254"},
        {"c=int8[2,2]{-128,127,1,2}; s=float[2]{1,2}; y=DequantizeLinear<axis=-2>(c,s)",
         "float32 2x2: -128 127 2 4"},
        {"c=int32[1]{-70000}; s=float[]{0.5}; y=DequantizeLinear(c,s)", "float32 1: -3.5e+04"},
        {"x:float[6]; y,s,z=DynamicQuantizeLinear(x); return y,s,z",
         "uint8 6: 0 51 102 153 204 255; float32 one number: 0.01961; uint8 one number: 0"},
        {"x:float[2]; n=Neg(x); y,s,z=DynamicQuantizeLinear(n); return y,z",
         "uint8 2: 255 0; uint8 one number: 255"},
        {"x:float[1]; y,s,z=DynamicQuantizeLinear(x); return y,s,z",
         "uint8 1: 0; float32 one number: 1; uint8 one number: 0"},
        {"x:float[2]; y=DynamicQuantizeLinear(x)", "uint8 2: 0 255"},
        {"x:float[0]; y=DynamicQuantizeLinear(x)", "uint8 0:"},
    };
    (void)state;
    CHECK(rows);
}

static void products_are_taken(void **state)
{
#define AB "a=uint8[1,2]{3,4}; b=int8[2,2]{1,-2,3,0}; "
#define ONES "s=float[]{1}; z=uint8[]{0}; w=int8[]{0}; "
    static const row rows[] = {
        {AB "y=MatMulInteger(a,b)", "int32 1x2: 15 -6"},
        {AB "z=uint8[]{1}; y=MatMulInteger(a,b,z)", "int32 1x2: 11 -4"},
        {AB "z=uint8[1]{1}; w=int8[2]{1,0}; y=MatMulInteger(a,b,z,w)", "int32 1x2: 6 -4"},
        {"a=uint8[2]{3,4}; b=int8[2]{1,1}; y=MatMulInteger(a,b)", "int32 one number: 7"},
        {AB ONES "y=QLinearMatMul(a,s,z,b,s,w,s,z)", "uint8 1x2: 15 0"},
        {AB ONES "y=QLinearMatMul(a,s,z,b,s,w,s,w)", "int8 1x2: 15 -6"},
        {AB ONES "t=float[]{2}; v=int8[]{-3}; y=QLinearMatMul(a,s,z,b,s,w,t,v)", "int8 1x2: 5 -6"},
        {AB ONES "t=float[2]{1,0.5}; v=int8[2]{0,1}; y=QLinearMatMul(a,s,z,b,t,v,s,w)",
         "int8 1x2: 15 -6"},
        {"a=uint8[1,1,2,2]{1,2,3,4}; b=int8[1,1,2,2]{1,1,1,-1}; y=ConvInteger(a,b)",
         "int32 1x1x1x1: 2"},
        {"a=uint8[1,1,1,2]{1,2}; b=int8[2,1,1,1]{1,-1}; z=uint8[]{1}; w=int8[2]{0,1}; "
         "y=ConvInteger(a,b,z,w)",
         "int32 1x2x1x2: 0 1 0 -2"},
        /* Padding is 0 in real numbers: the zero point. */
        {"a=uint8[1,1,1,2]{1,2}; b=int8[1,1,1,2]{1,1}; z=uint8[]{1}; "
         "y=ConvInteger<pads=[0,1,0,0]>(a,b,z)",
         "int32 1x1x1x2: 0 1"},
        {"a=uint8[1,1,1,2]{1,2}; b=int8[1,1,1,1]{3}; " ONES
         "c=int32[1]{10}; y=QLinearConv(a,s,z,b,s,w,s,z,c)",
         "uint8 1x1x1x2: 13 16"},
        {"a=uint8[1,1,1,2]{1,2}; b=int8[2,1,1,1]{3,-3}; " ONES
         "t=float[2]{1,2}; v=int8[2]{0,0}; y=QLinearConv(a,s,z,b,t,v,s,w)",
         "int8 1x2x1x2: 3 6 -6 -12"},
    };
#undef AB
#undef ONES
    (void)state;
    CHECK(rows);
}

static void wrong_scales_are_refused(void **state)
{
#define X "x:float[2,2]; "
#define CONV "a=uint8[1,1,1,2]{1,2}; b=int8[1,1,1,1]{3}; s=float[]{1}; z=uint8[]{0}; w=int8[]{0}; "
    static const row rows[] = {
        {X "s=float[]{0}; y=QuantizeLinear(x,s)", "!a scale of 0"},
        {X "s=float[]{-1}; y=QuantizeLinear(x,s)", "!a scale of -1"},
        {X "s=float[]{inf}; y=QuantizeLinear(x,s)", "!a scale of inf"},
        {X "s=float[]{nan}; y=QuantizeLinear(x,s)", "!a scale of"},
        {X "s=float[0]{}; y=QuantizeLinear(x,s)", "!it has no scales"},
        {X "s=float[1,1]{1}; y=QuantizeLinear(x,s)", "!scales of 2 dimensions"},
        {X "s=float[3]{1,1,1}; y=QuantizeLinear(x,s)", "!3 scales for 2"},
        {X "s=float[2]{1,1}; y=QuantizeLinear<axis=2>(x,s)", "!axis 2 of an array of 2"},
        {X "s=int64[]{1}; y=QuantizeLinear(x,s)", "!a scale is int64, not float"},
        {X "s=float[]{1}; z=uint8[2]{0,0}; y=QuantizeLinear(x,s,z)", "!2 zero points, not 1"},
        {X "s=float[]{1}; z=int64[]{0}; y=QuantizeLinear(x,s,z)", "!the type 7 of onnx.proto"},
        {X "s=float[]{1}; z=float[]{0}; y=QuantizeLinear(x,s,z)", "!the type 1 of onnx.proto"},
        {"opset 21; " X "s=float[]{1}; y=QuantizeLinear<output_dtype=17>(x,s)",
         "!the type 17 of onnx.proto"},
        {"opset 21; " X "s=float[]{1}; y=QuantizeLinear<block_size=2>(x,s)", "!scales of blocks"},
        {"c=int64[2]{1,2}; s=float[]{1}; y=QuantizeLinear(c,s)", "!it quantises int64"},
        {X "s=float[]{1}; y=DequantizeLinear(x,s)", "!its input is float32"},
        {"c=uint8[2]{1,2}; s=float[]{1}; z=int8[]{0}; y=DequantizeLinear(c,s,z)",
         "!a zero point is int8, what it belongs to is uint8"},
        {"c=uint8[2]{1,2}; s=float[]{inf}; y=DequantizeLinear(c,s)", "!a scale of inf"},
        {"c=uint8[]{1}; s=float[2]{1,1}; y=DequantizeLinear(c,s)", "!axis 1 of an array of 0"},
        {"c=uint8[2]{1,2}; y=DynamicQuantizeLinear(c)", "!input 0 is uint8, not float"},
        {"a=int64[1,1]{1}; b=int8[1,1]{1}; y=MatMulInteger(a,b)", "!it multiplies int64"},
        {"a=uint8[1,2]{1,2}; b=int8[1,1]{1}; y=MatMulInteger(a,b)", "!its matrices do not fit"},
        {"a=uint8[1,1]{1}; b=int8[1,1]{1}; z=uint8[3]{1,2,3}; y=MatMulInteger(a,b,z)",
         "!3 scales for 1"},
        {"a=uint8[1,1]{1}; b=int8[1,1]{1}; z=int8[]{1}; y=MatMulInteger(a,b,z)",
         "!a zero point is int8"},
        {"a=uint8[1,0]{}; b=int8[0]{}; w=int8[0]{}; y=MatMulInteger(a,b,,w)", "!it has no scales"},
        {CONV "t=float[]{0}; y=QLinearConv(a,t,z,b,s,w,s,z)", "!a scale of 0"},
        {"a=uint8[2,1]{1,1}; b=int8[1,1]{1}; s=float[]{1}; z=uint8[]{0}; w=int8[]{0}; "
         "t=float[2]{1,1}; "
         "v=int8[2]{0,0}; y=QLinearMatMul(a,s,z,b,s,w,t,v)",
         "!its result has many scales"},
        {CONV "y=QLinearConv(a,s,z,b,s,z,s,z)", "!a zero point is uint8"},
        {CONV "v=int64[]{0}; y=QLinearConv(a,s,z,b,s,w,s,v)", "!its result is int64"},
        {CONV "t=float[2]{1,1}; y=QLinearConv(a,s,z,b,t,w,s,z)", "!1 zero points, not 2"},
        {CONV "t=float[2]{1,1}; v=int8[2]{0,0}; y=QLinearConv(a,s,z,b,t,v,s,z)", "!2 scales for 1"},
        {CONV "c=int32[2]{1,1}; y=QLinearConv(a,s,z,b,s,w,s,z,c)", "!a bias of 2 numbers for 1"},
        {CONV "c=int64[1]{1}; y=QLinearConv(a,s,z,b,s,w,s,z,c)", "!its bias is int64, not int32"},
        {CONV "y=QLinearConv(a,s,z,b,s,w,s)", "!it has 7 inputs"},
        {CONV "y=QLinearConv(a,s,,b,s,w,s,z)", "!input 2 is missing"},
        {CONV "y=QLinearConv<group=2>(a,s,z,b,s,w,s,z)", "!1 channels and 1 filters in 2 groups"},
        {"a=uint8[2,1,1,1]{1,2}; b=int8[1,1,1,1]{3}; z=uint8[2]{1,2}; y=ConvInteger(a,b,z)",
         "!its input has 2 scales or zero points"},
        {"opset 9; " X "s=float[]{1}; y=QuantizeLinear(x,s)", "!of set 9 is not supported"},
    };
#undef X
#undef CONV
    (void)state;
    CHECK(rows);
}

/* ---- The fast path ---------------------------------------------------------------------------- */

static bool is_eight(const f0t_layout *layout)
{
    return f0t_layout_type(layout) == F0T_U8 || f0t_layout_type(layout) == F0T_I8;
}

/* Layers with weights, sums and pools that take bytes; not what makes bytes of floats, or floats of bytes. */
static bool is_eight_step(const f0t_onnx_step *step)
{
    if (!step->layer || !is_eight(f0t_layer_source(step->layer)))
        return false;
    return step->constants[0] || step->source_count == 2 ||
           (step->node && strcmp(step->node->proto->op_type, "MaxPool") == 0 &&
            is_eight(f0t_layer_result(step->layer)));
}

static int count_eight(const char *text)
{
    f0t_onnx_weights *weights;
    f0t_onnx_schedule *s;
    int count = 0;
    net n;
    assert_ok(open_net(&n, text));
    assert_ok(f0t_onnx_weights_create(&weights));
    assert_ok(make_schedule(&s, &n, weights));
    for (size_t k = 0; k < s->step_count; k++)
        count += is_eight_step(&s->steps[k]);
    f0t_onnx_schedule_free(s);
    f0t_onnx_weights_free(weights);
    close_net(&n);
    return count;
}

/* The rows give what they should, and so many of their steps are of eight bits: a digit for each row. */
static void check_eight(const row *rows, size_t count, const char *steps)
{
    size_t wrong = 0;
    check(rows, count);
    if (!f0t_layer_eight_native()) {
        print_message("this CPU has no VNNI: that bytes stay bytes is not checked\n");
        skip();
    }
    assert_int_equal(strlen(steps), count);
    for (size_t k = 0; k < count; k++) {
        int got = count_eight(rows[k].text);
        if (got == steps[k] - '0')
            continue;
        print_error("%s\n  %d steps of eight bits, not %c\n", rows[k].text, got, steps[k]);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

#define CHECK_EIGHT(rows, steps) check_eight(rows, sizeof(rows) / sizeof *(rows), steps)

#define X                                                                       \
    "x:float[1,2,2,2]; s=float[]{0.5}; z=uint8[]{2}; a=QuantizeLinear(x,s,z); " \
    "d=DequantizeLinear(a,s,z); "
#define W "q=int8[2,2,1,1]{1,-2,3,4}; t=float[2]{0.25,0.5}; w=DequantizeLinear<axis=0>(q,t); "
#define END "u=float[]{0.5}; n=int8[]{-8}; e=QuantizeLinear(c,u,n); y=DequantizeLinear(e,u,n)"

static void convolutions_stay_in_eight_bits(void **state)
{
    static const row rows[] = {
        {X "y=Relu(d)", "float32 1x2x2x2: 0 1 2 3 4 5 6 7"},
        {X "y=Add(d,x)", "float32 1x2x2x2: 0 2 4 6 8 10 12 14"},
        {X "y=Transpose<perm=[0,2,3,1]>(d)", "float32 1x2x2x2: 0 4 1 5 2 6 3 7"},
        {X "y=Flatten(a)", "uint8 1x8: 2 4 6 8 10 12 14 16"},
        {X "y=Flatten(d)", "float32 1x8: 0 1 2 3 4 5 6 7"},
        {X "f=Flatten(d); g=Identity(f); b=QuantizeLinear(g,s,z); y=DequantizeLinear(b,s,z)",
         "float32 1x8: 0 1 2 3 4 5 6 7"},
        {X "f=Flatten(d); u=float[]{2}; n=int8[]{-2}; y=QuantizeLinear(f,u,n)",
         "int8 1x8: -2 -2 -1 0 0 0 1 2"},
        {X "k=uint8[]{1}; h=float[]{0.25}; y=DequantizeLinear(a,h,k)",
         "float32 1x2x2x2: 0.25 0.75 1.25 1.75 2.25 2.75 3.25 3.75"},
        {X "y=MaxPool<kernel_shape=[2,2]>(d)", "float32 1x2x1x1: 3 7"},
        {X "m=MaxPool<kernel_shape=[2,2],pads=[1,1,0,0]>(d); b=QuantizeLinear(m,s,z); "
           "y=DequantizeLinear(b,s,z)",
         "float32 1x2x2x2: 0 1 2 3 4 5 6 7"},
        {X "y=GlobalAveragePool(d)", "float32 1x2x1x1: 1.5 5.5"},
        {X W "y=Conv(d,w)", "float32 1x2x2x2: -2 -2.25 -2.5 -2.75 8 11.5 15 18.5"},
        {X W "c=Conv(d,w); " END, "float32 1x2x2x2: -2 -2 -2.5 -3 8 11.5 15 18.5"},
        {X W "f=Conv(d,w); c=Relu(f); " END, "float32 1x2x2x2: 0 0 0 0 8 11.5 15 18.5"},
        {X W "f=Conv(d,w); c=Relu(f); y=QuantizeLinear(c,s)", "uint8 1x2x2x2: 0 0 0 0 16 23 30 37"},
        {X W "l=float[]{-2.25}; h=float[]{12}; f=Conv(d,w); c=Clip(f,l,h); " END,
         "float32 1x2x2x2: -2 -2 -2 -2 8 11.5 12 12"},
        {X W "l=float[]{0}; h=float[]{12}; f=Conv(d,w); c=Clip(f,l,h); y=QuantizeLinear(c,s)",
         "uint8 1x2x2x2: 0 0 0 0 16 23 24 24"},
        {X W "f=Conv(d,w); c=HardSwish(f); " END, "="},
        {X W "b=float[2]{1,-1}; c=Conv(d,w,b); y=Relu(c)",
         "float32 1x2x2x2: 0 0 0 0 7 10.5 14 17.5"},
        {X W "i=int32[2]{8,-4}; r=float[2]{0.125,0.25}; b=DequantizeLinear<axis=0>(i,r); "
             "c=Conv(d,w,b); y=Relu(c)",
         "float32 1x2x2x2: 0 0 0 0 7 10.5 14 17.5"},
        {X W "b=float[2]{1,-1}; v=float[2]{1,1}; m=float[2]{2,-2}; f=Conv(d,w,b); "
             "y=BatchNormalization<epsilon=0.0>(f,m,b,b,v)",
         "float32 1x2x2x2: -3 -3.5 -4 -4.5 -17 -24 -31 -38"},
        {X W "b=float[2]{1,-1}; v=float[2]{1,1}; m=float[2]{0,1}; f=Conv(d,w,b); "
             "y=BatchNormalization<epsilon=0.0>(f,m,b,b,v)",
         "float32 1x2x2x2: 1 1 1 1 7 10.5 14 17.5"},
        {X "q=int8[2,1,2,2]{1,2,3,4,5,6,7,8}; t=float[2]{1,0.5}; w=DequantizeLinear<axis=0>(q,t); "
           "y=Conv<group=2,pads=[1,1,0,0]>(d,w)",
         "float32 1x2x2x2: 0 4 8 20 16 34 36 74"},
        {X "q=int8[1,2,2,2]{1,2,3,4,5,6,7,8}; t=float[]{1}; w=DequantizeLinear(q,t); "
           "y=Conv<pads=[1,1,1,1],strides=[2,2]>(d,w)",
         "float32 1x1x2x2: 32 38 40 38"},
        /* uint8 around 128 is int8; around anything else it is not. */
        {X "q=uint8[1,2,1,1]{129,126}; k=uint8[]{128}; t=float[]{1}; w=DequantizeLinear(q,t,k); "
           "y=Conv(d,w)",
         "float32 1x1x2x2: -8 -9 -10 -11"},
        {X "q=uint8[1,2,1,1]{129,126}; k=uint8[]{127}; t=float[]{1}; w=DequantizeLinear(q,t,k); "
           "y=Conv(d,w)",
         "float32 1x1x2x2: -4 -3 -2 -1"},
        /* Scales of another dimension than the filters. */
        {X "q=int8[1,2,1,1]{1,-2}; t=float[2]{1,2}; w=DequantizeLinear<axis=1>(q,t); y=Conv(d,w)",
         "float32 1x1x2x2: -16 -19 -22 -25"},
        {X W "f=Conv(d,w); y=Add(f,d); return y,f",
         "float32 1x2x2x2: -2 -1.25 -0.5 0.25 12 16.5 21 25.5; "
         "float32 1x2x2x2: -2 -2.25 -2.5 -2.75 8 11.5 15 18.5"},
        {X "t=float[1]{1e-38}; q=int8[1,2,1,1]{1,-2}; w=DequantizeLinear<axis=0>(q,t); "
           "b=float[1]{3}; y=Conv(d,w,b)",
         "float32 1x1x2x2: 3 3 3 3"},
        {X "t=float[1]{1e-38}; q=int8[1,2,1,1]{1,-2}; w=DequantizeLinear<axis=0>(q,t); "
           "b=float[1]{1e38}; y=Conv(d,w,b)",
         "float32 1x1x2x2: 1e+38 1e+38 1e+38 1e+38"},
        /* Floats that one takes are not those that the other one takes. */
        {X W "v=float[2,2,1,1]{1,0,0,1}; f=Conv(d,v); g=Conv(d,w); y=Add(f,g)", "="},
    };
    (void)state;
    CHECK_EIGHT(rows, "0000000011011111111110111001001");
}

static void qlinear_layers_stay_in_eight_bits(void **state)
{
#define Q                                                                               \
    "q=int8[2,2,1,1]{1,-2,3,4}; t=float[2]{0.25,0.5}; o=int8[2]{0,0}; u=float[]{0.5}; " \
    "n=int8[]{-8}; "
    static const row rows[] = {
        {X Q "y=QLinearConv(a,s,z,q,t,o,u,n)", "int8 1x2x2x2: -12 -12 -13 -14 8 15 22 29"},
        {X Q "i=int32[2]{8,-4}; y=QLinearConv(a,s,z,q,t,o,u,n,i)",
         "int8 1x2x2x2: -10 -10 -11 -12 6 13 20 27"},
        {X Q "e=QLinearConv(a,s,z,q,t,o,u,n); f=QLinearConv(e,u,n,q,t,o,u,n); "
             "y=DequantizeLinear(f,u,n)",
         "="},
        {X Q "k=uint8[]{1}; e=QLinearConv(a,s,k,q,t,o,u,n); y=MaxPool<kernel_shape=[2,2]>(e)", "="},
        {X Q "r=int64[2]{2,4}; e=QLinearConv(a,s,z,q,t,o,u,n); y=Reshape(e,r)",
         "int8 2x4: -12 -12 -13 -14 8 15 22 29"},
        {"x:float[2,2]; s=float[]{0.5}; z=uint8[]{2}; a=QuantizeLinear(x,s,z); "
         "q=int8[2,3]{1,2,3,4,5,6}; t=float[]{0.5}; o=int8[]{0}; k=uint8[]{1}; "
         "y=QLinearMatMul(a,s,z,q,t,o,s,k)",
         "uint8 2x3: 5 6 7 15 20 25"},
        {"x:float[2,2]; s=float[]{0.5}; z=uint8[]{2}; a=QuantizeLinear(x,s,z); "
         "q=int8[2,3]{1,2,3,4,5,6}; t=float[3]{0.5,1,2}; o=int8[3]{0,0,0}; k=uint8[]{1}; "
         "y=QLinearMatMul(a,s,z,q,t,o,s,k)",
         "uint8 2x3: 5 11 25 15 39 97"},
        {"x:float[2,1,2]; s=float[]{0.5}; z=uint8[]{2}; a=QuantizeLinear(x,s,z); "
         "q=uint8[2,1]{129,126}; t=float[]{0.5}; o=uint8[]{128}; k=int8[]{1}; "
         "y=QLinearMatMul(a,s,z,q,t,o,s,k)",
         "int8 2x1x1: -1 -3"},
    };
#undef Q
    (void)state;
    CHECK_EIGHT(rows, "11221111");
}

static void dense_layers_stay_in_eight_bits(void **state)
{
#define R                                                                   \
    "x:float[2,3]; s=float[]{0.5}; z=uint8[]{2}; a=QuantizeLinear(x,s,z); " \
    "d=DequantizeLinear(a,s,z); "
#define WIDE(k)                                                                              \
    "x:float[1," #k "]; s=float[]{1}; z=uint8[]{0}; a=QuantizeLinear(x,s,z); t=float[]{1}; " \
    "d=DequantizeLinear(a,s,z); o=int8[]{0}; q=int8[" #k ",1]{-128,-128..}; "                \
    "w=DequantizeLinear(q,t,o); "
#define M "q=int8[3,2]{1,-2,3,4,-5,6}; t=float[2]{0.25,0.5}; w=DequantizeLinear<axis=1>(q,t); "
    static const row rows[] = {
        {R M "y=MatMul(d,w)", "float32 2x2: -1.75 8 -2.5 20"},
        {R M "b=float[2]{1,2}; f=MatMul(d,w); y=Add(f,b)", "float32 2x2: -0.75 10 -1.5 22"},
        {R M "b=float[2]{1,2}; f=MatMul(d,w); g=Add(f,b); y=Relu(g)", "float32 2x2: 0 10 0 22"},
        {R M "b=float[2]{1,2}; f=MatMul(d,w); g=Add(f,b); c=Relu(g); " END,
         "float32 2x2: 0 10 0 22"},
        {R M "b=float[2]{1,2}; c=Gemm<alpha=2.0,beta=4.0>(d,w,b); " END,
         "float32 2x2: 0.5 24 -1 48"},
        {R "q=int8[2,3]{1,-2,3,4,-5,6}; t=float[2]{0.25,0.5}; w=DequantizeLinear<axis=0>(q,t); "
           "y=Gemm<transB=1>(d,w)",
         "float32 2x2: 1 3.5 2.5 11"},
        /* Scales by rows of what is summed are no scales of the result. */
        {R "q=int8[3,2]{1,-2,3,4,-5,6}; t=float[3]{0.25,0.5,1}; w=DequantizeLinear<axis=0>(q,t); "
           "y=MatMul(d,w)",
         "float32 2x2: -8.5 14 -18.25 36.5"},
        {"x:float[2,1,3]; s=float[]{0.5}; z=int8[]{2}; a=QuantizeLinear(x,s,z); "
         "d=DequantizeLinear(a,s,z); " M "y=MatMul(d,w)",
         "float32 2x1x2: -1.75 8 -2.5 20"},
        /* 65,793 products of 255 and 128 are the most that int32 holds. */
        {WIDE(65793) "y=MatMul(d,w)", "float32 1x1: -2.143e+09"},
        {WIDE(70000) "y=MatMul(d,w)", "float32 1x1: -2.281e+09"},
        {WIDE(70000) "u=float[]{16777216}; n=uint8[]{200}; y=QLinearMatMul(a,s,z,q,t,o,u,n)",
         "uint8 1x1: 64"},
    };
#undef WIDE
#undef R
#undef M
    (void)state;
    CHECK_EIGHT(rows, "11111101100");
}

static void sums_stay_in_eight_bits(void **state)
{
#define TWO \
    X "i=Neg(x); v=float[]{1}; k=int8[]{3}; g=QuantizeLinear(i,v,k); h=DequantizeLinear(g,v,k); "
#define SUM                                                                      \
    X W "i=Abs(x); v=float[]{1}; k=uint8[]{3}; g=QuantizeLinear(i,v,k); "        \
        "h=DequantizeLinear(g,v,k); f=Conv(d,w); o=float[]{0.5}; l=uint8[]{0}; " \
        "j=QuantizeLinear(f,o,l); m=DequantizeLinear(j,o,l); "
    static const row rows[] = {
        {TWO "c=Add(d,h); " END, "float32 1x2x2x2: 0 0 0 0 0 0 0 0"},
        {TWO "c=Add(h,d); y=QuantizeLinear(c,s,z)", "uint8 1x2x2x2: 2 2 2 2 2 2 2 2"},
        {TWO "f=Add(d,d); c=Add(h,f); " END, "float32 1x2x2x2: 0 1 2 3 4 5 6 7"},
        {TWO W "f=Conv(d,w); o=float[]{0.5}; l=uint8[]{0}; j=QuantizeLinear(f,o,l); "
               "m=DequantizeLinear(j,o,l); c=Add(m,h); " END,
         "float32 1x2x2x2: 0 -1 -2 -3 4 6.5 9 11.5"},
        {TWO W "f=Conv(d,w); o=float[]{0.5}; l=uint8[]{0}; j=QuantizeLinear(f,o,l); "
               "m=DequantizeLinear(j,o,l); e=Add(m,h); c=Relu(e); y=QuantizeLinear(c,s,z)",
         "uint8 1x2x2x2: 2 2 2 2 10 15 20 25"},
        {TWO W "f=Conv(d,w); o=float[]{0.5}; l=uint8[]{0}; j=QuantizeLinear(f,o,l); "
               "m=DequantizeLinear(j,o,l); e=Add(h,m); c=Relu(e); y=QuantizeLinear(c,s)",
         "uint8 1x2x2x2: 0 0 0 0 8 13 18 23"},
        /* Done by the convolution, where the other side is of the same type and not needed later. */
        {SUM "c=Add(m,h); r=Relu(c); y=QuantizeLinear(r,s)", "uint8 1x2x2x2: 0 2 4 6 24 33 42 51"},
        {SUM "c=Add(h,m); y=QuantizeLinear(c,s,z)", "uint8 1x2x2x2: 2 4 6 8 26 35 44 53"},
        {SUM "c=Add(h,m); " END, "float32 1x2x2x2: 0 1 2 3 12 16.5 21 25.5"},
        {SUM "c=Add(m,h); r=Relu(c); y=QuantizeLinear(r,s); return y,h",
         "uint8 1x2x2x2: 0 2 4 6 24 33 42 51; float32 1x2x2x2: 0 1 2 3 4 5 6 7"},
        {SUM "c=Add(m,h); r=Relu(c); y=QuantizeLinear(r,s); return y,m",
         "uint8 1x2x2x2: 0 2 4 6 24 33 42 51; float32 1x2x2x2: 0 0 0 0 8 11.5 15 18.5"},
        /* Scales that it would have are no numbers: a sum of its own. */
        {X "q=int8[2,2,1,1]{0,0,1,1}; t=float[]{1e9}; w=DequantizeLinear(q,t); i=Abs(x); "
           "v=float[]{1e-30}; k=uint8[]{0}; g=QuantizeLinear(i,v,k); h=DequantizeLinear(g,v,k); "
           "f=Conv(d,w); o=float[]{1}; j=QuantizeLinear(f,o,k); m=DequantizeLinear(j,o,k); "
           "c=Add(m,h); y=QuantizeLinear(c,v,k)",
         "="},
        {TWO "y=Add(d,h); return y,h",
         "float32 1x2x2x2: 0 0 0 0 0 0 0 0; float32 1x2x2x2: 0 -1 -2 -3 -4 -5 -6 -7"},
        {TWO "y=Concat<axis=1>(d,h)", "float32 1x4x2x2: 0 1 2 3 4 5 6 7 0 -1 -2 -3 -4 -5 -6 -7"},
    };
#undef SUM
#undef TWO
    (void)state;
    CHECK_EIGHT(rows, "11012211222200");
}

/* The most by which elements of the two lines differ. */
static double most_apart(const char *a, const char *b)
{
    double most = 0;
    char *end_a, *end_b;
    a = strchr(a, ':') + 1;
    b = strchr(b, ':') + 1;
    for (;;) {
        double x = strtod(a, &end_a), y = strtod(b, &end_b);
        assert_int_equal(end_a == a, end_b == b);
        if (end_a == a)
            return most;
        most = fmax(most, fabs(x - y));
        a = end_a;
        b = end_b;
    }
}

/* Whether the fast path is at most so many steps from the plain operators. */
static void check_near(const char *text, double steps)
{
    static char plain[LINE], fast[LINE];
    net n;
    assert_ok(open_net(&n, text));
    assert_ok(interpret(&n, plain));
    assert_ok(schedule(&n, fast));
    if (most_apart(plain, fast) > steps)
        fail_msg("%s\n  plain: %s\n  fast: %s", text, plain, fast);
    close_net(&n);
}

/* Odd zero points, and scales that are no power of two. */
static void odd_grids_are_at_most_a_step_off(void **state)
{
#define ODD(shape)                                                              \
    "x:float" shape "; s=float[]{0.1}; z=uint8[]{3}; a=QuantizeLinear(x,s,z); " \
    "d=DequantizeLinear(a,s,z); u=float[]{0.3}; n=int8[]{-7}; v=float[]{0.7}; k=uint8[]{5}; "
#define MAP "[1,2,3,4]"
    static const char *const texts[] = {
        ODD(MAP) "y=QuantizeLinear(d,u,n)",
        ODD(MAP) W "c=Conv(d,w); y=QuantizeLinear(c,u,n)",
        ODD(MAP) W "c=Conv(d,w); r=Relu(c); y=QuantizeLinear(r,v,k)",
        ODD(MAP) W "o=int8[2]{0,0}; y=QLinearConv(a,s,z,q,t,o,v,k)",
        ODD("[4,3]") "q=int8[3,2]{1,-2,3,4,-5,6}; t=float[2]{0.3,0.7}; "
                     "w=DequantizeLinear<axis=1>(q,t); c=MatMul(d,w); y=QuantizeLinear(c,u,n)",
        ODD(MAP) "i=Neg(x); g=QuantizeLinear(i,u,n); h=DequantizeLinear(g,u,n); c=Add(d,h); "
                 "y=QuantizeLinear(c,v,k)",
        ODD("[1,2,4,4]") W "i=Abs(x); g=QuantizeLinear(i,v,k); h=DequantizeLinear(g,v,k); "
                           "f=Conv(d,w); j=QuantizeLinear(f,u,n); m=DequantizeLinear(j,u,n); "
                           "c=Add(m,h); y=QuantizeLinear(c,v,k)",
    };
#undef MAP
#undef ODD
    (void)state;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        check_near(texts[k], 1);
}

/* Of four dimensions, too, whose channels would be last for a convolution: quantised, then multiplied; bytes that are the result
 * become integers at the end. */
static void rows_that_are_multiplied_stay_rows(void **state)
{
    static const size_t steps[] = {2, 3};
    static const row rows[] = {
        {"x:float[2,3,4,4]; s=float[]{0.5}; z=uint8[]{2}; a=QuantizeLinear(x,s,z); "
         "d=DequantizeLinear(a,s,z); q=int8[4,3]{1,-2,3,4,-5,6,7,8,-9,1,2,3}; t=float[3]{1,2,4}; "
         "w=DequantizeLinear<axis=1>(q,t); y=MatMul(d,w)",
         "="},
        {"x:float[2,3,4,4]; s=float[]{0.5}; z=uint8[]{2}; a=QuantizeLinear(x,s,z); "
         "q=int8[4,3]{1,-2,3,4,-5,6,7,8,-9,1,2,3}; t=float[3]{1,2,4}; k=int8[3]{0,0,0}; "
         "y=QLinearMatMul(a,s,z,q,t,k,s,z)",
         "="},
    };
    (void)state;
    CHECK_EIGHT(rows, "11");
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        assert_int_equal(count_steps(rows[k].text), steps[k]);
}

/* ---- A convolution that adds the shortcut ------------------------------------------------------ */

typedef struct shortcut {
    const char *input, *filters, *how; /* dimensions, and attributes */
    size_t weights;                    /* numbers of the filters */
    const char *own, *sum;             /* scales of the two grids */
    double steps;                      /* that the results may be apart */
} shortcut;

/* conv(x) on the grid of `own`, and its relu on that of `sum`, which is the grid of what they add up to. */
static void write_shortcut(char *text, size_t room, const shortcut *s)
{
    size_t used =
        (size_t)snprintf(text, room,
                         "x:float%s; s=float[]{16}; z=uint8[]{6}; a=QuantizeLinear(x,s,z); "
                         "d=DequantizeLinear(a,s,z); q=int8%s{",
                         s->input, s->filters);
    for (size_t k = 0; k < s->weights && used < room; k++)
        used += (size_t)snprintf(text + used, room - used, "%s%d", k ? "," : "",
                                 (int)(k * 37 % 61 % 15) - 7);
    assert_true(used < room);
    used += (size_t)snprintf(
        text + used, room - used,
        "}; t=float[]{0.0625}; w=DequantizeLinear(q,t); u=float[]{%s}; n=uint8[]{120}; "
        "v=float[]{%s}; k=uint8[]{4}; b=Conv<%s>(d,w); i=Relu(b); g=QuantizeLinear(i,v,k); "
        "h=DequantizeLinear(g,v,k); f=Conv<%s>(d,w); j=QuantizeLinear(f,u,n); "
        "m=DequantizeLinear(j,u,n); e=Add(m,h); r=Relu(e); o=uint8[]{0}; y=QuantizeLinear(r,v,o)",
        s->own, s->sum, s->how, s->how);
    assert_true(used < room);
}

static void shortcuts_of_any_shape_are_added(void **state)
{
    static const shortcut cases[] = {
        {"[1,16,6,6]", "[16,16,1,1]", "group=1", 256, "4", "4", 1},
        {"[2,32,5,5]", "[20,32,3,3]", "pads=[1,1,1,1]", 5760, "32", "64", 1},
        {"[1,33,7,6]", "[17,33,1,1]", "strides=[2,2]", 561, "16", "16", 1},
        {"[3,64,3,3]", "[64,64,1,1]", "group=1", 4096, "16", "32", 1},
        {"[1,32,6,6]", "[32,8,3,3]", "group=4,pads=[1,1,1,1]", 2304, "16", "16", 1},
        /* What is not rounded to a grid of wide steps may differ by half of one. */
        {"[1,32,6,6]", "[32,32,1,1]", "group=1", 1024, "32", "8", 3},
    };
    static char text[1 << 15];
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        write_shortcut(text, sizeof text, &cases[k]);
        check_near(text, cases[k].steps);
        if (f0t_layer_eight_native() && !f0t_tiles_native())
            assert_int_equal(count_eight(text), 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_are_quantised),
        cmocka_unit_test(products_are_taken),
        cmocka_unit_test(wrong_scales_are_refused),
        cmocka_unit_test(convolutions_stay_in_eight_bits),
        cmocka_unit_test(qlinear_layers_stay_in_eight_bits),
        cmocka_unit_test(dense_layers_stay_in_eight_bits),
        cmocka_unit_test(sums_stay_in_eight_bits),
        cmocka_unit_test(odd_grids_are_at_most_a_step_off),
        cmocka_unit_test(rows_that_are_multiplied_stay_rows),
        cmocka_unit_test(shortcuts_of_any_shape_are_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
