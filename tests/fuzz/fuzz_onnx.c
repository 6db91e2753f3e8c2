/*
 * Networks: the bytes are those of a file or, after a 'G' (which begins no ONNX file), choices of
 * onnx_generator.h. FUZZ_ONNX_WRITE=FILE keeps the network that was made of them, FUZZ_ONNX_TEXT=1
 * prints it.
 */
#include "fuzz.h"

#include "onnx_exercise.h"
#include "onnx_generator.h"
#include "onnx_text.h"

#include <stdio.h>
#include <stdlib.h>

static void keep(const char *path, const onnx_bytes *file)
{
    FILE *to = fopen(path, "wb");
    if (!to || fwrite(file->data, 1, file->size, to) != file->size || fclose(to))
        abort();
}

static void exercise(const void *data, size_t size)
{
    if (onnx_exercise(data, size) == F0T_OK)
        (void)onnx_exercise_pictures(data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size || data[0] != 'G') {
        exercise(data, size);
        return 0;
    }
    char *text = onnx_generate(data + 1, size - 1);
    if (getenv("FUZZ_ONNX_TEXT"))
        fprintf(stderr, "%s", text);
    onnx_bytes file = onnx_from_text(text);
    if (getenv("FUZZ_ONNX_WRITE"))
        keep(getenv("FUZZ_ONNX_WRITE"), &file);
    exercise(file.data, file.size);
    onnx_bytes_free(&file);
    free(text);
    return 0;
}
