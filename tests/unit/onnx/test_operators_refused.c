/* What operators must refuse, each with a message that says what is wrong. */
#include "rows.h"

static void wrong_numbers_of_inputs_are_refused(void **state)
{
    static const row rows[] = {
        {"x:float[2]; y=Relu(x,x)", "!node 0 (Relu): it has 2 inputs"},
        {"y=Relu()", "!it has 0 inputs"},
        {"x:float[2]; y=Constant<value=float[1]{1}>(,x)", "!it has 2 inputs"},
        {"x:float[2]; y=Add(x)", "!it has 1 inputs"},
        {"x:float[2]; y=Add(x,)", "!input 1 is missing"},
        {"x:float[2]; y=Add(,x)", "!input 0 is missing"},
        {"x:float[2]; y,z=Relu(x)", "!it has 2 outputs"},
        {"x:float[2]; c=int64[2]{0..}; y=Add(x,c)", "!its inputs are float32 and int64"},
        {"c=int64[2]{0..}; y=Sqrt(c)", "!input 0 is int64, not float"},
        {"x:float[2]; y=Max(x,,x)", "!input 1 is missing"},
        {"x:float[2,2]; y=Concat<axis=0>(x,,x)", "!input 1"},
        {"x:float[2]; y=com.other.Relu(x)", "!operators of the domain 'com.other'"},
        {"x:float[2]; y=Loop(x)", "!this operator of set 17 is not supported"},
        {"opset 5; x:float[2]; y=Where(x,x,x)", "!this operator of set 5 is not supported"},
        {"opset 10; x:float[2]; y=Upsample(x)", "!this operator of set 10 is not supported"},
    };
    (void)state;
    CHECK(rows);
}

