#include "tiny.h"

#include <stdio.h>
#include <unistd.h>

static bool has_link(const tiny *t, size_t from, size_t to, f0t_relation relation)
{
    for (size_t i = 0; i < t->wordnet.link_count; i++) {
        const f0t_link *l = &t->wordnet.links[i];
        if (l->from == from && l->to == to && l->relation == relation)
            return true;
    }
    return false;
}

static void synsets_lemmas_and_links_are_read(void **state)
{
    (void)state;
    tiny t;
    tiny_open(&t);
    const f0t_wordnet *w = &t.wordnet;
    assert_int_equal(w->synset_count, 23 + 4 + 4 + 1);
    assert_int_equal(w->synset_begin[F0T_ADJECTIVE], 27);
    size_t dog = tiny_synset(&t, F0T_NOUN, "dog");
    assert_int_equal(tiny_synset(&t, F0T_NOUN, "domestic dog"), dog);
    assert_true(has_link(&t, dog, tiny_synset(&t, F0T_NOUN, "beast"), F0T_RELATION_UP));
    assert_true(has_link(&t, dog, tiny_synset(&t, F0T_NOUN, "pack"), F0T_RELATION_WHOLE));
    assert_true(has_link(&t, dog, tiny_synset(&t, F0T_VERB, "bark"), F0T_RELATION_DERIVED));
    assert_true(has_link(&t, tiny_synset(&t, F0T_ADJECTIVE, "huge"),
                         tiny_synset(&t, F0T_ADJECTIVE, "big"), F0T_RELATION_SIMILAR));
    assert_memory_equal(w->synsets[dog].gloss, " an animal that barks; \"", 24);
    tiny_close(&t);
}

static void senses_have_their_ranks_and_counts(void **state)
{
    (void)state;
    tiny t;
    tiny_open(&t);
    const f0t_sense *trunk =
        &t.wordnet.senses[t.wordnet.first[F0T_NOUN][tiny_lemma(&t, "trunk")] - 1];
    assert_int_equal(trunk[0].rank, 0);
    assert_int_equal(trunk[0].count, 7);
    assert_int_equal(trunk[1].rank, 1);
    assert_int_equal(trunk[1].count, 1);
    assert_int_equal(trunk[1].lemma, trunk[0].lemma);
    assert_true(trunk[1].synset != trunk[0].synset);
    /* Satellite adjectives (%5) are adjectives. */
    size_t huge = tiny_lemma(&t, "huge");
    assert_int_equal(t.wordnet.senses[t.wordnet.first[F0T_ADJECTIVE][huge] - 1].count, 3);
    assert_int_equal(t.wordnet.first[F0T_NOUN][huge], 0);
    tiny_close(&t);
}

/* ---- Hostile files -------------------------------------------------------------------------- */

/* The tiny WordNet with another file in the place of one of its own. */
static tiny base;
static f0t_wordnet_file *place;

static f0t_status load_with(const void *data, size_t size)
{
    f0t_wordnet wordnet;
    f0t_wordnet_file before = *place;
    place->text = data;
    place->size = size;
    f0t_status status = f0t_wordnet_read(&wordnet, &base.folder.files);
    f0t_wordnet_clear(&wordnet);
    *place = before;
    return status;
}

static bool any_cut_is_fine(size_t size)
{
    (void)size;
    return true;
}

static void cut_and_altered_files_never_crash(void **state)
{
    (void)state;
    tiny_open(&base);
    f0t_wordnet_files *files = &base.folder.files;
    f0t_wordnet_file *all[] = {&files->data[F0T_ADJECTIVE], &files->data[F0T_ADVERB],
                               &files->index[F0T_VERB], &files->counts,
                               &files->exceptions[F0T_NOUN]};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        place = all[i];
        char *copy;
        assert_ok(f0t_string_copy(&copy, place->text, place->size));
        test_cut_everywhere(copy, place->size, load_with, any_cut_is_fine);
        test_alter_everywhere(copy, place->size, load_with);
        f0t_free(copy);
    }
    tiny_close(&base);
}

static void refuses(f0t_wordnet_file *file, const char *message, const char *text)
{
    place = file;
    assert_fails(F0T_ERROR_FORMAT, message, load_with(text, strlen(text)));
}

