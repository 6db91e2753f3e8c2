/* What the library itself asks of a network, besides the public header. */
#ifndef F0T_ONNX_NETWORK_H
#define F0T_ONNX_NETWORK_H

#include "base/status.h"

/* f0t_network_run that ends with F0T_ERROR_INTERRUPTED when the monitor (or NULL) says so. */
f0t_status f0t_network_run_watched(float *out, f0t_network *network, const float *pixels,
                                   size_t images, const f0t_monitor *monitor);

/* How many threads each run pictures of their own of so many: those that the caller has, or as many as the limit of arrays has
 * room for (docs/onnx.md); 1: all threads run the same ones. */
int f0t_network_threads_apart(const f0t_network *network, size_t images);

/* CRC-32 of the network's file. */
f0t_status f0t_network_checksum(uint32_t *sum, const f0t_network *network);
/* CRC-32 of the files beside the network's own that hold its weights; 0 when there is not
 * any. Fails where one was made shorter meanwhile. */
f0t_status f0t_network_external_checksum(uint32_t *sum, bool *any, const f0t_network *network);

#endif
