/* The list of labels that comes with a dataset of MULAN. */
#include "report/inspect.h"

#include "base/alloc.h"
#include "import/mulan_xml.h"

#include <string.h>

enum { LABELS_MOST = 1 << 24 };

static f0t_status matches(bool *yes, const f0t_inspector *in)
{
    const char *at = in->head + strspn(in->head, " \t\r\n\xEF\xBB\xBF");
    *yes = *at == '<' && strstr(at, "<labels");
    return F0T_OK;
}

static f0t_status describe_labels(f0t_inspector *in, const f0t_names *labels)
{
    size_t count = f0t_names_count(labels);
    F0T_TRY(f0t_inspector_kind(in, "mulan-labels", "label list of MULAN, %zu labels", count));
    F0T_TRY(f0t_inspector_count(in, "labels", count));
    for (size_t i = 0; i < count && i < in->rows; i++) {
        const char *name = f0t_names_get(labels, i);
        F0T_TRY(f0t_inspector_row(in, name, strlen(name), NULL, 0));
    }
    return F0T_OK;
}

static f0t_status describe(f0t_inspector *in)
{
    char *text;
    size_t size;
    f0t_names labels = {0};
    F0T_TRY(f0t_inspector_read(in, &text, &size, LABELS_MOST));
    f0t_status status = f0t_mulan_xml_read(&labels, text, size, in->result.path);
    if (status == F0T_OK)
        status = describe_labels(in, &labels);
    f0t_names_free(&labels);
    f0t_free(text);
    return status;
}

const f0t_inspect_kind f0t_inspect_labels = {matches, describe};
