/*
 * A catalogue of a stranger: pictures are listed and searched, decisions made and undone. An input that begins as SQLite's
 * files do is the file. Any other is a list of changes of a sound catalogue: what would take luck to be hit in its pages, a
 * value of any type and size in any column. SQLite itself keeps no value of another type out that is there already.
 */
#include "catalogue.h"
#include "fuzz.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Pages on which the text of each table lies whole. */
#define PAGE "1024"
enum { MARKS = 64, PATH_SIZE = 4096, CHANGES_MOST = 16 };

static char folder[PATH_SIZE], path[PATH_SIZE + 16], beside[PATH_SIZE + 32], words[PATH_SIZE + 16];
static f0t_model *model;

/* The sound one in memory, as one file, with spaces in place of the word STRICT: it is never committed to. */
static sqlite3 *soft;

/* Where that word stands in the file, and a comma after it. */
static struct {
    size_t at, length;
} marks[MARKS];
static size_t mark_count;
static const char mark[] = " STRICT,";

/* ---- What the fuzzer begins with -------------------------------------------------------------------- */

static void run(sqlite3 *db, const char *sql)
{
    char *why = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK) {
        fprintf(stderr, "%s: %s\n", sql, why);
        abort();
    }
}

static void blank_marks(unsigned char *file, size_t size)
{
    const size_t word = sizeof mark - 2;
    for (unsigned char *at; (at = memmem(file, size, mark, word)); mark_count++) {
        need(mark_count < MARKS);
        marks[mark_count].at = (size_t)(at - file);
        marks[mark_count].length = at[word] == ',' ? word + 1 : word;
        memset(at, ' ', marks[mark_count].length);
    }
}

static void put_marks(unsigned char *file)
{
    for (size_t i = 0; i < mark_count; i++)
        memcpy(file + marks[i].at, mark, marks[i].length);
}

static int count_tables(void *user, int count, char **values, char **names)
{
    (void)count, (void)names;
    *(size_t *)user = strtoul(values[0], NULL, 10);
    return 0;
}

/* Any type in any column: of a copy, by the ways that SQLite has from one to another. */
static void copy_soft(unsigned char *file, sqlite3_int64 size)
{
    sqlite3 *from;
    need(sqlite3_open(":memory:", &from) == SQLITE_OK &&
         sqlite3_open(":memory:", &soft) == SQLITE_OK);
    need(sqlite3_deserialize(from, "main", file, size, size, SQLITE_DESERIALIZE_FREEONCLOSE) ==
         SQLITE_OK);
    run(soft, "PRAGMA page_size = " PAGE);
    sqlite3_backup *copying = sqlite3_backup_init(soft, "main", from, "main");
    need(copying && sqlite3_backup_step(copying, -1) == SQLITE_DONE &&
         sqlite3_backup_finish(copying) == SQLITE_OK);
    run(soft, "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON");
    sqlite3_close(from);
}

/* One file, without the word STRICT. */
static void soften(void)
{
    sqlite3 *db;
    sqlite3_int64 size;
    size_t tables = 0;
    need(sqlite3_open(path, &db) == SQLITE_OK);
    run(db, "PRAGMA journal_mode = DELETE; PRAGMA page_size = " PAGE "; VACUUM;"
            "INSERT INTO writes(run, picture, how, before, at) VALUES (1, 1, 0, '5', 9)");
    need(sqlite3_exec(db, "SELECT count(*) FROM sqlite_schema WHERE sql LIKE '% STRICT%'",
                      count_tables, &tables, NULL) == SQLITE_OK);
    unsigned char *file = sqlite3_serialize(db, "main", &size, 0);
    need(file != NULL);
    sqlite3_close(db);
    blank_marks(file, (size_t)size);
    need(mark_count == tables);
    copy_soft(file, size);
}

