/* What the unit tests share: cmocka in the order it wants, temporary files, faults, hostile input.
 */
#ifndef F0T_TESTS_SUPPORT_H
#define F0T_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/context.h"
#include "base/fault.h"
#include "base/status.h"

/* The call succeeds; else the last error is printed. */
#define assert_ok(call) test_assert_ok((call), #call, __FILE__, __LINE__)
/* The call fails with this status and its message contains this text. */
#define assert_fails(status, text, call) \
    test_assert_fails((status), (text), (call), #call, __FILE__, __LINE__)

void test_assert_ok(f0t_status got, const char *call, const char *file, int line);
void test_assert_fails(f0t_status want, const char *text, f0t_status got, const char *call,
                       const char *file, int line);

/* A path in a folder that is removed when the program ends. The text stays valid until then. */
const char *test_path(const char *name);
/* Writes a file there and gives its path. */
const char *test_file(const char *name, const void *data, size_t size);
const char *test_text(const char *name, const char *text);
/* The same for a program: a shell script of these lines. */
const char *test_script(const char *name, const char *lines);
/* All bytes of a file with a 0 after them; free with f0t_free. */
char *test_read(const char *path, size_t *size);
/* Number of entries in the folder of test_path, to see that nothing is left behind. */
size_t test_files_left(void);

/* The path of a file that the tests bring along, tests/NAME. */
const char *test_source(const char *name);

/* The path of a copy of this input of tests/fuzz/TARGET.corpus. */
const char *test_corpus(const char *target, const char *name);

/* Skips the test and says why: scripts/test lists the reasons at its end. */
__attribute__((format(printf, 1, 2), noreturn)) void test_skip(const char *format, ...);

/* A path below F0T_DATA; skips the test, saying so, when that is not set. */
const char *test_data(const char *name);

/* Runs tests/python/SCRIPT with these two words after it and asserts that it succeeds; skips the
 * test, saying so, where there is no python3 with this module (NULL: any). */
void test_python(const char *module, const char *script, const char *verb, const char *folder);

/* Runs a network by ONNX Runtime: a file of float32 pixels in, of shape `dims` ("1 3 8 8"), its first output out. Skips
 * where node or npm's onnxruntime-node is not, in bench/serve-node or where F0T_NODE says. */
void test_onnxruntime(const char *model, const char *pixels, const char *result, const char *dims);

/* Whether F0T_TEST_ALL is set, which makes the three functions below exhaustive; without it they skip places of long runs. */
bool test_exhaustive(void);

/* Calls run(context) again and again with one fault of this kind, at the 1st, 2nd, … place, until it succeeds: at the first 64
 * places and, unless F0T_TEST_ALL, at every 7th after them. Every failing call must fail with F0T_ERROR_MEMORY (or, for writes,
 * F0T_ERROR_IO) and free what it took (the address sanitizer sees). The place at which this does not hold is printed;
 * F0T_TEST_FAULT=N tries that place alone. */
typedef f0t_status (*test_run)(void *context);
void test_each_fault(f0t_fault kind, test_run run, void *context);

/* A loader from memory that must not crash. Returns what the loader returned; it frees what it
 * made. */
typedef f0t_status (*test_load)(const void *data, size_t size);
/* Loads proper prefixes of the data, all of them or, of long data without F0T_TEST_ALL, every 7th after the first 512: each must
 * fail with one non-empty line, except those for which cut_ok says true (may be NULL). */
void test_cut_everywhere(const void *data, size_t size, test_load load,
                         bool (*cut_ok)(size_t size));
/* Loads the data with each byte altered, to one of 0, 0xFF, ±1 and two flipped bits in turn, with F0T_TEST_ALL to each of them:
 * any result but a crash. */
void test_alter_everywhere(const void *data, size_t size, test_load load);

/* Repeatable numbers in [-1, 1). */
void test_random_floats(float *out, size_t n, uint64_t seed);

/* Threads of the context that the calling thread works in from now on; 0: none, that is all CPUs. */
void test_threads(int count);

/* How many threads a context of so many has: one where there is no OpenMP. */
#ifdef _OPENMP
#define F0T_TEST_THREADS(count) (count)
#else
#define F0T_TEST_THREADS(count) 1
#endif

#endif
