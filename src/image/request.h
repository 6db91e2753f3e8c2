/* Which network is asked for, and what is known about it before it is opened: from FILE.json beside FILE.onnx, or
 * from the description of a backbone. */
#ifndef F0T_IMAGE_REQUEST_H
#define F0T_IMAGE_REQUEST_H

#include "image/preprocess.h"

/* Of a description: the checksum of the weights that are not in the network's own file. */
#define F0T_REQUEST_EXTERNAL "external_crc32"

/* All zero but for what the caller says. */
typedef struct f0t_network_request {
    const char *path;
    const char *output;   /* the features; NULL: as f0t_network_options */
    const char *classes;  /* the output with one number per class, or NULL */
    const char *labels;   /* file of their names, in the folder of the network or below; or NULL */
    const char *external; /* CRC-32 of its weights in other files, of a description; or NULL */
    f0t_preprocess preprocess; /* where it is */
    bool prepared;
    json_t *json; /* FILE.json, which has the texts; NULL: there is none */
} f0t_network_request;

/* The name of FILE.json, which the caller frees. */
f0t_status f0t_request_beside(char **out, const char *path);
/* Fills in what the caller did not say by FILE.json beside the network, if there is one. */
f0t_status f0t_request_read_beside(f0t_network_request *request, const f0t_monitor *monitor);
/* What a backbone's description says, whose texts are borrowed; `path` is NULL where it is the built-in
 * descriptor's. Fails with F0T_ERROR_MISMATCH when the file is not the one that it was, and with
 * F0T_ERROR_ARGUMENT when the caller said something else. */
f0t_status f0t_request_describe(f0t_network_request *request, const json_t *description);
void f0t_request_clear(f0t_network_request *request);

/* CRC-32 of a file, as descriptions have it. */
f0t_status f0t_request_checksum(char text[9], const char *path);

#endif
