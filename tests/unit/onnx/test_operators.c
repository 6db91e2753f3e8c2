/* Every operator beyond what ONNX's own cases ask: odd shapes, attributes and types. */
#include "rows.h"

static void elements_are_moved(void **state)
{
    static const row rows[] = {
        {"x:float[2,3]; y=Transpose(x)", "float32 3x2: 0 3 1 4 2 5"},
        {"x:float[2,1,3]; y=Transpose<perm=[1,2,0]>(x)", "float32 1x3x2: 0 3 1 4 2 5"},
        {"x:float[2]; y=Transpose(x)", "float32 2: 0 1"},
        {"c=int64[2,2]{1,2..}; y=Transpose(c)", "int64 2x2: 1 3 2 4"},
        {"x:float[5]; s=int64[1]{1}; e=int64[1]{4}; y=Slice(x,s,e)", "float32 3: 1 2 3"},
        {"x:float[5]; s=int64[1]{-1}; e=int64[1]{-9}; a=int64[1]{0}; t=int64[1]{-2}; "
         "y=Slice(x,s,e,a,t)",
         "float32 3: 4 2 0"},
        {"x:float[5]; s=int64[1]{9}; e=int64[1]{-3}; a=int64[1]{0}; t=int64[1]{-1}; "
         "y=Slice(x,s,e,a,t)",
         "float32 2: 4 3"},
        {"x:float[5]; s=int64[1]{3}; e=int64[1]{1}; y=Slice(x,s,e)", "float32 0:"},
        {"opset 9; x:float[2,3]; y=Slice<starts=[1],ends=[9],axes=[-1]>(x)",
         "float32 2x2: 1 2 4 5"},
        {"c=int64[4]{5,6..}; s=int64[1]{1}; e=int64[1]{3}; y=Slice(c,s,e)", "int64 2: 6 7"},
        {"x:float[2]; r=int64[1]{3}; y=Tile(x,r)", "float32 6: 0 1 0 1 0 1"},
        {"x:float[2,1]; r=int64[2]{1,2}; y=Tile(x,r)", "float32 2x2: 0 0 1 1"},
        {"x:float[2]; r=int64[1]{0}; y=Tile(x,r)", "float32 0:"},
        {"c=int64[2]{7,8}; r=int64[1]{2}; y=Tile(c,r)", "int64 4: 7 8 7 8"},
        {"x:float[1,2]; c=float[1,1]{9}; y=Concat<axis=-1>(x,c,x)", "float32 1x5: 0 1 9 0 1"},
        {"opset 3; x:float[1,2]; y=Concat(x,x)", "float32 1x4: 0 1 0 1"},
        {"c=int64[1]{3}; d=int64[2]{4,5}; y=Concat<axis=0>(c,d)", "int64 3: 3 4 5"},
        {"x:float[4]; a,b=Split(x); return a,b", "float32 2: 0 1; float32 2: 2 3"},
        {"x:float[5]; s=int64[3]{1,0,4}; a,b,c=Split(x,s); return a,b,c",
         "float32 1: 0; float32 0:; float32 4: 1 2 3 4"},
        {"opset 18; x:float[5]; a,b=Split<num_outputs=2>(x); return a,b",
         "float32 3: 0 1 2; float32 2: 3 4"},
        {"opset 11; x:float[2,3]; a,b=Split<axis=1,split=[1,2]>(x); return b,a",
         "float32 2x2: 1 2 4 5; float32 2x1: 0 3"},
        {"c=int64[2]{8,9}; a,b=Split(c); return a,b", "int64 1: 8; int64 1: 9"},
        {"x:float[3,3]; y=Trilu(x)", "float32 3x3: 0 1 2 0 4 5 0 0 8"},
        {"x:float[3,3]; k=int64[]{1}; y=Trilu<upper=0>(x,k)", "float32 3x3: 0 1 0 3 4 5 6 7 8"},
        {"x:float[2,2]; k=int64[]{-99}; y=Trilu(x,k)", "float32 2x2: 0 1 2 3"},
        {"c=int64[2,2]{1,2..}; k=int64[]{99}; y=Trilu(c,k)", "int64 2x2: 0 0 0 0"},
        {"x:float[1,4,1,2]; y=DepthToSpace<blocksize=2>(x)", "float32 1x1x2x4: 0 2 1 3 4 6 5 7"},
        {"x:float[1,4,1,1]; y=DepthToSpace<blocksize=2,mode=\"CRD\">(x)",
         "float32 1x1x2x2: 0 1 2 3"},
        {"x:float[1,1,2,4]; y=SpaceToDepth<blocksize=2>(x)", "float32 1x4x1x2: 0 2 1 3 4 6 5 7"},
        {"c=int64[1,4,1,1]{1,2..}; y=DepthToSpace<blocksize=2>(c)", "int64 1x1x2x2: 1 2 3 4"},
        {"c=int64[1,1,2,2]{1,2..}; y=SpaceToDepth<blocksize=2>(c)", "int64 1x4x1x1: 1 2 3 4"},
        {"x:float[3]; p=int64[2]{1,2}; y=Pad(x,p)", "float32 6: 0 0 1 2 0 0"},
        {"x:float[3]; p=int64[2]{1,2}; v=float[]{7}; y=Pad(x,p,v)", "float32 6: 7 0 1 2 7 7"},
        {"x:float[3]; p=int64[2]{2,2}; y=Pad<mode=\"reflect\">(x,p)", "float32 7: 2 1 0 1 2 1 0"},
        {"x:float[3]; p=int64[2]{1,1}; y=Pad<mode=\"edge\">(x,p)", "float32 5: 0 0 1 2 2"},
        {"x:float[3]; p=int64[2]{2,1}; y=Pad<mode=\"wrap\">(x,p)", "float32 6: 1 2 0 1 2 0"},
        {"x:float[1]; p=int64[2]{2,0}; y=Pad<mode=\"reflect\">(x,p)", "float32 3: 0 0 0"},
        {"x:float[3]; p=int64[2]{-1,0}; y=Pad(x,p)", "float32 2: 1 2"},
        {"opset 2; x:float[2]; y=Pad<pads=[1,0],value=5.0>(x)", "float32 3: 5 0 1"},
        {"opset 1; x:float[2]; y=Pad<paddings=[0,1]>(x)", "float32 3: 0 1 0"},
        {"opset 18; x:float[1,2]; p=int64[2]{1,0}; a=int64[1]{-1}; y=Pad(x,p,,a)",
         "float32 1x3: 0 0 1"},
        {"c=int64[2]{3,4}; p=int64[2]{1,0}; v=int64[]{9}; y=Pad(c,p,v)", "int64 3: 9 3 4"},
        {"c=float[0,2]{}; p=int64[4]{1,0,0,0}; y=Pad<mode=\"edge\">(c,p)", "float32 1x2: 0 0"},
    };
    (void)state;
    CHECK(rows);
}

