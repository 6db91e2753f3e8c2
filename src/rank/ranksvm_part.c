/* Ranking SVMs over part of the tags, on working sets that grow until no tag outside is in the way. */
#include "base/alloc.h"
#include "rank/ranksvm_work.h"

#include <math.h>
#include <string.h>

/* A first set has so many irrelevant tags, and some more for each relevant one. */
enum { FEW = 48, MORE = 4, ROUNDS = 50 };

/* Irrelevant tags so far below the margin stay outside. */
static const double take_in = 0.02;

struct f0t_ranksvm_part {
    const f0t_ranksvm *svm;
    f0t_svm_work *work;
    /* The set: relevant tags, then some of the irrelevant ones; [tags] each. */
    uint32_t *set;
    double *beta, *scores;
    size_t relevant, count;
    float *outside; /* [tags] scores of all tags of the problem; taken: in the set */
    float *w;       /* [dims] */
};

static const float taken = -HUGE_VALF;

static f0t_status create(f0t_ranksvm_part *part)
{
    const f0t_ranksvm *svm = part->svm;
    F0T_TRY(f0t_svm_work_create(&part->work, svm, svm->tags));
    F0T_TRY(f0t_alloc(&part->set, svm->tags, sizeof *part->set));
    F0T_TRY(f0t_alloc(&part->beta, svm->tags, sizeof *part->beta));
    F0T_TRY(f0t_alloc(&part->scores, svm->tags, sizeof *part->scores));
    F0T_TRY(f0t_alloc(&part->outside, svm->tags, sizeof *part->outside));
    return f0t_alloc(&part->w, svm->dims, sizeof *part->w);
}

f0t_status f0t_ranksvm_part_create(f0t_ranksvm_part **out, const f0t_ranksvm *svm)
{
    f0t_ranksvm_part *part = NULL;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&part, 1, sizeof *part));
    part->svm = svm;
    f0t_status status = create(part);
    if (status == F0T_OK)
        *out = part;
    else
        f0t_ranksvm_part_free(part);
    return status;
}

void f0t_ranksvm_part_free(f0t_ranksvm_part *part)
{
    if (!part)
        return;
    f0t_svm_work_free(part->work);
    f0t_free(part->set);
    f0t_free(part->beta);
    f0t_free(part->scores);
    f0t_free(part->outside);
    f0t_free(part->w);
    f0t_free(part);
}

/* The losses that lead to the hinge, one the start of the next; half the way back where one was too
 * sharp to be solved. *loss is the last one. */
static f0t_svm_bounds solve_set(f0t_svm_work *work, const f0t_svm_task *task, double size,
                                f0t_svm_loss *loss, double dual)
{
    f0t_svm_bounds bounds = {.dual = dual};
    double solved = loss->k / 10;
    for (bool more = true; more;) {
        int steps = 0;
        const bool done = f0t_svm_work_solve(&bounds, &steps, work, task, *loss);
        f0t_svm_work_lengthen(&bounds, work, task, task->gap);
        if (f0t_svm_gap(bounds.primal, bounds.dual) <= task->gap)
            break;
        if (done) {
            solved = loss->k;
            more = f0t_svm_loss_next(loss, task, size);
        } else {
            const double k = sqrt(loss->k * solved);
            more = k < 0.8 * loss->k;
            loss->k = k;
        }
    }
    return bounds;
}

/* ---- The set ----------------------------------------------------------------------------------- */

static double score_of(const f0t_ranksvm_part *part, uint32_t tag)
{
    const f0t_ranksvm *svm = part->svm;
    return f0t_kernels()->svm_dot(svm->given + tag * svm->dims, part->w, svm->dims);
}

/* The solver's scores are of centred vectors: by how much they are lower. */
static double shift_of(const f0t_ranksvm_part *part)
{
    double shift = 0;
    for (size_t k = 0; k < part->svm->dims; k++)
        shift += part->svm->mean[k] * (double)part->w[k];
    return shift;
}

/* Scores of all tags along part->w; those in the set are taken. Gives the least of a relevant one. */
static double score_all(f0t_ranksvm_part *part, const uint32_t *tags, size_t count, bool first)
{
    double least = HUGE_VAL;
    for (size_t i = 0; i < count; i++) {
        const double score = score_of(part, tags[i]);
        if (i < part->relevant) {
            least = fmin(least, score);
            part->outside[i] = taken;
        } else if (first || part->outside[i] > taken) {
            part->outside[i] = (float)score;
        }
    }
    return least;
}

