#include "support.h"

#include "io/file.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

/* One gzip member. Returns its size. */
static size_t pack(unsigned char *to, size_t room, const void *data, size_t size)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (Bytef *)(uintptr_t)data;
    z.avail_in = (uInt)size;
    z.next_out = to;
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return room - z.avail_out;
}

static void expect_lines(f0t_stream *stream, const char *const *lines)
{
    char *line;
    size_t length;
    uint64_t number = 0;
    for (; *lines; lines++) {
        assert_ok(f0t_stream_line(&line, &length, stream));
        assert_non_null(line);
        assert_string_equal(line, *lines);
        assert_int_equal(length, strlen(*lines));
        assert_int_equal(f0t_stream_line_number(stream), ++number);
    }
    for (int again = 0; again < 2; again++) {
        assert_ok(f0t_stream_line(&line, &length, stream));
        assert_null(line);
        assert_int_equal(length, 0);
    }
    assert_int_equal(f0t_stream_position(stream), f0t_stream_size(stream));
    f0t_stream_close(stream);
}

static void check_lines(const void *data, size_t size, const char *const *lines)
{
    f0t_stream *stream;
    assert_ok(f0t_stream_open_memory(&stream, data, size, "memory"));
    expect_lines(stream, lines);
    assert_ok(f0t_stream_open(&stream, test_file("lines", data, size)));
    expect_lines(stream, lines);
}

static void lines_end_in_every_way(void **state)
{
    static const struct {
        const char *text;
        const char *lines[6];
    } cases[] = {
        {"", {NULL}},
        {"a", {"a"}},
        {"a\n", {"a"}},
        {"a\r\n", {"a"}},
        {"a\r", {"a"}},
        {"\n", {""}},
        {"\n\n", {"", ""}},
        {"\r\n\r\n", {"", ""}},
        {"a\nb\r\n\nlast one", {"a", "b", "", "last one"}},
        {"a\rb\r\r\nc\n", {"a\rb\r", "c"}},
    };
    unsigned char packed[200];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t n = strlen(cases[i].text);
        check_lines(cases[i].text, n, cases[i].lines);
        check_lines(packed, pack(packed, sizeof packed, cases[i].text, n), cases[i].lines);
    }
}

static void a_line_may_contain_zeros(void **state)
{
    (void)state;
    f0t_stream *stream;
    char *line;
    size_t length;
    assert_ok(f0t_stream_open_memory(&stream, "a\0b\nc", 5, "zeros"));
    assert_ok(f0t_stream_line(&line, &length, stream));
    assert_int_equal(length, 3);
    assert_memory_equal(line, "a\0b\0", 4);
    f0t_stream_close(stream);
}

/* Lines around the sizes of the buffers, packed and not, from a file and from memory. */
static void lines_of_every_length_are_whole(void **state)
{
    enum { MOST = 3 << 18 };
    static const size_t lengths[] = {
        1,    0, (1 << 18) - 1, 1 << 18, (1 << 18) + 1, 5, (1 << 17), 3,
        MOST, 0, 1 << 19,       1000,    (1 << 18) - 2, 7};
    enum { LINES = sizeof lengths / sizeof *lengths };
    (void)state;
    size_t size = 0, room = 8 << 20;
    char *text = malloc(room);
    unsigned char *packed = malloc(room);
    for (size_t i = 0; i < LINES; i++) {
        for (size_t k = 0; k < lengths[i]; k++)
            text[size++] = (char)('a' + (k * 7 + i) % 26);
        text[size++] = '\n';
    }
    size_t packed_size = pack(packed, room, text, size);
    for (int way = 0; way < 4; way++) {
        const void *data = way & 1 ? (void *)packed : text;
        size_t n = way & 1 ? packed_size : size, length;
        f0t_stream *stream;
        char *line;
        if (way & 2)
            assert_ok(f0t_stream_open(&stream, test_file("long", data, n)));
        else
            assert_ok(f0t_stream_open_memory(&stream, data, n, "long"));
        for (size_t i = 0; i < LINES; i++) {
            assert_ok(f0t_stream_line(&line, &length, stream));
            assert_int_equal(length, lengths[i]);
            for (size_t k = 0; k < length; k++)
                assert_true(line[k] == (char)('a' + (k * 7 + i) % 26));
            assert_int_equal(line[length], '\0');
        }
        assert_ok(f0t_stream_line(&line, &length, stream));
        assert_null(line);
        f0t_stream_close(stream);
    }
    free(packed);
    free(text);
}

