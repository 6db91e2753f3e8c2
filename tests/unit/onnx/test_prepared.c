/* Prepared weights that are kept: what is taken again, and what is not. */
#include "onnx_text.h"
#include "support.h"

#include "onnx/keep.h"
#include "onnx/prepared.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* ---- The file ------------------------------------------------------------------------------------ */

static const char key[] = "a network";
static const char first[] = "first", second[] = "second piece";

static const char *write_file(void)
{
    const f0t_onnx_piece pieces[] = {{1, 0, 77, sizeof first, first},
                                     {2, 3, 78, sizeof second, second}};
    const char *path = test_path("prepared");
    assert_ok(f0t_onnx_prepared_write(path, key, (f0t_onnx_sums){5, 6}, pieces, 2, NULL));
    return path;
}

static bool opens(const char *path, const char *with)
{
    f0t_onnx_prepared *p;
    assert_ok(f0t_onnx_prepared_open(&p, path, with));
    f0t_onnx_prepared_close(p);
    return p != NULL;
}

static void pieces_come_back(void **state)
{
    const char *path = write_file();
    f0t_onnx_prepared *p;
    f0t_onnx_piece wanted = {2, 3, 78, sizeof second, NULL};
    (void)state;
    assert_ok(f0t_onnx_prepared_open(&p, path, key));
    assert_non_null(p);
    assert_string_equal(f0t_onnx_prepared_find(p, &wanted), second);
    assert_int_equal(f0t_onnx_prepared_sums(p).file, 5);
    assert_int_equal(f0t_onnx_prepared_sums(p).beside, 6);
    wanted.layout++;
    assert_null(f0t_onnx_prepared_find(p, &wanted));
    wanted.layout--, wanted.bytes--;
    assert_null(f0t_onnx_prepared_find(p, &wanted));
    wanted.bytes++, wanted.kind = 0;
    assert_null(f0t_onnx_prepared_find(p, &wanted));
    assert_null(f0t_onnx_prepared_find(NULL, &wanted));
    assert_int_equal(f0t_onnx_prepared_count(NULL), 0);
    assert_int_equal(f0t_onnx_prepared_count(p), 2);
    assert_int_equal(f0t_onnx_prepared_piece(p, 1).layout, 78);
    assert_string_equal(f0t_onnx_prepared_piece(p, 1).data, second);
    assert_ok(f0t_onnx_prepared_check(p));
    f0t_onnx_prepared_close(p);
}

static void what_is_not_ours_is_passed_over(void **state)
{
    const char *path = write_file();
    char link[512];
    (void)state;
    assert_true(opens(path, key));
    assert_false(opens(path, "another network"));
    assert_false(opens(test_path("missing"), key));
    assert_int_equal(chmod(path, 0666), 0);
    assert_false(opens(path, key));
    assert_int_equal(chmod(path, 0620), 0);
    assert_false(opens(path, key));
    assert_int_equal(chmod(path, 0600), 0);
    assert_true(opens(path, key));
    snprintf(link, sizeof link, "%s", test_path("link"));
    assert_int_equal(symlink(test_path("prepared"), link), 0);
    assert_false(opens(link, key));
    assert_int_equal(unlink(link), 0);
}

/* What others may write is replaced by what only the user may, whatever its mode was. */
static void a_file_of_others_is_replaced(void **state)
{
    struct stat info;
    const char *path = write_file();
    (void)state;
    assert_int_equal(chmod(path, 0666), 0);
    const mode_t before = umask(0);
    write_file();
    umask(before);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_true(opens(path, key));
}

static void a_link_is_replaced(void **state)
{
    struct stat info;
    (void)state;
    const char *target = test_text("target", "not ours");
    unlink(test_path("prepared"));
    assert_int_equal(symlink("target", test_path("prepared")), 0);
    const char *path = write_file();
    assert_int_equal(lstat(path, &info), 0);
    assert_true(S_ISREG(info.st_mode));
    assert_true(opens(path, key));
    assert_int_equal(stat(target, &info), 0);
    assert_int_equal(info.st_size, 8);
}

