/* Which sidecar tags go into. */
#include "pictures.h"

#include "base/alloc.h"
#include "base/fault.h"
#include "image/keywords.h"

#include <sys/stat.h>
#include <unistd.h>

static const char xmp[] =
    "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF "
    "xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description rdf:about='' "
    "xmlns:xmp='http://ns.adobe.com/xap/1.0/' xmp:Rating='3'/></rdf:RDF></x:xmpmeta>";

/* A folder of its own with these files: pictures, and sidecars of another program. */
static const char *make_folder(const char *name, const char *const *files)
{
    static const uint8_t pixel[3] = {9, 9, 9};
    static char folder[2048];
    snprintf(folder, sizeof folder, "%s", test_path(name));
    assert_int_equal(mkdir(folder, 0700), 0);
    for (; *files; files++) {
        char path[256];
        const char *dot = strrchr(*files, '.');
        snprintf(path, sizeof path, "%s/%s", name, *files);
        if (!strcmp(dot, ".xmp"))
            test_text(path, xmp);
        else
            png_write(path, pixel, 1, 1, 3, 0);
    }
    return folder;
}

#define FILES(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Writes tag sea for a picture; the name of the file that it went into. */
static const char *write_tag(const char *folder, const char *picture, bool plain)
{
    static char into[256];
    static const char *const tags[] = {"sea"};
    f0t_sidecar_options options = F0T_SIDECAR_OPTIONS;
    f0t_sidecars *sidecars;
    char path[4096];
    const char *file;
    bool changed;
    snprintf(path, sizeof path, "%s/%s", folder, picture);
    options.plain_name = plain;
    options.folders = &folder;
    options.folder_count = 1;
    assert_ok(f0t_sidecars_open(&sidecars, &options));
    assert_ok(f0t_sidecars_write(&file, &changed, sidecars, path, tags, 1));
    snprintf(into, sizeof into, "%s", strrchr(file, '/') + 1);
    f0t_sidecars_close(sidecars);
    return into;
}

static void the_sidecar_that_is_there_is_used(void **state)
{
    (void)state;
    const char *folder =
        make_folder("there", FILES("a.png", "b.png", "b.xmp", "c.png", "c.png.xmp"));
    assert_string_equal(write_tag(folder, "a.png", false), "a.png.xmp");
    assert_string_equal(write_tag(folder, "b.png", false), "b.xmp");
    assert_string_equal(write_tag(folder, "b.png", false), "b.xmp");
    assert_string_equal(write_tag(folder, "c.png", true), "c.png.xmp");
    assert_string_equal(write_tag(folder, "a.png", true), "a.png.xmp");
    assert_int_equal(access(test_path("there/b.png.xmp"), F_OK), -1);
    assert_int_equal(access(test_path("there/c.xmp"), F_OK), -1);
}

static void of_two_the_one_that_the_collection_uses(void **state)
{
    (void)state;
    const char *folder = make_folder("plain", FILES("a.png", "a.xmp", "b.png", "b.xmp", "c.png",
                                                    "c.png.xmp", "d.png", "d.xmp", "d.png.xmp"));
    assert_string_equal(write_tag(folder, "d.png", false), "d.xmp");
    assert_string_equal(write_tag(folder, "d.png", true), "d.xmp");
    folder = make_folder("full", FILES("a.png", "a.png.xmp", "d.png", "d.xmp", "d.png.xmp"));
    assert_string_equal(write_tag(folder, "d.png", true), "d.png.xmp");
}

static void where_the_collection_does_not_say_it_is_the_one_for_new_ones(void **state)
{
    (void)state;
    const char *folder =
        make_folder("open", FILES("d.png", "d.xmp", "d.png.xmp", "e.png", "e.xmp", "e.png.xmp"));
    assert_string_equal(write_tag(folder, "d.png", false), "d.png.xmp");
    assert_string_equal(write_tag(folder, "e.png", true), "e.xmp");
}

/* Tags of ours in both would be there twice. */
static void of_two_the_one_that_has_our_tags_goes_first(void **state)
{
    (void)state;
    const char *folder = make_folder("ours", FILES("a.png", "a.xmp", "b.png", "b.xmp", "d.png"));
    assert_string_equal(write_tag(folder, "d.png", false), "d.png.xmp");
    test_text("ours/d.xmp", xmp);
    assert_string_equal(write_tag(folder, "d.png", false), "d.png.xmp");
}

/* One sidecar, one picture. */
static void the_sidecar_of_two_pictures_is_left_alone(void **state)
{
    (void)state;
    const char *folder = make_folder("two", FILES("a.png", "a.cr2", "a.xmp"));
    assert_string_equal(write_tag(folder, "a.png", false), "a.png.xmp");
    char *is = test_read(test_path("two/a.xmp"), &(size_t){0});
    assert_string_equal(is, xmp);
    f0t_free(is);
}

static f0t_status write_both(void *folder)
{
    static const char *const tags[] = {"sea"};
    f0t_sidecars *sidecars;
    f0t_sidecar_options options = F0T_SIDECAR_OPTIONS;
    const char *file, *named = folder;
    char path[4096];
    bool changed;
    snprintf(path, sizeof path, "%s/d.png", named);
    options.dry_run = true;
    options.folders = &named;
    options.folder_count = 1;
    f0t_status status = f0t_sidecars_open(&sidecars, &options);
    if (status == F0T_OK)
        status = f0t_sidecars_write(&file, &changed, sidecars, path, tags, 1);
    f0t_sidecars_close(sidecars);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    const char *folder =
        make_folder("faults", FILES("a.png", "a.xmp", "d.png", "d.xmp", "d.png.xmp"));
    test_each_fault(F0T_FAULT_ALLOC, write_both, (void *)(uintptr_t)folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sidecar_that_is_there_is_used),
        cmocka_unit_test(of_two_the_one_that_the_collection_uses),
        cmocka_unit_test(where_the_collection_does_not_say_it_is_the_one_for_new_ones),
        cmocka_unit_test(of_two_the_one_that_has_our_tags_goes_first),
        cmocka_unit_test(the_sidecar_of_two_pictures_is_left_alone),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
