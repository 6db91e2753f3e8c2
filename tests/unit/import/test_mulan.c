#include "made.h"

#define XML "<labels><label name='sea'/><label name='sky'><label name='sun'/></label></labels>"
#define HEADER                                                                                  \
    "@relation x\n@attribute f1 numeric\n@attribute sea {0,1}\n@attribute colour {red,green}\n" \
    "@attribute sky {1,0}\n@attribute note string\n@attribute sun numeric\n"                    \
    "@attribute level {2,5}\n@data\n"

static f0t_status import_files(const char *xml, const char *train, const char *test,
                               const char *output, f0t_import_report **report)
{
    const char *sources[3] = {test ? test_text("x-test.arff", test) : NULL,
                              test_text("x-train.arff", train), test_text("x.xml", xml)};
    f0t_import_options options = {.size = sizeof(f0t_import_options), .replace = true, .val = -1};
    f0t_import_report *made;
    f0t_status status = f0t_import(&made, output, "mulan", test ? sources : sources + 1,
                                   test ? 3 : 2, &options, NULL);
    if (report)
        *report = made;
    else
        f0t_import_report_free(made);
    return status;
}

static void refuse(f0t_status status, const char *says, const char *xml, const char *train,
                   const char *test)
{
    size_t before;
    test_path("refused"); /* the files of the sources are made first */
    import_files(xml, train, test, test_path("refused"), NULL);
    before = test_files_left();
    assert_fails(status, says, import_files(xml, train, test, test_path("refused"), NULL));
    assert_int_equal(test_files_left(), before);
}

static void labels_become_tags_and_the_rest_features(void **state)
{
    f0t_import_report *report;
    float row[4];
    (void)state;
    assert_ok(import_files(XML, HEADER "0.5,1,green,0,'a b',0,5\n{1 1}\n",
                           HEADER "?,0,red,0,x,1,2\n", test_path("made"), &report));
    f0t_dataset *d = open_made(test_path("made"));
    assert_int_equal(f0t_dataset_image_count(d), 3);
    assert_int_equal(f0t_dataset_dim(d), 4);
    assert_string_equal(tags_of(d, 0), "sea");
    /* Not named in a sparse row: the first value, which is 1 for "sky {1,0}". */
    assert_string_equal(tags_of(d, 1), "sea|sky");
    assert_string_equal(tags_of(d, 2), "sun");
    assert_ok(f0t_dataset_read_features(row, d, 0, 1));
    assert_memory_equal(row, ((float[]){0.5f, 0, 1, 5}), sizeof row);
    assert_ok(f0t_dataset_read_features(row, d, 1, 1));
    assert_memory_equal(row, ((float[]){0, 1, 0, 2}), sizeof row);
    assert_ok(f0t_dataset_read_features(row, d, 2, 1));
    assert_memory_equal(row, ((float[]){0, 1, 0, 2}), sizeof row);
    assert_int_equal(f0t_dataset_split_count(d, F0T_TRAIN), 2);
    assert_int_equal(f0t_dataset_split(d)[2], F0T_TEST);
    assert_int_equal(noted(report, "feature is missing"), 1);
    assert_int_equal(noted(report, "attribute is a text or date"), 1);
    f0t_import_report_free(report);
    f0t_dataset_close(d);
}

static void one_file_has_no_split(void **state)
{
    (void)state;
    assert_ok(import_files(XML, HEADER "0.5,1,green,0,'a b',0,5\n", NULL, test_path("one"), NULL));
    f0t_dataset *d = open_made(test_path("one"));
    assert_false(f0t_dataset_split_is_given(d));
    f0t_dataset_close(d);
}

static void what_does_not_fit_together_is_refused(void **state)
{
    (void)state;
    refuse(F0T_ERROR_MISMATCH, "has no attribute 'moon'", "<labels><label name='moon'/></labels>",
           HEADER "{}\n", NULL);
    refuse(F0T_ERROR_FORMAT, "the label 'colour' is not of type {0,1}",
           "<labels><label name='colour'/></labels>", HEADER "{}\n", NULL);
    refuse(F0T_ERROR_FORMAT, "x-train.arff:10: the label 'sea' is missing", XML,
           HEADER "0,?,red,0,x,0,2\n", NULL);
    refuse(F0T_ERROR_FORMAT, "the label 'level' is another number",
           "<labels><label name='level'/></labels>", HEADER "{6 5}\n", NULL);
    refuse(F0T_ERROR_FORMAT, "has no rows", XML, HEADER, NULL);
    refuse(F0T_ERROR_MISMATCH, "has 1 attributes, but", XML, HEADER "{}\n",
           "@attribute f1 real\n@data\n1\n");
    refuse(F0T_ERROR_MISMATCH, "x-test.arff is not that of ", "<labels><label name='b'/></labels>",
           "@attribute a real\n@attribute b real\n@data\n{}\n",
           "@attribute c real\n@attribute b real\n@data\n{}\n");
    refuse(F0T_ERROR_MISMATCH, "attribute 0 of", "<labels><label name='b'/></labels>",
           "@attribute a {0,1}\n@attribute b real\n@data\n{}\n",
           "@attribute a {1,0}\n@attribute b real\n@data\n{}\n");
}

/* What another program puts in the place of the file between the passes. */
typedef struct change {
    const char *text;
    int calls; /* at the end of the first pass */
} change;

static void change_file(void *user, const f0t_progress *progress)
{
    change *c = user;
    if (strcmp(progress->stage, "reading labels") || progress->done < progress->total)
        return;
    c->calls++;
    test_text("x-train.arff", c->text);
}

