/* What the library itself asks of a network, besides the public header. */
#ifndef F0T_ONNX_NETWORK_H
#define F0T_ONNX_NETWORK_H

#include "base/status.h"

/* f0t_network_run that ends with F0T_ERROR_INTERRUPTED when the monitor (or NULL) says so. */
f0t_status f0t_network_run_watched(float *out, f0t_network *network, const float *pixels,
                                   size_t images, const f0t_monitor *monitor);

/* CRC-32 of the files beside the network's own that hold its weights; 0 when there is not
 * any. Fails where one was made shorter meanwhile. */
f0t_status f0t_network_external_checksum(uint32_t *sum, bool *any, const f0t_network *network);

#endif
