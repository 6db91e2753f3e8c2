/*
 * ONNX's own cases (Debian's libonnx-testdata): every case whose operators are in our table must pass,
 * but for those that conformance.txt beside this file lists with a reason. Prints how many.
 */
#include "support.h"

#include "onnx/op.h"
#include "onnx/schedule.h"
#include "onnx_interpret.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DATA "/usr/share/libonnx-testdata/data"

enum { ENDS = 16 };

typedef struct counts {
    size_t passed, left_out, foreign, failed;
    size_t scheduled; /* of those that passed: on the fast path too */
} counts;

static char *exceptions; /* the text of conformance.txt */

static bool is_left_out(const char *name)
{
    size_t length = strlen(name);
    for (const char *line = exceptions; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, length) == 0 && line[length] == ' ')
            return true;
    }
    return false;
}

/* False when it is of a type that the part does not hold. */
static bool load_array(f0t_onnx_array *out, const char *folder, const char *kind, size_t k)
{
    char path[1024];
    char *name, *bytes;
    size_t size;
    f0t_onnx_array borrowed;
    snprintf(path, sizeof path, "%s/%s_%zu.pb", folder, kind, k);
    bytes = test_read(path, &size);
    const unsigned char *at = (const unsigned char *)bytes;
    f0t_onnx_message message = {at, at + size};
    f0t_status status = f0t_onnx_tensor_read(&borrowed, &name, message, NULL);
    if (status == F0T_OK)
        assert_ok(f0t_onnx_array_copy(out, &borrowed));
    else
        print_message("%s\n", f0t_last_error());
    f0t_onnx_array_clear(&borrowed);
    f0t_free(name);
    f0t_free(bytes);
    return status == F0T_OK;
}

/* The tolerance of ONNX's own runner: 1e-3 of the value and 1e-7. */
static bool is_near(float got, float want)
{
    if (isnan(want) || isinf(want))
        return isnan(want) ? isnan(got) : got == want;
    return fabsf(got - want) <= 1e-3F * fabsf(want) + 1e-7F;
}

static bool is_same(const f0t_onnx_array *got, const f0t_onnx_array *want)
{
    if (got->type != want->type || !f0t_onnx_array_same_shape(got, want))
        return false;
    for (size_t k = 0; k < want->count; k++)
        if (want->f ? !is_near(got->f[k], want->f[k]) : got->i[k] != want->i[k])
            return false;
    return true;
}

/* On the fast path: float inputs vary, the others are constants. False when the case cannot be
 * scheduled, because a shape depends on its inputs. */
static bool make_schedule(f0t_onnx_schedule **out, const f0t_onnx_graph *graph,
                          f0t_onnx_weights *weights, const f0t_onnx_array *inputs,
                          const float **data)
{
    f0t_onnx_array shapes[ENDS];
    size_t outputs[ENDS];
    for (size_t k = 0; k < graph->input_count; k++) {
        shapes[k] = inputs[k];
        data[k] = inputs[k].f;
        shapes[k].f = NULL;
    }
    for (size_t k = 0; k < graph->output_count; k++)
        outputs[k] = graph->outputs[k].value;
    f0t_onnx_schedule_options options = {
        .inputs = shapes, .outputs = outputs, .output_count = graph->output_count};
    f0t_status status = f0t_onnx_schedule_create(out, graph, weights, &options);
    if (status != F0T_OK && status != F0T_ERROR_UNSUPPORTED)
        print_message("%s\n", f0t_last_error());
    assert_true(status == F0T_OK || status == F0T_ERROR_UNSUPPORTED);
    return status == F0T_OK;
}

static bool run_scheduled(counts *c, const f0t_onnx_graph *graph, const f0t_onnx_array *inputs,
                          const f0t_onnx_array *want)
{
    f0t_onnx_weights *weights;
    f0t_onnx_schedule *schedule;
    const float *data[ENDS];
    void *memory[ENDS];
    f0t_onnx_array got[ENDS] = {{0}};
    bool right = true;
    assert_ok(f0t_onnx_weights_create(&weights));
    if (make_schedule(&schedule, graph, weights, inputs, data)) {
        for (size_t k = 0; k < graph->output_count; k++) {
            const f0t_onnx_array *shape = f0t_onnx_schedule_output(schedule, k);
            assert_ok(f0t_onnx_array_shape(&got[k], shape->type, shape->rank, shape->dims));
            assert_ok(f0t_onnx_array_alloc(&got[k]));
            memory[k] = got[k].f ? (void *)got[k].f : (void *)got[k].i;
        }
        assert_ok(f0t_onnx_schedule_run(memory, schedule, data, NULL));
        for (size_t k = 0; k < graph->output_count; k++) {
            right = right && is_same(&got[k], &want[k]);
            f0t_onnx_array_clear(&got[k]);
        }
        c->scheduled++;
        f0t_onnx_schedule_free(schedule);
        if (!right)
            print_message("wrong on the fast path\n");
    }
    f0t_onnx_weights_free(weights);
    return right;
}

