// SPDX-License-Identifier: Apache-2.0
// Load waves in all rows of array A, with the tags of sparse ones: they travel down one row every
// Stages cycles, counted down. As tensor_wave_lane, packed words of all rows and one loop.
`include "tern_row.svh"

module tensor_load_rows #(
  parameter int unsigned Rows   = 128,
  parameter int unsigned Stages = 1
) (
  input  logic                                    clk_i,
  input  logic                                    rst_ni,
  input  tensor_pkg::load_wave_t                  load_i,
  input  tensor_pkg::tag_wave_t                   tag_i,
  // The cycle in which a wave reaches a row
  output logic [Rows-1:0]                         load_req_o,
  output logic [Rows-1:0][tensor_pkg::AddrW-3:0]  load_addr_o,
  output logic [Rows-1:0]                         tag_req_o,
  output logic [Rows-1:0][tensor_pkg::AddrW-2:0]  tag_addr_o,
  // The next one, with the data
  input  logic [Rows-1:0][15:0]                   tag_data_i,
  output logic [Rows*32-1:0]                      load_o,      // As `load` below
  output logic [Rows*32-1:0]                      where_o,     // As `where` below
  output logic [Rows*32-1:0]                      tag_o,       // As `tag` below
  // Below the last row
  output logic                                    done_o,      // Last group of a load
  output logic [tensor_pkg::SlotW-1:0]            done_slot_o,
  output logic                                    bad_o        // A position outside its pattern
);
  typedef logic [Rows*32-1:0] words_t;
  typedef logic [Rows-1:0][15:0] tags_t;

  // Words of a row:
  //   load  31 valid, 30 last, 29:26 slot, 25:23 form, 22:18 group, 17 this row belongs to the
  //         tile, 16 single, 15:8 skip, 7:0 left
  //   where 19:18 column, 17:2 word, 1:0 byte in it
  //   tag   31 valid, 30:28 sparsity, 27:24 columns, 23 bad, 16:0 address
  localparam int unsigned ValidBit = 31;
  localparam int unsigned BadBit   = 23;

  task automatic row_step(`TERN_ROW_IN words_t load, `TERN_ROW_IN words_t where,
                          `TERN_ROW_IN words_t tag, input logic [31:0] enter_load,
                          input logic [31:0] enter_where, input logic [31:0] enter_tag,
                          output words_t load_next, output words_t where_next,
                          output words_t tag_next, output logic busy);
    // verilator no_inline_task
    logic [31:0] wave, any, skip, left, in_tile;
    for (int unsigned i = 1; i < Rows; i++) begin
      load_next[i*32+:32]  = load[(i-1)*32+:32];
      where_next[i*32+:32] = where[(i-1)*32+:32];
      tag_next[i*32+:32]   = tag[(i-1)*32+:32];
    end
    load_next[31:0]  = enter_load;
    where_next[31:0] = enter_where;
    tag_next[31:0]   = enter_tag;
    any = 32'd0;
    for (int unsigned i = 0; i < Rows; i++) begin
      wave    = load_next[i*32+:32];
      any     = any | wave;
      skip    = wave & 32'hFF00;
      left    = wave & 32'hFF;
      in_tile = (skip == 32'd0 && left != 32'd0) ? 32'd1 : 32'd0;
      wave    = (wave & 32'hFFFD_FFFF) - ((skip == 32'd0) ? in_tile : 32'h100);
      load_next[i*32+:32] = (wave[31]) ? wave | (in_tile << 17) : wave;
    end
    busy = any[ValidBit];
  endtask

  // Positions that a row met become known to the next one.
  task automatic row_bad(`TERN_ROW_IN words_t load, `TERN_ROW_IN words_t tag,
                         `TERN_ROW_IN tags_t positions, output words_t y);
    // verilator no_inline_task
    for (int unsigned i = 0; i < Rows; i++) begin
      y[i*32+:32] = tag[i*32+:32];
      if (bad(load[i*32+:32], tag[i*32+:32], positions[i])) y[i*32+BadBit] = 1'b1;
    end
  endtask

  function automatic logic bad(input logic [31:0] load, input logic [31:0] tag,
                               input logic [15:0] positions);
    logic [3:0] outside;
    for (int unsigned j = 0; j < 4; j++) begin
      outside[j] = {1'b0, positions[4*j+:4]} >= tensor_pkg::group_size(tag[30:28]);
    end
    bad = load[17] && tag[ValidBit] && (outside & tag[27:24]) != 4'd0;
  endfunction

  // Requests to SBUF.
  task automatic row_requests(`TERN_ROW_IN words_t load, `TERN_ROW_IN words_t tag,
                              input logic [31:0] enter_load,
                              input logic [31:0] enter_tag, output logic [Rows-1:0] req,
                              output logic [Rows-1:0] tag_req);
    // verilator no_inline_task
    logic [31:0] wave, tags;
    for (int unsigned i = 0; i < Rows; i++) begin
      wave       = (i == 0) ? enter_load : load[(i-1)*32+:32];
      tags       = (i == 0) ? enter_tag : tag[(i-1)*32+:32];
      req[i]     = wave[ValidBit] && wave[15:8] == 8'd0 && wave[7:0] != 8'd0;
      tag_req[i] = wave[ValidBit] && wave[15:8] == 8'd0 && wave[7:0] != 8'd0 && tags[ValidBit];
    end
  endtask

  logic        busy, busy_q, wait_busy;
  logic [31:0] enter_load, enter_where, enter_tag, last_load, last_tag;
  words_t      load_q, where_q, tag_q, tag_seen, load_d, where_d, tag_d;
  words_t      load, where, tag;  // Of every row, in the cycle in which they reach the next one

  assign enter_load  = {load_i.valid, load_i.last, load_i.slot, load_i.form, load_i.group, 1'b0,
                        load_i.single, load_i.skip, load_i.left};
  assign enter_where = {12'd0, load_i.column, load_i.address};
  assign enter_tag   = {tag_i.valid, tag_i.sparsity, tag_i.columns, tag_i.bad, 6'd0,
                        tag_i.address};

  always_comb begin
    load_req_o = '0;
    tag_req_o  = '0;
    if (load_i.valid || busy_q || wait_busy) begin
      row_requests(load, tag, enter_load, enter_tag, load_req_o, tag_req_o);
    end
  end

  assign load_addr_o[0] = load_i.address[tensor_pkg::AddrW-1:2];
  assign tag_addr_o[0]  = tag_i.address;
  for (genvar r = 1; r < Rows; r++) begin : gen_address
    assign load_addr_o[r] = where[(r-1)*32+2+:16];
    assign tag_addr_o[r]  = tag[(r-1)*32+:17];
  end

  // Idle while nothing passes.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      load_q  <= '0;
      where_q <= '0;
      tag_q   <= '0;
      busy_q  <= 1'b0;
    end else if (load_i.valid || busy_q || wait_busy) begin
      // Positions come with the data, one cycle after the wave.
      if (Stages == 1) begin
        row_bad(load, tag, tag_data_i, tag_seen);
        row_step(load, where, tag_seen, enter_load, enter_where, enter_tag, load_d, where_d, tag_d,
                 busy);
      end else begin
        row_step(load, where, tag, enter_load, enter_where, enter_tag, load_d, where_d, tag_d,
                 busy);
      end
      load_q  <= load_d;
      where_q <= where_d;
      tag_q   <= tag_d;
      busy_q  <= busy;
    end
  end

  logic last_bad;

  if (Stages == 1) begin : gen_now
    assign load      = load_q;
    assign where     = where_q;
    assign tag       = tag_q;
    assign wait_busy = 1'b0;
    assign last_bad  = bad(last_load, last_tag, tag_data_i[Rows-1]);
  end else begin : gen_later
    words_t tag_later;

    always_comb row_bad(load_q, tag_q, tag_data_i, tag_later);

    tensor_row_wait #(
      .Width (3 * Rows * 32),
      .Cycles(Stages - 1)
    ) u_wait (
      .clk_i (clk_i),
      .rst_ni(rst_ni),
      .busy_i(busy_q),
      .data_i({load_q, where_q, tag_later}),
      .busy_o(wait_busy),
      .data_o({load, where, tag})
    );
    assign last_bad = 1'b0;  // Known by then
  end

  assign load_o      = load_q;
  assign where_o     = where_q;
  assign tag_o       = tag_q;
  assign last_load   = load[(Rows-1)*32+:32];
  assign last_tag    = tag[(Rows-1)*32+:32];
  assign done_o      = last_load[ValidBit] && last_load[30];
  assign done_slot_o = last_load[29:26];

  // The end of a load: groups of four columns leave the last row; a bad position in any of them is
  // reported with the last.
  logic bad_q;

  assign bad_o = last_tag[ValidBit] && (bad_q || last_tag[BadBit] || last_bad);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) bad_q <= 1'b0;
    else if (last_load[ValidBit]) bad_q <= bad_o && !done_o;
  end
endmodule
