// SPDX-License-Identifier: Apache-2.0
// PSUM: banks next to the array's bottom edge, with a two-stage read-modify-write. Stage 1 looks up
// where a column goes and reads its old words, stage 2 adds (or replaces), rounds and writes. Four
// ports have adders, the fifth (index 4) writes transposes unchanged. A bank is split by column
// groups, so that tiles on different groups use it side by side. The other engines' port shares the
// stages; it waits when the array uses the same bank in stage 1.
`include "tern_assert.svh"
`include "tern_trace.svh"

module tensor_psum #(
  parameter int unsigned Cols         = 128,
  parameter int unsigned PsumBanks    = 8,
  parameter int unsigned BankColumns  = 512,
  parameter int unsigned CommandDepth = 16
) (
  input  logic                                     clk_i,
  input  logic                                     rst_ni,
  // Destination of a command, when it issues
  input  logic                                     dest_valid_i,
  input  logic             [tensor_pkg::SlotW-1:0] dest_slot_i,
  input  tensor_pkg::dest_t                        dest_i,
  // The arrays' results, [port][column group]: valid and slot one cycle ahead of the sums
  input  logic                          [3:0][3:0] port_valid_i,
  input  logic   [3:0][3:0][tensor_pkg::SlotW-1:0] port_slot_i,
  `TERN_LANES
  input  logic                     [4*Cols*32-1:0] sum_i,
  `TERN_LANES_END
  // Transposes, likewise
  input  logic                                     raw_valid_i,
  input  logic             [tensor_pkg::SlotW-1:0] raw_slot_i,
  `TERN_LANES
  input  logic                       [Cols*32-1:0] raw_i,
  `TERN_LANES_END
  output logic                  [CommandDepth-1:0] done_o,  // By slot, one cycle after its last
  // Observation of the array's writes, at a tile's first column group
  output logic                          [4:0][3:0] retire_valid_o,
  output logic [4:0][3:0][tensor_pkg::RetireW-1:0] retire_o,  // retire_t
  `TERN_LANES
  output logic                     [5*Cols*32-1:0] retire_data_o,
  `TERN_LANES_END
  // Port of the other engines
  input  logic                                     access_valid_i,
  output logic                                     access_ready_o,
  input  tensor_pkg::access_t                      access_i,
  `TERN_LANES
  input  logic                       [Cols*32-1:0] access_wdata_i,
  `TERN_LANES_END
  output logic                                     access_rvalid_o,
  `TERN_LANES
  output logic                       [Cols*32-1:0] access_rdata_o
  `TERN_LANES_END
);
  localparam int unsigned ColumnW  = $clog2(BankColumns);
  localparam int unsigned Lanes    = Cols / 4;       // Of a column group
  localparam int unsigned Memories = PsumBanks * 4;  // [bank][column group]
  localparam int unsigned GroupW   = Lanes * 32;
  typedef logic [Cols*32-1:0] row_t;

  `TERN_ASSERT_INIT(ColsInGroups, Cols % 4 == 0 && Cols <= 128)
  `TERN_ASSERT_INIT(BankColumnsPowerOfTwo, BankColumns == (1 << ColumnW) && BankColumns > 1)

  // Stage 1: where the columns go.
  logic                [4:0][3:0]                        valid;
  logic                [4:0][3:0][tensor_pkg::SlotW-1:0] slot;
  logic                [4:0][3:0] lead, accumulate, stochastic, half, upper;
  logic                [4:0][3:0][6:0]         bank;
  logic                [4:0][3:0][ColumnW-1:0] word;
  logic                [4:0][3:0][7:0]         stop;  // First lane after the tile's
  logic   [4:0][3:0][tensor_pkg::RetireW-1:0]  column;
  logic                [7:0]                   draw_first, draw_lanes;
  logic [CommandDepth-1:0]                     last;

  assign valid = {{4{raw_valid_i}}, port_valid_i};
  assign slot  = {{4{raw_slot_i}}, port_slot_i};

  tensor_psum_table #(
    .PsumBanks(PsumBanks), .BankColumns(BankColumns), .CommandDepth(CommandDepth)
  ) u_table (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .dest_valid_i(dest_valid_i),
    .dest_slot_i (dest_slot_i),
    .dest_i      (dest_i),
    .valid_i     (valid),
    .slot_i      (slot),
    .lead_o      (lead),
    .accumulate_o(accumulate),
    .stochastic_o(stochastic),
    .half_o      (half),
    .upper_o     (upper),
    .bank_o      (bank),
    .word_o      (word),
    .end_o       (stop),
    .column_o    (column),
    .draw_first_o(draw_first),
    .draw_lanes_o(draw_lanes),
    .last_o      (last)
  );

  // Stage 2.
  logic                [4:0][3:0] valid_q, lead_q, accumulate_q, stochastic_q, half_q, upper_q;
  logic                [4:0][3:0][6:0]         bank_q;
  logic                [4:0][3:0][ColumnW-1:0] word_q;
  logic                [4:0][3:0][7:0]         stop_q;
  logic   [4:0][3:0][tensor_pkg::RetireW-1:0]  column_q;
  logic                [7:0]      draw_first_q, draw_lanes_q;
  logic        [CommandDepth-1:0] last_q, done_q;
  logic                           access_accept, access_valid_q;
  tensor_pkg::access_t            access_q;
  `TERN_LANES
  row_t                           access_wdata_q;
  `TERN_LANES_END

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q        <= '0;
      lead_q         <= '0;
      accumulate_q   <= '0;
      stochastic_q   <= '0;
      half_q         <= '0;
      upper_q        <= '0;
      bank_q         <= '0;
      word_q         <= '0;
      stop_q         <= '0;
      draw_first_q   <= '0;
      draw_lanes_q   <= '0;
      column_q       <= '0;
      last_q         <= '0;
      done_q         <= '0;
      access_valid_q <= 1'b0;
      access_q       <= '0;
    end else begin
      valid_q        <= valid;
      lead_q         <= lead;
      accumulate_q   <= accumulate;
      stochastic_q   <= stochastic;
      half_q         <= half;
      upper_q        <= upper;
      bank_q         <= bank;
      word_q         <= word;
      stop_q         <= stop;
      draw_first_q   <= draw_first;
      draw_lanes_q   <= draw_lanes;
      column_q       <= column;
      last_q         <= last;
      done_q         <= last_q;
      access_valid_q <= access_accept;
      if (access_accept) access_q <= access_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (access_accept && access_i.write) access_wdata_q <= access_wdata_i;
  end

  // Conflicts of the access port with the array: by banks in stage 1, and with random draws in
  // stage 2, where the generators' state changes.
  logic to_random, bank_taken, access_bank, access_random, access_write;
  logic random_q;

  always_comb begin
    bank_taken = 1'b0;
    for (int unsigned p = 0; p < 5; p++) begin
      for (int unsigned j = 0; j < 4; j++) begin
        if (valid[p][j] && bank[p][j] == access_i.bank) bank_taken = 1'b1;
      end
    end
  end

  assign to_random      = 32'(access_i.bank) == PsumBanks;
  assign access_ready_o = to_random ? stochastic_q == '0 : !bank_taken;
  assign access_accept  = access_valid_i && access_ready_o;
  assign access_bank    = access_accept && !to_random;
  assign access_random  = access_accept && to_random;
  assign random_q       = 32'(access_q.bank) == PsumBanks;
  assign access_write   = access_valid_q && access_q.write && !random_q;

  // The memories' ports: who reads in stage 1, who writes in stage 2.
  logic                             clash;  // A second reader or writer, for the assertion
  logic [Memories-1:0]              read, write;
  logic [Memories-1:0][ColumnW-1:0] read_column, write_column;
  logic [Memories-1:0]        [2:0] write_source;

  function automatic logic [31:0] memory(input logic [6:0] b, input logic [31:0] j);
    memory = 32'(b) * 4 + j;
  endfunction

  always_comb begin
    read         = '0;
    read_column  = '0;
    write        = '0;
    write_column = '0;
    write_source = '0;
    clash        = 1'b0;
    for (int unsigned j = 0; j < 4; j++) begin
      if (access_bank) begin
        read[memory(access_i.bank, j)]        = 1'b1;
        read_column[memory(access_i.bank, j)] = access_i.column[ColumnW-1:0];
      end
      if (access_write) begin
        write[memory(access_q.bank, j)]        = 1'b1;
        write_column[memory(access_q.bank, j)] = access_q.column[ColumnW-1:0];
        write_source[memory(access_q.bank, j)] = 3'd5;
      end
    end
    for (int unsigned p = 0; p < 5; p++) begin
      for (int unsigned j = 0; j < 4; j++) begin
        if (valid[p][j]) begin
          clash = clash || read[memory(bank[p][j], j)];
          read[memory(bank[p][j], j)]        = 1'b1;
          read_column[memory(bank[p][j], j)] = word[p][j];
        end
        if (valid_q[p][j]) begin
          clash = clash || write[memory(bank_q[p][j], j)];
          write[memory(bank_q[p][j], j)]        = 1'b1;
          write_column[memory(bank_q[p][j], j)] = word_q[p][j];
          write_source[memory(bank_q[p][j], j)] = p[2:0];
        end
      end
    end
  end

  // Arrays rather than long vectors: the simulator copies a vector as a whole when a slice changes.
  // Yosys requires assignments, not ports, as their drivers.
  `TERN_LANES
  logic [GroupW-1:0] bank_data [Memories];
  row_t              rows      [8];  // By writer: five ports, the access port; then none
  `TERN_LANES_END

  for (genvar k = 0; k < Memories; k++) begin : gen_memory
    `TERN_LANES
    logic [GroupW-1:0] read_data, write_data;
    `TERN_LANES_END

    always_comb begin
      write_data = '0;
      if (write[k]) write_data = rows[write_source[k]][k%4*GroupW+:GroupW];
    end

    // One bank and column group: a word per column, all lanes of the group packed.
    tern_sram #(
      .Width(GroupW), .Depth(BankColumns)
    ) u_bank (
      .clk_i          (clk_i),
      .read_i         (read[k]),
      .read_address_i (read_column[k]),
      .read_data_o    (read_data),
      .write_i        (write[k]),
      .write_address_i(write_column[k]),
      .write_data_i   (write_data)
    );

    assign bank_data[k] = read_data;
  end

  // Random numbers: only one command draws at a time.
  logic [3:0] step;
  `TERN_LANES
  logic [4*Cols*32-1:0] draw;
  row_t                 random_rdata;
  `TERN_LANES_END

  always_comb begin
    for (int unsigned p = 0; p < 4; p++) step[p] = stochastic_q[p] != 4'd0;
  end

  tensor_psum_random #(
    .Cols(Cols)
  ) u_random (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .step_i        (step),
    .first_i       (draw_first_q),
    .lanes_i       (draw_lanes_q),
    .draw_o        (draw),
    .access_valid_i(access_random),
    .access_write_i(access_i.write),
    .access_word_i (access_i.column[2:0]),
    .access_start_i(access_i.start),
    .access_count_i(access_i.count),
    .access_wdata_i(access_wdata_i),
    .access_rdata_o(random_rdata)
  );

  // Stage 2 of the ports.
  for (genvar p = 0; p < 5; p++) begin : gen_port
    `TERN_LANES
    row_t old_row, value, row;
    `TERN_LANES_END

    always_comb begin
      old_row = '0;
      if (valid_q[p] != 4'd0) begin
        for (int unsigned j = 0; j < 4; j++) begin
          old_row[j*GroupW+:GroupW] = bank_data[memory(bank_q[p][j], j)];
        end
      end
    end

    if (p < 4) begin : gen_add
      tensor_psum_port #(
        .Cols(Cols)
      ) u_port (
        .valid_i     (valid_q[p]),
        .accumulate_i(accumulate_q[p]),
        .half_i      (half_q[p]),
        .upper_i     (upper_q[p]),
        .stochastic_i(stochastic_q[p]),
        .end_i       (stop_q[p]),
        .old_i       (old_row),
        .sum_i       (sum_i[p*Cols*32+:Cols*32]),
        .draw_i      (draw[p*Cols*32+:Cols*32]),
        .value_o     (value),
        .row_o       (row)
      );
    end else begin : gen_raw
      assign value = raw_i;

      tensor_psum_merge #(
        .Cols(Cols)
      ) u_merge (
        .en_i   (valid_q[p] != 4'd0),
        .half_i (half_q[p]),
        .upper_i(upper_q[p]),
        .end_i  (stop_q[p]),
        .old_i  (old_row),
        .value_i(value),
        .row_o  (row)
      );
    end

    always_comb begin
      retire_data_o[p*Cols*32+:Cols*32] = '0;
      if (valid_q[p] != 4'd0) retire_data_o[p*Cols*32+:Cols*32] = value;
    end

    assign rows[p] = row;
  end

  // Stage 2 of the access port.
  task automatic row_access(input row_t old_row, input row_t new_row, input logic [31:0] start,
                            input logic [31:0] count, output row_t y);
    // verilator no_inline_task
    logic [31:0] lane, old_word, new_word;
    for (int unsigned i = 0; i < Cols; i++) begin
      lane     = i - start;
      old_word = old_row[i*32+:32];
      new_word = new_row[i*32+:32];
      y[i*32+:32] = (lane < count) ? new_word : old_word;
    end
  endtask

  `TERN_LANES
  row_t access_old, access_new;
  `TERN_LANES_END

  always_comb begin
    access_old = '0;
    access_new = '0;
    if (access_valid_q && random_q) begin
      access_old = random_rdata;
    end else if (access_valid_q) begin
      for (int unsigned j = 0; j < 4; j++) begin
        access_old[j*GroupW+:GroupW] = bank_data[memory(access_q.bank, j)];
      end
    end
    if (access_write) begin
      row_access(access_old, access_wdata_q, 32'(access_q.start), 32'(access_q.count), access_new);
    end
  end

  assign rows[5] = access_new;
  assign rows[6] = '0;
  assign rows[7] = '0;

  assign done_o          = done_q;
  assign retire_valid_o  = lead_q;
  assign retire_o        = column_q;
  assign access_rvalid_o = access_valid_q && !access_q.write;
  assign access_rdata_o  = access_old;

  `TERN_ASSERT(OneReaderOneWriter, !clash)
  `TERN_ASSERT(RawPlain, accumulate_q[4] == 4'd0 && stochastic_q[4] == 4'd0)
  `TERN_ASSERT(AccessInside, !access_valid_i || 32'(access_i.bank) < PsumBanks ||
                             (to_random && access_i.column < 16'd6))

`ifdef FORMAL
`include "tensor_psum_properties.svh"
`endif
endmodule
