/*
 * fast0tag, the tools: import of datasets, comparison of methods, the
 * study of rankability, inspection of files.
 *
 * The contract of fast0tag.h (who owns what, errors, threads) holds here too.
 */
#ifndef FAST0TAG_TOOLS_H
#define FAST0TAG_TOOLS_H

#include "fast0tag.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Import ------------------------------------------------------------------------------------- */

/*
 * Makes dataset directories (fast0tag.h) from the layouts in which tagged images are published:
 *
 *   "nuswide"  NUS-WIDE's folders; one source, the folder. Makes three datasets over one features
 *              file in `output`: 81 (the concepts, ground truth), 1k (925 Flickr tags seen, the 81
 *              concepts unseen) and 5k (the 925 seen, 4,093 other raw Flickr tags unseen).
 *   "tagprop"  the layout of TagProp's Corel5k, ESP Game and IAPR TC-12; one source, the folder.
 *   "mulan"    MULAN's ARFF and XML; sources: one .xml, and one .arff or a train and a test .arff.
 *   "csv"      CSV or TSV with one line per image; one source, the file.
 *   "photos"   pictures that carry keywords: XMP, IPTC, SVG metadata, XMP sidecars; sources: folders,
 *              which are searched to their depths, and single pictures.
 *
 *     const char *source = "photos.csv";
 *     f0t_import_report *report;
 *     f0t_import_options options = F0T_IMPORT_OPTIONS;
 *     options.features = "photos.npy";
 *     f0t_status status = f0t_import(&report, "photos", "csv", &source, 1, &options, NULL);
 *
 * docs/formats.md has the details of each layout.
 */
typedef struct f0t_import_options {
    size_t size;
    bool replace;     /* old datasets at `output` may be replaced; see f0t_dataset_info */
    const char *name; /* for dataset.json; NULL: the last part of `output` */
    /* an .npy file with one row per image, in the order of the source (NUS-WIDE: Imagelist.txt;
     * TagProp: train, then test); or NULL */
    const char *features;
    const char *ids;      /* a text file that says which images the rows of `features` are, one path
                             or id per line: images without a row are left out, and so are rows
                             without an image. NULL: all, in order */
    bool copy_features;   /* copy `features` into the dataset; else dataset.json names the file */
    const char *backbone; /* a JSON file that says what made the features, kept in dataset.json */
    const char *images;   /* folder of the pictures, put before each line of images.txt; or NULL */
    double val; /* share of the training images that become val, by seed. 0: 0.2 for nuswide,
                             0.15 for tagprop (as in the paper), otherwise 0.1; below 0: none. An import
                             without train and test leaves the split to f0t_dataset_open. */
    uint64_t seed;

    /* nuswide, tagprop: features that come with the release, by name, side by side: "CH,EDH",
     * "DenseSift,Gist" */
    const char *own_features;
    const char *sets;   /* nuswide: which to make, "81,1k,5k"; NULL: all whose files exist */
    const char *prefix; /* tagprop: "iaprtc12" of iaprtc12_dictionary.txt; NULL: the only one */

    /* csv. A column is its name in the header or its number from 1; NULL: see docs/formats.md. */
    const char *image_column, *tags_column, *split_column;
    /* between the tags of a cell; NULL: ";", or "|" or "," if the table has no ";" and a fifth of
     * its cells have that */
    const char *separator;
    bool tag_columns; /* every other column is a tag, its cells are 0 or 1 */
    bool no_header;   /* the first line is an image */
    char delimiter;   /* between cells; 0: a tab when the first line has one, else a comma */

    /* photos */
    const char *table; /* a CSV or TSV file with more tags of the pictures, read as by "csv". A line
                              applies to every picture whose path ends with the line's path, at a
                              slash; if there is none, to the photo with the same name apart from
                              its extension */
    bool folder_tags;  /* the names of the folders below the source are tags as well */
    bool strict; /* fail on a picture that cannot be read; otherwise it is noted and left out */
    /* the vectors of the tags, or NULL: if they have fewer than two of the tags, the import fails
     * before it decodes a picture */
    const f0t_vectors *vectors;
    /* computes the dataset's features; NULL: it has none. Partial results are kept in OUTPUT.part
     * until the dataset is complete, and features of an older dataset at `output` are reused. */
    f0t_backbone *extract;

    /* csv, photos: what is learned of a keyword that is a path ("Places|Europe|Paris", "Places/Europe/Paris"): "leaf",
     * the last part alone, or "levels", every part; NULL: "leaf". Where the tags stand is kept either way, so that
     * they are written there again (f0t_model_path) */
    const char *hierarchy;
    /* csv, photos: a file of synonyms (f0t_synonyms_load), each of which becomes the name of its group; or NULL */
    const char *synonyms;
} f0t_import_options;

#define F0T_IMPORT_OPTIONS                 \
    {                                      \
        .size = sizeof(f0t_import_options) \
    }

/* The result of an import: the datasets, and what was changed or left out. */
typedef struct f0t_import_report f0t_import_report;

typedef struct f0t_import_dataset {
    const char *path;
    size_t images, dim, tags, seen, unseen; /* M, D, T; seen and unseen 0 without lists */
    size_t train, val, test;                /* all 0 when the source has no split */
    size_t untagged;                        /* images without a tag; they are kept */
} f0t_import_dataset;

typedef struct f0t_import_note {
    uint64_t count;
    const char *what;    /* continues the count: "images have no features and are left out" */
    const char *example; /* the first of them, or NULL */
} f0t_import_note;

/* `options` may be NULL. `output` is written completely or not at all. Several processes (f0t_context_processes) make features of
 * pictures together, and import nothing else: the first one has the report, those of the others are empty. */
F0T_API f0t_status f0t_import(f0t_import_report **out, const char *output, const char *format,
                              const char *const *sources, size_t source_count,
                              const f0t_import_options *options, const f0t_context *context);
F0T_API void f0t_import_report_free(f0t_import_report *report);
F0T_API size_t f0t_import_report_dataset_count(const f0t_import_report *report);
F0T_API const f0t_import_dataset *f0t_import_report_dataset(const f0t_import_report *report,
                                                            size_t i);
F0T_API size_t f0t_import_report_note_count(const f0t_import_report *report);
F0T_API const f0t_import_note *f0t_import_report_note(const f0t_import_report *report, size_t i);

/* ---- Synonyms ----------------------------------------------------------------------------------- */

/*
 * Words that are one tag because a person says so. The file has one line per group, its name first:
 *
 *     bicycle, bike, cycling
 *     sea, ocean   # what stands after a # is not read
 *
 * or with tabs instead of commas. Letters' case, spaces and plurals do not matter (docs/pictures.md).
 */
