/* What is taken for the features of a network, and how a network is described. */
#include "rows.h"

#include "onnx/graph.h"
#include "onnx/summary.h"

/* The names of the values are the claim: the features must be the one called "f". */
static void the_classifier_is_left_off(void **state)
{
#define GEMM "w=float[2,3]{1..}; b=float[3]{1..}; "
    static const char *const texts[] = {
        "x:float[1,2]; f=Relu(x); " GEMM "y=Gemm(f,w,b); return y",
        "x:float[1,2]; f=Relu(x); " GEMM "d=Dropout(f); y=Gemm(d,w,b); return y",
        "x:float[1,2]; f=Relu(x); " GEMM "i=Identity(f); d=Dropout(i); g=Gemm(d,w,b); "
        "y=Softmax(g); return y",
        "x:float[1,2]; f=Relu(x); " GEMM "m=MatMul(f,w); y=Add(m,b); return y",
        "x:float[1,2]; f=Relu(x); " GEMM "m=MatMul(f,w); a=Add(b,m); y=Sigmoid(a); return y",
        "x:float[1,2]; f=Relu(x); c=Constant<value=float[2,3]{1..}>(); b=float[3]{1..}; "
        "y=Gemm(f,c,b); return y",
        "x:float[1,2,4,4]; f=GlobalAveragePool(x); w=float[3,2,1,1]{1..}; c=Conv(f,w); "
        "y=Flatten(c); return y",
        "x:float[1,2,4,4]; p=ReduceMean<axes=[2,3]>(x); f=Relu(p); w=float[3,2,1,1]{1..}; "
        "c=Conv(f,w); y=Flatten(c); return y",
        /* Another shape of them is an output: that one. */
        "x:float[1,2]; r=Relu(x); f=Flatten(r); " GEMM "y=Gemm(r,w,b); return y,f",
        "x:float[1,2]; f=Relu(x); " GEMM "y=Gemm(f,w,b); return y,f",
        /* Nothing looks like a classifier: the output itself. */
        "x:float[1,2]; f=Relu(x); return f",
        "x:float[1,2]; " GEMM "f=Gemm(x,w); return f",
        "x:float[1,2]; z:float[2,3]; b=float[3]{1..}; f=Gemm(x,z,b); return f",
        "x:float[1,2]; z:float[1,2]; f=Add(x,z); return f",
        "x:float[1,2]; z:float[2,2]; b=float[2]{1..}; m=MatMul(x,z); f=Add(m,b); return f",
        "x:float[1,2,4,4]; w=float[3,2,1,1]{1..}; f=Conv(x,w); return f",
        "x:float[1,2,4,4]; e=Exp(x); w=float[3,2,1,1]{1..}; f=Conv(e,w); return f",
        "c=float[1,2]{1,2}; f=Identity(c); return f",
    };
#undef GEMM
    (void)state;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        net n;
        assert_ok(open_net(&n, texts[k]));
        const char *found = n.graph->values[f0t_onnx_graph_features(n.graph)].name;
        if (strcmp(found, "f") != 0)
            print_error("%s\n  features: %s\n", texts[k], found);
        assert_string_equal(found, "f");
        close_net(&n);
    }
}

static void an_output_may_say_that_it_is_the_features(void **state)
{
    static const char *const names[] = {"features", "image_embeds", "embedding", "embeddings",
                                        "pooler_output"};
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char text[128];
        net n;
        snprintf(text, sizeof text, "x:float[1,2]; y=Relu(x); %s=Neg(x); return y, %s", names[k],
                 names[k]);
        assert_ok(open_net(&n, text));
        assert_string_equal(n.graph->values[f0t_onnx_graph_features(n.graph)].name, names[k]);
        close_net(&n);
    }
}

/* ---- Summary ------------------------------------------------------------------------------------
 */

/* "parameters, dimension, operations, picture" of a network that runs, else the reason. */
static void summarise(char line[LINE], const char *text)
{
    net n;
    f0t_onnx_summary s;
    onnx_bytes file = onnx_from_text(text);
    n = (net){.file = file};
    assert_ok(f0t_onnx_graph_open_memory(&n.graph, file.data, file.size, "made", NULL, NULL));
    assert_ok(f0t_onnx_summary_create(&s, n.graph, NULL));
    snprintf(line, LINE, "%llu %zu %.0f %s %s", (unsigned long long)s.parameters, s.dim,
             (double)s.arithmetic, s.picture ? s.picture : "-", s.runs ? "runs" : s.reason);
    f0t_onnx_summary_clear(&s);
    close_net(&n);
}

static void a_network_is_described(void **state)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"x:float[N,2]; w=float[2,3]{1..}; y=MatMul(x,w); return y", "6 3 12 1x2 runs"},
        {"x:float[2,2]; w=float[2,3]{1..}; y=Gemm(x,w); return y", "6 3 24 2x2 runs"},
        {"x:float[N,C,H,W]; w=float[1,3,1,1]{1..}; y=Conv(x,w); return y",
         "3 50176 301056 1x3x224x224 runs"},
        {"x:float[N,2]; i=int64[2]{1..}; y=Relu(x); return y", "0 2 0 1x2 runs"},
        {"c=float[2]{1..}; y=Relu(c); return y", "2 1 0 - runs"},
        {"c=float[]{1}; y=Relu(c); return y", "1 1 0 - runs"},
        {"x:float[N,2]; y=Loop(x); return y", "0 0 0 1x2 made: node 0 (Loop): this operator"},
        {"x:string[N,2]; y=Relu(x); return y", "0 0 0 - input 'x' is of another type"},
        {"x:float[N,2]; z:float[3]; y=Add(x,z); return y", "0 0 0 1x2 made: node 0 (Add): dim"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char line[LINE];
        summarise(line, rows[k].text);
        if (!strstr(line, rows[k].want))
            print_error("%s\n  %s\n  wanted: %s\n", rows[k].text, line, rows[k].want);
        assert_non_null(strstr(line, rows[k].want));
    }
}

static void operators_are_counted(void **state)
{
    net n;
    f0t_onnx_summary s;
    (void)state;
    assert_ok(open_net(&n, "x:float[1,2]; a=Relu(x); b=Relu(a); c=com.other.Relu(b); y=Loop(c)"));
    assert_ok(f0t_onnx_summary_create(&s, n.graph, NULL));
    assert_int_equal(s.operators.view.count, 2);
    assert_int_equal(s.counts[0], 3);
    assert_false(s.supported[0]); /* not each of them */
    assert_int_equal(s.counts[1], 1);
    assert_false(s.supported[1]);
    f0t_onnx_summary_clear(&s);
    close_net(&n);
}

static f0t_status summarise_again(void *context)
{
    net *n = context;
    f0t_onnx_summary s;
    F0T_TRY(f0t_onnx_summary_create(&s, n->graph, NULL));
    f0t_onnx_summary_clear(&s);
    return F0T_OK;
}

static void every_allocation_may_fail(void **state)
{
    net n;
    (void)state;
    assert_ok(open_net(&n, "x:float[1,2]; w=float[2,3]{1..}; t=Shape(x); y=MatMul(x,w)"));
    test_each_fault(F0T_FAULT_ALLOC, summarise_again, &n);
    close_net(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_classifier_is_left_off),
        cmocka_unit_test(an_output_may_say_that_it_is_the_features),
        cmocka_unit_test(a_network_is_described),
        cmocka_unit_test(operators_are_counted),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