/* The second pass reads features into rows whose width the first one found. */
static void a_file_that_changes_between_the_passes_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
        f0t_status status;
    } cases[] = {
        {"@relation x\n@attribute f1 {a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p}\n@attribute sea {0,1}\n"
         "@attribute colour {red,green}\n@attribute sky {1,0}\n@attribute note string\n"
         "@attribute sun numeric\n@attribute level {2,5}\n@data\np,1,green,0,x,0,5\n",
         "attribute 0 of", F0T_ERROR_MISMATCH},
        {"@relation x\n@attribute f1 numeric\n@attribute sea {0,1}\n"
         "@attribute colour {a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p}\n@attribute sky {1,0}\n"
         "@attribute note string\n@attribute sun numeric\n@attribute level {2,5}\n@data\n"
         "1,1,p,0,x,0,5\n",
         "attribute 2 of", F0T_ERROR_MISMATCH},
        {HEADER, "has changed while it was read", F0T_ERROR_IO},
        {HEADER "0.5,1,green,0,x,0,5\n0.5,1,green,0,x,0,5\n", "has changed while it was read",
         F0T_ERROR_IO},
        {"@relation x\n@attribute f1 numeric\n@data\n1\n", "has 1 attributes", F0T_ERROR_MISMATCH},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        change c = {cases[i].text, 0};
        const f0t_monitor monitor = {.progress = change_file, .user = &c};
        const f0t_import_options options = {
            .size = sizeof(f0t_import_options), .replace = true, .val = -1};
        const char *sources[2] = {test_text("x.xml", XML),
                                  test_text("x-train.arff", HEADER "0.5,1,green,0,x,0,5\n")};
        f0t_import_report *report;
        f0t_status status = f0t_import(&report, test_path("changed"), "mulan", sources, 2, &options,
                                       F0T_WATCHED(&monitor));
        assert_int_equal(c.calls, 1);
        assert_fails(cases[i].status, cases[i].says, status);
    }
}

static void the_sources_are_an_xml_and_arff_files(void **state)
{
    const char *two_xml[] = {"a.xml", "b.xml"}, *no_xml[] = {"a.arff", "b.arff"};
    f0t_import_report *report;
    (void)state;
    assert_fails(F0T_ERROR_ARGUMENT, "an .xml and one or two .arff",
                 f0t_import(&report, test_path("x"), "mulan", two_xml, 2, NULL, NULL));
    assert_fails(F0T_ERROR_ARGUMENT, "an .xml and one or two .arff",
                 f0t_import(&report, test_path("x"), "mulan", no_xml, 2, NULL, NULL));
}

static void features_are_given_once(void **state)
{
    const char *sources[] = {test_text("y.xml", XML), test_text("y.arff", HEADER "{}\n")};
    f0t_import_options options = {.size = sizeof(f0t_import_options),
                                  .features = write_npy("y.npy", 1, 0)};
    f0t_import_report *report;
    (void)state;
    assert_fails(F0T_ERROR_ARGUMENT, "is one file too many",
                 f0t_import(&report, test_path("y"), "mulan", sources, 2, &options, NULL));
}

static f0t_status import_again(void *context)
{
    (void)context;
    size_t before = test_files_left();
    f0t_status status = import_files(XML, HEADER "0.5,1,green,0,'a b',0,5\n{1 1}\n",
                                     HEADER "?,0,red,0,x,1,2\n", test_path("made"), NULL);
    assert_true(status == F0T_OK || test_files_left() == before);
    return status;
}

static void every_failure_leaves_nothing_behind(void **state)
{
    (void)state;
    assert_ok(import_again(NULL));
    test_each_fault(F0T_FAULT_ALLOC, import_again, NULL);
    test_each_fault(F0T_FAULT_WRITE, import_again, NULL);
}

/* ---- Real data -------------------------------------------------------------------------------- */

static void corel5k_is_imported(void **state)
{
    const char *sources[] = {test_data("corel5k/Corel5k.xml"),
                             test_data("corel5k/Corel5k-train-sparse.arff"),
                             test_data("corel5k/Corel5k-test-sparse.arff")};
    f0t_import_report *report;
    float row[499];
    (void)state;
    assert_ok(f0t_import(&report, test_path("corel5k"), "mulan", sources, 3, NULL, NULL));
    const f0t_import_dataset *made = f0t_import_report_dataset(report, 0);
    assert_int_equal(made->images, 5000);
    assert_int_equal(made->dim, 499);
    assert_true(made->train == 4050 && made->val == 450 && made->test == 500);
    assert_int_equal(made->tags + noted(report, "tags are on no image"), 374);
    f0t_import_report_free(report);
    f0t_dataset *d = open_made(test_path("corel5k"));
    assert_int_equal(f0t_dataset_tag_count(d), 374);
    /* {19 1,93 1,143 1,149 1,259 1,329 1,379 1,461 1,499 1,500 1,501 1,502 1} */
    assert_string_equal(tags_of(d, 0), "city|mountain|sky|sun");
    assert_ok(f0t_dataset_read_features(row, d, 0, 1));
    float sum = 0;
    for (size_t i = 0; i < 499; i++)
        sum += row[i];
    assert_true(sum == 8 && row[19] == 1 && row[461] == 1 && row[0] == 0);
    f0t_dataset_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_become_tags_and_the_rest_features),
        cmocka_unit_test(one_file_has_no_split),
        cmocka_unit_test(what_does_not_fit_together_is_refused),
        cmocka_unit_test(a_file_that_changes_between_the_passes_is_refused),
        cmocka_unit_test(the_sources_are_an_xml_and_arff_files),
        cmocka_unit_test(features_are_given_once),
        cmocka_unit_test(every_failure_leaves_nothing_behind),
        cmocka_unit_test(corel5k_is_imported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