static bool run_set(counts *c, const f0t_onnx_graph *graph, const char *folder)
{
    f0t_onnx_array inputs[ENDS] = {{0}}, got[ENDS] = {{0}}, want[ENDS] = {{0}};
    assert_true(graph->input_count <= ENDS && graph->output_count <= ENDS);
    bool right = true;
    for (size_t k = 0; k < graph->input_count && right; k++)
        right = load_array(&inputs[k], folder, "input", k);
    for (size_t k = 0; k < graph->output_count && right; k++)
        right = load_array(&want[k], folder, "output", k);
    if (right && onnx_interpret(graph, inputs, got) != F0T_OK)
        right = false;
    if (!right)
        print_message("%s\n", f0t_last_error());
    for (size_t k = 0; k < graph->output_count && right; k++)
        right = is_same(&got[k], &want[k]);
    right = right && run_scheduled(c, graph, inputs, want);
    for (size_t k = 0; k < ENDS; k++) {
        f0t_onnx_array_clear(&inputs[k]);
        f0t_onnx_array_clear(&got[k]);
        f0t_onnx_array_clear(&want[k]);
    }
    return right;
}

/* Cases with operators that are not in the table are about something else. */
static bool is_ours(const f0t_onnx_graph *graph)
{
    return f0t_onnx_graph_check_ops(graph, NULL) == F0T_OK;
}

static void run_case(counts *c, const char *suite, const char *name)
{
    char path[512], folder[600];
    f0t_onnx_graph *graph;
    snprintf(path, sizeof path, DATA "/%s/%s/model.onnx", suite, name);
    if (f0t_onnx_graph_open(&graph, path, NULL) != F0T_OK) {
        c->foreign++; /* sequences, text, other domains */
        return;
    }
    if (!is_ours(graph)) {
        c->foreign++;
    } else if (is_left_out(name)) {
        c->left_out++;
    } else {
        snprintf(folder, sizeof folder, DATA "/%s/%s/test_data_set_0", suite, name);
        bool right = run_set(c, graph, folder);
        c->passed += right;
        c->failed += !right;
        if (!right)
            print_message("%s/%s: wrong\n", suite, name);
    }
    f0t_onnx_graph_close(graph);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void run_suite(counts *c, const char *suite)
{
    char path[256], *names[2000];
    size_t count = 0;
    snprintf(path, sizeof path, DATA "/%s", suite);
    DIR *folder = opendir(path);
    if (!folder) {
        test_skip("%s is not there: install libonnx-testdata", path);
    }
    for (struct dirent *entry; (entry = readdir(folder)) && count < 2000;)
        if (entry->d_name[0] != '.')
            names[count++] = strdup(entry->d_name);
    closedir(folder);
    qsort(names, count, sizeof *names, by_name);
    for (size_t k = 0; k < count; k++) {
        run_case(c, suite, names[k]);
        free(names[k]);
    }
    print_message(
        "%s: %zu of %zu cases pass (%zu on the fast path too), %zu left out, %zu of other "
        "operators\n",
        suite, c->passed, count, c->scheduled, c->left_out, c->foreign);
    assert_int_equal(c->failed, 0);
}

static void check(const char *suite, size_t least)
{
    counts c = {0};
    size_t size;
    exceptions = test_read(test_source("unit/onnx/conformance.txt"), &size);
    run_suite(&c, suite);
    f0t_free(exceptions);
    /* A table that loses operators must not pass. */
    assert_true(c.passed >= least);
}

static void the_node_cases_pass(void **state)
{
    (void)state;
    check("node", 702);
}

static void the_simple_cases_pass(void **state)
{
    (void)state;
    check("simple", 7);
}

static void the_pytorch_converted_cases_pass(void **state)
{
    (void)state;
    check("pytorch-converted", 82);
}

static void the_pytorch_operator_cases_pass(void **state)
{
    (void)state;
    check("pytorch-operator", 35);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_node_cases_pass),
        cmocka_unit_test(the_simple_cases_pass),
        cmocka_unit_test(the_pytorch_converted_cases_pass),
        cmocka_unit_test(the_pytorch_operator_cases_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
