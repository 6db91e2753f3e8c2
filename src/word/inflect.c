#include "word/inflect.h"

#include <stdbool.h>
#include <string.h>

/* ---- Words that follow no rule --------------------------------------------------------------- */

/* English words whose plural or base no rule gives, or whose end misleads the rules. */

/* plural, singular */
static const char *const irregular[][2] = {
    {"people", "person"},
    {"children", "child"},
    {"men", "man"},
    {"grandchildren", "grandchild"},
    {"schoolchildren", "schoolchild"},
    {"feet", "foot"},
    {"teeth", "tooth"},
    {"geese", "goose"},
    {"mice", "mouse"},
    {"dormice", "dormouse"},
    {"lice", "louse"},
    {"oxen", "ox"},
    {"dice", "die"},
    {"leaves", "leaf"},
    {"knives", "knife"},
    {"wolves", "wolf"},
    {"lives", "life"},
    {"wives", "wife"},
    {"housewives", "housewife"},
    {"midwives", "midwife"},
    {"halves", "half"},
    {"calves", "calf"},
    {"shelves", "shelf"},
    {"bookshelves", "bookshelf"},
    {"thieves", "thief"},
    {"loaves", "loaf"},
    {"scarves", "scarf"},
    {"hooves", "hoof"},
    {"elves", "elf"},
    {"selves", "self"},
    {"sheaves", "sheaf"},
    {"dwarves", "dwarf"},
    {"wharves", "wharf"},
    {"werewolves", "werewolf"},
    {"buses", "bus"},
    {"minibuses", "minibus"},
    {"gases", "gas"},
    {"lenses", "lens"},
    {"irises", "iris"},
    {"canvases", "canvas"},
    {"atlases", "atlas"},
    {"quizzes", "quiz"},
    {"axes", "axe"},
    {"cacti", "cactus"},
    {"fungi", "fungus"},
    {"alumni", "alumnus"},
    {"nuclei", "nucleus"},
    {"radii", "radius"},
    {"stimuli", "stimulus"},
    {"octopi", "octopus"},
    {"hippopotami", "hippopotamus"},
    {"criteria", "criterion"},
    {"phenomena", "phenomenon"},
    {"bacteria", "bacterium"},
    {"strata", "stratum"},
    {"aquaria", "aquarium"},
    {"larvae", "larva"},
    {"algae", "alga"},
    {"antennae", "antenna"},
    {"nebulae", "nebula"},
    {"indices", "index"},
    {"matrices", "matrix"},
    {"vertices", "vertex"},
    {"appendices", "appendix"},
    {"crises", "crisis"},
    {"oases", "oasis"},
    {"analyses", "analysis"},
    {"theses", "thesis"},
    {"hypotheses", "hypothesis"},
    {"parentheses", "parenthesis"},
    {"diagnoses", "diagnosis"},
    {"tornadoes", "tornado"},
    {"volcanoes", "volcano"},
    {"mosquitoes", "mosquito"},
    {"buffaloes", "buffalo"},
    {"tomatoes", "tomato"},
    {"potatoes", "potato"},
    {"heroes", "hero"},
    {"echoes", "echo"},
    {"mangoes", "mango"},
    {"torpedoes", "torpedo"},
    {"dominoes", "domino"},
};

/* No singular or plural that would be another word. */
static const char *const invariant[] = {
    "news",        "series",     "species",    "means",       "physics",      "mathematics",
    "politics",    "economics",  "athletics",  "gymnastics",  "aerobics",     "ethics",
    "electronics", "genetics",   "acoustics",  "linguistics", "mechanics",    "optics",
    "robotics",    "hydraulics", "logistics",  "jeans",       "pants",        "trousers",
    "scissors",    "clothes",    "binoculars", "sheep",       "fish",         "deer",
    "moose",       "aircraft",   "spacecraft", "offspring",   "headquarters", "barracks",
    "crossroads",  "gallows",    "measles",    "billiards",   "diabetes",     "chess",
    "always",      "perhaps",    "besides",    "this",        "his",          "its",
    "was",         "has",        "yes",        "us",          "as",           "is",
    "mars",        "paris",      "athens",     "naples",      "wales",        "texas",
    "kansas",      "james",      "jesus",      "achilles",    "hercules",     "netherlands",
    "philippines", "cyclops",    "biceps",     "triceps",     "forceps",      "herpes",
    "rabies",      "caries",     "chaos",      "cosmos",      "asbestos",     "rhinoceros",
    "pathos",      "ethos",      "kudos",      "thermos",     "lagos",        "laos",
    "barbados",    "sometimes",  "afterwards", "towards"};

