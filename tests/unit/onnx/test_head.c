/* The layer between features and classes, taken out of made networks: "f" is the features, "y" the classes. */
#include "rows.h"

#include "onnx/head.h"

static f0t_status read_head(f0t_onnx_head *head, net *n, const char *text)
{
    f0t_onnx_array shapes[ENDS];
    F0T_TRY(open_net(n, text));
    for (size_t k = 0; k < n->graph->input_count; k++) {
        shapes[k] = n->inputs[k];
        shapes[k].f = NULL;
    }
    return f0t_onnx_head_read(head, n->graph, shapes, f0t_onnx_graph_find(n->graph, "f"),
                              f0t_onnx_graph_find(n->graph, "y"), NULL);
}

/* ---- Networks that have one ------------------------------------------------------------------------ */

/* W f + b is what the network gives; `softmax`: before it. */
static void assert_layer(const f0t_onnx_head *head, const f0t_onnx_array *y,
                         const f0t_onnx_array *f, bool softmax)
{
    double logits[16], top = 0;
    assert_int_equal(head->classes, y->count);
    assert_int_equal(head->dim, f->count);
    for (size_t c = 0; c < y->count; c++) {
        logits[c] = (double)head->bias[c];
        for (size_t d = 0; d < f->count; d++)
            logits[c] += (double)head->weights[c * head->dim + d] * (double)f->f[d];
        top += exp(logits[c]);
    }
    for (size_t c = 0; c < y->count; c++) {
        double want = softmax ? exp(logits[c]) / top : logits[c];
        assert_true(fabs(want - (double)y->f[c]) <= 1e-6 * (1 + fabs(want)));
    }
}

/* At points that no other affine function passes through. */
static void assert_same(const f0t_onnx_head *head, net *n, bool softmax)
{
    for (uint64_t point = 0; point < 16; point++) {
        f0t_onnx_array outputs[ENDS] = {{0}};
        test_random_floats(n->inputs[0].f, n->inputs[0].count, point);
        assert_ok(onnx_interpret(n->graph, n->inputs, outputs));
        assert_layer(head, &outputs[0], &outputs[1], softmax);
        for (size_t k = 0; k < ENDS; k++)
            f0t_onnx_array_clear(&outputs[k]);
    }
}

static void one_layer_is_taken_out(void **state)
{
#define X "x:float[1,2]; f=Relu(x); w=float[2,3]{1,-2,0.5,4,3,-1}; b=float[3]{0.25,1,-3}; "
#define V "x:float[1,2,2,2]; w=float[3,2,2,2]{-3,-2.5..}; b=float[3]{1,2,3}; "
    static const struct {
        const char *text;
        bool softmax;
    } rows[] = {
        {X "y=Gemm(f,w,b); return y,f", false},
        {X "y=Gemm(f,w); return y,f", false},
        {X "t=float[3,2]{1,2,-3,4,5,0.5}; y=Gemm<transB=1,alpha=0.5,beta=2.0>(f,t,b); return y,f",
         false},
        {X "o=float[1]{0.5}; y=Gemm(f,w,o); return y,f", false},
        {X "m=MatMul(f,w); y=Add(m,b); return y,f", false},
        {X "m=MatMul(f,w); y=Add(b,m); return y,f", false},
        {X "y=MatMul(f,w); return y,f", false},
        {X "m=MatMul(f,w); s=Add(m,b); o=float[]{2}; y=Add(o,s); return y,f", false},
        {X "c=Constant<value=float[2,3]{1..}>(); y=Gemm(f,c,b); return y,f", false},
        {X "t=float[3,2]{1,2,-3,4,5,0.5}; u=Transpose(t); m=MatMul(f,u); y=Add(m,b); return y,f",
         false},
        {X "d=Dropout(f); i=Identity(d); g=Gemm(i,w,b); y=Flatten(g); return y,f", false},
        {X "g=Gemm(f,w,b); s=int64[2]{3,1}; y=Reshape(g,s); return y,f", false},
        {X "g=Gemm(f,w,b); t=Transpose(g); y=Cast<to=1>(t); return y,f", false},
        {X "g=Gemm(f,w,b); y=Softmax(g); return y,f", true},
        {"opset 11; " X "g=Gemm(f,w,b); y=Softmax(g); return y,f", true},
        {X "g=Gemm(f,w,b); s=Softmax<axis=1>(g); y=Identity(s); return y,f", true},
        {"x:float[1,2]; r=Relu(x); f=Flatten(r); w=float[2,3]{1,-2,0.5,4,3,-1}; b=float[3]{1..}; "
         "d=Dropout(r); y=Gemm(d,w,b); return y,f",
         false},
        {V "f=Flatten(x); c=Conv(x,w,b); y=Flatten(c); return y,f", false},
        {V "f=Flatten(x); c=Conv<kernel_shape=[2,2],strides=[2,2]>(x,w); y=Flatten(c); return y,f",
         false},
        {"x:float[1,2,4,4]; p=GlobalAveragePool(x); f=Flatten(p); w=float[3,2,1,1]{1,-2..}; "
         "c=Conv<dilations=[2,2]>(p,w); b=float[1,3,1,1]{1,2,3}; s=Add(c,b); y=Flatten(s); return "
         "y,f",
         false},
    };
    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        net n;
        f0t_onnx_head head;
        if (read_head(&head, &n, rows[k].text) != F0T_OK)
            fail_msg("%s\n  %s", rows[k].text, f0t_last_error());
        assert_same(&head, &n, rows[k].softmax);
        f0t_onnx_head_clear(&head);
        close_net(&n);
    }
}

