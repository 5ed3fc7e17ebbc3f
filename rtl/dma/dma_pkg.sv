// SPDX-License-Identifier: Apache-2.0
// Generated from docs/spec/ports.yaml by tern_spec_gen: do not edit.
// Types that the parts of the DMA engine exchange (README.md). Its sizes: dma_spec_pkg.
package dma_pkg;
  // Products of the counts of a pattern saturate here.
  localparam logic [16:0] LongPair = 17'd65537;

  // Answers of memory.
  localparam logic [1:0] AnswerGood = 2'd0;
  localparam logic [1:0] AnswerBadAddress = 2'd1;
  localparam logic [1:0] AnswerUncorrectable = 2'd2;

  // Reasons to stop a ring. If several occur in one cycle, the last in this list is recorded.
  // Fetch: descriptors could not be read. Stray: an answer to no request. Write: a write was
  // answered with an error. Packet: the scan found a fault in a packet now at the head.
  localparam int unsigned StopFetch = 0;
  localparam int unsigned StopStray = 1;
  localparam int unsigned StopWrite = 2;
  localparam int unsigned StopPacket = 3;
  localparam int unsigned StopCrc = 4;
  localparam int unsigned StopRead = 5;
  localparam int unsigned Stops = 6;

  // The packet of each ring that the scan is reading.
  typedef struct packed {
    logic        open;          // Otherwise the rest is meaningless
    logic        more;          // A pair that is no slot follows the first
    logic        first_slot;    // The next slot is the first of its pair
    logic [6:0]  pairs;         // So far, slots included
    logic [1:0]  slots;         // Pattern slots still to come
    logic [3:0]  op;
    logic [1:0]  src_dtype;
    logic [1:0]  dst_dtype;
    logic [1:0]  crc;
    logic [31:0] crc_expected;
    logic [16:0] first_length;  // Of the first TX
    logic [16:0] pair_tx;       // Bytes of the pair whose slots are being read
    logic [16:0] pair_rx;
    logic [16:0] blocks_tx;     // Its counts without the first, multiplied
    logic [16:0] blocks_rx;
    logic [22:0] tx_bytes;      // Of the packet
    logic [22:0] rx_bytes;
  } scan_t;

  // A packet that waits for the arbiter.
  typedef struct packed {
    logic [4:0]  fault;         // 0: a good packet
    logic [23:0] index;         // Position in the ring: of the first pair; faulty: of the bad one
    logic [6:0]  pairs;
    logic [22:0] bytes;         // Of its destinations
    logic [3:0]  op;
    logic [1:0]  src_dtype;
    logic [1:0]  dst_dtype;
    logic [1:0]  crc;
    logic [31:0] crc_expected;
  } ready_t;
  localparam int unsigned ReadyBits = 101;

  // A packet in transit from the arbiter to dma_source and dma_target. Widths are those of the full
  // engine.
  typedef struct packed {
    logic [5:0]  entry;          // Of the packet table
    logic [3:0]  ring;
    logic [6:0]  slot;           // Of its first pair in the prefetch buffer; they wrap around
    logic [6:0]  pairs;          // 1 .. MaxPacketPairs, pattern slots included
    logic [3:0]  op;             // dma_spec_pkg::Op*
    logic [3:0]  src_dtype;
    logic [3:0]  dst_dtype;
    logic [1:0]  crc;
    logic [31:0] crc_expected;
    logic [1:0]  traffic_class;
  } packet_t;

  // A request to stop the ring of a packet. Ignored when the packet is dead.
  typedef struct packed {
    logic        valid;
    logic [5:0]  entry;
    logic [6:0]  pair;     // Of the packet, 0 is its first
    logic [4:0]  fault;    // dma_spec_pkg::Fault*
    logic [63:0] address;
  } stop_t;

  // A burst that a port requests from memory; a write request is valid with its last beat.
  typedef struct packed {
    logic [63:0] address;
    logic [10:0] bytes;
    logic [5:0]  tag;
    logic [1:0]  traffic_class;
    logic [1:0]  write_op;       // Reads: 0
  } request_t;

  // A beat of an answer: `data` packed from the request's first byte, the error with the last beat,
  // the tag with every one.
  typedef struct packed {
    logic       valid;
    logic       last;
    logic [5:0] tag;
    logic [1:0] error;  // Answer*
  } answer_t;

endpackage
