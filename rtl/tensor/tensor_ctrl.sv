// SPDX-License-Identifier: Apache-2.0
// Accepts commands, checks them, and issues them in order, one a cycle, when all resources on
// their way are known to be free: nothing waits after its issue. Rules: README.md, "Timing".
`include "tern_assert.svh"

module tensor_ctrl #(
  parameter int unsigned Rows         = 128,
  parameter int unsigned Cols         = 128,
  parameter int unsigned PsumBanks    = 8,
  parameter int unsigned BankColumns  = 512,
  parameter int unsigned MinInterval  = 64,
  parameter int unsigned MaxMoving    = 4096,
  parameter int unsigned CommandDepth = 16,
  parameter int unsigned Stages       = 1   // Cycles from a row or block to the next
) (
  input  logic                                clk_i,
  input  logic                                rst_ni,
  input  logic [tensor_pkg::AddrW:0]          sbuf_bytes_i,
  input  logic [15:0]                         ramp_cycles_i,
  input  logic                                cmd_valid_i,
  output logic                                cmd_ready_o,
  input  tensor_pkg::cmd_t                    cmd_i,
  input  logic                                retire_i,  // A status leaves in this cycle
  // Array A: into the first row; multiplies into row Rows/4 * g, column group j ([g][j], each a
  // tensor_pkg::move_wave_t), with the skew. plane_o accompanies [0][0]: 2-byte words from one
  // plane of a sparse multiply to the next.
  output tensor_pkg::load_wave_t              load_o,
  output tensor_pkg::tag_wave_t               tag_o,
  output logic [3:0][3:0][tensor_pkg::MoveWaveW-1:0] move_o,
  output logic signed [tensor_pkg::AddrW-2:0] plane_o,
  output tensor_pkg::drain_wave_t             drain_o,
  // Array X: into the first block; multiplies into row group g (tensor_pkg::mx_move_t).
  output tensor_pkg::mx_load_t                mx_load_o,
  output logic [3:0][tensor_pkg::MxMoveW-1:0] mx_move_o,
  // High for one cycle when a command issues, rejected commands included
  output logic                                flight_valid_o,
  output logic [tensor_pkg::SlotW-1:0]        flight_slot_o,
  output tensor_pkg::status_t                 flight_status_o,
  output tensor_ctrl_pkg::issue_t             issue_o,
  // High when the command writes PSUM
  output logic                                dest_valid_o,
  output logic [tensor_pkg::SlotW-1:0]        dest_slot_o,
  output tensor_pkg::dest_t                   dest_o,
  output logic                                busy_o,         // Some command is not retired
  output logic                                weight_stall_o  // The next one lacks only its weights
);
  localparam int unsigned CountW = $clog2(CommandDepth + 1);
  typedef struct packed {
    tensor_pkg::cmd_t       cmd;
    tensor_ctrl_pkg::plan_t plan;
    tensor_pkg::code_e      code;
  } checked_t;

  // Acceptance.
  checked_t checked, head;
  tensor_ctrl_pkg::plan_t plan;
  tensor_pkg::code_e      check_code;
  logic [31:0] columns, elements;
  logic        accept, head_valid;
  logic [CountW-1:0] count_q;

  assign cmd_ready_o = count_q < CountW'(CommandDepth);
  assign accept      = cmd_valid_i && cmd_ready_o;
  assign busy_o      = count_q != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_q <= '0;
    else count_q <= count_q + CountW'(accept) - CountW'(retire_i);
  end

  tensor_plan #(
    .Rows(Rows), .Cols(Cols), .BankColumns(BankColumns), .Stages(Stages)
  ) u_plan (
    .valid_i   (cmd_valid_i),
    .cmd_i     (cmd_i),
    .columns_o (columns),
    .elements_o(elements),
    .plan_o    (plan)
  );

  tensor_check #(
    .Rows(Rows), .Cols(Cols), .PsumBanks(PsumBanks), .BankColumns(BankColumns),
    .MaxMoving(MaxMoving)
  ) u_check (
    .valid_i     (cmd_valid_i),
    .sbuf_bytes_i(sbuf_bytes_i),
    .cmd_i       (cmd_i),
    .plan_i      (plan),
    .columns_i   (columns),
    .elements_i  (elements),
    .code_o      (check_code)
  );

  assign checked.cmd  = cmd_i;
  assign checked.plan = plan;
  assign checked.code = check_code;

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

  // Issue.
  tensor_pkg::code_e code;
  logic match, swap, cells_free, weights_ready, load_free, move_free, window_free;
  logic rejected, otherwise_free, issue, start;
  logic [15:0] interval;
  logic [31:0] work;
  logic start_load_a, start_load_x, start_move_a, start_move_x, start_transpose;
  logic [tensor_pkg::SlotW-1:0] slot_q;

  // A missing stationary takes precedence over the codes of addresses.
  assign code     = (head.plan.is_move && !match &&
                     (head.code == tensor_pkg::CodeOk || head.code > tensor_pkg::CodeNoStationary))
                  ? tensor_pkg::CodeNoStationary : head.code;
  assign rejected = code != tensor_pkg::CodeOk;

  // A rejected command does not wait.
  assign otherwise_free = head.plan.is_move      ? cells_free && move_free && window_free :
                          head.plan.is_transpose ? load_free && window_free : load_free;
  assign issue = head_valid && (rejected || (otherwise_free &&
                                             (weights_ready || !head.plan.is_move)));
  assign start = issue && !rejected;
  assign weight_stall_o = head_valid && !rejected && head.plan.is_move && otherwise_free &&
                          !weights_ready;

  assign start_load_a    = start && !head.plan.is_move && !head.plan.mx;  // Transpose included
  assign start_load_x    = start && !head.plan.is_move && head.plan.mx;
  assign start_move_a    = start && head.plan.is_move && !head.plan.mx;
  assign start_move_x    = start && head.plan.is_move && head.plan.mx;
  assign start_transpose = start && head.plan.is_transpose;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      slot_q <= '0;
    end else if (issue) begin
      slot_q <= (32'(slot_q) == CommandDepth - 1) ? '0 : slot_q + 1'b1;
    end
  end

  tensor_records u_records (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .valid_i(head_valid),
    .cmd_i  (head.cmd),
    .plan_i (head.plan),
    .match_o(match),
    .swap_o (swap),
    .start_i(start)
  );

  tensor_ramp #(
    .Rows(Rows), .Cols(Cols)
  ) u_ramp (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .window_i  (ramp_cycles_i),
    .columns_i (head.plan.columns),
    .work_i    (work),
    .start_i   (issue_o.move),
    .interval_o(interval)
  );

  tensor_cells #(
    .MinInterval(MinInterval)
  ) u_cells (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .plan_i    (head.plan),
    .interval_i(interval),
    .free_o    (cells_free),
    .ready_o   (weights_ready),
    .start_i   (start)
  );

  tensor_paths #(
    .Rows(Rows), .Stages(Stages)
  ) u_paths (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .plan_i     (head.plan),
    .load_free_o(load_free),
    .move_free_o(move_free),
    .start_i    (start)
  );

  tensor_windows #(
    .PsumBanks(PsumBanks)
  ) u_windows (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .valid_i(head_valid),
    .cmd_i  (head.cmd),
    .plan_i (head.plan),
    .free_o (window_free),
    .start_i(dest_valid_o)
  );

  // Waves.
  tensor_load_seq u_load_seq (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .start_i(start_load_a),
    .cmd_i  (head.cmd),
    .plan_i (head.plan),
    .slot_i (slot_q),
    .load_o (load_o),
    .tag_o  (tag_o)
  );

  tensor_drain_seq u_drain_seq (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .start_i(start_transpose),
    .cmd_i  (head.cmd),
    .plan_i (head.plan),
    .slot_i (slot_q),
    .drain_o(drain_o)
  );

  tensor_moves #(
    .Rows(Rows), .Stages(Stages), .CommandDepth(CommandDepth)
  ) u_moves (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .start_i(start_move_a),
    .cmd_i  (head.cmd),
    .plan_i (head.plan),
    .slot_i (slot_q),
    .swap_i (swap),
    .move_o (move_o),
    .plane_o(plane_o)
  );

  tensor_mx_load_seq u_mx_load_seq (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .start_i(start_load_x),
    .cmd_i  (head.cmd),
    .plan_i (head.plan),
    .slot_i (slot_q),
    .load_o (mx_load_o)
  );

  tensor_mx_moves #(
    .Rows(Rows), .Stages(Stages), .CommandDepth(CommandDepth)
  ) u_mx_moves (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .start_i(start_move_x),
    .cmd_i  (head.cmd),
    .plan_i (head.plan),
    .slot_i (slot_q),
    .swap_i (swap),
    .move_o (mx_move_o)
  );

  // Notifications to the retire unit, to PSUM and to the counters.
  assign flight_valid_o       = issue;
  assign flight_slot_o        = slot_q;
  assign flight_status_o.tag  = head.cmd.tag;
  assign flight_status_o.code = code;

  assign dest_valid_o = start && (head.plan.is_move || head.plan.is_transpose);
  assign dest_slot_o  = slot_q;

  always_comb begin
    work    = '0;
    dest_o  = '0;
    issue_o = '0;
    if (issue) begin
      issue_o.load  = start && !head.plan.is_move;
      issue_o.move  = start && head.plan.is_move;
      issue_o.error = rejected;
    end
    if (dest_valid_o) begin
      dest_o.tag        = head.cmd.tag;
      dest_o.first      = head.plan.is_transpose ? 8'd0 : head.cmd.col_start;
      dest_o.lanes      = head.cmd.cols;
      dest_o.bank       = head.cmd.psum_bank;
      dest_o.column     = head.cmd.psum_column;
      dest_o.count      = head.plan.columns;
      dest_o.accumulate = head.cmd.accumulate;
      dest_o.half       = head.plan.half;
      dest_o.raw        = head.plan.is_transpose;
      dest_o.stochastic = head.cmd.stochastic;
      dest_o.quad       = head.plan.quad;
    end
    if (issue_o.move) begin
      work            = 32'(head.plan.columns) * 32'(head.cmd.rows) * 32'(head.cmd.cols);
      issue_o.columns = head.plan.columns;
      // Array X: four elements of a partition, two in double row.
      issue_o.macs    = work << (!head.plan.mx ? 2'd0 : head.plan.double_row ? 2'd1 : 2'd2);
    end
  end

  `TERN_ASSERT_INIT(ArrayFits, Rows <= 128 && Cols <= 128 && Rows % 32 == 0 && Cols % 16 == 0)
  `TERN_ASSERT_INIT(IntervalFits, MinInterval >= 1 && MinInterval <= 32768)
  `TERN_ASSERT_INIT(StagesKnown, Stages == 1 || Stages == 3 || Stages == 5)
  // Scales of quad mode wait for the last block: tensor_mx_quad_slot.
  `TERN_ASSERT_INIT(ScalesWait, Stages == 1 || MinInterval > 3 * Stages)
  `TERN_ASSERT_INIT(ColumnsFit, BankColumns <= 32768 && PsumBanks <= 64 && MaxMoving <= 16384)
  `TERN_ASSERT_INIT(SlotsFit, CommandDepth >= 2 && CommandDepth <= 16)
  `TERN_ASSERT(RetireOnlyAccepted, !retire_i || busy_o)

`ifdef FORMAL
`include "tensor_ctrl_properties.svh"
`endif

`ifdef TERN_COVER_POINTS
`include "tensor_cover.svh"
`endif
endmodule
