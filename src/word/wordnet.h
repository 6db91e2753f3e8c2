/*
 * WordNet's database (wndb(5WN), senseidx(5WN), cntlist(5WN), morphy(7WN)) as arrays.
 *
 * A synset is one meaning; a lemma is a word or phrase; a sense says that a lemma has a meaning;
 * a link is a relation between two synsets. Synsets are numbered in the order of data.noun,
 * data.verb, data.adj, data.adv, lemmas as the index files name them first.
 */
#ifndef F0T_WORD_WORDNET_H
#define F0T_WORD_WORDNET_H

#include "base/interner.h"
#include "io/file.h"

typedef enum f0t_pos { F0T_NOUN, F0T_VERB, F0T_ADJECTIVE, F0T_ADVERB, F0T_POS_COUNT } f0t_pos;

/* What a link means; instances count as kinds, members and substances as parts. */
typedef enum f0t_relation {
    F0T_RELATION_UP,       /* to a more general meaning */
    F0T_RELATION_DOWN,     /* to a more special one */
    F0T_RELATION_WHOLE,    /* to what it is a part, member or substance of */
    F0T_RELATION_PART,     /* to its parts */
    F0T_RELATION_SIMILAR,  /* of adjectives */
    F0T_RELATION_DERIVED,  /* to a word of the same stem */
    F0T_RELATION_PERTAINS, /* "musical" to "music", "quickly" to "quick" */
    F0T_RELATION_VERB_OF,  /* a participle to its verb */
    F0T_RELATION_OPPOSITE,
    F0T_RELATION_TOPIC, /* to the field or region that it belongs to */
    F0T_RELATION_TERM,  /* from a field or region to what belongs to it */
    F0T_RELATION_USAGE, /* to a manner of speaking ("slang"), and back */
    F0T_RELATION_SEE_ALSO,
    F0T_RELATION_GROUP,     /* of verbs */
    F0T_RELATION_ATTRIBUTE, /* "heavy" and "weight" */
    F0T_RELATION_ENTAILS,   /* "snore" to "sleep"; also "kill" to "die" */
    F0T_RELATIONS
} f0t_relation;

typedef struct f0t_synset {
    uint32_t offset; /* its name in its file */
    uint16_t word_count;
    unsigned char pos;
    const char *words; /* borrowed: each word as it is written, with its lexical id */
    const char *gloss; /* borrowed: definition and quoted examples */
    size_t gloss_length;
} f0t_synset;

typedef struct f0t_sense {
    uint32_t lemma, synset;
    uint32_t rank;  /* among the lemma's senses of this part of speech, the most frequent is 0 */
    uint32_t count; /* how often it is marked in the tagged texts */
} f0t_sense;

typedef struct f0t_link {
    uint32_t from, to;
    uint16_t word; /* of the synset `from` that alone it is about, counted from 1; 0: all of it */
    unsigned char relation;
    bool instance; /* to or from what has a name of its own: "Picasso" and "painter" */
} f0t_link;

typedef struct f0t_wordnet {
    f0t_synset *synsets; /* [synset_count] */
    f0t_sense *senses;   /* [sense_count]: those of a lemma and part of speech follow each other */
    f0t_link *links;     /* [link_count] */
    size_t synset_count, sense_count, link_count;
    size_t synset_begin[F0T_POS_COUNT + 1]; /* of each part of speech */
    f0t_names lemmas;                       /* lower case, spaces between the words of a phrase */
    uint32_t *first[F0T_POS_COUNT];         /* [lemmas]: 1 + its first sense of this kind, or 0 */
    f0t_names irregular[F0T_POS_COUNT];     /* "geese" */
    uint32_t *regular[F0T_POS_COUNT];       /* [irregular]: the lemma, "goose" */
    size_t synset_capacity, sense_capacity, link_capacity, first_capacity[F0T_POS_COUNT],
        regular_capacity[F0T_POS_COUNT];
} f0t_wordnet;

/* A file in memory; `name` is for messages. text NULL: it is not there. */
typedef struct f0t_wordnet_file {
    const char *name;
    const char *text;
    size_t size;
} f0t_wordnet_file;

/* data and index must be there; counts and exceptions only help. */
typedef struct f0t_wordnet_files {
    f0t_wordnet_file data[F0T_POS_COUNT], index[F0T_POS_COUNT], exceptions[F0T_POS_COUNT], counts;
} f0t_wordnet_files;

/* Reads WordNet; borrows the text of the data files. `*out` needs f0t_wordnet_clear in any case. */
f0t_status f0t_wordnet_read(f0t_wordnet *out, const f0t_wordnet_files *files);
void f0t_wordnet_clear(f0t_wordnet *wordnet);

/* The lemma that text[0, length), in lower case, is a form of: itself, else "geese", "boxes",
 * "running" by the exceptions and endings of morphy(7WN). F0T_NONE when there is none. */
size_t f0t_wordnet_lemma(const f0t_wordnet *wordnet, const char *text, size_t length);

/* ---- The files in a folder, mapped ----------------------------------------------------------- */

enum { F0T_WORDNET_MAPS = 3 * F0T_POS_COUNT + 1 };

typedef struct f0t_wordnet_folder {
    f0t_wordnet_files files;
    f0t_map maps[F0T_WORDNET_MAPS];
    char *paths[F0T_WORDNET_MAPS]; /* the names of the files */
} f0t_wordnet_folder;

/* Fails with NOT_FOUND, saying which package has them, where data or index files are missing. The
 * folder needs f0t_wordnet_folder_close in any case. */
f0t_status f0t_wordnet_folder_open(f0t_wordnet_folder *out, const char *path);
/* f0t_wordnet_read of its files; fails where one of them was made shorter meanwhile. */
f0t_status f0t_wordnet_folder_read(f0t_wordnet *out, const f0t_wordnet_folder *folder);
/* Fails where one of the files was made shorter since it was opened (f0t_map_check): after its texts were read. */
f0t_status f0t_wordnet_folder_check(const f0t_wordnet_folder *folder);
void f0t_wordnet_folder_close(f0t_wordnet_folder *folder);

#endif
