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
  TERN_QUEUE_CC0 = 5,
  TERN_QUEUE_CC1 = 6,
};
#define TERN_QUEUE_COUNT 7

// All queues: X(number, name)
#define TERN_QUEUE_NAMES(X) \
  X(0, tensor) \
  X(1, vector) \
  X(2, scalar) \
  X(3, gpsimd) \
  X(4, sync) \
  X(5, cc0) \
  X(6, cc1) \

enum {
  TERN_WAIT_COND_NONE = 0,
  TERN_WAIT_COND_EQ = 1,
  TERN_WAIT_COND_NE = 2,
  TERN_WAIT_COND_GE = 3,
  TERN_WAIT_COND_GT = 4,
  TERN_WAIT_COND_LE = 5,
  TERN_WAIT_COND_LT = 6,
  TERN_WAIT_COND_EVENT = 7,
};
#define TERN_WAIT_COND_COUNT 8

enum {
  TERN_UPD_OP_NONE = 0,
  TERN_UPD_OP_INC = 1,
  TERN_UPD_OP_DEC = 2,
  TERN_UPD_OP_ADD_IMM = 3,
  TERN_UPD_OP_SUB_IMM = 4,
  TERN_UPD_OP_WR_IMM = 5,
  TERN_UPD_OP_SET_EVENT = 6,
  TERN_UPD_OP_CLEAR_EVENT = 7,
};
#define TERN_UPD_OP_COUNT 8

enum {
  TERN_UPD_WHEN_COMPLETE = 0,
  TERN_UPD_WHEN_READ = 1,
};
#define TERN_UPD_WHEN_COUNT 2

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
  TERN_ALU_OP_ABS_MAX = 12,
  TERN_ALU_OP_ABS_MIN = 13,
  TERN_ALU_OP_LOGICAL_AND = 14,
  TERN_ALU_OP_LOGICAL_OR = 15,
  TERN_ALU_OP_LOGICAL_XOR = 16,
  TERN_ALU_OP_POWER = 17,
  TERN_ALU_OP_ABS = 18,
  TERN_ALU_OP_SQUARE = 19,
  TERN_ALU_OP_RELU = 20,
  TERN_ALU_OP_RSQRT = 21,
  TERN_ALU_OP_RECIPROCAL = 22,
  TERN_ALU_OP_BIT_NOT = 32,
  TERN_ALU_OP_BIT_AND = 33,
  TERN_ALU_OP_BIT_OR = 34,
  TERN_ALU_OP_BIT_XOR = 35,
  TERN_ALU_OP_SHIFT_LEFT = 36,
  TERN_ALU_OP_SHIFT_RIGHT = 37,
};
#define TERN_ALU_OP_COUNT 29

enum {
  TERN_MX_RULE_AWS = 0,
  TERN_MX_RULE_OCP = 1,
};
#define TERN_MX_RULE_COUNT 2

enum {
  TERN_ACT_FUNC_IDENTITY = 0,
  TERN_ACT_FUNC_RELU = 1,
  TERN_ACT_FUNC_EXP = 2,
  TERN_ACT_FUNC_SQUARE = 3,
  TERN_ACT_FUNC_SIGMOID = 4,
  TERN_ACT_FUNC_PRELU = 5,
  TERN_ACT_FUNC_GELU = 6,
  TERN_ACT_FUNC_GELU_DX = 7,
  TERN_ACT_FUNC_GELU_APPRX_TANH = 8,
  TERN_ACT_FUNC_GELU_APPRX_SIGMOID = 9,
  TERN_ACT_FUNC_GELU_APPRX_SIGMOID_DX = 10,
  TERN_ACT_FUNC_SILU = 11,
  TERN_ACT_FUNC_SILU_DX = 12,
  TERN_ACT_FUNC_TANH = 13,
  TERN_ACT_FUNC_SOFTPLUS = 14,
  TERN_ACT_FUNC_MISH = 15,
  TERN_ACT_FUNC_ERF = 16,
  TERN_ACT_FUNC_ERF_DX = 17,
  TERN_ACT_FUNC_SIGN = 18,
  TERN_ACT_FUNC_ABS = 19,
  TERN_ACT_FUNC_LOG = 20,
  TERN_ACT_FUNC_SIN = 21,
  TERN_ACT_FUNC_ARCTAN = 22,
  TERN_ACT_FUNC_SQRT = 23,
  TERN_ACT_FUNC_RSQRT = 24,
  TERN_ACT_FUNC_RECIPROCAL = 25,
};
#define TERN_ACT_FUNC_COUNT 26

enum {
  TERN_REDUCE_CMD_IDLE = 0,
  TERN_REDUCE_CMD_RESET = 1,
  TERN_REDUCE_CMD_REDUCE = 2,
  TERN_REDUCE_CMD_RESET_REDUCE = 3,
  TERN_REDUCE_CMD_LOAD_REDUCE = 4,
};
#define TERN_REDUCE_CMD_COUNT 5

