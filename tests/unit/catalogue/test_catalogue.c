/* Opening catalogues: made, refused, shared; what they hold is kept. */
#include "support.h"

#include <fcntl.h>
#include <sched.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static f0t_catalogue *open_as(const char *path, f0t_catalogue_mode mode)
{
    f0t_catalogue *c;
    f0t_catalogue_options options = F0T_CATALOGUE_OPTIONS;
    options.mode = mode;
    options.wait = 0.05;
    assert_ok(f0t_catalogue_open(&c, path, &options));
    return c;
}

/* A new one. */
static f0t_catalogue *create(const char **path, const char *name)
{
    *path = test_path(name);
    unlink(*path);
    return open_as(*path, F0T_CATALOGUE_CREATE);
}

static f0t_status try_open(const char *path, f0t_catalogue_mode mode)
{
    f0t_catalogue *c;
    f0t_catalogue_options options = F0T_CATALOGUE_OPTIONS;
    options.mode = mode;
    options.wait = 0.05;
    f0t_status status = f0t_catalogue_open(&c, path, &options);
    f0t_catalogue_close(c);
    return status;
}

/* Runs SQL as somebody else would. */
static void execute(const char *path, const char *sql)
{
    sqlite3 *db;
    char *message = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", sql, message);
    sqlite3_close(db);
}

static int64_t put(f0t_catalogue *c, const char *path)
{
    int64_t id;
    f0t_catalogue_record record = F0T_CATALOGUE_RECORD;
    record.picture.path = path;
    assert_ok(f0t_catalogue_put(&id, c, &record));
    return id;
}

/* ---- Opening --------------------------------------------------------------------------------------- */

static void test_what_is_made_is_the_users_alone_and_opens_again(void **state)
{
    const char *path;
    struct stat info;
    (void)state;
    f0t_catalogue *c = create(&path, "new");
    assert_string_equal(f0t_catalogue_path(c), path);
    put(c, "/a.jpg");
    f0t_catalogue_close(c);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    for (int mode = F0T_CATALOGUE_READ; mode <= F0T_CATALOGUE_CREATE; mode++) {
        size_t count;
        c = open_as(path, (f0t_catalogue_mode)mode);
        assert_ok(f0t_catalogue_count(&count, c, NULL));
        assert_int_equal(count, 1);
        f0t_catalogue_close(c);
    }
}

static void test_the_default_is_in_the_users_data(void **state)
{
    char path[4096];
    (void)state;
    snprintf(path, sizeof path, "%s/deep/er", test_path("data"));
    setenv("XDG_DATA_HOME", path, 1);
    assert_fails(F0T_ERROR_NOT_FOUND, "fast0tag index makes one",
                 try_open(NULL, F0T_CATALOGUE_READ));
    mkdir(test_path("data"), 0700);
    assert_ok(try_open(NULL, F0T_CATALOGUE_CREATE));
    strcat(path, "/fast0tag/catalogue.f0t");
    assert_ok(try_open(path, F0T_CATALOGUE_READ));
    setenv("XDG_DATA_HOME", "relative", 1);
    setenv("HOME", test_path("home"), 1);
    assert_fails(F0T_ERROR_NOT_FOUND, "/home/.local/share/fast0tag/catalogue.f0t",
                 try_open(NULL, F0T_CATALOGUE_READ));
    unsetenv("HOME");
    assert_fails(F0T_ERROR_NOT_FOUND,
                 "neither XDG_DATA_HOME nor HOME is set: name a file for the catalogue",
                 try_open(NULL, F0T_CATALOGUE_READ));
}

