/* Weights in a file beside the network: where they may lie, and how the place is written. */
#include "onnx_text.h"
#include "support.h"

#include "onnx/graph.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Keys and values of external_data, NULL after the last; a NULL value is left out. */
static onnx_bytes with_external(const char *const *pairs)
{
    onnx_bytes model = {0}, graph = {0}, tensor = {0}, set = {0}, end = {0};
    onnx_put_int(&tensor, 1, 2); /* two floats */
    onnx_put_int(&tensor, 2, 1);
    onnx_put_text(&tensor, 8, "w");
    for (; *pairs; pairs += 2) {
        onnx_bytes entry = {0};
        onnx_put_text(&entry, 1, pairs[0]);
        if (pairs[1])
            onnx_put_text(&entry, 2, pairs[1]);
        onnx_put_message(&tensor, 13, &entry);
    }
    onnx_put_int(&tensor, 14, 1);
    onnx_put_message(&graph, 5, &tensor);
    onnx_put_text(&end, 1, "w");
    onnx_put_message(&graph, 12, &end);
    onnx_put_int(&set, 2, 13);
    onnx_put_message(&model, 7, &graph);
    onnx_put_message(&model, 8, &set);
    return model;
}

static f0t_status read_weights(float out[2], const char *const *pairs)
{
    f0t_onnx_graph *graph;
    f0t_onnx_array copy;
    onnx_bytes file = with_external(pairs);
    f0t_status status =
        f0t_onnx_graph_open_memory(&graph, file.data, file.size, "made", test_path("."), NULL);
    if (status == F0T_OK) {
        status = f0t_onnx_array_copy(&copy, &graph->values[0].constant);
        if (status == F0T_OK)
            memcpy(out, copy.f, 2 * sizeof *out);
        f0t_onnx_array_clear(&copy);
    }
    f0t_onnx_graph_close(graph);
    onnx_bytes_free(&file);
    return status;
}

typedef struct place {
    const char *pairs[9];
    const char *want; /* part of the message; NULL: it is read */
    float first;
} place;

static void places_are_read(void **state)
{
    static const place places[] = {
        {{"location", "w", "length", "8"}, NULL, 1},
        {{"location", "w", "offset", "4"}, NULL, 2},
        {{"location", "w", "offset", "0", "length", "8"}, NULL, 1},
        {{"location", "sub/w", "offset", "0", "length", "8", "checksum", "x"}, NULL, 1},
        {{"location", "w", "offset", NULL, "length", "8"}, NULL, 1},
        {{"offset", "0"}, "its external data has no location", 0},
        {{"location", ""}, "outside the folder", 0},
        {{"location", "/w"}, "outside the folder", 0},
        {{"location", "a/../w"}, "outside the folder", 0},
        {{"location", "none"}, "none", 0},
        {{"location", "w", "offset", "x"},
         "the offset of its external data is 'x', not a number",
         0},
        {{"location", "w", "offset", ""}, "the offset of its external data is '', not a number", 0},
        {{"location", "w", "offset", "1x"}, "not a number", 0},
        {{"location", "w", "offset", "99999999999999999999"}, "not a number", 0},
        {{"location", "w", "length", "18446744073709551616"}, "not a number", 0},
        {{"location", "w", "offset", "13"}, "'w' (12 bytes)", 0},
        {{"location", "w", "length", "13"}, "'w' (12 bytes)", 0},
        {{"location", "w", "offset", "8", "length", "8"}, "'w' (12 bytes)", 0},
        {{"location", "w", "length", "18446744073709551615"}, "'w' (12 bytes)", 0},
        {{"location", "w", "offset", "8"}, "it has 4 bytes, its shape and type need 8", 0},
        {{"location", "w"}, "it has 12 bytes, its shape and type need 8", 0},
    };
    const float weights[] = {1, 2, 3};
    (void)state;
    test_file("w", weights, sizeof weights);
    mkdir(test_path("sub"), 0777);
    test_file("sub/w", weights, sizeof weights);
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        float got[2] = {0};
        f0t_status status = read_weights(got, places[k].pairs);
        if (!places[k].want) {
            assert_ok(status);
            assert_true(got[0] == places[k].first && got[1] == places[k].first + 1);
        } else {
            if (status == F0T_OK || !strstr(f0t_last_error(), places[k].want))
                print_error("%s: %s\n", places[k].want, f0t_last_error());
            assert_int_not_equal(status, F0T_OK);
            assert_non_null(strstr(f0t_last_error(), places[k].want));
        }
    }
}

static void from_memory_no_file_is_reached(void **state)
{
    static const char *const pairs[] = {"location", "w", NULL};
    f0t_onnx_graph *graph;
    onnx_bytes file = with_external(pairs);
    (void)state;
    assert_fails(F0T_ERROR_UNSUPPORTED, "which cannot be reached from here",
                 f0t_onnx_graph_open_memory(&graph, file.data, file.size, "made", NULL, NULL));
    onnx_bytes_free(&file);
}

static f0t_status read_again(void *context)
{
    float got[2];
    return read_weights(got, context);
}

static void every_allocation_may_fail(void **state)
{
    static const char *pairs[] = {"location", "w", "length", "8", NULL};
    const float weights[] = {1, 2, 3};
    (void)state;
    test_file("w", weights, sizeof weights);
    test_each_fault(F0T_FAULT_ALLOC, read_again, pairs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_read),
        cmocka_unit_test(from_memory_no_file_is_reached),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