enum {
  TERN_REGISTER_OP_MOVE = 0,
  TERN_REGISTER_OP_ADD = 1,
  TERN_REGISTER_OP_SUBTRACT = 2,
  TERN_REGISTER_OP_MULTIPLY = 3,
  TERN_REGISTER_OP_BIT_AND = 4,
  TERN_REGISTER_OP_BIT_OR = 5,
  TERN_REGISTER_OP_BIT_XOR = 6,
  TERN_REGISTER_OP_SHIFT_LEFT = 7,
  TERN_REGISTER_OP_SHIFT_RIGHT = 8,
  TERN_REGISTER_OP_MIN = 9,
  TERN_REGISTER_OP_MAX = 10,
};
#define TERN_REGISTER_OP_COUNT 11

enum {
  TERN_BRANCH_COND_ALWAYS = 0,
  TERN_BRANCH_COND_EQ = 1,
  TERN_BRANCH_COND_NE = 2,
  TERN_BRANCH_COND_LT = 3,
  TERN_BRANCH_COND_GE = 4,
  TERN_BRANCH_COND_LTU = 5,
  TERN_BRANCH_COND_GEU = 6,
};
#define TERN_BRANCH_COND_COUNT 7

enum {
  TERN_CONTROL_FAULT_EXTEND = 1,
  TERN_CONTROL_FAULT_BRANCH_PROGRAM = 2,
  TERN_CONTROL_FAULT_BRANCH_LOOP = 3,
  TERN_CONTROL_FAULT_LOOP_BODY = 4,
  TERN_CONTROL_FAULT_LOOP_DEPTH = 5,
  TERN_CONTROL_FAULT_ENDLESS = 6,
};
#define TERN_CONTROL_FAULT_COUNT 6

enum {
  TERN_PROGRAM_FAULT_NONE = 0,
  TERN_PROGRAM_FAULT_BAD_FILE = 1,
  TERN_PROGRAM_FAULT_LOAD = 2,
  TERN_PROGRAM_FAULT_STORE = 3,
  TERN_PROGRAM_FAULT_PROTECTED = 4,
  TERN_PROGRAM_FAULT_MISALIGNED = 5,
  TERN_PROGRAM_FAULT_JUMP = 6,
  TERN_PROGRAM_FAULT_ILLEGAL = 7,
  TERN_PROGRAM_FAULT_BREAKPOINT = 8,
  TERN_PROGRAM_FAULT_LIMIT = 9,
  TERN_PROGRAM_FAULT_EXIT = 10,
  TERN_PROGRAM_FAULT_STOPPED = 11,
  TERN_PROGRAM_FAULT_REGISTER = 12,
};
#define TERN_PROGRAM_FAULT_COUNT 13

enum {
  TERN_DMA_OP_COPY = 0,
  TERN_DMA_OP_CAST = 1,
  TERN_DMA_OP_ADD = 2,
  TERN_DMA_OP_MIN = 3,
  TERN_DMA_OP_MAX = 4,
  TERN_DMA_OP_FMA = 5,
  TERN_DMA_OP_TRANSPOSE = 6,
  TERN_DMA_OP_IMMEDIATE = 7,
};
#define TERN_DMA_OP_COUNT 8

enum {
  TERN_DMA_DTYPE_FP32 = 0,
  TERN_DMA_DTYPE_BF16 = 1,
  TERN_DMA_DTYPE_FP16 = 2,
};
#define TERN_DMA_DTYPE_COUNT 3

enum {
  TERN_DMA_WRITE_OP_STORE = 0,
  TERN_DMA_WRITE_OP_ADD_FP32 = 1,
  TERN_DMA_WRITE_OP_ADD_BF16 = 2,
  TERN_DMA_WRITE_OP_ADD_FP8 = 3,
};
#define TERN_DMA_WRITE_OP_COUNT 4

enum {
  TERN_QOS_POLICY_ROUND_ROBIN = 0,
  TERN_QOS_POLICY_STRICT = 1,
  TERN_QOS_POLICY_WEIGHTED = 2,
};
#define TERN_QOS_POLICY_COUNT 3