static void shapes_are_changed(void **state)
{
    static const row rows[] = {
        {"x:float[2,3]; s=int64[2]{3,-1}; y=Reshape(x,s)", "float32 3x2: 0 1 2 3 4 5"},
        {"x:float[2,3]; s=int64[3]{0,1,-1}; y=Reshape(x,s)", "float32 2x1x3: 0 1 2 3 4 5"},
        {"opset 4; x:float[4]; y=Reshape<shape=[2,2]>(x)", "float32 2x2: 0 1 2 3"},
        {"c=int64[4]{1,2..}; s=int64[2]{2,2}; y=Reshape(c,s)", "int64 2x2: 1 2 3 4"},
        {"x:float[2,2,1]; y=Flatten(x)", "float32 2x2: 0 1 2 3"},
        {"x:float[2,2]; y=Flatten<axis=0>(x)", "float32 1x4: 0 1 2 3"},
        {"x:float[2,2]; y=Flatten<axis=-1>(x)", "float32 2x2: 0 1 2 3"},
        {"x:float[2,2]; y=Flatten<axis=2>(x)", "float32 4x1: 0 1 2 3"},
        {"x:float[1,2,1]; y=Squeeze(x)", "float32 2: 0 1"},
        {"x:float[1,2,1]; a=int64[1]{-1}; y=Squeeze(x,a)", "float32 1x2: 0 1"},
        {"opset 11; x:float[1,2,1]; y=Squeeze<axes=[0]>(x)", "float32 2x1: 0 1"},
        {"x:float[2]; a=int64[2]{0,-1}; y=Unsqueeze(x,a)", "float32 1x2x1: 0 1"},
        {"opset 11; x:float[2]; y=Unsqueeze<axes=[1]>(x)", "float32 2x1: 0 1"},
        {"x:float[2]; s=int64[2]{2,1}; y=Expand(x,s)", "float32 2x2: 0 1 0 1"},
        {"c=int64[1]{4}; s=int64[1]{3}; y=Expand(c,s)", "int64 3: 4 4 4"},
        {"x:float[2,3]; y=Shape(x)", "int64 2: 2 3"},
        {"x:float[2,3,4]; y=Shape<start=-2,end=-1>(x)", "int64 1: 3"},
        {"x:float[2,3]; y=Shape<start=9,end=1>(x)", "int64 0:"},
        {"x:float[2,3]; y=Shape<start=-9,end=9>(x)", "int64 2: 2 3"},
        {"x:float[2,3]; y=Size(x)", "int64 one number: 6"},
    };
    (void)state;
    CHECK(rows);
}

