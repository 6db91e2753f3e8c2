/*
 * A picture is its content: random histories of two folders, with indexing, decisions and writing between. The tag of picture
 * 12 is tag0012, and its person's keyword per0012; whatever its file is called, neither is ever another picture's, and no
 * tag is lost whose picture is still there. F0T_SEED=N runs history N alone; F0T_TEST_ALL=1 runs many more.
 */
#include "../image/pictures.h"
#include "fresh.h"

#include "base/fault.h"
#include "catalogue/index.h"
#include "catalogue/scan.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>

enum { NAMES = 6, PATHS = 2 * NAMES, PICTURES = 512, SIDE = 32, STEPS = 60 };
enum { HISTORIES = 4, HISTORIES_ALL = 60 };
enum { NOWHERE = -1, SEED_FIRST = 1 };

/* One picture, from its first file on. */
typedef struct picture {
    int visual;            /* what it shows; copies show the same */
    int variant;           /* how often it was edited */
    bool decided;          /* a person has accepted its tag */
    bool copied;           /* no one can tell it from its copy */
    bool stripped;         /* another program may have thrown its metadata away */
    int seen_path;         /* where the catalogue saw it last, */
    uint64_t seen_content; /* and with what content */
} picture;

static f0t_catalogue *c;
static f0t_indexer *indexer; /* goes on from run to run, as that of --watch does */
static char root[4096];
static picture pictures[PICTURES];
static int picture_count, at[PATHS]; /* number of the picture at each path, or NOWHERE */
static uint64_t state_of_random;
static uint64_t allocations; /* of the last whole index */

/* What happens, where one history is run alone. */
static void trace(const char *what, int p, int q)
{
    if (getenv("F0T_SEED"))
        fprintf(stderr, "%s %d %d\n", what, p, q);
}

static int draw(int below)
{
    state_of_random = state_of_random * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (int)((state_of_random >> 33) % (unsigned)below);
}

static const char *path_of(int p, const char *ending)
{
    static char paths[4][4300];
    static int next;
    char *to = paths[next++ % 4];
    snprintf(to, sizeof paths[0], "%s/%c/n%d.png%s", root, p < NAMES ? 'a' : 'b', p % NAMES,
             ending);
    return to;
}

/* ---- Files ----------------------------------------------------------------------------------------- */

static size_t add_text_chunk(uint8_t *file, size_t end, const picture *p)
{
    char text[600];
    const int length = snprintf(
        text, sizeof text,
        "XML:com.adobe.xmp%c%c%c%c%c<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF "
        "xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\"><rdf:Description "
        "rdf:about=\"\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><dc:subject><rdf:Bag><rdf:li>"
        "per%04d</rdf:li></rdf:Bag></dc:subject></rdf:Description></rdf:RDF></x:xmpmeta>",
        0, 0, 0, 0, 0, p->visual);
    end = png_chunk(file, end, "iTXt", text, (size_t)length);
    snprintf(text, sizeof text, "Comment%cvariant %04d", 0, p->variant);
    return png_chunk(file, end, "tEXt", text, 20);
}

