#include "tag/choice.h"

#include "base/monitor.h"
#include "model/blend.h"

/* How sure a promise is: it fails in one of ten draws of held-out images at most. */
#define LEVEL 0.9

/* ---- What is asked for ----------------------------------------------------------------------- */

static bool is_asked(const f0t_tag_options *o)
{
    return o->confidence != 0 || o->precision != 0 || o->recall != 0;
}

static f0t_status check(const f0t_tag_options *o, const f0t_model *model)
{
    if ((o->confidence != 0) + (o->precision != 0) + (o->recall != 0) > 1)
        return f0t_fail(F0T_ERROR_ARGUMENT,
                        "f0t_tag_options: one of confidence, precision and recall may be set");
    if (o->confidence != 0 && !(o->confidence > 0 && o->confidence <= 1))
        return f0t_fail(F0T_ERROR_ARGUMENT, "a confidence of %g is not between 0 and 1",
                        o->confidence);
    if (!model->blend)
        return f0t_fail(F0T_ERROR_UNSUPPORTED,
                        "a model of the method %s does not say how sure it is; one of the method "
                        "blend does",
                        f0t_method_name(f0t_model_method(model)));
    return F0T_OK;
}

/* ---- Thresholds ------------------------------------------------------------------------------ */

static f0t_status find(float *threshold, const f0t_tag_options *o, const f0t_risk_curve *curve,
                       const char *what, const f0t_monitor *monitor)
{
    const bool precise = o->precision != 0;
    const double target = precise ? o->precision : o->recall;
    f0t_status status = precise ? f0t_risk_threshold_precision(threshold, curve, target, LEVEL)
                                : f0t_risk_threshold_recall(threshold, curve, target, LEVEL);
    if (status != F0T_OK)
        return f0t_fail_prefix(status, "%s: ", what);
    f0t_log(monitor, F0T_LOG_INFO,
            "%s: a %s of %g is promised to those of confidence %.2f or more, by %.0f images", what,
            precise ? "precision" : "recall", target, (double)*threshold, curve->images);
    return F0T_OK;
}

f0t_status f0t_tag_choice_create(f0t_tag_choice *out, const f0t_tag_options *o,
                                 const f0t_model *model, const f0t_known_words *words,
                                 const f0t_monitor *monitor)
{
    *out = (f0t_tag_choice){.words = words};
    if (!is_asked(o))
        return F0T_OK;
    F0T_TRY(check(o, model));
    out->by_confidence = true;
    out->learned = out->fresh = (float)o->confidence;
    if (o->confidence != 0)
        return F0T_OK;
    if (words->learned_count)
        F0T_TRY(find(&out->learned, o, &model->blend->risk, "learned tags", monitor));
    if (words->new_count)
        F0T_TRY(find(&out->fresh, o, &model->blend->word_risk, "new words", monitor));
    return F0T_OK;
}

/* ---- Taking ---------------------------------------------------------------------------------- */

/* New words are in ascending order; NULL: all are new. */
static bool is_new(const f0t_known_words *w, uint32_t index)
{
    size_t low = 0, high = w->new_count;
    while (w->fresh && low < high) {
        const size_t middle = low + (high - low) / 2;
        if (w->fresh[middle] < index)
            low = middle + 1;
        else
            high = middle;
    }
    return !w->fresh || (low < w->new_count && w->fresh[low] == index);
}

bool f0t_tag_choice_takes(const f0t_tag_choice *c, uint32_t index, float confidence)
{
    return !c->by_confidence || confidence >= (is_new(c->words, index) ? c->fresh : c->learned);
}
