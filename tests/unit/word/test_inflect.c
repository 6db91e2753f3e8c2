#include "support.h"

#include "word/inflect.h"

#include <string.h>

/* The first guess; "" when there is none. */
static const char *singular(const char *word)
{
    static f0t_inflections guesses;
    f0t_singulars(&guesses, word, strlen(word));
    return guesses.count ? guesses.text[0] : "";
}

static const char *plural(const char *word)
{
    static f0t_inflections guesses;
    f0t_plurals(&guesses, word, strlen(word));
    return guesses.count ? guesses.text[0] : "";
}

/* All guesses, "a b c". */
static const char *bases(const char *word)
{
    static char text[200];
    f0t_inflections guesses;
    f0t_bases(&guesses, word, strlen(word));
    text[0] = '\0';
    for (size_t i = 0; i < guesses.count; i++) {
        strcat(text, i ? " " : "");
        strcat(text, guesses.text[i]);
    }
    return text;
}

/* The first guess that a word list would know. */
static void verb_forms_come_from_their_base(void **state)
{
    static const char *const pairs[][2] = {{"generated", "generate generat"},
                                           {"running", "run runn"},
                                           {"stopped", "stop stopp"},
                                           {"making", "make mak"},
                                           {"hoped", "hope hop"},
                                           {"hopping", "hop hopp"},
                                           {"walked", "walk walke"},
                                           {"dancing", "danc dance"},
                                           {"filled", "fill fille fil"},
                                           {"passing", "pass passe"},
                                           {"carried", "carry carrie"},
                                           {"tied", "tie"},
                                           {"travelled", "travell travelle travel"},
                                           {"agreed", "agree"},
                                           {"used", "use us"},
                                           {"boxing", "box boxe"},
                                           {"playing", "play playe"},
                                           {"cycling", "cycl cycle"},
                                           {"added", "add adde"},
                                           {"seeing", "see seee"},
                                           {"ran", "run"},
                                           {"swam", "swim"},
                                           {"written", "write"},
                                           {"skiing", "ski"},
                                           {"lying", "lie"},
                                           {"built", "build"}};
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        assert_string_equal(bases(pairs[i][0]), pairs[i][1]);
}

static void what_only_looks_like_a_verb_form_has_no_base(void **state)
{
    static const char *const words[] = {"red",
                                        "bed",
                                        "king",
                                        "ring",
                                        "thing",
                                        "string",
                                        "spring",
                                        "seed",
                                        "speed",
                                        "shed",
                                        "sled",
                                        "wedding",
                                        "moped",
                                        "morning",
                                        "ceiling",
                                        "pudding",
                                        "darling",
                                        "hundred",
                                        "ed",
                                        "ing",
                                        "",
                                        "s",
                                        "glasses",
                                        "bus",
                                        "goed",
                                        "sted",
                                        "fred",
                                        "Ring",
                                        "saw",
                                        "rose",
                                        "leaves",
                                        "dog",
                                        "painter",
                                        "taller",
                                        "forest",
                                        "fr\xC3\xBChling",
                                        ("b\xC3\xA5"
                                         "ding"),
                                        "t-shirted"};
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (*bases(words[i]))
            fail_msg("'%s' became '%s'", words[i], bases(words[i]));
}

static void words_that_only_look_like_plurals_have_no_singular(void **state)
{
    static const char *const words[] = {
        "bus",    "glass",  "news",    "series",     "species", "lens",      "gas",     "virus",
        "tennis", "iris",   "canvas",  "cactus",     "octopus", "christmas", "grass",   "dress",
        "chess",  "cross",  "physics", "gymnastics", "jeans",   "this",      "yes",     "atlas",
        "walrus", "campus", "circus",  "oasis",      "trellis", "specimen",  "abdomen", "ramen",
        "axis",   "paris",  "as",      "s",          "",        "dog",       "sheep",   "chaos"};
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (*singular(words[i]))
            fail_msg("'%s' became '%s'", words[i], singular(words[i]));
}

