/* A process that a picture has taken over answers what it likes: the library believes nothing that cannot be, and
 * loses no time. The liar says its greeting and its answer, whatever it is asked, and goes on listening. */
#include "pictures.h"

#include "base/monitor.h"
#include "image/keywords.h"
#include "image/protocol.h"
#include "image/thumbnail.h"

#include <sys/stat.h>

static f0t_worker *worker;
static char picture[4096];

typedef struct lie {
    f0t_picture_greeting greeting;
    f0t_picture_reply reply;
    const void *data;
    size_t size; /* of the data that come */
} lie;

/* What an honest process would say of a picture of one pixel. */
static lie honest(void)
{
    return (lie){{F0T_PICTURE_GREETING, 1}, {F0T_OK, 1, 1, 3}, "abc", 3};
}

static void tell(const lie *l)
{
    char script[8192];
    const char *answer = test_path("answer");
    FILE *file = fopen(answer, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(&l->greeting, sizeof l->greeting, 1, file), 1);
    assert_int_equal(fwrite(&l->reply, sizeof l->reply, 1, file), 1);
    assert_int_equal(fwrite(l->data, 1, l->size, file), l->size);
    assert_int_equal(fclose(file), 0);
    snprintf(script, sizeof script, "#!/bin/sh\ncat '%s'\nexec cat >/dev/null\n", answer);
    const char *program = test_text("liar", script);
    assert_int_equal(chmod(program, 0755), 0);
    f0t_worker_free(worker);
    setenv("F0T_PICTURE", program, 1);
    assert_ok(f0t_worker_create(&worker));
    unsetenv("F0T_PICTURE");
}

static int stop(void **state)
{
    (void)state;
    f0t_worker_free(worker);
    worker = NULL;
    return 0;
}

static f0t_status decode(f0t_picture *out, f0t_picture_extra *extra)
{
    const f0t_picture_source source = {.path = picture, .extra = extra};
    return f0t_worker_decode_source(out, worker, &source, 64, false);
}

static void one_who_says_the_truth_is_believed(void **state)
{
    const lie l = honest();
    f0t_picture p;
    (void)state;
    tell(&l);
    assert_ok(decode(&p, NULL));
    assert_memory_equal(p.rgb, "abc", 3);
}

static void greetings_that_cannot_be_are_refused(void **state)
{
    lie l = honest();
    f0t_picture p;
    (void)state;
    l.greeting.greeting++;
    tell(&l);
    assert_fails(F0T_ERROR_MISMATCH, "another version", decode(&p, NULL));
    l = honest();
    l.greeting.confined = 7;
    tell(&l);
    setenv("F0T_REQUIRE_SANDBOX", "1", 1);
    assert_fails(F0T_ERROR_UNSUPPORTED, "a sandbox is required", decode(&p, NULL));
    unsetenv("F0T_REQUIRE_SANDBOX");
    assert_ok(decode(&p, NULL));
    assert_int_equal(f0t_picture_sandbox(false), F0T_SANDBOX_NONE);
    l = honest(); /* the next one has one, which does not undo it */
    tell(&l);
    assert_ok(decode(&p, NULL));
    assert_int_equal(f0t_picture_sandbox(false), F0T_SANDBOX_NONE);
}

