/* A catalogue of pictures of some kinds, which features tell apart. */
#ifndef F0T_TESTS_KINDS_H
#define F0T_TESTS_KINDS_H

#include "fresh.h"

#include <stdio.h>

enum { DIM = 8, TAGS = 4 };

static inline f0t_catalogue *create(void)
{
    f0t_catalogue *c = fresh_catalogue("catalogue");
    assert_ok(f0t_catalogue_set_backbone(c, "{\"name\": \"numbers\"}"));
    return c;
}

/* A picture of kind `kind`, with this keyword (NULL: none). */
static inline int64_t put(f0t_catalogue *c, size_t number, size_t kind, const char *keyword)
{
    char path[32];
    float features[DIM];
    int64_t id;
    const f0t_catalogue_keyword given = {.keyword = keyword, .source = F0T_KEYWORD_XMP};
    f0t_catalogue_record record = F0T_CATALOGUE_RECORD;
    test_random_floats(features, DIM, number);
    for (size_t i = 0; i < DIM; i++)
        features[i] *= 0.2F;
    features[kind] += 1;
    snprintf(path, sizeof path, "/%zu.jpg", number);
    record.picture.path = path;
    record.features = features;
    record.dim = DIM;
    record.keywords = &given;
    record.keyword_count = keyword != NULL;
    assert_ok(f0t_catalogue_put(&id, c, &record));
    return id;
}

#endif