/* Singular and plural, which must be each other's first guess. */
static void singular_and_plural_are_each_others(void **state)
{
    static const char *const pairs[][2] = {{"dog", "dogs"},
                                           {"tree", "trees"},
                                           {"person", "people"},
                                           {"child", "children"},
                                           {"man", "men"},
                                           {"woman", "women"},
                                           {"fireman", "firemen"},
                                           {"foot", "feet"},
                                           {"tooth", "teeth"},
                                           {"mouse", "mice"},
                                           {"goose", "geese"},
                                           {"leaf", "leaves"},
                                           {"knife", "knives"},
                                           {"wolf", "wolves"},
                                           {"shelf", "shelves"},
                                           {"bus", "buses"},
                                           {"glass", "glasses"},
                                           {"lens", "lenses"},
                                           {"gas", "gases"},
                                           {"virus", "viruses"},
                                           {"berry", "berries"},
                                           {"city", "cities"},
                                           {"boy", "boys"},
                                           {"church", "churches"},
                                           {"brush", "brushes"},
                                           {"box", "boxes"},
                                           {"fox", "foxes"},
                                           {"tomato", "tomatoes"},
                                           {"potato", "potatoes"},
                                           {"hero", "heroes"},
                                           {"shoe", "shoes"},
                                           {"toe", "toes"},
                                           {"canoe", "canoes"},
                                           {"photo", "photos"},
                                           {"glove", "gloves"},
                                           {"wave", "waves"},
                                           {"olive", "olives"},
                                           {"house", "houses"},
                                           {"horse", "horses"},
                                           {"rose", "roses"},
                                           {"nurse", "nurses"},
                                           {"vase", "vases"},
                                           {"cause", "causes"},
                                           {"fuse", "fuses"},
                                           {"size", "sizes"},
                                           {"prize", "prizes"},
                                           {"quiz", "quizzes"},
                                           {"sofa", "sofas"},
                                           {"panda", "pandas"},
                                           {"camera", "cameras"},
                                           {"ski", "skis"},
                                           {"taxi", "taxis"},
                                           {"menu", "menus"},
                                           {"comic", "comics"},
                                           {"cactus", "cacti"},
                                           {"human", "humans"},
                                           {"german", "germans"},
                                           {"tv", "tvs"},
                                           {"crisis", "crises"},
                                           {"thief", "thieves"},
                                           {"lion", "lions"},
                                           {"bee", "bees"},
                                           {"eye", "eyes"},
                                           {"key", "keys"},
                                           {"caf\xC3\xA9", "caf\xC3\xA9s"}};
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (strcmp(singular(pairs[i][1]), pairs[i][0]) != 0)
            fail_msg("singular of '%s' is '%s'", pairs[i][1], singular(pairs[i][1]));
        if (strcmp(plural(pairs[i][0]), pairs[i][1]) != 0)
            fail_msg("plural of '%s' is '%s'", pairs[i][0], plural(pairs[i][0]));
    }
}

static bool guessed(const f0t_inflections *guesses, const char *word)
{
    for (size_t i = 0; i < guesses->count; i++)
        if (strcmp(guesses->text[i], word) == 0)
            return true;
    return false;
}

static void where_rules_cannot_know_both_are_guessed(void **state)
{
    static const char *const pairs[][2] = {{"movies", "movie"},
                                           {"cookies", "cookie"},
                                           {"ties", "tie"},
                                           {"headaches", "headache"},
                                           {"moustaches", "moustache"},
                                           {"choruses", "chorus"},
                                           {"canvases", "canvas"},
                                           {"axes", "axe"},
                                           {"excuses", "excuse"}};
    f0t_inflections guesses;
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        f0t_singulars(&guesses, pairs[i][0], strlen(pairs[i][0]));
        assert_true(guessed(&guesses, pairs[i][1]));
    }
    f0t_plurals(&guesses, "mosquito", 8);
    assert_true(guessed(&guesses, "mosquitoes"));
    f0t_plurals(&guesses, "cargo", 5);
    assert_true(guessed(&guesses, "cargos") && guessed(&guesses, "cargoes"));
}

static void plurals_have_no_plural(void **state)
{
    static const char *const words[] = {"dogs", "news", "series", "sheep", "physics", "x", ""};
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_string_equal(plural(words[i]), "");
}

static void long_words_are_left_alone(void **state)
{
    char word[200];
    (void)state;
    for (size_t n = 55; n < sizeof word; n++) {
        memset(word, 'b', n);
        word[n - 1] = 's';
        word[n] = '\0';
        assert_int_equal(strlen(singular(word)), n <= F0T_INFLECT_LENGTH - 4 ? n - 1 : 0);
        word[n - 1] = 'x';
        assert_int_equal(strlen(plural(word)), n <= F0T_INFLECT_LENGTH - 4 ? n + 2 : 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verb_forms_come_from_their_base),
        cmocka_unit_test(what_only_looks_like_a_verb_form_has_no_base),
        cmocka_unit_test(words_that_only_look_like_plurals_have_no_singular),
        cmocka_unit_test(singular_and_plural_are_each_others),
        cmocka_unit_test(where_rules_cannot_know_both_are_guessed),
        cmocka_unit_test(plurals_have_no_plural),
        cmocka_unit_test(long_words_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