typedef struct f0t_synonym_group {
    const char *const *words; /* [count], two or more; the first is the name */
    size_t count;
    float cosine; /* of a suggestion: the least between the name and another of them; else 1 */
} f0t_synonym_group;

typedef struct f0t_synonyms {
    const f0t_synonym_group *groups; /* [count] */
    size_t count;
} f0t_synonyms;

/* Fails with F0T_ERROR_FORMAT, naming the line, for a group of one word and for a word of two groups. */
F0T_API f0t_status f0t_synonyms_load(f0t_synonyms **out, const char *path,
                                     const f0t_context *context);

#define F0T_SYNONYMS_COSINE 0.7

/* Tags of the dataset that may be synonyms: each group has a frequent tag and rarer ones whose vectors have a cosine of
 * at least `least` with it (0: F0T_SYNONYMS_COSINE). Near words are not always the same ("summer", "winter"): to be read by a
 * person. */
F0T_API f0t_status f0t_synonyms_suggest(f0t_synonyms **out, const f0t_dataset *dataset,
                                        const f0t_vectors *vectors, double least,
                                        const f0t_context *context);
F0T_API void f0t_synonyms_free(f0t_synonyms *synonyms);

/* ---- Clean tags ------------------------------------------------------------------------------- */

/*
 * Tags as people leave them, made fit to learn from: one form per word, plurals with their singulars, and
 * nothing that says something about the file instead of the picture. docs/demo.md has the rules.
 *
 *     f0t_cleaning *cleaning;
 *     if (f0t_tags_clean(&cleaning, dataset, vectors, NULL, NULL) == F0T_OK)
 *         f0t_cleaning_save(cleaning, "clean", NULL, NULL);
 *     f0t_cleaning_free(cleaning);
 */
typedef struct f0t_clean_options {
    size_t size;
    size_t least,
        most; /* images that a tag must have, and may have [0: one in 650 and 3 at least; one
                           in 5] */
    /* [drop_count] tags of this collection that say nothing; one that ends with "*" stands for all that
     * begin so */
    const char *const *drop;
    size_t drop_count;
} f0t_clean_options;

#define F0T_CLEAN_OPTIONS                 \
    {                                     \
        .size = sizeof(f0t_clean_options) \
    }

/* What became of the tags. */
typedef struct f0t_cleaning {
    const char *const *tags; /* [tag_count] that are kept */
    size_t tag_count;
    size_t keywords;  /* different ones before anything was left out or merged */
    size_t plurals;   /* of them, that went with their singular */
    size_t spellings; /* that went with another spelling: "sea gull", "seagull" */
    size_t least;     /* images that each tag has, at least */
    const f0t_import_note
        *notes; /* [note_count] why how many were left out: "without a word vector" */
    size_t note_count;
} f0t_cleaning;

/* Tags without a vector mean nothing and are left out. Images with the same features as one before them are
 * copies: they are not counted. The dataset must stay open as long as the result is used. */
F0T_API f0t_status f0t_tags_clean(f0t_cleaning **out, const f0t_dataset *dataset,
                                  const f0t_vectors *vectors, const f0t_clean_options *options,
                                  const f0t_context *context);
F0T_API void f0t_cleaning_free(f0t_cleaning *cleaning);

typedef struct f0t_cleaning_layout {
    size_t size;
    const char *name; /* for dataset.json [NULL: the last part of the path] */
    bool replace;     /* an old dataset may be replaced */
    const bool
        *unseen; /* [tag_count] the tags of unseen.txt; the others are those of seen.txt [NULL:
                           no such files] */
    /* [images of the dataset] images of the same group stay in one part of the split, which is drawn by
     * seed [NULL: no split.txt] */
    const char *const *groups;
    uint64_t seed;
    double val, test; /* their shares of the groups [0.1, 0.2] */
} f0t_cleaning_layout;

#define F0T_CLEANING_LAYOUT                                          \
    {                                                                \
        .size = sizeof(f0t_cleaning_layout), .val = 0.1, .test = 0.2 \
    }

/* Writes a dataset with the clean tags: its images that have one, without the copies. */
F0T_API f0t_status f0t_cleaning_save(const f0t_cleaning *cleaning, const char *path,
                                     const f0t_cleaning_layout *layout, const f0t_context *context);

/* ---- Keywords of a collection, before training -------------------------------------------------- */

/*
 * The keywords of a person's collection made fit to learn from, in the person's own words: one tag where a
 * word is written in several ways, nothing that a camera or a program wrote, nothing that cannot be learned.
 * docs/pictures.md has the rules. Tags without a word vector stay: they may be learned as themselves.
 *
 *     f0t_prepared *prepared;
 *     if (f0t_tags_prepare(&prepared, dataset, NULL, NULL) == F0T_OK)
 *         f0t_train(&model, prepared->dataset, vectors, NULL, NULL);
 *     f0t_prepared_free(prepared);
 */

/* The steps, in their order. */
typedef enum f0t_prepare_step {
    /* "Palm_Tree" and "palm tree", "sea gull" and "seagull" are one tag; "dog, cat" is two */
    F0T_PREPARE_SPELLINGS = 0,
    F0T_PREPARE_PLURALS = 1,    /* "dogs" and "dog" are one tag */
    F0T_PREPARE_FILE_WORDS = 2, /* "IMG_1234", "0042", "jpg", "untitled" are left out */
    F0T_PREPARE_COMMON = 3,     /* what 98 % of the tagged images have is left out */
    F0T_PREPARE_RARE = 4,       /* what too few images have is not learned */
    F0T_PREPARE_SYNONYMS = 5    /* before the others: what the options' file says is one tag */
} f0t_prepare_step;
enum { F0T_PREPARE_STEPS = 6 };

/* When a plural and its singular are one tag: that of the two which more images have. */
typedef enum f0t_prepare_plurals {
    /* where one is on fewer than 10 images, or on less than a tenth of the other's: those who use both
     * more often than that mean two things; and so do those who give both to half of the rarer one's images */
    F0T_PREPARE_PLURALS_RARE = 0,
    F0T_PREPARE_PLURALS_ALL = 1, /* always */
    F0T_PREPARE_PLURALS_KEEP = 2 /* never */
} f0t_prepare_plurals;

/* Which words of cameras and programs are left out. */
typedef enum f0t_prepare_file_words {
    /* those on fewer than 10 images, or of fewer than 100 images on less than a tenth, and on 1 or 2 in any case:
     * "2019" on 300 is a tag */
    F0T_PREPARE_FILE_WORDS_RARE = 0,
    F0T_PREPARE_FILE_WORDS_ALL = 1,
    F0T_PREPARE_FILE_WORDS_KEEP = 2 /* none */
} f0t_prepare_file_words;

