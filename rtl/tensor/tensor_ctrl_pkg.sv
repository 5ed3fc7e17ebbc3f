// SPDX-License-Identifier: Apache-2.0
// Types within the control of the tensor engine.
package tensor_ctrl_pkg;

  // What follows from a command alone. Derived when it is accepted, so that the issue rules only
  // compare. Meaningless for a command that a check rejects.
  typedef struct packed {
    logic        is_move;       // MultiplyMoving
    logic        is_transpose;
    logic        mx;            // Array X instead of array A
    logic        sparse;
    logic        double_row;
    logic        quad;
    logic        half;          // 16-bit destination
    logic [1:0]  size;          // Log2 of an element's bytes
    logic [15:0] columns;       // N
    logic        single;        // A load of one column a cycle, else four
    logic [7:0]  groups;        // L: cycles of a load
    logic [9:0]  latency;       // D: from issue to the first PSUM write
    logic [6:0]  last_bank;     // Bank of the last column
    // Claimed cells: row groups, column groups, and both as bits 4*row group + column group.
    logic [1:0]  first_row_group;
    logic [1:0]  last_row_group;
    logic [1:0]  first_col_group;
    logic [3:0]  col_groups;
    logic [15:0] cells;
  } plan_t;

  // Tile and kind of the weights in the array, which a MultiplyMoving must match.
  typedef struct packed {
    logic [7:0] row_start;
    logic [7:0] rows;
    logic [7:0] col_start;
    logic [7:0] cols;
    logic [1:0] tile_rows;
    logic [1:0] tile_cols;
    logic [2:0] mode;
    logic [2:0] sparsity;  // 0 unless sparse
    logic       wide;      // 4-byte elements of array A
  } record_t;

  // Column n = i1*num0 + i0 is at base + i0*step0 + i1*step1; steps in the unit of the address, as
  // wide as a byte address. Of a load: cycle n.
  typedef struct packed {
    logic [15:0] columns;
    logic [15:0] num0;
    logic [17:0] step0;
    logic [17:0] step1;
  } pattern_t;

  // A command issues: for the counters.
  typedef struct packed {
    logic        load;     // LoadStationary or Transpose
    logic        move;     // MultiplyMoving
    logic        error;    // Rejected
    logic [15:0] columns;  // Move: N
    logic [31:0] macs;     // Move: its multiplications
  } issue_t;

  // Log2 of an element's bytes.
  function automatic logic [1:0] element_size(input logic [4:0] dtype);
    element_size = (dtype == tern_spec_pkg::DtypeE4m3 || dtype == tern_spec_pkg::DtypeE5m2 ||
                    dtype == tern_spec_pkg::DtypeE4m3fn) ? 2'd0 :
                   (dtype == tern_spec_pkg::DtypeBf16 || dtype == tern_spec_pkg::DtypeFp16 ||
                    dtype == tern_spec_pkg::DtypeE2m1_x4) ? 2'd1 : 2'd2;
  endfunction

  // Operand forms of array A, of transposes in it, and of array X.
  function automatic logic [2:0] form_a(input logic [4:0] dtype, input logic high_half);
    form_a = (dtype == tern_spec_pkg::DtypeBf16) ? tensor_pkg::FormBf16 :
             (dtype == tern_spec_pkg::DtypeFp16) ? tensor_pkg::FormFp16 :
             (dtype == tern_spec_pkg::DtypeTf32) ? tensor_pkg::FormTf32 :
             high_half ? tensor_pkg::FormFp32High : tensor_pkg::FormFp32Low;
  endfunction

  function automatic logic [2:0] form_raw(input logic [1:0] size);
    form_raw = (size == 2'd0) ? tensor_pkg::FormRaw8 :
               (size == 2'd1) ? tensor_pkg::FormRaw16 : tensor_pkg::FormRaw32;
  endfunction

  function automatic logic [1:0] form_x(input logic [4:0] dtype);
    form_x = (dtype == tern_spec_pkg::DtypeE4m3) ? tensor_pkg::FormE4m3 :
             (dtype == tern_spec_pkg::DtypeE2m1_x4) ? tensor_pkg::FormE2m1 :
             (dtype == tern_spec_pkg::DtypeE5m2 || dtype == tern_spec_pkg::DtypeE5m2_x4)
               ? tensor_pkg::FormE5m2 : tensor_pkg::FormE4m3Fn;
  endfunction

endpackage
