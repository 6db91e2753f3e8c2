#include "model/net_layers.h"

#include "base/alloc.h"
#include "base/size.h"
#include "math/matmul.h"

/* Rows of a block: enough for the products to be at full speed. */
enum { BLOCK = 1024 };

f0t_status f0t_net_layer_forward(const f0t_net *net, size_t l, void *y, const void *x, size_t rows)
{
    const f0t_net_layer *layer = &net->layers[l];
    bool hidden = l + 1 < net->layer_count;
    f0t_matmul op = {.m = rows,
                     .n = layer->outputs,
                     .k = layer->inputs,
                     .type = net->precision,
                     .result = hidden ? net->precision : F0T_F32,
                     .b_transposed = true,
                     .relu = hidden};
    return f0t_matmul_run(y, x, f0t_net_layer_operand(layer), layer->bias, &op);
}

/* What a block of rows passes through: the input rounded to bfloat16, and the layers' results, of
 * which only the last one is needed at a time. */
typedef struct scratch {
    void *input;
    void *hidden[2];
} scratch;

static f0t_status create_scratch(scratch *out, const f0t_net *net, size_t rows)
{
    size_t element = f0t_dtype_size(net->precision), widest = 0, count;
    for (size_t l = 0; l < net->shape.hidden_count; l++)
        widest = net->shape.hidden[l] > widest ? net->shape.hidden[l] : widest;
    if (!f0t_size_mul(&count, rows, widest) || !f0t_size_mul(&count, rows, net->shape.inputs))
        return f0t_fail(F0T_ERROR_MEMORY, "no memory to apply a net to %zu images", rows);
    if (net->precision == F0T_BF16)
        F0T_TRY(f0t_alloc(&out->input, rows * net->shape.inputs, element));
    for (int i = 0; i < 2 && widest; i++)
        F0T_TRY(f0t_alloc(&out->hidden[i], rows * widest, element));
    return F0T_OK;
}

static f0t_status apply_block(const f0t_net *net, scratch *work, float *f, const float *x,
                              size_t rows)
{
    const void *from = x;
    if (work->input) {
        f0t_f32_to_bf16(work->input, x, rows * net->shape.inputs);
        from = work->input;
    }
    for (size_t l = 0; l < net->layer_count; l++) {
        void *to = l + 1 < net->layer_count ? work->hidden[l % 2] : f;
        F0T_TRY(f0t_net_layer_forward(net, l, to, from, rows));
        from = to;
    }
    return F0T_OK;
}

static f0t_status apply_blocks(const f0t_net *net, scratch *work, float *f, const float *x,
                               size_t rows)
{
    for (size_t done = 0; done < rows; done += BLOCK) {
        size_t count = rows - done < BLOCK ? rows - done : BLOCK;
        F0T_TRY(apply_block(net, work, f + done * net->shape.outputs, x + done * net->shape.inputs,
                            count));
    }
    return F0T_OK;
}

f0t_status f0t_net_apply(const f0t_net *net, float *f, const float *x, size_t rows)
{
    scratch work = {0};
    f0t_status status = create_scratch(&work, net, rows < BLOCK ? rows : BLOCK);
    if (status == F0T_OK)
        status = apply_blocks(net, &work, f, x, rows);
    f0t_free(work.input);
    f0t_free(work.hidden[0]);
    f0t_free(work.hidden[1]);
    return status;
}