/* All files have one size, and all of them may have one time. */
static void write_file(int p)
{
    static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    static uint8_t file[8192], lines[SIDE * (SIDE + 1)], packed[4096];
    const picture *is = &pictures[at[p]];
    const int tone = 10 - is->variant % 3;
    uint8_t blocks[64], header[13] = {0};
    float values[64];
    uLongf size = sizeof packed;
    test_random_floats(values, 64, (uint64_t)is->visual + 1000);
    for (size_t i = 0; i < 64; i++)
        blocks[i] = (uint8_t)((int)(127.5F + 60 * fmaxf(fminf(values[i], 2), -2)) * tone / 10);
    memset(lines, 0, sizeof lines);
    for (size_t y = 0; y < SIDE; y++)
        for (size_t x = 0; x < SIDE; x++)
            lines[y * (SIDE + 1) + 1 + x] = blocks[y / 4 * 8 + x / 4];
    assert_int_equal(compress2(packed, &size, lines, sizeof lines, 0), Z_OK);
    png_number(header, SIDE);
    png_number(header + 4, SIDE);
    header[8] = 8;
    memcpy(file, signature, 8);
    size_t end = png_chunk(file, 8, "IHDR", header, sizeof header);
    end = add_text_chunk(file, end, is);
    end = png_chunk(file, end, "IDAT", packed, size);
    end = png_chunk(file, end, "IEND", NULL, 0);
    FILE *to = fopen(path_of(p, ""), "wb");
    assert_non_null(to);
    assert_int_equal(fwrite(file, 1, end, to), end);
    assert_int_equal(fclose(to), 0);
    const struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    if (draw(2))
        assert_int_equal(utimensat(AT_FDCWD, path_of(p, ""), times, 0), 0);
}

static void rename_if_there(const char *from, const char *to)
{
    assert_true(rename(from, to) == 0 || errno == ENOENT);
}

/* Where `along` is set the sidecar comes, too; in its place there is none then. */
static void move_file(const char *from, const char *to, bool along)
{
    char sidecar[2][4400];
    snprintf(sidecar[0], sizeof sidecar[0], "%s.xmp", from);
    snprintf(sidecar[1], sizeof sidecar[1], "%s.xmp", to);
    assert_int_equal(rename(from, to), 0);
    if (along)
        rename_if_there(sidecar[0], sidecar[1]);
}

static void copy_file(const char *from, const char *to)
{
    char command[9000];
    snprintf(command, sizeof command, "cp -p '%s' '%s'", from, to);
    assert_int_equal(system(command), 0);
}

/* ---- What people do -------------------------------------------------------------------------------- */

static int some_file(void)
{
    for (int i = 0, p = draw(PATHS); i < PATHS; i++, p = (p + 1) % PATHS)
        if (at[p] != NOWHERE)
            return p;
    return NOWHERE;
}

static int new_picture(int visual)
{
    assert_true(picture_count < PICTURES);
    pictures[picture_count] = (picture){.visual = visual, .seen_path = NOWHERE};
    return picture_count++;
}

/* A new picture, in the place of another perhaps, whose sidecar stays. */
static void add(void)
{
    const int p = draw(PATHS);
    at[p] = new_picture(picture_count);
    trace("add at, picture", p, at[p]);
    write_file(p);
}

static void delete (int p)
{
    const bool along = draw(2);
    trace("delete, with sidecar", p, along);
    assert_int_equal(unlink(path_of(p, "")), 0);
    if (along)
        unlink(path_of(p, ".xmp"));
    at[p] = NOWHERE;
}

static void move_to(int from, int to, bool along)
{
    if (from == to)
        return;
    trace(along ? "move with sidecar" : "move", from, to);
    move_file(path_of(from, ""), path_of(to, ""), along);
    at[to] = at[from];
    at[from] = NOWHERE;
}

/* The files at these paths change places in a circle. */
static void turn(const int *paths, int count, bool along)
{
    char aside[4300];
    const int first = at[paths[0]];
    for (int i = 0; i < count; i++)
        if (at[paths[i]] == NOWHERE)
            return;
    trace(along ? "turn with sidecars" : "turn", paths[0], count);
    snprintf(aside, sizeof aside, "%s/a/.aside", root);
    move_file(path_of(paths[0], ""), aside, along);
    at[paths[0]] = NOWHERE;
    for (int i = 1; i < count; i++)
        move_to(paths[i], paths[i - 1], along);
    move_file(aside, path_of(paths[count - 1], ""), along);
    at[paths[count - 1]] = first;
}

static void swap_or_turn(void)
{
    const int start = draw(PATHS), step = 1 + draw(3);
    const int paths[3] = {start, (start + step) % PATHS, (start + 2 * step) % PATHS};
    const int count = 2 + draw(2);
    turn(paths, count, draw(2));
}