static void wrong_moves_are_refused(void **state)
{
    static const row rows[] = {
        {"x:float[2,2]; y=Transpose<perm=[0]>(x)", "!perm has 1 numbers for 2 dimensions"},
        {"x:float[2,2]; y=Transpose<perm=[0,0]>(x)", "!perm is not an order"},
        {"x:float[2,2]; y=Transpose<perm=[0,2]>(x)", "!perm is not an order"},
        {"x:float[2,2]; y=Transpose<perm=[-1,0]>(x)", "!perm is not an order"},
        {"x:float[5]; s=int64[1]{0}; e=int64[2]{1,1}; y=Slice(x,s,e)", "!differ in length"},
        {"x:float[5]; s=int64[1]{0}; a=int64[2]{0,0}; y=Slice(x,s,s,a)", "!differ in length"},
        {"x:float[5]; s=int64[1]{0}; a=int64[1]{0}; t=int64[2]{1,1}; y=Slice(x,s,s,a,t)",
         "!differ in length"},
        {"x:float[5]; s=int64[1]{0}; a=int64[1]{0}; y=Slice(x,s,s,a,a)", "!a step of 0"},
        {"x:float[5]; s=int64[1]{0}; a=int64[1]{0}; t=int64[1]{-9223372036854775808}; "
         "y=Slice(x,s,s,a,t)",
         "!a step of -9223372036854775808"},
        {"x:float[5]; s=int64[1]{0}; a=int64[1]{1}; y=Slice(x,s,s,a)", "!axis 1 of an array of 1"},
        {"x:float[2,2]; s=int64[2]{0,0}; a=int64[2]{1,-1}; y=Slice(x,s,s,a)", "!twice"},
        {"x:float[5]; s=float[1]{0}; y=Slice(x,s,s)", "!input 1 is not a list of integers"},
        {"x:float[5]; s=int64[1,1]{0}; y=Slice(x,s,s)", "!input 1 is not a list of integers"},
        {"x:float[2]; r=int64[2]{1,1}; y=Tile(x,r)", "!2 repeats for 1 dimensions"},
        {"x:float[2]; r=int64[1]{-1}; y=Tile(x,r)", "!dimension 0 repeated -1 times"},
        {"x:float[4]; r=int64[1]{4611686018427387904}; y=Tile(x,r)", "!dimension 0 repeated 4611"},
        {"x:float[2]; r=int64[1]{2305843009213693952}; y=Tile(x,r)", "!more elements than memory"},
        {"x:float[2,2]; z:float[2]; y=Concat<axis=0>(x,z)", "!input 1 has other dimensions"},
        {"x:float[2,2]; z:float[2,3]; y=Concat<axis=0>(x,z)", "!dimension 1 is 2 and 3"},
        {"x:float[2,2]; y=Concat<axis=2>(x,x)", "!axis 2 of an array of 2"},
        {"x:float[3]; a,b=Split(x); return a,b", "!3 does not split into 2 equal parts"},
        {"x:float[3]; s=int64[1]{3}; a,b=Split(x,s); return a,b", "!1 sizes for 2 outputs"},
        {"x:float[3]; s=int64[2]{4,-1}; a,b=Split(x,s); return a,b", "!"},
        {"x:float[3]; s=int64[2]{2,2}; a,b=Split(x,s); return a,b", "!the parts are more than 3"},
        {"x:float[3]; s=int64[2]{1,1}; a,b=Split(x,s); return a,b", "!the parts are 2 of 3"},
        {"x:float[3]; a,b=Split<axis=-2>(x); return a,b", "!axis -2 of an array of 1"},
        {"x:float[3]; y=Trilu(x)", "!its input is not a matrix"},
        {"x:float[2,2]; k=int64[2]{0,0}; y=Trilu(x,k)", "!its input is not a matrix"},
        {"x:float[1,4,1]; y=DepthToSpace<blocksize=2>(x)", "!without 4 dimensions"},
        {"x:float[1,4,1,1]; y=DepthToSpace(x)", "!blocks of 0"},
        {"x:float[1,4,1,1]; y=DepthToSpace<blocksize=99999>(x)", "!blocks of 99999"},
        {"x:float[1,3,1,1]; y=DepthToSpace<blocksize=2>(x)", "!3 channels in blocks of 4"},
        {"x:float[1,1,3,2]; y=SpaceToDepth<blocksize=2>(x)", "!3x2 in blocks of 2"},
        {"x:float[1,1,2,3]; y=SpaceToDepth<blocksize=2>(x)", "!2x3 in blocks of 2"},
        {"x:float[1,1,2]; y=SpaceToDepth<blocksize=2>(x)", "!without 4 dimensions"},
        {"x:float[2]; p=int64[2]{1,1}; y=Pad<mode=\"mirror\">(x,p)", "!mode 'mirror'"},
        {"x:float[2]; p=int64[3]{1..}; y=Pad(x,p)", "!3 pads for 1 dimensions"},
        {"x:float[2]; p=int64[2]{-2,-1}; y=Pad(x,p)", "!padded by -2 and -1"},
        {"x:float[2]; p=int64[2]{0,4294967296}; y=Pad(x,p)", "!padded by 0 and 4294967296"},
        {"x:float[2]; p=int64[2]{-4294967296,0}; y=Pad(x,p)", "!padded by -4294967296"},
        {"x:float[2]; p=int64[2]{0,0}; v=int64[]{0}; y=Pad(x,p,v)", "!its value is not one number"},
        {"x:float[2]; p=int64[2]{0,0}; v=float[2]{0,0}; y=Pad(x,p,v)",
         "!its value is not one number"},
        {"opset 18; x:float[1,2]; p=int64[4]{0..}; a=int64[2]{1,1}; y=Pad(x,p,,a)", "!twice"},
        {"opset 18; x:float[2]; p=int64[2]{0,0}; a=int64[1]{7}; y=Pad(x,p,,a)",
         "!axis 7 of an array of 1"},
    };
    (void)state;
    CHECK(rows);
}