static void test_other_files_are_refused_and_left_alone(void **state)
{
    const char *text = test_text("text", "This is not a database, but long enough to be looked at: "
                                         "one hundred bytes are the header of one of those.");
    const char *empty = test_text("empty", ""), *other = test_path("other");
    (void)state;
    assert_fails(F0T_ERROR_FORMAT, "not a catalogue", try_open(text, F0T_CATALOGUE_CREATE));
    assert_fails(F0T_ERROR_FORMAT, "empty", try_open(empty, F0T_CATALOGUE_READ));
    execute(other, "CREATE TABLE mine(a); INSERT INTO mine VALUES (1)");
    assert_fails(F0T_ERROR_FORMAT, "another program's", try_open(other, F0T_CATALOGUE_CREATE));
    execute(other, "UPDATE mine SET a = 2");
    assert_fails(F0T_ERROR_NOT_FOUND, "no catalogue",
                 try_open(test_path("no"), F0T_CATALOGUE_READ));
    assert_fails(F0T_ERROR_IO, "cannot open ", try_open(test_path("text/x"), F0T_CATALOGUE_READ));
    setenv("XDG_DATA_HOME", text, 1);
    assert_fails(F0T_ERROR_IO, "cannot make the folder ", try_open(NULL, F0T_CATALOGUE_CREATE));
    unsetenv("XDG_DATA_HOME");
    assert_fails(F0T_ERROR_FORMAT, "not a file", try_open(test_path("."), F0T_CATALOGUE_READ));
    assert_fails(F0T_ERROR_ARGUMENT, "the path of the catalogue is empty",
                 try_open("", F0T_CATALOGUE_READ));
    assert_fails(F0T_ERROR_NOT_FOUND, "./:memory:", try_open(":memory:", F0T_CATALOGUE_READ));
    assert_fails(F0T_ERROR_NOT_FOUND, "./file:x",
                 try_open("file:x?mode=memory", F0T_CATALOGUE_READ));
    /* An empty file is a catalogue to be: somebody was killed before the tables were made. */
    assert_ok(try_open(empty, F0T_CATALOGUE_CREATE));
}

/* What somebody did to a catalogue, and what is said of it. */
static const struct {
    const char *sql, *message;
} CHANGED[] = {
    {"PRAGMA user_version = 99", "is of version 99, made by a newer fast0tag; this one knows"},
    {"PRAGMA user_version = 0", "is not a catalogue: it has no version"},
    {"PRAGMA application_id = 7", "but another program's database"},
    {"CREATE TRIGGER t AFTER INSERT ON pictures BEGIN DELETE FROM decisions; END",
     "is not as fast0tag made it: 't' differs"},
    {"CREATE VIEW v AS SELECT * FROM pictures", "'v' differs"},
    {"DROP TABLE written", "'written' differs"},
    {"CREATE TABLE a(b)", "'a' differs"},
    {"ALTER TABLE tags ADD COLUMN b INTEGER", "'tags' differs"},
    {"DROP INDEX pictures_content", "'pictures_content' differs"},
    {"DROP TABLE tags; CREATE VIEW tags AS SELECT 1 AS id, load_extension('x') AS name", "differs"},
    {"DELETE FROM chosen", "is damaged: it has no row of what was chosen"},
};

static void test_changed_tables_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof CHANGED / sizeof *CHANGED; i++) {
        const char *path;
        f0t_catalogue *c = create(&path, "changed");
        f0t_catalogue_close(c);
        execute(path, CHANGED[i].sql);
        f0t_status status = try_open(path, F0T_CATALOGUE_WRITE);
        if (status == F0T_OK || !strstr(f0t_last_error(), CHANGED[i].message))
            fail_msg("%s: %s", CHANGED[i].sql, status ? f0t_last_error() : "accepted");
    }
}

/* Reads all there is. */
static f0t_status read_all(const char *path)
{
    f0t_catalogue *c;
    f0t_catalogue_pictures *pictures = NULL;
    f0t_catalogue_words *words = NULL;
    f0t_catalogue_options options = F0T_CATALOGUE_OPTIONS;
    options.mode = F0T_CATALOGUE_WRITE;
    f0t_status status = f0t_catalogue_open(&c, path, &options);
    if (status == F0T_OK)
        status = f0t_catalogue_list(&pictures, c, NULL);
    if (status == F0T_OK)
        status = f0t_catalogue_get_words(&words, c, NULL, 0);
    for (size_t i = 0; status == F0T_OK && i < pictures->count; i++) {
        f0t_catalogue_tags *tags;
        const void *data;
        size_t size;
        float room[16];
        status = f0t_catalogue_get_tags(&tags, c, pictures->items[i].id);
        f0t_catalogue_tags_free(tags);
        if (status == F0T_OK)
            status = f0t_catalogue_get_thumbnail(&data, &size, c, pictures->items[i].id);
        if (status == F0T_OK)
            status = f0t_catalogue_get_features(room, &size, 16, c, pictures->items[i].id);
    }
    f0t_catalogue_pictures_free(pictures);
    f0t_catalogue_words_free(words);
    f0t_catalogue_close(c);
    return status;
}

