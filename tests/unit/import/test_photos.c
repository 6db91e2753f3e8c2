/* Where the tags of pictures come from. */
#include "made.h"

#include "base/fault.h"

#include <fcntl.h>
#include <stdlib.h>

/* Three pictures that carry keywords, one that does not, and what is beside them. */
static const char *make_folder(void)
{
    static const char *const names[][2] = {{"keywords-xmp.jpg", "p/a/1.jpg"},
                                           {"keywords-iptc.jpg", "p/a/2.jpg"},
                                           {"quarters.png", "p/b/1.png"}};
    mkdir(test_path("p"), 0755);
    mkdir(test_path("p/a"), 0755);
    mkdir(test_path("p/b"), 0755);
    for (size_t i = 0; i < 3; i++) {
        size_t size;
        char source[64];
        snprintf(source, sizeof source, "pictures/%s", names[i][0]);
        char *data = test_read(test_source(source), &size);
        test_file(names[i][1], data, size);
        f0t_free(data);
    }
    test_text("p/c.svg", "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><dc:subject "
                         "xmlns:dc='d'><b><li>circle</li></b></dc:subject></svg>");
    test_text("p/b/1.png.xmp",
              "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF "
              "xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description "
              "rdf:about='' xmlns:dc='http://purl.org/dc/elements/1.1/'><dc:subject><rdf:Bag>"
              "<rdf:li>sea</rdf:li></rdf:Bag></dc:subject></rdf:Description></rdf:RDF>"
              "</x:xmpmeta>");
    return test_path("p");
}

static void assert_tags(const char *path, const char *const *want, size_t count)
{
    f0t_dataset *dataset = open_made(path);
    assert_int_equal(f0t_dataset_image_count(dataset), count);
    for (size_t m = 0; m < count; m++)
        assert_string_equal(tags_of(dataset, m), want[m]);
    f0t_dataset_close(dataset);
}

static void tags_come_from_pictures_and_sidecars(void **state)
{
    static const char *const want[] = {"dog|München|Rome|Anna", "cat|palm tree|Köln", "sea",
                                       "circle"};
    (void)state;
    assert_ok(import_one("photos", make_folder(), test_path("plain"), NULL, NULL));
    assert_tags(test_path("plain"), want, 4);
}

static void a_picture_of_two_sources_is_one_image(void **state)
{
    static const char *const want[] = {"dog|München|Rome|Anna|a", "a|cat|palm tree|Köln", "sea|b",
                                       "circle"};
    const char *sources[] = {make_folder(), test_path("p/"), test_path("p/b"),
                             test_path("p/a/1.jpg")};
    const f0t_import_options options = {.size = sizeof(f0t_import_options), .folder_tags = true};
    f0t_import_report *report;
    (void)state;
    assert_ok(f0t_import(&report, test_path("twice"), "photos", sources, 4, &options, NULL));
    assert_int_equal(noted(report, "pictures were named twice"), 6);
    f0t_import_report_free(report);
    assert_tags(test_path("twice"), want, 4);
}

static void folders_are_tags_where_asked_for(void **state)
{
    static const char *const want[] = {"dog|München|Rome|Anna|a", "a|cat|palm tree|Köln", "sea|b",
                                       "circle"};
    const f0t_import_options options = {.size = sizeof(f0t_import_options), .folder_tags = true};
    (void)state;
    assert_ok(import_one("photos", make_folder(), test_path("folders"), &options, NULL));
    assert_tags(test_path("folders"), want, 4);
}

/* By a path from the source on, by a name alone, and by one that begins as find prints it. */
static void a_table_adds_tags(void **state)
{
    static const char *const want[] = {"dog|München|Rome|Anna|beach", "cat|palm tree|Köln",
                                       "palm tree|sea|tower", "beach|circle"};
    const f0t_import_options options = {
        .size = sizeof(f0t_import_options),
        .table = test_text("tags.csv", "file,tags\na/1.jpg,beach;dog\n1.png,tower;palm tree\n"
                                       "./c.svg,beach\nb/1.jpg,lost\n"),
    };
    f0t_import_report *report;
    (void)state;
    assert_ok(import_one("photos", make_folder(), test_path("listed"), &options, &report));
    assert_int_equal(noted(report, "name of the table is of no picture"), 1);
    f0t_import_report_free(report);
    assert_tags(test_path("listed"), want, 4);
}