static const char *const COLUMNS[][2] = {{"pictures", "id"},
                                         {"pictures", "path"},
                                         {"pictures", "state"},
                                         {"pictures", "error"},
                                         {"pictures", "bytes"},
                                         {"pictures", "mtime"},
                                         {"pictures", "hash"},
                                         {"pictures", "sidecars"},
                                         {"pictures", "taken"},
                                         {"pictures", "width"},
                                         {"pictures", "height"},
                                         {"thumbnails", "picture"},
                                         {"thumbnails", "jpeg"},
                                         {"backbones", "id"},
                                         {"backbones", "description"},
                                         {"models", "id"},
                                         {"models", "fingerprint"},
                                         {"models", "path"},
                                         {"chosen", "backbone"},
                                         {"chosen", "model"},
                                         {"chosen", "vectors"},
                                         {"chosen", "directions"},
                                         {"features", "picture"},
                                         {"features", "backbone"},
                                         {"features", "data"},
                                         {"directions", "picture"},
                                         {"directions", "model"},
                                         {"directions", "data"},
                                         {"tags", "id"},
                                         {"tags", "name"},
                                         {"keywords", "picture"},
                                         {"keywords", "tag"},
                                         {"keywords", "source"},
                                         {"keywords", "place"},
                                         {"suggestions", "picture"},
                                         {"suggestions", "tag"},
                                         {"suggestions", "confidence"},
                                         {"decisions", "picture"},
                                         {"decisions", "tag"},
                                         {"decisions", "decision"},
                                         {"decisions", "who"},
                                         {"decisions", "at"},
                                         {"decisions", "undone"},
                                         {"decisions", "current"},
                                         {"written", "picture"},
                                         {"written", "tag"},
                                         {"written", "at"},
                                         {"writes", "run"},
                                         {"writes", "picture"},
                                         {"writes", "how"},
                                         {"writes", "before"},
                                         {"writes", "at"}};
/* Statements, once they were needed: of one row, of all, without rows. */
enum { COLUMN_COUNT = sizeof COLUMNS / sizeof *COLUMNS, ONE = 0, ALL, NONE, FORMS };
static sqlite3_stmt *changes[COLUMN_COUNT][FORMS];

static void finish(void)
{
    const char *const files[] = {path, beside, words};
    char aside[PATH_SIZE + 32];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlink(files[i]);
    static const char *const ends[] = {"-wal", "-shm", "-journal"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(aside, sizeof aside, "%s%s", path, ends[i]);
        unlink(aside);
    }
    rmdir(folder);
    f0t_model_free(model);
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        for (size_t k = 0; k < FORMS; k++)
            sqlite3_finalize(changes[i][k]);
    sqlite3_close(soft);
}

static void start(void)
{
    make_folder(folder, sizeof folder);
    atexit(finish);
    snprintf(path, sizeof path, "%s/c.f0c", folder);
    snprintf(beside, sizeof beside, "%s.directions", path);
    snprintf(words, sizeof words, "%s/v.txt", folder);
    model = make_model(words);
    fill_catalogue(path, "/nowhere/m.f0t", 7);
    soften();
}

/* ---- The input as changes ---------------------------------------------------------------------------- */

typedef struct bytes {
    const uint8_t *at, *end;
} bytes;

static unsigned next(bytes *b)
{
    return b->at < b->end ? *b->at++ : 0;
}

/* A value: its kind, and for texts and blobs its length. */
static void bind(sqlite3_stmt *statement, int at, bytes *b)
{
    const unsigned kind = next(b) % 8;
    uint64_t number = 0;
    double real;
    size_t length = next(b);
    for (int i = 0; kind < 3 && i < 8; i++)
        number |= (uint64_t)next(b) << 8 * i;
    memcpy(&real, &number, sizeof real);
    if (length > (size_t)(b->end - b->at))
        length = (size_t)(b->end - b->at);
    if (kind == 0)
        sqlite3_bind_int64(statement, at, (sqlite3_int64)number);
    else if (kind == 1)
        sqlite3_bind_double(statement, at, real);
    else if (kind == 2)
        sqlite3_bind_int(statement, at, (int)(number % 8));
    else if (kind == 3)
        sqlite3_bind_null(statement, at);
    else if (kind == 4)
        sqlite3_bind_zeroblob(statement, at, (int)length * 64);
    else if (kind < 7)
        sqlite3_bind_text(statement, at, (const char *)b->at, (int)length, SQLITE_TRANSIENT);
    else
        sqlite3_bind_blob(statement, at, b->at, (int)length, SQLITE_TRANSIENT);
    b->at += kind > 4 ? length : 0;
}