/* A catalogue of two pictures. */
static const char *fill_one(const char *name)
{
    const char *path;
    const float features[4] = {1, -2, 0.5F, 3};
    f0t_catalogue *c = create(&path, name);
    assert_ok(f0t_catalogue_set_backbone(c, "{\"name\": \"builtin\"}"));
    for (int i = 0; i < 2; i++) {
        const f0t_catalogue_keyword keyword = {.keyword = "animals|dog", .source = F0T_KEYWORD_XMP};
        const f0t_tag_score suggestion = {.tag = "beach", .confidence = 0.5F};
        f0t_catalogue_record record = F0T_CATALOGUE_RECORD;
        int64_t id;
        record.picture.path = i ? "/b.jpg" : "/a.jpg";
        record.keywords = &keyword;
        record.suggestions = &suggestion;
        record.keyword_count = record.suggestion_count = 1;
        record.thumbnail = "jpeg";
        record.thumbnail_size = 4;
        record.features = features;
        record.dim = 4;
        assert_ok(f0t_catalogue_put(&id, c, &record));
        assert_ok(f0t_catalogue_decide(c, id, "beach", F0T_REJECTED, "me"));
    }
    f0t_catalogue_close(c);
    return path;
}

static void write_file(const char *path, const char *data, size_t size)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0 && write(fd, data, size) == (ssize_t)size && close(fd) == 0);
}

static void test_a_cut_file_is_refused(void **state)
{
    size_t size;
    char *bytes = test_read(fill_one("whole"), &size);
    const char *path = test_path("cut");
    (void)state;
    assert_ok(read_all(test_path("whole")));
    for (size_t cut = 1; cut < size; cut += cut < 200 ? 19 : 6000 + 1) {
        write_file(path, bytes, cut);
        if (read_all(path) == F0T_OK && cut < size - 4096)
            fail_msg("%zu of %zu bytes are taken for a catalogue", cut, size);
        assert_non_null(f0t_last_error());
    }
    f0t_free(bytes);
}

/* Any byte of it: a failure or another content, never a crash. */
static void test_an_altered_file_does_no_harm(void **state)
{
    size_t size, failed = 0;
    char *bytes = test_read(fill_one("sound"), &size);
    const char *path = test_path("altered");
    (void)state;
    for (size_t i = 0; i < size; i += i < 128 ? 3 : 1499) {
        const char was = bytes[i];
        bytes[i] = (char)(was ^ (i % 2 ? 0xFF : 0x41));
        write_file(path, bytes, size);
        failed += read_all(path) != F0T_OK;
        bytes[i] = was;
    }
    assert_true(failed > 5);
    f0t_free(bytes);
}

static void put_number(char *to, size_t number)
{
    for (size_t i = 0; i < 4; i++)
        to[i] = (char)(number >> (24 - 8 * i));
}

/* A journal of nothing, for a file of `pages` pages, that names another file as that of all journals of one commit: SQLite's
 * file format, "the rollback journal". */
static void write_journal(const char *catalogue, size_t pages, size_t page_size, const char *named)
{
    enum { HEADER = 512 };
    static const char magic[] = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
    char journal[HEADER + 4096] = "", path[4096];
    const size_t length = strlen(named), end = HEADER + 4 + length;
    size_t sum = 0;
    assert_true(end + 16 <= sizeof journal);
    memcpy(journal, magic, 8);
    put_number(journal + 16, pages);
    put_number(journal + 20, HEADER);
    put_number(journal + 24, page_size);
    memcpy(journal + HEADER + 4, named, length);
    for (size_t i = 0; i < length; i++)
        sum += (unsigned char)named[i];
    put_number(journal + end, length);
    put_number(journal + end + 4, sum);
    memcpy(journal + end + 8, magic, 8);
    assert_true(snprintf(path, sizeof path, "%s-journal", catalogue) < (int)sizeof path);
    write_file(path, journal, end + 16);
}