static void wrong_shapes_are_refused(void **state)
{
    static const row rows[] = {
        {"x:float[4]; s=int64[2]{3,-1}; y=Reshape(x,s)", "!4 elements do not fill rows of 3"},
        {"x:float[4]; s=int64[1]{5}; y=Reshape(x,s)", "!4 elements do not become 5"},
        {"x:float[4]; s=int64[2]{-1,-1}; y=Reshape(x,s)", "!dimension 1 is -1"},
        {"x:float[4]; s=int64[1]{-2}; y=Reshape(x,s)", "!dimension 0 is -2"},
        {"x:float[4]; s=int64[2]{4,0}; y=Reshape(x,s)", "!dimension 1 of the input does not exist"},
        {"x:float[4]; s=int64[2]{0,-1}; y=Reshape<allowzero=1>(x,s)", "!do not fill rows of 0"},
        {"x:float[4]; s=int64[2]{4611686018427387904,4}; y=Reshape(x,s)", "!larger than memory"},
        {"x:float[4]; s=int64[9]{1..}; y=Reshape(x,s)", "!a shape of 9 dimensions"},
        {"x:float[2]; y=Flatten<axis=2>(x)", "!axis 2 of 1 dimensions"},
        {"x:float[2]; y=Flatten<axis=-2>(x)", "!axis -1 of 1 dimensions"},
        {"x:float[2,1]; a=int64[1]{0}; y=Squeeze(x,a)", "!dimension 0 is 2, not 1"},
        {"x:float[1,1]; a=int64[2]{0,-2}; y=Squeeze(x,a)", "!twice"},
        {"x:float[1]; a=int64[1]{3}; y=Squeeze(x,a)", "!axis 3 of an array of 1"},
        {"x:float[2]; a=int64[2]{0,0}; y=Unsqueeze(x,a)", "!twice"},
        {"x:float[2]; a=int64[8]{0,1..}; y=Unsqueeze(x,a)", "!more than 8 dimensions"},
        {"x:float[2]; s=int64[1]{-1}; y=Expand(x,s)", "!dimension 0 is -1"},
        {"x:float[2]; s=int64[1]{3}; y=Expand(x,s)", "!dimensions 2 and 3 do not fit together"},
        {"x:float[2]; s=int64[9]{1..}; y=Expand(x,s)", "!an array of 9 dimensions"},
        {"x:float[2]; z:float[3]; y=Add(x,z)", "!dimensions 2 and 3 do not fit together"},
        {"opset 6; x:float[2]; z:float[2,2]; y=Add<broadcast=1,axis=0>(x,z)", "!leaves no room"},
        {"opset 6; x:float[2]; y=Add<broadcast=1,axis=5>(x,x)", "!axis 5 of an array of 1"},
        {"x:float[2]; y=And(x,x)", "!it is not known for float32"},
        {"x:float[2]; y=BitShift(x,x)", "!it is not known for float32"},
        {"c=int64[2]{1,2}; d=int64[2]{1,0}; y=Div(c,d)", "!an integer is divided by 0"},
        {"c=int64[2]{1,2}; d=int64[2]{1,0}; y=Mod(c,d)", "!an integer is divided by 0"},
        {"x:float[2]; z:float[3]; y=Max(x,z)", "!do not fit together"},
        {"x:float[2]; z:float[3]; y=Less(x,z)", "!do not fit together"},
        {"x:float[2]; y=Where(x,x,x)", "!its inputs are of the wrong types"},
        {"b=bool[2]{1,0}; x:float[2]; c=int64[2]{0..}; y=Where(b,x,c)", "!of the wrong types"},
        {"b=bool[3]{1..}; x:float[2]; y=Where(b,x,x)", "!do not fit together"},
        {"x:float[2]; c=float[2]{0..}; y=Clip(x,c)", "!its limits are not single numbers"},
        {"x:float[2]; c=float[]{0}; y=Clip(x,c,x)", "!its limits are not single numbers"},
        {"x:float[2]; y=Not(x)", "!its input is not bool"},
        {"c=int64[2]{0..}; y=Dropout(c)", "!its input is not float"},
        {"x:float[2]; t=bool[]{1}; y=Dropout(x,,t)", "!it is in training mode"},
        {"x:float[2]; t=float[]{0}; y=Dropout(x,,t)", "!it is in training mode"},
    };
    (void)state;
    CHECK(rows);
}

