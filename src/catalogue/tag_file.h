/* Tags of ours in the file of a picture: beside it, or inside. */
#ifndef F0T_CATALOGUE_TAG_FILE_H
#define F0T_CATALOGUE_TAG_FILE_H

#include "base/interner.h"
#include "catalogue/catalogue.h"
#include "image/sidecar_name.h"

/* How a file was written, as the table `writes` has it. */
typedef enum f0t_write_way {
    F0T_WAY_SIDECAR = 0,
    F0T_WAY_PLAIN = 1,
    F0T_WAY_EMBED = 2,
    F0T_WRITE_WAYS = 3
} f0t_write_way;

/* Zero-initialise the rest. */
typedef struct f0t_tag_files {
    f0t_catalogue *catalogue;
    bool touch, dry_run;                    /* as in f0t_catalogue_write_options */
    f0t_sidecars *sidecars[F0T_WRITE_WAYS]; /* opened when one is needed */
    f0t_sidecar_usage usage;                /* of all pictures, once it was needed */
    bool counted;
    const f0t_replaced *
        back; /* what goes back into the file of way `back_way`, if it is as we left it; NULL: nothing */
    f0t_write_way back_way;
} f0t_tag_files;

void f0t_tag_files_close(f0t_tag_files *files);

/* The sidecar for the tags of a picture (f0t_sidecar_choose), of which the catalogue's pictures are the collection. */
f0t_status f0t_tag_files_choose(f0t_write_way *how, f0t_tag_files *files, const char *picture,
                                bool plain);

/* Tags for a file; again[count of tags] (NULL: all false): also if somebody took it out of the file. */
typedef struct f0t_file_tags {
    f0t_texts texts;
    bool *again;
} f0t_file_tags;

/* Makes `tags` our tags of the picture that `said` names, or takes all of ours away, and fills in the rest of `said`. Tags
 * of ours are in one place: they are taken away where they went in the ways of `leave`. *left: and were there. *told is the
 * way of the file that `said` is about. */
f0t_status f0t_tag_files_write(f0t_catalogue_written *said, f0t_write_way *told, bool *left,
                               f0t_tag_files *files, const bool leave[F0T_WRITE_WAYS],
                               f0t_write_way how, const f0t_file_tags *tags, bool remove);

/* Takes what we wrote for a picture that has left the path of `said` out of the sidecars there. */
f0t_status f0t_tag_files_clear(f0t_catalogue_written *said, f0t_write_way *told, f0t_tag_files *f);

#endif