/* NULL is the defaults. */
typedef struct f0t_prepare_options {
    size_t size;
    f0t_prepare_plurals plurals;       /* [F0T_PREPARE_PLURALS_RARE] */
    f0t_prepare_file_words file_words; /* [F0T_PREPARE_FILE_WORDS_RARE] */
    bool keep_spellings, keep_common;  /* leave out the step */
    size_t least; /* images that a tag must have to be learned [0: 2; 1 where fewer than 50 images
                     have a tag, which also have no common one] */
    const char *synonyms; /* a file, as f0t_synonyms_load reads it [NULL] */
} f0t_prepare_options;

#define F0T_PREPARE_OPTIONS                 \
    {                                       \
        .size = sizeof(f0t_prepare_options) \
    }

/* What a step did. */
typedef struct f0t_prepare_note {
    size_t count;        /* keywords that went with another, or are not learned */
    const char *example; /* the one of them that most images have; NULL for none */
    size_t images;       /* that have it */
    const char *into;    /* what it went with; NULL where it went nowhere */
} f0t_prepare_note;

/* A keyword that went with another one. */
typedef struct f0t_prepare_merge {
    const char *from, *into;
} f0t_prepare_merge;

/* Test images count nowhere; in the dataset they have what is left of their tags. */
typedef struct f0t_prepared {
    /* the same images, features and split, and the tags to learn, each as most images have it spelled */
    const f0t_dataset *dataset;
    size_t keywords; /* different ones before */
    size_t least;    /* images that each tag has, at least */
    f0t_prepare_note notes[F0T_PREPARE_STEPS];
    f0t_prepare_note file_words_in_use; /* learned by F0T_PREPARE_FILE_WORDS_RARE */
    const f0t_prepare_merge *merges;
    size_t merge_count;
    const char *const
        *rare; /* [rare_count] on too few images: words to rank rather than to learn */
    size_t rare_count;
} f0t_prepared;

/* The dataset must stay open as long as the result is used. Its lists of seen and unseen tags, of one that was
 * made for a comparison, are not looked at: such tags are best left as they are. Fails with
 * F0T_ERROR_FORMAT where keywords are there and none is left. */
F0T_API f0t_status f0t_tags_prepare(f0t_prepared **out, const f0t_dataset *dataset,
                                    const f0t_prepare_options *options, const f0t_context *context);
F0T_API void f0t_prepared_free(f0t_prepared *prepared);

/* ---- Metrics of any scores --------------------------------------------------------------------- */

/*
 * What a comparison measures, of scores that come from anywhere. docs/evaluation.md has the definitions.
 *
 *     f0t_measured *measured;
 *     if (f0t_metrics_measure(&measured, scores, images, tags, offsets, relevant, NULL, NULL) == F0T_OK)
 *         printf("%s %.1f\n", measured->values[0].name, measured->values[0].value);
 *     f0t_measured_free(measured);
 */
typedef struct f0t_metrics_options {
    size_t size;
    const size_t
        *k; /* [k_count] how many first tags count as predicted [NULL: 3 and 5]; at most 8 */
    size_t k_count;
    const bool
        *seen; /* [tags] which were learned: also the harmonic means and the seen-unseen curve
                         [NULL: no such values] */
} f0t_metrics_options;

#define F0T_METRICS_OPTIONS                 \
    {                                       \
        .size = sizeof(f0t_metrics_options) \
    }

typedef struct f0t_measured_value {
    const char *name; /* "miap", "p3", "ndcg", … as in `eval --json` */
    double value;     /* percent or a count; NaN: not defined */
} f0t_measured_value;

typedef struct f0t_measured {
    const f0t_measured_value *values; /* [count] */
    size_t count;
    const double *image_precisions; /* [images] average precision of the tags of each, in percent;
                                       NaN for an image without a relevant tag */
    const double *tag_precisions;   /* [tags] of the images that each tag ranks; NaN likewise */
} f0t_measured;

/* scores[images x tags], higher is better, none NaN; image m has the relevant tags
 * relevant[offsets[m], offsets[m + 1]), ascending, below `tags`. Fails with F0T_ERROR_NUMERIC for a NaN, with
 * F0T_ERROR_ARGUMENT for lists that are not so. */
F0T_API f0t_status f0t_metrics_measure(f0t_measured **out, const float *scores, size_t images,
                                       size_t tags, const size_t *offsets, const uint32_t *relevant,
                                       const f0t_metrics_options *options,
                                       const f0t_context *context);
F0T_API void f0t_measured_free(f0t_measured *measured);

/* ---- Comparison of methods --------------------------------------------------------------------- */

/*
 * Every published method that fast0tag has, and its own, on one dataset: each is tuned by the same
 * procedure on the validation images, fitted once, and tested once. docs/evaluation.md says how the
 * scenarios, the tuning and the metrics are defined.
 *
 *     f0t_eval *eval;
 *     f0t_report *report;
 *     f0t_eval_options options = F0T_EVAL_OPTIONS;
 *     options.methods = "net,conse,random";
 *     if (f0t_eval_run(&eval, dataset, vectors, &options, NULL) == F0T_OK &&
 *         f0t_eval_report(&report, eval, NULL) == F0T_OK)
 *         fputs(f0t_report_text(report), stdout);
 */
typedef struct f0t_eval f0t_eval;

/* A method of your own in the comparison: one of the three paths. docs/evaluation.md has the files. */
typedef struct f0t_eval_own {
    const char *name; /* letters, digits, - _ . + */
    const char *
        scores; /* an .npy file, test images x tags that are ranked, for the only scenario and run; or a
                           folder with zero-shot.npy and so on (with several runs, run-1/zero-shot.npy) */
    const char *
        program; /* is called with a folder that has a task, and writes scores.npy there; PROGRAM.json,
                            where there is one, names its knobs, which are tuned as those of others */
    const char
        *tasks; /* a folder: no method, the tasks are written to it; see f0t_eval_save_tasks */
} f0t_eval_own;