/* Whichever write, flush or rename it is that fails. */
static void what_is_there_outlives_a_failed_write(void **state)
{
    const char *path = write_file();
    const f0t_onnx_piece piece = {1, 0, 99, sizeof first, first};
    const size_t files = test_files_left();
    (void)state;
    for (uint64_t nth = 1; nth <= 3; nth++) {
        f0t_fault_set(F0T_FAULT_WRITE, nth);
        assert_int_equal(f0t_onnx_prepared_write(path, key, (f0t_onnx_sums){7, 8}, &piece, 1, NULL),
                         F0T_ERROR_IO);
        f0t_fault_set(F0T_FAULT_WRITE, 0);
        assert_true(opens(path, key));
        assert_int_equal(test_files_left(), files);
    }
    const f0t_onnx_piece huge[] = {{1, 0, 99, UINT64_MAX - 8192, first}, {2, 0, 99, 8192, first}};
    assert_fails(F0T_ERROR_UNSUPPORTED, "too large",
                 f0t_onnx_prepared_write(path, key, (f0t_onnx_sums){7, 8}, huge, 2, NULL));
    assert_true(opens(path, key));
}

/* As the file has them. */
enum {
    SIZE_AT = 8,
    SUMS_AT = 16,
    KEY_AT = 24,
    PIECES_AT = 28,
    CHECKSUM_AT = 32,
    HEADER = 40,
    RECORD = 32,
    LAYOUT = 8, /* of a record */
    OFFSET = 24
};

typedef struct bytes {
    unsigned char data[16384];
    size_t size;
} bytes;

static bytes load(const char *path)
{
    bytes b;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    b.size = fread(b.data, 1, sizeof b.data, file);
    fclose(file);
    return b;
}

static bool opens_as(const bytes *b)
{
    const char *path = test_path("changed");
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(b->data, 1, b->size, file), b->size);
    fclose(file);
    assert_int_equal(chmod(path, 0600), 0);
    return opens(path, key);
}

/* Somebody who knows the format. */
static void seal(unsigned char *data, size_t length)
{
    memset(data + CHECKSUM_AT, 0, 4);
    const uint32_t sum = (uint32_t)crc32(0, data, (uInt)length);
    memcpy(data + CHECKSUM_AT, &sum, sizeof sum);
}

static void sign(bytes *b)
{
    seal(b->data, HEADER + strlen(key) + 2 * RECORD);
}

static uint32_t number_at(int fd, off_t offset)
{
    uint32_t number;
    assert_int_equal(pread(fd, &number, sizeof number, offset), sizeof number);
    return number;
}

static void put(int fd, size_t offset, const void *data, size_t size)
{
    assert_int_equal(pwrite(fd, data, size, (off_t)offset), size);
}

static off_t record_at(int fd, size_t k)
{
    return (off_t)(HEADER + number_at(fd, KEY_AT) + k * RECORD);
}

/* Makes the file this long, which a file is mapped from and not copied, and its checksum right again. */
static void sign_file(int fd, uint64_t size)
{
    const size_t length = (size_t)record_at(fd, number_at(fd, PIECES_AT));
    unsigned char *data = malloc(length);
    assert_non_null(data);
    assert_int_equal(ftruncate(fd, (off_t)size), 0);
    assert_int_equal(pread(fd, data, length, 0), length);
    memcpy(data + SIZE_AT, &size, sizeof size);
    seal(data, length);
    put(fd, 0, data, length);
    free(data);
}

static const uint64_t MAPPED = (uint64_t)16 << 20;

static int open_file(const char *path)
{
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    return fd;
}

/* Where the pieces lie was checked once: what the file says later is not asked. */
static void records_do_not_change_later(void **state)
{
    static const uint64_t far = (uint64_t)1 << 40;
    const f0t_onnx_piece wanted = {2, 3, 78, sizeof second, NULL};
    const char *path = write_file();
    const int fd = open_file(path);
    f0t_onnx_prepared *p;
    (void)state;
    sign_file(fd, MAPPED);
    assert_ok(f0t_onnx_prepared_open(&p, path, key));
    assert_non_null(p);
    const void *before = f0t_onnx_prepared_find(p, &wanted);
    put(fd, (size_t)record_at(fd, 1) + OFFSET, &far, sizeof far);
    assert_ptr_equal(f0t_onnx_prepared_find(p, &wanted), before);
    assert_string_equal(before, second);
    f0t_onnx_prepared_close(p);
    close(fd);
}

