/* Messages of onnx.proto, written: bytes that grow, and fields into them. */
#ifndef F0T_ONNX_PACK_H
#define F0T_ONNX_PACK_H

#include "onnx/proto.h"

/* The first failure stays, and everything after it does nothing. */
typedef struct f0t_onnx_pack {
    unsigned char *data;
    size_t size, capacity;
    f0t_status status;
} f0t_onnx_pack;

void f0t_onnx_pack_clear(f0t_onnx_pack *p);

void f0t_onnx_pack_int(f0t_onnx_pack *p, uint32_t number, uint64_t value);
void f0t_onnx_pack_bytes(f0t_onnx_pack *p, uint32_t number, const void *data, size_t size);
void f0t_onnx_pack_text(f0t_onnx_pack *p, uint32_t number, const char *text);
/* A field of another message as it is. */
void f0t_onnx_pack_field(f0t_onnx_pack *p, const unsigned char *from, const unsigned char *to);
/* `inner` as a message; it is cleared, and its failure is p's. */
void f0t_onnx_pack_message(f0t_onnx_pack *p, uint32_t number, f0t_onnx_pack *inner);

#endif
