// SPDX-License-Identifier: Apache-2.0
// FIFO between two clocks of any frequencies and phases. Pointers cross as Gray codes; a word is in
// the memory before the pointer that names it leaves.
`include "tern_assert.svh"

module cdc_fifo #(
  parameter int unsigned Width  = 8,
  parameter int unsigned Depth  = 8,   // Power of two
  parameter int unsigned Stages = 2,   // Of the synchronisers
  localparam int unsigned PtrW = $clog2(Depth)
) (
  input  logic             write_clk_i,
  input  logic             write_rst_ni,
  input  logic             write_valid_i,
  output logic             write_ready_o,
  input  logic [Width-1:0] write_data_i,
  input  logic             read_clk_i,
  input  logic             read_rst_ni,
  output logic             read_valid_o,
  input  logic             read_ready_i,
  output logic [Width-1:0] read_data_o
);
  localparam int unsigned PtrBits = PtrW + 1;

  logic [Width-1:0]          mem [Depth];
  logic [PtrW:0]             write_ptr, read_ptr, write_gray, read_gray;
  logic [Stages*PtrBits-1:0] to_write, to_read;  // Pointers of the other side
  logic [PtrW:0]             write_seen, read_seen;
  logic                      push, pop;

  assign read_seen  = to_write[(Stages-1)*PtrBits+:PtrBits];
  assign write_seen = to_read[(Stages-1)*PtrBits+:PtrBits];

  // Full: the pointers are Depth apart, which in Gray code is the upper two bits.
  assign write_ready_o = write_gray != (read_seen ^ {2'b11, {(PtrW - 1){1'b0}}});
  assign read_valid_o  = read_gray != write_seen;
  assign read_data_o   = mem[read_ptr[PtrW-1:0]];
  assign push          = write_valid_i && write_ready_o;
  assign pop           = read_valid_o && read_ready_i;

  always_ff @(posedge write_clk_i) begin
    if (push) mem[write_ptr[PtrW-1:0]] <= write_data_i;
  end

  cdc_pointer #(.Bits(PtrBits)) u_write_pointer (
    .clk_i   (write_clk_i),
    .rst_ni  (write_rst_ni),
    .step_i  (push),
    .value_o (write_ptr),
    .gray_o  (write_gray)
  );
  cdc_pointer #(.Bits(PtrBits)) u_read_pointer (
    .clk_i   (read_clk_i),
    .rst_ni  (read_rst_ni),
    .step_i  (pop),
    .value_o (read_ptr),
    .gray_o  (read_gray)
  );
  cdc_sync #(.Width(PtrBits), .Stages(Stages)) u_to_read (
    .clk_i    (read_clk_i),
    .rst_ni   (read_rst_ni),
    .data_i   (write_gray),
    .stages_o (to_read)
  );
  cdc_sync #(.Width(PtrBits), .Stages(Stages)) u_to_write (
    .clk_i    (write_clk_i),
    .rst_ni   (write_rst_ni),
    .data_i   (read_gray),
    .stages_o (to_write)
  );

  `TERN_ASSERT_INIT(DepthPowerOfTwo, Depth == (1 << PtrW) && Depth > 1)

`ifdef FORMAL
`include "cdc_fifo_properties.svh"
`endif
endmodule
