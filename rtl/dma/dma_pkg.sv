// SPDX-License-Identifier: Apache-2.0
// Sizes of the DMA engine and types that its parts exchange (README.md).
package dma_pkg;
  localparam int unsigned BeatBits    = 512;
  localparam int unsigned BeatBytes   = BeatBits / 8;
  localparam int unsigned BurstBytes  = 1024;  // A request never crosses a multiple of it
  localparam int unsigned FetchPairs  = 64;    // Maximum pairs of one fetch
  localparam int unsigned MaxPacketPairs = 64; // Of a packet, pattern slots included
  localparam int unsigned PairBytes   = 65536;
  localparam int unsigned Sources     = 16;    // Of an operation
  localparam int unsigned BlockSize   = 256;   // Elements of a block of an operation
  localparam int unsigned MoverStages = 4;
  localparam int unsigned BeatPairs   = 4;     // Descriptors of a list in a beat

  // Answers of memory.
  localparam logic [1:0] AnswerGood          = 2'd0;
  localparam logic [1:0] AnswerBadAddress    = 2'd1;
  localparam logic [1:0] AnswerUncorrectable = 2'd2;

  // Reasons to stop a ring. If several occur in one cycle, the last in this list is recorded.
  localparam int unsigned StopFetch  = 0;  // Descriptors could not be read
  localparam int unsigned StopStray  = 1;  // An answer to no request
  localparam int unsigned StopWrite  = 2;  // A write was answered with an error
  localparam int unsigned StopPacket = 3;  // The scan found a fault in a packet now at the head
  localparam int unsigned StopCrc    = 4;
  localparam int unsigned StopRead   = 5;
  localparam int unsigned Stops      = 6;

  // The packet of each ring that the scan is reading. Products saturate at LongPair.
  localparam logic [16:0] LongPair = 17'h1_0001;
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

  // A packet in transit from the arbiter to dma_source and dma_target. Widths are those of the
  // full engine.
  typedef struct packed {
    logic [5:0]  entry;         // Of the packet table
    logic [3:0]  ring;
    logic [6:0]  slot;          // Of its first pair in the ring's prefetch buffer; the next: + 1,
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
    logic [6:0]  pair;          // Of the packet, 0 is its first
    logic [4:0]  fault;         // dma_spec_pkg::Fault*
    logic [63:0] address;
  } stop_t;

  // A burst that a port requests from memory; a write request is valid with its last beat.
  typedef struct packed {
    logic [63:0] address;
    logic [10:0] bytes;
    logic [5:0]  tag;
    logic [1:0]  traffic_class;
    logic [1:0]  write_op;      // Reads: 0
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
