// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "systemc/engines/vector/engine_unit.h"

// The instructions of Vector and GpSimd that are neither element by element nor reductions:
// statistics, searches, random numbers, movement between partitions, gathers, positions. Semantics:
// docs/spec/isa.yaml and docs/numerics.md; the functions on rows lie beside this file.
namespace tern {

// False if the opcode is none of them. On operations that check_instruction() has let pass; may
// wait for PSUM. Throws EngineFault if an index in the data leaves its row.
bool run_special(EngineUnit& unit, const Operation& operation);

// run_special() by family:
void run_bn_stats(EngineUnit& unit, const Operation& operation);
void run_bn_aggr(EngineUnit& unit, const Operation& operation);

void run_max8(EngineUnit& unit, const Operation& operation);
void run_find_index8(EngineUnit& unit, const Operation& operation);
void run_match_replace8(EngineUnit& unit, const Operation& operation);
void run_topk(EngineUnit& unit, const Operation& operation);

void run_dropout(EngineUnit& unit, const Operation& operation);
void run_rng(EngineUnit& unit, const Operation& operation);
void run_rand2(EngineUnit& unit, const Operation& operation);
void run_set_rng_seed(EngineUnit& unit, const Operation& operation);
void run_rand_set_state(EngineUnit& unit, const Operation& operation);
void run_rand_get_state(EngineUnit& unit, const Operation& operation);

void run_stream_shuffle(EngineUnit& unit, const Operation& operation);
void run_vector_transpose(EngineUnit& unit, const Operation& operation);
void run_tensor_partition_reduce(EngineUnit& unit, const Operation& operation);

void run_iota(EngineUnit& unit, const Operation& operation);
void run_affine_select(EngineUnit& unit, const Operation& operation);
void run_local_gather(EngineUnit& unit, const Operation& operation);
void run_n_gather(EngineUnit& unit, const Operation& operation);
void run_nonzero_with_count(EngineUnit& unit, const Operation& operation);
void run_sequence_bounds(EngineUnit& unit, const Operation& operation);

}  // namespace tern
