#include "tag/general.h"

#include "base/status.h"

#include <math.h>
#include <strings.h>

static f0t_tag_score *find(f0t_tag_score *tags, size_t count, const char *word)
{
    for (size_t i = 0; i < count; i++)
        if (!strcasecmp(tags[i].tag, word))
            return &tags[i];
    return NULL;
}

static void raise_to(f0t_tag_score *general, const f0t_tag_score *child)
{
    general->score = fmaxf(general->score, child->score);
    general->confidence = fmaxf(general->confidence, child->confidence); /* NaN where both are */
}

static bool is_surer(const f0t_tag_score *a, const f0t_tag_score *b)
{
    return a->confidence > b->confidence ||
           (!(a->confidence < b->confidence) && a->score > b->score);
}

/* Equally sure ones stay as they came: from the special to the general. */
static void sort(f0t_tag_score *tags, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t k = i; k && is_surer(&tags[k], &tags[k - 1]); k--) {
            const f0t_tag_score held = tags[k];
            tags[k] = tags[k - 1];
            tags[k - 1] = held;
        }
}

f0t_status f0t_general_add(f0t_tag_score *tags, size_t *count, const f0t_hypernyms *hypernyms)
{
    const size_t own = *count;
    for (size_t i = 0; i < own; i++) {
        const char *words[F0T_HYPERNYMS_MOST];
        size_t found;
        const f0t_tag_score child = tags[i];
        F0T_TRY(f0t_hypernyms_find(words, &found, hypernyms, child.tag));
        for (size_t k = 0; k < found; k++) {
            f0t_tag_score *general = find(tags, *count, words[k]);
            if (general)
                raise_to(general, &child);
            else if (*count < own + F0T_GENERAL_MOST)
                tags[(*count)++] = (f0t_tag_score){.tag = words[k],
                                                   .index = F0T_NONE,
                                                   .score = child.score,
                                                   .confidence = child.confidence};
        }
    }
    sort(tags + own, *count - own);
    return F0T_OK;
}
