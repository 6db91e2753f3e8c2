/*
 * A blend in its model file, beside what every model has (model_file.c):
 *
 *     blend.frequency  F32 [T];   blend.numbers  F32: weights and calibrations, in the order of blend_file.c
 *     blend.risk, words.risk      F64, the fields of f0t_risk_curve in their order
 *     tags.layer0.weight …        F32, the net with an output per tag
 *     votes.map, .shift, .scales  F32;   votes.offsets I64;   votes.relevant I32;   votes.rows U8, signed bytes
 *     ridge.nearness, .weights, .base F32;   ridge.map F32 where they have a small rank;   ridge.landmarks I32
 *     ridge.mean                  F32, in place of nearness and landmarks, where it goes by features
 *     words.mean, .spread, .inverse, .prior     F32
 *     classes.weights  F16 (once F32);   classes.bias, .vectors, .mean   F32
 *
 * Experts that are off have no tensors.
 */
#ifndef F0T_MODEL_BLEND_FILE_H
#define F0T_MODEL_BLEND_FILE_H

#include "io/safetensors.h"
#include "model/blend.h"

/* Tensors are aligned where those of wide types come first: of 8 bytes, of 4, of 2, of 1. */
f0t_status f0t_blend_save_wide(f0t_safetensors_writer *writer, const f0t_blend *blend);
f0t_status f0t_blend_save(f0t_safetensors_writer *writer, const f0t_blend *blend);
f0t_status f0t_blend_save_half(f0t_safetensors_writer *writer, const f0t_blend *blend);
f0t_status f0t_blend_save_bytes(f0t_safetensors_writer *writer, const f0t_blend *blend);

/* blend->features, tags, dim and what it borrows are set. Everything that is read is checked. */
f0t_status f0t_blend_load(f0t_blend *blend, const f0t_safetensors *file);
/* Its weights and calibrations alone, into an empty blend. */
f0t_status f0t_blend_load_numbers(f0t_blend *blend, const f0t_safetensors *file);

#endif
