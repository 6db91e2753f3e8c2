/* English words whose plural or base no rule gives, or whose end misleads the rules. */
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

#endif
