/* MiAP against scikit-learn's label_ranking_average_precision_score: tests/python/miap.py. */
#include "../compute/batches.h"

#include "rank/miap.h"

#include <stdio.h>
#include <sys/stat.h>

/* Scores without ties, the 0/1 labels, and our number. */
static void write_case(const char *path, const batch *made, const f0t_miap *miap)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    size_t next = 0;
    fprintf(file, "%zu %zu %.17g\n", made->at.images, made->at.tags, f0t_miap_get(miap));
    for (size_t i = 0; i < made->at.images * made->at.tags; i++) {
        size_t m = i / made->at.tags;
        bool relevant =
            next < made->offsets[m + 1] && made->relevant[next] == (uint32_t)(i % made->at.tags);
        next += relevant;
        fprintf(file, "%.9g %d\n", (double)made->scores[i], relevant);
    }
    fclose(file);
}

static void miap_equals_that_of_scikit_learn(void **state)
{
    const char *folder = test_path("miap");
    (void)state;
    assert_int_equal(mkdir(folder, 0700), 0);
    for (uint64_t seed = 0; seed < 4; seed++) {
        batch made = make_batch(60, 20 + 40 * seed, 3, seed);
        f0t_ranking at = {
            made.at.images, made.at.tags, made.scores, made.offsets, made.relevant, NULL, 0};
        f0t_miap miap = {0, 0, 0};
        char name[32];
        snprintf(name, sizeof name, "miap/%d", (int)seed);
        assert_ok(f0t_miap_add(&miap, &at));
        write_case(test_path(name), &made, &miap);
        free_batch(&made);
    }
    test_python("sklearn", "miap.py", "check", folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(miap_equals_that_of_scikit_learn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
