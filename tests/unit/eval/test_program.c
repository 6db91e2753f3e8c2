/* Programs of somebody else's: what they may do wrong, and that nothing of them stays. */
#include "support.h"

#include "eval/program.h"
#include "io/file.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *folder(void)
{
    const char *path = test_path("folder");
    assert_ok(f0t_folder_create(path));
    return path;
}

static f0t_status run(const char *lines, size_t timeout)
{
    return f0t_program_run(test_script("program", lines), folder(), timeout, NULL);
}

/* What a file in the folder says, up to its first line end. */
static const char *line_of(const char *name)
{
    static char line[256];
    char path[256];
    snprintf(path, sizeof path, "folder/%s", name);
    size_t size;
    char *text = test_read(test_path(path), &size);
    snprintf(line, sizeof line, "%.*s", (int)strcspn(text, "\n"), text);
    f0t_free(text);
    return line;
}

/* Neither gone nor only waiting to be collected. */
static bool is_running(long pid)
{
    char path[64], state = 0;
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    const int found = fscanf(file, "%*d (%*[^)]) %c", &state);
    fclose(file);
    return found == 1 && state != 'Z' && state != 'X';
}

static void it_gets_the_folder_no_input_and_a_file_for_what_it_prints(void **state)
{
    (void)state;
    assert_ok(run("read line; echo \"$? $#\" >\"$1/seen\"; echo out; echo err >&2", 60));
    assert_string_equal(line_of("seen"), "1 1");
    size_t size;
    char *printed = test_read(test_path("folder/printed.txt"), &size);
    assert_string_equal(printed, "out\nerr\n");
    f0t_free(printed);
}

static void another_status_than_0_comes_with_the_last_line(void **state)
{
    (void)state;
    assert_fails(F0T_ERROR_IO, "program: exited with 3: no idea",
                 run("echo working; echo 'no idea' >&2; echo; exit 3", 60));
    assert_fails(F0T_ERROR_IO, "program: exited with 1", run("exit 1", 60));
    assert_null(strstr(f0t_last_error(), "with 1:"));
    assert_fails(F0T_ERROR_IO, "program: killed by signal 9: so far",
                 run("echo so far; kill -9 $$", 60));
}

/* A message is one line of plain text, whatever was printed. */
static void what_it_prints_cannot_forge_lines(void **state)
{
    (void)state;
    assert_fails(F0T_ERROR_IO, "exited with 1",
                 run("printf '\\033[2Jred\\rgone\\001'; exit 1", 60));
    for (const char *c = f0t_last_error(); *c; c++)
        assert_true((unsigned char)*c >= ' ' && *c != 127);
    assert_fails(F0T_ERROR_IO, "exited with 1: xxx",
                 run("head -c 5000 /dev/zero | tr '\\0' x; exit 1", 60));
    assert_true(strlen(f0t_last_error()) < 400);
    assert_fails(F0T_ERROR_IO, "exited with 1", /* more than is read */
                 run("head -c 3000000 /dev/zero | tr '\\0' x; exit 1", 60));
    assert_true(strlen(f0t_last_error()) < 400);
}

static void what_is_no_program_cannot_be_started(void **state)
{
    const char *text = test_text("text", "no program\n");
    (void)state;
    assert_fails(F0T_ERROR_IO, "cannot be started",
                 f0t_program_run(test_path("nowhere"), folder(), 60, NULL));
    assert_fails(F0T_ERROR_IO, "cannot be started", f0t_program_run(text, folder(), 60, NULL));
    assert_int_equal(chmod(text, 0755), 0);
    assert_fails(F0T_ERROR_IO, "cannot be started", f0t_program_run(text, folder(), 60, NULL));
    assert_fails(F0T_ERROR_IO, "cannot be started", f0t_program_run(folder(), folder(), 60, NULL));
    assert_fails(F0T_ERROR_IO, "cannot be started",
                 f0t_program_run(test_script("program", ""), test_path("no folder"), 60, NULL));
}

static void who_takes_too_long_ends_with_what_it_started(void **state)
{
    (void)state;
    assert_fails(F0T_ERROR_IO, "program: took longer than 1 s",
                 run("trap '' TERM; sleep 60 & echo $! >\"$1/child\"; wait", 1));
    const long child = strtol(line_of("child"), NULL, 10);
    for (int i = 0; i < 200 && is_running(child); i++)
        usleep(10000);
    assert_false(is_running(child));
}

static void whoever_stops_the_work_stops_the_program(void **state)
{
    static const volatile sig_atomic_t stop = 1;
    const f0t_monitor monitor = {.stop = &stop};
    (void)state;
    assert_fails(
        F0T_ERROR_INTERRUPTED, "interrupted while",
        f0t_program_run(test_script("program", "exec sleep 60"), folder(), 3600, &monitor));
}

static f0t_status run_quickly(void *context)
{
    (void)context;
    return run("exit 0", 60);
}

static void missing_memory_is_told(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, run_quickly, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_gets_the_folder_no_input_and_a_file_for_what_it_prints),
        cmocka_unit_test(another_status_than_0_comes_with_the_last_line),
        cmocka_unit_test(what_it_prints_cannot_forge_lines),
        cmocka_unit_test(what_is_no_program_cannot_be_started),
        cmocka_unit_test(who_takes_too_long_ends_with_what_it_started),
        cmocka_unit_test(whoever_stops_the_work_stops_the_program),
        cmocka_unit_test(missing_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
