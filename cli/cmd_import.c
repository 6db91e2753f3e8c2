/* fast0tag import: dataset directories from what exists. One verb per format. */
#include "cli.h"
#include "import.h"

#include <string.h>

typedef struct options {
    f0t_import_options import; /* but for what is given below */
    const char *output, *delimiter;
    double val;
} options;

/* ---- Running ------------------------------------------------------------------------------ */

static f0t_status set_delimiter(cli_context *cli, const char *text, char *delimiter)
{
    if (!text)
        return F0T_OK;
    *delimiter = !strcmp(text, "tab") || !strcmp(text, "\\t") ? '\t' : text[0];
    if (*delimiter != '\t' && strlen(text) != 1)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "--delimiter is one character, or 'tab'");
    return F0T_OK;
}

static f0t_status run(cli_context *cli, const void *given)
{
    const options *o = given;
    f0t_import_options how = o->import;
    f0t_import_report *report;
    const char *format = strrchr(cli->name, ' ') + 1;
    if (!o->output)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "missing -o DATASET, the directory to make");
    if (cli_output_swapped(cli->operands[0], o->output))
        return cli_fail_swapped(cli, "SOURCE -o DATASET");
    f0t_status status = set_delimiter(cli, o->delimiter, &how.delimiter);
    if (status != F0T_OK)
        return status;
    if (o->val < 0)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "--val %g: a share from 0 to 1 is expected",
                        o->val);
    how.val = o->val > 0 || !cli_given(cli, "val") ? o->val : -1; /* 0 was given: none */
    how.seed = cli->seed;
    how.size = sizeof how;
    status = f0t_import(&report, o->output, format, cli->operands, cli->operand_count, &how,
                        cli->context);
    if (status != F0T_OK)
        return status;
    status = cli_import_show(cli, report);
    f0t_import_report_free(report);
    return status;
}

/* ---- The verbs ---------------------------------------------------------------------------- */

#define FIELD(member) offsetof(options, member)

#define OUTPUT_OPTIONS                                                                            \
    {"output", 'o', CLI_TEXT, FIELD(output), "DATASET", "The directory to make.", NULL},          \
        {"force",                                                                                 \
         'f',                                                                                     \
         CLI_FLAG,                                                                                \
         FIELD(import.replace),                                                                   \
         NULL,                                                                                    \
         "Replace existing datasets. A directory that contains anything else is never replaced.", \
         NULL},                                                                                   \
        {"name",   0,                                                                             \
         CLI_TEXT, FIELD(import.name),                                                            \
         "TEXT",   "Name of the dataset. Default: the name of its directory.",                    \
         NULL},                                                                                   \
    {                                                                                             \
        "images", 0, CLI_TEXT, FIELD(import.images), "FOLDER",                                    \
            "Folder of the pictures, put before their names.", NULL                               \
    }

#define FEATURE_OPTIONS                                                                            \
    {"features",                                                                                   \
     0,                                                                                            \
     CLI_TEXT,                                                                                     \
     FIELD(import.features),                                                                       \
     "FILE",                                                                                       \
     "Features: a NumPy file with one row per image, in the order of the source, or of --ids. "    \
     "The dataset refers to the file and does not copy it.",                                       \
     NULL},                                                                                        \
        {"ids",                                                                                    \
         0,                                                                                        \
         CLI_TEXT,                                                                                 \
         FIELD(import.ids),                                                                        \
         "FILE",                                                                                   \
         "Which images the rows of --features are: one path or id per line. Images without a row " \
         "are left out.",                                                                          \
         NULL},                                                                                    \
        {"copy-features",                                                                          \
         0,                                                                                        \
         CLI_FLAG,                                                                                 \
         FIELD(import.copy_features),                                                              \
         NULL,                                                                                     \
         "Copy --features into the dataset.",                                                      \
         NULL},                                                                                    \
    {                                                                                              \
        "backbone", 0, CLI_TEXT, FIELD(import.backbone), "FILE",                                   \
            "A JSON file that describes what made the features; stored in dataset.json.", NULL     \
    }

#define VAL_OPTION(part)                                                                         \
    {                                                                                            \
        "val", 0, CLI_REAL, FIELD(val), "PART",                                                  \
            "Share of the training images that become val, by seed; 0: none. Default " part ".", \
            NULL                                                                                 \
    }

/* ---- csv ---------------------------------------------------------------------------------- */