static void arrays_are_made(void **state)
{
    static const row rows[] = {
        {"y=Constant<value=float[2]{1,2}>()", "float32 2: 1 2"},
        {"y=Constant<value=float[2]:{1,2}>()", "float32 2: 1 2"},
        {"y=Constant<value=int64[2]:{3,4}>()", "int64 2: 3 4"},
        {"y=Constant<value=double[1]:{2.5}>()", "float64 1: 2.5"},
        {"y=Constant<value=float16[1]:{0x3c00}>()", "float16 1: 1"},
        {"y=Constant<value=uint64[1]:{5}>()", "uint64 1: 5"},
        {"y=Constant<value=uint8[2]{255,256}>()", "uint8 2: 255 0"},
        {"y=Constant<value=int8[1]{255}>()", "int8 1: -1"},
        {"y=Constant<value=uint16[1]{65535}>()", "uint16 1: 65535"},
        {"y=Constant<value=int16[1]{65535}>()", "int16 1: -1"},
        {"y=Constant<value=int32[1]{4294967295}>()", "int32 1: -1"},
        {"y=Constant<value=uint32[1]{4294967295}>()", "uint32 1: 4294967295"},
        {"y=Constant<value=bool[2]{2,0}>()", "bool 2: 1 0"},
        {"y=Constant<value=bfloat16[1]{0x3f80}>()", "bfloat16 1: 1"},
        {"y=Constant<value_float=1.5>()", "float32 one number: 1.5"},
        {"y=Constant<value_int=7>()", "int64 one number: 7"},
        {"y=Constant<value_floats=[1.5,2.0]>()", "float32 2: 1.5 2"},
        {"y=Constant<value_ints=[7,8]>()", "int64 2: 7 8"},
        {"s=int64[2]{1,2}; y=ConstantOfShape(s)", "float32 1x2: 0 0"},
        {"s=int64[1]{2}; y=ConstantOfShape<value=int64[1]{4}>(s)", "int64 2: 4 4"},
        {"s=int64[0]{}; y=ConstantOfShape<value=float[1]{4}>(s)", "float32 one number: 4"},
        {"a=int64[]{1}; b=int64[]{8}; c=int64[]{3}; y=Range(a,b,c)", "int64 3: 1 4 7"},
        {"a=float[]{1}; b=float[]{0}; c=float[]{-0.5}; y=Range(a,b,c)", "float32 2: 1 0.5"},
        {"a=int64[]{1}; b=int64[]{0}; c=int64[]{3}; y=Range(a,b,c)", "int64 0:"},
        {"x:float[2,3]; y=EyeLike(x)", "float32 2x3: 1 0 0 0 1 0"},
        {"x:float[2,2]; y=EyeLike<dtype=7,k=1>(x)", "int64 2x2: 0 1 0 0"},
        {"i=int64[2]{1,-1}; d=int64[]{3}; v=float[2]{0,9}; y=OneHot(i,d,v)",
         "float32 2x3: 0 9 0 0 0 9"},
        {"x:float[2]; d=float[]{2}; v=int64[2]{5,6}; y=OneHot<axis=0>(x,d,v)",
         "int64 2x2: 6 5 5 6"},
        {"x:float[3]; y=Cast<to=7>(x)", "int64 3: 0 1 2"},
        {"c=float[2]{3.9,300}; y=Cast<to=2>(c)", "uint8 2: 3 44"},
        {"c=float[2]{0,2}; y=Cast<to=9>(c)", "bool 2: 0 1"},
        {"c=float[1]{1.0009765}; y=Cast<to=10>(c)", "float16 1: 1.001"},
        {"c=float[1]{1.00390625}; y=Cast<to=16>(c)", "bfloat16 1: 1"},
        {"c=int64[1]{300}; y=Cast<to=3>(c)", "int8 1: 44"},
        {"c=int64[1]{300}; y=Cast<to=1>(c)", "float32 1: 300"},
        {"x:float[2]; c=int32[1]{0}; y=CastLike(x,c)", "int32 2: 0 1"},
    };
    (void)state;
    CHECK(rows);
}

