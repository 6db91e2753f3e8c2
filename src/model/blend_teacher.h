/*
 * The backbone as a teacher of a direction. The tags to learn from are few, and the network that made the features was
 * trained to tell many more classes apart, whose names have vectors, too. A direction f(x) learns from both: beside the
 * ranking of an image's tags it learns to give the classes the probabilities p that the network gives them,
 *
 *     loss = ranking + w (log Σ_c exp(f·v_c) - Σ_c p_c f·v_c),    w = 0.05
 *
 * in the mean over images, c the classes that are the most probable ones of the training images.
 */
#ifndef F0T_MODEL_BLEND_TEACHER_H
#define F0T_MODEL_BLEND_TEACHER_H

#include "model/trainer.h"

enum { F0T_TEACHER_CLASSES = 256 }; /* at most */

typedef struct f0t_teacher f0t_teacher;

/* Whether classes with these vectors[C x d] can teach: at least four in five of them have one, that is not 0. What is
 * known of some of the classes alone teaches that the others are not there. */
bool f0t_teacher_can(const float *vectors, size_t count, size_t dim);

/* Of the classes with vectors[C x d], for the training images of `data`, whose tags have the vectors data->tags. */
f0t_status f0t_teacher_create(f0t_teacher **out, const f0t_classes *classes, const float *vectors,
                              const f0t_train_data *data, const f0t_train_options *options,
                              const f0t_monitor *monitor);
void f0t_teacher_free(f0t_teacher *teacher);

/* What a direction minimises; good as long as the teacher is. */
f0t_objective f0t_teacher_objective(f0t_teacher *teacher);

#endif