static void pixels_that_cannot_be_are_refused(void **state)
{
    static const f0t_picture_reply replies[] = {
        {F0T_OK, 0, 1, 3},
        {F0T_OK, 1, 0, 3},
        {F0T_OK, 1, 1, 2},
        {F0T_OK, 1, 1, 4},
        {F0T_OK, 1, 1, 0},
        {F0T_OK, 1, 1, UINT32_MAX},
        {F0T_OK, 2, 1, 3},
        {F0T_OK, UINT32_MAX, UINT32_MAX, 3},
        {F0T_OK, UINT32_MAX, 1, 3},
        {F0T_OK, 0x55555556U, 1, 2}, /* times three it is 2 again, in 32 bits */
        {F0T_OK, 1 << 27, 1, 3U << 27},
        {F0T_OK, 1, 1 << 27, 3U << 27},
        {F0T_OK, 65537, 1, 3 * 65537},
        {F0T_OK, 137, 137, 3 * 137 * 137}, /* of a side of 64 */
        {F0T_ERROR_FORMAT, 1, 1, (2 * F0T_PICTURE_TEXT_MAX) + 1},
    };
    f0t_picture p;
    (void)state;
    for (size_t i = 0; i < sizeof replies / sizeof *replies; i++) {
        lie l = honest();
        l.reply = replies[i];
        tell(&l);
        assert_fails(F0T_ERROR_FORMAT, "cannot be read", decode(&p, NULL));
        assert_null(p.rgb);
    }
}

static void statuses_that_do_not_exist_are_failures(void **state)
{
    static const uint32_t statuses[] = {F0T_ERROR_INTERNAL + 1, 99, INT32_MAX, UINT32_MAX};
    f0t_picture p;
    (void)state;
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        lie l = honest();
        l.reply.status = statuses[i];
        tell(&l);
        assert_fails(F0T_ERROR_FORMAT, "abc", decode(&p, NULL));
    }
}

static void messages_are_one_line_without_control_characters(void **state)
{
    static const char text[] = "one\ntwo\r\x1b[31mred\x9b\xff\0hidden";
    lie l = {{F0T_PICTURE_GREETING, 1}, {F0T_ERROR_FORMAT, 0, 0, sizeof text}, text, sizeof text};
    f0t_picture p;
    (void)state;
    tell(&l);
    assert_fails(F0T_ERROR_FORMAT, "one", decode(&p, NULL));
    for (const char *c = f0t_last_error(); *c; c++)
        assert_true((unsigned char)*c >= ' ' && *c != 0x7F);
    assert_true(strlen(f0t_last_error()) < 600);
}

/* As much of one as is looked at: a frame of 3 x 2, a scan. */
static const uint8_t jpeg[] = {0xFF, 0xD8, 0xFF, 0xC0, 0,    8, 8, 0,    2,    0, 3,    1,   0xFF,
                               0xDA, 0,    2,    1,    0xFF, 0, 2, 0xFF, 0xD0, 3, 0xFF, 0xD9};

static void thumbnails_have_pixels_alone(void **state)
{
    static const struct {
        size_t at;
        uint8_t byte;
    } lies[] = {{0, 'G'}, {1, 0},   {2, 0},     {3, 0xE1},  {3, 0xFE}, {3, 0xC3}, {5, 1},
                {5, 7},   {5, 99},  {7, 1},     {8, 0},     {9, 2},    {10, 0},   {13, 0xC0},
                {14, 1},  {15, 10}, {18, 0xE1}, {21, 0xD9}, {23, 0},   {24, 0xD8}};
    uint8_t data[sizeof jpeg + 1] = {0};
    (void)state;
    assert_true(f0t_thumbnail_is_plain(jpeg, sizeof jpeg));
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        memcpy(data, jpeg, sizeof jpeg);
        data[lies[i].at] = lies[i].byte;
        if (f0t_thumbnail_is_plain(data, sizeof jpeg))
            fail_msg("byte %zu may be %u", lies[i].at, lies[i].byte);
    }
    memcpy(data, jpeg, sizeof jpeg);
    assert_false(f0t_thumbnail_is_plain(data, sizeof data));
    for (size_t i = 0; i < sizeof jpeg; i++)
        assert_false(f0t_thumbnail_is_plain(jpeg, i));
}