/* "2" is a/2.jpg; "1" may be a/1.jpg or b/1.png; "c.JPG" is c.svg. */
static void names_may_have_other_endings(void **state)
{
    static const char *const want[] = {"dog|München|Rome|Anna", "sea|wave|cat|palm tree|Köln",
                                       "sea", "circle|round"};
    f0t_import_options options = {
        .size = sizeof(f0t_import_options),
        .table =
            test_text("stems.csv", "id,tags\n2,\"sea, wave\"\n1,\"lost, tag\"\nc.JPG,round\n")};
    f0t_import_report *report;
    (void)state;
    assert_ok(import_one("photos", make_folder(), test_path("stems"), &options, &report));
    assert_int_equal(noted(report, "another ending"), 2);
    assert_int_equal(noted(report, "may be several pictures"), 1);
    assert_int_equal(noted(report, "divided at ','"), 2);
    f0t_import_report_free(report);
    f0t_dataset *dataset = open_made(test_path("stems"));
    assert_int_equal(f0t_dataset_image_count(dataset), 4);
    assert_string_equal(tags_of(dataset, 0), want[0]);
    assert_non_null(strstr(tags_of(dataset, 1), "wave"));
    assert_string_equal(tags_of(dataset, 2), want[2]);
    assert_string_equal(tags_of(dataset, 3), want[3]);
    f0t_dataset_close(dataset);
    options.table = test_text("none.csv", "id,tags\nx,sea\ny,sky\n");
    assert_fails(F0T_ERROR_MISMATCH, "none of its 2 names is that of a picture: it has 'x'",
                 import_one("photos", make_folder(), test_path("none"), &options, NULL));
    options.table = test_text("both.csv", "id,tags\n1,sea\n");
    assert_fails(F0T_ERROR_MISMATCH, "'1' may be several pictures",
                 import_one("photos", make_folder(), test_path("none"), &options, NULL));
}

static void keywords_without_vectors_are_found_before_pictures_are_decoded(void **state)
{
    f0t_import_options options = F0T_IMPORT_OPTIONS;
    f0t_vectors *vectors;
    const char *picture = test_path("p/b/1.png");
    (void)state;
    make_folder();
    assert_ok(f0t_vectors_open(&vectors, test_text("v.txt", "chien 1 2\nsea 2 1\n"), NULL, NULL));
    options.vectors = vectors;
    assert_fails(F0T_ERROR_FORMAT, "1 of the 9 keywords of its pictures",
                 import_one("photos", test_path("p"), test_path("early"), &options, NULL));
    unlink(test_path("p/b/1.png.xmp"));
    assert_fails(F0T_ERROR_FORMAT, "none of its 1 pictures has a keyword to learn from",
                 import_one("photos", picture, test_path("early"), &options, NULL));
    assert_int_not_equal(access(test_path("early"), F_OK), 0);
    f0t_vectors_close(vectors);
}

static void wrong_tables_are_refused(void **state)
{
    f0t_import_options options = {.size = sizeof(f0t_import_options),
                                  .table = test_path("nowhere.csv")};
    const char *source = make_folder();
    (void)state;
    assert_fails(F0T_ERROR_NOT_FOUND, "nowhere.csv",
                 import_one("photos", source, test_path("bad"), &options, NULL));
    options.table = test_text("odd.csv", "file,tags\na.jpg\n");
    assert_fails(F0T_ERROR_FORMAT, "odd.csv:2",
                 import_one("photos", source, test_path("bad"), &options, NULL));
    assert_fails(F0T_ERROR_ARGUMENT, "csv does not know a table beside its source",
                 import_one("csv", options.table, test_path("bad"), &options, NULL));
    const f0t_import_options columns = {.size = sizeof(f0t_import_options), .separator = ","};
    assert_fails(F0T_ERROR_ARGUMENT, "photos does not know separators",
                 import_one("photos", source, test_path("bad"), &columns, NULL));
}