static void wrong_makers_are_refused(void **state)
{
    static const row rows[] = {
        {"y=Constant()", "!its value is text, sparse or missing"},
        {"y=Constant<value_string=\"a\">()", "!its value is text, sparse or missing"},
        {"y=Constant<value=string[1]{1}>()", "!type 8 of onnx.proto"},
        {"y=Constant<value=float[3]{1}>()", "!it has 4 bytes, its shape and type need 12"},
        {"y=Constant<value=float[3]:{1}>()", "!it has 1 elements, its shape says 3"},
        {"y=Constant<value=double[3]:{1}>()", "!it has 1 elements, its shape says 3"},
        {"y=Constant<value=bfloat16[3]:{1}>()", "!it has 1 elements, its shape says 3"},
        {"y=Constant<value=uint32[3]:{1}>()", "!it has 1 elements, its shape says 3"},
        {"y=Constant<value=int8[3]:{1}>()", "!it has 1 elements, its shape says 3"},
        {"s=int64[1]{-1}; y=ConstantOfShape(s)", "!dimension 0 is -1"},
        {"s=int64[1]{2}; y=ConstantOfShape<value=float[2]{1,2}>(s)",
         "!its value is not one number"},
        {"s=int64[1]{2}; y=ConstantOfShape<value=float[0]{}>(s)", "!its value is not one number"},
        {"s=int64[1]{2}; y=ConstantOfShape<value=string[1]{1}>(s)", "!type 8"},
        {"s=int64[9]{1..}; y=ConstantOfShape(s)", "!an array of 9 dimensions"},
        {"a=int64[]{1}; b=int64[2]{8,8}; y=Range(a,b,a)", "!input 1 is not one number"},
        {"a=float[]{1}; b=float[]{1e30}; y=Range(a,b,a)", "!it would make 1e+30 numbers"},
        {"a=float[]{nan}; y=Range(a,a,a)", "!it would make"},
        {"a=int64[]{1}; b=int64[]{0}; c=int64[]{5}; y=Range(a,c,b)", "!it would make inf numbers"},
        {"x:float[2]; y=EyeLike(x)", "!it is not known for this shape or type"},
        {"x:float[2,2]; y=EyeLike<dtype=8>(x)", "!it is not known for this shape or type"},
        {"x:float[2,2]; y=EyeLike<dtype=-1>(x)", "!it is not known for this shape or type"},
        {"i=int64[1]{0}; d=int64[]{0}; v=float[2]{0,1}; y=OneHot(i,d,v)", "!its depth"},
        {"i=int64[1]{0}; d=int64[2]{2,2}; v=float[2]{0,1}; y=OneHot(i,d,v)", "!its depth"},
        {"i=int64[1]{0}; d=int64[]{2}; v=float[3]{0,1,2}; y=OneHot(i,d,v)", "!its depth"},
        {"i=int64[1]{0}; d=int64[]{2}; v=float[2]{0,1}; y=OneHot<axis=3>(i,d,v)", "!axis 3"},
        {"x:float[2]; y=Cast<to=8>(x)", "!to type 8 of onnx.proto"},
        {"x:float[2]; y=Cast<to=-7>(x)", "!to type 0 of onnx.proto"},
        {"x:float[2]; y=Cast<to=4611686018427387904>(x)", "!to type 0 of onnx.proto"},
    };
    (void)state;
    CHECK(rows);
}

static void wrong_indices_are_refused(void **state)
{
    static const row rows[] = {
        {"x:float[3]; i=int64[1]{3}; y=Gather(x,i)", "!index 3 of 3"},
        {"x:float[3]; i=int64[1]{-4}; y=Gather(x,i)", "!index -4 of 3"},
        {"x:float[3]; y=Gather(x,x)", "!its indices are not integers"},
        {"x:float[3]; i=int64[1]{0}; y=Gather<axis=1>(x,i)", "!axis 1 of an array of 1"},
        {"x:float[1,1,1,1,1]; i=int64[1,1,1,1,1]{0}; y=Gather(x,i)", "!an array of 9 dimensions"},
        {"x:float[2,2]; i=int64[2]{0,0}; y=GatherElements(x,i)", "!other dimensions than its data"},
        {"x:float[2,2]; i=int64[1,3]{0..}; y=GatherElements(x,i)", "!larger than its data"},
        {"x:float[2]; i=int64[1]{2}; y=GatherElements(x,i)", "!index 2 of 2"},
        {"x:float[2]; y=GatherElements(x,x)", "!its indices are not integers"},
        {"x:float[2]; i=int64[1]{2}; y=GatherND(x,i)", "!index 2 of 2"},
        {"x:float[2]; i=int64[]{0}; y=GatherND(x,i)", "!its indices do not fit its data"},
        {"x:float[2]; i=int64[1,2]{0,0}; y=GatherND(x,i)", "!its indices do not fit its data"},
        {"x:float[2,2]; i=int64[1,1]{0}; y=GatherND<batch_dims=1>(x,i)", "!dimension 0 is 1 and 2"},
        {"x:float[2,2]; i=int64[1,1]{0}; y=GatherND<batch_dims=-1>(x,i)", "!do not fit its data"},
        {"x:float[2,2]; i=int64[1,1]{0}; y=GatherND<batch_dims=2>(x,i)", "!do not fit its data"},
        {"x:float[2]; i=int64[1]{9}; u=float[1]{0}; y=ScatterElements(x,i,u)", "!index 9 of 2"},
        {"x:float[2]; i=int64[1]{0}; u=float[2]{0..}; y=ScatterElements(x,i,u)",
         "!its updates do not fit"},
        {"x:float[2]; i=int64[1]{0}; u=int64[1]{0}; y=ScatterElements(x,i,u)",
         "!its updates do not fit"},
        {"x:float[2]; i=int64[1]{0}; u=float[1]{0}; y=ScatterElements<axis=1>(x,i,u)", "!axis 1"},
        {"x:float[2]; i=int64[1]{0}; u=float[1]{0}; "
         "y=ScatterElements<reduction=\"most\">(x,i,u)",
         "!reduction 'most'"},
        {"x:float[2]; i=int64[1]{0}; u=float[1]{0}; y=ScatterND<reduction=\"most\">(x,i,u)",
         "!reduction 'most'"},
        {"x:float[2]; i=int64[1]{2}; u=float[]{0}; y=ScatterND(x,i,u)", "!index 2 of 2"},
        {"x:float[2]; i=int64[2]{0,0}; u=float[]{0}; y=ScatterND(x,i,u)", "!do not fit its data"},
        {"x:float[2]; i=int64[]{0}; u=float[]{0}; y=ScatterND(x,i,u)", "!do not fit its data"},
        {"x:float[2]; i=int64[1]{0}; u=float[2]{0..}; y=ScatterND(x,i,u)", "!do not fit its data"},
        {"x:float[2]; y=ScatterND(x,x,x)", "!its indices are not integers"},
    };
    (void)state;
    CHECK(rows);
}

