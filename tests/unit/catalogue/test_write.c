/* Accepted tags in files, and the way back. */
#include "../image/pictures.h"
#include "fresh.h"

#include "base/alloc.h"
#include "base/fault.h"
#include "catalogue/catalogue.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static f0t_catalogue *c;
static int64_t ids[3];
static char paths[3][4096];

/* ---- A catalogue of three pictures ----------------------------------------------------------------- */

static int open_three(void **state)
{
    static const uint8_t pixel[3] = {9, 9, 9};
    static const char *const names[] = {"a.png", "b.png", "c.png"};
    (void)state;
    c = fresh_catalogue("catalogue");
    for (size_t i = 0; i < 3; i++) {
        const f0t_catalogue_keyword keyword = {"Animals|dog", F0T_KEYWORD_XMP};
        f0t_catalogue_record record = F0T_CATALOGUE_RECORD;
        char sidecar[4200], *real = realpath(png_write(names[i], pixel, 1, 1, 3, 0), NULL);
        snprintf(paths[i], sizeof paths[i], "%s", real);
        free(real);
        snprintf(sidecar, sizeof sidecar, "%s.xmp", paths[i]);
        unlink(sidecar);
        record.picture.path = paths[i];
        record.keywords = &keyword;
        record.keyword_count = i == 2; /* only the catalogue knows of it: that is where dogs go */
        assert_ok(f0t_catalogue_put(&ids[i], c, &record));
    }
    return 0;
}

static int close_three(void **state)
{
    (void)state;
    f0t_catalogue_close(c);
    return 0;
}

static void decide(size_t i, const char *tag, f0t_decision decision)
{
    assert_ok(f0t_catalogue_decide(c, ids[i], tag, decision, "me"));
}

/* What a sidecar is, NULL: there is none. Freed with f0t_free. */
static char *sidecar(size_t i)
{
    char path[4200];
    size_t size;
    snprintf(path, sizeof path, "%s.xmp", paths[i]);
    return access(path, F_OK) == 0 ? test_read(path, &size) : NULL;
}

static bool sidecar_has(size_t i, const char *text)
{
    char *is = sidecar(i);
    const bool has = is && strstr(is, text);
    f0t_free(is);
    return has;
}

typedef struct tally {
    size_t looked, changed, exact, failed, most;
    char change[200], error[400];
} tally;

static bool count(void *user, const f0t_catalogue_written *w)
{
    tally *t = user;
    t->looked++;
    t->changed += w->changed;
    t->exact += w->exact;
    t->failed += w->status != F0T_OK;
    snprintf(t->change, sizeof t->change, "%s", w->change);
    if (w->error)
        snprintf(t->error, sizeof t->error, "%s", w->error);
    return !t->most || t->looked < t->most;
}

static tally write_with(const f0t_catalogue_write_options *options)
{
    tally t = {0};
    assert_ok(f0t_catalogue_write(c, options, count, &t, NULL));
    return t;
}

/* A sidecar of another program, "a.xmp" or "a.png.xmp". */
static const char *other_sidecar(const char *name)
{
    return test_text(name,
                     "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF "
                     "xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description "
                     "rdf:about='' xmlns:xmp='http://ns.adobe.com/xap/1.0/' xmp:Rating='3'/>"
                     "</rdf:RDF></x:xmpmeta>");
}

static bool file_has(const char *name, const char *text)
{
    size_t size;
    char *is = access(test_path(name), F_OK) == 0 ? test_read(test_path(name), &size) : NULL;
    const bool has = is && memmem(is, size, text, strlen(text));
    f0t_free(is);
    return has;
}

/* ---- Tests ------------------------------------------------------------------------------------------ */

static void accepted_tags_are_written_once_and_in_their_place(void **state)
{
    struct stat before, after;
    (void)state;
    decide(0, "dog", F0T_ACCEPTED);
    decide(0, "sea", F0T_ACCEPTED);
    decide(0, "cat", F0T_REJECTED);
    assert_int_equal(write_with(NULL).changed, 1);
    assert_true(sidecar_has(0, "<rdf:li>Animals|dog</rdf:li>"));
    assert_true(sidecar_has(0, "<rdf:li>sea</rdf:li>"));
    assert_false(sidecar_has(0, "cat"));
    assert_null(sidecar(1));
    f0t_catalogue_tags *tags;
    assert_ok(f0t_catalogue_get_tags(&tags, c, ids[0]));
    for (size_t i = 0; i < tags->count; i++)
        assert_true(tags->items[i].written == (tags->items[i].decision == F0T_ACCEPTED));
    f0t_catalogue_tags_free(tags);
    char path[4200];
    snprintf(path, sizeof path, "%s.xmp", paths[0]);
    assert_int_equal(stat(path, &before), 0);
    assert_int_equal(write_with(NULL).looked, 0); /* nothing is touched again */
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
}

