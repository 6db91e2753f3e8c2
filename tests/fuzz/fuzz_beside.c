/* What lies beside a network, of a stranger: the JSON that says how pictures are prepared, a line of "%%" alone, and the names of
 * its classes. What the backbone says of itself opens it again. */
#include "fuzz.h"
#include "onnx_text.h"
#include "scratch.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, CLASSES_MOST = 64 };

static const char net[] = "x:float[N,3,8,8]; p=GlobalAveragePool(x); f=Flatten(p); "
                          "w=float[3,4]{1,2,3,4,5,6,7,8,9,10,11,12}; b=float[4]{0.5,1,1.5,2}; "
                          "y=Gemm(f,w,b); r=Relu(y); return r";
static char folder[PATH_SIZE], network[PATH_SIZE + 16], json[PATH_SIZE + 16],
    labels[PATH_SIZE + 16];

static void clean(void)
{
    unlink(network);
    unlink(json);
    unlink(labels);
    rmdir(folder);
}

/* Nothing is there where nothing is to be written. */
static void put(const char *path, const void *data, size_t size)
{
    FILE *file = size ? fopen(path, "wb") : NULL;
    if (!size)
        unlink(path);
    else
        need(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

static void prepare(void)
{
    if (*folder)
        return;
    make_folder(folder, sizeof folder);
    atexit(clean);
    snprintf(network, sizeof network, "%s/net.onnx", folder);
    snprintf(json, sizeof json, "%s/net.json", folder);
    snprintf(labels, sizeof labels, "%s/labels.txt", folder);
    onnx_bytes file = onnx_from_text(net);
    put(network, file.data, file.size);
    onnx_bytes_free(&file);
}

static void use_classes(void)
{
    f0t_classes *classes;
    float features[CLASSES_MOST] = {1, -2, 3}, out[CLASSES_MOST];
    if (f0t_classes_open(&classes, network, NULL, NULL) != F0T_OK)
        return;
    const size_t count = f0t_classes_count(classes);
    volatile size_t sum = 0; /* kept by the compiler */
    for (size_t c = 0; c < count; c++)
        sum += strlen(f0t_classes_label(classes, c));
    if (count > CLASSES_MOST || f0t_classes_dim(classes) > CLASSES_MOST)
        abort(); /* the network has no more */
    need(f0t_classes_probabilities(out, classes, features, 1, 1, NULL) == F0T_OK);
    for (size_t c = 0; c < count; c++)
        if (!(out[c] >= 0 && out[c] <= 1))
            abort();
    f0t_classes_close(classes);
    (void)sum;
}

static void use_backbone(void)
{
    f0t_backbone *once, *again;
    if (f0t_backbone_open(&once, network, NULL, NULL) != F0T_OK)
        return;
    const char *description = f0t_backbone_description(once);
    need(f0t_backbone_check(once, description) == F0T_OK);
    need(f0t_backbone_open(&again, description, NULL, NULL) == F0T_OK);
    if (f0t_backbone_dim(once) != f0t_backbone_dim(again) ||
        strcmp(description, f0t_backbone_description(again)) != 0)
        abort();
    f0t_backbone_close(again);
    f0t_backbone_close(once);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char mark[] = "\n%%\n";
    prepare();
    const uint8_t *stop = size ? memmem(data, size, mark, sizeof mark - 1) : NULL;
    const size_t first = stop ? (size_t)(stop - data) : size;
    put(json, data, first);
    put(labels, stop ? stop + sizeof mark - 1 : NULL, stop ? size - first - sizeof mark + 1 : 0);
    use_backbone();
    use_classes();
    return 0;
}