/* The names of a folder close up behind one that is deleted. */
static void close_up(void)
{
    const int first = draw(2) * NAMES;
    const bool along = draw(2);
    if (at[first] != NOWHERE)
        delete (first);
    for (int p = first + 1; p < first + NAMES; p++)
        if (at[p] != NOWHERE)
            move_to(p, p - 1, along);
}

static void copy(int from)
{
    const int to = draw(PATHS);
    if (from == to)
        return;
    const bool along = draw(2) && access(path_of(from, ".xmp"), F_OK) == 0;
    trace(along ? "copy with sidecar" : "copy", from, to);
    copy_file(path_of(from, ""), path_of(to, ""));
    if (along)
        copy_file(path_of(from, ".xmp"), path_of(to, ".xmp"));
    const int made = new_picture(pictures[at[from]].visual);
    pictures[made].variant = pictures[at[from]].variant;
    pictures[made].copied = pictures[at[from]].copied = true;
    pictures[made].stripped = pictures[at[from]].stripped;
    at[to] = made;
}

static void edit(int p)
{
    static int variants;
    trace("edit", p, at[p]);
    pictures[at[p]].variant = ++variants;
    pictures[at[p]].stripped = true;
    write_file(p);
}

static void change_files(void)
{
    const int p = some_file(), what = draw(10);
    if (p == NOWHERE || what < 2)
        add();
    else if (what == 2)
        delete (p);
    else if (what < 5)
        move_to(p, draw(PATHS), draw(2));
    else if (what < 7)
        swap_or_turn();
    else if (what == 7)
        close_up();
    else if (what == 8)
        copy(p);
    else
        edit(p);
}

/* ---- What the catalogue has seen -------------------------------------------------------------------- */

static uint64_t content_of(int p)
{
    uint64_t hash;
    assert_ok(f0t_file_hash(&hash, path_of(p, "")));
    return hash;
}

/* Another picture was seen at this path. */
static void forget_path(int p)
{
    for (int i = 0; i < picture_count; i++)
        if (pictures[i].seen_path == p && at[p] != i)
            pictures[i].seen_path = NOWHERE;
}

/* Whether no index can know that this is the picture it saw: moved and edited, or one of several copies. */
static bool is_lost(int p)
{
    const picture *is = &pictures[at[p]];
    return is->copied || (is->seen_path != p && is->seen_content != content_of(p));
}

static int number_in(const char *text, const char *prefix)
{
    const size_t length = strlen(prefix);
    return strncmp(text, prefix, length) == 0 ? atoi(text + length) : NOWHERE;
}

/* Number of the path; NOWHERE where it is none of ours. */
static int find_path(const char *path)
{
    for (int p = 0; p < PATHS; p++)
        if (strcmp(path, path_of(p, "")) == 0)
            return p;
    return NOWHERE;
}

/* No tag and no keyword is another picture's; *tagged: whether it has its own. */
static void check_tags(int64_t id, int p, bool *tagged)
{
    f0t_catalogue_tags *tags;
    assert_ok(f0t_catalogue_get_tags(&tags, c, id));
    for (size_t i = 0; i < tags->count; i++) {
        const f0t_catalogue_tag *t = &tags->items[i];
        const int decided = number_in(t->tag, "tag"), given = number_in(t->tag, "per");
        const int visual = pictures[at[p]].visual;
        if (t->decision == F0T_ACCEPTED && decided != visual)
            fail_msg("%s: %s was decided for another picture, not %d", path_of(p, ""), t->tag,
                     visual);
        if (t->source != F0T_KEYWORD_NONE && given != NOWHERE && given != visual)
            fail_msg("%s: %s is a keyword of another picture, not %d", path_of(p, ""), t->tag,
                     visual);
        *tagged |= t->decision == F0T_ACCEPTED;
    }
    f0t_catalogue_tags_free(tags);
}