static void what_was_cut_is_not_written(void **state)
{
    f0t_onnx_piece piece = {2, 3, 78, sizeof second, NULL};
    const char *path = write_file();
    const int fd = open_file(path);
    f0t_onnx_prepared *p;
    (void)state;
    sign_file(fd, MAPPED);
    assert_ok(f0t_onnx_prepared_open(&p, path, key));
    assert_non_null(p);
    piece.data = f0t_onnx_prepared_find(p, &piece);
    assert_int_equal(ftruncate(fd, 4096), 0);
    const size_t files = test_files_left();
    assert_fails(
        F0T_ERROR_IO, "another program has made it shorter",
        f0t_onnx_prepared_write(test_path("copy"), key, (f0t_onnx_sums){5, 6}, &piece, 1, p));
    assert_int_equal(test_files_left(), files);
    f0t_onnx_prepared_close(p);
    close(fd);
}

static bool opens_with_pieces(uint32_t count)
{
    static const uint64_t size = (uint64_t)64 << 20;
    const char *path = write_file();
    const int fd = open_file(path);
    unsigned char *records = calloc(count, RECORD);
    assert_non_null(records);
    for (size_t k = 0; k < count; k++)
        memcpy(records + k * RECORD + OFFSET, &size, sizeof size); /* empty, at the end */
    put(fd, PIECES_AT, &count, sizeof count);
    put(fd, (size_t)record_at(fd, 0), records, (size_t)count * RECORD);
    free(records);
    sign_file(fd, size);
    close(fd);
    return opens(path, key);
}

static void too_many_pieces_are_passed_over(void **state)
{
    (void)state;
    assert_true(opens_with_pieces(1 << 20));
    assert_false(opens_with_pieces((1 << 20) + 1));
    unlink(test_path("prepared"));
}

static void damaged_files_are_passed_over(void **state)
{
    const bytes good = load(write_file());
    const size_t checked = HEADER + strlen(key) + 2 * RECORD;
    (void)state;
    assert_true(opens_as(&good));
    for (size_t k = 0; k < checked; k++) {
        bytes b = good;
        b.data[k] ^= 1;
        if (k < CHECKSUM_AT + 4 || k >= HEADER)
            assert_false(opens_as(&b));
    }
    for (size_t size = 0; size < good.size; size += 97) {
        bytes b = good;
        b.size = size;
        assert_false(opens_as(&b));
    }
}

static void hostile_offsets_are_passed_over(void **state)
{
    static const uint64_t values[] = {0, 4097, UINT64_MAX, UINT64_MAX - 4095, 1 << 20};
    const bytes good = load(write_file());
    const size_t records = HEADER + strlen(key);
    (void)state;
    bytes same = good;
    sign(&same);
    assert_true(opens_as(&same));
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
        bytes b = good;
        memcpy(b.data + records + 24, &values[k], 8); /* where the first piece lies */
        sign(&b);
        assert_false(opens_as(&b));
    }
    for (size_t k = 1; k < sizeof values / sizeof *values; k++) {
        bytes b = good;
        memcpy(b.data + records + 16, &values[k], 8); /* its bytes */
        sign(&b);
        assert_int_equal(opens_as(&b), k == 1); /* as many as are there */
    }
    const uint32_t many = UINT32_MAX;
    bytes b = good;
    memcpy(b.data + PIECES_AT, &many, sizeof many);
    assert_false(opens_as(&b));
}

/* ---- A network ----------------------------------------------------------------------------------- */

#define NETWORK                                                                          \
    "x:float[N,3,8,8]; w=float[32,3,3,3]{1,2..}; v=float[10,1152]{3,1..}; c=Conv(x,w); " \
    "r=Relu(c); f=Flatten(r); y=Gemm<transB=1>(f,v); return y"

