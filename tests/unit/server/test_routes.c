#include "support.h"

#include "files.h"
#include "metrics.h"
#include "routes.h"

#include <stdlib.h>
#include <string.h>

static void paths_lead_to_routes(void **state)
{
    char *argument;
    const char *allow;
    (void)state;
    const route *r = route_find("GET", "/v1/pictures/17/thumbnail", &argument, &allow);
    assert_non_null(r);
    assert_string_equal(r->path, "/v1/pictures/{id}/thumbnail");
    assert_string_equal(argument, "17");
    free(argument);
    r = route_find("HEAD", "/v1/pictures/17", &argument, &allow);
    assert_string_equal(r->path, "/v1/pictures/{id}");
    free(argument);
    r = route_find("POST", "/v1/tag", &argument, &allow);
    assert_ptr_equal(&routes[route_place(r)], r);
}

static void other_paths_and_methods_do_not(void **state)
{
    static const char *const none[] = {"",
                                       "/x",
                                       "/v1/tag/",
                                       "/v1/pictures/",
                                       "/v1/pictures//thumbnail",
                                       "/v1/pictures/1/2/thumbnail",
                                       "/page/",
                                       "/page/a/b"};
    char *argument;
    const char *allow;
    (void)state;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_null(route_find("GET", none[i], &argument, &allow));
        assert_null(allow);
        assert_null(argument);
    }
    assert_null(route_find("DELETE", "/healthz", &argument, &allow));
    assert_string_equal(allow, "GET, HEAD");
    assert_null(route_find("GET", "/v1/tag", &argument, &allow));
    assert_string_equal(allow, "POST");
    assert_int_equal(route_place(NULL), METRICS_ROUTES - 1);
}

static void there_is_room_for_the_counts_of_every_route(void **state)
{
    size_t count = 0;
    (void)state;
    while (routes[count].path)
        count++;
    assert_true(count < METRICS_ROUTES);
}

static void counts_are_told(void **state)
{
    static const char *const names[] = {"/a", "/b", NULL};
    const metrics_now now = {.queue = 3};
    metrics m;
    size_t length;
    (void)state;
    metrics_init(&m);
    metrics_request(&m, 0, 200, 0.002);
    metrics_request(&m, 0, 200, 99);
    metrics_request(&m, METRICS_ROUTES - 1, 404, 0);
    for (unsigned status = 500; status < 600; status++) /* more than there is room for */
        metrics_request(&m, 1, status, 0);
    metrics_batch(&m, 5, 2);
    metrics_reload(&m, 1);
    char *text = metrics_print(&m, &now, names, &length);
    assert_non_null(text);
    assert_int_equal(strlen(text), length);
    static const char *const lines[] = {
        "fast0tag_requests_total{route=\"/a\",status=\"200\"} 2\n",
        "fast0tag_requests_total{route=\"other\",status=\"404\"} 1\n",
        "fast0tag_request_duration_seconds_bucket{route=\"/a\",le=\"0.001\"} 0\n",
        "fast0tag_request_duration_seconds_bucket{route=\"/a\",le=\"0.0025\"} 1\n",
        "fast0tag_request_duration_seconds_bucket{route=\"/a\",le=\"+Inf\"} 2\n",
        "fast0tag_request_duration_seconds_count{route=\"/b\"} 100\n",
        "fast0tag_queue_length 3\n",
        "fast0tag_pictures_total{result=\"tagged\"} 3\n",
        "fast0tag_model_loads_total{result=\"failed\"} 1\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (!strstr(text, lines[i]))
            fail_msg("no %s in\n%s", lines[i], text);
    free(text);
    metrics_destroy(&m);
}

static void files_are_part_of_the_program(void **state)
{
    (void)state;
    assert_string_equal(server_file_find("openapi.json")->type, "application/json");
    assert_memory_equal(server_file_find("page/index.html")->data, "<!DOCTYPE html>", 15);
    assert_string_equal(server_file_find("page/app.js")->type, "text/javascript; charset=utf-8");
    assert_null(server_file_find("page/../openapi.json"));
    for (const server_file *file = server_files; file->name; file++)
        assert_true(file->size > 0 && strlen(file->data) == file->size && *file->type);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_lead_to_routes),
        cmocka_unit_test(other_paths_and_methods_do_not),
        cmocka_unit_test(there_is_room_for_the_counts_of_every_route),
        cmocka_unit_test(counts_are_told),
        cmocka_unit_test(files_are_part_of_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
