// SPDX-License-Identifier: Apache-2.0
// PSUM windows: one column a cycle may be written in each bank and column group. All writes of a
// command are known when it issues, so it waits there until no window of an earlier one overlaps.
// Stochastic commands, which share the random generators, do not overlap either. Counters hold the
// cycles until the windows end.
`include "tern_assert.svh"

module tensor_windows #(
  parameter int unsigned PsumBanks = 8
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  // The head of the queue
  input  logic                    valid_i,
  input  tensor_pkg::cmd_t        cmd_i,
  input  tensor_ctrl_pkg::plan_t  plan_i,
  output logic                    free_o,
  input  logic                    start_i  // It issues, and writes PSUM
);
  localparam int unsigned SlotBanks = PsumBanks / 4;  // Quad mode: of each slot

  logic [PsumBanks*4-1:0] claimed, early;  // Bit 4*bank + column group
  // running_q: the longest of all windows.
  logic [15:0] end_next, random_q, running_q;
  logic        stochastic;
  logic [31:0] bank;

  assign stochastic = plan_i.is_move && cmd_i.stochastic;
  assign end_next   = plan_i.columns + 16'(plan_i.latency) - 16'd1;

  always_comb begin
    claimed = '0;
    bank    = '0;
    if (valid_i) begin
      for (int unsigned b = 0; b < PsumBanks; b++) begin
        bank = plan_i.quad ? b % SlotBanks : b;
        claimed[4*b+:4] = (bank >= 32'(cmd_i.psum_bank) && bank <= 32'(plan_i.last_bank))
                        ? plan_i.col_groups : 4'd0;
      end
    end
  end

  for (genvar w = 0; w < PsumBanks * 4; w++) begin : gen_window
    logic [15:0] left_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        left_q <= '0;
      end else if (start_i || running_q != 16'd0) begin
        if (start_i && claimed[w]) left_q <= end_next;
        else if (left_q != 16'd0) left_q <= left_q - 16'd1;
      end
    end

    assign early[w] = left_q > 16'(plan_i.latency);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      random_q       <= '0;
      running_q <= '0;
    end else begin
      if (start_i && stochastic) random_q <= end_next;
      else if (random_q != 16'd0) random_q <= random_q - 16'd1;
      if (start_i && end_next >= running_q) running_q <= end_next;
      else if (running_q != 16'd0) running_q <= running_q - 16'd1;
    end
  end

  assign free_o = (claimed & early) == '0 &&
                  !(stochastic && random_q > 16'(plan_i.latency));

  `TERN_ASSERT_INIT(BanksInFours, PsumBanks >= 4 && PsumBanks % 4 == 0)

`ifdef FORMAL
`include "tensor_windows_properties.svh"
`endif
endmodule