static void numbers_are_computed(void **state)
{
    static const row rows[] = {
        {"c=int64[3]{-2,0,3}; y=Abs(c)", "int64 3: 2 0 3"},
        {"c=int64[3]{-2,0,3}; y=Neg(c)", "int64 3: 2 0 -3"},
        {"c=int64[3]{-2,0,3}; y=Sign(c)", "int64 3: -1 0 1"},
        {"opset 14; c=int32[3]{-2,0,3}; y=Relu(c)", "int32 3: 0 0 3"},
        {"c=int64[1]{-9223372036854775808}; y=Abs(c)", "int64 1: -9223372036854775808"},
        {"c=bool[2]{1,0}; y=Identity(c)", "bool 2: 1 0"},
        {"c=bool[2]{1,0}; y=Not(c)", "bool 2: 0 1"},
        {"x:float[3]; n=Neg(x); y=Abs(n)", "float32 3: 0 1 2"},
        {"x:float[3]; n=Neg(x); y=Elu<alpha=2.0>(n)", "float32 3: 0 -1.264 -1.729"},
        {"x:float[3]; n=Neg(x); y=Selu(n)", "float32 3: 0 -1.111 -1.52"},
        {"x:float[3]; n=Neg(x); y=Celu(n)", "float32 3: 0 -0.6321 -0.8647"},
        {"x:float[3]; n=Neg(x); y=Sign(n)", "float32 3: 0 -1 -1"},
        {"x:float[3]; n=Neg(x); y=Softplus(n)", "float32 3: 0.6931 0.3133 0.1269"},
        {"x:float[3]; n=Neg(x); y=Softsign(n)", "float32 3: 0 -0.5 -0.6667"},
        {"x:float[3]; n=Neg(x); y=Shrink<lambd=1.5,bias=0.5>(n)", "float32 3: 0 0 -1.5"},
        {"x:float[3]; y=Shrink<lambd=1.5,bias=0.5>(x)", "float32 3: 0 0 1.5"},
        {"x:float[3]; y=ThresholdedRelu<alpha=1.5>(x)", "float32 3: 0 0 2"},
        {"x:float[2]; y=Reciprocal(x)", "float32 2: inf 1"},
        {"c=float[2]{25,-25}; y=Softplus(c)", "float32 2: 25 1.389e-11"},
        {"opset 18; c=float[2]{25,0}; y=Mish(c)", "float32 2: 25 0"},
        {"opset 20; x:float[2]; y=Gelu<approximate=\"tanh\">(x)", "float32 2: 0 0.8412"},
        {"opset 20; x:float[2]; y=Gelu(x)", "float32 2: 0 0.8413"},
        {"opset 20; c=float16[1]{0x3c00}; y=Gelu<approximate=\"tanh\">(c)", "float16 1: 0.8412"},
        {"x:float[4]; a=float[]{1}; b=float[]{2}; y=Clip(x,a,b)", "float32 4: 1 1 2 2"},
        {"x:float[3]; b=float[]{1}; y=Clip(x,,b)", "float32 3: 0 1 1"},
        {"opset 6; x:float[4]; y=Clip<min=1.0,max=2.0>(x)", "float32 4: 1 1 2 2"},
        {"opset 12; c=int64[3]{0,5,9}; a=int64[]{1}; b=int64[]{6}; y=Clip(c,a,b)",
         "int64 3: 1 5 6"},
        {"opset 12; c=int64[3]{0,5,9}; y=Clip(c)", "int64 3: 0 5 9"},
        {"c=float[3]{inf,-inf,nan}; y=IsInf(c)", "bool 3: 1 1 0"},
        {"c=float[3]{inf,-inf,nan}; y=IsInf<detect_negative=0>(c)", "bool 3: 1 0 0"},
        {"c=float[3]{inf,-inf,nan}; y=IsInf<detect_positive=0>(c)", "bool 3: 0 1 0"},
        {"c=float[2]{inf,nan}; y=IsNaN(c)", "bool 2: 0 1"},
        {"x:float[2]; y,m=Dropout(x); return y,m", "float32 2: 0 1; bool 2: 1 1"},
        {"opset 7; x:float[2]; y,m=Dropout(x); return y,m", "float32 2: 0 1; float32 2: 1 1"},
        {"x:float[2]; t=bool[]{0}; y=Dropout(x,,t)", "float32 2: 0 1"},
        {"x:float[2]; c=float[2,1]{1,2}; y=Sub(x,c)", "float32 2x2: -1 0 -2 -1"},
        {"x:float[2]; c=float[]{2}; y=Div(c,x)", "float32 2: inf 2"},
        {"x:float[3]; c=float[]{2}; y=Pow(x,c)", "float32 3: 0 1 4"},
        {"x:float[3]; c=int64[]{2}; y=Pow(x,c)", "float32 3: 0 1 4"},
        {"c=int64[3]{2,3,-1}; d=float[]{2}; y=Pow(c,d)", "int64 3: 4 9 1"},
        {"c=int64[4]{1,-1,-1,2}; d=int64[4]{-3,-3,-2,-1}; y=Pow(c,d)", "int64 4: 1 -1 1 0"},
        {"c=int64[2]{7,-7}; d=int64[]{2}; y=Div(c,d)", "int64 2: 3 -3"},
        {"c=int64[2]{7,-7}; d=int64[]{-1}; y=Div(c,d)", "int64 2: -7 7"},
        {"c=int64[4]{7,-7,7,-7}; d=int64[4]{3,3,-3,-1}; y=Mod(c,d)", "int64 4: 1 2 -2 0"},
        {"c=int64[2]{7,-7}; d=int64[]{3}; y=Mod<fmod=1>(c,d)", "int64 2: 1 -1"},
        {"c=float[2]{7,-7}; d=float[]{3}; y=Mod(c,d)", "float32 2: 1 2"},
        {"c=float[2]{7,-7}; d=float[]{3}; y=Mod<fmod=1>(c,d)", "float32 2: 1 -1"},
        {"c=uint8[2]{200,1}; d=uint8[2]{100,255}; y=Add(c,d)", "uint8 2: 44 0"},
        {"c=int64[2]{5,1}; d=int64[]{3}; y=Sub(c,d)", "int64 2: 2 -2"},
        {"c=int64[2]{5,1}; d=int64[]{3}; y=Mul(c,d)", "int64 2: 15 3"},
        {"c=int64[2]{5,1}; d=int64[]{3}; e=Max(c,d); f=Min(c,d); return e,f",
         "int64 2: 5 3; int64 2: 3 1"},
        {"c=bool[4]{0,0,1,1}; d=bool[4]{0,1,0,1}; a=And(c,d); b=Or(c,d); e=Xor(c,d); "
         "return a,b,e",
         "bool 4: 0 0 0 1; bool 4: 0 1 1 1; bool 4: 0 1 1 0"},
        {"c=uint8[3]{1,255,8}; d=uint8[3]{3,1,64}; y=BitShift<direction=\"LEFT\">(c,d)",
         "uint8 3: 8 254 0"},
        {"c=uint8[2]{8,255}; d=uint8[2]{3,1}; y=BitShift<direction=\"RIGHT\">(c,d)",
         "uint8 2: 1 127"},
        {"x:float[2,2]; n=Neg(x); c=float[2]{2,3}; y=PRelu(n,c)", "float32 2x2: 0 -3 -4 -9"},
        {"opset 6; x:float[1,2,1]; n=Neg(x); c=float[2]{2,3}; y=PRelu(n,c)", "float32 1x2x1: 0 -3"},
        {"opset 6; x:float[2,2]; c=float[2]{10,20}; y=Add<broadcast=1,axis=0>(x,c)",
         "float32 2x2: 10 11 22 23"},
        {"opset 6; x:float[2,2]; c=float[2]{10,20}; y=Add<broadcast=1>(x,c)",
         "float32 2x2: 10 21 12 23"},
        {"x:float[2]; c=float[2,1]{5,6}; y=Max(x,c,x)", "float32 2x2: 5 5 6 6"},
        {"x:float[2]; c=float[2,1]{5,6}; y=Min(x,c)", "float32 2x2: 0 1 0 1"},
        {"x:float[2]; c=float[2,1]{5,6}; y=Mean(x,c)", "float32 2x2: 2.5 3 3 3.5"},
        {"x:float[2]; y=Sum(x)", "float32 2: 0 1"},
        {"c=float[2]{nan,1}; d=float[2]{1,nan}; a=Max(c,d); b=Min(c,d); return a,b",
         "float32 2: nan nan; float32 2: nan nan"},
        {"x:float[3]; c=float[]{1}; a=Equal(x,c); b=Less(x,c); d=Greater(x,c); return a,b,d",
         "bool 3: 0 1 0; bool 3: 1 0 0; bool 3: 0 0 1"},
        {"x:float[3]; c=float[]{1}; a=LessOrEqual(x,c); b=GreaterOrEqual(x,c); return a,b",
         "bool 3: 1 1 0; bool 3: 0 1 1"},
        {"c=int64[3]{1,2,3}; d=int64[]{2}; a=Equal(c,d); b=LessOrEqual(c,d); "
         "e=GreaterOrEqual(c,d); return a,b,e",
         "bool 3: 0 1 0; bool 3: 1 1 0; bool 3: 0 1 1"},
        {"c=int64[]{1}; d=int64[]{2}; a=Less(c,d); b=Greater(c,d); return a,b",
         "bool one number: 1; bool one number: 0"},
        {"opset 6; x:float[2,2]; c=float[2]{1,2}; y=Less<broadcast=1,axis=0>(x,c)",
         "bool 2x2: 1 0 0 0"},
        {"b=bool[2,1]{1,0}; x:float[2]; c=float[]{9}; y=Where(b,x,c)", "float32 2x2: 0 1 9 9"},
        {"b=bool[]{0}; c=int64[]{1}; d=int64[]{2}; y=Where(b,c,d)", "int64 one number: 2"},
    };
    (void)state;
    CHECK(rows);
}