/* ---- Networks that have none ----------------------------------------------------------------------- */

static void what_is_no_layer_of_the_features_is_refused(void **state)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        {X "g=Gemm(f,w,b); y=Relu(g); return y,f", "(Relu): 'y' does not come from 'f'"},
        {X "g=Gemm(f,w,b); y=Sigmoid(g); return y,f", "(Sigmoid)"},
        {X "g=Gemm(f,w,b); z=float[]{0}; y=Clip(g,z); return y,f", "(Clip)"},
        {X "r=Sqrt(f); y=Gemm(r,w,b); return y,f", "(Sqrt)"},
        {X "v=float[2,2]{1..}; h=Gemm(f,v); y=Gemm(h,w,b); return y,f", "(Gemm)"},
        {X "y=Gemm(x,w,b); return y,f", "'y' does not come from 'f'"},
        {X "y=Identity(f); return y", "'y' does not come from 'f'"},
        {X "y=Relu(w); return y,f", "'y' does not come from 'f'"},
        {X "y=Identity(w); return y,f", "'y' does not come from 'f'"},
        {X "y=Shape(f); return y,f", "'y' does not come from 'f'"},
        {X "g=Gemm(f,w,b); y=Cast<to=7>(g); return y,f", "'y' does not come from 'f'"},
        {X "g=Gemm(f,w,b); i=Cast<to=7>(g); y=Cast<to=1>(i); return y,f", "(Cast)"},
        {X "g=Gemm(f,w,b); y=Add(g,g); return y,f", "(Add)"},
        {X "g=Gemm(f,w,b); c=float[2,3]{1..}; y=Add(g,c); return y,f", "(Add)"},
        {X "z:float[2,3]; y=Gemm(f,z,b); return y,f", "(Gemm)"},
        {X "z:float[3]; y=Gemm(f,w,z); return y,f", "(Gemm)"},
        {X "t=Transpose(f); y=Gemm<transA=1>(t,w,b); return y,f", "(Gemm)"},
        {X "u=Concat<axis=1>(f,f); v=float[4,3]{1..}; y=MatMul(u,v); return y,f", "(MatMul)"},
        {X "g=Gemm(f,w,b); s=int64[3]{1,3,1}; r=Reshape(g,s); y=Softmax<axis=2>(r); return y,f",
         "(Softmax)"},
        {X "d,y=Dropout(f); return d,f", "'y' does not come from 'f'"},
        {"x:float[1,2,2,2]; f=Relu(x); w=float[4,1,2,2]{1..}; y=Conv<group=2>(f,w); return y,f",
         "(Conv)"},
        {"x:float[1,2,2,2]; f=Relu(x); w=float[3,2,1,1]{1..}; y=Conv(f,w); return y,f", "(Conv)"},
        {"x:float[1,2,2,2]; f=Relu(x); w=float[3,2,2,2]{1..}; "
         "y=Conv<pads=[1,1,0,0],strides=[2,2]>(f,w); return y,f",
         "(Conv)"},
        {"x:float[1,2,1,1]; f=Relu(x); w=float[3,2,3,3]{1..}; y=Conv<pads=[1,1,1,1]>(f,w); "
         "return y,f",
         "(Conv)"},
        {"x:float[2,2]; f=Relu(x); w=float[2,3]{1..}; b=float[3]{1..}; y=Gemm(f,w,b); return y,f",
         "(Gemm)"},
        {"x:float[1,2,3]; f=Relu(x); g=Transpose<perm=[0,2,1]>(f); w=float[2,4]{1..}; "
         "y=MatMul(g,w); return y,f",
         "(MatMul)"},
        {X "s=int64[1]{0}; a=int64[1]{1}; e=Slice(f,s,s,a); m=MatMul(e,w); y=Add(m,b); return y,f",
         "its matrices do not fit"},
        {X "s=int64[1]{0}; a=int64[1]{0}; e=Slice(f,s,s,a); y=MatMul(e,w); return y,f",
         "'y' does not come from 'f'"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        net n;
        f0t_onnx_head head;
        f0t_status status = read_head(&head, &n, rows[k].text);
        if (status == F0T_OK || !strstr(f0t_last_error(), rows[k].want))
            fail_msg("%s\n  %s", rows[k].text, status ? f0t_last_error() : "has a layer");
        assert_null(head.weights);
        assert_null(head.bias);
        close_net(&n);
    }
}