/* Neither plural nor singular of another word although they end so. */
static const char *const ends_as[] = {
    "christmas", "xmas",     "pampas", "pajamas", "pyjamas",  "vegas", "dallas", "arkansas",
    "honduras",  "bahamas",  "thomas", "lucas",   "nicholas", "judas", "madras", "caracas",
    "whereas",   "overseas", "biogas", "midas",   "texas",    "kansas"};

/* Singular, with a plural in -es. */
static const char *const ends_s[] = {"lens", "gas", "canvas", "atlas", "alias", "bias", "pancreas"};

/* Plural although it ends so. */
static const char *const plural_us[] = {"menus",   "emus",     "gnus",     "gurus",  "tutus",
                                        "haikus",  "zebus",    "plateaus", "bayous", "caribous",
                                        "bureaus", "chateaus", "tableaus"};
static const char *const plural_is[] = {
    "skis",    "taxis",    "kiwis",   "bikinis",   "safaris", "rabbis", "alibis",
    "yetis",   "khakis",   "chilis",  "zucchinis", "okapis",  "saris",  "tsunamis",
    "salamis", "martinis", "paninis", "minis",     "semis",   "wikis",  "corgis"};
static const char *const plural_ics[] = {
    "comics",  "pics",     "mosaics",  "critics",  "clinics",  "fabrics",  "relics",  "picnics",
    "tropics", "graphics", "classics", "topics",   "plastics", "ceramics", "metrics", "medics",
    "tunics",  "lyrics",   "mimics",   "fanatics", "epics",    "cynics",   "basics",  "attics"};

/* -oes and -uses of words that end with -oe and -use. */
static const char *const plural_oe[] = {"shoes", "toes",    "canoes", "oboes",      "foes",
                                        "hoes",  "does",    "floes",  "horseshoes", "snowshoes",
                                        "aloes", "woes",    "roes",   "mistletoes", "tiptoes",
                                        "sloes", "backhoes"};
static const char *const plural_use[] = {"uses",    "fuses",  "muses",   "excuses",
                                         "abuses",  "ruses",  "refuses", "recluses",
                                         "accuses", "amuses", "reuses",  "confuses"};

/* -man that is no man, -men that are no men. */
static const char *const not_man[] = {"human",   "german",     "roman",  "talisman",
                                      "shaman",  "ottoman",    "caiman", "norman",
                                      "brahman", "superhuman", "oman",   "cayman"};
static const char *const not_men[] = {
    "specimen", "abdomen", "regimen", "omen",   "ramen", "semen",   "acumen",   "stamen",
    "hymen",    "yemen",   "amen",    "carmen", "lumen", "bitumen", "cyclamen", "albumen"};

/* Verb forms that no rule gives, and their base. Those that are better known as other words ("saw",
 * "rose", "ground") are not here. */
