#include "pictures.h"

#include "fast0tag.h"
#include "image/packet.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char *read_picture(const char *name, size_t *size)
{
    char path[64];
    snprintf(path, sizeof path, "pictures/%s", name);
    return test_read(test_source(path), size);
}

static void packets_are_found_and_places_for_them(void **state)
{
    static const struct {
        const char *name;
        size_t at; /* of a new one */
    } files[] = {{"keywords-xmp.jpg", 0},
                 {"keywords-xmp.png", 0},
                 {"quarters.jpg", 2},
                 {"turned.jpg", 192},
                 {"quarters.png", 33}};
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        size_t size;
        f0t_xmp_packet p;
        char *data = read_picture(files[i].name, &size);
        assert_ok(f0t_xmp_packet_find(&p, data, size, "test"));
        assert_int_equal(p.is_png, strstr(files[i].name, "png") != NULL);
        if (files[i].at) {
            assert_int_equal(p.begin, files[i].at);
            assert_int_equal(p.end, files[i].at);
            assert_int_equal(p.length, 0);
        } else {
            assert_true(p.text > data + p.begin && p.text + p.length <= data + p.end);
            assert_non_null(memmem(p.text, p.length, "TagsList", 8));
        }
        f0t_free(data);
    }
}

/* A JPEG file of these segments, each a marker and text, and a scan. */
static f0t_status find_in(f0t_xmp_packet *p, const char *const *segments, size_t count)
{
    static char file[1000];
    size_t at = 2;
    memcpy(file, "\xFF\xD8", 2);
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(segments[i]); /* the marker's byte makes up for the 0 */
        file[at] = (char)0xFF;
        file[at + 1] = segments[i][0];
        file[at + 2] = 0;
        file[at + 3] = (char)(length + 2);
        memcpy(file + at + 4, segments[i] + 1, length);
        at += 4 + length;
    }
    memcpy(file + at, "\xFF\xDA\0\2", 4);
    return f0t_xmp_packet_find(p, file, at + 4, "j.jpg");
}

#define MAIN "\xE1http://ns.adobe.com/xap/1.0/"

static void what_would_be_lost_is_refused(void **state)
{
    /* After the 0 of the name there is no packet here; MPF and the extension end with a 0 as well. */
    static const char *const empty[] = {"\xE0JFIF", MAIN};
    static const char *const extended[] = {"\xE1http://ns.adobe.com/xmp/extension/"};
    static const char *const index[] = {"\xE2MPF", MAIN};
    f0t_xmp_packet p;
    (void)state;
    assert_fails(F0T_ERROR_UNSUPPORTED, "tags cannot go into it: its XMP packet is empty",
                 find_in(&p, empty, 2));
    assert_fails(F0T_ERROR_UNSUPPORTED, "its extended XMP is damaged", find_in(&p, extended, 1));
    assert_fails(F0T_ERROR_UNSUPPORTED, "its XMP stands after an index of further pictures",
                 find_in(&p, index, 2));
    assert_ok(find_in(&p, index, 1));
    assert_int_equal(p.begin, 2);
    assert_fails(F0T_ERROR_UNSUPPORTED,
                 "only JPEG and PNG take them; a sidecar serves every picture",
                 f0t_xmp_packet_find(&p, "GIF89a", 6, "g.gif"));
}

static size_t put_chunk(char *file, size_t at, const char *type, const char *data, size_t length)
{
    const char head[] = {0, 0, 0, (char)length};
    memcpy(file + at, head, 4);
    memcpy(file + at + 4, type, 4);
    memcpy(file + at + 8, data, length);
    return at + 12 + length;
}

/* A PNG file of `count` chunks with this text. */
static f0t_status find_in_png(const char *text, size_t length, size_t count)
{
    static const char header[13];
    char file[1000] = "\x89PNG\r\n\x1A\n";
    f0t_xmp_packet p;
    size_t at = put_chunk(file, 8, "IHDR", header, sizeof header);
    for (size_t i = 0; i < count; i++)
        at = put_chunk(file, at, "iTXt", text, length);
    at = put_chunk(file, at, count ? "IEND" : "\xFF\xFF\xFF\xFF", "", 0);
    return f0t_xmp_packet_find(&p, file, count ? at : at - 4, "p.png");
}