/* SQLite would read it, find no names of journals in it, and delete it. */
static void test_a_journal_has_no_other_file_deleted(void **state)
{
    size_t size;
    const char *path = fill_one("journalled");
    char *bytes = test_read(path, &size), other[4096];
    const size_t page_size = (size_t)((uint8_t)bytes[16] << 8 | (uint8_t)bytes[17]);
    (void)state;
    snprintf(other, sizeof other, "%s", test_path("precious"));
    write_file(other, "kept", 4);
    write_journal(path, size / page_size, page_size, other);
    assert_fails(F0T_ERROR_IO, "was opened for reading", try_open(path, F0T_CATALOGUE_READ));
    assert_fails(F0T_ERROR_FORMAT, "-journal is not a catalogue's: it names another file",
                 try_open(path, F0T_CATALOGUE_WRITE));
    assert_int_equal(access(other, F_OK), 0);
    assert_ok(try_open(path, F0T_CATALOGUE_WRITE)); /* SQLite has done away with the journal */
    assert_int_equal(access(other, F_OK), 0);
    f0t_free(bytes);
}

/* ---- Transactions ---------------------------------------------------------------------------------- */

static void test_begun_is_undone_unless_committed(void **state)
{
    const char *path;
    size_t count;
    (void)state;
    f0t_catalogue *c = create(&path, "begun");
    assert_fails(F0T_ERROR_ARGUMENT, "nothing was begun", f0t_catalogue_commit(c));
    assert_ok(f0t_catalogue_begin(c));
    assert_fails(F0T_ERROR_ARGUMENT, "twice", f0t_catalogue_begin(c));
    put(c, "/a.jpg");
    assert_ok(f0t_catalogue_set_model(c, "/m.f0t", 7));
    assert_ok(f0t_catalogue_rollback(c));
    assert_null(f0t_catalogue_model(c));
    assert_ok(f0t_catalogue_begin(c));
    put(c, "/b.jpg");
    assert_fails(F0T_ERROR_NOT_FOUND, "no picture 99",
                 f0t_catalogue_decide(c, 99, "dog", F0T_ACCEPTED, "me"));
    put(c, "/c.jpg"); /* a call that failed leaves the rest */
    assert_ok(f0t_catalogue_commit(c));
    assert_ok(f0t_catalogue_begin(c));
    put(c, "/d.jpg");
    f0t_catalogue_close(c);
    c = open_as(path, F0T_CATALOGUE_READ);
    assert_ok(f0t_catalogue_count(&count, c, NULL));
    assert_int_equal(count, 2);
    f0t_catalogue_close(c);
}

static void test_one_writes_while_others_read(void **state)
{
    const char *path;
    size_t count;
    (void)state;
    f0t_catalogue *a = create(&path, "shared"), *b = open_as(path, F0T_CATALOGUE_WRITE),
                  *r = open_as(path, F0T_CATALOGUE_READ);
    f0t_catalogue_record record = F0T_CATALOGUE_RECORD;
    record.picture.path = "/b.jpg";
    assert_ok(f0t_catalogue_begin(a));
    put(a, "/a.jpg");
    assert_fails(F0T_ERROR_IO, "another process", f0t_catalogue_put(NULL, b, &record));
    assert_ok(f0t_catalogue_count(&count, r, NULL));
    assert_int_equal(count, 0);
    assert_ok(f0t_catalogue_commit(a));
    assert_ok(f0t_catalogue_put(NULL, b, &record));
    assert_ok(f0t_catalogue_count(&count, r, NULL));
    assert_int_equal(count, 2);
    assert_fails(F0T_ERROR_IO, "opened for reading", f0t_catalogue_put(NULL, r, &record));
    f0t_catalogue_close(a);
    f0t_catalogue_close(b);
    f0t_catalogue_close(r);
}

/* Opens the file when the others do, a little later the larger `late` is. */
static void create_with_others(const char *path, const atomic_bool *go, unsigned late)
{
    f0t_catalogue *c;
    const f0t_catalogue_options options = {
        .size = sizeof options, .mode = F0T_CATALOGUE_CREATE, .wait = 10};
    while (!*go)
        sched_yield();
    usleep(late);
    const f0t_status status = f0t_catalogue_open(&c, path, &options);
    f0t_catalogue_close(c);
    _exit(status == F0T_OK ? 0 : 1);
}

