// SPDX-License-Identifier: Apache-2.0
// The exponential unit: y = exp(round(x - m)) for four elements of every partition per cycle, with
// a running sum per partition. docs/numerics.md, section 4; ports and timing: README.md.
//
// Eight stages. A result that is not taken holds all of them.
`include "tern_assert.svh"
`include "tern_row.svh"
`include "tern_trace.svh"

module exp_unit #(
  parameter  int unsigned Partitions = 128,
  localparam int unsigned RowW       = Partitions * 32
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  // A group: up to four elements of every partition.
  input  logic              valid_i,
  output logic              ready_o,
  input  logic              first_i,  // Of an instruction: takes m_i
  input  logic              last_i,
  input  logic        [2:0] count_i,  // Elements present, 1 .. 4: the first ones
  input  logic              sum_i,    // Adds to the sums
  input  logic              load_i,   // With first_i and sum_i: starts from acc_i
  input  logic        [4:0] src_i,    // tern_spec_pkg: fp32, bf16 or fp16
  input  logic        [4:0] dst_i,    // Likewise
  input  logic [4*RowW-1:0] data_i,   // Element q of partition p at [(q*Partitions + p)*32 +: 32]
  input  logic   [RowW-1:0] m_i,      // Binary32
  input  logic   [RowW-1:0] acc_i,    // Binary32
  // Its results, in the same positions; absent elements are 0.
  output logic              valid_o,
  input  logic              ready_i,
  output logic              last_o,
  output logic [4*RowW-1:0] data_o,
  output logic   [RowW-1:0] acc_o     // The sums, this group included
);
  localparam int unsigned Stages = 8;
  typedef logic [RowW-1:0] row_t;

  // What travels with a group: bit s is the state after stage s.
  logic [Stages:1] valid_q, last_q;
  logic [7:1]      sum_q, load_q;
  logic [5:1]      fp16_q, bf16_q;
  logic [4:1]      second_q, third_q, fourth_q;  // Elements besides the first
  logic            move, waiting, accept, loading_q;

  `TERN_LANES
  row_t m_q, first_q;
  `TERN_LANES_END

  function automatic logic is_known(input logic [4:0] dtype);
    is_known = dtype == tern_spec_pkg::DtypeFp32 || dtype == tern_spec_pkg::DtypeBf16
            || dtype == tern_spec_pkg::DtypeFp16;
  endfunction

  `TERN_ASSERT(KnownSource, !valid_i || is_known(src_i))
  `TERN_ASSERT(KnownDestination, !valid_i || is_known(dst_i))
  `TERN_ASSERT(SomeElements, !valid_i || (count_i >= 3'd1 && count_i <= 3'd4))
  `TERN_ASSERT(LoadOfFirst, !(valid_i && load_i) || (first_i && sum_i))

  // acc_i is kept until its group reaches stage 8: at most one instruction that loads is in flight.
  assign waiting = loading_q && load_i;
  assign move    = !valid_o || ready_i;
  assign ready_o = move && !waiting;
  assign accept  = valid_i && !waiting;
  assign valid_o = valid_q[Stages];
  assign last_o  = last_q[Stages];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q   <= '0;
      loading_q <= 1'b0;
    end else if (move) begin
      valid_q   <= {valid_q[Stages-1:1], accept};
      loading_q <= (loading_q && !(valid_q[7] && load_q[7])) || (accept && load_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (move) begin
      last_q   <= {last_q[Stages-1:1], last_i};
      sum_q    <= {sum_q[6:1], sum_i};
      load_q   <= {load_q[6:1], load_i};
      fp16_q   <= {fp16_q[4:1], dst_i == tern_spec_pkg::DtypeFp16};
      bf16_q   <= {bf16_q[4:1], dst_i == tern_spec_pkg::DtypeBf16};
      second_q <= {second_q[3:1], count_i > 3'd1};
      third_q  <= {third_q[3:1], count_i > 3'd2};
      fourth_q <= {fourth_q[3:1], count_i > 3'd3};
    end
  end

  // Which stages take a group in this cycle.
  logic [Stages:1] take;
  assign take    = {Stages{move}} & {valid_q[Stages-1:1], accept};

  // The sign in bit 0: exp_subtract_row compares magnitudes.
  task automatic row_rotate(`TERN_ROW_IN row_t x, output row_t y);
    // verilator no_inline_task
    logic [31:0] xi;
    for (int unsigned i = 0; i < Partitions; i++) begin
      xi = x[i*32+:32];
      y[i*32+:32] = (xi << 1) | (xi >> 31);
    end
  endtask

  `TERN_LANES
  row_t m_d;
  `TERN_LANES_END
  always_ff @(posedge clk_i) begin
    if (take[1] && first_i) begin
      row_rotate(m_i, m_d);
      m_q <= m_d;
    end
    if (take[1] && load_i) first_q <= acc_i;
  end

  `TERN_LANES
  logic [4*RowW-1:0] e_q;
  `TERN_LANES_END

  exp_elements #(.Partitions(Partitions)) u_elements (
    .clk_i      (clk_i),
    .take_i     (take),
    .src_fp16_i (src_i == tern_spec_pkg::DtypeFp16),
    .src_bf16_i (src_i == tern_spec_pkg::DtypeBf16),
    .present_i  ({fourth_q[4], third_q[4], second_q[4], 1'b1}),
    .dst_fp16_i (fp16_q[5]),
    .dst_bf16_i (bf16_q[5]),
    .x_i        (data_i),
    .m_i        (m_q),
    .e_o        (e_q),
    .y_o        (data_o)
  );

  exp_sum #(.Partitions(Partitions)) u_sum (
    .clk_i   (clk_i),
    .en_i    (move),
    .sum_i   (valid_q[7:5] & sum_q[7:5]),
    .load_i  (load_q[7]),
    .first_i (first_q),
    .e_i     (e_q),
    .acc_o   (acc_o)
  );

`ifdef FORMAL
`include "exp_properties.svh"
`endif

`ifdef TERN_COVER_POINTS
`include "exp_cover.svh"
`endif
endmodule
