// SPDX-License-Identifier: Apache-2.0
// One XORWOW random generator per lane (Marsaglia 2003), combinational: up to `Draws` chained steps
// of the lanes first .. first + lanes - 1. Other lanes keep their state.
`include "tern_trace.svh"

module xorwow_row #(
  parameter int unsigned Lanes = 128,
  parameter int unsigned Draws = 4
) (
  input  logic           [Draws-1:0] step_i,   // Draw 0 first; with no bit set the outputs are 0
  input  logic                 [7:0] first_i,
  input  logic                 [7:0] lanes_i,
  `TERN_LANES
  input  logic    [6*Lanes*32-1:0] state_i,  // Words x, y, z, w, v, d; one row each
  output logic    [6*Lanes*32-1:0] state_o,
  output logic [Draws*Lanes*32-1:0] draw_o
  `TERN_LANES_END
);
  localparam logic [31:0] Weyl = 32'd362437;

  typedef logic [Lanes*32-1:0] row_t;
  typedef logic [6*Lanes*32-1:0] state_t;

  // One row per word: the simulator bounds an index into a vector whose length is no power of two.
  task automatic row_step(input logic [31:0] first, input logic [31:0] count, input row_t xs,
                          input row_t ys, input row_t zs, input row_t ws, input row_t vs,
                          input row_t ds, output row_t xn, output row_t yn, output row_t zn,
                          output row_t wn, output row_t vn, output row_t dn, output row_t draw);
    // verilator no_inline_task
    logic [31:0] x, y, z, w, v, d, t, lane;
    logic        active;
    for (int unsigned i = 0; i < Lanes; i++) begin
      lane   = i - first;
      active = lane < count;
      x = xs[i*32+:32];
      y = ys[i*32+:32];
      z = zs[i*32+:32];
      w = ws[i*32+:32];
      v = vs[i*32+:32];
      d = ds[i*32+:32];
      t = x ^ (x >> 2);
      t = (v ^ (v << 4)) ^ (t ^ (t << 1));
      d = active ? d + Weyl : d;
      xn[i*32+:32]   = active ? y : x;
      yn[i*32+:32]   = active ? z : y;
      zn[i*32+:32]   = active ? w : z;
      wn[i*32+:32]   = active ? v : w;
      vn[i*32+:32]   = active ? t : v;
      dn[i*32+:32]   = d;
      draw[i*32+:32] = t + d;
    end
  endtask

  task automatic row_steps(input logic [Draws-1:0] step, input logic [31:0] first,
                           input logic [31:0] count, input state_t s, output state_t n,
                           output logic [Draws*Lanes*32-1:0] draws);
    // verilator no_inline_task
    row_t x, y, z, w, v, d, draw;
    {d, v, w, z, y, x} = s;
    for (int unsigned k = 0; k < Draws; k++) begin
      draw = '0;
      if (step[k]) row_step(first, count, x, y, z, w, v, d, x, y, z, w, v, d, draw);
      draws[k*Lanes*32+:Lanes*32] = draw;
    end
    n = {d, v, w, z, y, x};
  endtask

  always_comb begin
    if (step_i != '0) begin
      row_steps(step_i, 32'(first_i), 32'(lanes_i), state_i, state_o, draw_o);
    end else begin
      for (int unsigned k = 0; k < 6; k++) state_o[k*Lanes*32+:Lanes*32] = '0;
      for (int unsigned k = 0; k < Draws; k++) draw_o[k*Lanes*32+:Lanes*32] = '0;
    end
  end
endmodule