/* ---- Which output ---------------------------------------------------------------------------------- */

static void the_output_with_so_many_numbers_is_found(void **state)
{
    static const struct {
        const char *returned;
        size_t count;
        const char *want;
    } rows[] = {{"f, y", 3, "y"}, {"y, f", 2, NULL},   {"f, i, y", 3, "y"}, {"f, e", 2, "e"},
                {"f", 3, NULL},   {"l, f, y", 3, "y"}, {"f, y", 4, NULL}};
    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char text[512];
        net n;
        size_t found;
        snprintf(text, sizeof text,
                 X "y=Gemm(f,w,b); e=Exp(f); i=Cast<to=7>(y); l=Loop(x); return %s",
                 rows[k].returned);
        assert_ok(open_net(&n, text));
        assert_ok(f0t_onnx_head_find(&found, n.graph, n.inputs, f0t_onnx_graph_find(n.graph, "f"),
                                     rows[k].count, NULL));
        if (rows[k].want)
            assert_int_equal(found, f0t_onnx_graph_find(n.graph, rows[k].want));
        else
            assert_true(found == F0T_NONE);
        close_net(&n);
    }
}

/* ---- Faults ---------------------------------------------------------------------------------------- */

static f0t_status use(void *context)
{
    net *n = context;
    f0t_onnx_head head;
    size_t found, features = f0t_onnx_graph_find(n->graph, "f");
    f0t_onnx_array shape = n->inputs[0];
    shape.f = NULL;
    F0T_TRY(f0t_onnx_head_find(&found, n->graph, &shape, features, 3, NULL));
    F0T_TRY(f0t_onnx_head_read(&head, n->graph, &shape, features, found, NULL));
    f0t_onnx_head_clear(&head);
    return F0T_OK;
}

static void every_allocation_may_fail(void **state)
{
    net n;
    (void)state;
    assert_ok(open_net(&n, X "t=float[3,2]{1,2,-3,4,5,0.5}; u=Transpose(t); m=MatMul(f,u); "
                             "y=Add(m,b); return y,f"));
    test_each_fault(F0T_FAULT_ALLOC, use, &n);
    close_net(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_layer_is_taken_out),
        cmocka_unit_test(what_is_no_layer_of_the_features_is_refused),
        cmocka_unit_test(the_output_with_so_many_numbers_is_found),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