static const char *const irregular_verbs[][2] = {
    {"ate", "eat"},       {"beaten", "beat"},   {"became", "become"},    {"began", "begin"},
    {"begun", "begin"},   {"bent", "bend"},     {"bitten", "bite"},      {"blew", "blow"},
    {"blown", "blow"},    {"bled", "bleed"},    {"bought", "buy"},       {"bred", "breed"},
    {"broke", "break"},   {"broken", "break"},  {"brought", "bring"},    {"built", "build"},
    {"burnt", "burn"},    {"came", "come"},     {"caught", "catch"},     {"chose", "choose"},
    {"chosen", "choose"}, {"clung", "cling"},   {"crept", "creep"},      {"dealt", "deal"},
    {"did", "do"},        {"died", "die"},      {"done", "do"},          {"drank", "drink"},
    {"drawn", "draw"},    {"dreamt", "dream"},  {"drew", "draw"},        {"driven", "drive"},
    {"drove", "drive"},   {"drunk", "drink"},   {"dug", "dig"},          {"dwelt", "dwell"},
    {"dying", "die"},     {"eaten", "eat"},     {"fallen", "fall"},      {"fed", "feed"},
    {"felt", "feel"},     {"fled", "flee"},     {"flew", "fly"},         {"flown", "fly"},
    {"flung", "fling"},   {"forgot", "forget"}, {"forgotten", "forget"}, {"fought", "fight"},
    {"freed", "free"},    {"froze", "freeze"},  {"frozen", "freeze"},    {"gave", "give"},
    {"given", "give"},    {"going", "go"},      {"gone", "go"},          {"grew", "grow"},
    {"grown", "grow"},    {"heard", "hear"},    {"held", "hold"},        {"hid", "hide"},
    {"hidden", "hide"},   {"hung", "hang"},     {"kept", "keep"},        {"knelt", "kneel"},
    {"knew", "know"},     {"known", "know"},    {"laid", "lay"},         {"lain", "lie"},
    {"leapt", "leap"},    {"learnt", "learn"},  {"led", "lead"},         {"lent", "lend"},
    {"lit", "light"},     {"lost", "lose"},     {"lying", "lie"},        {"made", "make"},
    {"meant", "mean"},    {"met", "meet"},      {"mown", "mow"},         {"paid", "pay"},
    {"proven", "prove"},  {"ran", "run"},       {"rang", "ring"},        {"ridden", "ride"},
    {"risen", "rise"},    {"rode", "ride"},     {"rung", "ring"},        {"said", "say"},
    {"sang", "sing"},     {"sank", "sink"},     {"sat", "sit"},          {"sawn", "saw"},
    {"seen", "see"},      {"sent", "send"},     {"sewn", "sew"},         {"shaken", "shake"},
    {"shone", "shine"},   {"shook", "shake"},   {"shot", "shoot"},       {"shown", "show"},
    {"shrank", "shrink"}, {"skied", "ski"},     {"skiing", "ski"},       {"slept", "sleep"},
    {"slid", "slide"},    {"sold", "sell"},     {"sought", "seek"},      {"sown", "sow"},
    {"spent", "spend"},   {"spoken", "speak"},  {"sprang", "spring"},    {"spun", "spin"},
    {"stole", "steal"},   {"stolen", "steal"},  {"stood", "stand"},      {"struck", "strike"},
    {"strung", "string"}, {"stuck", "stick"},   {"stung", "sting"},      {"sung", "sing"},
    {"sunk", "sink"},     {"swam", "swim"},     {"swept", "sweep"},      {"swollen", "swell"},
    {"sworn", "swear"},   {"swum", "swim"},     {"swung", "swing"},      {"taken", "take"},
    {"taught", "teach"},  {"taxied", "taxi"},   {"threw", "throw"},      {"thrown", "throw"},
    {"told", "tell"},     {"took", "take"},     {"tore", "tear"},        {"torn", "tear"},
    {"tying", "tie"},     {"went", "go"},       {"wept", "weep"},        {"woke", "wake"},
    {"woken", "wake"},    {"won", "win"},       {"wore", "wear"},        {"worn", "wear"},
    {"woven", "weave"},   {"written", "write"}, {"wrote", "write"},      {"wrung", "wring"},
};

/* Ends with -ed or -ing, and is no form of the verb that it looks like. */
static const char *const not_verb[] = {
    "aged",       "anything", "awning",   "bedding",  "beijing",   "biped",    "boeing",
    "bunting",    "ceiling",  "crooked",  "darling",  "during",    "earring",  "evening",
    "everything", "hering",   "herring",  "hundred",  "inning",    "kindred",  "lightning",
    "moped",      "morning",  "naked",    "nothing",  "offspring", "outing",   "peking",
    "pudding",    "ragged",   "reading",  "rugged",   "sacred",    "shilling", "sibling",
    "something",  "starling", "sterling", "stocking", "viking",    "wedding",  "wicked",
    "being"};

