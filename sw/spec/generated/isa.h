// SPDX-License-Identifier: Apache-2.0
// Generated from docs/spec/isa.yaml by tern_spec_gen: do not edit.
// Plain C11, also valid C++17.
#ifndef TERN_SPEC_ISA_H
#define TERN_SPEC_ISA_H

#include <stdint.h>

#define TERN_INSTRUCTION_BYTES 64

enum {
  TERN_QUEUE_TENSOR = 0,
  TERN_QUEUE_VECTOR = 1,
  TERN_QUEUE_SCALAR = 2,
  TERN_QUEUE_GPSIMD = 3,
  TERN_QUEUE_SYNC = 4,
};

#define TERN_QUEUE_COUNT 5

enum {
  TERN_WAIT_COND_NONE = 0,
  TERN_WAIT_COND_EQ = 1,
  TERN_WAIT_COND_NE = 2,
  TERN_WAIT_COND_GE = 3,
  TERN_WAIT_COND_GT = 4,
  TERN_WAIT_COND_LE = 5,
  TERN_WAIT_COND_LT = 6,
};

enum {
  TERN_UPD_OP_NONE = 0,
  TERN_UPD_OP_INC = 1,
  TERN_UPD_OP_DEC = 2,
  TERN_UPD_OP_ADD_IMM = 3,
  TERN_UPD_OP_SUB_IMM = 4,
  TERN_UPD_OP_WR_IMM = 5,
};

enum {
  TERN_UPD_WHEN_COMPLETE = 0,
  TERN_UPD_WHEN_READ = 1,
};

enum {
  TERN_ALU_OP_BYPASS = 0,
  TERN_ALU_OP_ADD = 1,
  TERN_ALU_OP_SUBTRACT = 2,
  TERN_ALU_OP_MULTIPLY = 3,
  TERN_ALU_OP_MAX = 4,
  TERN_ALU_OP_MIN = 5,
  TERN_ALU_OP_IS_EQ = 6,
  TERN_ALU_OP_IS_NE = 7,
  TERN_ALU_OP_IS_GE = 8,
  TERN_ALU_OP_IS_GT = 9,
  TERN_ALU_OP_IS_LE = 10,
  TERN_ALU_OP_IS_LT = 11,
};

enum {
  TERN_MX_RULE_AWS = 0,
  TERN_MX_RULE_OCP = 1,
};

enum {
  TERN_ACT_FUNC_IDENTITY = 0,
  TERN_ACT_FUNC_RELU = 1,
  TERN_ACT_FUNC_EXP = 2,
};

enum {
  TERN_TENSOR_MODE_DENSE = 0,
  TERN_TENSOR_MODE_SPARSE = 1,
  TERN_TENSOR_MODE_DOUBLE_ROW = 2,
  TERN_TENSOR_MODE_MX = 3,
  TERN_TENSOR_MODE_QUAD = 4,
};

enum {
  TERN_SPARSITY_S4_16 = 0,
  TERN_SPARSITY_S4_12 = 1,
  TERN_SPARSITY_S4_8 = 2,
  TERN_SPARSITY_S2_8 = 3,
  TERN_SPARSITY_S2_4 = 4,
  TERN_SPARSITY_S1_4 = 5,
  TERN_SPARSITY_S1_2 = 6,
};

enum {
  TERN_TILE_SIZE_WHOLE = 0,
  TERN_TILE_SIZE_HALF = 1,
  TERN_TILE_SIZE_QUARTER = 2,
};

enum {
  TERN_ROUNDING_NEAREST = 0,
  TERN_ROUNDING_STOCHASTIC = 1,
};

enum {
  TERN_ERROR_NONE = 0,
  TERN_ERROR_ILLEGAL_OPCODE = 1,
  TERN_ERROR_ILLEGAL_FIELD = 2,
  TERN_ERROR_BAD_ACCESS_PATTERN = 3,
  TERN_ERROR_BAD_DTYPE = 4,
  TERN_ERROR_FORBIDDEN_MEMORY = 5,
  TERN_ERROR_NOT_MODELLED = 6,
  TERN_ERROR_TENSOR_ENGINE = 7,
  TERN_ERROR_BUS = 8,
  TERN_ERROR_DMA_DESCRIPTOR = 9,
  TERN_ERROR_SEMAPHORE_RANGE = 10,
};

typedef struct tern_ap {
  uint32_t addr;  // byte 0: bit 31: 0 SBUF, 1 PSUM; bits 30..24: first partition; bits 23..0: byte in the partition
  uint16_t num0;  // byte 4: elements in the inner dimension
  int16_t step0;  // byte 6: distance in elements between inner neighbours (0 broadcasts)
  uint16_t num1;  // byte 8: elements in the outer dimension
  int16_t step1;  // byte 10: distance in elements between outer neighbours
} tern_ap_t;

