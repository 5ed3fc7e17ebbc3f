// SPDX-License-Identifier: Apache-2.0
// PSUM: banks next to the array's bottom edge, with a two-stage read-modify-write. Stage 1 reads
// the column while the last row computes, stage 2 adds (or replaces) and writes. The other engines'
// port shares the stages; it waits when the array uses the same bank in stage 1.
`include "tern_assert.svh"
`include "tern_trace.svh"

module tensor_psum #(
  parameter int unsigned Cols         = 128,
  parameter int unsigned PsumBanks    = 8,
  parameter int unsigned BankColumns  = 512,
  parameter int unsigned CommandDepth = 16
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  // destinations, in issue order
  input  logic                  dest_valid_i,
  input  tensor_pkg::dest_t     dest_i,
  // the array's bottom edge: valid one cycle ahead of its sums
  input  logic                  column_valid_i,
  `TERN_LANES
  input  logic [Cols*32-1:0] sum_i,
  `TERN_LANES_END
  // observation of the array's writes
  output logic                  retire_valid_o,
  output tensor_pkg::retire_t   retire_o,
  `TERN_LANES
  output logic [Cols*32-1:0] retire_data_o,
  `TERN_LANES_END
  output logic                  move_done_o,  // one cycle after the last write of an instruction
  // port of the other engines
  input  logic                  access_valid_i,
  output logic                  access_ready_o,
  input  tensor_pkg::access_t   access_i,
  `TERN_LANES
  input  logic [Cols*32-1:0] access_wdata_i,
  `TERN_LANES_END
  output logic                  access_rvalid_o,
  `TERN_LANES
  output logic [Cols*32-1:0] access_rdata_o
  `TERN_LANES_END
);
  localparam int unsigned ColumnW = $clog2(BankColumns);
  typedef logic [Cols*32-1:0] row_t;

  // y = lanes start .. start + count - 1 of new_row, the others of old_row.
  task automatic merge(input row_t old_row, input row_t new_row, input logic [31:0] start,
                       input logic [31:0] count, output row_t y);
    // verilator no_inline_task
    logic [31:0] lane;
    for (int unsigned i = 0; i < Cols; i++) begin
      lane = i - start;
      y[i*32+:32] = (lane < count) ? new_row[i*32+:32] : old_row[i*32+:32];
    end
  endtask

  // Stage 1.
  tensor_pkg::dest_t dest;
  logic              dest_valid, last, access_accept;
  logic       [15:0] index_d, index_q;
  logic [ColumnW-1:0] array_column;

  tern_fifo #(
    .Width($bits(dest)), .Depth(CommandDepth)
  ) u_dest (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .push_i (dest_valid_i),
    .data_i (dest_i),
    .pop_i  (column_valid_i && last),
    .valid_o(dest_valid),
    .data_o (dest)
  );

  assign last           = index_q + 16'd1 == dest.count;
  assign index_d        = !column_valid_i ? index_q : last ? 16'd0 : index_q + 16'd1;
  assign array_column   = ColumnW'(dest.column + index_q);
  assign access_ready_o = !(column_valid_i && dest.bank == access_i.bank);
  assign access_accept  = access_valid_i && access_ready_o;

  // Stage 2.
  logic                array_valid_q, last_q, accumulate_q, done_q, access_valid_q;
  tensor_pkg::retire_t retire_q;
  tensor_pkg::access_t access_q;
  `TERN_LANES
  row_t                access_wdata_q;
  `TERN_LANES_END

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      index_q        <= '0;
      array_valid_q  <= 1'b0;
      last_q         <= 1'b0;
      accumulate_q   <= 1'b0;
      done_q         <= 1'b0;
      access_valid_q <= 1'b0;
      retire_q       <= '0;
      access_q       <= '0;
    end else begin
      index_q        <= index_d;
      array_valid_q  <= column_valid_i;
      last_q         <= column_valid_i && last;
      accumulate_q   <= dest.accumulate;
      done_q         <= last_q;
      access_valid_q <= access_accept;
      if (column_valid_i) begin
        retire_q.tag    <= dest.tag;
        retire_q.lanes  <= dest.lanes;
        retire_q.bank   <= dest.bank;
        retire_q.column <= 16'(array_column);
        retire_q.index  <= index_q;
      end
      if (access_accept) access_q <= access_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (access_accept && access_i.write) access_wdata_q <= access_wdata_i;
  end

  // The bank of each requester; a bank serves at most one of them.
  `TERN_LANES
  logic [PsumBanks-1:0][Cols*32-1:0] bank_data;
  `TERN_LANES_END
  `TERN_LANES
  row_t array_old, array_sum, array_new, access_old, access_new;
  `TERN_LANES_END
  logic access_write;

  always_comb begin
    array_old  = '0;
    access_old = '0;
    for (int unsigned b = 0; b < PsumBanks; b++) begin
      if (32'(retire_q.bank) == b) array_old = bank_data[b];
      if (32'(access_q.bank) == b) access_old = bank_data[b];
    end
  end

  fadd_row #(
    .Lanes(Cols)
  ) u_add (
    .en_i(array_valid_q && accumulate_q),
    .a_i (array_old),
    .b_i (sum_i),
    .y_o (array_sum)
  );

  assign access_write = access_valid_q && access_q.write;

  always_comb begin
    array_new  = '0;
    access_new = '0;
    if (array_valid_q) begin
      merge(array_old, accumulate_q ? array_sum : sum_i, 32'd0, 32'(retire_q.lanes), array_new);
    end
    if (access_write) begin
      merge(access_old, access_wdata_q, 32'(access_q.start), 32'(access_q.count), access_new);
    end
  end

  for (genvar b = 0; b < PsumBanks; b++) begin : gen_bank
    logic array_read, array_write, access_read, access_write_here;
    assign array_read        = column_valid_i && 32'(dest.bank) == b;
    assign access_read       = access_accept && 32'(access_i.bank) == b;
    assign array_write       = array_valid_q && 32'(retire_q.bank) == b;
    assign access_write_here = access_write && 32'(access_q.bank) == b;

    tensor_psum_bank #(
      .Cols(Cols), .BankColumns(BankColumns)
    ) u_bank (
      .clk_i         (clk_i),
      .read_i        (array_read || access_read),
      .read_column_i (array_read ? array_column : access_i.column[ColumnW-1:0]),
      .read_data_o   (bank_data[b]),
      .write_i       (array_write || access_write_here),
      .write_column_i(array_write ? retire_q.column[ColumnW-1:0] :
                                    access_q.column[ColumnW-1:0]),
      .write_data_i  (array_write ? array_new : access_new)
    );

    `TERN_ASSERT(OneReader, !(array_read && access_read))
    `TERN_ASSERT(OneWriter, !(array_write && access_write_here))
  end

  assign retire_valid_o  = array_valid_q;
  assign retire_o        = retire_q;
  assign retire_data_o   = array_new;
  assign move_done_o     = done_q;
  assign access_rvalid_o = access_valid_q && !access_q.write;
  assign access_rdata_o  = access_old;

  `TERN_ASSERT(DestinationKnown, !column_valid_i || dest_valid)
  `TERN_ASSERT(AccessInside, !access_valid_i || (32'(access_i.bank) < PsumBanks &&
                                                 32'(access_i.column) < BankColumns))
endmodule
