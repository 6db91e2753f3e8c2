/* From a dataset with raw tags to one with clean ones. */
#include "support.h"

#include "base/alloc.h"
#include "fast0tag_tools.h"

#include <string.h>

enum { IMAGES = 7, DIM = 2 };

/* The last is a copy of the one before it. */
static const char *const names[IMAGES] = {"a_1", "a_2", "b", "c", "d", "e", "f"};
static const char *const tags[IMAGES][2] = {
    {"Dog", "svg"}, {"dogs", "unsorted"}, {"cat", "12"},      {"cat", "blorb"},
    {"svg", "12"},  {"bird", "dog"},      {"bird", "theme x"}};

typedef struct setting {
    f0t_dataset *dataset;
    f0t_vectors *vectors;
} setting;

static void open_setting(setting *s)
{
    const f0t_dataset_info info = {.size = sizeof info, .dim = DIM, .replace = true};
    f0t_dataset_writer *writer;
    assert_ok(f0t_dataset_create(&writer, test_path("raw"), &info));
    for (size_t m = 0; m < IMAGES; m++) {
        const float features[DIM] = {m < IMAGES - 1 ? (float)m : (float)m - 1, 1};
        const f0t_dataset_row row = {.size = sizeof row,
                                     .image = names[m],
                                     .tags = tags[m],
                                     .tag_count = 2,
                                     .features = features};
        assert_ok(f0t_dataset_write(writer, &row));
    }
    assert_ok(f0t_dataset_commit(writer));
    assert_ok(f0t_dataset_open(&s->dataset, test_path("raw"), NULL, NULL));
    assert_ok(f0t_vectors_open(&s->vectors, test_text("v.txt", "dog 1 0\ncat 0 1\nbird 1 1\n"),
                               NULL, NULL));
}

static void close_setting(setting *s)
{
    f0t_vectors_close(s->vectors);
    f0t_dataset_close(s->dataset);
}

static const f0t_import_note *note_of(const f0t_cleaning *c, const char *what)
{
    for (size_t i = 0; i < c->note_count; i++)
        if (!strcmp(c->notes[i].what, what))
            return &c->notes[i];
    fail_msg("no note '%s'", what);
    return NULL;
}

static void tags_are_cleaned_and_what_went_is_noted(void **state)
{
    static const char *const drop[] = {"theme*"};
    f0t_clean_options options = F0T_CLEAN_OPTIONS;
    f0t_cleaning *c;
    setting s;
    (void)state;
    open_setting(&s);
    options.least = 2;
    options.most = 6;
    options.drop = drop;
    options.drop_count = 1;
    assert_ok(f0t_tags_clean(&c, s.dataset, s.vectors, &options, NULL));
    assert_int_equal(c->tag_count, 2); /* the copy does not count: one bird is too rare */
    assert_string_equal(c->tags[0], "dog");
    assert_string_equal(c->tags[1], "cat");
    assert_int_equal(c->plurals, 1);
    assert_int_equal(c->least, 2);
    assert_string_equal(note_of(c, "in the collection's own list")->example, "theme x");
    assert_string_equal(note_of(c, "on too few pictures")->example, "bird");
    assert_int_equal(note_of(c, "about the file")->count, 1);
    f0t_cleaning_free(c);
    close_setting(&s);
}

static void a_dataset_of_the_clean_tags_is_written(void **state)
{
    static const char *const groups[IMAGES] = {"a", "a", "b", "c", "d", "e", "f"};
    static const bool unseen[2] = {false, true};
    const f0t_clean_options options = {.size = sizeof options, .least = 2, .most = 6};
    f0t_cleaning_layout layout = F0T_CLEANING_LAYOUT;
    f0t_cleaning *c;
    f0t_dataset *clean;
    setting s;
    size_t count;
    (void)state;
    open_setting(&s);
    assert_ok(f0t_tags_clean(&c, s.dataset, s.vectors, &options, NULL));
    layout.unseen = unseen;
    layout.groups = groups;
    layout.test = 0.5;
    assert_ok(f0t_cleaning_save(c, test_path("clean"), &layout, NULL));
    assert_fails(F0T_ERROR_IO, "clean", f0t_cleaning_save(c, test_path("clean"), &layout, NULL));
    assert_ok(f0t_dataset_open(&clean, test_path("clean"), NULL, NULL));
    assert_int_equal(f0t_dataset_image_count(clean), 5);
    assert_string_equal(f0t_dataset_image(clean, 4), "e");
    assert_int_equal(f0t_dataset_dim(clean), DIM);
    assert_int_equal(f0t_dataset_split(clean)[0], f0t_dataset_split(clean)[1]);
    f0t_dataset_unseen(&count, clean);
    assert_int_equal(count, 1);
    f0t_dataset_close(clean);
    f0t_cleaning_free(c);
    close_setting(&s);
}

static void what_is_rare_or_common_depends_on_the_number_of_images(void **state)
{
    f0t_cleaning *c;
    setting s;
    (void)state;
    open_setting(&s);
    assert_ok(f0t_tags_clean(&c, s.dataset, s.vectors, NULL, NULL));
    assert_int_equal(c->least, 3);
    assert_int_equal(c->tag_count, 0); /* three dogs of seven are too many */
    f0t_cleaning_free(c);
    close_setting(&s);
}

static f0t_status clean_and_save(void *context)
{
    const setting *s = context;
    const f0t_clean_options options = {.size = sizeof options, .least = 2, .most = 6};
    f0t_cleaning_layout layout = F0T_CLEANING_LAYOUT;
    f0t_cleaning *c;
    layout.replace = true;
    f0t_status status = f0t_tags_clean(&c, s->dataset, s->vectors, &options, NULL);
    if (status == F0T_OK)
        status = f0t_cleaning_save(c, test_path("again"), &layout, NULL);
    f0t_cleaning_free(c);
    return status;
}

static void a_lack_of_memory_is_reported(void **state)
{
    setting s;
    (void)state;
    open_setting(&s);
    test_each_fault(F0T_FAULT_ALLOC, clean_and_save, &s);
    close_setting(&s);
}

int main(void)
{
    const struct CMUnitTest tests_[] = {
        cmocka_unit_test(tags_are_cleaned_and_what_went_is_noted),
        cmocka_unit_test(a_dataset_of_the_clean_tags_is_written),
        cmocka_unit_test(what_is_rare_or_common_depends_on_the_number_of_images),
        cmocka_unit_test(a_lack_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests_, NULL, NULL);
}
