// SPDX-License-Identifier: Apache-2.0
// The register port of the DMA engine as an AXI4-Lite subordinate: whole words, one access in a
// cycle, reads and writes alternately if both wait.
`include "tern_assert.svh"

module axi_lite_registers (
  input  logic        clk_i,
  input  logic        rst_ni,
  // AXI4-Lite.
  input  logic        aw_valid_i,
  output logic        aw_ready_o,
  input  logic [11:0] aw_addr_i,
  input  logic        w_valid_i,
  output logic        w_ready_o,
  input  logic [31:0] w_data_i,
  input  logic  [3:0] w_strb_i,
  output logic        b_valid_o,
  input  logic        b_ready_i,
  output logic  [1:0] b_resp_o,
  input  logic        ar_valid_i,
  output logic        ar_ready_o,
  input  logic [11:0] ar_addr_i,
  output logic        r_valid_o,
  input  logic        r_ready_i,
  output logic [31:0] r_data_o,
  output logic  [1:0] r_resp_o,
  // The engine's port: data and ok in the same cycle.
  output logic        reg_valid_o,
  output logic        reg_write_o,
  output logic [11:0] reg_offset_o,
  output logic [31:0] reg_data_o,
  input  logic        reg_ok_i,
  input  logic [31:0] reg_data_i
);
  logic may_write, may_read, write, read, whole, last_write_q;
  assign may_write = aw_valid_i && w_valid_i && (!b_valid_o || b_ready_i);
  assign may_read  = ar_valid_i && (!r_valid_o || r_ready_i);
  assign write     = may_write && !(may_read && last_write_q);
  assign read      = may_read && !write;
  assign whole     = w_strb_i == '1;

  assign aw_ready_o   = write;
  assign w_ready_o    = write;
  assign ar_ready_o   = read;
  assign reg_valid_o  = read || (write && whole);
  assign reg_write_o  = write;
  assign reg_offset_o = write ? aw_addr_i : ar_addr_i;
  assign reg_data_o   = w_data_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      b_valid_o    <= 1'b0;
      r_valid_o    <= 1'b0;
      last_write_q <= 1'b0;
    end else begin
      if (b_ready_i) b_valid_o <= 1'b0;
      if (r_ready_i) r_valid_o <= 1'b0;
      if (write) b_valid_o <= 1'b1;
      if (read) r_valid_o <= 1'b1;
      if (write || read) last_write_q <= write;
    end
  end
  always_ff @(posedge clk_i) begin
    if (write) b_resp_o <= (whole && reg_ok_i) ? axi_pkg::RespOkay : axi_pkg::RespSlvErr;
    if (read) begin
      r_resp_o <= reg_ok_i ? axi_pkg::RespOkay : axi_pkg::RespSlvErr;
      r_data_o <= reg_data_i;
    end
  end

`ifdef FORMAL
`include "axi_lite_registers_properties.svh"
`endif
`ifdef TERN_COVER_POINTS
`include "axi_lite_registers_cover.svh"
`endif
endmodule
