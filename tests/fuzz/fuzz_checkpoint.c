/* The checkpoint of a stranger: nets that are done are taken from it, and a training goes on from there. */
#include "fuzz.h"
#include "scratch.h"
#include "tensors.h"

#include "io/safetensors.h"
#include "model/checkpoint.h"
#include "model/options.h"
#include "model/trainer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { TRAINED = 8, DIM = 2, HIDDEN = 3, PATH_SIZE = 64 };

static const float tags[WINDS * DIM] = {1, 0, 0, 1, -1, 0, 0, -1};

/* The training, made once. */
static struct {
    f0t_dataset *dataset;
    f0t_samples train, val;
    f0t_condition condition;
    f0t_train_data data;
    f0t_train_options options;
    f0t_objective objective;
    int file; /* that has no name */
    char path[PATH_SIZE];
} t;

static void open_dataset(void)
{
    static const uint32_t number[WINDS] = {0, 1, 2, 3};
    uint8_t split[WIND_IMAGES];
    for (size_t i = 0; i < WIND_IMAGES; i++)
        split[i] = (uint8_t)(i < TRAINED ? F0T_TRAIN : i < TRAINED + WINDS ? F0T_VAL : F0T_TEST);
    t.dataset = open_winds(split, NULL);
    need(f0t_samples_create(&t.train, t.dataset, F0T_TRAIN, number, WINDS, false) == F0T_OK);
    need(f0t_samples_create(&t.val, t.dataset, F0T_VAL, number, WINDS, true) == F0T_OK);
    need(f0t_condition_create(&t.condition, F0T_CONDITION_SCALE, t.dataset, &t.train, NULL) ==
         F0T_OK);
}

static void prepare(void)
{
    if (t.dataset)
        return;
    open_dataset();
    t.data = (f0t_train_data){.dataset = t.dataset,
                              .condition = &t.condition,
                              .train = &t.train,
                              .val = &t.val,
                              .tags = tags,
                              .dim = DIM};
    t.options = (f0t_train_options)F0T_TRAIN_OPTIONS;
    t.options.method = F0T_METHOD_NET;
    t.options.hidden_count = 1;
    t.options.hidden[0] = HIDDEN;
    t.options.epochs = 3;
    t.options.batch = 3;
    t.options.resume = true;
    f0t_train_options_resolve(&t.options, t.train.count, WIND_FEATURES, DIM);
    t.file = memfd_create("checkpoint", MFD_CLOEXEC);
    snprintf(t.path, sizeof t.path, "/proc/self/fd/%d", t.file);
    t.options.checkpoint = t.path;
    need(t.file >= 0 && f0t_objective_ranking(&t.objective, &t.data, &t.options) == F0T_OK);
}

/* A copy of one: random numbers would take half of the time. */
static f0t_net *make_net(void)
{
    static f0t_net *first;
    f0t_net *net;
    const f0t_net_shape shape = {.inputs = WIND_FEATURES,
                                 .hidden_count = 1,
                                 .hidden = {HIDDEN},
                                 .outputs = DIM,
                                 .bias = true};
    if (!first) {
        need(f0t_net_create(&first, &f0t_compute_cpu, &shape, F0T_F32) == F0T_OK);
        need(f0t_net_set_random(first, 1, F0T_OUTPUT_SCALE) == F0T_OK);
    }
    need(f0t_net_create_copy(&net, &f0t_compute_cpu, first) == F0T_OK);
    return net;
}

/* As the training would be named. */
static bool find_identity(char identity[1024], const uint8_t *data, size_t size)
{
    f0t_safetensors *file;
    if (f0t_safetensors_open_memory(&file, data, size, "fuzz") != F0T_OK)
        return false;
    const char *found = f0t_safetensors_metadata(file, "identity");
    snprintf(identity, 1024, "%s", found ? found : "");
    f0t_safetensors_close(file);
    return true;
}

static void use(const char *identity)
{
    f0t_net *net = make_net();
    bool found;
    double miap;
    for (size_t i = 0; i < 2; i++)
        (void)f0t_checkpoint_load_done(net, &found, t.path, identity, i);
    f0t_net_free(net);
    net = make_net();
    if (f0t_trainer_run(&miap, net, &t.data, &t.objective, &t.options, identity, NULL) == F0T_OK &&
        !isnan(miap) && !(miap >= 0 && miap <= 100))
        abort();
    f0t_net_free(net);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char identity[1024];
    uint8_t *file = tensors_signed_copy(data, size);
    prepare();
    if (file && find_identity(identity, file, size)) {
        need(ftruncate(t.file, 0) == 0 && pwrite(t.file, file, size, 0) == (ssize_t)size);
        use(identity);
    }
    free(file);
    return 0;
}