static void a_png_has_one_packet_of_plain_text(void **state)
{
    static const char plain[] = "XML:com.adobe.xmp\0\0\0\0\0<x/>",
                      packed[] = "XML:com.adobe.xmp\0\1\0\0\0<x/>",
                      cut[] = "XML:com.adobe.xmp\0\0\0en";
    (void)state;
    assert_ok(find_in_png(plain, sizeof plain - 1, 1));
    assert_fails(F0T_ERROR_UNSUPPORTED, "p.png: tags cannot go into it: it has two XMP packets",
                 find_in_png(plain, sizeof plain - 1, 2));
    assert_fails(F0T_ERROR_UNSUPPORTED, "p.png: tags cannot go into it: its XMP is compressed",
                 find_in_png(packed, sizeof packed - 1, 1));
    assert_fails(F0T_ERROR_UNSUPPORTED, "p.png: tags cannot go into it: its XMP is damaged",
                 find_in_png(cut, sizeof cut - 1, 1));
    assert_fails(F0T_ERROR_FORMAT, "p.png: is a damaged PNG file: no chunk at byte 33",
                 find_in_png("", 0, 0));
}

/* A segment of extended XMP with this text; gives the place after it. */
static size_t put_extended(char *file, size_t at, const char *text)
{
    static const char name[] = "http://ns.adobe.com/xmp/extension/";
    const size_t length = 2 + sizeof name + 40 + strlen(text);
    file[at] = (char)0xFF;
    file[at + 1] = (char)0xE1;
    file[at + 2] = 0;
    file[at + 3] = (char)length;
    memcpy(file + at + 4, name, sizeof name);
    memset(file + at + 4 + sizeof name, 'x', 40);
    memcpy(file + at + 4 + sizeof name + 40, text, strlen(text));
    return at + 2 + length;
}

static f0t_status find_extended(const char *first, const char *second)
{
    static char file[1000] = "\xFF\xD8";
    f0t_xmp_packet p;
    size_t at = put_extended(file, put_extended(file, 2, first), second);
    memcpy(file + at, "\xFF\xDA\0\2", 4);
    return f0t_xmp_packet_find(&p, file, at + 4, "j.jpg");
}

/* Phones keep depth maps there. */
static void extended_packets_stay_unless_they_have_keywords(void **state)
{
    (void)state;
    assert_ok(find_extended("<GDepth:Data>AAAA", "BBBB</GDepth:Data><exif:SubjectDistance>"));
    assert_fails(F0T_ERROR_UNSUPPORTED, "its keywords are in the extended part of its XMP",
                 find_extended("<dc:subject><rdf:Bag>", "x"));
    assert_fails(F0T_ERROR_UNSUPPORTED, "keywords are in the extended part",
                 find_extended("x", "<lr:hierarchicalSubject>"));
    assert_fails(F0T_ERROR_UNSUPPORTED, "keywords are in the extended part",
                 find_extended("long before it <digiKam:Ta", "gsList> and long after it"));
}

/* Between segments any number of bytes 0xFF may stand (ISO/IEC 10918-1, B.1.1.2). */
static void bytes_that_fill_up_are_passed_over(void **state)
{
    static const char file[] = "\xFF\xD8\xFF\xFF\xE0\0\4JF\xFF\xFF\xFF\xDB\0\3Q\xFF\xFF\xDA\0\2";
    f0t_xmp_packet p;
    (void)state;
    assert_ok(f0t_xmp_packet_find(&p, file, sizeof file - 1, "j.jpg"));
    assert_int_equal(p.length, 0);
    assert_int_equal(p.begin, 9);
    assert_int_equal(p.end, 9);
    assert_fails(F0T_ERROR_FORMAT, "j.jpg: is a damaged JPEG file: no segment at byte ",
                 f0t_xmp_packet_find(&p, file, 12, "j.jpg"));
}

static f0t_status find_once(const void *data, size_t size)
{
    f0t_xmp_packet p;
    F0T_TRY(f0t_xmp_packet_find(&p, data, size, "test"));
    assert_true(p.begin <= p.end && p.end <= size);
    return F0T_OK;
}

/* JPEG is read up to its first scan: at byte 305 of this file. */
static bool after_the_header(size_t size)
{
    return size >= 300;
}

static void cut_and_altered_files_do_no_harm(void **state)
{
    static const char *const files[] = {"keywords-xmp.png", "quarters.png", "quarters.jpg"};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        size_t size;
        char *data = read_picture(files[i], &size);
        test_cut_everywhere(data, size, find_once, i == 2 ? after_the_header : NULL);
        test_alter_everywhere(data, size, find_once);
        f0t_free(data);
    }
}

