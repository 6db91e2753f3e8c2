/* What is written about a study: figures and page well-formed, numbers as they are. */
#include "support.h"

#include "io/file.h"
#include "report/study.h"
#include "xml.h"

#include <jansson.h>
#include <libxml/HTMLparser.h>
#include <math.h>
#include <stdio.h>

#define SVG(name) "//*[local-name()='" name "']"

static const char *const tags[] = {"sea <&> \"sky\"", "tree", "dog"};
static const double lambdas[] = {0.01, 1, 100};
static const double high[] = {99.5, 98, 91}, low[] = {20, 21.5, 22};
static const float places[] = {0, 1, 2, 3, 4, 5};

/* A made-up study of three λ, two curves and a picture of two tags. */
static f0t_study make_study(f0t_study_curve curves[2], f0t_study_picture *picture)
{
    static const char *const findings[] = {"It exists.", "1 < 2"};
    static f0t_study_scale scales[2];
    curves[0] = (f0t_study_curve){.vectors = "a,\"b\".txt",
                                  .file_dim = 300,
                                  .dim = 50,
                                  .existence = high,
                                  .existence_images = high,
                                  .satisfied = high,
                                  .generalisation = low,
                                  .generalisation_rules = low};
    curves[1] = curves[0];
    curves[1].control = true;
    for (size_t i = 0; i < 2; i++)
        scales[i] = (f0t_study_scale){.words = 1000 * (i + 1),
                                      .tags = 1002 * (i + 1),
                                      .real = curves[0],
                                      .control = curves[0],
                                      .any_words = curves[1],
                                      .random_existence = 1,
                                      .chance = 90,
                                      .cover_log10 = -3};
    *picture = (f0t_study_picture){.image = "a<b.jpg",
                                   .tags = tags,
                                   .tag_count = 2,
                                   .irrelevant = 3,
                                   .irrelevant_all = 4,
                                   .pca_x = places,
                                   .pca_y = places,
                                   .tsne_x = places,
                                   .tsne_y = places,
                                   .pca_share = {40, 20},
                                   .arrow = {0.6, 0.5},
                                   .lambda = 1,
                                   .angle = 80,
                                   .explained = 30};
    return (f0t_study){.dataset = "photos & more",
                       .part = "all",
                       .seen = tags,
                       .unseen = tags + 2,
                       .seen_count = 2,
                       .unseen_count = 1,
                       .images = 10,
                       .rules = 7,
                       .tested = 5,
                       .lambdas = lambdas,
                       .lambda_count = 3,
                       .curves = curves,
                       .curve_count = 2,
                       .random_existence = 10,
                       .random_generalisation = 12,
                       .structure = {.rules = 6, .angle_random = (double)NAN},
                       .groups = {.rules = 3, .images = 4, .miap = {30, 31, 32, 33}},
                       .pictures = picture,
                       .picture_count = 1,
                       .scales = scales,
                       .scale_count = 2,
                       .scale_rules = 4,
                       .findings = findings,
                       .finding_count = 2};
}

static void every_figure_is_well_formed(void **state)
{
    f0t_study_curve curves[2];
    f0t_study_picture picture;
    const f0t_study study = make_study(curves, &picture);
    static const size_t lines[] = {3, 2, 3, 0, 4}; /* the random order is one, too */
    (void)state;
    for (int i = 0; i < F0T_STUDY_FIGURES; i++) {
        f0t_text text = {0};
        assert_true(f0t_study_figure_exists(&study, (f0t_study_figure)i));
        f0t_study_figure_draw(&text, &study, (f0t_study_figure)i);
        assert_int_equal(xml_count(&text, SVG("path") "[contains(@class,' l')]"), lines[i]);
        assert_int_equal(xml_count(&text, SVG("title")), 1);
        f0t_text_free(&text);
    }
}

static void pictures_have_points_names_and_an_arrow(void **state)
{
    f0t_study_curve curves[2];
    f0t_study_picture picture;
    (void)state;
    make_study(curves, &picture);
    for (int tsne = 0; tsne < 2; tsne++) {
        f0t_text text = {0};
        f0t_study_picture_draw(&text, &picture, tsne);
        /* Three offsets of each tag, and a mark in the legend. */
        assert_int_equal(xml_count(&text, SVG("circle")), 4);
        assert_int_equal(xml_count(&text, SVG("rect")), 4);
        assert_int_equal(xml_count(&text, SVG("path") "[@class='a']"), !tsne);
        assert_int_equal(xml_count(&text, SVG("line") "[@class='o']"), tsne ? 0 : 2);
        assert_int_equal(xml_count(&text, SVG("text") "[@class='n']"), tsne ? 2 : 3);
        assert_int_equal(xml_count(&text, SVG("text") "[.='sea <&> \"sky\"']"), 2);
        f0t_text_free(&text);
    }
}

static void figures_without_data_do_not_exist(void **state)
{
    f0t_study_curve curves[2];
    f0t_study_picture picture;
    f0t_study study = make_study(curves, &picture);
    (void)state;
    study.tested = study.groups.rules = 0;
    assert_false(f0t_study_figure_exists(&study, F0T_FIGURE_GENERALISATION));
    assert_false(f0t_study_figure_exists(&study, F0T_FIGURE_GROUPS));
    assert_true(f0t_study_figure_exists(&study, F0T_FIGURE_EXISTENCE));
}