enum {
  TERN_DMA_FAULT_NONE = 0,
  TERN_DMA_FAULT_PHASE = 1,
  TERN_DMA_FAULT_RESERVED = 2,
  TERN_DMA_FAULT_FIRST = 3,
  TERN_DMA_FAULT_MISMATCH = 4,
  TERN_DMA_FAULT_TOO_LONG = 5,
  TERN_DMA_FAULT_SUMS = 6,
  TERN_DMA_FAULT_OPERATION = 7,
  TERN_DMA_FAULT_INT_EN = 8,
  TERN_DMA_FAULT_BASE = 9,
  TERN_DMA_FAULT_SIZE = 10,
  TERN_DMA_FAULT_OVERRUN = 11,
  TERN_DMA_FAULT_ALIGNMENT = 12,
  TERN_DMA_FAULT_FETCH = 13,
  TERN_DMA_FAULT_READ = 14,
  TERN_DMA_FAULT_WRITE = 15,
  TERN_DMA_FAULT_ECC = 16,
  TERN_DMA_FAULT_CRC = 17,
  TERN_DMA_FAULT_ABORT = 18,
  TERN_DMA_FAULT_COMPLETION = 19,
};
#define TERN_DMA_FAULT_COUNT 20

enum {
  TERN_DMA_DIRECTION_GATHER = 0,
  TERN_DMA_DIRECTION_SCATTER = 1,
};
#define TERN_DMA_DIRECTION_COUNT 2

enum {
  TERN_BOUNDS_MODE_ERROR = 0,
  TERN_BOUNDS_MODE_SKIP = 1,
};
#define TERN_BOUNDS_MODE_COUNT 2

enum {
  TERN_TENSOR_MODE_DENSE = 0,
  TERN_TENSOR_MODE_SPARSE = 1,
  TERN_TENSOR_MODE_DOUBLE_ROW = 2,
  TERN_TENSOR_MODE_MX = 3,
  TERN_TENSOR_MODE_QUAD = 4,
};
#define TERN_TENSOR_MODE_COUNT 5

enum {
  TERN_SPARSITY_S4_16 = 0,
  TERN_SPARSITY_S4_12 = 1,
  TERN_SPARSITY_S4_8 = 2,
  TERN_SPARSITY_S2_8 = 3,
  TERN_SPARSITY_S2_4 = 4,
  TERN_SPARSITY_S1_4 = 5,
  TERN_SPARSITY_S1_2 = 6,
};
#define TERN_SPARSITY_COUNT 7

enum {
  TERN_TILE_SIZE_WHOLE = 0,
  TERN_TILE_SIZE_HALF = 1,
  TERN_TILE_SIZE_QUARTER = 2,
};
#define TERN_TILE_SIZE_COUNT 3

enum {
  TERN_ROUNDING_NEAREST = 0,
  TERN_ROUNDING_STOCHASTIC = 1,
};
#define TERN_ROUNDING_COUNT 2

enum {
  TERN_EXTEND_FLAG_SCALAR0 = 1,
  TERN_EXTEND_FLAG_SCALAR1 = 2,
  TERN_EXTEND_FLAG_REDUCE = 4,
  TERN_EXTEND_FLAG_REVERSE0 = 8,
  TERN_EXTEND_FLAG_REVERSE1 = 16,
  TERN_EXTEND_FLAG_STOCHASTIC = 32,
};
#define TERN_EXTEND_FLAG_COUNT 6

// Sparsity patterns: X(number, name, kept, of): `kept` of every `of` consecutive k
#define TERN_SPARSITY_PATTERNS(X) \
  X(0, s4_16, 4, 16) \
  X(1, s4_12, 4, 12) \
  X(2, s4_8, 4, 8) \
  X(3, s2_8, 2, 8) \
  X(4, s2_4, 2, 4) \
  X(5, s1_4, 1, 4) \
  X(6, s1_2, 1, 2) \

// most elements per partition of bn_stats
#define TERN_LIMIT_BN_STATS_ELEMENTS 512u
// values of max8, find_index8, match_replace8; fewest elements that they search
#define TERN_LIMIT_SEARCH_FOUND 8u
// most elements per partition that they search
#define TERN_LIMIT_SEARCH_ELEMENTS 16384u
// partitions that start, shuffle and hold MX scales together
#define TERN_LIMIT_QUADRANT 32u

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
  TERN_ERROR_CONTROL_FLOW = 11,
  TERN_ERROR_CUSTOM_OP = 12,
  TERN_ERROR_DMA_INDEX = 13,
  TERN_ERROR_ECC = 14,
  TERN_ERROR_EVENT_REPEATED = 15,
};
#define TERN_ERROR_COUNT 16

typedef struct tern_ap {
  uint32_t addr;  // byte 0: bit 31: 0 SBUF, 1 PSUM; bits 30..24: first partition; bits 23..0: byte in the partition
  uint16_t num0;  // byte 4: elements in the inner dimension
  int16_t step0;  // byte 6: distance in elements between inner neighbours (0 broadcasts)
  uint16_t num1;  // byte 8: elements in the outer dimension
  int16_t step1;  // byte 10: distance in elements between outer neighbours
} tern_ap_t;

typedef struct tern_outer {
  uint16_t num2;  // byte 0: elements in the third dimension
  int16_t step2;  // byte 2: distance in elements between its neighbours
  uint16_t num3;  // byte 4: elements in the fourth dimension
  int16_t step3;  // byte 6: distance in elements between its neighbours
} tern_outer_t;