static const char *write_network(const char *text)
{
    onnx_bytes file = onnx_from_text(text);
    const char *path = test_file("net.onnx", file.data, file.size);
    onnx_bytes_free(&file);
    return path;
}

/* Files that are there for long, as those of a network must be. */
static f0t_status fill_keep(void *context)
{
    static char path[] = "/bin/sh", folder[] = "/bin", location[] = "sh";
    f0t_onnx_file beside = {.location = location, .map = *(const f0t_map *)context};
    const f0t_onnx_graph graph = {
        .path = path, .folder = folder, .map = beside.map, .files = &beside, .file_count = 1};
    const f0t_onnx_picture picture = {.dims = {1, 3, 8, 8}};
    const f0t_onnx_keep_options how = {.output = 1};
    f0t_onnx_keep keep;
    F0T_TRY(f0t_onnx_keep_fill(&keep, test_path("cache"), &graph, &picture, &how));
    assert_non_null(keep.path);
    assert_non_null(keep.key);
    f0t_onnx_keep_clear(&keep);
    return F0T_OK;
}

static void a_key_needs_memory(void **state)
{
    f0t_map map;
    (void)state;
    assert_ok(f0t_map_open(&map, "/bin/sh"));
    test_each_fault(F0T_FAULT_ALLOC, fill_keep, &map);
    f0t_map_close(&map);
}

/* The one file of the folder, or 0: its inode, which a new one has another of. */
static ino_t kept_file(const char *folder, char *path, size_t size)
{
    struct stat info;
    char command[1200];
    path[0] = '\0';
    snprintf(command, sizeof command, "ls -d %s/network-* 2>/dev/null", folder);
    FILE *list = popen(command, "r");
    assert_non_null(list);
    if (!fgets(path, (int)size, list))
        path[0] = '\0';
    pclose(list);
    path[strcspn(path, "\n")] = '\0';
    return *path && stat(path, &info) == 0 ? info.st_ino : 0;
}

static void run(float *out, const char *path, const char *cache, size_t images)
{
    f0t_network *network;
    float pixels[3 * 3 * 64];
    const f0t_network_options options = {
        .size = sizeof(f0t_network_options), .output = "y", .cache = cache};
    test_random_floats(pixels, sizeof pixels / sizeof *pixels, 4);
    assert_ok(f0t_network_open(&network, path, &options, NULL));
    assert_int_equal(f0t_network_dim(network), 10);
    assert_ok(f0t_network_run(out, network, pixels, images, NULL));
    f0t_network_close(network);
}

static void a_kept_network_gives_the_same(void **state)
{
    char folder[512], file[600], again[600];
    float plain[30], made[30], kept[30];
    (void)state;
    snprintf(folder, sizeof folder, "%s", test_path("cache"));
    const char *path = write_network(NETWORK);
    run(plain, path, NULL, 3);
    run(made, path, folder, 3);
    assert_int_equal(kept_file(folder, file, sizeof file), 0); /* written a moment ago */
    sleep(3);
    run(made, path, folder, 3);
    const ino_t inode = kept_file(folder, file, sizeof file);
    assert_int_not_equal(inode, 0);
    run(kept, path, folder, 3);
    assert_int_equal(kept_file(folder, again, sizeof again), inode);
    assert_memory_equal(plain, made, sizeof plain);
    assert_memory_equal(plain, kept, sizeof plain);
    struct stat whole, anew;
    assert_int_equal(stat(file, &whole), 0);
    assert_int_equal(truncate(file, 100), 0); /* is made anew */
    run(kept, path, folder, 3);
    assert_memory_equal(plain, kept, sizeof plain);
    assert_int_equal(stat(file, &anew), 0);
    assert_int_equal(anew.st_size, whole.st_size);
}

/* One piece of the kept file is another's: the network makes its own, and keeps both. The descriptor is of the file that
 * is replaced. */