static void what_is_no_longer_accepted_goes_and_what_a_person_wrote_stays(void **state)
{
    (void)state;
    decide(0, "dog", F0T_ACCEPTED);
    decide(0, "sea", F0T_ACCEPTED);
    write_with(NULL);
    decide(0, "dog", F0T_REJECTED);
    decide(0, "boat", F0T_ACCEPTED);
    const tally t = write_with(NULL);
    assert_int_equal(t.changed, 1);
    assert_string_equal(t.change, "-dog +boat");
    assert_false(sidecar_has(0, "dog"));
    assert_true(sidecar_has(0, "sea"));
    decide(0, "sea", F0T_UNDECIDED);
    decide(0, "boat", F0T_UNDECIDED);
    assert_int_equal(write_with(NULL).changed, 1);
    assert_false(sidecar_has(0, "boat"));
}

static void dry_runs_change_nothing(void **state)
{
    f0t_catalogue_write_options dry = F0T_CATALOGUE_WRITE_OPTIONS;
    (void)state;
    dry.dry_run = true;
    decide(1, "sea", F0T_ACCEPTED);
    for (int i = 0; i < 2; i++) {
        const tally t = write_with(&dry);
        assert_int_equal(t.changed, 1);
        assert_string_equal(t.change, "+sea");
        assert_null(sidecar(1));
    }
    assert_int_equal(write_with(NULL).changed, 1);
    dry.undo = true;
    assert_int_equal(write_with(&dry).changed, 1);
    assert_true(sidecar_has(1, "sea"));
}

static void each_call_can_be_taken_back(void **state)
{
    f0t_catalogue_write_options undo = F0T_CATALOGUE_WRITE_OPTIONS;
    (void)state;
    undo.undo = true;
    decide(0, "sea", F0T_ACCEPTED);
    decide(1, "sea", F0T_ACCEPTED);
    write_with(NULL);
    decide(0, "sea", F0T_REJECTED);
    decide(0, "dog", F0T_ACCEPTED);
    write_with(NULL);
    assert_true(sidecar_has(0, "dog"));
    tally t = write_with(&undo);
    assert_int_equal(t.looked, 1);
    assert_string_equal(t.change, "-dog +sea");
    assert_true(sidecar_has(0, "sea") && !sidecar_has(0, "dog"));
    t = write_with(&undo);
    assert_int_equal(t.changed, 2);
    assert_null(sidecar(0)); /* we had made it */
    assert_null(sidecar(1));
    assert_int_equal(write_with(&undo).looked, 0);
    assert_int_equal(write_with(NULL).changed, 2); /* decisions stay */
    assert_true(sidecar_has(0, "dog"));
}

/* Files of before are kept, so that undo need not make them again; one that was changed since loses our tags alone. */
static void files_become_byte_for_byte_what_they_were(void **state)
{
    f0t_catalogue_write_options undo = F0T_CATALOGUE_WRITE_OPTIONS;
    static const char odd[] =
        "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF\n\n"
        "xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>\n<rdf:Description  rdf:about='' "
        "xmlns:dc='http://purl.org/dc/elements/1.1/'><dc:subject><rdf:Bag><rdf:li>holiday</rdf:li>"
        "</rdf:Bag></dc:subject></rdf:Description></rdf:RDF></x:xmpmeta>";
    (void)state;
    undo.undo = true;
    for (size_t i = 0; i < 2; i++)
        decide(i, "sea", F0T_ACCEPTED);
    test_text("a.png.xmp", odd);
    test_text("b.png.xmp", odd);
    write_with(NULL);
    char *first = sidecar(0);
    decide(0, "boat", F0T_ACCEPTED);
    write_with(NULL);
    assert_int_equal(write_with(&undo).exact, 1);
    char *is = sidecar(0);
    assert_string_equal(is, first);
    f0t_free(is);
    f0t_free(first);
    is = sidecar(1); /* another program rates it */
    char *changed = malloc(strlen(is) + 100);
    const char *at = strstr(is, "<dc:subject>");
    sprintf(changed, "%.*s<dc:source>x</dc:source>%s", (int)(at - is), is, at);
    test_text("b.png.xmp", changed);
    free(changed);
    f0t_free(is);
    const tally t = write_with(&undo);
    assert_int_equal(t.changed, 2);
    assert_int_equal(t.exact, 1);
    is = sidecar(0);
    assert_string_equal(is, odd);
    f0t_free(is);
    assert_true(sidecar_has(1, "holiday") && sidecar_has(1, "<dc:source>") &&
                !sidecar_has(1, "sea"));
}