static void elements_are_picked(void **state)
{
    static const row rows[] = {
        {"x:float[3,2]; i=int64[2]{-1,0}; y=Gather(x,i)", "float32 2x2: 4 5 0 1"},
        {"x:float[2,3]; i=int64[1,1]{1}; y=Gather<axis=-1>(x,i)", "float32 2x1x1: 1 4"},
        {"c=int64[3]{7,8,9}; i=int64[]{2}; y=Gather(c,i)", "int64 one number: 9"},
        {"x:float[2,2]; i=int64[1,2]{1,0}; y=GatherElements(x,i)", "float32 1x2: 2 1"},
        {"x:float[2,2]; i=int64[2,1]{-1,0}; y=GatherElements<axis=1>(x,i)", "float32 2x1: 1 2"},
        {"c=int64[2]{5,6}; i=int64[1]{1}; y=GatherElements(c,i)", "int64 1: 6"},
        {"x:float[2,2]; i=int64[2,2]{0,1,1,0}; y=GatherND(x,i)", "float32 2: 1 2"},
        {"x:float[2,2]; i=int64[1,1]{1}; y=GatherND(x,i)", "float32 1x2: 2 3"},
        {"x:float[2,2]; i=int64[2,1]{1,0}; y=GatherND<batch_dims=1>(x,i)", "float32 2: 1 2"},
        {"c=int64[2]{5,6}; i=int64[1]{-1}; y=GatherND(c,i)", "int64 one number: 6"},
        {"x:float[3]; i=int64[2]{0,-1}; u=float[2]{8,9}; y=ScatterElements(x,i,u)",
         "float32 3: 8 1 9"},
        {"opset 18; x:float[3]; i=int64[2]{1,1}; u=float[2]{8,9}; "
         "y=ScatterElements<reduction=\"add\">(x,i,u)",
         "float32 3: 0 18 2"},
        {"opset 18; c=int64[2]{2,3}; i=int64[2]{1,1}; u=int64[2]{4,5}; "
         "y=ScatterElements<reduction=\"mul\">(c,i,u)",
         "int64 2: 2 60"},
        {"opset 9; x:float[2]; i=int64[1]{1}; u=float[1]{7}; y=Scatter(x,i,u)", "float32 2: 0 7"},
        {"x:float[2,2]; i=int64[1,1]{1}; u=float[1,2]{8,9}; y=ScatterND(x,i,u)",
         "float32 2x2: 0 1 8 9"},
        {"opset 16; x:float[2,2]; i=int64[1,1]{1}; u=float[1,2]{8,9}; "
         "y=ScatterND<reduction=\"mul\">(x,i,u)",
         "float32 2x2: 0 1 16 27"},
        {"opset 16; c=int64[2]{1,2}; i=int64[1,1]{0}; u=int64[1]{8}; "
         "y=ScatterND<reduction=\"add\">(c,i,u)",
         "int64 2: 9 2"},
        {"c=int64[2]{1,2}; i=int64[1,1]{0}; u=int64[1]{8}; y=ScatterND(c,i,u)", "int64 2: 8 2"},
    };
    (void)state;
    CHECK(rows);
}