static void wrong_data_files_are_refused(void **state)
{
    (void)state;
    tiny_open(&base);
    f0t_wordnet_file *data = &base.folder.files.data[F0T_ADVERB];
    refuses(data, "data.adv: has no synset", "  only a licence\n\n");
    refuses(data, "data.adv:2: 'x' is no offset of at most ",
            "  1 licence\nx 02 r 01 so 0 000 | so\n");
    refuses(data, "the line ends before its file number", "00000100");
    refuses(data, "not n, v, a, s or r", "00000100 02 q 01 so 0 000 | so\n");
    refuses(data, "another part of speech", "00000100 02 n 01 so 0 000 | so\n");
    refuses(data, "is no number of words", "00000100 02 r 0g so 0 000 | so\n");
    refuses(data, "ends before its word", "00000100 02 r ff so 0");
    refuses(data, "ends before its pointer symbol", "00000100 02 r 01 so 0 002");
    refuses(data, "symbol that WordNet does not have",
            "00000100 02 r 01 so 0 001 ? 00000100 r 0000 | so\n");
    refuses(data, "synset 00000100 points to 00000777, which",
            "00000100 02 r 01 so 0 001 ! 00000777 n 0000 | so\n");
    refuses(data, "part of speech", "00000100 02");
    refuses(data, "number of words", "00000100 02 r");
    refuses(data, "lexical id", "00000100 02 r 01 so");
    refuses(data, "number of pointers", "00000100 02 r 01 so 0");
    refuses(data, "pointer symbol", "00000100 02 r 01 so 0 001");
    refuses(data, "pointer's offset", "00000100 02 r 01 so 0 001 !");
    refuses(data, "pointer's source and target", "00000100 02 r 01 so 0 001 ! 00000100 r");
    refuses(data, "no '|' before the gloss", "00000100 02 r 01 so 0 000 so\n");
    refuses(data, "data.adv:2: the offset is not above",
            "00000100 02 r 01 so 0 000 | so\n00000100 02 r 01 as 0 000 | as\n");
    refuses(data, "'99999999999' is no offset", "99999999999 02 r 01 so 0 000 | so\n");
    tiny_close(&base);
}

static void wrong_index_files_are_refused(void **state)
{
    (void)state;
    char longest[400];
    tiny_open(&base);
    f0t_wordnet_file *index = &base.folder.files.index[F0T_ADVERB];
    refuses(index, "index.adv: has no lemma", "");
    refuses(index, "no synset has the offset 00000101", "wildly r 1 0 1 1 00000101\n");
    refuses(index, "number of senses", "wildly r");
    refuses(index, "synset's offset", "wildly r 1 0 1 1");
    refuses(index, "without a sense", "wildly r 0 0 1 1\n");
    refuses(index, "ends before its synset's offset", "wildly r 2 0 1 1 00000100\n");
    refuses(index, "index.adv:2: the lemma stood",
            "wildly r 1 0 1 1 00000100\nwildly r 1 0 1 1 00000100\n");
    refuses(index, "not UTF-8", "w\xFFld r 1 0 1 1 00000100\n");
    memset(longest, 'a', sizeof longest);
    snprintf(longest + 300, sizeof longest - 300, " r 1 0 1 1 00000100\n");
    refuses(index, "over 255 bytes", longest);
    refuses(&base.folder.files.counts, "a sense key has no %1 to %5", "dog%9:05:00:: 1 42\n");
    refuses(&base.folder.files.counts, "no %1 to %5", "dog% 1 42\n");
    refuses(&base.folder.files.counts, "sense number", "dog%1:05:00::");
    refuses(&base.folder.files.counts, "ends before its count", "dog%1:05:00:: 1\n");
    refuses(&base.folder.files.exceptions[0], "ends before its lemma", "geese\n");
    tiny_close(&base);
}

static void counts_and_exceptions_may_be_missing(void **state)
{
    (void)state;
    f0t_wordnet w;
    tiny_open(&base);
    f0t_wordnet_files files = base.folder.files;
    files.counts.text = NULL;
    for (int pos = 0; pos < F0T_POS_COUNT; pos++)
        files.exceptions[pos].text = NULL;
    assert_ok(f0t_wordnet_read(&w, &files));
    assert_int_equal(w.senses[0].count, 0);
    assert_true(f0t_wordnet_lemma(&w, "geese", 5) == F0T_NONE);
    f0t_wordnet_clear(&w);
    tiny_close(&base);
}

