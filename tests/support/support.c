#include "support.h"

#include "corpus.h"

#include "base/context.h"

#include "base/random.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

void test_assert_ok(f0t_status got, const char *call, const char *file, int line)
{
    if (got == F0T_OK)
        return;
    print_error("%s gave %s: %s\n", call, f0t_status_name(got), f0t_last_error());
    _fail(file, line);
}

void test_assert_fails(f0t_status want, const char *text, f0t_status got, const char *call,
                       const char *file, int line)
{
    if (got == want && strstr(f0t_last_error(), text))
        return;
    print_error("%s gave %s: %s\n  wanted %s with \"%s\"\n", call, f0t_status_name(got),
                f0t_last_error(), f0t_status_name(want), text);
    _fail(file, line);
}

/* ---- Temporary files ----------------------------------------------------------------------------
 */

static char folder[256];
static bool folder_made;
static char *paths[4096];
static size_t path_count;

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *ftw)
{
    (void)info, (void)type, (void)ftw;
    return remove(path);
}

static void remove_all(void)
{
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    for (size_t i = 0; i < path_count; i++)
        free(paths[i]);
}

static char *keep(char *path)
{
    for (size_t i = 0; i < path_count; i++)
        if (!strcmp(paths[i], path)) {
            free(path);
            return paths[i];
        }
    if (path_count == sizeof paths / sizeof *paths)
        abort();
    return paths[path_count++] = path;
}

const char *test_path(const char *name)
{
    char *path = NULL;
    if (!folder_made) {
        const char *parent = getenv("TMPDIR");
        snprintf(folder, sizeof folder, "%s/f0t-test-XXXXXX", parent && *parent ? parent : "/tmp");
        if (!mkdtemp(folder) || atexit(remove_all))
            abort();
        folder_made = true;
    }
    if (asprintf(&path, "%s/%s", folder, name) < 0)
        abort();
    return keep(path);
}

const char *test_file(const char *name, const void *data, size_t size)
{
    const char *path = test_path(name);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file))
        abort();
    return path;
}

const char *test_text(const char *name, const char *text)
{
    return test_file(name, text, strlen(text));
}

const char *test_script(const char *name, const char *lines)
{
    char text[4096];
    assert_in_range(snprintf(text, sizeof text, "#!/bin/sh\n%s\n", lines), 0, sizeof text - 1);
    const char *path = test_text(name, text);
    assert_int_equal(chmod(path, 0755), 0);
    return path;
}

char *test_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *data = NULL;
    assert_ok(f0t_alloc(&data, *size + 1, 1));
    assert_int_equal(fread(data, 1, *size, file), *size);
    data[*size] = '\0';
    fclose(file);
    return data;
}

size_t test_files_left(void)
{
    size_t count = 0;
    (void)test_path(".");
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));)
        count += entry->d_name[0] != '.';
    closedir(dir);
    return count;
}

const char *test_source(const char *name)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s", F0T_TESTS_FOLDER, name) < 0)
        abort();
    return keep(path);
}

typedef struct wanted_input {
    const char *name, *path;
} wanted_input;

static void write_wanted(void *context, const char *name, const void *data, size_t size)
{
    wanted_input *wanted = context;
    if (strcmp(name, wanted->name) == 0)
        wanted->path = test_file(name, data, size);
}

const char *test_corpus(const char *target, const char *name)
{
    wanted_input wanted = {.name = name};
    char path[128];
    snprintf(path, sizeof path, "fuzz/%s.corpus", target);
    corpus_read(test_source(path), write_wanted, &wanted);
    assert_non_null(wanted.path);
    return wanted.path;
}

void test_skip(const char *format, ...)
{
    char reason[512];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    print_message("skipped: %s\n", reason);
    skip();
    abort();
}

const char *test_data(const char *name)
{
    const char *data = getenv("F0T_DATA");
    char *path = NULL;
    if (!data || !*data)
        test_skip("F0T_DATA is not set");
    if (asprintf(&path, "%s/%s", data, name) < 0)
        abort();
    return keep(path);
}

void test_python(const char *module, const char *script, const char *verb, const char *where)
{
    const char *python = access("/usr/bin/python3", X_OK) == 0 ? "/usr/bin/python3" : "python3";
    char *command = NULL;
    if (asprintf(&command, "%s -c 'import %s' 2>/dev/null", python, module ? module : "sys") < 0)
        abort();
    int missing = system(command);
    free(command);
    if (missing)
        test_skip("no python3%s%s here", module ? " with " : "", module ? module : "");
    if (asprintf(&command, "%s -B '%s/python/%s' %s '%s'", python, F0T_TESTS_FOLDER, script, verb,
                 where) < 0)
        abort();
    int failed = system(command);
    free(command);
    assert_int_equal(failed, 0);
}

