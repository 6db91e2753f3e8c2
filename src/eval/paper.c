#include "eval/paper.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

const char *const f0t_published_names[F0T_PUBLISHED_VALUES] = {"miap", "p3", "r3", "f3",
                                                               "p5",   "r5", "f5"};

/* ---- NUS-WIDE ------------------------------------------------------------------------------ */

static const f0t_published_row nuswide_conventional[] = {
    {"cca", {19, 9, 15, 11, 7, 20, 11}},       {"wsabie", {28, 16, 27, 20, 12, 35, 18}},
    {"tagprop", {53, 29, 50, 37, 22, 62, 32}}, {"warp", {48, 27, 45, 34, 20, 57, 30}},
    {"fasttag", {41, 23, 39, 29, 19, 54, 28}}, {"linear", {52, 29, 50, 37, 21, 60, 31}},
    {"net", {55, 31, 52, 39, 23, 65, 34}},
};

static const f0t_published_row nuswide_zero_shot[] = {
    {"random", {7.1, 2.2, 3.8, 2.8, 2.2, 6.1, 3.2}},
    {"seen2unseen", {16.7, 7.3, 12.5, 9.2, 7.0, 19.7, 10.3}},
    {"labelem", {23.7, 11.9, 20.2, 14.9, 10.2, 28.9, 15.1}},
    {"labelem+", {24.9, 12.5, 21.4, 15.8, 10.7, 30.4, 15.8}},
    {"conse", {32.4, 17.7, 30.1, 22.3, 13.7, 38.8, 20.2}},
    {"linear", {40.1, 21.8, 37.2, 27.5, 17.0, 48.4, 25.2}},
    {"net", {42.2, 22.6, 38.4, 28.4, 17.6, 50.0, 26.0}},
    {"ranksvm", {37.0, 19.7, 33.3, 24.7, 15.2, 42.9, 22.5}},
};

static const f0t_published_row nuswide_seen_unseen[] = {
    {"random", {1.2, 0.6, 0.3, 0.4, 0.6, 0.5, 0.5}},
    {"seen2unseen", {2.8, 2.1, 1.1, 1.4, 1.9, 1.6, 1.8}},
    {"labelem", {8.8, 8.7, 4.4, 5.8, 7.9, 6.6, 7.2}},
    {"labelem+", {10.2, 11.3, 5.7, 7.6, 9.6, 8.1, 8.8}},
    {"conse", {12.5, 16.7, 8.4, 11.2, 13.5, 11.3, 12.3}},
    {"linear", {18.8, 22.9, 11.5, 15.4, 18.7, 15.7, 17.1}},
    {"net", {19.1, 21.7, 11.0, 14.5, 18.4, 15.5, 16.8}},
};

static const f0t_published_row nuswide_open[] = {
    {"random", {0.3, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}},
    {"linear", {9.8, 9.4, 7.2, 8.2, 7.4, 9.5, 8.4}},
    {"net", {8.5, 8.0, 6.2, 7.0, 6.5, 8.3, 7.3}},
};

static const f0t_published_table nuswide_tables[] = {
    {"Table 1", F0T_CONVENTIONAL_UNSEEN, 81, 0, nuswide_conventional, COUNT(nuswide_conventional)},
    {"Table 2", F0T_ZERO_SHOT, 81, 1, nuswide_zero_shot, COUNT(nuswide_zero_shot)},
    {"Table 2", F0T_SEEN_UNSEEN, 1006, 1, nuswide_seen_unseen, COUNT(nuswide_seen_unseen)},
    {"Table 3", F0T_OPEN, 4093, 1, nuswide_open, COUNT(nuswide_open)},
};

static const char *const nuswide_slips[] = {
    "The paper's \"1 to 20/117 ... 1.7/4.9\" relevant seen/unseen tags an image is swapped: it is "
    "the "
    "seen tags that reach 117, 4.9 on average.",
    NULL,
};

/* ---- IAPR TC-12 ---------------------------------------------------------------------------- */

static const f0t_published_row iapr_conventional[] = {
    {"tagprop", {52, 54, 29, 38, 46, 41, 43}}, {"warp", {48, 50, 27, 35, 43, 38, 40}},
    {"fasttag", {48, 53, 28, 36, 44, 39, 41}}, {"linear", {46, 52, 28, 37, 43, 38, 40}},
    {"net", {56, 58, 31, 41, 50, 44, 47}},
};