/* SQLite does not wait for a process that changes to the write-ahead log: of 1,200 such processes 7 failed. */
static void test_several_make_one_file(void **state)
{
    enum { ROUNDS = 120, PROCESSES = 6, STEP = 300 }; /* microseconds */
    const char *path = test_path("together.f0t");
    atomic_bool *go =
        mmap(NULL, sizeof *go, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int failed = 0, status;
    (void)state;
    assert_true(go != MAP_FAILED);
    for (unsigned round = 0; round < ROUNDS; round++) {
        unlink(path);
        *go = false;
        for (unsigned k = 0; k < PROCESSES; k++)
            if (!fork())
                create_with_others(path, go, k * (round % 7) * STEP);
        *go = true;
        for (int k = 0; k < PROCESSES; k++)
            failed += wait(&status) < 0 || status != 0;
    }
    munmap(go, sizeof *go);
    assert_int_equal(failed, 0);
}

static void test_what_was_chosen_is_kept(void **state)
{
    const char *path;
    (void)state;
    f0t_catalogue *c = create(&path, "chosen");
    assert_null(f0t_catalogue_model(c));
    assert_null(f0t_catalogue_backbone(c));
    assert_int_equal(f0t_catalogue_model_fingerprint(c), 0);
    assert_ok(f0t_catalogue_set_model(c, "/m.f0t", UINT64_MAX));
    assert_ok(f0t_catalogue_set_model(c, "/moved.f0t", UINT64_MAX));
    assert_ok(f0t_catalogue_set_backbone(c, "{}"));
    f0t_catalogue_close(c);
    c = open_as(path, F0T_CATALOGUE_READ);
    assert_string_equal(f0t_catalogue_model(c), "/moved.f0t");
    assert_true(f0t_catalogue_model_fingerprint(c) == UINT64_MAX);
    assert_string_equal(f0t_catalogue_backbone(c), "{}");
    f0t_catalogue_close(c);
    c = open_as(path, F0T_CATALOGUE_WRITE);
    assert_ok(f0t_catalogue_set_model(c, NULL, 0));
    assert_null(f0t_catalogue_model(c));
    f0t_catalogue_close(c);
}

static void test_options_are_checked(void **state)
{
    f0t_catalogue *c;
    f0t_catalogue_options options = F0T_CATALOGUE_OPTIONS;
    (void)state;
    options.wait = -1;
    assert_fails(F0T_ERROR_ARGUMENT, "wait", f0t_catalogue_open(&c, "x", &options));
    options.wait = 1;
    options.mode = 9;
    assert_fails(F0T_ERROR_ARGUMENT, "f0t_catalogue_options: no mode 9",
                 f0t_catalogue_open(&c, "x", &options));
}

static f0t_status open_and_fill(void *context)
{
    f0t_catalogue *c;
    f0t_catalogue_options options = F0T_CATALOGUE_OPTIONS;
    f0t_catalogue_record record = F0T_CATALOGUE_RECORD;
    const float features[2] = {1, 2};
    record.picture.path = "/a.jpg";
    record.features = features;
    record.dim = 2;
    options.mode = F0T_CATALOGUE_CREATE;
    F0T_TRY(f0t_catalogue_open(&c, context, &options));
    f0t_status status = f0t_catalogue_set_backbone(c, "{}");
    if (status == F0T_OK)
        status = f0t_catalogue_put(NULL, c, &record);
    f0t_catalogue_close(c);
    return status == F0T_OK ? read_all(context) : status;
}

static void test_each_allocation_may_fail(void **state)
{
    char path[4096];
    (void)state;
    snprintf(path, sizeof path, "%s", test_path("faults"));
    test_each_fault(F0T_FAULT_ALLOC, open_and_fill, path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_made_is_the_users_alone_and_opens_again),
        cmocka_unit_test(test_the_default_is_in_the_users_data),
        cmocka_unit_test(test_other_files_are_refused_and_left_alone),
        cmocka_unit_test(test_changed_tables_are_refused),
        cmocka_unit_test(test_a_cut_file_is_refused),
        cmocka_unit_test(test_an_altered_file_does_no_harm),
        cmocka_unit_test(test_a_journal_has_no_other_file_deleted),
        cmocka_unit_test(test_begun_is_undone_unless_committed),
        cmocka_unit_test(test_one_writes_while_others_read),
        cmocka_unit_test(test_several_make_one_file),
        cmocka_unit_test(test_what_was_chosen_is_kept),
        cmocka_unit_test(test_options_are_checked),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