typedef struct tern_header {
  uint8_t opcode;  // byte 0: operation
  uint8_t wait_cond;  // byte 1: condition to wait for before the start
  uint8_t wait_sem;  // byte 2: semaphore compared, or event
  uint8_t upd_sem;  // byte 3: semaphore or event updated
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

typedef struct tern_instr_dma_copy {
  tern_header_t header;
  uint32_t dst_lo;  // byte 12: system address of the first destination byte, low half; dst_reg of an extend is added to the whole address
  uint32_t dst_hi;  // byte 16: high half
  uint32_t src_lo;  // byte 20: of the first source byte; src0_reg of an extend is added
  uint32_t src_hi;  // byte 24: high half
  int32_t dst_stride[3];  // byte 28: distance in bytes per dimension, innermost first; 0 where count is 1
  int32_t src_stride[3];  // byte 40: likewise of the source
  uint16_t count[3];  // byte 52: repetitions per dimension, innermost first, at least 1
  uint16_t length;  // byte 58: bytes of a contiguous run, the innermost dimension; 0: 65536. transpose: 64
  uint8_t ring;  // byte 60: ring 0..15 of all 16 engines, used by this queue's dma_copy only
  uint8_t semaphore;  // byte 61: plus one from every engine when its part is complete: complete at +16
  uint8_t op;  // byte 62: dma_op copy, or transpose: 32 x 32 blocks of 2-byte elements, count[0] = 32 rows of a block
  uint8_t reserved;  // byte 63: zero
} tern_instr_dma_copy_t;

typedef struct tern_instr_dma_indirect {
  tern_header_t header;
  uint32_t table_lo;  // byte 12: system address of row 0 of the table (its first byte moved), low half
  uint32_t table_hi;  // byte 16: high half
  uint32_t rows;  // byte 20: rows of the table: an index from here on is out of bounds
  uint32_t pitch;  // byte 24: bytes from one row of the table to the next
  uint32_t length;  // byte 28: bytes moved of each row, 1..65536
  uint32_t tile;  // byte 32: address as in ap: SBUF, its rows are in `partitions` partitions
  uint32_t index;  // byte 36: address as in ap: SBUF, a uint32 column [P, 1]
  uint8_t partitions;  // byte 40: P, 1..128
  uint8_t ring;  // byte 41: ring 0..15: its descriptors are in SBUF (docs/decisions/0011)
  uint8_t semaphore;  // byte 42: as in dma_copy
  uint8_t direction;  // byte 43: dma_direction
  uint8_t bounds;  // byte 44: bounds_mode
  uint8_t write_op;  // byte 45: dma_write_op: an add is done near the memory
  uint16_t reserved;  // byte 46: zero
  uint8_t pad[16];
} tern_instr_dma_indirect_t;

typedef struct tern_instr_extend {
  tern_header_t header;
  tern_outer_t dst_outer;  // byte 12: outer dimensions of dst
  tern_outer_t src0_outer;  // byte 20: of src0; tensor instructions: of src
  tern_outer_t src1_outer;  // byte 28: of src1
  uint32_t scalar0;  // byte 36: address (as in ap) of an FP32 column [P, 1] instead of imm0, if flag scalar0
  uint32_t scalar1;  // byte 40: the same instead of imm1, if flag scalar1
  uint32_t reduce;  // byte 44: FP32 column [P, 1]: receives the accumulators if flag reduce; load_reduce reads it
  float imm2;  // byte 48: prelu: slope; range_select: first index
  uint8_t flags;  // byte 52: sum of extend_flag; other bits zero
  uint8_t reduce_cmd;  // byte 53: reduce_cmd
  uint8_t reduce_op;  // byte 54: alu_op: add, max, min, abs_max, abs_min
  uint8_t dst_reg;  // byte 55: register added to the byte of dst's address; register 0 is always zero
  uint8_t src0_reg;  // byte 56: to src0's (src's)
  uint8_t src1_reg;  // byte 57: to src1's
  uint8_t wait_reg;  // byte 58: to wait_value
  uint8_t num_reg;  // byte 59: not 0: register that replaces num0 of dst, src0 and src1 where the instruction has it above 1
  uint32_t reserved;  // byte 60: zero
} tern_instr_extend_t;

typedef struct tern_instr_register_alu {
  tern_header_t header;
  uint8_t dst;  // byte 12: register 1..63
  uint8_t a;  // byte 13: register
  uint8_t b;  // byte 14: register; its value plus imm is the second operand
  uint8_t op;  // byte 15: register_op
  uint32_t imm;  // byte 16: added to register b
  uint8_t pad[44];
} tern_instr_register_alu_t;

typedef struct tern_instr_register_memory {
  tern_header_t header;
  uint32_t addr;  // byte 12: as in ap: SBUF, a 4-byte word of one partition
  uint8_t addr_reg;  // byte 16: register added to its byte
  uint8_t reg;  // byte 17: register: load 1..63, store 0..63
  uint16_t reserved;  // byte 18: zero
  uint8_t pad[44];
} tern_instr_register_memory_t;

typedef struct tern_instr_branch {
  tern_header_t header;
  int32_t target;  // byte 12: distance in instructions from this one
  uint32_t imm;  // byte 16: added to register b
  uint8_t cond;  // byte 20: branch_cond
  uint8_t a;  // byte 21: register
  uint8_t b;  // byte 22: register; its value plus imm is the second operand
  uint8_t reserved;  // byte 23: zero
  uint8_t pad[40];
} tern_instr_branch_t;

typedef struct tern_instr_loop {
  tern_header_t header;
  uint32_t length;  // byte 12: instructions of the body, which follows, at least 1; loops nest to a depth of 8
  uint32_t count;  // byte 16: iterations; plus register count_reg. 0: the body is skipped
  uint32_t start;  // byte 20: first value of the counter; plus register start_reg
  int32_t step;  // byte 24: added to the counter after every iteration, the last one too
  uint8_t counter;  // byte 28: register 1..63 that holds the counter; 0: none
  uint8_t count_reg;  // byte 29: register
  uint8_t start_reg;  // byte 30: register
  uint8_t reserved;  // byte 31: zero
  uint8_t pad[32];
} tern_instr_loop_t;

typedef struct tern_instr_load_stationary {
  tern_header_t header;
  tern_ap_t src;  // byte 12: SBUF, num0*num1 = M; first partition = first array row. Not dense: num0 = M, step0 = 1, address a multiple of 8
  uint8_t dtype;  // byte 24: one that the mode takes
  uint8_t rows;  // byte 25: K: partitions read, 1..128
  uint8_t cols;  // byte 26: M: 1..128
  uint8_t mode;  // byte 27: tensor_mode
  uint8_t half;  // byte 28: fp32: 0 loads the low half of the operands, 1 the high half; else 0
  uint8_t sparsity;  // byte 29: mode sparse; else 0
  uint8_t tile_rows;  // byte 30: tile_size, modes dense, double_row and mx; else 0
  uint8_t tile_cols;  // byte 31: tile_size, mode dense; else 0
  uint8_t col_start;  // byte 32: first array column: 0, 32, 64 or 96
  uint8_t scale_offset;  // byte 33: mx, quad: position of the scales in a quadrant: 0, 4, 8 or 12; else 0
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
  uint8_t tile_rows;  // byte 43: tile_size, modes dense, double_row and mx; else 0
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
  tern_ap_t src;  // byte 12: SBUF, num0*num1 = M
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

typedef struct tern_instr_shuffle {
  tern_header_t header;
  uint32_t dst;  // byte 12: address as in ap, contiguous
  uint32_t src;  // byte 16: address as in ap, contiguous
  uint16_t num;  // byte 20: elements per partition
  uint8_t dtype;  // byte 22: dtype code of both
  uint8_t partitions;  // byte 23: 32, 64, 96 or 128
  uint8_t mask[32];  // byte 24: partition i of each group of 32 gets partition mask[i] of the group; 255: stays as it is
  uint8_t pad[8];
} tern_instr_shuffle_t;

typedef struct tern_instr_affine {
  tern_header_t header;
  tern_ap_t dst;  // byte 12: destination
  tern_ap_t src;  // byte 24: affine_select: operand; iota: zero
  int32_t base;  // byte 36: value = base + partition * channel_multiplier + sum of index_d * step_d, int32
  int32_t channel_multiplier;  // byte 40: partition counted from dst's first
  int16_t step[4];  // byte 44: per dimension of dst, innermost first; 0 where there is no dimension
  float fill;  // byte 52: affine_select: result where the comparison fails
  uint8_t dst_dtype;  // byte 56: dtype code
  uint8_t src_dtype;  // byte 57: dtype code; iota: none
  uint8_t partitions;  // byte 58: 1..128
  uint8_t op;  // byte 59: affine_select: alu_op is_eq .. is_lt, of value with 0; iota: bypass
  uint8_t pad[4];
} tern_instr_affine_t;

typedef struct tern_instr_custom_op {
  tern_header_t header;
  uint32_t code_lo;  // byte 12: HBM address of the ELF file, low half
  uint32_t code_hi;  // byte 16: high half
  uint32_t code_bytes;  // byte 20: length of the ELF file
  uint8_t cores;  // byte 24: bit i: core i runs it (partitions 16i .. 16i+15)
  uint8_t reserved[3];  // byte 25: zero
  uint32_t args[8];  // byte 28: arguments of its main function; registers a0..a7
  uint8_t pad[4];
} tern_instr_custom_op_t;

typedef union tern_instruction {
  uint8_t bytes[64];
  tern_header_t header;
  tern_instr_none_t none;
  tern_instr_dma_trigger_t dma_trigger;
  tern_instr_dma_copy_t dma_copy;
  tern_instr_dma_indirect_t dma_indirect;
  tern_instr_extend_t extend;
  tern_instr_register_alu_t register_alu;
  tern_instr_register_memory_t register_memory;
  tern_instr_branch_t branch;
  tern_instr_loop_t loop;
  tern_instr_load_stationary_t load_stationary;
  tern_instr_multiply_moving_t multiply_moving;
  tern_instr_transpose_t transpose;
  tern_instr_elementwise_t elementwise;
  tern_instr_shuffle_t shuffle;
  tern_instr_affine_t affine;
  tern_instr_custom_op_t custom_op;
} tern_instruction_t;

enum {
  TERN_OPCODE_NOP = 0x01,  // Does nothing: waits, and updates semaphores and events.
  TERN_OPCODE_HALT = 0x02,  // Ends the program of this queue. The core raises its interrupt when all started queues have halted.
  TERN_OPCODE_DMA_TRIGGER = 0x03,  // Moves the tail of one ring on all 16 DMA engines of the core: engine e may process count[e] more descriptor pairs.
  TERN_OPCODE_EXTEND = 0x04,  // Extends the next instruction; takes no time, waits for nothing, updates nothing.
  TERN_OPCODE_REGISTER_ALU = 0x05,  // dst = a op (b + imm), in the sequencer.
  TERN_OPCODE_REGISTER_LOAD = 0x06,  // Register = a word of SBUF.
  TERN_OPCODE_REGISTER_STORE = 0x07,  // Word of SBUF = a register.
  TERN_OPCODE_BRANCH = 0x08,  // Goes on at target if the condition holds. Must not lead out of or into a loop's body; its end counts as outside.
  TERN_OPCODE_LOOP = 0x09,  // Runs the instructions after it count times. Its own wait and update happen once, before the first iteration.
  TERN_OPCODE_DMA_COPY = 0x0a,  // A transfer made by the queue's descriptor generator (GpSimd: its processors): patterns of up to four dimensions. Complete when handed over; the transfer's end is a semaphore.
  TERN_OPCODE_DMA_INDIRECT = 0x0b,  // Gathers rows of a table into partitions of SBUF, or scatters them, by a column of indices. GpSimd makes the descriptors, in SBUF.
  TERN_OPCODE_LOAD_STATIONARY = 0x10,  // Loads stationary [K, M] (K partitions, M elements each) in the background; the next multiply_moving uses it. Four columns a cycle if they are contiguous and begin at a multiple of 8, else one.
  TERN_OPCODE_MULTIPLY_MOVING = 0x11,  // psum[M, N] = or += stationary[K, M]^T x moving[K, N].
  TERN_OPCODE_TRANSPOSE = 0x12,  // psum[M, K] = src[K, M]^T, bit for bit; reads src as load_stationary does.
  TERN_OPCODE_ACTIVATION = 0x20,  // dst = func(src * scale + bias); bias per partition from an FP32 column, or the immediate.
  TERN_OPCODE_TENSOR_COPY = 0x21,  // dst = src0; converted, or bit for bit between equal formats.
  TERN_OPCODE_TENSOR_TENSOR = 0x22,  // dst = src0 op0 src1.
  TERN_OPCODE_TENSOR_SCALAR = 0x23,  // dst = (src0 op0 scalar0) op1 scalar1; scalar0 per partition when src1 is used.
  TERN_OPCODE_TENSOR_REDUCE = 0x24,  // dst = op0 over the imm0 inner dimensions of src0 (1 to 4; 0 means 1), in element order. op1 = subtract negates the result.
  TERN_OPCODE_MEMSET = 0x25,  // dst = imm0.
  TERN_OPCODE_RECIPROCAL = 0x26,  // dst = 1 / src0, correctly rounded.
  TERN_OPCODE_QUANTIZE_MX = 0x27,  // dst x4 [P, F/4] = src0 [P, F] (bf16, fp16) in MX blocks; writes their scales to src1 (e8m0): a byte per x4 column, partition = dst's + 0, 4, 8 or 12.
  TERN_OPCODE_DEQUANTIZE_MX = 0x28,  // dst [P, 4*F4] (bf16, fp32) = src0 x4 [P, F4] times scales src1 (placed as quantize_mx writes them). Without src1: dst e4m3fn_x4 = src0 e2m1_x4.
  TERN_OPCODE_ACTIVATE2 = 0x29,  // dst = (src0 op0 imm0) op1 imm1: multiply and add, multiply and subtract, multiply, add, subtract, or bypass; reductions by extend.
  TERN_OPCODE_EXPONENTIAL = 0x2a,  // dst = exp(src0 - m), m an FP32 column in src1, or imm0; four elements per cycle. reduce_cmd: running sum.
  TERN_OPCODE_SCALAR_TENSOR_TENSOR = 0x2b,  // dst = (src0 op0 imm0) op1 src1.
  TERN_OPCODE_TENSOR_TENSOR_SCAN = 0x2c,  // dst[i] = (src0[i] op0 dst[i-1]) op1 src1[i], dst[-1] = imm0, in FP32 along all elements of a partition.
  TERN_OPCODE_TENSOR_SCALAR_CUMULATIVE = 0x2d,  // dst[i] = dst[i-1] op1 (src0[i] op0 imm0); dst[-1] = imm1, or with reduce_cmd reduce, load_reduce the accumulator; reduce_op stays bypass.
  TERN_OPCODE_TENSOR_COPY_PREDICATED = 0x2e,  // dst = src0 where src1 is not zero (reverse op0: where it is zero), else stays.
  TERN_OPCODE_SELECT_REDUCE = 0x2f,  // dst = src1 is not zero ? src0 : imm0; max reduction by extend.
  TERN_OPCODE_RANGE_SELECT = 0x30,  // dst[i] = (imm2 + i op0 scalar0) and (imm2 + i op1 scalar1) ? src0[i] : the most negative FP32; max reduction by extend.
  TERN_OPCODE_BN_STATS = 0x31,  // dst [P, 6] (fp32, bf16, fp16) = count, mean, sum of squared deviations of the even and of the odd elements of src0 [P, N], N <= 512.
  TERN_OPCODE_BN_AGGR = 0x32,  // dst [P, 2] (fp32, bf16, fp16) = mean and variance of the groups (count, mean, sum) in src0 [P, 3 n], merged in order.
  TERN_OPCODE_MAX8 = 0x33,  // dst [P, 8] = the eight largest of src0 [P, 8 .. 16384], descending.
  TERN_OPCODE_FIND_INDEX8 = 0x34,  // dst [P, 8] (uint32, uint16) = first index in src0 of each of the eight values src1; equal values get ascending indices; all ones if absent.
  TERN_OPCODE_MATCH_REPLACE8 = 0x35,  // dst = src0 [P, 8 .. 16384], in which the first match of each of the eight values src1, in order, is imm0.
  TERN_OPCODE_STREAM_SHUFFLE = 0x36,  // Moves elements between the partitions of each group of 32.
  TERN_OPCODE_VECTOR_TRANSPOSE = 0x37,  // dst [F, P] = src0 [P, F], both at most 32, of one type, bit for bit.
  TERN_OPCODE_DROPOUT = 0x38,  // dst = uniform random number < scalar0 ? 0 : src0; scalar0: imm0 or a column.
  TERN_OPCODE_RNG = 0x39,  // dst = random bits, truncated to its integer type; one draw per element.
  TERN_OPCODE_SET_RNG_SEED = 0x3a,  // All random states of this engine, and of no other, from the 32-bit word src0 [1, 1].
  TERN_OPCODE_RAND_SET_STATE = 0x3b,  // Random state = src0 [P, 24] (Vector) or [P, 6] (Scalar, GpSimd), uint32.
  TERN_OPCODE_RAND_GET_STATE = 0x3c,  // dst [P, 24] or [P, 6], uint32 = random state.
  TERN_OPCODE_RAND2 = 0x3d,  // dst (fp32) = uniform random numbers in [scalar0, scalar1): imm0 and imm1 or columns.
  TERN_OPCODE_IOTA = 0x40,  // dst = an affine function of partition and indices, exact in 32-bit integer types, else converted through FP32.
  TERN_OPCODE_AFFINE_SELECT = 0x41,  // dst = (affine function op 0) ? src : fill; between equal types bit for bit.
  TERN_OPCODE_LOCAL_GATHER = 0x42,  // Per core of 16 partitions: dst = op1 (1, 2, 4, .. 32) elements of src0 from each of the uint16 indices src1; index i of the core is in its partition i mod 16, column i div 16.
  TERN_OPCODE_N_GATHER = 0x43,  // dst[p, i] = src0[p, src1[p, i]], src1 in uint32.
  TERN_OPCODE_NONZERO_WITH_COUNT = 0x44,  // dst (int32) [P, N + 1] = indices, plus imm1, of the non-zero elements of src0 [P, N] (fp32, int32), padding imm0, their number last; first partition of each core only. imm0, imm1: integers.
  TERN_OPCODE_SEQUENCE_BOUNDS = 0x45,  // dst [P, 2 N] = first index, then after all of these the end, of the run of equal segment ids that each element of src0 [P, N] belongs to; id 0: N and -1. Both fp32 or int32.
  TERN_OPCODE_TOPK = 0x46,  // Per core of 16 partitions: dst = the imm1 largest of the imm0 elements of src0 (bf16), ascending; src1 (written) = their indices, uint32. Element i of each is in partition i mod 16, column i div 16.
  TERN_OPCODE_TENSOR_PARTITION_REDUCE = 0x47,  // dst [1, F] = op0 (add, max, bit_and, bit_or) over the partitions of src0 [P, F], in their order.
  TERN_OPCODE_CUSTOM_OP = 0x48,  // Runs a program on processors of the engine, all at the same time; complete when the last has ended. Needs no operands: the program reads and writes its partitions.
  TERN_OPCODE_SENDRECV = 0x49,  // Not modelled: exchange with the core that shares the HBM stack.
  TERN_OPCODE_CORE_BARRIER = 0x4a,  // Not modelled: barrier with the core that shares the HBM stack.
};

// All instructions: X(opcode, name, queue mask, format)
#define TERN_INSTRUCTIONS(X) \
  X(0x01, nop, 0x7f, none) \
  X(0x02, halt, 0x7f, none) \
  X(0x03, dma_trigger, 0x7e, dma_trigger) \
  X(0x04, extend, 0x7f, extend) \
  X(0x05, register_alu, 0x7f, register_alu) \
  X(0x06, register_load, 0x7f, register_memory) \
  X(0x07, register_store, 0x7f, register_memory) \
  X(0x08, branch, 0x7f, branch) \
  X(0x09, loop, 0x7f, loop) \
  X(0x0a, dma_copy, 0x1c, dma_copy) \
  X(0x0b, dma_indirect, 0x08, dma_indirect) \
  X(0x10, load_stationary, 0x01, load_stationary) \
  X(0x11, multiply_moving, 0x01, multiply_moving) \
  X(0x12, transpose, 0x01, transpose) \
  X(0x20, activation, 0x04, elementwise) \
  X(0x21, tensor_copy, 0x0e, elementwise) \
  X(0x22, tensor_tensor, 0x0a, elementwise) \
  X(0x23, tensor_scalar, 0x0e, elementwise) \
  X(0x24, tensor_reduce, 0x02, elementwise) \
  X(0x25, memset, 0x0a, elementwise) \
  X(0x26, reciprocal, 0x02, elementwise) \
  X(0x27, quantize_mx, 0x02, elementwise) \
  X(0x28, dequantize_mx, 0x02, elementwise) \
  X(0x29, activate2, 0x04, elementwise) \
  X(0x2a, exponential, 0x02, elementwise) \
  X(0x2b, scalar_tensor_tensor, 0x02, elementwise) \
  X(0x2c, tensor_tensor_scan, 0x02, elementwise) \
  X(0x2d, tensor_scalar_cumulative, 0x02, elementwise) \
  X(0x2e, tensor_copy_predicated, 0x02, elementwise) \
  X(0x2f, select_reduce, 0x02, elementwise) \
  X(0x30, range_select, 0x02, elementwise) \
  X(0x31, bn_stats, 0x02, elementwise) \
  X(0x32, bn_aggr, 0x02, elementwise) \
  X(0x33, max8, 0x02, elementwise) \
  X(0x34, find_index8, 0x02, elementwise) \
  X(0x35, match_replace8, 0x02, elementwise) \
  X(0x36, stream_shuffle, 0x02, shuffle) \
  X(0x37, vector_transpose, 0x02, elementwise) \
  X(0x38, dropout, 0x02, elementwise) \
  X(0x39, rng, 0x0a, elementwise) \
  X(0x3a, set_rng_seed, 0x0e, elementwise) \
  X(0x3b, rand_set_state, 0x0e, elementwise) \
  X(0x3c, rand_get_state, 0x0e, elementwise) \
  X(0x3d, rand2, 0x02, elementwise) \
  X(0x40, iota, 0x08, affine) \
  X(0x41, affine_select, 0x08, affine) \
  X(0x42, local_gather, 0x08, elementwise) \
  X(0x43, n_gather, 0x08, elementwise) \
  X(0x44, nonzero_with_count, 0x08, elementwise) \
  X(0x45, sequence_bounds, 0x08, elementwise) \
  X(0x46, topk, 0x08, elementwise) \
  X(0x47, tensor_partition_reduce, 0x08, elementwise) \
  X(0x48, custom_op, 0x08, custom_op) \
  X(0x49, sendrecv, 0x08, none) \
  X(0x4a, core_barrier, 0x08, none) \

#ifdef __cplusplus
static_assert(sizeof(tern_instruction_t) == 64, "instruction size");
#else
_Static_assert(sizeof(tern_instruction_t) == 64, "instruction size");
#endif

#endif