static void a_packet_has_room_for_so_much(void **state)
{
    enum { MANY = (16 << 20) + 1 };
    char *text = memset(malloc(MANY), ' ', MANY);
    (void)state;
    for (int png = 0; png < 2; png++) {
        const f0t_xmp_packet place = {.is_png = png};
        f0t_writer *w;
        assert_ok(f0t_writer_open(&w, test_path("room")));
        assert_fails(
            F0T_ERROR_UNSUPPORTED,
            png ? "p: tags cannot go into it: its XMP would be more than 16 MB"
                : "p: tags cannot go into it: its XMP would be more than a JPEG segment holds",
            f0t_xmp_packet_write(w, &place, "", 0, text, png ? MANY : 65536, "p"));
        f0t_writer_abort(w);
    }
    free(text);
}

/* ---- Whole pictures -------------------------------------------------------------------------------- */

static f0t_status embed(const char *path, const char *const *tags, size_t count, bool *changed)
{
    const f0t_sidecar_options options = {.size = sizeof(f0t_sidecar_options), .embed = true};
    f0t_sidecars *sidecars;
    const char *written;
    F0T_TRY(f0t_sidecars_open(&sidecars, &options));
    f0t_status status = f0t_sidecars_write(&written, changed, sidecars, path, tags, count);
    f0t_sidecars_close(sidecars);
    return status;
}

/* All bytes but the packet's are those of before. */
static void assert_same_but_packet(const char *before, size_t before_size, const char *path)
{
    f0t_xmp_packet old, new;
    size_t size;
    char *data = test_read(path, &size);
    assert_ok(f0t_xmp_packet_find(&old, before, before_size, "before"));
    assert_ok(f0t_xmp_packet_find(&new, data, size, "after"));
    assert_int_equal(old.begin, new.begin);
    assert_memory_equal(before, data, old.begin);
    assert_int_equal(before_size - old.end, size - new.end);
    assert_memory_equal(before + old.end, data + new.end, size - new.end);
    assert_non_null(memmem(new.text, new.length, "<rdf:li>dog</rdf:li>", 20));
    assert_memory_equal(new.text, "<?xpacket begin", 15);
    f0t_free(data);
}

static void tags_go_into_pictures_and_nothing_else_changes(void **state)
{
    static const char *const files[] = {"quarters.jpg", "turned.jpg",       "keywords-iptc.jpg",
                                        "quarters.png", "keywords-xmp.png", "keywords-xmp.jpg"};
    static const char *const tags[] = {"dog", "sea"};
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        size_t size;
        bool changed;
        char *data = read_picture(files[i], &size);
        const char *path = test_file("into", data, size);
        assert_int_equal(chmod(path, 0640), 0);
        assert_ok(embed(path, tags, 2, &changed));
        assert_true(changed);
        assert_same_but_packet(data, size, path);
        assert_ok(embed(path, tags, 2, &changed));
        assert_false(changed);
        struct stat info;
        assert_int_equal(stat(path, &info), 0);
        assert_int_equal(info.st_mode & 0777, 0640);
        f0t_free(data);
    }
}

static f0t_status embed_once(void *context)
{
    static const char *const tags[] = {"dog"};
    bool changed;
    return embed(context, tags, 1, &changed);
}

static void a_failed_write_leaves_the_picture(void **state)
{
    size_t size, after;
    char *data = read_picture("quarters.jpg", &size), *now, path[4096];
    (void)state;
    snprintf(path, sizeof path, "%s", test_file("kept.jpg", data, size));
    const size_t files = test_files_left();
    f0t_fault_set(F0T_FAULT_WRITE, 1);
    assert_fails(F0T_ERROR_IO, "kept.jpg", embed_once(path));
    f0t_fault_set(F0T_FAULT_WRITE, 0);
    now = test_read(path, &after);
    assert_int_equal(after, size);
    assert_memory_equal(now, data, size);
    assert_int_equal(test_files_left(), files);
    f0t_free(now);
    f0t_free(data);
    test_each_fault(F0T_FAULT_ALLOC, embed_once, path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_are_found_and_places_for_them),
        cmocka_unit_test(what_would_be_lost_is_refused),
        cmocka_unit_test(a_packet_has_room_for_so_much),
        cmocka_unit_test(a_png_has_one_packet_of_plain_text),
        cmocka_unit_test(extended_packets_stay_unless_they_have_keywords),
        cmocka_unit_test(bytes_that_fill_up_are_passed_over),
        cmocka_unit_test(cut_and_altered_files_do_no_harm),
        cmocka_unit_test(tags_go_into_pictures_and_nothing_else_changes),
        cmocka_unit_test(a_failed_write_leaves_the_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
