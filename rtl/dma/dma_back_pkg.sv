// SPDX-License-Identifier: Apache-2.0
// Types that the parts of the data path exchange (README.md).
package dma_back_pkg;
  // Widths that follow from dma_spec_pkg: Yosys reads no package from another one, so dma_back
  // asserts them. SeqW numbers the packets between dispatch and mover, TargetPackets + TargetPieces
  // at most. The CRC looks at a number up to MoverStages cycles later.
  localparam int unsigned PieceBytesW = 11;
  localparam int unsigned PieceLinesW = 5;
  localparam int unsigned SeqW        = 5;

  // A piece of a source, in the order in which the mover takes them.
  typedef struct packed {
    logic [SeqW-1:0]        seq;         // Its packet: counted from dispatch
    logic [PieceBytesW-1:0] bytes;
    logic                   run_first;   // Its first beat pays for a change of buffer
    logic                   pass_first;  // Of the first source of an operation
    logic                   pass_last;   // Of the last one
    logic                   packet_last; // The packet's last piece
    logic [6:0]             pair;
    logic [31:0]            scale;
    logic [63:0]            address;
  } source_piece_t;

  // A piece of a destination.
  typedef struct packed {
    logic [PieceBytesW-1:0] bytes;
    logic                   run_first;
    logic                   row_first;   // Transpose: the row's first piece
    logic                   row_last;    // Transpose: the row's last piece
    logic                   packet_last;
    logic [1:0]             write_op;
    logic [6:0]             pair;
    logic [31:0]            value;       // Operation immediate
    logic [63:0]            address;
  } target_piece_t;

  // A write that begins: taken by dma_writes.
  typedef struct packed {
    logic [5:0]             entry;
    logic [6:0]             pair;
    logic [PieceLinesW-1:0] lines;
    logic [63:0]            address;
  } write_t;

  // A beat in the mover, without its data.
  typedef struct packed {
    logic        valid;
    logic        copy;        // Bytes of the read buffer, shifted
    logic        lanes;       // An operation
    logic        fill;        // Transpose: a row of the source enters the buffer
    logic        leave;       // Transpose: a row of the destination leaves it
    logic        write;       // Beat for the write port
    logic        last;        // Last beat of its request
    logic        immediate;   // No beat: its request waits in dma_writes
    logic        packet_last;
    logic        crc;         // The packet requests its CRC
    logic        crc_first;   // First beat of the packet
    logic        dead;
    logic [4:0]  seq;
    logic [6:0]  bytes;       // Of the beat
    logic [5:0]  shift;       // Byte of the line with which it begins; transpose: of the row
    logic        half;        // Transpose: half that is filled; the other one leaves
    logic [4:0]  row;         // Transpose: row; operations: 16 elements of the block
    logic [3:0]  op;
    logic [3:0]  src_dtype;
    logic [3:0]  dst_dtype;
    logic        pass_first;
    logic [31:0] scale;
  } beat_t;

  function automatic logic is_operation(input logic [3:0] op);
    is_operation = op >= dma_spec_pkg::OpCast && op <= dma_spec_pkg::OpFma;
  endfunction
endpackage
