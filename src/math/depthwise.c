#include "math/depthwise.h"

#include "base/alloc.h"
#include "base/kernels.h"
#include "base/team.h"

enum { LANES = 16, BLOCK = 8 };

struct f0t_depthwise {
    f0t_depthwise_form form;
    size_t images, blocks; /* of channels, in each image */
    int threads;
};

/* ---- Which ------------------------------------------------------------------------------------- */

static bool is_usual(const f0t_layer_window *w)
{
    for (size_t d = 0; d < 2 && w->rank == 2; d++)
        if ((w->kernel[d] != 3 && w->kernel[d] != 5) || w->kernel[d] != w->kernel[0] ||
            w->stride[d] != w->stride[0] || w->stride[d] > 2 || w->dilation[d] != 1 ||
            w->before[d] >= w->kernel[d])
            return false;
    return w->rank == 2;
}

bool f0t_depthwise_in_blocks(void)
{
    return f0t_cpu_level() == F0T_CPU_WIDE;
}

bool f0t_depthwise_suits(const f0t_layer_conv *c)
{
    f0t_finish finish;
#if defined(__x86_64__)
    const bool wide = f0t_cpu_level() >= F0T_CPU_WIDE;
#else
    const bool wide = false;
#endif
    return wide && c->type == F0T_F32 && c->result == F0T_F32 && !c->rescale &&
           c->groups == c->channels && c->channels == c->filters &&
           c->channels % (f0t_depthwise_in_blocks() ? BLOCK : LANES) == 0 && is_usual(&c->window) &&
           f0t_finish_read(&finish, c->after, c->after_count) && finish.kind != F0T_FINISH_SIGMOID;
}

f0t_status f0t_depthwise_create(f0t_depthwise **out, const f0t_layer_conv *c, int threads)
{
    F0T_TRY(f0t_alloc_zero(out, 1, sizeof **out));
    f0t_depthwise_form *form = &(*out)->form;
    (*out)->images = c->images;
    (*out)->blocks = f0t_depthwise_in_blocks() ? c->channels / BLOCK : 1;
    (*out)->threads = threads;
    form->channels = c->channels / (*out)->blocks;
    form->kernel = c->window.kernel[0];
    form->stride = c->window.stride[0];
    for (size_t d = 0; d < 2; d++) {
        form->in[d] = c->in[d];
        form->out[d] = c->window.out[d];
        form->before[d] = c->window.before[d];
    }
    f0t_finish_read(&form->finish, c->after, c->after_count);
    return F0T_OK;
}

void f0t_depthwise_free(f0t_depthwise *depthwise)
{
    f0t_free(depthwise);
}

void f0t_depthwise_run(float *result, const f0t_depthwise *g, const float *source,
                       const float *filters, const float *bias)
{
    const f0t_depthwise_form *f = &g->form;
    const int team = f0t_team_size(), threads = team < g->threads ? team : g->threads;
    const size_t rows = f->out[0], all = g->images * g->blocks * rows;
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (size_t t = 0; t < all; t++) {
        const size_t image = t / rows, channel = image % g->blocks * f->channels;
        f0t_kernels()->depthwise_row(result + t * f->out[1] * f->channels, f,
                                     source + image * f->in[0] * f->in[1] * f->channels,
                                     filters + channel * f->kernel * f->kernel, bias + channel,
                                     t % rows);
    }
}
