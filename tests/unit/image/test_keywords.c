#include "pictures.h"

#include "image/keywords.h"

#define RDF                                                                                      \
    "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF "                                              \
    "xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description rdf:about='' "     \
    "xmlns:dc='http://purl.org/dc/elements/1.1/' xmlns:lr='http://ns.adobe.com/lightroom/1.0/' " \
    "xmlns:digiKam='http://www.digikam.org/ns/1.0/' "                                            \
    "xmlns:MicrosoftPhoto='http://ns.microsoft.com/photo/1.0/'>"
#define END "</rdf:Description></rdf:RDF></x:xmpmeta>"

static const uint8_t pixel[3] = {9, 9, 9};

static void keywords_of_a_picture_and_both_sidecars_are_joined(void **state)
{
    f0t_worker *worker;
    f0t_texts words = {0};
    char path[4096];
    (void)state;
    snprintf(path, sizeof path, "%s", png_write("k.png", pixel, 1, 1, 3, 0));
    test_text("k.png.xmp", RDF "<dc:subject><rdf:Bag><rdf:li>Sea</rdf:li><rdf:li>dog</rdf:li>"
                               "</rdf:Bag></dc:subject><lr:hierarchicalSubject><rdf:Bag><rdf:li>"
                               "animal|pet|Dog</rdf:li></rdf:Bag></lr:hierarchicalSubject>" END);
    test_text("k.xmp", RDF "<digiKam:TagsList><rdf:Seq><rdf:li>places/Rome</rdf:li></rdf:Seq>"
                           "</digiKam:TagsList>" END);
    assert_ok(f0t_worker_create(&worker));
    assert_ok(f0t_keywords_read(&words, worker, path, true));
    static const char *const want[] = {"Sea", "dog", "animal|pet|Dog", "places|Rome"};
    assert_int_equal(words.count, 4);
    size_t firsts[4];
    assert_ok(f0t_keyword_firsts(firsts, &words));
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(f0t_texts_get(&words, i), want[i]);
        assert_int_equal(firsts[i], i == 2 ? 1 : i);
    }
    assert_string_equal(f0t_keyword_leaf(want[3]), "Rome");
    f0t_texts_free(&words);
    f0t_worker_free(worker);
}

/* Two slashes make a path of a word; one does not, nor do those of a date or an address. */
static void paths_are_known_in_lists_of_words(void **state)
{
    f0t_worker *worker;
    f0t_texts words = {0};
    (void)state;
    const char *path = png_write("p.png", pixel, 1, 1, 3, 0);
    test_text("p.png.xmp", RDF
              "<dc:subject><rdf:Bag><rdf:li>Places/Europe/Paris</rdf:li><rdf:li>AC/DC</rdf:li>"
              "<rdf:li>12/05/2019</rdf:li><rdf:li>http://a/b/c</rdf:li><rdf:li>a/b/</rdf:li>"
              "<rdf:li>animal|pet/dog/lap</rdf:li></rdf:Bag></dc:subject><lr:hierarchicalSubject>"
              "<rdf:Bag><rdf:li>places|europe|paris</rdf:li><rdf:li>x/y/z</rdf:li></rdf:Bag>"
              "</lr:hierarchicalSubject><MicrosoftPhoto:LastKeywordXMP><rdf:Bag><rdf:li>Tiere/Hund"
              "</rdf:li></rdf:Bag></MicrosoftPhoto:LastKeywordXMP>" END);
    assert_ok(f0t_worker_create(&worker));
    assert_ok(f0t_keywords_read(&words, worker, path, true));
    static const char *const want[] = {"Places|Europe|Paris", "AC/DC",     "12/05/2019",
                                       "http://a/b/c",        "a/b/",      "x/y/z",
                                       "animal|pet/dog/lap",  "Tiere|Hund"};
    assert_int_equal(words.count, 8);
    for (size_t i = 0; i < 8; i++) {
        bool found = false;
        for (size_t k = 0; k < 8; k++)
            found = found || !strcmp(f0t_texts_get(&words, k), want[i]);
        assert_true(found);
    }
    f0t_texts_free(&words);
    f0t_worker_free(worker);
}

static void what_we_wrote_is_no_keyword(void **state)
{
    f0t_worker *worker;
    f0t_texts words = {0};
    f0t_xmp_merged merged;
    (void)state;
    assert_ok(f0t_worker_create(&worker));
    const char *path = png_write("o.png", pixel, 1, 1, 3, 0);
    assert_ok(f0t_worker_merge(&merged, worker, test_path("o.png.xmp"), "+cat\n"));
    assert_true(merged.changed);
    test_file("o.png.xmp", merged.text, merged.length);
    assert_ok(f0t_keywords_read(&words, worker, path, true));
    assert_int_equal(words.count, 0);
    f0t_texts_free(&words);
    f0t_worker_free(worker);
}

static void sidecars_have_their_names(void **state)
{
    static const char *const cases[][3] = {{"a/b.jpg", "a/b.jpg.xmp", "a/b.xmp"},
                                           {"a.d/b", "a.d/b.xmp", "a.d/b.xmp"},
                                           {".x", ".x.xmp", ".x.xmp"},
                                           {"b.tar.png", "b.tar.png.xmp", "b.tar.xmp"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int plain = 0; plain < 2; plain++) {
            char *path;
            assert_ok(f0t_sidecar_path(&path, cases[i][0], plain));
            assert_string_equal(path, cases[i][1 + plain]);
            f0t_free(path);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keywords_of_a_picture_and_both_sidecars_are_joined),
        cmocka_unit_test(paths_are_known_in_lists_of_words),
        cmocka_unit_test(what_we_wrote_is_no_keyword),
        cmocka_unit_test(sidecars_have_their_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
