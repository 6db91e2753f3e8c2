/* Words of glosses that say nothing of their meaning: function words, and what dictionaries use to
 * introduce a definition. Many are lemmas too ("in": indium, "as": arsenic), which is not what a
 * gloss means by them. Sorted. */
#ifndef F0T_WORD_WORDNET_STOP_H
#define F0T_WORD_WORDNET_STOP_H

static const char *const f0t_gloss_stop_words[] = {
    "a",        "about",   "above",      "across",  "after",   "again",     "against",
    "all",      "almost",  "along",      "already", "also",    "although",  "always",
    "among",    "an",      "and",        "another", "any",     "anything",  "are",
    "as",       "at",      "away",       "b",       "be",      "became",    "because",
    "become",   "becomes", "been",       "before",  "being",   "below",     "between",
    "both",     "but",     "by",         "c",       "ca",      "can",       "cannot",
    "could",    "d",       "did",        "do",      "does",    "doing",     "done",
    "down",     "during",  "e",          "each",    "either",  "else",      "especially",
    "etc",      "even",    "ever",       "every",   "f",       "few",       "for",
    "from",     "further", "g",          "get",     "gets",    "getting",   "h",
    "had",      "has",     "have",       "having",  "he",      "her",       "here",
    "hers",     "him",     "his",        "how",     "however", "i",         "if",
    "in",       "into",    "is",         "it",      "its",     "itself",    "just",
    "k",        "l",       "less",       "like",    "m",       "made",      "make",
    "makes",    "making",  "many",       "may",     "me",      "might",     "more",
    "most",     "much",    "must",       "my",      "n",       "near",      "no",
    "nor",      "not",     "nothing",    "o",       "of",      "off",       "often",
    "on",       "once",    "one",        "only",    "onto",    "or",        "other",
    "others",   "our",     "out",        "over",    "own",     "p",         "per",
    "quite",    "r",       "rather",     "s",       "same",    "see",       "she",
    "should",   "since",   "so",         "some",    "someone", "something", "sometimes",
    "st",       "such",    "t",          "th",      "than",    "that",      "the",
    "their",    "them",    "themselves", "then",    "there",   "these",     "they",
    "thing",    "this",    "those",      "though",  "through", "thus",      "to",
    "together", "too",     "toward",     "towards", "u",       "under",     "until",
    "up",       "upon",    "us",         "use",     "used",    "uses",      "using",
    "usually",  "v",       "various",    "very",    "w",       "was",       "way",
    "we",       "well",    "were",       "what",    "when",    "where",     "whether",
    "which",    "while",   "who",        "whom",    "whose",   "why",       "will",
    "with",     "within",  "without",    "would",   "x",       "y",         "you",
    "your",     "z",
};

#endif
