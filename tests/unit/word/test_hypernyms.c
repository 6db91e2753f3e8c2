#include "word/hypernyms.h"

#include "base/alloc.h"
#include "base/fault.h"
#include "memory_wordnet.h"
#include "tiny.h"

static const char *general(const f0t_hypernyms *h, const char *tag)
{
    static char text[1000];
    const char *words[F0T_HYPERNYMS_MOST];
    size_t count;
    assert_ok(f0t_hypernyms_find(words, &count, h, tag));
    text[0] = '\0';
    for (size_t i = 0; i < count; i++)
        strcat(strcat(text, i ? ", " : ""), words[i]);
    return text;
}

static void general_words_are_those_that_people_use(void **state)
{
    f0t_hypernyms *h;
    (void)state;
    assert_ok(f0t_hypernyms_open(&h, test_source("wordnet"), NULL));
    assert_string_equal(general(h, "puppy"), "dog, animal");
    assert_string_equal(general(h, "Domestic_Dog"), "animal");
    assert_string_equal(general(h, "geese"), "animal"); /* no text uses "bird" */
    assert_string_equal(general(h, "car"), "vehicle, machine");
    assert_string_equal(general(h, "animal"), "");
    assert_string_equal(general(h, "wood"), ""); /* a kind of entity alone */
    assert_string_equal(general(h, "big"), "");
    assert_string_equal(general(h, "no such word"), "");
    assert_string_equal(general(h, ""), "");
    f0t_hypernyms_close(h);
}

static void paths_lead_down_to_the_word(void **state)
{
    f0t_hypernyms *h;
    char path[64];
    (void)state;
    assert_ok(f0t_hypernyms_open(&h, test_source("wordnet"), NULL));
    assert_true(f0t_hypernyms_path(path, sizeof path, h, "Puppy"));
    assert_string_equal(path, "animal|dog|Puppy");
    assert_false(f0t_hypernyms_path(path, sizeof path, h, "wood"));
    for (size_t size = 0; size < sizeof "animal|dog|Puppy"; size++)
        assert_false(f0t_hypernyms_path(path, size, h, "Puppy"));
    f0t_hypernyms_close(h);
}

/* An ape is an animal by the shorter way, food by its second sense; kinds of each other in a circle end. */
static const char DATA[] =
    "00000001 03 n 01 animal 0 001 ~ 00000002 n 0000 | one  \n"
    "00000002 03 n 01 beast 0 002 @ 00000001 n 0000 @ 00000003 n 0000 | two  \n"
    "00000003 03 n 01 mammal 0 002 @ 00000001 n 0000 @ 00000004 n 0000 | three  \n"
    "00000004 03 n 01 circle 0 001 @ 00000003 n 0000 | four  \n"
    "00000005 03 n 02 roast 0 beef 0 001 @ 00000006 n 0000 | five  \n"
    "00000006 13 n 01 food 0 000 | six  \n"
    "00000007 03 n 01 ox 0 001 @ 00000003 n 0000 | seven  \n"
    "00000008 03 n 01 ox 1 000 | eight  \n"
    "00000009 03 n 01 mutton 0 000 | nine  \n"
    "00000010 03 n 01 slurword 0 001 @ 00000001 n 0000 | a disparaging term for an animal  \n"
    "00000011 03 n 01 calf 0 001 @ 00000010 n 0000 | eleven  \n";
static const char INDEX[] = "animal n 1 0 1 0 00000001\n"
                            "beast n 1 0 1 0 00000002\n"
                            "beef n 2 0 2 0 00000008 00000005\n"
                            "calf n 1 0 1 0 00000011\n"
                            "circle n 1 0 1 0 00000004\n"
                            "food n 1 0 1 0 00000006\n"
                            "mammal n 1 0 1 0 00000003\n"
                            "mutton n 3 0 3 0 00000009 00000008 00000005\n"
                            "ox n 1 0 1 0 00000007\n"
                            "roast n 1 0 1 0 00000005\n"
                            "slurword n 1 0 1 0 00000010\n";
static const char COUNTS[] = "beast%1:03:00:: 1 5\nmammal%1:03:00:: 1 5\nslurword%1:03:00:: 1 9\n"
                             "roast%1:03:00:: 1 1\n";

static void the_shortest_way_up_counts(void **state)
{
    f0t_hypernyms *h;
    (void)state;
    assert_ok(f0t_alloc_zero(&h, 1, sizeof *h));
    memory_wordnet(&h->wordnet, DATA, INDEX, COUNTS);
    assert_ok(f0t_hypernyms_index(h));
    assert_string_equal(general(h, "beast"), "animal");
    assert_string_equal(general(h, "ox"), "mammal, animal");
    assert_string_equal(general(h, "circle"), "mammal, animal");
    assert_string_equal(general(h, "beef"), "food"); /* its second sense */
    assert_string_equal(general(h, "mutton"), "");   /* its third */
    assert_string_equal(general(h, "calf"), "animal");
    f0t_hypernyms_close(h);
}

static f0t_status open_once(void *context)
{
    f0t_hypernyms *h;
    (void)context;
    f0t_status status = f0t_hypernyms_open(&h, test_source("wordnet"), NULL);
    f0t_hypernyms_close(h);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    f0t_hypernyms *h;
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, open_once, NULL);
    assert_fails(F0T_ERROR_NOT_FOUND, "wordnet-base",
                 f0t_hypernyms_open(&h, test_path("nowhere"), NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(general_words_are_those_that_people_use),
        cmocka_unit_test(paths_lead_down_to_the_word),
        cmocka_unit_test(the_shortest_way_up_counts),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
