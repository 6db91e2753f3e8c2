/* The recipe of a training, as its parts see it. */
#ifndef F0T_RECIPE_RECIPE_H
#define F0T_RECIPE_RECIPE_H

#include "base/plan.h"
#include "fast0tag_tools.h"

/* What the caller sees, and what it stands on: clean tags, and the dataset of a catalogue; NULL: none. */
typedef struct f0t_learned_whole {
    f0t_learned shown;
    f0t_prepared *prepared;
    f0t_dataset *dataset;
} f0t_learned_whole;

/* A recipe at work. */
typedef struct f0t_recipe {
    const f0t_dataset *dataset; /* with the keywords as they are */
    const f0t_vectors *vectors;
    f0t_progress_plan plan;     /* one bar for all of it */
    const f0t_monitor *monitor; /* the plan's */
    f0t_learn_options options;
    f0t_train_options train;  /* of options, or the defaults */
    f0t_catalogue *catalogue; /* that the model is for; NULL: none */
    f0t_learned_whole *whole;
    f0t_learned *learned; /* the part that the caller sees */
} f0t_recipe;

/* Reads the options, begins the bar and makes room for the result, which is freed with f0t_learned_free whatever comes
 * next. */
f0t_status f0t_recipe_begin(f0t_recipe *recipe, const f0t_learn_options *options);

/* How far a catalogue's bar is when the search, the model and the comparison are there; suggestions are the rest. */
#define F0T_RECIPE_SEARCHED 0.7
#define F0T_RECIPE_LEARNED 0.94
#define F0T_RECIPE_COMPARED 0.96

/* The steps up to the model: cleaning, classes, search, training or refit. */
f0t_status f0t_recipe_make_model(f0t_recipe *recipe);
/* After the model was saved: deletes what the training needed to resume; compares with references. */
void f0t_recipe_remove_work(const f0t_recipe *recipe);
f0t_status f0t_recipe_compare(f0t_recipe *recipe);

void f0t_recipe_log_cleaning(const f0t_prepared *prepared, const f0t_monitor *monitor);

#endif