static void a_line_that_never_ends_is_refused(void **state)
{
    (void)state;
    f0t_stream *stream;
    char *line;
    size_t length;
    assert_ok(f0t_stream_open(&stream, "/dev/zero"));
    f0t_status status = f0t_stream_line(&line, &length, stream);
    f0t_stream_close(stream);
    assert_fails(F0T_ERROR_FORMAT, "/dev/zero:1: a line of over", status);
}

static void members_in_a_row_are_one_text(void **state)
{
    (void)state;
    unsigned char packed[400];
    size_t n = pack(packed, sizeof packed, "one\ntw", 6);
    n += pack(packed + n, sizeof packed - n, "", 0);
    n += pack(packed + n, sizeof packed - n, "o\nthree", 7);
    static const char *const lines[] = {"one", "two", "three", NULL};
    check_lines(packed, n, lines);
    for (size_t junk = 1; junk < 4; junk++) {
        f0t_stream *stream;
        char to[100];
        size_t got;
        memcpy(packed + n, "junk", junk);
        assert_ok(f0t_stream_open_memory(&stream, packed, n + junk, "junk.gz"));
        assert_int_equal(f0t_stream_read(to, &got, stream, sizeof to), F0T_ERROR_FORMAT);
        f0t_stream_close(stream);
    }
}

static f0t_status read_all(const void *data, size_t size)
{
    f0t_stream *stream;
    char *line;
    size_t length;
    F0T_TRY(f0t_stream_open_memory(&stream, data, size, "a.gz"));
    f0t_status status;
    do
        status = f0t_stream_line(&line, &length, stream);
    while (status == F0T_OK && line);
    f0t_stream_close(stream);
    return status;
}

static size_t whole_member; /* a cut just after the first member is a whole file */

/* One byte alone is no gzip file, but a text. */
static bool cut_ok(size_t size)
{
    return size < 2 || size == whole_member;
}

static void cut_or_altered_gzip_fails(void **state)
{
    (void)state;
    unsigned char packed[400];
    size_t n = whole_member = pack(packed, sizeof packed, "one\ntwo\nthree\n", 14);
    n += pack(packed + n, sizeof packed - n, "four\nfive\n", 10);
    test_cut_everywhere(packed, n, read_all, cut_ok);
    test_alter_everywhere(packed, n, read_all);
    packed[whole_member - 6] ^= 1; /* the checksum */
    assert_fails(F0T_ERROR_FORMAT, "a.gz: damaged gzip data", read_all(packed, n));
    assert_fails(F0T_ERROR_FORMAT, "a.gz: gzip data is cut", read_all(packed, whole_member - 9));
}

static void bytes_are_read_in_any_steps(void **state)
{
    (void)state;
    enum { SIZE = 1000000 };
    unsigned char *data = malloc(SIZE), *packed = malloc(2 * SIZE), *got = malloc(SIZE);
    for (size_t i = 0; i < SIZE; i++)
        data[i] = (unsigned char)(i * i >> 7);
    size_t n = pack(packed, 2 * SIZE, data, SIZE);
    static const size_t steps[] = {1000, 262143, 262144, 262145, SIZE, 2 * SIZE};
    for (size_t s = 0; s < 2 * (sizeof steps / sizeof *steps); s++) {
        size_t step = steps[s / 2], total = 0, part;
        f0t_stream *stream;
        assert_ok(f0t_stream_open_memory(&stream, s % 2 ? packed : data, s % 2 ? n : SIZE, "x"));
        do {
            size_t want = step < SIZE - total + 1 ? step : SIZE - total;
            assert_ok(f0t_stream_read(got + total, &part, stream, want));
            assert_true(part == want || total + part == SIZE);
            total += part;
        } while (total < SIZE && part);
        assert_int_equal(total, SIZE);
        assert_memory_equal(got, data, SIZE);
        assert_ok(f0t_stream_read(got, &part, stream, 1));
        assert_int_equal(part, 0);
        f0t_stream_close(stream);
    }
    free(data);
    free(packed);
    free(got);
}