static void elements_are_reduced(void **state)
{
    static const row rows[] = {
        {"x:float[2,3]; y=ReduceSum<keepdims=0>(x)", "float32 one number: 15"},
        {"x:float[2,3]; a=int64[1]{1}; y=ReduceSum(x,a)", "float32 2x1: 3 12"},
        {"x:float[2,3]; y=ReduceSum<noop_with_empty_axes=1>(x)", "float32 2x3: 0 1 2 3 4 5"},
        {"x:float[2,3]; y=ReduceMax<axes=[0],keepdims=0>(x)", "float32 3: 3 4 5"},
        {"x:float[2,3]; y=ReduceMin<axes=[-1]>(x)", "float32 2x1: 0 3"},
        {"x:float[2,3]; y=ReduceProd<axes=[-1]>(x)", "float32 2x1: 0 60"},
        {"x:float[2,3]; y=ReduceL1<axes=[0]>(x)", "float32 1x3: 3 5 7"},
        {"x:float[2,2]; y=ReduceL2<axes=[1]>(x)", "float32 2x1: 1 3.606"},
        {"x:float[2,2]; y=ReduceSumSquare<axes=[1]>(x)", "float32 2x1: 1 13"},
        {"x:float[2,2]; y=ReduceLogSum<axes=[1]>(x)", "float32 2x1: 0 1.609"},
        {"x:float[2,2]; y=ReduceLogSumExp<axes=[1]>(x)", "float32 2x1: 1.313 3.313"},
        {"c=float[2]{inf,-inf}; y=ReduceLogSumExp(c)", "float32 1: inf"},
        {"c=int64[2,2]{1,2..}; y=ReduceMean<axes=[1]>(c)", "int64 2x1: 1 3"},
        {"c=float[0]{}; y=ReduceMax(c)", "float32 1: -inf"},
        {"c=float[0]{}; y=ReduceProd(c)", "float32 1: 1"},
        {"c=float[2]{nan,1}; a=ReduceMax(c); b=ReduceMin(c); return a,b",
         "float32 1: nan; float32 1: nan"},
        {"x:float[2,3]; y=ArgMax(x)", "int64 1x3: 1 1 1"},
        {"x:float[2,3]; y=ArgMin<axis=-1,keepdims=0>(x)", "int64 2: 0 0"},
        {"c=float[3]{1,1,0}; a=ArgMax(c); b=ArgMax<select_last_index=1>(c); return a,b",
         "int64 1: 0; int64 1: 1"},
        {"c=int64[3]{3,1,1}; a=ArgMin(c); b=ArgMin<select_last_index=1>(c); d=ArgMax(c); "
         "return a,b,d",
         "int64 1: 1; int64 1: 2; int64 1: 0"},
        {"x:float[1,2]; y=Softmax(x)", "float32 1x2: 0.2689 0.7311"},
        {"x:float[2,1]; y=Softmax<axis=0>(x)", "float32 2x1: 0.2689 0.7311"},
        {"opset 11; x:float[1,2,1]; y=Softmax<axis=1>(x)", "float32 1x2x1: 0.2689 0.7311"},
        {"x:float[2]; y=LogSoftmax(x)", "float32 2: -1.313 -0.3133"},
        {"x:float[3]; y=Hardmax(x)", "float32 3: 0 0 1"},
        {"c=float[0,2]{}; y=Softmax(c)", "float32 0x2:"},
        {"x:float[3]; a=int64[]{0}; y=CumSum(x,a)", "float32 3: 0 1 3"},
        {"x:float[3]; a=int64[]{0}; y=CumSum<exclusive=1>(x,a)", "float32 3: 0 0 1"},
        {"x:float[3]; a=int64[]{-1}; y=CumSum<reverse=1>(x,a)", "float32 3: 3 3 2"},
        {"c=int64[3]{1,2,3}; a=int64[1]{0}; y=CumSum<reverse=1,exclusive=1>(c,a)",
         "int64 3: 5 3 0"},
        {"x:float[1,2]; y=LpNormalization<p=1>(x)", "float32 1x2: 0 1"},
        {"x:float[2,2]; y=LpNormalization<axis=0>(x)", "float32 2x2: 0 0.3162 1 0.9487"},
        {"c=float[2]{0,0}; y=LpNormalization(c)", "float32 2: 0 0"},
    };
    (void)state;
    CHECK(rows);
}

