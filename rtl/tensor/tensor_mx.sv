// SPDX-License-Identifier: Apache-2.0
// The MX array: 4*Rows x Cols multipliers of eight-bit elements in blocks of eight rows. Control
// and partial sums travel down one block every Stages cycles; the eight partitions of a block are
// read together. Four row groups, each with an entry for waves at its top and a port for results at
// its bottom.
`include "tern_assert.svh"
`include "tern_row.svh"
`include "tern_trace.svh"

module tensor_mx #(
  parameter  int unsigned Rows       = 128,  // A multiple of 32
  parameter  int unsigned Cols       = 128,  // A multiple of 4
  parameter  int unsigned Stages     = 1,    // mx_chain_row
  parameter  bit          SplitPaths = `TERN_SPLIT_PATHS,  // mx_dot_row, mx_chain_row
  localparam int unsigned Blocks     = Rows / 8
) (
  input  logic                                         clk_i,
  input  logic                                         rst_ni,
  input  tensor_pkg::mx_load_t                         load_i,
  input  logic [3:0][tensor_pkg::MxMoveW-1:0]          move_i,  // mx_move_t, by row group
  // SBUF, answered in the next cycle. Load: 16 bytes, and 4 of the second plane.
  output logic [Rows-1:0]                              load_req_o,
  output logic [Rows-1:0][tensor_pkg::AddrW-3:0]       load_addr_o,        // 4-byte words
  input  logic [Rows-1:0][127:0]                       load_data_i,
  output logic [Rows-1:0]                              load_plane_req_o,
  output logic [Rows-1:0][tensor_pkg::AddrW-3:0]       load_plane_addr_o,
  input  logic [Rows-1:0][31:0]                        load_plane_data_i,
  // Move: two 2-byte words, and one of the second plane.
  output logic [Rows-1:0]                              move_req_o,
  output logic [Rows-1:0][tensor_pkg::AddrW-2:0]       move_addr_o,        // 2-byte words
  input  logic [Rows-1:0][31:0]                        move_data_i,
  output logic [Rows-1:0]                              move_plane_req_o,
  output logic [Rows-1:0][tensor_pkg::AddrW-2:0]       move_plane_addr_o,
  input  logic [Rows-1:0][15:0]                        move_plane_data_i,
  // Scales of block b, from partition 32*(b/4) + 4*offset + b%4.
  output logic [Blocks-1:0]                            scale_load_req_o,
  output logic [Blocks-1:0][tensor_pkg::AddrW-3:0]     scale_load_addr_o,  // 4-byte words
  output logic [Blocks-1:0][1:0]                       scale_load_offset_o,
  input  logic [Blocks-1:0][31:0]                      scale_load_data_i,
  output logic [Blocks-1:0]                            scale_move_req_o,
  output logic [Blocks-1:0][tensor_pkg::AddrW-1:0]     scale_move_addr_o,  // Bytes
  output logic [Blocks-1:0][1:0]                       scale_move_offset_o,
  input  logic [Blocks-1:0][7:0]                       scale_move_data_i,
  // The last group of a load has left the last block.
  output logic                                         load_done_o,
  output logic [tensor_pkg::SlotW-1:0]                 load_done_slot_o,
  // Results, one cycle ahead of the sums. Port g is the output of row group g; quad mode: slot s on
  // port s.
  output logic [3:0]                                   port_valid_o,
  output logic [3:0][tensor_pkg::SlotW-1:0]            port_slot_o,
  `TERN_LANES
  output logic [4*Cols*32-1:0]                         sum_o               // Port p at p*Cols*32
  `TERN_LANES_END
);
  if (Rows % 32 != 0 || Cols % 4 != 0) begin : gen_illegal
    $error("tensor_mx: Rows must be a multiple of 32 and Cols of 4");
  end

  localparam int unsigned GroupBlocks = Blocks / 4;
  logic [Blocks-1:0]      valid, active, quad, quad_swap;
  logic [Blocks-1:0][7:0] scale;
  logic [2:0]             collides;  // Two waves at one entry, for the assertion

  for (genvar b = 0; b < Blocks; b++) begin : gen_block
    tensor_pkg::mx_load_t load_in, load_out;
    tensor_pkg::mx_move_t move_in, move_out;
    logic [3:0] special;
    logic load_req, load_plane_req, move_req, move_plane_req;
    `TERN_LANES
    logic [Cols*32-1:0]   acc_in, acc_out, scales, flags0, flags1, flags2, flags3;
    logic [4*Cols*32-1:0] sum0, sum1, sum2, sum3;
    `TERN_LANES_END

    if (b == 0) begin : gen_first
      assign load_in = load_i;
      assign move_in = move_i[0];
      assign acc_in  = '0;  // Every chain starts from +0
    end else begin : gen_next
      assign load_in = gen_block[b-1].load_out;
      if (b % GroupBlocks == 0 && b < 4 * GroupBlocks) begin : gen_entrance
        assign move_in = gen_group[b/GroupBlocks-1].gen_below.wave;
        assign acc_in  = gen_group[b/GroupBlocks-1].gen_below.acc;
      end else begin : gen_inside
        assign move_in = gen_block[b-1].move_out;
        assign acc_in  = gen_block[b-1].acc_out;
      end
    end

    tensor_mx_block #(
      .Cols      (Cols),
      .Stages    (Stages),
      .SplitPaths(SplitPaths)
    ) u_block (
      .clk_i            (clk_i),
      .rst_ni           (rst_ni),
      .load_i           (load_in),
      .load_o           (load_out),
      .move_i           (move_in),
      .move_o           (move_out),
      .load_req_o       (load_req),
      .load_plane_req_o (load_plane_req),
      .load_data_i      (load_data_i[8*b+:8]),
      .load_plane_data_i(load_plane_data_i[8*b+:8]),
      .move_req_o       (move_req),
      .move_plane_req_o (move_plane_req),
      .move_data_i      (move_data_i[8*b+:8]),
      .move_plane_data_i(move_plane_data_i[8*b+:8]),
      .scale_load_req_o (scale_load_req_o[b]),
      .scale_load_data_i(scale_load_data_i[b]),
      .scale_move_req_o (scale_move_req_o[b]),
      .scale_move_data_i(scale_move_data_i[b]),
      .valid_o          (valid[b]),
      .quad_o           (quad[b]),
      .quad_swap_o      (quad_swap[b]),
      .active_o         (active[b]),
      .scale_o          (scale[b]),
      .special_o        (special),
      .sum0_o           (sum0),
      .sum1_o           (sum1),
      .sum2_o           (sum2),
      .sum3_o           (sum3),
      .flags0_o         (flags0),
      .flags1_o         (flags1),
      .flags2_o         (flags2),
      .flags3_o         (flags3),
      .scales_o         (scales),
      .acc_i            (acc_in),
      .acc_o            (acc_out)
    );

    for (genvar r = 8 * b; r < 8 * b + 8; r++) begin : gen_row
      assign load_req_o[r]        = load_req;
      assign load_addr_o[r]       = load_in.address;
      assign load_plane_req_o[r]  = load_plane_req;
      assign load_plane_addr_o[r] = load_in.plane_address;
      assign move_req_o[r]        = move_req;
      assign move_addr_o[r]       = move_in.address;
      assign move_plane_req_o[r]  = move_plane_req;
      assign move_plane_addr_o[r] = move_in.plane_address;
    end
    assign scale_load_addr_o[b]   = load_in.scale_address;
    assign scale_load_offset_o[b] = load_in.scale_offset;
    assign scale_move_addr_o[b]   = move_in.scale_address;
    assign scale_move_offset_o[b] = move_in.scale_offset;
  end

  for (genvar g = 0; g < Blocks / 4; g++) begin : gen_quadrant
    for (genvar s = 0; s < 4; s++) begin : gen_slot
      logic [3:0] special;
      `TERN_LANES
      logic [Cols*32-1:0]   acc_in, acc_out, result;
      logic [4*Cols*32-1:0] sum0, sum1, sum2, sum3;
      logic [Cols*32-1:0]   flags0, flags1, flags2, flags3;
      `TERN_LANES_END

      if (g == 0) begin : gen_first
        assign acc_in = '0;
      end else begin : gen_next
        assign acc_in = gen_quadrant[g-1].gen_slot[s].acc_out;
      end

      if (s == 0) begin : gen_sums0
        assign sum0   = gen_block[4*g+0].sum0;
        assign flags0 = gen_block[4*g+0].flags0;
        assign sum1   = gen_block[4*g+1].sum0;
        assign flags1 = gen_block[4*g+1].flags0;
        assign sum2   = gen_block[4*g+2].sum0;
        assign flags2 = gen_block[4*g+2].flags0;
        assign sum3   = gen_block[4*g+3].sum0;
        assign flags3 = gen_block[4*g+3].flags0;
      end else if (s == 1) begin : gen_sums1
        assign sum0   = gen_block[4*g+0].sum1;
        assign flags0 = gen_block[4*g+0].flags1;
        assign sum1   = gen_block[4*g+1].sum1;
        assign flags1 = gen_block[4*g+1].flags1;
        assign sum2   = gen_block[4*g+2].sum1;
        assign flags2 = gen_block[4*g+2].flags1;
        assign sum3   = gen_block[4*g+3].sum1;
        assign flags3 = gen_block[4*g+3].flags1;
      end else if (s == 2) begin : gen_sums2
        assign sum0   = gen_block[4*g+0].sum2;
        assign flags0 = gen_block[4*g+0].flags2;
        assign sum1   = gen_block[4*g+1].sum2;
        assign flags1 = gen_block[4*g+1].flags2;
        assign sum2   = gen_block[4*g+2].sum2;
        assign flags2 = gen_block[4*g+2].flags2;
        assign sum3   = gen_block[4*g+3].sum2;
        assign flags3 = gen_block[4*g+3].flags2;
      end else begin : gen_sums3
        assign sum0   = gen_block[4*g+0].sum3;
        assign flags0 = gen_block[4*g+0].flags3;
        assign sum1   = gen_block[4*g+1].sum3;
        assign flags1 = gen_block[4*g+1].flags3;
        assign sum2   = gen_block[4*g+2].sum3;
        assign flags2 = gen_block[4*g+2].flags3;
        assign sum3   = gen_block[4*g+3].sum3;
        assign flags3 = gen_block[4*g+3].flags3;
      end
      assign special = {gen_block[4*g+3].special[s], gen_block[4*g+2].special[s],
                        gen_block[4*g+1].special[s], gen_block[4*g].special[s]};

      tensor_mx_quad_slot #(
        .Cols      (Cols),
        .Slot      (s),
        .Stages    (Stages),
        .SplitPaths(SplitPaths)
      ) u_quad_slot (
        .clk_i    (clk_i),
        .rst_ni   (rst_ni),
        .valid_i  (valid[4*g+:4] & quad[4*g+:4]),
        .special_i(special),
        .active_i (active[4*g+3]),
        .swap_i   (quad_swap[4*g+3]),
        .scale_i  (scale[4*g+s]),
        .scales_i (gen_block[4*g+s].scales),
        .sum0_i   (sum0),
        .sum1_i   (sum1),
        .sum2_i   (sum2),
        .sum3_i   (sum3),
        .flags0_i (flags0),
        .flags1_i (flags1),
        .flags2_i (flags2),
        .flags3_i (flags3),
        .acc_i    (acc_in),
        .result_o (result),
        .acc_o    (acc_out)
      );
    end
  end

  // The lower ends of the row groups: group g's results leave, and waves enter group g + 1. Sums
  // are two cycles behind their wave.
  for (genvar g = 0; g < 4; g++) begin : gen_group
    localparam int unsigned Last = GroupBlocks * (g + 1) - 1;
    logic ends, leaves_q;
    logic [tensor_pkg::SlotW-1:0] slot_q;

    assign ends = 32'(gen_block[Last].move_out.last_group) <= g;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        leaves_q <= 1'b0;
        slot_q   <= '0;
      end else begin
        leaves_q <= gen_block[Last].move_out.valid && ends;
        slot_q   <= gen_block[Last].move_out.slot;
      end
    end

    if (g < 3) begin : gen_below
      tensor_pkg::mx_move_t enter, wave;
      logic fresh_q, fresh_q2;
      `TERN_LANES
      logic [Cols*32-1:0] acc;
      `TERN_LANES_END

      assign enter       = move_i[g+1];
      assign collides[g] = enter.valid && gen_block[Last].move_out.valid && !ends;

      always_comb begin
        wave = gen_block[Last].move_out;
        if (enter.valid) wave = enter;
        else if (ends) wave.valid = 1'b0;
      end

      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          fresh_q  <= 1'b0;
          fresh_q2 <= 1'b0;
        end else begin
          fresh_q  <= enter.valid;
          fresh_q2 <= fresh_q;
        end
      end

      // A chain that begins below starts from +0.
      assign acc = fresh_q2 ? '0 : gen_block[Last].acc_out;
    end
  end

  // Out of the last quadrant.
  logic quad_q, quad_q2;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      quad_q  <= 1'b0;
      quad_q2 <= 1'b0;
    end else begin
      quad_q  <= gen_block[Blocks-1].move_out.valid && gen_block[Blocks-1].move_out.quad;
      quad_q2 <= quad_q;
    end
  end

  assign load_done_o      = gen_block[Blocks-1].load_out.valid && gen_block[Blocks-1].load_out.last;
  assign load_done_slot_o = gen_block[Blocks-1].load_out.slot;

  for (genvar p = 0; p < 4; p++) begin : gen_port
    localparam int unsigned Last = GroupBlocks * (p + 1) - 1;
    assign port_valid_o[p] = quad_q || gen_group[p].leaves_q;
    assign port_slot_o[p]  = quad_q ? gen_group[3].slot_q : gen_group[p].slot_q;
    assign sum_o[p*Cols*32+:Cols*32] = quad_q2 ? gen_quadrant[Blocks/4-1].gen_slot[p].result
                                               : gen_block[Last].acc_out;
  end

  `TERN_ASSERT(OneWavePerEntry, collides == '0)
endmodule