/* ---- Guesses --------------------------------------------------------------------------------- */

/* A word and what was guessed for it. */
typedef struct guess {
    const char *word;
    size_t length;
    f0t_inflections *out;
} guess;

static bool is_word(const guess *g, const char *word)
{
    return strlen(word) == g->length && memcmp(word, g->word, g->length) == 0;
}

static bool is_among(const guess *g, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_word(g, words[i]))
            return true;
    return false;
}

#define AMONG(g, table) is_among(g, table, sizeof(table) / sizeof *(table))

static bool ends_with(const guess *g, const char *ending)
{
    size_t n = strlen(ending);
    return g->length > n && memcmp(g->word + g->length - n, ending, n) == 0;
}

/* The word without its last `drop` bytes, with `ending`. */
static void add(const guess *g, size_t drop, const char *ending)
{
    size_t keep = g->length - drop, n = strlen(ending);
    if (keep + n >= F0T_INFLECT_LENGTH || g->out->count == F0T_INFLECT_MOST)
        return;
    char *to = g->out->text[g->out->count++];
    memcpy(to, g->word, keep);
    memcpy(to + keep, ending, n + 1);
}

/* From column `from` of a table to the other. */
static bool add_other(const guess *g, const char *const (*table)[2], size_t count, size_t from)
{
    for (size_t i = 0; i < count; i++)
        if (is_word(g, table[i][from])) {
            add(g, g->length, table[i][1 - from]);
            return true;
        }
    return false;
}

static bool add_irregular(const guess *g, size_t from)
{
    return add_other(g, irregular, sizeof irregular / sizeof *irregular, from);
}

static bool is_vowel(char c)
{
    return strchr("aeiou", c) != NULL;
}

static bool is_consonant(char c)
{
    return c >= 'a' && c <= 'z' && !is_vowel(c);
}

/* ---- Plural to singular ---------------------------------------------------------------------- */

/* -es after a consonant that needs it. */
static bool add_without_es(const guess *g)
{
    if (ends_with(g, "ies")) {
        if (g->length > 4)
            add(g, 3, "y");
        add(g, 1, "");
    } else if (ends_with(g, "oes")) {
        if (!AMONG(g, plural_oe))
            add(g, 2, "");
        add(g, 1, "");
    } else if (ends_with(g, "ches") || ends_with(g, "shes") || ends_with(g, "sses") ||
               ends_with(g, "xes") || ends_with(g, "zzes")) {
        add(g, 2, "");
        add(g, 1, "");
    } else if (ends_with(g, "uses") && !ends_with(g, "ouses") && !ends_with(g, "auses") &&
               !AMONG(g, plural_use)) {
        add(g, 2, "");
        add(g, 1, "");
    } else if (ends_with(g, "ses") || ends_with(g, "zes")) {
        add(g, 1, "");
        add(g, 2, "");
    } else {
        return false;
    }
    return true;
}

/* Words in -s that are no plural by their end. */
static bool looks_singular(const guess *g)
{
    return ends_with(g, "ss") || (ends_with(g, "us") && !AMONG(g, plural_us)) ||
           (ends_with(g, "is") && !AMONG(g, plural_is)) ||
           (ends_with(g, "ics") && !AMONG(g, plural_ics)) || AMONG(g, ends_as) || AMONG(g, ends_s);
}

void f0t_singulars(f0t_inflections *out, const char *word, size_t length)
{
    guess g = {word, length, out};
    out->count = 0;
    if (length < 3 || length > F0T_INFLECT_LENGTH - 4 || AMONG(&g, invariant) ||
        add_irregular(&g, 0))
        return;
    if (ends_with(&g, "men") && !AMONG(&g, not_men)) {
        add(&g, 2, "an");
        return;
    }
    if (word[length - 1] != 's' || looks_singular(&g) || add_without_es(&g))
        return;
    /* "cds" and "tvs", but not "yes" and "gas". */
    if (length == 3 && !(is_consonant(word[0]) && is_consonant(word[1])))
        return;
    if (is_consonant(word[length - 2]) || is_vowel(word[length - 2]) ||
        (unsigned char)word[length - 2] >= 0x80)
        add(&g, 1, "");
}