typedef struct tern_header {
  uint8_t opcode;  // byte 0: operation
  uint8_t wait_cond;  // byte 1: condition to wait for before the start
  uint8_t wait_sem;  // byte 2: semaphore compared
  uint8_t upd_sem;  // byte 3: semaphore updated
  uint32_t wait_value;  // byte 4: value compared with
  uint8_t upd_op;  // byte 8: update
  uint8_t upd_when;  // byte 9: moment of the update
  uint16_t upd_value;  // byte 10: operand of add_imm, sub_imm, wr_imm
} tern_header_t;

typedef struct tern_instr_none {
  tern_header_t header;
  uint8_t pad[52];
} tern_instr_none_t;

typedef struct tern_instr_dma_trigger {
  tern_header_t header;
  uint8_t ring;  // byte 12: ring 0..15
  uint8_t reserved;  // byte 13: zero
  uint16_t count[16];  // byte 14: descriptor pairs added, per engine
  uint8_t pad[18];
} tern_instr_dma_trigger_t;

typedef struct tern_instr_load_stationary {
  tern_header_t header;
  tern_ap_t src;  // byte 12: SBUF, num0 = M, step0 = 1, num1 = 1; first partition = first array row; address a multiple of 8
  uint8_t dtype;  // byte 24: one that the mode takes
  uint8_t rows;  // byte 25: K: partitions read, 1..128
  uint8_t cols;  // byte 26: M: 1..128
  uint8_t mode;  // byte 27: tensor_mode
  uint8_t half;  // byte 28: fp32: 0 loads the low half of the operands, 1 the high half; else 0
  uint8_t sparsity;  // byte 29: mode sparse; else 0
  uint8_t tile_rows;  // byte 30: tile_size, mode dense; else 0
  uint8_t tile_cols;  // byte 31: tile_size, mode dense; else 0
  uint8_t col_start;  // byte 32: first array column: 0, 32, 64 or 96
  uint8_t scale_offset;  // byte 33: mx, quad: place of the scales in a quadrant: 0, 4, 8 or 12; else 0
  uint16_t reserved;  // byte 34: zero
  int32_t plane;  // byte 36: double_row: bytes from the first plane to the second; else 0
  uint32_t aux;  // byte 40: mx, quad: byte of the scales in their partitions; sparse: of the tags; else 0
  uint8_t pad[20];
} tern_instr_load_stationary_t;

typedef struct tern_instr_multiply_moving {
  tern_header_t header;
  tern_ap_t src;  // byte 12: SBUF moving, num0*num1 = N
  tern_ap_t dst;  // byte 24: PSUM, partition = col_start, N contiguous elements; may lead into the next banks
  uint8_t dtype;  // byte 36: one that the mode takes
  uint8_t rows;  // byte 37: K, as in the load_stationary it uses
  uint8_t cols;  // byte 38: M, as in the load_stationary it uses
  uint8_t accumulate;  // byte 39: 1: add to PSUM, 0: overwrite
  uint8_t mode;  // byte 40: tensor_mode
  uint8_t half;  // byte 41: as in load_stationary, of the moving operand
  uint8_t sparsity;  // byte 42: mode sparse; else 0
  uint8_t tile_rows;  // byte 43: tile_size, mode dense; else 0
  uint8_t tile_cols;  // byte 44: tile_size, mode dense; else 0
  uint8_t col_start;  // byte 45: first array column: 0, 32, 64 or 96
  uint8_t scale_offset;  // byte 46: mx, quad; else 0
  uint8_t dst_dtype;  // byte 47: fp32 or bf16
  uint8_t rounding;  // byte 48: rounding; stochastic needs bf16
  uint8_t reserved[3];  // byte 49: zero
  int32_t plane;  // byte 52: double_row, sparse: bytes between two planes; else 0
  uint32_t aux;  // byte 56: mx, quad: byte of the first column's scale, one byte per column in the pattern of src; else 0
  uint8_t pad[4];
} tern_instr_multiply_moving_t;

typedef struct tern_instr_transpose {
  tern_header_t header;
  tern_ap_t src;  // byte 12: SBUF, num0 = M, step0 = 1, num1 = 1; address a multiple of 8
  tern_ap_t dst;  // byte 24: PSUM, partition 0, K contiguous elements: 4-byte words for 4-byte elements, else 2-byte words
  uint8_t dtype;  // byte 36: bf16, fp16, fp32, tf32, e4m3, e5m2 or e4m3fn
  uint8_t rows;  // byte 37: K: partitions read, 1..128
  uint8_t cols;  // byte 38: M: elements per partition, 1..128
  uint8_t pad[25];
} tern_instr_transpose_t;