/* NULL is the defaults. */
typedef struct f0t_eval_options {
    size_t size;
    const char *methods; /* names, separated by commas; NULL or "all": every one */
    const char
        *scenarios; /* of conventional, conventional-unseen, zero-shot, seen-unseen, open: NULL or
                              "all" is all of these; and of completion */
    const char *unseen; /* "20%" or "58": draws the unseen tags by seed, balanced by how common
                              they are. NULL: the dataset's lists, else 20%, at least two */
    const char *k;      /* "3,5": how many first tags count as predicted; NULL: these two */
    size_t repeat;      /* runs with the seeds seed, seed + 1, …; 0: one */
    uint64_t seed;
    bool no_tune;  /* every hyper-parameter has the value that f0t_train chooses, else its first */
    size_t trials; /* of tuning, at most, per method and training; 0: 16 */
    size_t epochs; /* of iterative methods (trials: a quarter of them, or more: `budget`); 0: each
                      method's default, with early stopping */
    /* "512,256": units of net's and warp's hidden layers; NULL: as f0t_train has them */
    const char *hidden;
    bool bf16;           /* matrix products of bfloat16 */
    bool centred;        /* as in f0t_train_options [yes] */
    const char *results; /* a file that stores results as each method ends: the same comparison,
                              run again, continues from there. The file of another comparison is
                              refused, and one that another process uses (FILE.lock, until
                              f0t_eval_free). NULL: nothing is stored */
    const char *figure;  /* methods whose tags for some test images f0t_eval_save_page shows; "all";
                           NULL: net, and the best other */
    const f0t_classes
        *classes; /* of the network that made the features, for blend; borrowed. NULL: none */
    size_t
        draws; /* as repeat, each run with a draw of unseen tags of its own also where the dataset has lists:
                     as many as they have. 0: see repeat; not both */
    const f0t_eval_own *own; /* [own_count] shown after the others; at most 16 */
    size_t own_count;
    size_t timeout; /* seconds that each run of a program may take; 0: 3600 */
    const char
        *details; /* a folder for SCENARIO-images.csv and SCENARIO-tags.csv: the average precision
                            of every image and every tag by every method. NULL: none */
    const char *set; /* "net.rate=0.001,conse.top=10": knobs that are not tuned. NULL: none */
    size_t
        train_images; /* at most so many training images, evenly from the first to the last; 0: all */
    double
        budget; /* of tuning, per method and training: seconds of one core, counted from the sizes of what is
                      trained, not by a clock, so that the same comparison tries the same settings everywhere. A method of which
                      two settings cost more keeps what it has without tuning. 0: 30 */
    const char *
        model; /* a file: the blend that zero-shot tests in the first run, fitted to the seen tags, is saved there as f0t_train
                   would make it; not where `results` has that test already. NULL: it is not saved */
    size_t blend_epochs; /* of blend's networks, in place of `epochs`; 0: those */
} f0t_eval_options;

#define F0T_EVAL_OPTIONS                                  \
    {                                                     \
        .size = sizeof(f0t_eval_options), .centred = true \
    }

/* Every method in every scenario that was asked for. The dataset must stay open as long as the
 * result is used. */
F0T_API f0t_status f0t_eval_run(f0t_eval **out, const f0t_dataset *dataset,
                                const f0t_vectors *vectors, const f0t_eval_options *options,
                                const f0t_context *context);
F0T_API void f0t_eval_free(f0t_eval *eval);

/* Writes folder/SCENARIO (with several runs, folder/run-1/SCENARIO) for every scenario that was asked for: what a
 * program of options->own would be given, in particular images.txt and ranked.txt, the rows and columns of
 * scores. Where open ranks the same tags as zero-shot it is not written again. */
F0T_API f0t_status f0t_eval_save_tasks(const char *folder, const f0t_dataset *dataset,
                                       const f0t_vectors *vectors, const f0t_eval_options *options,
                                       const f0t_context *context);

/* True when the file options->results has results that this run did not ask for, of other methods,
 * scenarios or repeats: removing it would lose those. */
F0T_API bool f0t_eval_keeps_others(const f0t_eval *eval);

/* Adds what the files `parts` have to the results file `path`, which is made where there is none: of one comparison
 * that several processes run, each with methods or scenarios of its own. Parts that are not there are skipped; F0T_ERROR_MISMATCH
 * where one is of another comparison. */
F0T_API f0t_status f0t_eval_join_results(const char *path, const char *const *parts, size_t count);

/* Fails as f0t_eval_run does when the options are invalid, without computing anything. */
F0T_API f0t_status f0t_eval_options_check(const f0t_eval_options *options);

/* A number that identifies the comparison: by data, vectors and all options but methods, scenarios and
 * repeat. */
F0T_API f0t_status f0t_eval_identity(uint64_t *out, const f0t_dataset *dataset,
                                     const f0t_vectors *vectors, const f0t_eval_options *options,
                                     const f0t_context *context);

/* Something that was measured: "miap", "p3", "class_f5", "train_s", … in percent, seconds or counts. */
typedef struct f0t_eval_value {
    const char *name;
    double mean;      /* over the repeats in which it is defined; NaN if it is in none, such as
                         recall without a relevant tag */
    double deviation; /* standard deviation over them (n - 1); NaN for fewer than two */
    double low,
        high; /* "miap": an interval with a confidence of 95 %, by the bootstrap over test images and
                         over repeats; NaN for others */
} f0t_eval_value;

/* The name of value i of every row whose method applies, in order; NULL past the end. */
F0T_API const char *f0t_eval_value_name(const f0t_eval *eval, size_t i);

/* By how much a method is ahead of another one in a scenario. */
typedef struct f0t_eval_difference {
    const char *method; /* the other one */
    double miap;        /* less that of the other */
    double low, high;   /* with a confidence of 95 %, as rival_low and rival_high below */
    double p;           /* that bootstrap's, for this pair alone: not corrected for others */
} f0t_eval_difference;

typedef struct f0t_eval_row {
    const char *method, *title, *scenario; /* "conse", "ConSE", "zero-shot" */
    const char *refusal; /* why the method does not apply to this scenario; NULL when it does */
    size_t images, tags; /* M test images, tags that were ranked */
    size_t repeats;
    const f0t_eval_value *values; /* [value_count]; none when the method does not apply */
    size_t value_count;
    const char *knobs; /* the hyper-parameters of the first repeat: "ridge 0.1, dim 64"; or "" */
    const char *
        rival; /* the other method with the best MiAP in this scenario (no oracle); NULL: there is none */
    double rival_difference; /* MiAP less that of the rival */
    double
        rival_p; /* how likely chance makes a difference as large: a paired permutation test over images */
    double rival_low,
        rival_high;       /* of the difference, with a confidence of 95 %: the bootstrap over test
                                     images and repeats, paired */
    double rival_draws_p; /* as rival_p, over repeats instead of images; NaN with one */
    double
        best_p; /* against the best method of the scenario: by that bootstrap, with Holm's correction
                             for all methods that are compared with it; NaN for the best itself, and for oracles */
    bool leads; /* it is the best, or best_p is above 0.05: it cannot be told from it */
    const f0t_eval_difference *
        differences; /* [difference_count] to each other method of the scenario, oracles included */
    size_t difference_count;
} f0t_eval_row;

