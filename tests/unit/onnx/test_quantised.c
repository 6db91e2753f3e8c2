/* Networks in eight bits: the plain operators beyond ONNX's own cases, what they refuse, and the fast path, which
 * must give the same. Scales are powers of two, so that both are exact. */
#include "rows.h"

static void arrays_are_quantised(void **state)
{
    static const row rows[] = {
        {"x:float[4]; s=float[]{0.5}; y=QuantizeLinear(x,s)", "uint8 4: 0 2 4 6"},
        {"x:float[4]; s=float[]{2}; z=uint8[]{7}; y=QuantizeLinear(x,s,z)", "uint8 4: 7 7 8 9"},
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_are_quantised),
        cmocka_unit_test(products_are_taken),
        cmocka_unit_test(wrong_scales_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