typedef struct tern_instr_elementwise {
  tern_header_t header;
  tern_ap_t dst;  // byte 12: destination
  tern_ap_t src0;  // byte 24: first operand
  tern_ap_t src1;  // byte 36: second operand, or per-partition scalar [P, 1] in FP32
  uint8_t op0;  // byte 48: alu_op; activation: act_func; quantize_mx: mx_rule
  uint8_t op1;  // byte 49: second alu_op (tensor_scalar), else bypass
  uint8_t dst_dtype;  // byte 50: dtype code
  uint8_t src0_dtype;  // byte 51: dtype code
  uint8_t src1_dtype;  // byte 52: dtype code; none: src1 is not used
  uint8_t partitions;  // byte 53: partitions P, 1..128
  uint16_t reserved;  // byte 54: zero
  float imm0;  // byte 56: activation: scale; tensor_scalar: scalar 0 unless src1 gives it; memset: value
  float imm1;  // byte 60: activation: bias unless src1 gives it; tensor_scalar: scalar 1
} tern_instr_elementwise_t;

typedef union tern_instruction {
  tern_header_t header;
  tern_instr_none_t none;
  tern_instr_dma_trigger_t dma_trigger;
  tern_instr_load_stationary_t load_stationary;
  tern_instr_multiply_moving_t multiply_moving;
  tern_instr_transpose_t transpose;
  tern_instr_elementwise_t elementwise;
  uint8_t bytes[64];
} tern_instruction_t;

enum {
  TERN_OPCODE_NOP = 0x01,  // Does nothing: waits and updates semaphores.
  TERN_OPCODE_HALT = 0x02,  // Ends the program of this queue. The core raises its interrupt when all started queues have halted.
  TERN_OPCODE_DMA_TRIGGER = 0x03,  // Moves the tail of one ring on all 16 DMA engines of the core: engine e may process count[e] more descriptor pairs.
  TERN_OPCODE_LOAD_STATIONARY = 0x10,  // Loads stationary [K, M] (K partitions, M contiguous elements) in the background; the next multiply_moving uses it.
  TERN_OPCODE_MULTIPLY_MOVING = 0x11,  // psum[M, N] = or += stationary[K, M]^T x moving[K, N].
  TERN_OPCODE_TRANSPOSE = 0x12,  // psum[M, K] = src[K, M]^T, bit for bit.
  TERN_OPCODE_ACTIVATION = 0x20,  // dst = func(src * scale + bias); bias per partition from an FP32 column, or the immediate.
  TERN_OPCODE_TENSOR_COPY = 0x21,  // dst = src0, converted.
  TERN_OPCODE_TENSOR_TENSOR = 0x22,  // dst = src0 op0 src1.
  TERN_OPCODE_TENSOR_SCALAR = 0x23,  // dst = (src0 op0 scalar0) op1 scalar1; scalar0 per partition when src1 is used.
  TERN_OPCODE_TENSOR_REDUCE = 0x24,  // dst[i1] = op0 over i0 of src0[i1, i0], in element order (add, max or min). op1 = subtract negates the result.
  TERN_OPCODE_MEMSET = 0x25,  // dst = imm0.
  TERN_OPCODE_RECIPROCAL = 0x26,  // dst = 1 / src0, correctly rounded.
  TERN_OPCODE_QUANTIZE_MX = 0x27,  // dst x4 [P, F/4] = src0 [P, F] (bf16, fp16) in MX blocks; writes their scales to src1 (e8m0): a byte per x4 column, partition = dst's + 0, 4, 8 or 12.
  TERN_OPCODE_DEQUANTIZE_MX = 0x28,  // dst [P, 4*F4] (bf16, fp32) = src0 x4 [P, F4] times scales src1 (placed as quantize_mx writes them). Without src1: dst e4m3fn_x4 = src0 e2m1_x4.
};

// All instructions: X(opcode, name, queue mask, format)
#define TERN_INSTRUCTIONS(X) \
  X(0x01, nop, 0x1f, none) \
  X(0x02, halt, 0x1f, none) \
  X(0x03, dma_trigger, 0x1e, dma_trigger) \
  X(0x10, load_stationary, 0x01, load_stationary) \
  X(0x11, multiply_moving, 0x01, multiply_moving) \
  X(0x12, transpose, 0x01, transpose) \
  X(0x20, activation, 0x04, elementwise) \
  X(0x21, tensor_copy, 0x06, elementwise) \
  X(0x22, tensor_tensor, 0x02, elementwise) \
  X(0x23, tensor_scalar, 0x02, elementwise) \
  X(0x24, tensor_reduce, 0x02, elementwise) \
  X(0x25, memset, 0x02, elementwise) \
  X(0x26, reciprocal, 0x02, elementwise) \
  X(0x27, quantize_mx, 0x02, elementwise) \
  X(0x28, dequantize_mx, 0x02, elementwise) \

#ifdef __cplusplus
static_assert(sizeof(tern_instruction_t) == 64, "instruction size");
#else
_Static_assert(sizeof(tern_instruction_t) == 64, "instruction size");
#endif

#endif