/* Scenario by scenario, in each the methods in the order of the tables. */
F0T_API size_t f0t_eval_row_count(const f0t_eval *eval);
F0T_API const f0t_eval_row *f0t_eval_get_row(const f0t_eval *eval, size_t i);

/* The same of each run of row i, run below row->repeats: the value with this name, NaN if it has none; the knobs,
 * their names and *value, NULL past the last. The seed of a run is that of the options plus its number. */
F0T_API double f0t_eval_run_value(const f0t_eval *eval, size_t row, size_t run, const char *name);
F0T_API const char *f0t_eval_run_knob(double *value, const f0t_eval *eval, size_t row, size_t run,
                                      size_t i);

/* The methods there are: name, title and source (authors, title, venue) of method i; NULL past the
 * end. */
F0T_API const char *f0t_eval_method_name(size_t i);
F0T_API const char *f0t_eval_method_title(size_t i);
F0T_API const char *f0t_eval_method_source(size_t i);

/* The values that the comparison chose for this method in this scenario, and its hidden layers, into options
 * of f0t_train, for the methods that it has: the model of that row. */
F0T_API f0t_status f0t_eval_train_options(f0t_train_options *to, const f0t_eval *eval,
                                          const char *method, const char *scenario);

/* Draws which of `count` tags are unseen, "20%" or "16" of them, by seed: sets all of unseen[count]. Fails
 * with F0T_ERROR_ARGUMENT when `text` is neither, or leaves fewer than two tags on either side. */
F0T_API f0t_status f0t_unseen_draw(bool *unseen, const char *text, size_t count, uint64_t seed);

/* A text that the library made. */
typedef struct f0t_report f0t_report;

F0T_API const char *f0t_report_text(const f0t_report *report);
F0T_API void f0t_report_free(f0t_report *report);

typedef enum f0t_table_form {
    F0T_TABLE_TEXT = 0, /* columns that line up */
    F0T_TABLE_MARKDOWN = 1,
    F0T_TABLE_CSV = 2, /* one table with one line per row and one column per value */
    F0T_TABLE_LATEX = 3
} f0t_table_form;

typedef struct f0t_eval_layout {
    size_t size;
    f0t_table_form form;
    bool bold;         /* F0T_TABLE_TEXT: the best in bold, by escape sequences of terminals */
    bool per_class;    /* a second table per scenario with the means over tags */
    const char *paper; /* "nuswide" or "iaprtc12": the paper's published row under ours with the
                          difference, and its misprints named; NULL: none */
} f0t_eval_layout;

#define F0T_EVAL_LAYOUT                 \
    {                                   \
        .size = sizeof(f0t_eval_layout) \
    }

/* The tables of the paper: one per scenario. `layout` may be NULL. */
F0T_API f0t_status f0t_eval_report(f0t_report **out, const f0t_eval *eval,
                                   const f0t_eval_layout *layout);

/* Learning curves: MiAP by the number of training images, evals[count] of comparisons that differ in
 * options.train_images alone, which images[count] repeats. Tables, one per scenario, or with F0T_TABLE_CSV one line per
 * method, scenario and number; and plots, folder/curves-SCENARIO.svg. */
enum { F0T_CURVE_SIZES = 16 }; /* at most */
F0T_API f0t_status f0t_eval_curves_report(f0t_report **out, const f0t_eval *const *evals,
                                          const size_t *images, size_t count,
                                          const f0t_eval_layout *layout);
F0T_API f0t_status f0t_eval_curves_save(const f0t_eval *const *evals, const size_t *images,
                                        size_t count, const char *folder);

/* Writes folder/index.html, a page that needs nothing else: tables, one chart per scenario, and
 * the first five tags of some methods for some test images, with the pictures where the dataset's
 * paths lead to them. `paper` as in f0t_eval_layout. */
F0T_API f0t_status f0t_eval_save_page(const f0t_eval *eval, const char *folder, const char *paper);

/* ---- Reference points for a validation MiAP -------------------------------------------------------- */

/* MiAP in percent of three rankings of the same tags for the same validation images: the model's, the
 * list of the tags by how many training images have them, and the tags of the 50 nearest training images
 * (by the cosine of the features; nearer ones count more). A model that is not better than both has learned
 * too little. NaN without such images. Of a blend, which in the end learns from the validation images, `model` is
 * what it gave on the images that it held out, and the others rank these: where images are few, all, in the same folds. */
typedef struct f0t_reference {
    double model, frequency, neighbours;
    /* validation images, or those held out, that were ranked: those that have a tag and lack one, at most 2,000 */
    size_t images;
    size_t compared; /* training images searched for neighbours, at most 20,000 */
} f0t_reference;

/* `options` are those of the training (they say which tags it trained with). Takes at most a second or
 * two, however large the dataset. */
F0T_API f0t_status f0t_reference_measure(f0t_reference *out, const f0t_model *model,
                                         const f0t_dataset *dataset,
                                         const f0t_train_options *options,
                                         const f0t_context *context);

/* ---- Learning: from tagged images to a model ---------------------------------------------------- */

/*
 * The whole recipe, which "fast0tag train", the Python package and the server's page share: raw keywords are cleaned
 * (f0t_tags_prepare), the blend asks the classes of the network that made the features (f0t_classes_open_for), better
 * options are searched for where that is asked (f0t_train_tune), the model is trained (f0t_train), saved, and compared with
 * two references (f0t_reference_measure). What was cleaned is logged, one line per step.
 *
 *     f0t_learned *learned;
 *     f0t_learn_options options = F0T_LEARN_OPTIONS;
 *     options.output = "photos.f0t";
 *     f0t_status status = f0t_learn(&learned, dataset, vectors, &options, NULL);
 *     f0t_learned_free(learned);
 */
typedef struct f0t_learn_options {
    size_t size;
    /* Its member `classes` is set by the recipe [NULL: the defaults, with F0T_METHOD_BLEND]. */
    const f0t_train_options *train;
    /* How raw keywords are cleaned, those of a dataset without lists of seen and unseen tags [NULL: the defaults]; of a
     * blend, `least` 0 is 1: neighbours vote for the rarest tag, too. */
    const f0t_prepare_options *clean;
    bool keep_tags; /* learn all tags as they are [no] */
    const char *
        classes; /* as `network` of f0t_classes_open_for; refused without a blend that asks [NULL] */
    double tune;        /* seconds to search for better options [0: none], */
    const char *trials; /* and the file that records the search [NULL: none] */
    /* The file to save the model in; then train->checkpoint and `trials` are deleted. [NULL: none; of
     * f0t_catalogue_learn: the catalogue's model is replaced] */
    const char *output;
    bool no_reference; /* leave out the comparison with references [no] */

    /* f0t_catalogue_learn alone. */
    const f0t_refit_options *refit; /* go on with the catalogue's model [NULL: train a new one] */
    double test;              /* share of the pictures to leave for testing, by train->seed [0] */
    const char *vectors_path; /* where the vectors come from, which the catalogue remembers [NULL:
                                 unchanged] */
} f0t_learn_options;

