/* Trains a model on a dataset: train DATASET VECTORS MODEL */
#include <fast0tag.h>
#include <stdio.h>

static void show(void *user, const f0t_epoch *epoch)
{
    (void)user;
    printf("epoch %zu: loss %.4f, validation MiAP %.2f %%\n", epoch->number, epoch->loss,
           epoch->miap);
}

int main(int argc, char **argv)
{
    f0t_dataset *dataset = NULL;
    f0t_vectors *vectors = NULL;
    f0t_model *model = NULL;
    f0t_train_options options = F0T_TRAIN_OPTIONS;
    if (argc != 4) {
        fprintf(stderr, "usage: train DATASET VECTORS MODEL\n");
        return 2;
    }
    options.epoch = show;
    int failed = f0t_dataset_open(&dataset, argv[1], NULL, NULL) ||
                 f0t_vectors_open(&vectors, argv[2], NULL, NULL) ||
                 f0t_train(&model, dataset, vectors, &options, NULL) ||
                 f0t_model_save(model, argv[3]);
    if (failed)
        fprintf(stderr, "%s\n", f0t_last_error());
    f0t_model_free(model);
    f0t_vectors_close(vectors);
    f0t_dataset_close(dataset);
    return failed;
}