static const f0t_published_row iapr_zero_shot[] = {
    {"random", {8.1, 2.0, 4.5, 2.8, 2.2, 2.2, 8.1}},
    {"seen2unseen", {15.6, 6.1, 13.5, 8.4, 5.3, 19.5, 8.4}},
    {"labelem", {11.5, 3.6, 7.9, 4.9, 3.6, 13.3, 5.7}},
    {"labelem+", {17.6, 7.3, 16.1, 10.0, 6.4, 23.4, 10.0}},
    {"conse", {24.1, 9.7, 21.3, 13.3, 8.9, 32.5, 13.9}},
    {"linear", {23.1, 11.3, 24.9, 15.6, 9.0, 33.2, 14.2}},
    {"net", {20.3, 8.5, 18.6, 11.6, 7.2, 26.4, 11.3}},
    {"ranksvm", {21.6, 10.2, 22.6, 14.1, 8.6, 31.7, 13.6}},
};

static const f0t_published_row iapr_seen_unseen[] = {
    {"random", {3.5, 2.2, 1.2, 1.5, 1.9, 1.7, 1.8}},
    {"seen2unseen", {7.2, 3.6, 1.9, 2.5, 4.2, 3.7, 3.9}},
    {"labelem", {13.8, 3.1, 1.7, 2.2, 4.4, 3.9, 8.7}},
    {"labelem+", {20.1, 13.9, 7.4, 9.7, 13.2, 11.8, 12.5}},
    {"conse", {32.5, 38.8, 20.6, 26.9, 31.1, 27.6, 29.2}},
    {"linear", {42.9, 50.6, 27.0, 35.2, 40.8, 36.2, 38.4}},
    {"net", {45.9, 48.2, 25.7, 33.5, 42.2, 37.4, 39.7}},
};

static const f0t_published_table iapr_tables[] = {
    {"supplement, Table 1", F0T_CONVENTIONAL, 291, 0, iapr_conventional, COUNT(iapr_conventional)},
    {"supplement, Table 2", F0T_ZERO_SHOT, 58, 1, iapr_zero_shot, COUNT(iapr_zero_shot)},
    {"supplement, Table 2", F0T_SEEN_UNSEEN, 291, 1, iapr_seen_unseen, COUNT(iapr_seen_unseen)},
};

static const char *const iapr_slips[] = {
    "The paper's zero-shot Random at K = 5 (2.2, 2.2, 8.1) is a misprint: recall and F1 do not "
    "follow from its precision.",
    "The paper's seen/unseen F1 at K = 5 of LabelEM (8.7) is a misprint: its precision 4.4 and "
    "recall 3.9 give 4.1.",
    NULL,
};

/* ---- Both ---------------------------------------------------------------------------------- */

static const f0t_published papers[] = {
    {"nuswide", "NUS-WIDE", nuswide_tables, COUNT(nuswide_tables), nuswide_slips},
    {"iaprtc12", "IAPR TC-12", iapr_tables, COUNT(iapr_tables), iapr_slips},
};

static const char *name_at(size_t i)
{
    return i < COUNT(papers) ? papers[i].name : NULL;
}

f0t_status f0t_published_find(const f0t_published **out, const char *name)
{
    size_t found;
    *out = NULL;
    if (f0t_name_find(&found, "dataset of the paper", name, strlen(name), name_at) != F0T_OK)
        return F0T_ERROR_ARGUMENT;
    *out = &papers[found];
    return F0T_OK;
}

const f0t_published_table *f0t_published_table_of(const f0t_published *p, f0t_scenario scenario)
{
    for (size_t i = 0; p && i < p->table_count; i++)
        if (p->tables[i].scenario == scenario)
            return &p->tables[i];
    return NULL;
}

const f0t_published_row *f0t_published_row_of(const f0t_published_table *table, const char *method)
{
    for (size_t i = 0; table && i < table->row_count; i++)
        if (!strcmp(table->rows[i].method, method))
            return &table->rows[i];
    return NULL;
}