static void windows_are_summed(void **state)
{
    static const row rows[] = {
        {"x:float[1,1,3]; w=float[1,1,2]{1,1}; y=Conv(x,w)", "float32 1x1x2: 1 3"},
        {"x:float[1,1,3]; w=float[1,1,2]{1,1}; b=float[1]{10}; y=Conv<strides=[2]>(x,w,b)",
         "float32 1x1x1: 11"},
        {"x:float[1,1,3]; w=float[1,1,2]{1,1}; y=Conv<auto_pad=\"SAME_UPPER\">(x,w)",
         "float32 1x1x3: 1 3 2"},
        {"x:float[1,1,3]; w=float[1,1,2]{1,1}; y=Conv<auto_pad=\"SAME_LOWER\">(x,w)",
         "float32 1x1x3: 0 1 3"},
        {"x:float[1,1,3]; w=float[1,1,2]{1,1}; y=Conv<auto_pad=\"VALID\",dilations=[2]>(x,w)",
         "float32 1x1x1: 2"},
        {"x:float[1,2,2]; w=float[2,1,1]{2,3}; y=Conv<group=2,pads=[1,0]>(x,w)",
         "float32 1x2x3: 0 0 2 0 6 9"},
        {"x:float[1,1,2,2]; w:float[1,1,2,2]; y=Conv(x,w)", "float32 1x1x1x1: 14"},
        {"x:float[1,1,2,2]; w=float[1,1,1,1]{2}; b:float[1]; y=Conv(x,w,b)",
         "float32 1x1x2x2: 0 2 4 6"},
        {"x:float[1,1,2,2,2]; w=float[1,1,2,2,2]{1..}; y=Conv(x,w)", "float32 1x1x1x1x1: 28"},
        {"x:float[1,1,2]; w=float[1,1,2]{1,2}; y=ConvTranspose(x,w)", "float32 1x1x3: 0 1 2"},
        {"x:float[1,1,2]; w=float[1,1,2]{1,2}; b=float[1]{5}; "
         "y=ConvTranspose<strides=[2],output_padding=[1]>(x,w,b)",
         "float32 1x1x5: 5 5 6 7 5"},
        {"x:float[1,1,2]; w=float[1,1,2]{1,2}; y=ConvTranspose<pads=[1,0]>(x,w)",
         "float32 1x1x2: 1 2"},
        {"x:float[1,1,2]; w=float[1,1,3]{1,2,3}; y=ConvTranspose<auto_pad=\"SAME_UPPER\">(x,w)",
         "float32 1x1x2: 1 2"},
        {"x:float[1,1,2]; w=float[1,1,2]{1,2}; y=ConvTranspose<auto_pad=\"SAME_LOWER\">(x,w)",
         "float32 1x1x2: 1 2"},
        {"x:float[1,1,2]; w=float[1,1,2]{1,2}; y=ConvTranspose<output_shape=[2]>(x,w)",
         "float32 1x1x2: 0 1"},
        {"x:float[1,2,1]; w=float[2,1,2]{1,2..}; y=ConvTranspose<group=2>(x,w)",
         "float32 1x2x2: 0 0 3 4"},
        {"x:float[1,1,4]; y=MaxPool<kernel_shape=[2]>(x)", "float32 1x1x3: 1 2 3"},
        {"x:float[1,1,4]; y,i=MaxPool<kernel_shape=[2],strides=[2]>(x); return y,i",
         "float32 1x1x2: 1 3; int64 1x1x2: 1 3"},
        {"x:float[1,1,2,2]; y,i=MaxPool<kernel_shape=[1,2],storage_order=1>(x); return y,i",
         "float32 1x1x2x1: 1 3; int64 1x1x2x1: 2 3"},
        {"opset 12; c=uint8[1,1,3]{5,7,6}; y=MaxPool<kernel_shape=[2]>(c)", "uint8 1x1x2: 7 7"},
        {"x:float[1,1,4]; y=AveragePool<kernel_shape=[3],pads=[1,1],strides=[2]>(x)",
         "float32 1x1x2: 0.5 2"},
        {"x:float[1,1,4]; y=AveragePool<kernel_shape=[3],pads=[1,1],strides=[2],"
         "count_include_pad=1>(x)",
         "float32 1x1x2: 0.3333 2"},
        {"x:float[1,1,4]; y=AveragePool<kernel_shape=[3],strides=[2],ceil_mode=1>(x)",
         "float32 1x1x2: 1 2.5"},
        {"x:float[1,1,4]; y=AveragePool<kernel_shape=[3],strides=[2],ceil_mode=1,"
         "count_include_pad=1>(x)",
         "float32 1x1x2: 1 2.5"},
        {"opset 19; x:float[1,1,4]; y=AveragePool<kernel_shape=[2],dilations=[2],pads=[1,1],"
         "count_include_pad=1>(x)",
         "float32 1x1x4: 0.5 1 2 1"},
        {"x:float[1,1,2]; y=MaxPool<kernel_shape=[1],pads=[1,1]>(x)",
         "float32 1x1x4: -inf 0 1 -inf"},
        {"x:float[1,1,2]; y=LpPool<kernel_shape=[2],p=1>(x)", "float32 1x1x1: 1"},
        {"x:float[1,1,2,2]; y=GlobalAveragePool(x)", "float32 1x1x1x1: 1.5"},
        {"x:float[1,1,2,2]; y=GlobalMaxPool(x)", "float32 1x1x1x1: 3"},
        {"x:float[1,1,2,1]; y=GlobalLpPool(x)", "float32 1x1x1x1: 1"},
        {"x:float[1,1,2,1,1,2]; y=GlobalAveragePool(x)", "float32 1x1x1x1x1x1: 1.5"},
    };
    (void)state;
    CHECK(rows);
}

static void rows_are_normalised(void **state)
{
    static const row rows[] = {
        {"x:float[1,2,2]; s=float[2]{1,2}; b=float[2]{0,1}; m=float[2]{1,2}; v=float[2]{1,4}; "
         "y=BatchNormalization<epsilon=0.0>(x,s,b,m,v)",
         "float32 1x2x2: -1 0 1 2"},
        {"x:float[2,1]; s=float[1]{1}; b=float[1]{5}; m:float[1]; v=float[1]{1}; "
         "y=BatchNormalization<epsilon=0.0>(x,s,b,m,v)",
         "float32 2x1: 5 6"},
        {"x:float[1,2,2]; s=float[2]{1,2}; b=float[2]{0,1}; y=InstanceNormalization<epsilon=0.0>"
         "(x,s,b)",
         "float32 1x2x2: -1 1 -1 3"},
        {"opset 18; x:float[1,2,2]; s=float[1]{2}; b=float[1]{1}; "
         "y=GroupNormalization<num_groups=1,epsilon=0.0>(x,s,b)",
         "float32 1x2x2: -1.683 0.1056 1.894 3.683"},
        {"opset 21; x:float[1,2,2]; s=float[2]{2,1}; b=float[2]{1,0}; "
         "y=GroupNormalization<num_groups=1,epsilon=0.0>(x,s,b)",
         "float32 1x2x2: -1.683 0.1056 0.4472 1.342"},
        {"x:float[2,2]; s=float[2]{1,2}; b=float[2]{0,1}; "
         "y=LayerNormalization<epsilon=0.0>(x,s,b)",
         "float32 2x2: -1 3 -1 3"},
        {"x:float[2,2]; s=float[2]{1,2}; y,m,d=LayerNormalization<epsilon=0.0>(x,s); "
         "return y,m,d",
         "float32 2x2: -1 2 -1 2; float32 2x1: 0.5 2.5; float32 2x1: 2 2"},
        {"x:float[1,2,1]; s=float[2,1]{1,2}; y=LayerNormalization<axis=1,epsilon=0.0>(x,s)",
         "float32 1x2x1: -1 2"},
        {"x:float[2,2]; s:float[2]; y=LayerNormalization<epsilon=0.0>(x,s)",
         "float32 2x2: 0 1 0 1"},
        {"x:float[1,3,1]; y=LRN<size=3,alpha=3.0,beta=1.0>(x)", "float32 1x3x1: 0 0.1667 0.3333"},
        {"x:float[2,3]; w=float[3,1]{1,2,3}; y=MatMul(x,w)", "float32 2x1: 8 26"},
        {"x:float[3]; w=float[3]{1,2,3}; y=MatMul(x,w)", "float32 one number: 8"},
        {"x:float[2]; w=float[2,2]{1,2..}; y=MatMul(x,w)", "float32 2: 3 4"},
        {"x:float[2,1,2]; w=float[2,1]{1,2}; y=MatMul(x,w)", "float32 2x1x1: 2 8"},
        {"x:float[2,1,2]; w=float[2,2,1]{1,2..}; y=MatMul(x,w)", "float32 2x1x1: 2 18"},
        {"x:float[1,2]; z:float[2,1]; y=MatMul(x,z)", "float32 1x1: 1"},
        {"x:float[1,2]; w=float[2,1]{1,2}; y=Gemm(x,w)", "float32 1x1: 2"},
        {"x:float[2,1]; w=float[1,2]{1,2}; c=float[1]{10}; "
         "y=Gemm<transA=1,transB=1,alpha=2.0,beta=0.5>(x,w,c)",
         "float32 1x1: 9"},
        {"x:float[1,2]; w=float[2,2]{1,2..}; c=float[2]{10,20}; y=Gemm(x,w,c)",
         "float32 1x2: 13 24"},
        {"x:float[1,2]; w=float[2,2]{1,2..}; c:float[1,2]; y=Gemm(x,w,c)", "float32 1x2: 3 5"},
        {"x:float[2,2]; z:float[2,2]; y=Gemm<transB=1>(x,z)", "float32 2x2: 1 3 3 13"},
    };
    (void)state;
    CHECK(rows);
}

