#include "base/alloc.h"
#include "io/vectors_convert.h"
#include "word/forms.h"

#include <string.h>

/* Every spelling under which the tag, or a word of it, may be looked up. */
static f0t_status want_tag(f0t_forms *wanted, const char *tag)
{
    f0t_word_part parts[F0T_PARTS_MOST];
    size_t length = strlen(tag), count = f0t_forms_parts(parts, tag, length);
    F0T_TRY(f0t_forms_add(wanted, tag, length));
    for (size_t i = 0; i < count && count > 1; i++)
        if (parts[i].counts)
            F0T_TRY(f0t_forms_add(wanted, tag + parts[i].begin, parts[i].end - parts[i].begin));
    return F0T_OK;
}

f0t_status f0t_vectors_trim(f0t_vectors_counts *counts, const char *to, const char *from,
                            const char *const *tags, size_t tag_count,
                            const f0t_convert_options *options)
{
    F0T_REQUIRE(to);
    F0T_REQUIRE(from);
    F0T_TRY(f0t_require_all(__func__, "tags", tags, tag_count));
    f0t_forms wanted;
    f0t_status status = F0T_OK;
    f0t_forms_init(&wanted);
    for (size_t i = 0; i < tag_count && status == F0T_OK; i++) {
        status = want_tag(&wanted, tags[i]);
        if (status != F0T_OK)
            f0t_fail_prefix(status, "tag %zu: ", i + 1);
    }
    if (status == F0T_OK)
        status = f0t_vectors_rewrite(counts, to, from, &wanted.list.view, options);
    f0t_forms_clear(&wanted);
    return status;
}