static sqlite3_stmt *prepare(size_t column, unsigned form)
{
    static const char *const texts[] = {"UPDATE OR IGNORE %s SET %s = ?1 WHERE _rowid_ = ?2",
                                        "UPDATE OR IGNORE %s SET %s = ?1",
                                        "DELETE FROM %s /* and its %s */"};
    const char *const *c = COLUMNS[column];
    char sql[256];
    if (changes[column][form])
        return changes[column][form];
    snprintf(sql, sizeof sql, texts[form], c[0], c[1]);
    if (sqlite3_prepare_v2(soft, sql, -1, &changes[column][form], NULL) == SQLITE_OK)
        return changes[column][form];
    need(form == ONE); /* tables without row numbers change as a whole */
    return prepare(column, ALL);
}

/* The column of one row, or of all; or all rows go. */
static void change(bytes *b)
{
    const size_t column = next(b) % COLUMN_COUNT;
    const unsigned which = next(b);
    sqlite3_stmt *statement = prepare(column, which >= 248 ? NONE : which % 8 < 6 ? ONE : ALL);
    if (which < 248)
        bind(statement, 1, b);
    if (sqlite3_bind_parameter_count(statement) > 1)
        sqlite3_bind_int(statement, 2, (int)(which % 8));
    (void)sqlite3_step(statement);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
}

static void write_file(const void *data, size_t size)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    need(fd >= 0 && write(fd, data, size) == (ssize_t)size && close(fd) == 0);
}

static void write_changed(const uint8_t *data, size_t size)
{
    bytes b = {data, data + size};
    sqlite3_int64 length;
    run(soft, "BEGIN");
    for (size_t i = 0; b.at < b.end && i < CHANGES_MOST; i++)
        change(&b);
    unsigned char *file = sqlite3_serialize(soft, "main", &length, 0);
    need(file != NULL);
    run(soft, "ROLLBACK");
    put_marks(file);
    write_file(file, (size_t)length);
    sqlite3_free(file);
}

/* ---- What is done with it ---------------------------------------------------------------------------- */

static void look_at_one(f0t_catalogue *c, int64_t id)
{
    f0t_catalogue_tags *tags;
    const void *thumbnail;
    size_t size, dim;
    float numbers[8];
    volatile size_t sum = 0; /* kept by the compiler */
    if (f0t_catalogue_get_tags(&tags, c, id) == F0T_OK) {
        for (size_t i = 0; i < tags->count; i++)
            sum += strlen(tags->items[i].tag);
        f0t_catalogue_tags_free(tags);
    }
    if (f0t_catalogue_get_thumbnail(&thumbnail, &size, c, id) == F0T_OK)
        for (size_t i = 0; i < size; i++)
            sum += ((const uint8_t *)thumbnail)[i];
    if (f0t_catalogue_get_features(numbers, &dim, 8, c, id) == F0T_OK && dim > 8)
        abort();
    if (f0t_catalogue_get_direction(numbers, &dim, 8, c, id) == F0T_OK && dim > 8)
        abort();
    (void)sum;
}

static void list(f0t_catalogue *c, const f0t_catalogue_query *query)
{
    f0t_catalogue_pictures *pictures;
    size_t count;
    (void)f0t_catalogue_count(&count, c, query);
    if (f0t_catalogue_list(&pictures, c, query) != F0T_OK)
        return;
    for (size_t i = 0; i < pictures->count; i++)
        look_at_one(c, pictures->items[i].id);
    f0t_catalogue_pictures_free(pictures);
}

static void list_all(f0t_catalogue *c)
{
    f0t_catalogue_query q = F0T_CATALOGUE_QUERY;
    f0t_catalogue_words *found;
    f0t_dataset *dataset;
    q.all_states = true;
    list(c, &q);
    q = (f0t_catalogue_query)F0T_CATALOGUE_QUERY;
    q.order = F0T_ORDER_DATE;
    q.limit = 1;
    q.after = 2;
    q.undecided = true;
    list(c, &q);
    q.order = F0T_ORDER_PATH;
    q.tag = "sea";
    q.folder = "/nowhere";
    list(c, &q);
    if (f0t_catalogue_get_words(&found, c, NULL, 0) == F0T_OK)
        f0t_catalogue_words_free(found);
    if (f0t_catalogue_open_dataset(&dataset, c, NULL, NULL) == F0T_OK)
        f0t_dataset_close(dataset);
}

