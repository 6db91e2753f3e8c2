/* JSON by jansson, with messages that name the file and the place. Keys that come twice are
 * refused; jansson limits the depth and checks that all text is UTF-8. An empty list or object is
 * three bytes of text and some 250 of memory: the values are counted before any is made. */
#ifndef F0T_IO_JSON_H
#define F0T_IO_JSON_H

#include "base/status.h"

#include <jansson.h>

enum { F0T_JSON_VALUES = 1 << 18 };

/* A whole text, or a whole file of at most `most` bytes; the root must be an object. Give the root
 * back with json_decref. `name` is for messages; `monitor` may be NULL. */
f0t_status f0t_json_parse(json_t **out, const void *text, size_t size, const char *name);
f0t_status f0t_json_load(json_t **out, const char *path, size_t most, const f0t_monitor *monitor);

/* Member `key` of `object`. A key that is not there, or null, leaves *out as it is; a value of
 * another type fails with "NAME: "KEY" must be …". Texts are borrowed from the object. */
f0t_status f0t_json_get_string(const char **out, const json_t *object, const char *key,
                               const char *name);
f0t_status f0t_json_get_integer(int64_t *out, const json_t *object, const char *key,
                                const char *name);
f0t_status f0t_json_get_number(double *out, const json_t *object, const char *key,
                               const char *name);
f0t_status f0t_json_get_bool(bool *out, const json_t *object, const char *key, const char *name);
f0t_status f0t_json_get_object(json_t **out, const json_t *object, const char *key,
                               const char *name);
f0t_status f0t_json_get_array(json_t **out, const json_t *object, const char *key,
                              const char *name);

/* Fails when `key` is not there. */
f0t_status f0t_json_need(const json_t *object, const char *key, const char *name);

/* Fails on the first member that is none of `keys`, which ends with NULL. */
f0t_status f0t_json_only(const json_t *object, const char *const *keys, const char *name);

#endif
