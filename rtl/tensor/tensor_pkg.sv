// SPDX-License-Identifier: Apache-2.0
// Types on the boundaries of the tensor engine and between its modules.
package tensor_pkg;

  // Byte addresses in an SBUF partition: 256 KiB at most.
  localparam int unsigned AddrW = 18;

  localparam logic [3:0] OpLoadStationary = 4'd0;
  localparam logic [3:0] OpMultiplyMoving = 4'd1;

  // One command: five 32-bit words, first member uppermost.
  typedef struct packed {
    logic [3:0]         op;
    logic [3:0]         dtype;        // tern_spec_pkg::Dtype*
    logic [7:0]         tag;          // returned in the status
    logic [7:0]         row_start;    // first array row (= partition) of the tile
    logic [7:0]         rows;         // K of the tile
    logic [7:0]         cols;         // M of the tile
    logic [6:0]         psum_bank;
    logic               accumulate;   // add to PSUM instead of overwriting it
    logic [15:0]        psum_column;
    logic [31:0]        address;      // byte in the partition
    // Moving: element (i1, i0) is at address + 2*(i0*step0 + i1*step1).
    logic [15:0]        num0;
    logic signed [15:0] step0;
    logic [15:0]        num1;
    logic signed [15:0] step1;
  } cmd_t;

  // Status codes. Of several violations the smallest code is reported.
  typedef enum logic [3:0] {
    CodeOk           = 4'd0,
    CodeBadOperation = 4'd1,
    CodeBadTile      = 4'd2,
    CodeBadMoving    = 4'd3,
    CodeBadPsum      = 4'd4,
    CodeBadAlignment = 4'd5,
    CodeNoStationary = 4'd6,
    CodeBadAddress   = 4'd7
  } code_e;

  typedef struct packed {
    logic [7:0] tag;
    code_e      code;
  } status_t;

  // A command between the check and its issue.
  typedef struct packed {
    cmd_t       cmd;
    logic [15:0] moving;  // N = num0 * num1 of a legal command
    code_e      code;     // what can be told without knowing the loaded weights
  } checked_t;

  // A command between issue and retirement.
  typedef struct packed {
    status_t status;
    logic    is_move;
  } flight_t;

  // Destination of a MultiplyMoving on its way to PSUM.
  typedef struct packed {
    logic [7:0]  tag;
    logic [7:0]  lanes;  // M
    logic [6:0]  bank;
    logic [15:0] column;
    logic [15:0] count;  // N
    logic        accumulate;
  } dest_t;

  // What travels down the array, one row per cycle. A row belongs to the tile if skip is 0 and left
  // is not; each row counts them down for the next, so that all rows are identical.
  typedef struct packed {
    logic             valid;
    logic             last;     // last group of four columns of a LoadStationary
    logic             is_fp16;
    logic [4:0]       group;    // columns 4*group .. 4*group + 3
    logic [AddrW-4:0] address;  // 8-byte word in the partition
    logic [7:0]       skip;
    logic [7:0]       left;
  } load_wave_t;

  typedef struct packed {
    logic             valid;
    logic             swap;     // first column with new weights: shadow becomes active
    logic             is_fp16;
    logic [AddrW-2:0] address;  // 2-byte element in the partition
    logic [7:0]       skip;
    logic [7:0]       left;
  } move_wave_t;

  // PSUM access by the other engines: one column, lanes start .. start + count - 1.
  typedef struct packed {
    logic        write;
    logic [6:0]  bank;
    logic [15:0] column;
    logic [7:0]  start;
    logic [7:0]  count;
  } access_t;

  // Observation of a PSUM write (the data is a port of its own).
  typedef struct packed {
    logic [7:0]  tag;
    logic [7:0]  lanes;
    logic [6:0]  bank;
    logic [15:0] column;  // in the bank
    logic [15:0] index;   // column of the instruction
  } retire_t;

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