static void search(f0t_catalogue *c)
{
    static const char *const queries[] = {"red", "violet -blue", "tag:sea date:1970",
                                          "-is:untagged"};
    const f0t_finder_options options = {.size = sizeof options, .model = model, .vectors = words};
    f0t_find_options o = F0T_FIND_OPTIONS;
    f0t_finder *finder;
    f0t_find_results *found;
    f0t_query *query;
    if (f0t_finder_open(&finder, c, &options, NULL) != F0T_OK)
        return;
    for (size_t i = 0; i <= sizeof queries / sizeof *queries; i++) {
        const bool like = i == sizeof queries / sizeof *queries;
        need(f0t_query_parse(&query, queries[like ? 0 : i]) == F0T_OK);
        o.nearest = i == 1;
        o.like = like ? "/nowhere/p1.jpg" : NULL;
        if (f0t_finder_run(&found, finder, query, &o, NULL) == F0T_OK)
            f0t_find_results_free(found);
        f0t_query_free(query);
    }
    f0t_finder_close(finder);
}

static void decide(f0t_catalogue *c)
{
    f0t_catalogue_undone undone = {.size = sizeof undone};
    if (f0t_catalogue_begin(c) != F0T_OK) /* never committed: nothing waits for the disk */
        return;
    (void)f0t_catalogue_decide(c, 1, "sea", F0T_ACCEPTED, "bob");
    (void)f0t_catalogue_decide(c, 2, "red", F0T_UNDECIDED, "bob");
    for (size_t i = 0; i < 3; i++)
        if (f0t_catalogue_undo(&undone, c, NULL) == F0T_OK &&
            (undone.was > F0T_REJECTED || undone.is > F0T_REJECTED))
            abort();
    (void)f0t_catalogue_set_written(c, 1, (const char *const[]){"sea"}, 1);
}

static bool read_written(void *user, const f0t_catalogue_written *w)
{
    volatile size_t sum = strlen(w->path) + (w->change ? strlen(w->change) : 0); /* kept */
    (void)user, (void)sum;
    return true;
}

/* What would be written, and taken back: the files are nowhere. */
static void write_keywords(f0t_catalogue *c)
{
    f0t_catalogue_write_options o = F0T_CATALOGUE_WRITE_OPTIONS;
    o.dry_run = true;
    (void)f0t_catalogue_write(c, &o, read_written, NULL, NULL);
    o.undo = true;
    (void)f0t_catalogue_write(c, &o, read_written, NULL, NULL);
}

static void use(f0t_catalogue_mode mode, void (*how)(f0t_catalogue *))
{
    const f0t_catalogue_options options = {.size = sizeof options, .mode = mode};
    f0t_catalogue *c;
    if (f0t_catalogue_open(&c, path, &options) != F0T_OK)
        return;
    how(c);
    f0t_catalogue_close(c);
}

/* One of these for each input, which the last byte says: opening takes most of the time. */
static void use_somehow(const uint8_t *data, size_t size)
{
    static void (*const ways[])(f0t_catalogue *) = {list_all, search, decide, write_keywords};
    const unsigned how = size ? data[size - 1] % 4 : 0;
    use(how < 2 ? F0T_CATALOGUE_READ : F0T_CATALOGUE_WRITE, ways[how]);
}

static void check_start(void)
{
    f0t_catalogue *c;
    write_changed((const uint8_t *)"", 0);
    need(f0t_catalogue_open(&c, path, NULL) == F0T_OK);
    f0t_catalogue_close(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char begins[] = "SQLite format 3";
    if (!model) {
        start();
        check_start(); /* what nothing was changed of is sound */
    }
    unlink(beside);
    if (size >= sizeof begins && !memcmp(data, begins, sizeof begins))
        write_file(data, size);
    else
        write_changed(data, size);
    use_somehow(data, size);
    return 0;
}