static void wrong_reductions_are_refused(void **state)
{
    static const row rows[] = {
        {"x:float[2]; y=ReduceMax<axes=[1]>(x)", "!axis 1 of an array of 1"},
        {"x:float[2]; y=ReduceMax<axes=[0,-1]>(x)", "!twice"},
        {"x:float[2]; a=float[1]{0}; y=ReduceSum(x,a)", "!not a list of integers"},
        {"x:float[2]; y=ArgMax<axis=1>(x)", "!axis 1 of an array of 1"},
        {"c=float[0]{}; y=ArgMax(c)", "!the largest of nothing"},
        {"x:float[2]; y=Softmax<axis=1>(x)", "!axis 1 of an array of 1"},
        {"x:float[2]; a=int64[]{1}; y=CumSum(x,a)", "!axis 1 of an array of 1"},
        {"x:float[2]; a=int64[2]{0,0}; y=CumSum(x,a)", "!its axis is not one integer"},
        {"x:float[2]; a=float[]{0}; y=CumSum(x,a)", "!its axis is not one integer"},
        {"x:float[2]; y=LpNormalization<p=3>(x)", "!p is 3"},
        {"x:float[2]; y=LpNormalization<axis=1>(x)", "!axis 1 of an array of 1"},
        {"x:float[2]; s=float[2]{1..}; y=BatchNormalization(x,s,s,s,s)", "!an input of 1"},
        {"x:float[1,2]; s=float[2]{1..}; z=float[3]{1..}; y=BatchNormalization(x,s,s,s,z)",
         "!input 4 has 3 numbers for 2 channels"},
        {"x:float[1,2]; s=float[2]{1..}; y=BatchNormalization<training_mode=1>(x,s,s,s,s)",
         "!it is in training mode"},
        {"x:float[1,2]; s=float[2]{1..}; y,m,v=BatchNormalization(x,s,s,s,s)",
         "!it is in training mode"},
        {"x:float[2]; s=float[2]{1..}; y=InstanceNormalization(x,s,s)", "!0 channels, 0 groups"},
        {"x:float[1,2,1]; s=float[1]{1}; y=InstanceNormalization(x,s,s)", "!1 scales"},
        {"opset 18; x:float[1,2,1]; s=float[2]{1..}; y=GroupNormalization(x,s,s)", "!0 groups"},
        {"opset 18; x:float[1,3,1]; s=float[2]{1..}; y=GroupNormalization<num_groups=2>(x,s,s)",
         "!3 channels, 2 groups"},
        {"opset 18; x:float[1,2,1]; s=float[2]{1..}; b=float[1]{1}; "
         "y=GroupNormalization<num_groups=2>(x,s,b)",
         "!2 scales, 1 biases"},
        {"x:float[2]; s=float[3]{1..}; y=LayerNormalization(x,s)", "!3 scales for rows of 2"},
        {"x:float[2]; s=float[2]{1..}; b=float[3]{1..}; y=LayerNormalization(x,s,b)",
         "!2 scales for rows of 2"},
        {"x:float[2]; s=float[2]{1..}; y=LayerNormalization<axis=1>(x,s)", "!axis 1"},
        {"x:float[2]; y=LRN<size=3>(x)", "!over 3 channels"},
        {"x:float[1,2]; y=LRN(x)", "!over 0 channels"},
        {"x:float[1,2]; y=LRN<size=4611686018427387904>(x)", "!over 4611686018427387904 channels"},
        {"x:float[2,3]; y=MatMul(x,x)", "!its matrices do not fit: 3 columns, 2 rows"},
        {"x:float[]; y=MatMul(x,x)", "!it multiplies single numbers"},
        {"x:float[2,1,1]; z:float[3,1,1]; y=MatMul(x,z)", "!dimensions 2 and 3"},
        {"x:float[2]; z:float[2,2]; y=Gemm(x,z)", "!its matrices do not fit"},
        {"x:float[2,3]; y=Gemm(x,x)", "!its matrices do not fit"},
        {"x:float[2,2]; c=float[3]{1..}; y=Gemm(x,x,c)", "!dimensions 2 and 3"},
        {"x:float[2,2]; c=float[1,2,2]{1..}; y=Gemm(x,x,c)", "!C does not fit the product"},
        {"x:float[1,2]; z:float[2,1]; c=float[2,1]{1..}; y=Gemm(x,z,c)",
         "!C does not fit the product"},
    };
    (void)state;
    CHECK(rows);
}