static const cli_option csv_options[] = {
    OUTPUT_OPTIONS,
    {"image", 0, CLI_TEXT, FIELD(import.image_column), "COLUMN",
     "Column of the path or id: a name of the header, or a number from 1. Default: image, path, "
     "file, filename or id, else the first.",
     NULL},
    {"tags", 0, CLI_TEXT, FIELD(import.tags_column), "COLUMN",
     "Column of the tags. Default: tags, labels or keywords, else the second.", NULL},
    {"separator", 0, CLI_TEXT, FIELD(import.separator), "TEXT",
     "Separator between tags. Default ';', or '|' or ',' if the table has no ';' and a fifth of "
     "its cells have that.",
     NULL},
    {"tag-columns", 0, CLI_FLAG, FIELD(import.tag_columns), NULL,
     "Every other column is a tag, and its cells are 0 or 1.", NULL},
    {"split", 0, CLI_TEXT, FIELD(import.split_column), "COLUMN",
     "Column of train, val or test. Default: split, if there is one.", NULL},
    {"no-header", 0, CLI_FLAG, FIELD(import.no_header), NULL,
     "The first line is an image; columns have numbers only.", NULL},
    {"delimiter", 0, CLI_TEXT, FIELD(delimiter), "CHARACTER",
     "Separator between cells, or 'tab'. Default: a tab if the first line has one, else a comma, "
     "else a semicolon.",
     NULL},
    CLI_HIERARCHY_OPTION(FIELD(import)),
    CLI_SYNONYMS_OPTION(FIELD(import)),
    FEATURE_OPTIONS,
    VAL_OPTION("0.1, when the table has a split without val"),
    {.name = NULL},
};

static const cli_example csv_examples[] = {
    {"fast0tag import csv photos.csv -o photos --separator ,",
     "A table with a path and tags such as \"sea,palm tree\"."},
    {"fast0tag import csv labels.tsv -o photos --tag-columns --features photos.npy",
     "One 0/1 column per tag, and features in the same order."},
    {.command = NULL},
};

static const cli_verb verb_csv = {
    .name = "csv",
    .summary = "import a table of paths or ids and their tags",
    .operands = "FILE",
    .least = 1,
    .most = 1,
    .description = "Reads CSV or TSV, quoted as in RFC 4180. Lines of the same image are merged, "
                   "so that a table with one line per image and tag works as well.",
    .options = csv_options,
    .examples = csv_examples,
    .json = true,
    .seed = true,
    .options_size = sizeof(options),
    .run = run,
};

/* ---- mulan -------------------------------------------------------------------------------- */

static const cli_option mulan_options[] = {
    OUTPUT_OPTIONS,
    VAL_OPTION("0.1, when there is a train and a test file"),
    {.name = NULL},
};

static const cli_example mulan_examples[] = {
    {"fast0tag import mulan Corel5k.xml Corel5k-train.arff Corel5k-test.arff -o corel5k",
     "Corel5k, with its own train and test part."},
    {.command = NULL},
};

static const cli_verb verb_mulan = {
    .name = "mulan",
    .summary = "import MULAN's ARFF and XML files",
    .operands = "LABELS.xml TRAIN.arff [TEST.arff]",
    .least = 2,
    .most = 3,
    .description =
        "The attributes that the XML file names are the tags, all others the features. A nominal "
        "feature whose values are not numbers becomes one 0/1 column per value; a missing feature "
        "('?') becomes 0. Of two ARFF files, the one with 'test' in its name is the test part.",
    .options = mulan_options,
    .examples = mulan_examples,
    .json = true,
    .seed = true,
    .options_size = sizeof(options),
    .run = run,
};

/* ---- nuswide ------------------------------------------------------------------------------ */

static const cli_option nuswide_options[] = {
    OUTPUT_OPTIONS,
    {"sets", 0, CLI_TEXT, FIELD(import.sets), "LIST",
     "Which datasets to make, of 81,1k,5k. Default: all whose files exist.", NULL},
    FEATURE_OPTIONS,
    {"own-features", 0, CLI_TEXT, FIELD(import.own_features), "LIST",
     "Low-level features of the release, side by side: CH,CORR,EDH,WT,CM55.", NULL},
    VAL_OPTION("0.2, as in the paper"),
    {.name = NULL},
};

static const cli_example nuswide_examples[] = {
    {"fast0tag import nuswide NUS-WIDE -o nuswide --features vgg19.npy --ids photos.txt",
     "Features of the photos at hand: photos.txt has one path or photo id per row."},
    {"fast0tag import nuswide NUS-WIDE -o nuswide --own-features CH,EDH",
     "The release's own colour histograms and edge directions."},
    {.command = NULL},
};