#define F0T_LEARN_OPTIONS                 \
    {                                     \
        .size = sizeof(f0t_learn_options) \
    }

typedef struct f0t_learned {
    f0t_model *model;             /* who sets this to NULL takes the model over */
    const f0t_prepared *prepared; /* what cleaning did; NULL: tags were taken as they are */
    size_t images;                /* of the dataset */
    f0t_tuning tuning;            /* trials 0: there was no search */
    f0t_reference reference;      /* NaN where it was not measured */
    size_t suggested;             /* f0t_catalogue_learn: pictures with new suggestions */
    double seconds;               /* of cleaning, searching and training */
} f0t_learned;

/* Its progress is one stage, "learning", with the unit "%": done and total are thousandths of the whole, and done only rises.
 * The dataset must stay open as long as the result is used. Several processes call it together; the first one saves. */
F0T_API f0t_status f0t_learn(f0t_learned **out, const f0t_dataset *dataset,
                             const f0t_vectors *vectors, const f0t_learn_options *options,
                             const f0t_context *context);

/* Learns from what people have said of a catalogue's pictures (f0t_catalogue_open_dataset), saves the model, and gives the
 * pictures its suggestions (f0t_catalogue_index). With options->refit, f0t_model_refit goes on with the catalogue's
 * model (vectors NULL: new tags are learned without one), else f0t_learn trains a new one. The model before stays:
 * f0t_catalogue_restore_model brings it back; where the new one takes its place, it lies beside it as MODEL.before.
 * Fails with F0T_ERROR_NOT_FOUND where the catalogue has no model to go on with or to replace, or no picture to learn
 * from. When learning fails, model and catalogue are as they were; an interruption while pictures get suggestions leaves
 * the new model, and the next f0t_catalogue_index goes on. */
F0T_API f0t_status f0t_catalogue_learn(f0t_learned **out, f0t_catalogue *catalogue,
                                       const f0t_vectors *vectors, const f0t_learn_options *options,
                                       const f0t_context *context);
F0T_API void f0t_learned_free(f0t_learned *learned);

/* ---- Inspection ---------------------------------------------------------------------------- */

/*
 * What a file is, detected by its content and never by its name: npy, safetensors (word vectors and
 * models of ours among them), word vectors in text or binary form, ONNX, ARFF, the label list of
 * MULAN, TagProp's vecs, CSV and TSV, JSON, plain text, a gzip of any text form, a dataset directory.
 *
 *     f0t_inspection *found;
 *     if (f0t_inspect(&found, "features.npy", NULL, NULL) == F0T_OK)
 *         printf("%s: %s\n", found->path, found->title);
 *     f0t_inspection_free(found);
 */
typedef struct f0t_inspect_options {
    size_t size;
    bool quick;  /* no pass over the content: no ranges, no checksum, no counts */
    size_t rows; /* how many first rows to show; 0: 5 */
} f0t_inspect_options;

#define F0T_INSPECT_OPTIONS                 \
    {                                       \
        .size = sizeof(f0t_inspect_options) \
    }

/* A fact about the file. A number is given as text, in full, without separators. */
typedef struct f0t_inspect_fact {
    const char *name, *value;
    bool is_number;
} f0t_inspect_fact;

/* Numbers in the file. */
typedef struct f0t_inspect_array {
    const char *name; /* "" for the only array of a file */
    const char *type; /* as it is on disk: "float32", … */
    size_t dims;
    const size_t *shape;    /* [dims] */
    bool measured;          /* the members below are set */
    uint64_t nan, infinite; /* how many elements are NaN, how many are infinite */
    double min, max, mean;  /* of the others; NaN when there are none */
} f0t_inspect_array;

/* One of the first rows: a line or name, and its first numbers where it has some. */
typedef struct f0t_inspect_row {
    const char *text;     /* "" where a row is numbers alone */
    const double *values; /* [shown] */
    size_t shown, count;  /* of all `count` numbers */
} f0t_inspect_row;

typedef struct f0t_inspection {
    const char *path;
    const char *kind;  /* "npy", "safetensors", "vectors", "model", "dataset", "onnx", "arff",
                          "mulan-labels", "vecs", "csv", "tsv", "json", "text" */
    const char *title; /* what a person would call it */
    uint64_t size;     /* bytes; of a directory, those of the dataset's files */
    bool has_checksum; /* not for directories, where each file has its own among the facts */
    uint32_t checksum; /* CRC-32 of all bytes, that of zlib and gzip: shows damage, not forgery */
    const f0t_inspect_fact *facts;
    size_t fact_count;
    const f0t_inspect_fact *metadata; /* what the file says about itself */
    size_t metadata_count;
    const f0t_inspect_array *arrays;
    size_t array_count;
    const f0t_inspect_row *rows;
    size_t row_count;
} f0t_inspection;

/* Looks at a file or directory; `options` may be NULL. Fails with F0T_ERROR_UNSUPPORTED when it is
 * nothing that fast0tag knows, and as the file's loader does when it is broken. */
F0T_API f0t_status f0t_inspect(f0t_inspection **out, const char *path,
                               const f0t_inspect_options *options, const f0t_context *context);
F0T_API void f0t_inspection_free(f0t_inspection *inspection);

/* ---- The study of rankability ---------------------------------------------------------------- */

/*
 * Section 3 of the paper for any tags and vectors: is there a principal direction along which the
 * tags of an image come before all others, does it hold for tags that had no part in finding it, and
 * what do the offsets between relevant and irrelevant tags look like? Labels are enough; no features
 * are needed.
 *
 *     f0t_study_options options = F0T_STUDY_OPTIONS;
 *     const f0t_vectors *files[] = {vectors};
 *     f0t_study *study;
 *     if (f0t_study_run(&study, dataset, files, 1, &options, NULL) == F0T_OK) {
 *         for (size_t i = 0; i < study->finding_count; i++)
 *             puts(study->findings[i]);
 *         f0t_study_save(study, "study", NULL);
 *     }
 *     f0t_study_free(study);
 *
 * A rule is the partition of the seen tags that an image makes; many images share one. All MiAPs are
 * in percent.
 */

