// SPDX-License-Identifier: Apache-2.0
// A tensor engine of Rows x Cols cells with an exponential lane and a DMA ring behind a UART.
module fpga_top #(
  parameter int unsigned Rows         = 2,      // Even
  parameter int unsigned Cols         = 1,      // A power of two
  parameter int unsigned MemWords     = 16384,  // Of 32 bits
  parameter int unsigned SbufWords    = 16384,  // Of 32 bits
  parameter int unsigned PsumWords    = 512,    // Of 32 bits, of every column
  parameter int unsigned ClocksPerBit = fpga_pkg::ClocksPerBit
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic rx_i,
  output logic tx_o,
  output logic busy_o  // A descriptor is in work
);
  // Link.
  logic       rx_valid, frame_valid, frame, good, host_busy, reading;
  logic [7:0] rx_data, frame_data, buffer_data;
  logic [9:0] frame_address, frame_bytes, buffer_address;
  logic       reply_valid, reply_ready, reply_last, reply_idle, tx_valid, tx_ready;
  logic [7:0] reply_data, tx_data;

  fpga_uart_rx #(.ClocksPerBit(ClocksPerBit)) u_uart_rx (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .rx_i    (rx_i),
    .valid_o (rx_valid),
    .data_o  (rx_data)
  );

  fpga_frame_rx u_frame_rx (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .valid_i   (rx_valid),
    .data_i    (rx_data),
    .busy_i    (reading),
    .write_o   (frame_valid),
    .address_o (frame_address),
    .data_o    (frame_data),
    .frame_o   (frame),
    .good_o    (good),
    .bytes_o   (frame_bytes)
  );
  assign reading = host_busy || !reply_idle;

  fpga_ram2 #(.Words(1024), .Width(8)) u_buffer (
    .clk_i   (clk_i),
    .write_i (frame_valid),
    .to_i    (frame_address),
    .data_i  (frame_data),
    .read_i  (1'b1),
    .from_i  (buffer_address),
    .data_o  (buffer_data)
  );

  fpga_pkg::access_t host_mem, ring_mem, mover_mem, mem;
  logic [31:0]       mem_data;
  logic              grant, doorbell, ring_reset;
  logic [15:0]       tail;

  fpga_host #(.MemWords(MemWords), .SbufWords(SbufWords), .PsumWords(PsumWords), .Rows(Rows),
              .Cols(Cols)) u_host (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .frame_i    (frame),
    .good_i     (good),
    .bytes_i    (frame_bytes),
    .busy_o     (host_busy),
    .address_o  (buffer_address),
    .data_i     (buffer_data),
    .valid_o    (reply_valid),
    .ready_i    (reply_ready),
    .last_o     (reply_last),
    .data_o     (reply_data),
    .mem_o      (host_mem),
    .mem_i      (mem_data),
    .doorbell_o (doorbell),
    .reset_o    (ring_reset),
    .tail_o     (tail)
  );

  fpga_frame_tx u_frame_tx (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .valid_i (reply_valid),
    .ready_o (reply_ready),
    .last_i  (reply_last),
    .data_i  (reply_data),
    .idle_o  (reply_idle),
    .valid_o (tx_valid),
    .ready_i (tx_ready),
    .data_o  (tx_data)
  );

  fpga_uart_tx #(.ClocksPerBit(ClocksPerBit)) u_uart_tx (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .valid_i (tx_valid),
    .ready_o (tx_ready),
    .data_i  (tx_data),
    .tx_o    (tx_o)
  );

  // Memory: the host comes first, a few cycles of each byte of the link. The ring and its mover are
  // never at work at the same time.
  assign grant = !host_mem.valid;
  assign mem   = host_mem.valid ? host_mem : mover_mem.valid ? mover_mem : ring_mem;

  fpga_ram #(.Words(MemWords)) u_mem (
    .clk_i     (clk_i),
    .en_i      (mem.valid),
    .write_i   (mem.write),
    .address_i (mem.address[$clog2(MemWords)-1:0]),
    .data_i    (mem.data),
    .data_o    (mem_data)
  );

  // Ring and units: one is at work at a time.
  fpga_pkg::descriptor_t descriptor;
  logic start_move, start_multiply, start_vector, move_busy, multiply_busy, vector_busy;

  fpga_ring #(.MemWords(MemWords), .SbufWords(SbufWords), .PsumWords(PsumWords),
              .Cols(Cols)) u_ring (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .doorbell_i   (doorbell),
    .tail_i       (tail),
    .reset_i      (ring_reset),
    .mem_o        (ring_mem),
    .grant_i      (grant),
    .mem_i        (mem_data),
    .descriptor_o (descriptor),
    .move_o       (start_move),
    .multiply_o   (start_multiply),
    .vector_o     (start_vector),
    .busy_i       (busy_o)
  );
  assign busy_o = move_busy || multiply_busy || vector_busy;

  fpga_pkg::access_t mover_sbuf, mover_psum, vector_psum;
  logic [31:0]       psum_word;

  fpga_mover u_mover (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .start_i      (start_move),
    .descriptor_i (descriptor),
    .busy_o       (move_busy),
    .mem_o        (mover_mem),
    .grant_i      (grant),
    .mem_i        (mem_data),
    .sbuf_o       (mover_sbuf),
    .psum_o       (mover_psum),
    .psum_i       (psum_word)
  );

  // SBUF: 32 bits are the elements of two rows; a word of the array is at the same address in all of
  // its parts.
  localparam int unsigned Parts     = Rows / 2;
  localparam int unsigned PartWords = SbufWords / Parts;
  localparam int unsigned PartBits  = $clog2(Parts);
  localparam int unsigned SbufBits  = $clog2(PartWords);
  logic                sequencer_sbuf;
  logic         [15:0] sequencer_address, part_address;
  logic  [Rows*16-1:0] sbuf_word;

  assign part_address = sequencer_sbuf ? sequencer_address : mover_sbuf.address >> PartBits;
  for (genvar i = 0; i < Parts; i++) begin : g_sbuf
    fpga_ram #(.Words(PartWords)) u_ram (
      .clk_i     (clk_i),
      .en_i      (sequencer_sbuf || (mover_sbuf.valid
                  && (mover_sbuf.address & 16'(Parts - 1)) == 16'(i))),
      .write_i   (!sequencer_sbuf),
      .address_i (part_address[SbufBits-1:0]),
      .data_i    (mover_sbuf.data),
      .data_o    (sbuf_word[32*i+:32])
    );
  end

  // PSUM: word n * Cols + c is column n of lane c.
  localparam int unsigned ColBits  = $clog2(Cols);
  localparam int unsigned PsumBits = $clog2(PsumWords);
  logic               psum_read, psum_write;
  logic        [15:0] psum_from, psum_to, word_at;
  logic [Cols*32-1:0] psum_words, sums;
  logic    [Cols-1:0] bank_q;
  logic        [31:0] first_sum;
  fpga_pkg::access_t  psum;

  assign psum    = mover_psum.valid ? mover_psum : vector_psum;
  assign word_at = psum.address >> ColBits;
  for (genvar c = 0; c < Cols; c++) begin : g_psum
    logic mine;
    assign mine = psum.valid && (psum.address & 16'(Cols - 1)) == 16'(c);
    fpga_ram2 #(.Words(PsumWords)) u_ram (
      .clk_i   (clk_i),
      .write_i (psum_write || (mine && psum.write)),
      .to_i    (psum_write ? psum_to[PsumBits-1:0] : word_at[PsumBits-1:0]),
      .data_i  (psum_write ? sums[32*c+:32] : psum.data),
      .read_i  (psum_read || (mine && !psum.write)),
      .from_i  (psum_read ? psum_from[PsumBits-1:0] : word_at[PsumBits-1:0]),
      .data_o  (psum_words[32*c+:32])
    );
    always_ff @(posedge clk_i) if (psum.valid && !psum.write) bank_q[c] <= mine;
  end
  always_comb begin
    psum_word = '0;
    for (int unsigned c = 0; c < Cols; c++) begin
      psum_word = psum_word | (psum_words[32*c+:32] & {32{bank_q[c] || Cols == 1}});
    end
  end

  // Array, sequencer, vector lane.
  logic [Cols-1:0]    load;
  logic               zero, add;
  logic [31:0]        add_b;
  logic [Cols*32-1:0] addends;

  always_comb begin
    addends = zero ? '0 : psum_words;
    if (add) addends[31:0] = psum_word;
  end

  fpga_sequencer #(.Rows(Rows), .Cols(Cols)) u_sequencer (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .start_i        (start_multiply),
    .descriptor_i   (descriptor),
    .busy_o         (multiply_busy),
    .sbuf_valid_o   (sequencer_sbuf),
    .sbuf_address_o (sequencer_address),
    .psum_read_o    (psum_read),
    .psum_from_o    (psum_from),
    .psum_write_o   (psum_write),
    .psum_to_o      (psum_to),
    .load_o         (load),
    .zero_o         (zero)
  );

  fpga_array #(.Rows(Rows), .Cols(Cols)) u_array (
    .clk_i   (clk_i),
    .load_i  (load),
    .word_i  (sbuf_word),
    .c_i     (addends),
    .add_i   (add),
    .b_i     (add_b),
    .first_o (first_sum),
    .sum_o   (sums)
  );

  fpga_vector u_vector (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .start_i      (start_vector),
    .descriptor_i (descriptor),
    .busy_o       (vector_busy),
    .psum_o       (vector_psum),
    .psum_i       (psum_word),
    .add_o        (add),
    .b_o          (add_b),
    .sum_i        (first_sum)
  );
endmodule
