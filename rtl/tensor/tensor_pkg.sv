// SPDX-License-Identifier: Apache-2.0
// Generated from docs/spec/{ports,tensor,isa}.yaml by tern_spec_gen: do not edit.
// Types on the boundaries of the tensor engine and between its modules.
package tensor_pkg;
  // Byte addresses in an SBUF partition: 256 KiB at most.
  localparam int unsigned AddrW = 18;
  // Commands in flight are identified by a slot; at most 16 of them.
  localparam int unsigned SlotW = 4;

  // Operations and modes. No enums: a command may carry any number, and is refused then.
  localparam logic [3:0] OpLoadStationary = 4'd0;
  localparam logic [3:0] OpMultiplyMoving = 4'd1;
  localparam logic [3:0] OpTranspose = 4'd2;
  localparam logic [2:0] ModeDense = 3'd0;
  localparam logic [2:0] ModeSparse = 3'd1;
  localparam logic [2:0] ModeDoubleRow = 3'd2;
  localparam logic [2:0] ModeMx = 3'd3;
  localparam logic [2:0] ModeQuad = 3'd4;

  // Status codes. If several rules are violated, the smallest code is reported.
  typedef enum logic [3:0] {
    CodeOk = 4'd0,
    CodeBadOperation = 4'd1,
    CodeBadTile = 4'd2,
    CodeBadMoving = 4'd3,
    CodeBadPsum = 4'd4,
    CodeBadAlignment = 4'd5,
    CodeNoStationary = 4'd6,
    CodeBadAddress = 4'd7,
    CodeBadScale = 4'd8,
    CodeBadTag = 4'd9
  } code_e;

  // Sixteenths by which a multiply takes longer, by quarter of the ramp.
  localparam logic [3:0] Ramp0 = 4'd12;
  localparam logic [3:0] Ramp1 = 4'd7;
  localparam logic [3:0] Ramp2 = 4'd4;
  localparam logic [3:0] Ramp3 = 4'd1;

  // Sparsity patterns keep M of every N consecutive k.
  localparam logic [2:0] SparsityPatterns = 3'd7;
  // M.
  function automatic logic [2:0] kept(input logic [2:0] sparsity);
    kept =
      (sparsity == 3'd0 || sparsity == 3'd1 || sparsity == 3'd2) ? 3'd4 :
      (sparsity == 3'd3 || sparsity == 3'd4) ? 3'd2 :
      3'd1;
  endfunction
  // N.
  function automatic logic [4:0] group_size(input logic [2:0] sparsity);
    group_size =
      (sparsity == 3'd0) ? 5'd16 :
      (sparsity == 3'd1) ? 5'd12 :
      (sparsity == 3'd2 || sparsity == 3'd3) ? 5'd8 :
      (sparsity == 3'd4 || sparsity == 3'd5) ? 5'd4 :
      5'd2;
  endfunction
  // Planes of a sparse moving operand: N / M.
  function automatic logic [2:0] plane_count(input logic [2:0] sparsity);
    plane_count =
      (sparsity == 3'd0 || sparsity == 3'd3 || sparsity == 3'd5) ? 3'd4 :
      (sparsity == 3'd1) ? 3'd3 :
      3'd2;
  endfunction

  // Operand forms of array A. Raw: the bits of a transpose.
  localparam logic [2:0] FormBf16 = 3'd0;
  localparam logic [2:0] FormFp16 = 3'd1;
  localparam logic [2:0] FormTf32 = 3'd2;
  localparam logic [2:0] FormFp32Low = 3'd3;
  localparam logic [2:0] FormFp32High = 3'd4;
  localparam logic [2:0] FormRaw8 = 3'd5;
  localparam logic [2:0] FormRaw16 = 3'd6;
  localparam logic [2:0] FormRaw32 = 3'd7;

  // Operand forms of the MX array. E4m3: the legacy format.
  localparam logic [1:0] FormE4m3Fn = 2'd0;
  localparam logic [1:0] FormE5m2 = 2'd1;
  localparam logic [1:0] FormE4m3 = 2'd2;
  localparam logic [1:0] FormE2m1 = 2'd3;

  // One command: eight 32-bit words.
  typedef struct packed {
    // word 7
    logic [3:0]         op;            // Op*
    logic [4:0]         dtype;         // tern_spec_pkg::Dtype*
    logic [2:0]         mode;          // Mode*
    logic               high_half;     // FP32 operands: which half
    logic [2:0]         sparsity;      // Pattern: kept() of every group_size()
    logic [1:0]         tile_rows;     // The tile claims 0: all rows, 1: a half, 2: a quarter
    logic [1:0]         tile_cols;     // The same of columns
    logic               accumulate;    // Add to PSUM instead of overwriting it
    logic               bf16_result;   // PSUM destination BF16 instead of FP32
    logic               stochastic;    // Rounding of a BF16 destination
    logic               zero7;
    logic [7:0]         tag;           // Returned in the status
    // word 6
    logic [7:0]         row_start;     // First array row (= partition) of the tile
    logic [7:0]         rows;          // K of the tile in partitions
    logic [7:0]         col_start;     // First array column of the tile
    logic [7:0]         cols;          // M of the tile
    // word 5
    logic [4:0]         zero5;
    logic [3:0]         scale_offset;  // 0, 4, 8 or 12
    logic [6:0]         psum_bank;
    logic [15:0]        psum_column;   // In the bank, in elements of the destination
    // word 4
    logic [31:0]        address;       // Byte in the partition
    // words 3, 2: element (i1, i0) is at address + size*(i0*step0 + i1*step1).
    logic [15:0]        num0;
    logic signed [15:0] step0;
    logic [15:0]        num1;
    logic signed [15:0] step1;
    // word 1
    logic signed [31:0] plane;         // Bytes between two planes (sparse moving, double row)
    // word 0
    logic [31:0]        aux_address;   // Scales or tags: byte in the partition
  } cmd_t;

  typedef struct packed {
    logic [7:0] tag;
    code_e      code;
  } status_t;

  // Destination of a command's results in PSUM.
  typedef struct packed {
    logic [7:0]  tag;
    logic [7:0]  first;       // First lane
    logic [7:0]  lanes;       // M
    logic [6:0]  bank;
    logic [15:0] column;      // In the bank, in elements of the destination
    logic [15:0] count;       // N
    logic        accumulate;
    logic        half;        // 16-bit elements
    logic        raw;         // A transpose: bits as they are
    logic        stochastic;
    logic        quad;        // Port p writes slot p, PsumBanks/4 banks apart
  } dest_t;

  // What travels down array A, one row per cycle. A row belongs to the tile if skip is 0 and left
  // is not; each row counts them down for the next, so that all rows are identical. At most 64 bits
  // each: the simulator is slow on wider structs.
  typedef struct packed {
    logic             valid;
    logic             last;     // Last group of a LoadStationary (a Transpose has none)
    logic [SlotW-1:0] slot;
    logic [2:0]       form;     // Form*
    logic             single;   // One column of the group; else all four
    logic [4:0]       group;    // Columns 4*group .. 4*group + 3 of the array
    logic [1:0]       column;   // Single: which of them; else 0
    logic [AddrW-1:0] address;  // Byte in the partition: the first element
    logic [7:0]       skip;
    logic [7:0]       left;
  } load_wave_t;

  // Accompanies a load wave: positions of a sparse stationary.
  typedef struct packed {
    logic             valid;     // The load is sparse
    logic [2:0]       sparsity;
    logic [3:0]       columns;   // Which of the group's four columns belong to the tile
    logic             bad;       // A row above encountered a position outside the pattern
    logic [AddrW-2:0] address;   // 2-byte word in the partition
  } tag_wave_t;

  // Arrays of structs cross module boundaries as plain vectors: Yosys drops their dimensions.
  typedef struct packed {
    logic             valid;
    logic             swap;        // First column with new weights: shadow becomes active
    logic [SlotW-1:0] slot;
    logic [2:0]       form;        // Form*
    logic             sparse;
    logic [2:0]       sparsity;
    logic [3:0]       mask;        // Column groups of the tile; the lowest one's lane carries it
    logic [1:0]       last_group;  // Row group after which the results leave
    logic [AddrW-2:0] address;     // 2-byte word in the partition
    logic [7:0]       skip;
    logic [7:0]       left;
  } move_wave_t;
  localparam int unsigned MoveWaveW = 52;

  // Transpose: the row whose weights leave through the raw bus; each row counts it down.
  typedef struct packed {
    logic             valid;
    logic [SlotW-1:0] slot;
    logic [7:0]       row;    // 0: this one
  } drain_wave_t;

  // What travels through the MX array, one block of eight rows per cycle. A block belongs to the
  // tile if skip is 0 and left is not; each block counts them down for the next.
  typedef struct packed {
    logic             valid;
    logic             last;           // Last group of four columns
    logic [SlotW-1:0] slot;
    logic [1:0]       form;           // Form*
    logic             double_row;
    logic [4:0]       group;          // Columns 4*group .. 4*group + 3
    logic [AddrW-3:0] address;        // 4-byte word in the partition
    logic [AddrW-3:0] plane_address;  // The same of the second plane
    logic [AddrW-3:0] scale_address;  // 4-byte word
    logic [1:0]       scale_offset;   // In fours
    logic [4:0]       skip;
    logic [4:0]       left;
  } mx_load_t;

  // A block's tile is counted from the row group at which the wave enters.
  typedef struct packed {
    logic             valid;
    logic             swap;           // First column with new weights: shadow becomes active
    logic [SlotW-1:0] slot;
    logic [1:0]       form;           // Form*
    logic             double_row;
    logic             quad;
    logic [1:0]       last_group;     // Row group after which the results leave
    logic [AddrW-2:0] address;        // 2-byte word in the partition
    logic [AddrW-2:0] plane_address;  // The same of the second plane
    logic             odd;            // Double row: the element is the upper byte of the word
    logic [AddrW-1:0] scale_address;  // Byte
    logic [1:0]       scale_offset;   // In fours
    logic [4:0]       skip;
    logic [4:0]       left;
  } mx_move_t;
  localparam int unsigned MxMoveW = 77;

  // PSUM access by the other engines: one column of words, lanes start .. start + count - 1. Bank
  // PsumBanks is the state of the random generators.
  typedef struct packed {
    logic        write;
    logic [6:0]  bank;
    logic [15:0] column;
    logic [7:0]  start;
    logic [7:0]  count;
  } access_t;

  // Observation of a PSUM write (the data is a separate port).
  typedef struct packed {
    logic [7:0]  tag;
    logic [7:0]  first;
    logic [7:0]  lanes;
    logic        half;
    logic [6:0]  bank;
    logic [15:0] column;  // In the bank, in elements
    logic [15:0] index;   // Column of the command
  } retire_t;
  localparam int unsigned RetireW = 64;

  // Performance counters, defined in README.md.
  typedef struct packed {
    logic [63:0] busy_cycles;
    logic [63:0] load_commands;
    logic [63:0] move_commands;
    logic [63:0] moving_columns;
    logic [63:0] macs;
    logic [63:0] weight_stalls;
    logic [63:0] psum_conflicts;
    logic [63:0] errors;
  } perf_t;

endpackage
