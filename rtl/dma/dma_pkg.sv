// SPDX-License-Identifier: Apache-2.0
// What the parts of the DMA engine hand to each other (README.md). Its sizes: dma_spec_pkg.
package dma_pkg;
  // Answers of memory.
  localparam logic [1:0] AnswerGood          = 2'd0;
  localparam logic [1:0] AnswerBadAddress    = 2'd1;
  localparam logic [1:0] AnswerUncorrectable = 2'd2;

  // Reasons to stop a ring, in the order that counts when two come in one cycle: the last first.
  localparam int unsigned StopFetch  = 0;  // descriptors could not be read
  localparam int unsigned StopStray  = 1;  // an answer to no request
  localparam int unsigned StopWrite  = 2;  // a write was answered with an error
  localparam int unsigned StopPacket = 3;  // the scan found a fault in a packet whose turn it is
  localparam int unsigned StopCrc    = 4;
  localparam int unsigned StopRead   = 5;
  localparam int unsigned Stops      = 6;

  // The packet of a ring that the scan is in. Products saturate at LongPair.
  localparam logic [16:0] LongPair = 17'h1_0001;
  typedef struct packed {
    logic        open;          // else the rest means nothing
    logic        more;          // a pair that is no slot follows the first
    logic        first_slot;    // the next slot is the first of its pair
    logic [6:0]  pairs;         // so far, slots included
    logic [1:0]  slots;         // pattern slots still to come
    logic [3:0]  op;
    logic [1:0]  src_dtype;
    logic [1:0]  dst_dtype;
    logic [1:0]  crc;
    logic [31:0] crc_expected;
    logic [16:0] first_length;  // of the first TX
    logic [16:0] pair_tx;       // bytes of the pair whose slots are read
    logic [16:0] pair_rx;
    logic [16:0] blocks_tx;     // its counts without the first, multiplied
    logic [16:0] blocks_rx;
    logic [22:0] tx_bytes;      // of the packet
    logic [22:0] rx_bytes;
  } scan_t;

  // A packet that waits for the arbiter.
  typedef struct packed {
    logic [4:0]  fault;         // 0: a good packet
    logic [23:0] index;         // position in the ring: of the first pair; faulty: of the bad one
    logic [6:0]  pairs;
    logic [22:0] bytes;         // of its destinations
    logic [3:0]  op;
    logic [1:0]  src_dtype;
    logic [1:0]  dst_dtype;
    logic [1:0]  crc;
    logic [31:0] crc_expected;
  } ready_t;
  localparam int unsigned ReadyBits = 101;

  // A packet on its way from the arbiter to dma_source and dma_target. Widths are those of the
  // full engine.
  typedef struct packed {
    logic [5:0]  entry;         // of the packet table
    logic [3:0]  ring;
    logic [6:0]  slot;          // of its first pair in the ring's prefetch buffer; the next: + 1,
                                // modulo PrefetchPairs
    logic [6:0]  pairs;         // 1 .. MaxPacketPairs, pattern slots included
    logic [3:0]  op;            // dma_spec_pkg::Op*
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
    logic [6:0]  pair;          // of the packet, 0 is its first
    logic [4:0]  fault;         // dma_spec_pkg::Fault*
    logic [63:0] address;
  } stop_t;

  // A burst that a port asks memory for; of writes, it stands with the last beat.
  typedef struct packed {
    logic [63:0] address;
    logic [10:0] bytes;
    logic [5:0]  tag;
    logic [1:0]  traffic_class;
    logic [1:0]  write_op;      // reads: 0
  } request_t;

  // A beat of an answer: `data` packed from the request's first byte, the error with the last
  // beat, the tag with every one.
  typedef struct packed {
    logic        valid;
    logic        last;
    logic [5:0]  tag;
    logic [1:0]  error;         // Answer*
  } answer_t;
endpackage
