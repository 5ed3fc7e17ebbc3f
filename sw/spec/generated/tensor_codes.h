// SPDX-License-Identifier: Apache-2.0
// Generated from docs/spec/tensor.yaml by tern_spec_gen: do not edit.
// Plain C11, also valid C++17.
#ifndef TERN_SPEC_TENSOR_CODES_H
#define TERN_SPEC_TENSOR_CODES_H

#include <stdint.h>

// Operations of a command
enum {
  TERN_TENSOR_OP_LOAD_STATIONARY = 0,
  TERN_TENSOR_OP_MULTIPLY_MOVING = 1,
  TERN_TENSOR_OP_TRANSPOSE = 2,
};

// Status codes
enum {
  TERN_TENSOR_STATUS_OK = 0,  // done
  TERN_TENSOR_STATUS_BAD_OPERATION = 1,  // unknown operation, format or mode, or a combination that none has
  TERN_TENSOR_STATUS_BAD_TILE = 2,  // rows, columns or starts outside the array, the tile, or the mode's grain; starts are multiples of R/4 and C/4
  TERN_TENSOR_STATUS_BAD_MOVING = 3,  // N is 0 or above `MaxMoving` (FP32) or 2 `MaxMoving` (BF16 destination); the pattern of a load or transpose has not M elements
  TERN_TENSOR_STATUS_BAD_PSUM = 4,  // the destination leaves PSUM (quad: its quarter)
  TERN_TENSOR_STATUS_BAD_ALIGNMENT = 5,  // alignment: moving and dense stationary their size, a moving plane 2; other stationary 8 bytes and contiguous, their plane 4
  TERN_TENSOR_STATUS_NO_STATIONARY = 6,  // no stationary loaded for this tile, or one of another shape, mode, pattern or format class
  TERN_TENSOR_STATUS_BAD_ADDRESS = 7,  // an operand address leaves the partition
  TERN_TENSOR_STATUS_BAD_SCALE = 8,  // scales or tags: offset not 0, 4, 8 or 12, stationary scales not on 4 bytes, tags not on 2, or outside the partition
  TERN_TENSOR_STATUS_BAD_TAG = 9,  // a LoadStationary met a sparse position outside its pattern (reported when it is complete; those elements contribute nothing)
};

// Sixteenths by which a multiply takes longer, by quarter of the ramp
#define TERN_TENSOR_RAMP { 12u, 7u, 4u, 1u }

#endif
