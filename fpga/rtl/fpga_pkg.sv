// SPDX-License-Identifier: Apache-2.0
// Generated from docs/spec/fpga.yaml by tern_spec_gen: do not edit.
// Codes of the link and of the descriptors: fpga/README.md.
package fpga_pkg;

  localparam int unsigned MaxWords = 240;  // of a write or read
  localparam int unsigned RingEntries = 64;  // of four words each, at address 0 of the memory
  localparam int unsigned ClocksPerBit = 3;  // of the UART
  localparam int unsigned MaxBytes = 5 + 4 * MaxWords + 4;  // Header, data, CRC

  localparam logic [7:0] Version = 8'd1;  // of link and descriptors
  localparam logic [7:0] End = 8'd192;  // between frames
  localparam logic [7:0] Esc = 8'd219;  // the next byte stands for another
  localparam logic [7:0] EscEnd = 8'd220;  // after esc: end
  localparam logic [7:0] EscEsc = 8'd221;  // after esc: esc
  localparam logic [7:0] Answer = 8'd128;  // bit of an answer's code
  localparam logic [7:0] Nak = 8'd255;  // code of a refusal

  // Requests
  localparam logic [7:0] ReqInfo = 8'd1;
  localparam logic [7:0] ReqWrite = 8'd2;
  localparam logic [7:0] ReqRead = 8'd3;
  localparam logic [7:0] ReqDoorbell = 8'd4;
  localparam logic [7:0] ReqReset = 8'd5;

  // Why a request is refused
  localparam logic [7:0] NakFrame = 8'd1;  // a frame with a wrong CRC, length or escape
  localparam logic [7:0] NakRequest = 8'd2;  // an unknown request
  localparam logic [7:0] NakRange = 8'd3;  // bytes that do not fit the count, or no such address

  // Operations of a descriptor
  localparam logic [7:0] OpToSbuf = 8'd1;  // memory to SBUF
  localparam logic [7:0] OpToPsum = 8'd2;  // memory to PSUM
  localparam logic [7:0] OpFromPsum = 8'd3;  // PSUM to memory
  localparam logic [7:0] OpMultiply = 8'd4;  // product
  localparam logic [7:0] OpAdd = 8'd5;  // sums
  localparam logic [7:0] OpExp = 8'd6;  // exponentials

  // Why the ring has stopped
  localparam logic [7:0] StopOp = 8'd1;  // unknown operation
  localparam logic [7:0] StopRange = 8'd2;  // address out of range

  // After the entries: {stop, 8 bits of 0, completed}
  localparam logic [15:0] RingStatus = 16'(4 * RingEntries);

  // Four words in the ring.
  typedef struct packed {
    logic [31:0] word3;
    logic [31:0] word2;
    logic [31:0] word1;
    logic [15:0] count;
    logic  [7:0] flags;
    logic  [7:0] op;
  } descriptor_t;

  // One port of a memory; the answer of a read is there in the next cycle.
  typedef struct packed {
    logic        valid;
    logic        write;
    logic [15:0] address;
    logic [31:0] data;
  } access_t;

endpackage