static void wrong_windows_are_refused(void **state)
{
#define X "x:float[1,2,3]; "
#define W "w=float[2,2,2]{1..}; "
    static const row rows[] = {
        {"x:float[2,2]; w=float[2,2]{1..}; y=Conv(x,w)", "!an input of 2 dimensions"},
        {X "w=float[2,2]{1..}; y=Conv(x,w)", "!an input of 3 dimensions, weights of 2"},
        {X W "y=Conv<group=0>(x,w)", "!2 channels and 2 filters in 0 groups"},
        {X W "y=Conv<group=3>(x,w)", "!in 3 groups"},
        {X W "y=Conv<group=2>(x,w)", "!the weights are for 4 channels, the input has 2"},
        {X "w=float[3,1,2]{1..}; y=Conv<group=2>(x,w)", "!2 channels and 3 filters in 2 groups"},
        {X W "b=float[3]{1..}; y=Conv(x,w,b)", "!a bias of 3 numbers for 2 filters"},
        {X W "b=float[1,2]{1..}; y=Conv(x,w,b)", "!a bias of 2 numbers for 2 filters"},
        {X W "y=Conv<kernel_shape=[3]>(x,w)", "!kernel_shape says 3, the weights are 2"},
        {X W "y=Conv<kernel_shape=[2,2]>(x,w)", "!kernel_shape has 2 numbers for 1 dimensions"},
        {X W "y=Conv<strides=[0]>(x,w)", "!strides has 0 in it"},
        {X W "y=Conv<strides=[4294967296]>(x,w)", "!strides has 4294967296 in it"},
        {X W "y=Conv<dilations=[-1]>(x,w)", "!dilations has -1 in it"},
        {X W "y=Conv<dilations=[9]>(x,w)", "!a window of 10 is larger than its input of 3"},
        {X "w=float[2,2,3]{1..}; y=Conv<dilations=[2147483647]>(x,w)", "!is too large"},
        {X W "y=Conv<pads=[1]>(x,w)", "!pads has 1 numbers for 1 dimensions"},
        {X W "y=Conv<pads=[-1,0]>(x,w)", "!padding by -1"},
        {X W "y=Conv<pads=[0,4294967296]>(x,w)", "!padding by 4294967296"},
        {X "w=float[2,2,0]{}; y=Conv(x,w)", "!its weights are empty"},
        {"x:float[1,1,1,1,1,1]; w=float[1,1,1,1,1,1]{1}; y=Conv(x,w)", "!an input of 6 dimensions"},
        {X "y=MaxPool(x)", "!it has no kernel_shape"},
        {"x:float[1,2]; y=MaxPool<kernel_shape=[1]>(x)", "!an input of 2 dimensions"},
        {"c=float[1,1,0]{}; y=MaxPool<kernel_shape=[1],pads=[1,0]>(c)", "!its input is empty"},
        {"x:float[1,2]; y=GlobalMaxPool(x)", "!an input of 2 dimensions"},
        {X W "y=ConvTranspose<output_padding=[1,1]>(x,w)", "!its attributes do not fit its input"},
        {X W "y=ConvTranspose<output_shape=[1,1]>(x,w)", "!its attributes do not fit its input"},
        {X W "y=ConvTranspose<output_padding=[-1]>(x,w)", "!output_padding -1"},
        {X W "y=ConvTranspose<output_shape=[-1]>(x,w)", "!nothing is left of dimension 0"},
        {X W "y=ConvTranspose<pads=[9,9]>(x,w)", "!nothing is left of dimension 0"},
        {X "w=float[3,2,2]{1..}; y=ConvTranspose(x,w)", "!the weights are for 3 channels"},
        {X W "b=float[3]{1..}; y=ConvTranspose(x,w,b)", "!a bias of 3 numbers for 2 filters"},
        {X W "y=ConvTranspose<dilations=[2147483647]>(x,w)", "!it is not known for this size"},
    };
#undef X
#undef W
    (void)state;
    CHECK(rows);
}

