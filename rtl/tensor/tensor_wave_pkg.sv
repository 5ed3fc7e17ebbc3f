// SPDX-License-Identifier: Apache-2.0
// A move wave as two 32-bit words, so that a row of the simulation is a lane of the host's vector
// unit, and what it controls in a row.
//
// what:  31 valid, 30 swap, 29 sparse, 28:26 form, 25:23 sparsity, 22:19 mask, 18:17 last_group,
//        16:13 slot, 7:0 skip
// where: 24:8 address, 7:0 left
package tensor_wave_pkg;

  localparam int unsigned ValidBit = 31;

  // Of a row.
  typedef struct packed {
    logic [1:0]  zero;
    logic        single;  // Lane 0 alone drives all column groups
    logic        sparse;
    logic [11:0] form;    // Of each lane's words
    logic [7:0]  pick;    // The lane that drives a column group, two bits each
    logic [3:0]  active;  // Column groups whose tile includes this row
    logic [3:0]  en;      // Column groups that work
  } control_t;

  function automatic logic [31:0] to_what(input tensor_pkg::move_wave_t wave);
    to_what = {wave.valid, wave.swap, wave.sparse, wave.form, wave.sparsity, wave.mask,
               wave.last_group, wave.slot, 5'd0, wave.skip};
  endfunction

  function automatic logic [31:0] to_where(input tensor_pkg::move_wave_t wave);
    to_where = {7'd0, wave.address, wave.left};
  endfunction

  function automatic tensor_pkg::move_wave_t to_wave(input logic [31:0] what,
                                                     input logic [31:0] where);
    to_wave = {what[31:30], what[16:13], what[28:26], what[29], what[25:23], what[22:19],
               what[18:17], where[24:8], what[7:0], where[7:0]};
  endfunction

  // For the next row.
  function automatic logic [31:0] step_what(input logic [31:0] what);
    step_what = ((what & 32'hFF) == 32'd0) ? what : what - 32'd1;
  endfunction

  function automatic logic [31:0] step_where(input logic [31:0] what, input logic [31:0] where);
    step_where = ((what & 32'hFF) == 32'd0 && (where & 32'hFF) != 32'd0) ? where - 32'd1 : where;
  endfunction

  // A wave of lane j drives no column group before j.
  function automatic logic [31:0] control(input logic [31:0] what, input logic [31:0] where,
                                          input logic [31:0] lane);
    logic [31:0] mask, spread, active, first;
    logic        in_tile;
    mask    = (what >> 19) & 32'hF;
    in_tile = (what & 32'hFF) == 32'd0 && (where & 32'hFF) != 32'd0;
    active  = in_tile ? mask << 4 : 32'd0;
    spread  = (mask & 32'd1) | ((mask & 32'd2) << 1) | ((mask & 32'd4) << 2)
            | ((mask & 32'd8) << 3);
    first   = ((what >> 1) & 32'h1000_0000) | ((mask == 32'hF) ? 32'h2000_0000 : 32'd0);
    control = mask | active | ((spread * lane) << 8) | (((what >> 26) & 32'd7) << (16 + 3 * lane))
            | ((lane == 32'd0) ? first : 32'd0);
    control = what[31] ? control : 32'd0;
  endfunction

  // Column groups that take new weights when the wave reaches the next row.
  function automatic logic [31:0] swap(input logic [31:0] what);
    swap = (what[31] && what[30]) ? (what >> 19) & 32'hF : 32'd0;
  endfunction

  // The same of a wave that enters.
  function automatic logic [3:0] enter_swap(input tensor_pkg::move_wave_t wave);
    enter_swap = (wave.valid && wave.swap) ? wave.mask : 4'd0;
  endfunction

endpackage
