// SPDX-License-Identifier: Apache-2.0
// The adders next to a memory, one beat (64 bytes), combinational: word by word
// memory = round(memory + data), in binary32, BF16 or FP8 (E4M3FN). docs/numerics.md, "DMA".
`include "tern_row.svh"

module dma_near_memory #(
  parameter int unsigned Lanes = 32,  // BF16 words; half of them of binary32, twice of FP8
  localparam int unsigned Width = Lanes * 16
) (
  input  logic             en_i,      // sum_o is 0 otherwise
  input  logic             bf16_i,    // Words; neither: binary32
  input  logic             fp8_i,
  input  logic [Width-1:0] memory_i,
  input  logic [Width-1:0] data_i,
  output logic [Width-1:0] sum_o
);
  typedef logic [Lanes*32-1:0] row_t;

  // BF16 elements widened to binary32.
  task automatic row_widen(`TERN_ROW_IN logic [Width-1:0] x, output row_t y);
    // verilator no_inline_task
    for (int unsigned i = 0; i < Lanes / 2; i++) begin
      y[i*64+:32]    = x[i*32+:32] << 16;
      y[i*64+32+:32] = x[i*32+:32] & 32'hFFFF_0000;
    end
  endtask

  task automatic row_gather(`TERN_ROW_IN row_t x, output logic [Width-1:0] y);
    // verilator no_inline_task
    for (int unsigned i = 0; i < Lanes / 2; i++) begin
      y[i*32+:32] = (x[i*64+:32] & 32'hFFFF) | (x[i*64+32+:32] << 16);
    end
  endtask

  row_t a, b, sum, rounded;
  always_comb begin
    a = '0;
    b = '0;
    if (en_i && bf16_i) begin
      row_widen(memory_i, a);
      row_widen(data_i, b);
    end else if (en_i && !fp8_i) begin
      a[Width-1:0] = memory_i;
      b[Width-1:0] = data_i;
    end
  end

  fadd_row #(.Lanes(Lanes)) u_add (.en_i(en_i && !fp8_i), .a_i(a), .b_i(b), .y_o(sum));
  bf16_round_row #(.Lanes(Lanes), .Groups(1)) u_round (
    .en_i         (en_i && bf16_i),
    .stochastic_i (1'b0),
    .x_i          (sum),
    .draw_i       ({Lanes{32'd0}}),
    .y_o          (rounded)
  );

  logic [Width-1:0] sum_fp8;
  fp8_add_row #(.Lanes(2 * Lanes)) u_add_fp8 (
    .en_i (en_i && fp8_i),
    .a_i  (memory_i),
    .b_i  (data_i),
    .y_o  (sum_fp8)
  );

  always_comb begin
    sum_o = fp8_i ? sum_fp8 : sum[Width-1:0];
    if (bf16_i) row_gather(rounded, sum_o);
  end
endmodule