/* F0T_STUDY_OPTIONS sets the values in brackets. */
typedef struct f0t_study_options {
    size_t size;
    const char *unseen; /* NULL: as seen.txt and unseen.txt of the dataset say, without them "20%".
                           "20%": that share of the tags, drawn by seed; "16": that many; "none":
                           all tags are seen, and there is nothing to generalise to [NULL] */
    const char *part;   /* only images of "train", "val" or "test" [NULL: all] */
    uint64_t seed;      /* [0] */
    bool centred;       /* subtract the mean of the vector file first, as training does [no: as
                           in the paper] */
    f0t_hinge hinge;    /* of the ranking SVMs [squared] */
    const double *lambdas; /* their regularisations, each above 0 [NULL: 0.001, 0.01, … 1000] */
    size_t lambda_count;
    const size_t *dims; /* also with vectors of these dimensions: the first principal components of
                           the vector file, normalised to length 1 again. Dimensions that a file
                           does not have are left out for it [NULL: each file as it is] */
    size_t dim_count;
    bool control; /* also with the vectors permuted among the tags by seed: what the same rules give
                     when words mean nothing [no] */
    const char *const *images; /* to be drawn: a line of images.txt, or a number from 1 [NULL: one
                                  with 5 relevant tags and the one with the most] */
    size_t image_count;
    size_t sample;     /* at most this many rules for what is measured on a sample [1000] */
    size_t offsets;    /* at most this many offsets per picture [20000] */
    double perplexity; /* of t-SNE [30] */
    const size_t *vocabulary_sizes; /* also with so many words of the first vector file, drawn by
                                       seed, as irrelevant tags beside the seen ones, ascending;
                                       SIZE_MAX: all words. Of words with
                                       one vector one is taken, none where a tag has it [NULL: not
                                       asked] */
    size_t vocabulary_size_count;
} f0t_study_options;

#define F0T_STUDY_OPTIONS                                                              \
    {                                                                                  \
        .size = sizeof(f0t_study_options), .hinge = F0T_HINGE_SQUARED, .sample = 1000, \
        .offsets = 20000, .perplexity = 30                                             \
    }

/* The results of one set of vectors for each λ. Arrays are [lambda_count]. */
typedef struct f0t_study_curve {
    const char *vectors;            /* the file */
    size_t file_dim;                /* of the file */
    size_t dim;                     /* of the vectors that were used */
    bool control;                   /* the vectors were permuted among the tags */
    const double *existence;        /* MiAP of the seen tags, mean over rules */
    const double *existence_images; /* the same, mean over images */
    const double *satisfied; /* percent of the rules with every relevant tag before all others */
    const double *generalisation; /* MiAP of the unseen tags, mean over images; NULL without any */
    const double *generalisation_rules; /* the same, mean over distinct pairs of a rule and the
                                           unseen tags that belong to it */
} f0t_study_curve;

/* The offsets p − n of relevant and irrelevant tags, with the first file's vectors: means over the
 * rules that have two or more relevant tags. */
typedef struct f0t_study_structure {
    size_t rules;
    double common; /* percent of the mean square of the offsets that their mean has: how far they
                         all point the same way */
    double common_random; /* what it would be for as many tags drawn at random */
    double
        explained; /* percent of their variance that the clusters, one per relevant tag, explain */
    double explained_random; /* what as many tags drawn at random would explain */
    double angle;            /* degrees between the mean offsets of two relevant tags */
    double angle_random;     /* and of any two seen tags */

    /* Of a sample of the rules, with the direction of the ranking SVM at lambda. */
    size_t sampled;
    double lambda;
    double cosine; /* of the offsets with the direction */
    double ahead;  /* percent of the offsets that point along it rather than against it */
} f0t_study_structure;

enum { F0T_STUDY_GROUPS = 4 };

/* Whether k directions, one per group of the relevant tags, rank unseen tags better than one: on
 * a sample of the rules with 4 or more relevant tags. A tag's score is the best of its k.
 * Each rule counts once, with the mean over its images. */
typedef struct f0t_study_groups {
    size_t rules, images;
    double lambda;
    double random;                 /* MiAP of a random order */
    double miap[F0T_STUDY_GROUPS]; /* with 1, 2, 3, 4 directions */
    double gain[F0T_STUDY_GROUPS]; /* over one direction, and its standard error */
    double error[F0T_STUDY_GROUPS];
} f0t_study_groups;

/* The offsets of one image. Points are those of the first relevant tag, then of the second, … */
typedef struct f0t_study_picture {
    const char *image;       /* line of images.txt, or its number from 1 */
    const char *path;        /* of the picture, where the line of images.txt is one; else NULL */
    const char *const *tags; /* [tag_count] the relevant ones */
    size_t tag_count;
    size_t irrelevant; /* offsets per relevant tag; drawn by seed where there would be too many */
    size_t irrelevant_all;
    const float *pca_x, *pca_y; /* [tag_count x irrelevant] by uncentred PCA, the origin being 0 */
    const float *tsne_x, *tsne_y; /* the same by t-SNE */
    double pca_share[2];          /* percent of the mean square that the two axes have */
    double arrow[2];              /* the direction of the ranking SVM, length 1, in these axes */
    double lambda;                /* of that ranking SVM */
    double divergence;            /* that t-SNE was left with */
    bool exact;                   /* t-SNE over all pairs; else by Barnes-Hut */
    double common, explained, angle, cosine, ahead; /* as in f0t_study_structure, for this rule;
                                                       NaN where it has one relevant tag */
} f0t_study_picture;

/* The study with words of the vector file that are no tags of the dataset as irrelevant tags, on a sample of
 * the rules: what is left of existence when the irrelevant tags are a language. */
typedef struct f0t_study_scale {
    size_t words; /* drawn from the file */
    size_t tags;  /* seen tags and words: T */
    f0t_study_curve real;
    f0t_study_curve control;   /* the vectors permuted among the seen tags: rules of any tags */
    f0t_study_curve any_words; /* permuted among seen tags and words: rules of any words */
    double random_existence;
    double chance;      /* percent of the rules for which dimension alone is enough: the chance that
                           |Y| of T normally distributed points come before the others along a
                           direction, mean over the rules */
    double cover_log10; /* log10 of the share of all ways to part T points in general position that
                           a direction makes (Cover's function-counting theorem) */
} f0t_study_scale;

typedef struct f0t_study {
    const char *dataset;
    const char *part; /* "all", "train", … */
    uint64_t seed;
    f0t_hinge hinge;
    bool centred;
    bool given; /* the dataset says which tags are unseen; else the seed does */
    const char *const *seen, *const *unseen;
    size_t seen_count, unseen_count;
    size_t missing; /* tags without a vector in one of the files: left out of all */
    size_t images;  /* with a relevant seen tag */
    size_t rules;
    size_t tested; /* images with relevant tags on both sides */
    const double *lambdas;
    size_t lambda_count;
    const f0t_study_curve *curves;
    size_t curve_count;
    double random_existence, random_generalisation; /* MiAP of a random order, in expectation */
    f0t_study_structure structure;
    f0t_study_groups groups;
    const f0t_study_picture *pictures;
    size_t picture_count;
    const char *const *findings; /* sentences */
    size_t finding_count;
    double seconds;
    const f0t_study_scale *scales; /* for each of the dimensions, the sizes in turn */
    size_t scale_count;
    size_t scale_rules; /* in their sample */
} f0t_study;

