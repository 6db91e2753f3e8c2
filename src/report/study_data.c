/* The numbers of the study, for programs: CSV and JSON. */
#include "report/study.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- CSV (RFC 4180) ----------------------------------------------------------------------- */

static void add_field(f0t_text *to, const char *field)
{
    f0t_text_add(to, "\"");
    for (const char *c = field; *c; c++)
        f0t_text_add_bytes(to, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
    f0t_text_add(to, "\"");
}

static void add_number(f0t_text *to, double value, int decimals)
{
    f0t_text_add(to, ",");
    if (isfinite(value))
        f0t_text_number(to, value, decimals);
}

void f0t_study_csv(f0t_text *to, const f0t_study *study)
{
    f0t_text_add(to,
                 "vectors,file_dim,dim,control,lambda,existence,existence_images,satisfied,"
                 "generalisation,generalisation_rules,random_existence,random_generalisation\n");
    for (size_t i = 0; i < study->curve_count; i++)
        for (size_t l = 0; l < study->lambda_count; l++) {
            const f0t_study_curve *c = &study->curves[i];
            const bool tested = c->generalisation != NULL;
            add_field(to, c->vectors);
            add_number(to, (double)c->file_dim, 0);
            add_number(to, (double)c->dim, 0);
            add_number(to, c->control, 0);
            add_number(to, study->lambdas[l], -9);
            add_number(to, c->existence[l], 6);
            add_number(to, c->existence_images[l], 6);
            add_number(to, c->satisfied[l], 6);
            add_number(to, tested ? c->generalisation[l] : (double)NAN, 6);
            add_number(to, tested ? c->generalisation_rules[l] : (double)NAN, 6);
            add_number(to, study->random_existence, 6);
            add_number(to, tested ? study->random_generalisation : (double)NAN, 6);
            f0t_text_add(to, "\n");
        }
}

static void add_scale_line(f0t_text *to, const f0t_study *study, const f0t_study_scale *s,
                           const f0t_study_curve *c, const char *rules, size_t l)
{
    const bool tested = c->generalisation != NULL;
    add_field(to, c->vectors);
    add_number(to, (double)c->dim, 0);
    add_number(to, (double)s->words, 0);
    add_number(to, (double)s->tags, 0);
    f0t_text_add(to, ",");
    f0t_text_add(to, rules);
    add_number(to, study->lambdas[l], -9);
    add_number(to, c->existence[l], 6);
    add_number(to, c->satisfied[l], 6);
    add_number(to, tested ? c->generalisation[l] : (double)NAN, 6);
    add_number(to, tested ? c->generalisation_rules[l] : (double)NAN, 6);
    add_number(to, s->random_existence, 6);
    add_number(to, s->chance, 6);
    add_number(to, s->cover_log10, 3);
    f0t_text_add(to, "\n");
}

void f0t_study_scale_csv(f0t_text *to, const f0t_study *study)
{
    f0t_text_add(to, "vectors,dim,words,tags,rules,lambda,existence,satisfied,generalisation,"
                     "generalisation_rules,random_existence,chance,cover_log10\n");
    for (size_t i = 0; i < study->scale_count; i++)
        for (size_t l = 0; l < study->lambda_count; l++) {
            const f0t_study_scale *s = &study->scales[i];
            add_scale_line(to, study, s, &s->real, "images", l);
            add_scale_line(to, study, s, &s->control, "any tags", l);
            add_scale_line(to, study, s, &s->any_words, "any words", l);
        }
}

void f0t_study_picture_csv(f0t_text *to, const f0t_study_picture *p)
{
    f0t_text_add(to, "tag,pca_x,pca_y,tsne_x,tsne_y\n");
    for (size_t i = 0; i < p->tag_count * p->irrelevant; i++) {
        add_field(to, p->tags[i / p->irrelevant]);
        add_number(to, (double)p->pca_x[i], 5);
        add_number(to, (double)p->pca_y[i], 5);
        add_number(to, (double)p->tsne_x[i], 4);
        add_number(to, (double)p->tsne_y[i], 4);
        f0t_text_add(to, "\n");
    }
}

/* ---- JSON --------------------------------------------------------------------------------- */

static json_t *real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *reals(const double *values, size_t count)
{
    if (!values)
        return json_null();
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, real(values[i]));
    return list;
}

static json_t *texts(const char *const *items, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_string(items[i]));
    return list;
}

static json_t *describe_curve(const f0t_study *s, const f0t_study_curve *c)
{
    return json_pack("{s:s, s:I, s:I, s:b, s:o, s:o, s:o, s:o, s:o}", "vectors", c->vectors,
                     "file_dim", (json_int_t)c->file_dim, "dim", (json_int_t)c->dim, "control",
                     c->control, "existence", reals(c->existence, s->lambda_count),
                     "existence_images", reals(c->existence_images, s->lambda_count), "satisfied",
                     reals(c->satisfied, s->lambda_count), "generalisation",
                     reals(c->generalisation, s->lambda_count), "generalisation_rules",
                     reals(c->generalisation_rules, s->lambda_count));
}

