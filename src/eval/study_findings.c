/* What the numbers say, in sentences. */
#include "base/alloc.h"
#include "eval/study.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Sentences while they are made; the first failure is kept. */
typedef struct sentences {
    char **items;
    size_t count, capacity;
    f0t_status status;
} sentences;

static void say(sentences *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(sentences *s, const char *format, ...)
{
    char line[600];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (s->status == F0T_OK)
        s->status = f0t_grow(&s->items, &s->capacity, s->count, 1, sizeof *s->items);
    if (s->status == F0T_OK)
        s->status = f0t_string_copy(&s->items[s->count], line, strlen(line));
    s->count += s->status == F0T_OK;
}

/* A number as text: printf's point depends on the locale of the process. */
typedef struct number {
    char text[32];
} number;

static number fixed(double value, int decimals)
{
    static const char minus[] = "−";
    number n = {"–"};
    char *at = n.text + sizeof n.text - 1;
    double scale = 1;
    for (int i = 0; i < decimals; i++)
        scale *= 10;
    if (!(fabs(value) < 1e12))
        return n;
    uint64_t whole = (uint64_t)llround(fabs(value) * scale);
    const bool negative = value < 0 && whole;
    *at = 0;
    for (int i = 0; i <= decimals || whole; i++, whole /= 10) {
        if (i && i == decimals)
            *--at = '.';
        *--at = (char)('0' + whole % 10);
    }
    if (negative)
        at = memcpy(at - strlen(minus), minus, strlen(minus));
    memmove(n.text, at, strlen(at) + 1);
    return n;
}

/* λ: as many decimals as it needs, up to 6. */
static number plain(double value)
{
    for (int decimals = 0; decimals < 6; decimals++) {
        const double scaled = value * pow(10, decimals);
        if (fabs(scaled - round(scaled)) < 1e-9 * scaled)
            return fixed(value, decimals);
    }
    return fixed(value, 6);
}

#define ONE(value) (fixed((value), 1).text)
#define TWO(value) (fixed((value), 2).text)

static size_t best_of(const double *values, size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        best = values[i] > values[best] ? i : best;
    return best;
}

/* ---- Existence --------------------------------------------------------------------------------- */

static void say_existence(sentences *s, const f0t_study *study)
{
    const f0t_study_curve *c = &study->curves[0];
    for (size_t i = 1; i < study->curve_count; i++)
        if (study->curves[i].dim > c->dim && !study->curves[i].control)
            c = &study->curves[i];
    const size_t best = best_of(c->existence, study->lambda_count);
    const double top = c->existence[best], whole = c->satisfied[best];
    const char *verdict = top >= 99.5   ? "a principal direction exists for almost every rule"
                          : top >= 95.0 ? "a principal direction exists for most rules"
                          : top >= 80.0
                              ? "for many rules there is a direction that comes near"
                              : "for these vectors there is no principal direction in general";
    say(s,
        "Existence: %s. At λ = %s the %zu-dimensional vectors rank the seen tags with a MiAP of %s "
        "%% "
        "over %zu rules (a random order: %s %%), and for %s %% of the rules every relevant tag "
        "comes "
        "before all others.",
        verdict, plain(study->lambdas[best]).text, c->dim, TWO(top), study->rules,
        ONE(study->random_existence), ONE(whole));
    if (study->seen_count <= c->dim + 1)
        say(s,
            "That alone says little: %zu vectors in %zu dimensions can be parted in any way by a "
            "direction, whatever the words mean. Fewer dimensions or unseen tags are a test.",
            study->seen_count, c->dim);
    if (study->lambda_count > 1)
        say(s, "Regularisation: at the largest λ, %s, the MiAP is %s %%.",
            plain(study->lambdas[study->lambda_count - 1]).text,
            TWO(c->existence[study->lambda_count - 1]));
}

/* The curves of one file with the fewest and the most dimensions. */
static void say_dimensions(sentences *s, const f0t_study *study)
{
    const f0t_study_curve *few = &study->curves[0], *many = few;
    for (size_t i = 1; i < study->curve_count; i++) {
        const f0t_study_curve *c = &study->curves[i];
        if (strcmp(c->vectors, few->vectors) || c->file_dim != few->file_dim || c->control)
            continue;
        few = c->dim < few->dim ? c : few;
        many = c->dim > many->dim ? c : many;
    }
    if (few == many)
        return;
    const size_t n = study->lambda_count;
    say(s,
        "Dimensions: cut from %zu to %zu, the best MiAP of the seen tags goes from %s to %s %%, "
        "and "
        "the share of rules without a violation from %s to %s %%.",
        many->dim, few->dim, TWO(many->existence[best_of(many->existence, n)]),
        TWO(few->existence[best_of(few->existence, n)]),
        ONE(many->satisfied[best_of(many->satisfied, n)]),
        ONE(few->satisfied[best_of(few->satisfied, n)]));
    if (many->generalisation)
        say(s, "For the unseen tags the best MiAP goes from %s to %s %%.",
            ONE(many->generalisation[best_of(many->generalisation, n)]),
            ONE(few->generalisation[best_of(few->generalisation, n)]));
}

/* The control of the curve with the fewest dimensions: there chance has least room. */
static void say_control(sentences *s, const f0t_study *study)
{
    const size_t n = study->lambda_count;
    size_t at = 0;
    for (size_t i = 1; i < study->curve_count; i++)
        if (study->curves[i].control && (!at || study->curves[i].dim < study->curves[at].dim))
            at = i;
    if (!at)
        return;
    const f0t_study_curve *dealt = &study->curves[at], *real = dealt - 1;
    say(s,
        "Control: with the vectors dealt out to other tags, %zu dimensions, the same rules reach a "
        "MiAP of %s %% at the best λ (the right vectors: %s %%), and %s %% of them without a "
        "violation (%s %%).",
        dealt->dim, TWO(dealt->existence[best_of(dealt->existence, n)]),
        TWO(real->existence[best_of(real->existence, n)]),
        ONE(dealt->satisfied[best_of(dealt->satisfied, n)]),
        ONE(real->satisfied[best_of(real->satisfied, n)]));
    if (dealt->generalisation)
        say(s, "Their directions rank the unseen tags with a MiAP of %s %% at best.",
            ONE(dealt->generalisation[best_of(dealt->generalisation, n)]));
}

/* ---- Generalisation ------------------------------------------------------------------------------ */

static void say_generalisation(sentences *s, const f0t_study *study)
{
    const f0t_study_curve *c = NULL;
    size_t best = 0;
    for (size_t i = 0; i < study->curve_count; i++) {
        const f0t_study_curve *other = &study->curves[i];
        if (!other->generalisation || other->control)
            continue;
        const size_t at = best_of(other->generalisation, study->lambda_count);
        if (!c || other->generalisation[at] > c->generalisation[best]) {
            c = other;
            best = at;
        }
    }
    if (!c)
        return;
    const double top = c->generalisation[best], random = study->random_generalisation;
    const char *verdict =
        top > 1.5 * random   ? "the directions hold for tags that had no part in them"
        : top > 1.1 * random ? "the directions say a little about tags that had no part in them"
                             : "the directions say nothing about tags that had no part in them";
    say(s,
        "Generalisation: %s. Directions of %zu seen tags rank the %zu unseen ones with a MiAP of "
        "up "
        "to %s %% (λ = %s, %zu dimensions), %s times that of a random order (%s %%), over %zu "
        "images.",
        verdict, study->seen_count, study->unseen_count, ONE(top), plain(study->lambdas[best]).text,
        c->dim, ONE(top / random), ONE(random), study->tested);
}

/* ---- Structure ----------------------------------------------------------------------------------- */

static void say_structure(sentences *s, const f0t_study *study)
{
    const f0t_study_structure *t = &study->structure;
    if (!t->rules)
        return;
    say(s,
        "Principal direction: the mean offset has %s %% of the offsets' mean square (as many tags "
        "drawn at random: %s %%). At λ = %s, %s %% of the offsets point along the direction of the "
        "ranking SVM rather than against it, at a mean cosine of %s.",
        ONE(t->common), ONE(t->common_random), plain(t->lambda).text, ONE(t->ahead),
        TWO(t->cosine));
    say(s,
        "Clusters: one for each relevant tag, they explain %s %% of the variance of the offsets, "
        "%s than tags drawn at random would (%s %%): relevant tags %s.",
        ONE(t->explained), t->explained < t->explained_random ? "less" : "more",
        ONE(t->explained_random),
        t->explained < t->explained_random ? "are more alike than any tags"
                                           : "are no more alike than any tags");
    say(s,
        "Angles: the principal directions of two relevant tags of an image are %s° apart, those of "
        "any two tags %s°.",
        ONE(t->angle), ONE(t->angle_random));
}

static void say_groups(sentences *s, const f0t_study *study)
{
    const f0t_study_groups *g = &study->groups;
    if (!g->rules)
        return;
    size_t best = 1;
    for (size_t k = 2; k < F0T_STUDY_GROUPS; k++)
        best = g->gain[k] > g->gain[best] ? k : best;
    /* Three standard errors: the best of three is looked at. */
    const bool better = g->gain[best] > 3 * g->error[best];
    const bool worse = g->gain[best] < -3 * g->error[best];
    say(s,
        "Several directions: on %zu rules with %d relevant tags or more, one direction ranks the "
        "unseen tags with a MiAP of %s %%, two with %s, three with %s, four with %s. %s: %zu of "
        "them "
        "change the MiAP of a rule by %s ± %s points.",
        g->rules, F0T_STUDY_GROUPS, ONE(g->miap[0]), ONE(g->miap[1]), ONE(g->miap[2]),
        ONE(g->miap[3]),
        better  ? "Several are better than one"
        : worse ? "One is better than several"
                : "Several are neither better nor worse than one",
        best + 1, TWO(g->gain[best]), TWO(g->error[best]));
}

f0t_status f0t_study_findings(char ***out, size_t *count, const f0t_study *study)
{
    sentences s = {0};
    say_existence(&s, study);
    say_dimensions(&s, study);
    say_control(&s, study);
    say_generalisation(&s, study);
    say_structure(&s, study);
    say_groups(&s, study);
    *out = s.items;
    *count = s.count;
    return s.status;
}