/* What the catalogue says of the files of these paths, which it has just seen. */
static void check_catalogue(int first, int end, bool *tagged)
{
    f0t_catalogue_pictures *list;
    f0t_catalogue_query query = F0T_CATALOGUE_QUERY;
    int files = 0, known = 0;
    query.limit = 0;
    assert_ok(f0t_catalogue_list(&list, c, &query));
    for (int p = first; p < end; p++)
        files += at[p] != NOWHERE;
    for (size_t i = 0; i < list->count; i++) {
        const int p = find_path(list->items[i].path);
        if (p < first || p >= end)
            continue;
        if (at[p] == NOWHERE)
            fail_msg("%s: is not there", list->items[i].path);
        known++;
        check_tags(list->items[i].id, p, &tagged[pictures[at[p]].visual]);
    }
    assert_int_equal(known, files);
    f0t_catalogue_pictures_free(list);
}

/* All that can be known of the files of these paths is known. */
static void check_kept(int first, int end, const bool *tagged)
{
    for (int p = first; p < end; p++) {
        picture *is = at[p] == NOWHERE ? NULL : &pictures[at[p]];
        if (is && is->decided && !tagged[is->visual] && !is_lost(p))
            fail_msg("%s: what was decided of picture %d is lost", path_of(p, ""), is->visual);
        if (is && !tagged[is->visual])
            is->decided = false;
    }
}

static void note_seen(int first, int end)
{
    for (int p = first; p < end; p++) {
        forget_path(p);
        if (at[p] == NOWHERE)
            continue;
        pictures[at[p]].seen_path = p;
        pictures[at[p]].seen_content = content_of(p);
    }
}

static void open_indexer(void)
{
    const f0t_index_options options = F0T_INDEX_OPTIONS;
    assert_ok(f0t_indexer_open(&indexer, c, &options, true, NULL));
}

static f0t_status run_index(const char *const *paths, size_t count)
{
    f0t_index_report report;
    return f0t_indexer_run(&report, indexer, paths, count);
}

static f0t_status run_index_all(void)
{
    const char *const paths[] = {root};
    return run_index(paths, 1);
}

static void index_all(void)
{
    static bool tagged[PICTURES];
    trace("index", 0, 0);
    memset(tagged, 0, sizeof tagged);
    f0t_fault_set(F0T_FAULT_ALLOC, UINT64_MAX);
    assert_ok(run_index_all());
    allocations = f0t_fault_count(F0T_FAULT_ALLOC);
    f0t_fault_set(F0T_FAULT_ALLOC, 0);
    check_catalogue(0, PATHS, tagged);
    check_kept(0, PATHS, tagged);
    note_seen(0, PATHS);
}

/* The files at some paths: those of a folder, or a file alone. */
static void index_some(void)
{
    static bool tagged[PICTURES];
    const int file = draw(2) ? some_file() : NOWHERE, folder = draw(2);
    const int first = file == NOWHERE ? folder * NAMES : file;
    const int end = file == NOWHERE ? first + NAMES : file + 1;
    char name[4200];
    const char *paths[] = {name};
    snprintf(name, sizeof name, "%s/%c", root, 'a' + folder);
    if (file != NOWHERE)
        paths[0] = path_of(file, "");
    trace("index some", first, end);
    memset(tagged, 0, sizeof tagged);
    assert_ok(run_index(paths, 1));
    check_catalogue(first, end, tagged);
    check_kept(first, end, tagged);
    note_seen(first, end);
}

/* It got anywhere. */
static void index_interrupted(void)
{
    const int fault = 1 + draw((int)allocations + 1);
    f0t_fault_set(F0T_FAULT_ALLOC, (uint64_t)fault);
    const f0t_status status = run_index_all();
    trace("interrupted index, status", fault, (int)status);
    f0t_fault_set(F0T_FAULT_ALLOC, 0);
    f0t_indexer_close(indexer);
    open_indexer();
    for (int p = 0; p < PATHS; p++) {
        forget_path(p);
        if (at[p] != NOWHERE && pictures[at[p]].seen_path != p)
            pictures[at[p]].seen_path = NOWHERE;
    }
}