static void lines_and_bytes_mix(void **state)
{
    (void)state;
    f0t_stream *stream;
    char *line, bytes[4];
    size_t length, got;
    assert_ok(f0t_stream_open_memory(&stream, "2 3\n\0\1\n\3rest\n", 13, "mixed"));
    assert_ok(f0t_stream_line(&line, &length, stream));
    assert_string_equal(line, "2 3");
    assert_ok(f0t_stream_read(bytes, &got, stream, 4));
    assert_memory_equal(bytes, "\0\1\n\3", 4);
    assert_ok(f0t_stream_line(&line, &length, stream));
    assert_string_equal(line, "rest");
    f0t_stream_close(stream);
}

/* A pipe gives what it has: here the two bytes of gzip's magic one by one. */
static void a_pipe_is_read_too(void **state)
{
    (void)state;
    unsigned char packed[200];
    size_t n = pack(packed, sizeof packed, "a\nb", 3);
    const char *path = test_path("pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    pid_t child = fork();
    if (child == 0) {
        int fd = open(path, O_WRONLY);
        struct timespec pause = {0, 20 * 1000 * 1000};
        bool ok = write(fd, packed, 1) == 1;
        nanosleep(&pause, NULL);
        ok = ok && write(fd, packed + 1, n - 1) == (ssize_t)n - 1;
        _exit(!ok);
    }
    f0t_stream *stream;
    char *line;
    size_t length;
    assert_ok(f0t_stream_open(&stream, path));
    assert_int_equal(f0t_stream_size(stream), 0);
    assert_ok(f0t_stream_line(&line, &length, stream));
    assert_string_equal(line, "a");
    assert_ok(f0t_stream_line(&line, &length, stream));
    assert_string_equal(line, "b");
    assert_string_equal(f0t_stream_name(stream), path);
    f0t_stream_close(stream);
    int status;
    assert_true(waitpid(child, &status, 0) == child && status == 0);
    remove(path);
}

/* `size` bytes of zeros, packed; the caller frees them. */
static unsigned char *pack_zeros(size_t size, size_t *packed)
{
    char *zeros = calloc(size, 1);
    unsigned char *to = malloc(size / 500 + 1000);
    *packed = pack(to, size / 500 + 1000, zeros, size);
    free(zeros);
    return to;
}

static f0t_status drain(f0t_stream *stream, size_t *sum)
{
    static char room[1 << 16];
    size_t got;
    *sum = 0;
    do {
        F0T_TRY(f0t_stream_read(room, &got, stream, sizeof room));
        *sum += got;
    } while (got);
    return F0T_OK;
}

static void a_small_gzip_file_does_not_become_a_huge_text(void **state)
{
    (void)state;
    size_t size, sum;
    f0t_stream *stream;
    unsigned char *free_of_charge = pack_zeros(F0T_UNPACKED_FREE, &size);
    assert_ok(f0t_stream_open_memory(&stream, free_of_charge, size, "zeros.gz"));
    assert_ok(drain(stream, &sum));
    assert_int_equal(sum, F0T_UNPACKED_FREE);
    f0t_stream_close(stream);
    free(free_of_charge);

    unsigned char *bomb = pack_zeros((size_t)4 * F0T_UNPACKED_FREE, &size);
    assert_ok(f0t_stream_open_memory(&stream, bomb, size, "zeros.gz"));
    assert_fails(F0T_ERROR_FORMAT, "zeros.gz: gzip data that unpacks to over 50 times its size",
                 drain(stream, &sum));
    assert_in_range(sum, F0T_UNPACKED_FREE / 2, F0T_UNPACKED_FREE);
    f0t_stream_close(stream);

    char some[4096]; /* a reader that keeps none of it may read it all */
    size_t got = 1;
    assert_ok(f0t_stream_open_memory(&stream, bomb, size, "zeros.gz"));
    for (sum = 0; got; sum += got) {
        assert_ok(f0t_stream_read(some, &got, stream, sizeof some));
        f0t_stream_let_go(stream, got);
    }
    assert_int_equal(sum, (size_t)4 * F0T_UNPACKED_FREE);
    f0t_stream_close(stream);
    free(bomb);
}

/* As a signal's handler or another thread sets it. */
static void *set_soon(void *flag)
{
    struct timespec pause = {0, 50 * 1000 * 1000};
    nanosleep(&pause, NULL);
    *(volatile sig_atomic_t *)flag = 1;
    return NULL;
}

static void the_stop_flag_ends_reading_and_waiting(void **state)
{
    (void)state;
    volatile sig_atomic_t stop = 0;
    const f0t_monitor monitor = {.stop = &stop};
    f0t_stream *stream;
    size_t sum;
    pthread_t setter;
    char path[200], *line;
    assert_ok(f0t_stream_open(&stream, "/dev/zero"));
    f0t_stream_watch(stream, &monitor);
    assert_int_equal(pthread_create(&setter, NULL, set_soon, (void *)(uintptr_t)&stop), 0);
    assert_fails(F0T_ERROR_INTERRUPTED, "interrupted while reading /dev/zero", drain(stream, &sum));
    pthread_join(setter, NULL);
    f0t_stream_close(stream);

    stop = 0; /* a pipe that nobody ever writes to */
    snprintf(path, sizeof path, "%s", test_path("mute"));
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_ok(f0t_stream_open(&stream, path));
    f0t_stream_watch(stream, &monitor);
    assert_int_equal(pthread_create(&setter, NULL, set_soon, (void *)(uintptr_t)&stop), 0);
    assert_fails(F0T_ERROR_INTERRUPTED, "mute", f0t_stream_line(&line, &sum, stream));
    pthread_join(setter, NULL);
    f0t_stream_close(stream);
    remove(path);
}

static void what_cannot_be_read_says_why(void **state)
{
    (void)state;
    f0t_stream *stream;
    assert_fails(F0T_ERROR_NOT_FOUND, "none: No such", f0t_stream_open(&stream, test_path("none")));
    assert_null(stream);
    assert_fails(F0T_ERROR_FORMAT, "is a folder", f0t_stream_open(&stream, test_path(".")));
    f0t_stream_close(NULL);
}

static void a_small_file_is_read_whole(void **state)
{
    (void)state;
    char *text;
    size_t size;
    assert_ok(f0t_file_read(&text, &size, test_text("s", "hello"), 5, NULL));
    assert_int_equal(size, 5);
    assert_string_equal(text, "hello");
    f0t_free(text);
    assert_ok(f0t_file_read(&text, &size, test_text("s", ""), 0, NULL));
    assert_string_equal(text, "");
    f0t_free(text);
    assert_fails(F0T_ERROR_FORMAT, "over 4 bytes",
                 f0t_file_read(&text, &size, test_text("s", "hello"), 4, NULL));
    assert_null(text);
    assert_int_equal(size, 0);
}

typedef struct bytes {
    const void *data;
    size_t size;
} bytes;

static f0t_status read_again(void *context)
{
    const bytes *b = context;
    return read_all(b->data, b->size);
}

static f0t_status read_file(void *path)
{
    char *text;
    size_t size;
    F0T_TRY(f0t_file_read(&text, &size, path, 1 << 20, NULL));
    f0t_free(text);
    return F0T_OK;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    unsigned char *packed = malloc(1 << 20);
    char *text = malloc(600000), path[200];
    memset(text, 'x', 600000);
    bytes b = {packed, pack(packed, 1 << 20, text, 600000)};
    test_each_fault(F0T_FAULT_ALLOC, read_again, &b);
    snprintf(path, sizeof path, "%s", test_file("f.gz", packed, b.size));
    test_each_fault(F0T_FAULT_ALLOC, read_file, path);
    free(packed);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_end_in_every_way),
        cmocka_unit_test(a_line_may_contain_zeros),
        cmocka_unit_test(lines_of_every_length_are_whole),
        cmocka_unit_test(a_line_that_never_ends_is_refused),
        cmocka_unit_test(members_in_a_row_are_one_text),
        cmocka_unit_test(cut_or_altered_gzip_fails),
        cmocka_unit_test(bytes_are_read_in_any_steps),
        cmocka_unit_test(lines_and_bytes_mix),
        cmocka_unit_test(a_pipe_is_read_too),
        cmocka_unit_test(a_small_gzip_file_does_not_become_a_huge_text),
        cmocka_unit_test(the_stop_flag_ends_reading_and_waiting),
        cmocka_unit_test(what_cannot_be_read_says_why),
        cmocka_unit_test(a_small_file_is_read_whole),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