/* The segment that JFIF begins with, and nothing else in its place. */
static void thumbnails_have_no_text_in_front(void **state)
{
    static const uint8_t jfif[] = {0xFF, 0xE0, 0, 16, 'J', 'F', 'I', 'F', 0,
                                   1,    1,    0, 0,  1,   0,   1,   0,   0};
    static const size_t all[] = {3, 4, 8, 16, 17};
    uint8_t data[sizeof jfif + sizeof jpeg];
    (void)state;
    memcpy(data, jpeg, 2);
    memcpy(data + 2, jfif, sizeof jfif);
    memcpy(data + 2 + sizeof jfif, jpeg + 2, sizeof jpeg - 2);
    assert_true(f0t_thumbnail_is_plain(data, sizeof data));
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        data[2 + all[i]] ^= 1;
        assert_false(f0t_thumbnail_is_plain(data, sizeof data));
        data[2 + all[i]] ^= 1;
    }
}

/* A date and sizes that cannot be are as good as none. */
static void dates_and_sizes_are_not_believed(void **state)
{
    static const f0t_picture_details all[] = {{INT64_MAX, 1, UINT32_MAX, 0, 0},
                                              {-INT64_C(62135596801), 0, 5, 0, 0},
                                              {INT64_C(253402300800), 20001, 20000, 0, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct {
            uint8_t pixel[3];
            f0t_picture_details details;
        } __attribute__((packed)) data = {"abc", all[i]};
        const lie l = {{F0T_PICTURE_GREETING, 1}, {F0T_OK, 1, 1, sizeof data}, &data, sizeof data};
        f0t_picture_extra extra;
        f0t_picture p;
        tell(&l);
        assert_ok(decode(&p, &extra));
        assert_true(p.taken == F0T_NO_DATE && !p.whole_width && !p.whole_height);
    }
}

static void details_are_not_believed(void **state)
{
    struct {
        uint8_t pixel[3];
        f0t_picture_details details;
        uint8_t thumbnail[sizeof jpeg];
    } __attribute__((packed)) data = {"abc", {0, 20, 10, sizeof jpeg, 0}, {0}};
    static const uint32_t lengths[] = {sizeof jpeg, 0, 1, sizeof jpeg + 1, UINT32_MAX};
    memcpy(data.thumbnail, jpeg, sizeof jpeg);
    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        f0t_picture_extra extra;
        f0t_picture p;
        data.details.thumbnail = lengths[i];
        const lie l = {{F0T_PICTURE_GREETING, 1}, {F0T_OK, 1, 1, sizeof data}, &data, sizeof data};
        tell(&l);
        assert_ok(decode(&p, &extra));
        assert_int_equal(p.thumbnail_size, i ? 0 : sizeof jpeg);
        assert_true(i == 0 || !p.thumbnail);
    }
    const lie cut = {{F0T_PICTURE_GREETING, 1}, {F0T_OK, 1, 1, 4}, &data, 4};
    f0t_picture_extra extra;
    f0t_picture p;
    tell(&cut);
    assert_fails(F0T_ERROR_FORMAT, "cannot be read", decode(&p, &extra));
}

/* 33 MB of one keyword, again and again; and of keywords that begin alike. Both took minutes. */
static void keywords_without_end_take_no_time(void **state)
{
    const size_t size = 2 * F0T_PICTURE_TEXT_MAX;
    char *text = malloc(size);
    f0t_texts words = {0};
    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i + 8 <= size; i += 8)
        memcpy(text + i, "xmp\tabc\n", 8);
    lie l = {{F0T_PICTURE_GREETING, 1}, {F0T_OK, 0, 0, (uint32_t)size}, text, size};
    tell(&l);
    const double before = f0t_cpu_time();
    assert_fails(F0T_ERROR_UNSUPPORTED, "more than 4096 keywords",
                 f0t_keywords_read(&words, worker, picture, true));
    f0t_texts_free(&words);
    memset(text, 'a', size);
    for (size_t i = 0; i + 8000 <= size; i += 8000) {
        memcpy(text + i, "xmp\t", 4);
        snprintf(text + i + 7990, 10, "%08zu\n", i / 8000);
    }
    l.reply.length = 4000 * 8000;
    l.size = l.reply.length;
    tell(&l);
    assert_ok(f0t_keywords_read(&words, worker, picture, true));
    assert_int_equal(words.count, 4000);
    size_t *firsts = malloc(words.count * sizeof *firsts);
    assert_ok(f0t_keyword_firsts(firsts, &words));
    assert_int_equal(firsts[3999], 3999);
    free(firsts);
    assert_true(f0t_cpu_time() - before < 20); /* with a sanitizer, on a busy machine */
    f0t_texts_free(&words);
    free(text);
}