/* Takes vectors[count], one or more files. Fails with F0T_ERROR_ARGUMENT when an option is
 * invalid. */
F0T_API f0t_status f0t_study_run(f0t_study **out, const f0t_dataset *dataset,
                                 const f0t_vectors *const *vectors, size_t count,
                                 const f0t_study_options *options, const f0t_context *context);
/* Writes index.html, which needs no other file, the figures *.svg, the numbers as curves.csv and
 * study.json (vocabulary.csv, too, where sizes were asked for) into the folder, which is created if it does not exist. An interruption leaves it as it was. */
F0T_API f0t_status f0t_study_save(const f0t_study *study, const char *folder,
                                  const f0t_context *context);
F0T_API void f0t_study_free(f0t_study *study);

/* ---- Showcase -------------------------------------------------------------------------------- */

/* A comparison for readers who know nothing of it: what it is made from. Begin with F0T_SHOWCASE. */
typedef struct f0t_showcase {
    size_t size;
    const f0t_eval
        *eval; /* conventional, zero-shot and seen-unseen; random, frequency and blend among
                                the methods */
    const f0t_model *model;       /* trained on the seen tags of eval's dataset */
    const f0t_vocab *words;       /* an open vocabulary, centred as the model's */
    const f0t_dataset *pictures;  /* with keywords as people left them, */
    const f0t_cleaning *cleaning; /* from which came eval's dataset */
    size_t found;                 /* pictures, and those that were not taken: */
    size_t generated;             /* made by a program, in bulk */
    bool clipart;                 /* they are those of F0T_DEMO_FOLDER */
    const char *vectors; /* file, for the commands that it shows; NULL: words.safetensors */
    size_t blend_epochs; /* of the comparison; 0: as many as `train` takes */
    const char *
        to_come; /* what a page that will be written again lacks as yet: it says so, and reloads. `model` and `words` may be
                    NULL then, and the methods without blend: the linear map's tags are shown. NULL: the page is complete */
} f0t_showcase;
#define F0T_SHOWCASE                 \
    {                                \
        .size = sizeof(f0t_showcase) \
    }

/* A page that needs no other file: pictures with the tags that each scenario gives them, search by a word,
 * the direction of one picture, the numbers. */
F0T_API f0t_status f0t_showcase_save(const f0t_showcase *showcase, const char *path,
                                     const f0t_context *context);
/* What was done and with what result, as text of several paragraphs; it refers to the page at `page`. */
F0T_API f0t_status f0t_showcase_report(f0t_report **out, const f0t_showcase *showcase,
                                       const char *page);

/* ---- What was found ---------------------------------------------------------------------------- */

/* One line about the words of a query and where they are cut: "dog: learned, from 30 %; zebra: new, from 10 %". Written
 * to out[size], truncated to size - 1 bytes and NUL-terminated; returns the length of the whole, as snprintf does. Empty
 * where there is nothing to say. */
F0T_API size_t f0t_find_describe(char *out, size_t size, const f0t_find_results *results);

/* Writes what was found (f0t_finder_run) in a catalogue as a contact sheet: one page of HTML with the thumbnails inside,
 * which loads and runs nothing. `title` is that of the page, the query say. The page is written whole or not at
 * all. */
F0T_API f0t_status f0t_find_page_save(const char *path, f0t_catalogue *catalogue,
                                      const f0t_find_results *results, const char *title);

/* ---- The demo -------------------------------------------------------------------------------- */

/*
 * Everything once, on pictures that people have tagged: their keywords are cleaned, a part of the tags
 * is held out, models learn from the others and are compared with simpler ways of tagging, and then
 * the vocabulary is opened to thousands of nouns. docs/demo.md says how.
 *
 *     f0t_demo *demo;
 *     if (f0t_demo_run(&demo, "demo", NULL, NULL) == F0T_OK)
 *         printf("%s\nsee %s\n", demo->story, demo->page);
 *     f0t_demo_free(demo);
 */

/* Where Debian's package openclipart-svg has its pictures. */
#define F0T_DEMO_FOLDER "/usr/share/openclipart/svg"

/* NULL is the defaults. */
typedef struct f0t_demo_options {
    size_t size;
    const char *pictures; /* a folder of pictures that carry keywords; NULL: F0T_DEMO_FOLDER */
    const char *vectors;  /* word vectors; NULL: made from WordNet */
    const char *wordnet;  /* as `from` of f0t_wordnet_options */
    uint64_t seed;        /* of the split, of the tags held out, of training */
    const char
        *methods;  /* to compare the blend with, besides random, frequency, linear and net: names as
                             in f0t_eval_options; NULL: "tagprop,conse" */
    size_t epochs; /* as in f0t_eval_options; 0: the blend's networks take fifteen */
    bool only_model; /* nothing is compared and no page written: the model alone */
    /* Called whenever the page has been written, which grows: what it lacks as yet ("" in the end), and the seconds since the
     * beginning. NULL: not called. */
    void (*written)(void *user, const char *page, const char *to_come, double seconds);
    void *user;
} f0t_demo_options;

#define F0T_DEMO_OPTIONS                 \
    {                                    \
        .size = sizeof(f0t_demo_options) \
    }

typedef struct f0t_demo {
    const char *page;          /* the page that was written, DIR/index.html */
    const char *story;         /* what was done and with what result: text of several paragraphs */
    size_t pictures;           /* that were found */
    size_t images;             /* that have a tag after the clean-up */
    size_t tags, seen, unseen; /* after the clean-up; seen + unseen = tags */
    size_t nouns;              /* of the open vocabulary */
    const f0t_eval *eval;      /* the comparison */
    double seconds;
    const char *model; /* its file, DIR/model.f0t. With `only_model` `page`, `story` and `eval` are
                          NULL, and `nouns` is 0 */
} f0t_demo;

/* Writes into the folder `output`, which is created if it does not exist: the page, and what a second
 * run reuses (features, vectors, results, a model). Fails with F0T_ERROR_NOT_FOUND, saying what to do,
 * when there are no pictures. */
F0T_API f0t_status f0t_demo_run(f0t_demo **out, const char *output, const f0t_demo_options *options,
                                const f0t_context *context);
F0T_API void f0t_demo_free(f0t_demo *demo);

#ifdef __cplusplus
}
#endif

#endif