static int spoil_first_piece(const char *file)
{
    uint64_t layout;
    const int fd = open_file(file);
    const off_t at = record_at(fd, 0) + LAYOUT;
    assert_int_equal(pread(fd, &layout, sizeof layout, at), sizeof layout);
    layout ^= 1;
    put(fd, (size_t)at, &layout, sizeof layout);
    sign_file(fd, MAPPED);
    return fd;
}

static uint32_t pieces_of(const char *file)
{
    const int fd = open_file(file);
    const uint32_t pieces = number_at(fd, PIECES_AT);
    close(fd);
    return pieces;
}

/* The network of the test before is there for long enough. */
static void pieces_that_are_not_used_stay(void **state)
{
    char folder[512], file[600];
    float plain[30], kept[30];
    (void)state;
    snprintf(folder, sizeof folder, "%s", test_path("cache"));
    assert_int_not_equal(kept_file(folder, file, sizeof file), 0);
    run(plain, test_path("net.onnx"), NULL, 3);
    const uint32_t before = pieces_of(file);
    close(spoil_first_piece(file));
    run(kept, test_path("net.onnx"), folder, 3);
    assert_memory_equal(plain, kept, sizeof plain);
    assert_int_equal(pieces_of(file), before + 1);
}

static void a_network_is_written_once(void **state)
{
    char folder[512], file[600];
    float pixels[3 * 64] = {0}, out[10];
    f0t_network *network;
    (void)state;
    snprintf(folder, sizeof folder, "%s", test_path("cache"));
    const f0t_network_options options = {
        .size = sizeof(f0t_network_options), .output = "y", .cache = folder};
    assert_int_not_equal(kept_file(folder, file, sizeof file), 0);
    assert_int_equal(truncate(file, 100), 0); /* is made anew */
    assert_ok(f0t_network_open(&network, test_path("net.onnx"), &options, NULL));
    const ino_t inode = kept_file(folder, file, sizeof file);
    assert_int_not_equal(inode, 0);
    assert_ok(f0t_network_run(out, network, pixels, 1, NULL));
    f0t_network_close(network);
    assert_int_equal(kept_file(folder, file, sizeof file), inode);
}

/* The disk may have room again by then. */
static void a_network_that_could_not_be_written_is_written_as_it_is_closed(void **state)
{
    char folder[512], file[600];
    float pixels[3 * 64] = {0}, out[10];
    f0t_network *network;
    (void)state;
    snprintf(folder, sizeof folder, "%s", test_path("cache"));
    const f0t_network_options options = {
        .size = sizeof(f0t_network_options), .output = "y", .cache = folder};
    assert_int_not_equal(kept_file(folder, file, sizeof file), 0);
    assert_int_equal(unlink(file), 0);
    f0t_fault_set(F0T_FAULT_WRITE, 1);
    assert_ok(f0t_network_open(&network, test_path("net.onnx"), &options, NULL));
    f0t_fault_set(F0T_FAULT_WRITE, 0);
    assert_int_equal(kept_file(folder, file, sizeof file), 0);
    assert_ok(f0t_network_run(out, network, pixels, 1, NULL));
    f0t_network_close(network);
    assert_int_not_equal(kept_file(folder, file, sizeof file), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_come_back),
        cmocka_unit_test(what_is_not_ours_is_passed_over),
        cmocka_unit_test(a_file_of_others_is_replaced),
        cmocka_unit_test(a_link_is_replaced),
        cmocka_unit_test(what_is_there_outlives_a_failed_write),
        cmocka_unit_test(damaged_files_are_passed_over),
        cmocka_unit_test(hostile_offsets_are_passed_over),
        cmocka_unit_test(records_do_not_change_later),
        cmocka_unit_test(what_was_cut_is_not_written),
        cmocka_unit_test(too_many_pieces_are_passed_over),
        cmocka_unit_test(a_key_needs_memory),
        cmocka_unit_test(a_kept_network_gives_the_same),
        cmocka_unit_test(pieces_that_are_not_used_stay),
        cmocka_unit_test(a_network_is_written_once),
        cmocka_unit_test(a_network_that_could_not_be_written_is_written_as_it_is_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