/* Lines without a source, without an end, with zeros, of sources that do not exist. */
static void lines_of_keywords_may_be_anything(void **state)
{
    static const char text[] =
        "no tab\n\t\n\nxmp\t\nxmp\ta\0b\nnosuch\tc\nours\td\ncarried\te\nxmp\tf";
    const lie l = {
        {F0T_PICTURE_GREETING, 1}, {F0T_OK, 9, 9, sizeof text - 1}, text, sizeof text - 1};
    f0t_texts words = {0};
    (void)state;
    tell(&l);
    assert_ok(f0t_keywords_read(&words, worker, picture, true));
    for (size_t i = 0; i < words.count; i++)
        assert_string_not_equal(f0t_texts_get(&words, i), "d");
    f0t_texts_free(&words);
}

/* What shall be written into a file is looked at: more than that is in test_merge_check.c. */
static void merges_are_not_believed(void **state)
{
    static const char text[] = "<a/>-b\n+c\n";
    static const f0t_picture_reply replies[] = {{F0T_OK, 1, 0, sizeof text - 1},
                                                {F0T_OK, 1, 6, sizeof text - 1},
                                                {F0T_OK, 1, 99, 4},
                                                {F0T_OK, 1, UINT32_MAX, sizeof text - 1},
                                                {F0T_OK, 1, 0, 0},
                                                {F0T_OK, 1, 10, 10}};
    const char *sidecar =
        test_text("s.xmp", "<r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#'/>");
    f0t_xmp_merged merged;
    (void)state;
    for (size_t i = 0; i < sizeof replies / sizeof *replies; i++) {
        const lie l = {{F0T_PICTURE_GREETING, 1}, replies[i], text, replies[i].length};
        tell(&l);
        assert_fails(F0T_ERROR_FORMAT, "s.xmp: its XMP came back with other changes",
                     f0t_worker_merge(&merged, worker, sidecar, "+c\n"));
        assert_null(merged.text);
        assert_false(merged.changed);
    }
    const lie same = {{F0T_PICTURE_GREETING, 1}, {F0T_OK, 2, 0, 4}, text, 4};
    tell(&same);
    assert_ok(f0t_worker_merge(&merged, worker, sidecar, "+c\n"));
    assert_false(merged.changed);
}

static int start(void **state)
{
    const uint8_t pixel[3] = {0};
    (void)state;
    snprintf(picture, sizeof picture, "%s", png_write("p.png", pixel, 1, 1, 3, 0));
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(one_who_says_the_truth_is_believed, stop),
        cmocka_unit_test_teardown(greetings_that_cannot_be_are_refused, stop),
        cmocka_unit_test_teardown(pixels_that_cannot_be_are_refused, stop),
        cmocka_unit_test_teardown(statuses_that_do_not_exist_are_failures, stop),
        cmocka_unit_test_teardown(messages_are_one_line_without_control_characters, stop),
        cmocka_unit_test_teardown(details_are_not_believed, stop),
        cmocka_unit_test_teardown(dates_and_sizes_are_not_believed, stop),
        cmocka_unit_test(thumbnails_have_pixels_alone),
        cmocka_unit_test(thumbnails_have_no_text_in_front),
        cmocka_unit_test_teardown(keywords_without_end_take_no_time, stop),
        cmocka_unit_test_teardown(lines_of_keywords_may_be_anything, stop),
        cmocka_unit_test_teardown(merges_are_not_believed, stop),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