static void csv_has_a_line_for_each_curve_and_lambda(void **state)
{
    f0t_study_curve curves[2];
    f0t_study_picture picture;
    const f0t_study study = make_study(curves, &picture);
    f0t_text text = {0};
    size_t rows = 0;
    (void)state;
    f0t_study_csv(&text, &study);
    assert_ok(text.status);
    for (const char *c = text.bytes; *c; c++)
        rows += *c == '\n';
    assert_int_equal(rows, 1 + 2 * 3);
    assert_non_null(strstr(text.bytes, "\n\"a,\"\"b\"\".txt\",300,50,0,0.01,99.500000,99.500000,"
                                       "99.500000,20.000000,20.000000,10.000000,12.000000\n"));
    assert_non_null(strstr(text.bytes, ",50,1,100,91.000000"));
    f0t_text_free(&text);
    f0t_study_picture_csv(&text, &picture);
    assert_ok(text.status);
    assert_non_null(
        strstr(text.bytes, "\n\"sea <&> \"\"sky\"\"\",1.00000,1.00000,1.0000,1.0000\n"));
    f0t_text_free(&text);
}

static void json_has_all_numbers(void **state)
{
    f0t_study_curve curves[2];
    f0t_study_picture picture;
    const f0t_study study = make_study(curves, &picture);
    f0t_text text = {0};
    (void)state;
    f0t_study_json(&text, &study);
    assert_ok(text.status);
    json_t *d = json_loads(text.bytes, 0, NULL);
    assert_non_null(d);
    json_t *second = json_array_get(json_object_get(d, "curves"), 1);
    assert_true(json_is_true(json_object_get(second, "control")));
    assert_true(json_real_value(json_array_get(json_object_get(second, "existence"), 2)) == 91);
    assert_true(json_is_null(json_object_get(json_object_get(d, "structure"), "angle_random")));
    json_t *first = json_array_get(json_object_get(d, "pictures"), 0);
    assert_string_equal(json_string_value(json_array_get(json_object_get(first, "tags"), 0)),
                        tags[0]);
    assert_int_equal(json_array_size(json_object_get(d, "findings")), 2);
    json_decref(d);
    f0t_text_free(&text);
}

/* The page is HTML without an error (libxml2 knows HTML 4: elements it does not know are none). */
static void the_page_is_well_formed(void **state)
{
    enum { UNKNOWN_TAG = 801 };
    f0t_study_curve curves[2];
    f0t_study_picture picture;
    const f0t_study study = make_study(curves, &picture);
    f0t_text text = {0};
    (void)state;
    f0t_study_page(&text, &study);
    assert_ok(text.status);
    xmlDoc *doc = htmlReadMemory(text.bytes, (int)text.size, NULL, "utf-8",
                                 HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING | HTML_PARSE_NONET);
    assert_non_null(doc);
    const xmlError *error = xmlGetLastError();
    assert_true(!error || error->code == UNKNOWN_TAG);
    xmlFreeDoc(doc);
    assert_non_null(strstr(text.bytes, "<li>1 &lt; 2</li>"));
    assert_non_null(strstr(text.bytes, "photos &amp; more"));
    assert_non_null(strstr(text.bytes, "a&lt;b.jpg"));
    assert_null(strstr(text.bytes, "src=\"http"));
    assert_null(strstr(text.bytes, "<script"));
    f0t_text_free(&text);
}

static f0t_status save(void *context)
{
    f0t_study_curve curves[2];
    f0t_study_picture picture;
    const f0t_study study = make_study(curves, &picture);
    return f0t_study_save(&study, context, NULL);
}

static void all_files_are_written_or_none_is_broken(void **state)
{
    static const char *const names[] = {"index.html",         "existence.svg",  "satisfied.svg",
                                        "generalisation.svg", "directions.svg", "offsets-1-pca.svg",
                                        "offsets-1-tsne.svg", "offsets-1.csv",  "curves.csv",
                                        "study.json"};
    const char *folder = test_path("saved");
    char path[400];
    (void)state;
    assert_ok(save((void *)(uintptr_t)folder));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t size;
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        f0t_free(test_read(path, &size));
        assert_true(size > 100);
    }
    test_each_fault(F0T_FAULT_WRITE, save, (void *)(uintptr_t)folder);
    test_each_fault(F0T_FAULT_ALLOC, save, (void *)(uintptr_t)folder);
    assert_fails(F0T_ERROR_NOT_FOUND, "nowhere",
                 save((void *)(uintptr_t)test_path("nowhere/below")));
}

static void saving_may_be_interrupted(void **state)
{
    volatile sig_atomic_t stopped = 1;
    const f0t_monitor monitor = {.stop = &stopped};
    const f0t_context context = {.threads = 1, .monitor = &monitor};
    f0t_study_curve curves[2];
    f0t_study_picture picture;
    const f0t_study study = make_study(curves, &picture);
    (void)state;
    assert_fails(F0T_ERROR_INTERRUPTED, "interrupted before the study was written",
                 f0t_study_save(&study, test_path("stopped"), &context));
    assert_false(f0t_path_exists(test_path("stopped")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_figure_is_well_formed),
        cmocka_unit_test(pictures_have_points_names_and_an_arrow),
        cmocka_unit_test(figures_without_data_do_not_exist),
        cmocka_unit_test(csv_has_a_line_for_each_curve_and_lambda),
        cmocka_unit_test(json_has_all_numbers),
        cmocka_unit_test(the_page_is_well_formed),
        cmocka_unit_test(all_files_are_written_or_none_is_broken),
        cmocka_unit_test(saving_may_be_interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