static void sizes_are_changed(void **state)
{
    static const row rows[] = {
        {"x:float[2]; s=float[1]{2}; y=Resize(x,,s)", "float32 4: 0 0 1 1"},
        {"x:float[2]; s=float[1]{2}; y=Resize<mode=\"linear\">(x,,s)", "float32 4: 0 0.25 0.75 1"},
        {"x:float[2]; s=float[1]{2}; y=Resize<mode=\"linear\","
         "coordinate_transformation_mode=\"asymmetric\">(x,,s)",
         "float32 4: 0 0.5 1 1"},
        {"x:float[2]; s=float[1]{1.5}; y=Resize<mode=\"linear\","
         "coordinate_transformation_mode=\"align_corners\">(x,,s)",
         "float32 3: 0 0.5 1"},
        {"x:float[2]; n=int64[1]{1}; y=Resize<mode=\"linear\","
         "coordinate_transformation_mode=\"align_corners\">(x,,,n)",
         "float32 1: 0"},
        {"x:float[2]; n=int64[1]{1}; y=Resize<mode=\"linear\","
         "coordinate_transformation_mode=\"pytorch_half_pixel\">(x,,,n)",
         "float32 1: 0"},
        {"x:float[4]; n=int64[1]{2}; y=Resize<mode=\"linear\","
         "coordinate_transformation_mode=\"pytorch_half_pixel\">(x,,,n)",
         "float32 2: 0.5 2.5"},
        {"x:float[2]; n=int64[1]{4}; y=Resize<coordinate_transformation_mode="
         "\"tf_half_pixel_for_nn\",nearest_mode=\"floor\">(x,,,n)",
         "float32 4: 0 0 1 1"},
        {"x:float[3]; r=float[2]{0,0.5}; n=int64[1]{2}; y=Resize<mode=\"linear\","
         "coordinate_transformation_mode=\"tf_crop_and_resize\">(x,r,,n)",
         "float32 2: 0 1"},
        {"x:float[3]; r=float[2]{0,2}; n=int64[1]{2}; y=Resize<mode=\"linear\","
         "coordinate_transformation_mode=\"tf_crop_and_resize\",extrapolation_value=9.0>(x,r,,n)",
         "float32 2: 0 9"},
        {"x:float[3]; r=float[2]{0,1}; n=int64[1]{1}; y=Resize<mode=\"linear\","
         "coordinate_transformation_mode=\"tf_crop_and_resize\">(x,r,,n)",
         "float32 1: 1"},
        {"x:float[2]; s=float[1]{2}; y=Resize<nearest_mode=\"ceil\">(x,,s)", "float32 4: 0 1 1 1"},
        {"x:float[3]; s=float[1]{0.67}; y=Resize<nearest_mode=\"round_prefer_ceil\">(x,,s)",
         "float32 2: 0 2"},
        {"x:float[4]; n=int64[1]{2}; y=Resize<mode=\"cubic\">(x,,,n)", "float32 2: 0.4062 2.594"},
        {"x:float[4]; n=int64[1]{2}; y=Resize<mode=\"cubic\",exclude_outside=1,"
         "cubic_coeff_a=-0.5>(x,,,n)",
         "float32 2: 0.4118 2.588"},
        {"opset 18; x:float[1,2]; s=float[1]{2}; y=Resize<axes=[-1]>(x,,s)",
         "float32 1x4: 0 0 1 1"},
        {"opset 10; x:float[2]; s=float[1]{2}; y=Resize(x,s)", "float32 4: 0 0 1 1"},
        {"opset 9; x:float[2]; s=float[1]{2}; y=Upsample<mode=\"bilinear\">(x,s)",
         "float32 4: 0 0.5 1 1"},
        {"opset 7; x:float[2]; y=Upsample<scales=[2.0]>(x)", "float32 4: 0 0 1 1"},
    };
    (void)state;
    CHECK(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_are_moved),  cmocka_unit_test(shapes_are_changed),
        cmocka_unit_test(arrays_are_made),     cmocka_unit_test(numbers_are_computed),
        cmocka_unit_test(elements_are_picked), cmocka_unit_test(elements_are_reduced),
        cmocka_unit_test(windows_are_summed),  cmocka_unit_test(rows_are_normalised),
        cmocka_unit_test(sizes_are_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