void test_onnxruntime(const char *model, const char *pixels, const char *result, const char *dims)
{
    enum { MISSING = 77 };
    const char *node = getenv("F0T_NODE");
    char *command = NULL;
    if (asprintf(&command,
                 "command -v node >/dev/null || exit %d; "
                 "node '%s/support/onnxruntime.mjs' '%s%s' '%s' '%s' '%s' %s",
                 MISSING, F0T_TESTS_FOLDER, node ? node : F0T_TESTS_FOLDER,
                 node ? "" : "/../bench/serve-node", model, pixels, result, dims) < 0)
        abort();
    int status = system(command);
    free(command);
    if (WIFEXITED(status) && WEXITSTATUS(status) == MISSING)
        test_skip("no node with onnxruntime-node here: "
                  "scripts/deps-npm bench/serve-node installs it");
    assert_int_equal(status, 0);
}

/* ---- Faults and hostile input -------------------------------------------------------------- */

/* The last message stays until the next one: a failure that says nothing would show an old one. */
static const char stale[] = "no call has failed since";

static void forget_message(void)
{
    f0t_fail(F0T_ERROR_INTERNAL, "%s", stale);
}

static bool has_message(void)
{
    return f0t_last_error()[0] && strcmp(f0t_last_error(), stale) != 0;
}

bool test_exhaustive(void)
{
    return getenv("F0T_TEST_ALL") != NULL;
}

/* The place after `n`, which is one of the first `dense` or every 7th after them. */
static size_t next_place(size_t n, size_t dense)
{
    return n < dense || test_exhaustive() ? n + 1 : n + 7;
}

/* Returns whether the run came as far as the fault. */
static bool run_with_fault(f0t_fault kind, uint64_t nth, test_run run, void *context)
{
    const f0t_status want = kind == F0T_FAULT_ALLOC ? F0T_ERROR_MEMORY : F0T_ERROR_IO;
    forget_message();
    f0t_fault_set(kind, nth);
    const f0t_status status = run(context);
    const bool reached = f0t_fault_count(kind) >= nth;
    f0t_fault_set(kind, 0);
    if (status != (reached ? want : F0T_OK) || (reached && !has_message())) {
        print_error("with a fault at place %llu (F0T_TEST_FAULT=%llu tries it alone): %s: %s\n",
                    (unsigned long long)nth, (unsigned long long)nth, f0t_status_name(status),
                    f0t_last_error());
        fail();
    }
    return reached;
}

void test_each_fault(f0t_fault kind, test_run run, void *context)
{
    const char *place = getenv("F0T_TEST_FAULT");
    uint64_t nth = 1;
    if (place) {
        run_with_fault(kind, strtoull(place, NULL, 10), run, context);
        return;
    }
    while (run_with_fault(kind, nth, run, context))
        nth = next_place(nth, 64);
    assert_true(nth > 1);
}

/* A copy of exactly `size` bytes, so that the address sanitizer sees a read past it. */
static f0t_status load_copy(const void *data, size_t size, test_load load)
{
    void *copy = malloc(size ? size : 1);
    if (!copy)
        abort();
    memcpy(copy, data, size);
    forget_message();
    f0t_status status = load(copy, size);
    free(copy);
    return status;
}

void test_cut_everywhere(const void *data, size_t size, test_load load, bool (*cut_ok)(size_t size))
{
    for (size_t n = 0; n < size; n = next_place(n, 512)) {
        f0t_status status = load_copy(data, n, load);
        if (status == F0T_OK && !(cut_ok && cut_ok(n))) {
            print_error("cut to %zu of %zu bytes was accepted\n", n, size);
            fail();
        }
        assert_true(status == F0T_OK || has_message());
    }
}

void test_alter_everywhere(const void *data, size_t size, test_load load)
{
    unsigned char *copy = malloc(size ? size : 1);
    if (!copy)
        abort();
    memcpy(copy, data, size);
    for (size_t i = 0; i < size; i++) {
        unsigned char old = copy[i];
        const unsigned char values[] = {0,
                                        0xFF,
                                        (unsigned char)(old + 1),
                                        (unsigned char)(old - 1),
                                        (unsigned char)(old ^ 0x80),
                                        (unsigned char)(old ^ 0x10)};
        const size_t first = test_exhaustive() ? 0 : i % sizeof values;
        const size_t end = test_exhaustive() ? sizeof values : first + 1;
        for (size_t k = first; k < end; k++) {
            copy[i] = values[k];
            f0t_status status = load_copy(copy, size, load);
            assert_true(status == F0T_OK || has_message());
        }
        copy[i] = old;
    }
    free(copy);
}

void test_threads(int count)
{
    static _Thread_local f0t_context context;
    static const f0t_context *const none;
    context = (f0t_context){.threads = count};
    if (count)
        f0t_context_enter(&context);
    else
        f0t_context_leave(&none);
}

void test_random_floats(float *out, size_t n, uint64_t seed)
{
    f0t_random random = {seed, 0};
    for (size_t i = 0; i < n; i++)
        out[i] = (float)(2 * f0t_random_uniform(&random, i) - 1);
}