static json_t *describe_curves(const f0t_study *s)
{
    json_t *list = json_array();
    for (size_t i = 0; i < s->curve_count; i++)
        json_array_append_new(list, describe_curve(s, &s->curves[i]));
    return list;
}

static json_t *describe_scales(const f0t_study *s)
{
    json_t *list = json_array();
    for (size_t i = 0; i < s->scale_count; i++) {
        const f0t_study_scale *c = &s->scales[i];
        json_array_append_new(list, json_pack("{s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}",
                                              "rules", (json_int_t)s->scale_rules, "words",
                                              (json_int_t)c->words, "tags", (json_int_t)c->tags,
                                              "images", describe_curve(s, &c->real), "any_tags",
                                              describe_curve(s, &c->control), "any_words",
                                              describe_curve(s, &c->any_words), "random_existence",
                                              real(c->random_existence), "chance", real(c->chance),
                                              "cover_log10", real(c->cover_log10)));
    }
    return list;
}

static json_t *describe_structure(const f0t_study_structure *t)
{
    if (!t->rules)
        return json_null();
    return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o}", "rules",
                     (json_int_t)t->rules, "common", real(t->common), "common_random",
                     real(t->common_random), "explained", real(t->explained), "explained_random",
                     real(t->explained_random), "angle", real(t->angle), "angle_random",
                     real(t->angle_random), "sampled", (json_int_t)t->sampled, "lambda",
                     real(t->lambda), "cosine", real(t->cosine), "ahead", real(t->ahead));
}

static json_t *describe_groups(const f0t_study_groups *g)
{
    if (!g->rules)
        return json_null();
    return json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "rules", (json_int_t)g->rules, "images",
                     (json_int_t)g->images, "lambda", real(g->lambda), "random", real(g->random),
                     "miap", reals(g->miap, F0T_STUDY_GROUPS), "gain",
                     reals(g->gain, F0T_STUDY_GROUPS), "error", reals(g->error, F0T_STUDY_GROUPS));
}

static json_t *describe_pictures(const f0t_study *s)
{
    json_t *list = json_array();
    for (size_t i = 0; i < s->picture_count; i++) {
        const f0t_study_picture *p = &s->pictures[i];
        json_array_append_new(
            list,
            json_pack("{s:s, s:o, s:I, s:I, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o}",
                      "image", p->image, "tags", texts(p->tags, p->tag_count), "irrelevant",
                      (json_int_t)p->irrelevant, "irrelevant_all", (json_int_t)p->irrelevant_all,
                      "pca_share", reals(p->pca_share, 2), "arrow", reals(p->arrow, 2), "lambda",
                      real(p->lambda), "tsne", p->exact ? "exact" : "Barnes-Hut", "divergence",
                      real(p->divergence), "common", real(p->common), "explained",
                      real(p->explained), "angle", real(p->angle), "cosine", real(p->cosine),
                      "ahead", real(p->ahead)));
    }
    return list;
}

static json_t *describe(const f0t_study *s)
{
    return json_pack("{s:s, s:s, s:I, s:s, s:b, s:b, s:o, s:o, s:I, s:I, s:I, s:I, s:o, s:f, s:o, "
                     "s:o, s:o, s:o, "
                     "s:o, s:o, s:o, s:f}",
                     "dataset", s->dataset, "part", s->part, "seed", (json_int_t)s->seed, "hinge",
                     s->hinge == F0T_HINGE_PLAIN ? "plain" : "squared", "centred", s->centred,
                     "unseen_given", s->given, "seen", texts(s->seen, s->seen_count), "unseen",
                     texts(s->unseen, s->unseen_count), "missing", (json_int_t)s->missing, "images",
                     (json_int_t)s->images, "rules", (json_int_t)s->rules, "tested",
                     (json_int_t)s->tested, "lambdas", reals(s->lambdas, s->lambda_count),
                     "random_existence", s->random_existence, "random_generalisation",
                     s->tested ? real(s->random_generalisation) : json_null(), "curves",
                     describe_curves(s), "structure", describe_structure(&s->structure), "groups",
                     describe_groups(&s->groups), "pictures", describe_pictures(s), "vocabularies",
                     describe_scales(s), "findings", texts(s->findings, s->finding_count),
                     "seconds", s->seconds);
}

void f0t_study_json(f0t_text *to, const f0t_study *study)
{
    json_t *all = describe(study);
    char *text = all ? json_dumps(all, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) : NULL;
    if (!text && to->status == F0T_OK)
        to->status = f0t_fail(F0T_ERROR_MEMORY, "no memory for the numbers of the study");
    if (text)
        f0t_text_add(to, text);
    f0t_text_add(to, "\n");
    free(text);
    json_decref(all);
}