static void a_folder_without_wordnet_says_which_package_has_it(void **state)
{
    (void)state;
    f0t_wordnet_folder folder;
    assert_fails(F0T_ERROR_NOT_FOUND, "there is no WordNet: Debian's package wordnet-base has it",
                 f0t_wordnet_folder_open(&folder, test_path("nowhere")));
    f0t_wordnet_folder_close(&folder);
}

static f0t_status open_and_read(void *context)
{
    tiny t;
    (void)context;
    memset(&t.wordnet, 0, sizeof t.wordnet);
    f0t_status status = f0t_wordnet_folder_open(&t.folder, test_source("wordnet"));
    if (status == F0T_OK)
        status = f0t_wordnet_read(&t.wordnet, &t.folder.files);
    tiny_close(&t);
    return status;
}

/* A folder with a copy of every file; data.noun ends with a hole, so that it is mapped. */
static void copy_folder(char nouns[512], size_t *size)
{
    static const char *const files[] = {"data.noun",  "data.verb",  "data.adj",  "data.adv",
                                        "index.noun", "index.verb", "index.adj", "index.adv"};
    for (size_t i = sizeof files / sizeof *files; i-- > 0;) {
        char name[64];
        snprintf(name, sizeof name, "wordnet/%s", files[i]);
        char *text = test_read(test_source(name), size);
        snprintf(nouns, 512, "%s", test_file(files[i], text, *size));
        f0t_free(text);
    }
    assert_int_equal(truncate(nouns, (off_t)*size + (1 << 20)), 0);
}

static void a_file_that_is_cut_is_told(void **state)
{
    (void)state;
    f0t_wordnet_folder folder;
    f0t_wordnet wordnet;
    char nouns[512];
    size_t size;
    copy_folder(nouns, &size);
    assert_ok(f0t_wordnet_folder_open(&folder, test_path(".")));
    assert_ok(f0t_wordnet_folder_check(&folder));
    const bool mapped = folder.maps[0].mapping; /* the file system knows holes */
    assert_int_equal(truncate(nouns, (off_t)size), 0);
    if (mapped)
        assert_fails(F0T_ERROR_IO, "data.noun: cannot be read to its end",
                     f0t_wordnet_folder_read(&wordnet, &folder));
    else
        assert_ok(f0t_wordnet_folder_check(&folder));
    if (mapped)
        f0t_wordnet_clear(&wordnet);
    f0t_wordnet_folder_close(&folder);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, open_and_read, NULL);
}

static void debians_wordnet_is_read(void **state)
{
    (void)state;
    f0t_wordnet_folder folder;
    f0t_wordnet w = {0};
    if (f0t_wordnet_folder_open(&folder, "/usr/share/wordnet") != F0T_OK) {
        f0t_wordnet_folder_close(&folder);
        test_skip("the package wordnet-base is not installed");
    }
    assert_ok(f0t_wordnet_read(&w, &folder.files));
    assert_int_equal(w.synset_count, 117659);
    assert_int_equal(w.lemmas.view.count, 147306);
    assert_int_equal(w.sense_count, 206941);
    assert_int_equal(w.link_count, 377592);
    assert_int_equal(f0t_wordnet_lemma(&w, "geese", 5), f0t_wordnet_lemma(&w, "goose", 5));
    f0t_wordnet_clear(&w);
    f0t_wordnet_folder_close(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(synsets_lemmas_and_links_are_read),
        cmocka_unit_test(senses_have_their_ranks_and_counts),
        cmocka_unit_test(cut_and_altered_files_never_crash),
        cmocka_unit_test(wrong_data_files_are_refused),
        cmocka_unit_test(wrong_index_files_are_refused),
        cmocka_unit_test(counts_and_exceptions_may_be_missing),
        cmocka_unit_test(a_folder_without_wordnet_says_which_package_has_it),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_file_that_is_cut_is_told),
        cmocka_unit_test(debians_wordnet_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
