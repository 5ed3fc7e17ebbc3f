// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/vector/special_instructions.h"

namespace tern {

bool run_special(EngineUnit& unit, const Operation& operation) {
  const auto run = [&](void (*family)(EngineUnit&, const Operation&)) {
    family(unit, operation);
    return true;
  };
  switch (operation.opcode()) {
    case TERN_OPCODE_BN_STATS:
      return run(run_bn_stats);
    case TERN_OPCODE_BN_AGGR:
      return run(run_bn_aggr);
    case TERN_OPCODE_MAX8:
      return run(run_max8);
    case TERN_OPCODE_FIND_INDEX8:
      return run(run_find_index8);
    case TERN_OPCODE_MATCH_REPLACE8:
      return run(run_match_replace8);
    case TERN_OPCODE_TOPK:
      return run(run_topk);
    case TERN_OPCODE_DROPOUT:
      return run(run_dropout);
    case TERN_OPCODE_RNG:
      return run(run_rng);
    case TERN_OPCODE_RAND2:
      return run(run_rand2);
    case TERN_OPCODE_SET_RNG_SEED:
      return run(run_set_rng_seed);
    case TERN_OPCODE_RAND_SET_STATE:
      return run(run_rand_set_state);
    case TERN_OPCODE_RAND_GET_STATE:
      return run(run_rand_get_state);
    case TERN_OPCODE_STREAM_SHUFFLE:
      return run(run_stream_shuffle);
    case TERN_OPCODE_VECTOR_TRANSPOSE:
      return run(run_vector_transpose);
    case TERN_OPCODE_TENSOR_PARTITION_REDUCE:
      return run(run_tensor_partition_reduce);
    case TERN_OPCODE_IOTA:
      return run(run_iota);
    case TERN_OPCODE_AFFINE_SELECT:
      return run(run_affine_select);
    case TERN_OPCODE_LOCAL_GATHER:
      return run(run_local_gather);
    case TERN_OPCODE_N_GATHER:
      return run(run_n_gather);
    case TERN_OPCODE_NONZERO_WITH_COUNT:
      return run(run_nonzero_with_count);
    case TERN_OPCODE_SEQUENCE_BOUNDS:
      return run(run_sequence_bounds);
    default:
      return false;
  }
}

}  // namespace tern