/* ---- Tags ------------------------------------------------------------------------------------------- */

static void decide_at(int p)
{
    f0t_catalogue_pictures *one;
    char tag[16];
    assert_ok(f0t_catalogue_find_path(&one, c, path_of(p, "")));
    snprintf(tag, sizeof tag, "tag%04d", pictures[at[p]].visual);
    trace("decide", p, at[p]);
    assert_ok(f0t_catalogue_decide(c, one->items->id, tag, F0T_ACCEPTED, "me"));
    f0t_catalogue_pictures_free(one);
    pictures[at[p]].decided = true;
}

static void decide(void)
{
    const int p = some_file();
    if (p != NOWHERE)
        decide_at(p);
}

/* Whether the file has the tag of the picture at its path; *strange: a tag of another one, or NOWHERE. */
static bool find_tags(int *strange, int p, const char *ending)
{
    const char *path = path_of(p, ending);
    const int visual = pictures[at[p]].visual;
    bool own = false;
    size_t size;
    *strange = NOWHERE;
    if (access(path, F_OK) != 0)
        return false;
    char *text = test_read(path, &size);
    for (size_t i = 0; i + 7 <= size; i++) {
        int number;
        if (memcmp(text + i, "tag", 3) != 0 || sscanf(text + i, "tag%4d", &number) != 1)
            continue;
        if (number == visual)
            own = true;
        else
            *strange = number;
    }
    f0t_free(text);
    return own;
}

static void check_written(int p)
{
    int beside, inside;
    const bool written_beside = find_tags(&beside, p, ".xmp");
    const bool written = find_tags(&inside, p, "") || written_beside;
    const picture *is = &pictures[at[p]];
    if (beside != NOWHERE || inside != NOWHERE)
        fail_msg("%s: tag%04d was written for another picture, not %d", path_of(p, ""),
                 beside != NOWHERE ? beside : inside, is->visual);
    if (is->decided && !is->copied && !is->stripped && !written)
        fail_msg("%s: the tag of picture %d was not written", path_of(p, ""), is->visual);
}

/* `current`: the catalogue has just seen all files. Otherwise no tag comes to a wrong place, where it is not already. */
static void write_tags(bool current)
{
    f0t_catalogue_write_options options = F0T_CATALOGUE_WRITE_OPTIONS;
    int before[PATHS], after, inside;
    uint64_t content[PATHS] = {0};
    options.embed = draw(4) == 0;
    options.all = draw(4) == 0;
    trace("write, embed", current, options.embed);
    for (int p = 0; p < PATHS; p++)
        if (at[p] != NOWHERE) {
            find_tags(&before[p], p, ".xmp");
            content[p] = content_of(p);
        }
    assert_ok(f0t_catalogue_write(c, &options, NULL, NULL, NULL));
    for (int p = 0; p < PATHS; p++) {
        if (at[p] == NOWHERE)
            continue;
        picture *is = &pictures[at[p]];
        find_tags(&after, p, ".xmp");
        find_tags(&inside, p, "");
        if (current)
            check_written(p);
        else if (inside != NOWHERE || (after != before[p] && after != NOWHERE))
            fail_msg("%s: another picture's tag was written", path_of(p, ""));
        if (is->seen_content == content[p])
            is->seen_content = content_of(p);
    }
}

/* ---- Histories -------------------------------------------------------------------------------------- */

static void step(void)
{
    const int what = draw(10);
    for (int i = draw(4); i >= 0; i--)
        change_files();
    if (what == 0) {
        index_interrupted();
    } else if (what == 1) {
        index_some();
    } else if (what == 2) {
        write_tags(false);
    } else {
        index_all();
        decide();
        decide();
        if (what < 6)
            write_tags(true);
    }
}