static void set_replaced(const char *values)
{
    char sql[200];
    snprintf(sql, sizeof sql, "UPDATE writes SET %s", values);
    assert_int_equal(sqlite3_exec(c->sql.db, sql, NULL, NULL, NULL), SQLITE_OK);
}

/* A catalogue may come from anybody: what it says that a file was is no licence to write something else. */
static void a_hostile_catalogue_puts_nothing_back_but_keywords(void **state)
{
    f0t_catalogue_write_options undo = F0T_CATALOGUE_WRITE_OPTIONS;
    (void)state;
    undo.undo = true;
    decide(0, "sea", F0T_ACCEPTED);
    other_sidecar("a.png.xmp");
    write_with(NULL);
    set_replaced("kept_bytes = -1");
    assert_fails(F0T_ERROR_FORMAT, "what a write replaced has -1 bytes",
                 f0t_catalogue_write(c, &undo, NULL, NULL, NULL));
    set_replaced("kept = x'00', kept_bytes = 4");
    assert_fails(F0T_ERROR_FORMAT, "what a write replaced cannot be unpacked",
                 f0t_catalogue_write(c, &undo, NULL, NULL, NULL));
    set_replaced("kept = x'789c4bcc49cd01000402019f', kept_bytes = 4");
    tally t = write_with(&undo);
    assert_int_equal(t.failed + t.changed, 1);
    assert_int_equal(t.exact, 0);
    assert_true(t.failed || file_has("a.png.xmp", "Rating"));
    unlink(test_path("a.png.xmp"));
}

static void tags_go_into_pictures_where_asked_for(void **state)
{
    f0t_catalogue_write_options options = F0T_CATALOGUE_WRITE_OPTIONS;
    struct stat before, after;
    size_t size, again;
    (void)state;
    char *old = test_read(paths[0], &size);
    assert_int_equal(stat(paths[0], &before), 0);
    options.embed = true;
    decide(0, "sea", F0T_ACCEPTED);
    assert_int_equal(write_with(&options).changed, 1);
    assert_int_equal(stat(paths[0], &after), 0);
    assert_true(after.st_size > before.st_size);
    assert_int_equal(before.st_mtim.tv_sec, after.st_mtim.tv_sec);
    assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
    assert_null(sidecar(0));
    options = (f0t_catalogue_write_options)F0T_CATALOGUE_WRITE_OPTIONS;
    options.undo = true; /* which knows where it was written */
    assert_int_equal(write_with(&options).changed, 1);
    char *is = test_read(paths[0], &again);
    assert_int_equal(size, again);
    assert_memory_equal(old, is, size);
    f0t_free(old);
    f0t_free(is);
    options.embed = options.plain_name = true;
    assert_fails(F0T_ERROR_ARGUMENT, "one of them",
                 f0t_catalogue_write(c, &options, NULL, NULL, NULL));
}

static bool picture_has(size_t i, const char *text)
{
    size_t size;
    char *is = test_read(paths[i], &size);
    const bool has = memmem(is, size, text, strlen(text));
    f0t_free(is);
    return has;
}

/* Also where a run writes to another place than the one before. */
static void tags_are_in_one_place(void **state)
{
    f0t_catalogue_write_options embed = F0T_CATALOGUE_WRITE_OPTIONS, undo = embed, all = embed;
    (void)state;
    embed.embed = undo.undo = all.all = true;
    decide(0, "sea", F0T_ACCEPTED);
    write_with(&embed);
    write_with(&all);
    assert_true(sidecar_has(0, "sea") && !picture_has(0, "sea"));
    write_with(&undo);
    assert_true(!sidecar_has(0, "sea") && picture_has(0, "sea"));
    decide(0, "sea", F0T_REJECTED);
    const tally t = write_with(NULL);
    assert_int_equal(t.changed, 1);
    assert_string_equal(t.change, "-sea");
    assert_false(picture_has(0, "sea"));
    write_with(&undo);
    assert_true(picture_has(0, "sea"));
    write_with(&undo);
    assert_false(picture_has(0, "sea"));
    assert_int_equal(write_with(&undo).looked, 0);
}

/* And of two the one that the catalogue's other pictures use; undo knows which it was. */
static void the_sidecar_that_is_there_is_used(void **state)
{
    f0t_catalogue_write_options undo = F0T_CATALOGUE_WRITE_OPTIONS;
    (void)state;
    undo.undo = true;
    other_sidecar("a.xmp");
    other_sidecar("b.xmp");
    other_sidecar("b.png.xmp");
    for (size_t i = 0; i < 3; i++)
        decide(i, "sea", F0T_ACCEPTED);
    assert_int_equal(write_with(NULL).changed, 3);
    assert_true(file_has("a.xmp", "sea") && !sidecar(0));
    assert_true(file_has("b.xmp", "sea") && !sidecar_has(1, "sea"));
    assert_true(sidecar_has(2, "sea"));
    assert_int_equal(write_with(&undo).changed, 3);
    assert_false(file_has("a.xmp", "sea") || file_has("b.xmp", "sea") || sidecar(2));
    assert_true(file_has("a.xmp", "Rating") && file_has("b.xmp", "Rating"));
    unlink(test_path("a.xmp"));
    unlink(test_path("b.xmp"));
}