/* Takes the tags above `least` into the set; gives how many. */
static size_t take_above(f0t_ranksvm_part *part, const uint32_t *tags, size_t count, double least)
{
    const size_t before = part->count;
    for (size_t i = part->relevant; i < count; i++)
        if (part->outside[i] > taken && (double)part->outside[i] > least) {
            part->outside[i] = taken;
            part->beta[part->count] = 0;
            part->set[part->count++] = tags[i];
        }
    return part->count - before;
}

/* A score that at most `most` of the tags outside are above. */
static double threshold(const f0t_ranksvm_part *part, size_t count, size_t most)
{
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (size_t i = part->relevant; i < count; i++) {
        low = fmin(low, (double)part->outside[i]);
        high = fmax(high, (double)part->outside[i]);
    }
    low -= 1;
    if (count - part->relevant <= most)
        return low;
    for (int step = 0; step < 20; step++) {
        const double middle = (low + high) / 2;
        size_t above = 0;
        for (size_t i = part->relevant; i < count; i++)
            above += (double)part->outside[i] > middle;
        *(above > most ? &low : &high) = middle;
    }
    return high;
}

/* The mean of the relevant tags is the first direction: the irrelevant ones that go farthest along it
 * will be in the way. */
static void begin_set(f0t_ranksvm_part *part, const uint32_t *tags, size_t relevant, size_t count)
{
    const f0t_ranksvm *svm = part->svm;
    memset(part->w, 0, svm->dims * sizeof *part->w);
    part->relevant = part->count = relevant;
    for (size_t i = 0; i < relevant; i++) {
        part->set[i] = tags[i];
        part->beta[i] = 0;
        f0t_kernels()->svm_add_f32(part->w, 1.0F / (float)relevant,
                                   svm->given + tags[i] * svm->dims, svm->dims);
    }
    score_all(part, tags, count, true);
    take_above(part, tags, count, threshold(part, count, FEW + MORE * relevant));
    memset(part->scores, 0, part->count * sizeof *part->scores);
}

/* Solves the set's problem, looks which tags outside it are in the way, takes them in, and so on. The
 * dual of a set is one of the whole. */
static f0t_svm_bounds solve(f0t_ranksvm_part *part, const f0t_svm_task *task, const uint32_t *tags,
                            size_t count, uint32_t *rounds)
{
    f0t_svm_work *work = part->work;
    f0t_svm_bounds bounds = {.dual = 0};
    for (bool last = false; !last;) {
        f0t_svm_loss loss = f0t_svm_loss_first(task, part->svm->size);
        f0t_svm_work_load(work, part->set, part->beta, part->scores, part->relevant, part->count);
        bounds = solve_set(work, task, part->svm->size, &loss, bounds.dual);
        f0t_svm_work_result(part->w, work);
        bounds.primal = f0t_svm_work_primal(work, task);
        memcpy(part->beta, work->beta, part->count * sizeof *part->beta);
        memcpy(part->scores, work->scores, part->count * sizeof *part->scores);
        const size_t known = part->count;
        const double margin = score_all(part, tags, count, false) - 1;
        const size_t more =
            take_above(part, tags, count, ++*rounds < ROUNDS ? margin - take_in : -HUGE_VAL);
        last = !more;
        const double shift = shift_of(part);
        for (size_t i = known; i < part->count; i++)
            part->scores[i] = score_of(part, part->set[i]) - shift;
    }
    return bounds;
}

void f0t_ranksvm_part_solve(float *direction, f0t_ranksvm_result *result, f0t_ranksvm_part *part,
                            const uint32_t *tags, size_t relevant, size_t count, double lambda,
                            const f0t_ranksvm_options *options)
{
    const double gap = options && options->gap > 0 ? options->gap : F0T_RANKSVM_GAP;
    const f0t_svm_task task = {options ? options->hinge : F0T_HINGE_PLAIN, lambda, gap};
    uint32_t rounds = 0;
    f0t_svm_bounds bounds = {.dual = 0};
    if (!(part->svm->size > 0)) { /* all vectors are equal */
        memset(part->w, 0, part->svm->dims * sizeof *part->w);
        bounds.primal = bounds.dual = (double)relevant * (double)(count - relevant);
    } else {
        begin_set(part, tags, relevant, count);
        bounds = solve(part, &task, tags, count, &rounds);
    }
    memcpy(direction, part->w, part->svm->dims * sizeof *direction);
    if (result)
        *result =
            (f0t_ranksvm_result){bounds.primal, f0t_svm_gap(bounds.primal, bounds.dual), rounds};
}