static const cli_verb verb_nuswide = {
    .name = "nuswide",
    .summary = "import NUS-WIDE's folders as the paper's three datasets",
    .operands = "FOLDER",
    .least = 1,
    .most = 1,
    .description =
        "Makes DATASET/81 (the 81 concepts, ground truth), DATASET/1k (the 925 frequent Flickr "
        "tags that are not concepts as seen tags, the 81 concepts as unseen ones) and DATASET/5k "
        "(the 925 seen, all other raw Flickr tags unseen), over one features file.\n\n"
        "FOLDER has the files of the release (ImageList, Groundtruth, NUS_WID_Tags, ConceptsList, "
        "Low_Level_Features), which are found by their names anywhere in it. Without --ids the "
        "rows of --features are the images of Imagelist.txt, in its order.",
    .options = nuswide_options,
    .examples = nuswide_examples,
    .json = true,
    .seed = true,
    .options_size = sizeof(options),
    .run = run,
};

/* ---- photos ------------------------------------------------------------------------------- */

static const cli_option photos_options[] = {
    OUTPUT_OPTIONS,
    CLI_PICTURE_TAG_OPTIONS(FIELD(import)),
    CLI_TABLE_COLUMN_OPTIONS(FIELD(import)),
    CLI_SYNONYMS_OPTION(FIELD(import)),
    FEATURE_OPTIONS,
    {.name = NULL},
};

static const cli_example photos_examples[] = {
    {"fast0tag import photos ~/Pictures -o pictures", "A collection with keywords."},
    {"fast0tag import photos animals -o animals.data --folders",
     "animals/dog/1.jpg has the tag dog."},
    {"fast0tag import photos ~/Pictures -o pictures --csv tags.csv",
     "tags.csv has lines such as 2024/beach.jpg,sea;palm tree."},
    {.command = NULL},
};

static const cli_verb verb_photos = {
    .name = "photos",
    .summary = "import folders of pictures that carry keywords",
    .operands = "FOLDER…",
    .least = 1,
    .most = SIZE_MAX,
    .description =
        "Takes the keywords of each picture from XMP (dc:subject, lr:hierarchicalSubject, "
        "digiKam:TagsList, MicrosoftPhoto:LastKeywordXMP), IPTC and SVG metadata and from the "
        "sidecars NAME.jpg.xmp and NAME.xmp; "
        "on request, also from a table and from the names of folders. Tags that fast0tag itself "
        "wrote are left out. The dataset has no features: 'fast0tag features' computes them.",
    .options = photos_options,
    .examples = photos_examples,
    .json = true,
    .seed = true,
    .pictures = true,
    .options_size = sizeof(options),
    .run = run,
};

/* ---- tagprop ------------------------------------------------------------------------------ */

static const cli_option tagprop_options[] = {
    OUTPUT_OPTIONS,
    {"prefix", 0, CLI_TEXT, FIELD(import.prefix), "NAME",
     "'iaprtc12' of iaprtc12_dictionary.txt. Default: that of the only dictionary.", NULL},
    FEATURE_OPTIONS,
    {"own-features", 0, CLI_TEXT, FIELD(import.own_features), "LIST",
     "Features of the release, side by side: DenseSift,Gist.", NULL},
    VAL_OPTION("0.15, as in the paper"),
    {.name = NULL},
};

static const cli_example tagprop_examples[] = {
    {"fast0tag import tagprop iaprtc12 -o iapr --own-features DenseSift,Gist",
     "IAPR TC-12 with two of its features."},
    {.command = NULL},
};

static const cli_verb verb_tagprop = {
    .name = "tagprop",
    .summary = "import TagProp's layout: IAPR TC-12, ESP Game, Corel5k",
    .operands = "FOLDER",
    .least = 1,
    .most = 1,
    .description = "Reads NAME_dictionary.txt, NAME_train_list.txt, NAME_train_annot.hvecs and "
                   "those of the test part. Without --ids the rows of --features are the train "
                   "images, then the test images.",
    .options = tagprop_options,
    .examples = tagprop_examples,
    .json = true,
    .seed = true,
    .options_size = sizeof(options),
    .run = run,
};

static const cli_verb *const verbs[] = {&verb_csv,     &verb_photos,  &verb_mulan,
                                        &verb_nuswide, &verb_tagprop, NULL};

const cli_verb cli_verb_import = {
    .name = "import",
    .summary = "make a dataset from NUS-WIDE, TagProp, MULAN, CSV or photos",
    .operands = "",
    .description = "Each command reads one layout and makes a dataset directory from it. What was "
                   "changed or left out is listed at the end.",
    .verbs = verbs,
};