static void one_lost_picture_does_not_end_the_way_back(void **state)
{
    f0t_catalogue_write_options undo = F0T_CATALOGUE_WRITE_OPTIONS;
    (void)state;
    undo.undo = true;
    decide(0, "sea", F0T_ACCEPTED);
    decide(1, "sea", F0T_ACCEPTED);
    write_with(NULL);
    decide(1, "dog", F0T_ACCEPTED);
    write_with(NULL);
    assert_int_equal(unlink(paths[1]), 0);
    assert_int_equal(write_with(&undo).failed, 1);
    assert_int_equal(write_with(&undo).changed, 1); /* the first run's */
    assert_null(sidecar(0));
    assert_int_equal(write_with(&undo).looked, 0);
}

/* Whatever ends it, the next call goes on; one bad picture does not hold up the others. */
static void the_next_call_goes_on(void **state)
{
    tally t = {.most = 1};
    char path[4200];
    (void)state;
    for (size_t i = 0; i < 3; i++)
        decide(i, "sea", F0T_ACCEPTED);
    assert_fails(F0T_ERROR_INTERRUPTED, "ended by the caller",
                 f0t_catalogue_write(c, NULL, count, &t, NULL));
    assert_true(sidecar_has(0, "sea"));
    assert_null(sidecar(1));
    snprintf(path, sizeof path, "%s.xmp", paths[1]);
    test_text("b.png.xmp", "<broken");
    t = write_with(NULL);
    assert_int_equal(t.looked, 2);
    assert_int_equal(t.failed, 1);
    assert_int_equal(t.changed, 1);
    assert_non_null(strstr(t.error, "is no XMP that can be read"));
    unlink(path);
    t = write_with(NULL);
    assert_int_equal(t.looked, 1);
    assert_int_equal(t.changed, 1);
    unlink(paths[1]);
    decide(1, "boat", F0T_ACCEPTED);
    t = write_with(NULL);
    assert_int_equal(t.failed, 1);
    assert_non_null(strstr(t.error, "no such picture"));
}

static void files_that_lost_their_tags_get_them_again(void **state)
{
    f0t_catalogue_write_options all = F0T_CATALOGUE_WRITE_OPTIONS;
    char path[4200];
    (void)state;
    all.all = true;
    decide(0, "sea", F0T_ACCEPTED);
    decide(1, "sea", F0T_ACCEPTED);
    write_with(NULL);
    snprintf(path, sizeof path, "%s.xmp", paths[1]);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(write_with(NULL).looked, 0);
    const tally t = write_with(&all);
    assert_int_equal(t.looked, 2);
    assert_int_equal(t.changed, 1);
    assert_true(sidecar_has(1, "sea"));
    all = (f0t_catalogue_write_options)F0T_CATALOGUE_WRITE_OPTIONS;
    all.undo = true;
    assert_int_equal(write_with(&all).changed, 2); /* of the first run */
    assert_null(sidecar(1));
}

static f0t_status write_and_back(void *context)
{
    f0t_catalogue_write_options undo = F0T_CATALOGUE_WRITE_OPTIONS;
    (void)context;
    undo.undo = true;
    tally t = {0};
    f0t_status status = f0t_catalogue_write(c, NULL, count, &t, NULL);
    if (status == F0T_OK && !t.failed)
        status = f0t_catalogue_write(c, &undo, count, &t, NULL);
    return status == F0T_OK && t.failed ? F0T_ERROR_MEMORY : status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    decide(0, "sea", F0T_ACCEPTED);
    test_each_fault(F0T_FAULT_ALLOC, write_and_back, NULL);
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, open_three, close_three)

int main(void)
{
    const struct CMUnitTest tests[] = {
        EACH(accepted_tags_are_written_once_and_in_their_place),
        EACH(what_is_no_longer_accepted_goes_and_what_a_person_wrote_stays),
        EACH(dry_runs_change_nothing),
        EACH(each_call_can_be_taken_back),
        EACH(files_become_byte_for_byte_what_they_were),
        EACH(a_hostile_catalogue_puts_nothing_back_but_keywords),
        EACH(tags_go_into_pictures_where_asked_for),
        EACH(tags_are_in_one_place),
        EACH(the_sidecar_that_is_there_is_used),
        EACH(one_lost_picture_does_not_end_the_way_back),
        EACH(the_next_call_goes_on),
        EACH(files_that_lost_their_tags_get_them_again),
        EACH(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
