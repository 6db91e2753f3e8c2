/* A table of tags beside the pictures: which of its lines each picture has. */
#ifndef F0T_IMPORT_PHOTOS_TABLE_H
#define F0T_IMPORT_PHOTOS_TABLE_H

#include "import/csv.h"
#include "import/import.h"

#define F0T_NO_LINE UINT32_MAX

typedef struct f0t_photo_table {
    f0t_csv_table csv;
    uint32_t *lines; /* [pictures] the table's image, or F0T_NO_LINE */
} f0t_photo_table;

/* Reads the table that the options name. */
f0t_status f0t_photo_table_load(f0t_photo_table *table, const f0t_import_job *job);

/* Finds each picture's line: the one whose name is the longest end of the picture's path, from a slash
 * on. A name that fits no picture so may have another ending than the picture, or none ("IMG_1"), where
 * that fits one picture alone, or a photo in several formats. Reports what is left over; fails when
 * no line fits any picture. */
f0t_status f0t_photo_table_match(f0t_photo_table *table, const f0t_import_job *job,
                                 const f0t_texts *pictures);
void f0t_photo_table_free(f0t_photo_table *table);

#endif
