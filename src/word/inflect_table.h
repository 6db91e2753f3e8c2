/* English words whose plural no rule gives, or whose end misleads the rules. */
#ifndef F0T_WORD_INFLECT_TABLE_H
#define F0T_WORD_INFLECT_TABLE_H

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

#endif