/* Breaks the pixels of a picture so that its size and time stay. */
static void break_pixels(const char *path)
{
    struct stat info;
    size_t size;
    assert_int_equal(stat(path, &info), 0);
    char *data = test_read(path, &size);
    memset(data + size - 60, 0x55, 30);
    FILE *file = fopen(path, "wb");
    assert_int_equal(fwrite(data, 1, size, file), size);
    fclose(file);
    f0t_free(data);
    const struct timespec times[2] = {info.st_atim, info.st_mtim};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static size_t import_features(const f0t_import_options *options, const char *source, float *first)
{
    assert_ok(import_one("photos", source, test_path("again"), options, NULL));
    f0t_dataset *dataset = open_made(test_path("again"));
    const size_t count = f0t_dataset_image_count(dataset);
    float *row = malloc(f0t_dataset_dim(dataset) * sizeof *row);
    for (size_t m = 0; m < count; m++) {
        assert_ok(f0t_dataset_read_features(row, dataset, m, 1));
        first[m] = row[0];
    }
    free(row);
    f0t_dataset_close(dataset);
    return count;
}

/* What has not changed is not decoded again: it could not be. */
static void features_are_used_again(void **state)
{
    f0t_import_options options = {.size = sizeof(f0t_import_options), .replace = true};
    float first[4], again[4];
    const char *source = make_folder();
    (void)state;
    assert_ok(f0t_backbone_open(&options.extract, "builtin", NULL, NULL));
    assert_int_equal(import_features(&options, source, first), 4);
    break_pixels(test_path("p/b/1.png"));
    assert_int_equal(import_features(&options, source, again), 4);
    assert_memory_equal(first, again, sizeof first);
    assert_int_equal(utimensat(AT_FDCWD, test_path("p/b/1.png"), NULL, 0), 0);
    assert_int_equal(import_features(&options, source, again), 3);
    f0t_backbone_close(options.extract);
}

static f0t_status import_once(void *context)
{
    const f0t_import_options options = {
        .size = sizeof(f0t_import_options), .replace = true, .table = test_path("tags.csv")};
    return import_one("photos", context, test_path("made"), &options, NULL);
}

static void every_allocation_may_fail(void **state)
{
    char source[4096];
    (void)state;
    make_folder();
    snprintf(source, sizeof source, "%s", test_path("p/a/1.jpg"));
    test_text("tags.csv", "file,tags\na/1,\"beach, sun\"\n");
    test_each_fault(F0T_FAULT_ALLOC, import_once, source);
}

static void every_write_may_fail(void **state)
{
    static const char *const want[] = {"dog|München|Rome|Anna|beach"};
    char source[4096];
    (void)state;
    make_folder();
    snprintf(source, sizeof source, "%s", test_path("p/a/1.jpg"));
    test_text("tags.csv", "file,tags\na/1.jpg,beach\n");
    assert_ok(import_once(source));
    f0t_fault_set(F0T_FAULT_WRITE, 1);
    assert_int_equal(import_once(source), F0T_ERROR_IO);
    f0t_fault_set(F0T_FAULT_WRITE, 0);
    assert_tags(test_path("made"), want, 1);
    test_each_fault(F0T_FAULT_WRITE, import_once, source);
    assert_tags(test_path("made"), want, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tags_come_from_pictures_and_sidecars),
        cmocka_unit_test(a_picture_of_two_sources_is_one_image),
        cmocka_unit_test(folders_are_tags_where_asked_for),
        cmocka_unit_test(a_table_adds_tags),
        cmocka_unit_test(names_may_have_other_endings),
        cmocka_unit_test(keywords_without_vectors_are_found_before_pictures_are_decoded),
        cmocka_unit_test(wrong_tables_are_refused),
        cmocka_unit_test(features_are_used_again),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(every_write_may_fail),
    };
    test_threads(1); /* faults come in one order */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