/* ---- Singular to plural ---------------------------------------------------------------------- */

static void add_s(const guess *g)
{
    char last = g->word[g->length - 1], before = g->word[g->length - 2];
    if (ends_with(g, "ch") || ends_with(g, "sh") || last == 'x' || last == 'z') {
        add(g, 0, "es");
    } else if (last == 'y' && is_consonant(before)) {
        add(g, 1, "ies");
    } else {
        add(g, 0, "s");
        if (last == 'o' && is_consonant(before))
            add(g, 0, "es");
    }
}

/* A word in -s has a plural only if it is a singular. */
static void add_after_s(const guess *g)
{
    if (!looks_singular(g) || ends_with(g, "ics"))
        return;
    if (ends_with(g, "is"))
        add(g, 2, "es");
    add(g, 0, "es");
}

void f0t_plurals(f0t_inflections *out, const char *word, size_t length)
{
    guess g = {word, length, out};
    out->count = 0;
    if (length < 2 || length > F0T_INFLECT_LENGTH - 4 || AMONG(&g, invariant) ||
        add_irregular(&g, 1))
        return;
    if (ends_with(&g, "man") && !AMONG(&g, not_man))
        add(&g, 2, "en");
    else if (word[length - 1] == 's')
        add_after_s(&g);
    else
        add_s(&g);
}

/* ---- Verb form to base ----------------------------------------------------------------------- */

static bool has_vowel(const char *word, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (is_vowel(word[i]) || word[i] == 'y')
            return true;
    return false;
}

/* One vowel and one consonant at the end: "hop" comes from "hope"; that of "hop" would be "hopp". */
static bool wants_e(const char *stem, size_t n)
{
    return n >= 2 && is_consonant(stem[n - 1]) && !strchr("wxy", stem[n - 1]) &&
           is_vowel(stem[n - 2]) && (n == 2 || !is_vowel(stem[n - 3]));
}

/* What comes before an ending of `drop` letters, as it may have been without it. */
static void add_stem(const guess *g, size_t drop)
{
    const size_t n = g->length - drop;
    const char last = g->word[n - 1];
    if (n > 3 && last == g->word[n - 2] && is_consonant(last) && !strchr("flsz", last)) {
        add(g, drop + 1, ""); /* "stopp", while "fill" and "pass" have two of their own */
        add(g, drop, "");
    } else if (wants_e(g->word, n)) {
        add(g, drop, "e");
        add(g, drop, "");
    } else {
        add(g, drop, "");
        add(g, drop, "e");
        if (n > 3 && last == g->word[n - 2] && last == 'l')
            add(g, drop + 1, ""); /* "travelled" */
    }
}

static void add_bases(const guess *g)
{
    if (ends_with(g, "eed")) { /* "agreed", but not "seed" */
        if (g->length > 5)
            add(g, 1, "");
    } else if (ends_with(g, "ied")) {
        if (g->length > 4)
            add(g, 3, "y");
        add(g, 1, "");
    } else {
        const size_t drop = ends_with(g, "ed") ? 2 : ends_with(g, "ing") ? 3 : 0;
        const size_t n = g->length - drop;
        if (drop && has_vowel(g->word, n) && (n > 2 || wants_e(g->word, n)))
            add_stem(g, drop);
    }
}

void f0t_bases(f0t_inflections *out, const char *word, size_t length)
{
    const guess g = {word, length, out};
    out->count = 0;
    if (length > F0T_INFLECT_LENGTH - 4 || AMONG(&g, not_verb))
        return;
    for (size_t i = 0; i < length; i++)
        if (word[i] < 'a' || word[i] > 'z')
            return;
    if (!add_other(&g, irregular_verbs, sizeof irregular_verbs / sizeof *irregular_verbs, 0))
        add_bases(&g);
}