static void begin(const char *name)
{
    snprintf(root, sizeof root, "%s", test_path(name));
    mkdir(root, 0700);
    char *real = realpath(root, NULL);
    snprintf(root, sizeof root, "%s", real);
    free(real);
    for (int i = 0; i < 2; i++) {
        char folder[4200];
        snprintf(folder, sizeof folder, "%s/%c", root, 'a' + i);
        assert_int_equal(mkdir(folder, 0700), 0);
    }
    picture_count = 0;
    allocations = 1000;
    for (int p = 0; p < PATHS; p++)
        at[p] = NOWHERE;
    c = fresh_catalogue("histories.f0t");
    open_indexer();
}

static void end(void)
{
    f0t_indexer_close(indexer);
    f0t_catalogue_close(c);
}

static void run_history(uint64_t seed)
{
    char name[64];
    snprintf(name, sizeof name, "history%llu", (unsigned long long)seed);
    begin(name);
    state_of_random = seed;
    for (int i = 0; i < STEPS && picture_count < PICTURES - 20; i++)
        step();
    end();
}

static void pictures_keep_their_tags(void **state)
{
    const char *one = getenv("F0T_SEED");
    const int count = test_exhaustive() ? HISTORIES_ALL : HISTORIES;
    (void)state;
    for (uint64_t seed = SEED_FIRST; seed < SEED_FIRST + (uint64_t)count; seed++) {
        const uint64_t run = one ? strtoull(one, NULL, 10) : seed;
        fprintf(stderr, "F0T_SEED=%llu\n", (unsigned long long)run);
        run_history(run);
        if (one)
            break;
    }
}

/* A tagged picture at every path, with a sidecar. */
static void fill_paths(void)
{
    for (int p = 0; p < PATHS; p++) {
        at[p] = new_picture(picture_count);
        write_file(p);
    }
    index_all();
    for (int p = 0; p < PATHS; p++)
        decide_at(p);
    assert_ok(f0t_catalogue_write(c, NULL, NULL, NULL, NULL));
}

static void sidecars_written_at_once_have_stamps_of_their_own(void **state)
{
    uint64_t stamps[PATHS];
    (void)state;
    begin("stamps");
    fill_paths();
    for (int p = 0; p < PATHS; p++) {
        assert_ok(f0t_sidecars_stamp(&stamps[p], path_of(p, "")));
        for (int q = 0; q < p; q++)
            assert_int_not_equal(stamps[p], stamps[q]);
    }
    end();
}

/* As a disk has it that keeps times in seconds. */
static void sidecars_of_one_time_are_not_mistaken(void **state)
{
    const struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    const int circle[] = {0, 1, 2};
    (void)state;
    begin("times");
    fill_paths();
    for (int along = 1; along >= 0; along--) {
        for (int p = 0; p < PATHS; p++)
            assert_int_equal(utimensat(AT_FDCWD, path_of(p, ".xmp"), times, 0), 0);
        index_all();
        turn(circle, 3, along);
        index_all();
        assert_ok(f0t_catalogue_write(c, NULL, NULL, NULL, NULL));
        for (int p = 0; p < PATHS; p++)
            check_written(p);
    }
    end();
}

static void an_indexer_goes_on_after_a_run_that_failed(void **state)
{
    (void)state;
    begin("failed");
    fill_paths();
    for (uint64_t nth = 1; nth <= 8; nth++) {
        f0t_fault_set(F0T_FAULT_ALLOC, nth);
        assert_fails(F0T_ERROR_MEMORY, "memory", run_index_all());
        f0t_fault_set(F0T_FAULT_ALLOC, 0);
        at[0] = new_picture(picture_count);
        write_file(0);
        index_all();
    }
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_indexer_goes_on_after_a_run_that_failed),
        cmocka_unit_test(sidecars_written_at_once_have_stamps_of_their_own),
        cmocka_unit_test(sidecars_of_one_time_are_not_mistaken),
        cmocka_unit_test(pictures_keep_their_tags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
