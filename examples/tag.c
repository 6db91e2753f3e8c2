/* Tags pictures, one line each: tag MODEL PICTURE… */
#include <fast0tag.h>
#include <stdio.h>

/* Called for each picture, in order. One that cannot be read does not stop the others. */
static bool show(void *user, const f0t_tag_result *result)
{
    char **pictures = user;
    if (result->error)
        fprintf(stderr, "%s\n", result->error);
    else
        printf("%s:", pictures[result->input]);
    for (size_t i = 0; i < result->count; i++)
        printf(" %s (%.2f)%s", result->tags[i].tag, (double)result->tags[i].score,
               i + 1 < result->count ? "," : "\n");
    return true;
}

int main(int argc, char **argv)
{
    f0t_tagger *tagger;
    f0t_tag_input input = F0T_TAG_INPUT;
    if (argc < 3) {
        fprintf(stderr, "usage: tag MODEL PICTURE...\n");
        return 2;
    }
    input.count = (size_t)argc - 2;
    input.paths = (const char *const *)argv + 2;
    int failed = f0t_tagger_open(&tagger, argv[1], NULL, NULL) ||
                 f0t_tagger_each(tagger, &input, NULL, show, argv + 2, NULL);
    if (failed)
        fprintf(stderr, "%s\n", f0t_last_error());
    f0t_tagger_close(tagger);
    return failed;
}
