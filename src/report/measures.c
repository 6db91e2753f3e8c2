#include "report/measures.h"

#include <string.h>

static const struct {
    const char *name, *meaning;
} MEASURES[] = {
    {"MiAP",
     "how well the tags are ranked for a picture, from 0 to 100: 100 when every right tag comes "
     "before all wrong ones. It is the average precision of each picture's ranking, as a mean "
     "over all test pictures (mean image average precision)."},
    {"K", "how many tags each picture is given: the first K of its ranking."},
    {"P", "precision: of the tags that were given, how many in a hundred are right."},
    {"R", "recall: of the tags that are right, how many in a hundred were given."},
    {"F1", "precision and recall in one number, which is high only when both are."},
    {"P*", "precision, counted over those tags alone that were given to some picture."},
    {"N+", "how many different tags were given rightly at least once."},
    {"mAP",
     "the other way round: how well the pictures are ranked for a tag, from 0 to 100, as a mean "
     "over all tags. What a search by a word would show."},
    {"ECE",
     "expected calibration error, from 0 to 100: by how much confidences differ from the share of "
     "tags that are right, in 15 groups of equally many; over all pairs of picture and tag, most "
     "of which are sure to be wrong, and over the first five tags of each picture."},
    {"Brier", "the mean squared difference between a confidence and what is true, times 100."},
    {"sets", "the tags of a picture whose confidence reaches a threshold (from), which validation "
             "pictures have chosen; so many tags on average."},
    {"tune", "seconds that it took to find the method's settings."},
    {"train", "seconds that it took to learn."},
    {"test", "seconds that it took to rank all tags for all test pictures."},
};

/* A head is the name, or begins with it: "MiAP, %", "K = 3". */
const char *f0t_measure_meaning(const char *head)
{
    for (size_t i = 0; i < sizeof MEASURES / sizeof *MEASURES; i++) {
        const size_t n = strlen(MEASURES[i].name);
        if (!strncmp(head, MEASURES[i].name, n) && strchr(" ,", head[n]))
            return MEASURES[i].meaning;
    }
    return NULL;
}

void f0t_measure_write(f0t_text *page, const char *head)
{
    const char *meaning = f0t_measure_meaning(head);
    if (meaning)
        f0t_text_form(page, "<abbr title=\"%s\">%s</abbr>", meaning, head);
    else
        f0t_text_escape(page, head);
}

void f0t_measures_explain(f0t_text *page, const char *const *heads, size_t count)
{
    f0t_text_add(page, "<dl class=\"terms\">\n");
    for (size_t i = 0; i < count; i++) {
        const char *meaning = f0t_measure_meaning(heads[i]);
        f0t_text_form(page, "<dt>%s</dt><dd>%s</dd>\n", heads[i], meaning ? meaning : "");
    }
    f0t_text_add(page, "</dl>\n");
}
