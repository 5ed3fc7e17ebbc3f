// SPDX-License-Identifier: Apache-2.0
// Accepts commands, checks them, and issues them in order, one a cycle, when the array can take
// them.
`include "tern_assert.svh"

module tensor_ctrl #(
  parameter int unsigned Rows         = 128,
  parameter int unsigned Cols         = 128,
  parameter int unsigned PsumBanks    = 8,
  parameter int unsigned BankColumns  = 512,
  parameter int unsigned MinInterval  = 64,
  parameter int unsigned MaxMoving    = 512,
  parameter int unsigned CommandDepth = 16
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic [tensor_pkg::AddrW:0] sbuf_bytes_i,
  input  logic                   cmd_valid_i,
  output logic                   cmd_ready_o,
  input  tensor_pkg::cmd_t       cmd_i,
  input  logic                   retire_i,  // a status leaves this cycle
  output tensor_pkg::load_wave_t load_o,
  output tensor_pkg::move_wave_t move_o,
  output logic                   flight_valid_o,  // a command issues this cycle, rejected ones too
  output tensor_pkg::flight_t    flight_o,
  output logic                   dest_valid_o,    // a MultiplyMoving issues this cycle
  output tensor_pkg::dest_t      dest_o,
  // Rows * cols of the MultiplyMoving in the sequencer.
  output logic            [15:0] tile_macs_o,
  output logic                   busy_o,          // commands accepted and not retired
  // Only the weights of the next command are missing.
  output logic                   weight_stall_o
);
  localparam int unsigned CountW = $clog2(CommandDepth + 1);

  tensor_pkg::checked_t checked, head;
  tensor_pkg::code_e    code;
  logic head_valid, is_move, mismatch, rejected, issue, start_load, start_move;
  logic load_free, load_idle, move_free;
  logic [CountW-1:0] count_d, count_q;
  logic accept;

  // Weights: whether a LoadStationary waits for its MultiplyMoving, and the tile of the last one.
  logic       pending_d, pending_q, loaded_d, loaded_q;
  logic [7:0] row_start_d, row_start_q, rows_d, rows_q, cols_d, cols_q;
  logic [15:0] tile_macs_d, tile_macs_q;

  assign cmd_ready_o = count_q < CountW'(CommandDepth);
  assign accept      = cmd_valid_i && cmd_ready_o;
  assign busy_o      = count_q != '0;

  tensor_check #(
    .Rows(Rows), .Cols(Cols), .PsumBanks(PsumBanks), .BankColumns(BankColumns),
    .MaxMoving(MaxMoving)
  ) u_check (
    .sbuf_bytes_i(sbuf_bytes_i),
    .cmd_i       (cmd_i),
    .checked_o   (checked)
  );

  tern_fifo #(
    .Width($bits(checked)), .Depth(CommandDepth)
  ) u_fifo (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .push_i (accept),
    .data_i (checked),
    .pop_i  (issue),
    .valid_o(head_valid),
    .data_o (head)
  );

  assign is_move  = head.cmd.op == tensor_pkg::OpMultiplyMoving;
  assign mismatch = is_move && (!loaded_q || head.cmd.row_start != row_start_q ||
                                head.cmd.rows != rows_q || head.cmd.cols != cols_q);
  assign code     = (mismatch && (head.code == tensor_pkg::CodeOk ||
                                  head.code == tensor_pkg::CodeBadAddress))
                  ? tensor_pkg::CodeNoStationary : head.code;
  assign rejected = code != tensor_pkg::CodeOk;

  // A rejected command waits for nothing. Weights are complete in a row when the swap reaches it if
  // all groups have left the sequencer: both waves travel at the same speed.
  assign issue = head_valid && (rejected || (is_move ? (move_free && load_idle) : load_free));
  assign start_load     = issue && !rejected && !is_move;
  assign start_move     = issue && !rejected && is_move;
  assign weight_stall_o = head_valid && !rejected && is_move && move_free && !load_idle;

  always_comb begin
    count_d     = count_q + CountW'(accept) - CountW'(retire_i);
    pending_d   = start_load ? 1'b1 : start_move ? 1'b0 : pending_q;
    loaded_d    = loaded_q || start_load;
    row_start_d = start_load ? head.cmd.row_start : row_start_q;
    rows_d      = start_load ? head.cmd.rows : rows_q;
    cols_d      = start_load ? head.cmd.cols : cols_q;
    tile_macs_d = start_move ? 16'(head.cmd.rows) * 16'(head.cmd.cols) : tile_macs_q;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q     <= '0;
      pending_q   <= 1'b0;
      loaded_q    <= 1'b0;
      row_start_q <= '0;
      rows_q      <= '0;
      cols_q      <= '0;
      tile_macs_q <= '0;
    end else begin
      count_q     <= count_d;
      pending_q   <= pending_d;
      loaded_q    <= loaded_d;
      row_start_q <= row_start_d;
      rows_q      <= rows_d;
      cols_q      <= cols_d;
      tile_macs_q <= tile_macs_d;
    end
  end

  tensor_load_seq u_load_seq (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .start_i(start_load),
    .cmd_i  (head.cmd),
    .free_o (load_free),
    .idle_o (load_idle),
    .wave_o (load_o)
  );

  tensor_move_seq #(
    .MinInterval(MinInterval)
  ) u_move_seq (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .start_i (start_move),
    .cmd_i   (head.cmd),
    .moving_i(head.moving),
    .swap_i  (pending_q),
    .free_o  (move_free),
    .wave_o  (move_o)
  );

  assign tile_macs_o    = tile_macs_q;
  assign flight_valid_o = issue;
  assign flight_o.status.tag  = head.cmd.tag;
  assign flight_o.status.code = code;
  assign flight_o.is_move     = is_move;

  assign dest_valid_o      = start_move;
  assign dest_o.tag        = head.cmd.tag;
  assign dest_o.lanes      = head.cmd.cols;
  assign dest_o.bank       = head.cmd.psum_bank;
  assign dest_o.column     = head.cmd.psum_column;
  assign dest_o.count      = head.moving;
  assign dest_o.accumulate = head.cmd.accumulate;

  `TERN_ASSERT_INIT(ArrayFits, Rows <= 128 && Cols <= 128 && Rows >= 1 && Cols >= 1)
  `TERN_ASSERT_INIT(IntervalPositive, MinInterval >= 1)
  `TERN_ASSERT_INIT(ColumnsFit, BankColumns <= 32768 && MaxMoving <= BankColumns && PsumBanks <= 64)
  `TERN_ASSERT(RetireOnlyAccepted, !retire_i || busy_o)
endmodule