static void wrong_sizes_are_refused(void **state)
{
#define X "x:float[2]; "
    static const row rows[] = {
        {X "s=float[1]{2}; y=Resize<mode=\"area\">(x,,s)", "!mode 'area'"},
        {"opset 18; " X "s=float[1]{2}; y=Resize<antialias=1>(x,,s)", "!antialias"},
        {"opset 18; " X "s=float[1]{2}; y=Resize<keep_aspect_ratio_policy=\"not_larger\">(x,,s)",
         "!keep_aspect_ratio_policy"},
        {X "y=Resize(x)", "!its scales or sizes are not for 1 dimensions"},
        {X "s=float[2]{2,2}; y=Resize(x,,s)", "!its scales or sizes are not for 1 dimensions"},
        {X "n=int64[2]{2,2}; y=Resize(x,,,n)", "!its scales or sizes are not for 1 dimensions"},
        {X "n=float[1]{2}; y=Resize(x,,,n)", "!its sizes are not integers"},
        {X "n=int64[1]{0}; y=Resize(x,,,n)", "!a size of 0"},
        {X "n=int64[1]{4294967296}; y=Resize(x,,,n)", "!a size of 4294967296"},
        {X "s=float[1]{0}; y=Resize(x,,s)", "!a scale of 0"},
        {X "s=float[1]{nan}; y=Resize(x,,s)", "!a scale of nan"},
        {X "s=float[1]{inf}; y=Resize(x,,s)", "!a scale of inf"},
        {X "s=float[1]{0.1}; y=Resize(x,,s)", "!a scale of 0.1"},
        {X "s=float[1]{1e30}; y=Resize(x,,s)", "!a scale of 1e+30"},
        {"c=int64[2]{1,2}; s=float[1]{2}; y=Resize(c,,s)", "!its input is empty or not float"},
        {"c=float[0]{}; s=float[1]{2}; y=Resize(c,,s)", "!its input is empty or not float"},
        {"opset 18; " X "s=float[1]{2}; y=Resize<axes=[1]>(x,,s)", "!axis 1 of an array of 1"},
        {"opset 18; x:float[1,2]; s=float[2]{2,2}; y=Resize<axes=[1,1]>(x,,s)", "!twice"},
    };
#undef X
    (void)state;
    CHECK(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_numbers_of_inputs_are_refused),
        cmocka_unit_test(wrong_moves_are_refused),
        cmocka_unit_test(wrong_shapes_are_refused),
        cmocka_unit_test(wrong_makers_are_refused),
        cmocka_unit_test(wrong_indices_are_refused),
        cmocka_unit_test(wrong_reductions_are_refused),
        cmocka_unit_test(wrong_windows_are_refused),
        cmocka_unit_test(wrong_sizes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
