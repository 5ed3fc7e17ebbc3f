// SPDX-License-Identifier: Apache-2.0
// Codes of the link and of the descriptors: fpga/README.md.
package fpga_pkg;

  localparam logic [7:0] Version = 8'd1;

  // Bytes of the framing.
  localparam logic [7:0] End      = 8'hC0;
  localparam logic [7:0] Esc      = 8'hDB;
  localparam logic [7:0] EscEnd   = 8'hDC;
  localparam logic [7:0] EscEsc   = 8'hDD;
  localparam int unsigned MaxWords = 240;                 // Of a write or read
  localparam int unsigned MaxBytes = 5 + 4 * MaxWords + 4;  // Header, data, CRC

  // Requests. The answer has the same code with bit 7 set.
  localparam logic [7:0] ReqInfo     = 8'h01;
  localparam logic [7:0] ReqWrite    = 8'h02;
  localparam logic [7:0] ReqRead     = 8'h03;
  localparam logic [7:0] ReqDoorbell = 8'h04;
  localparam logic [7:0] ReqReset    = 8'h05;
  localparam logic [7:0] Nak         = 8'hFF;
  // Why a request is refused.
  localparam logic [7:0] NakFrame   = 8'd1;  // CRC, escape or length of the frame
  localparam logic [7:0] NakRequest = 8'd2;  // Unknown request
  localparam logic [7:0] NakRange   = 8'd3;  // Bytes that do not fit the count, or no such address

  // Descriptors: four words in the ring.
  localparam logic [7:0] OpToSbuf   = 8'd1;
  localparam logic [7:0] OpToPsum   = 8'd2;
  localparam logic [7:0] OpFromPsum = 8'd3;
  localparam logic [7:0] OpMultiply = 8'd4;
  localparam logic [7:0] OpAdd      = 8'd5;
  localparam logic [7:0] OpExp      = 8'd6;
  typedef struct packed {
    logic [31:0] word3;
    logic [31:0] word2;
    logic [31:0] word1;
    logic [15:0] count;
    logic  [7:0] flags;
    logic  [7:0] op;
  } descriptor_t;
  // Why the ring has stopped.
  localparam logic [7:0] StopOp    = 8'd1;
  localparam logic [7:0] StopRange = 8'd2;

  // The ring: entries at address 0 of the memory, after them the word {stop, 8 bits of 0, completed}.
  localparam int unsigned RingEntries = 64;
  localparam logic [15:0] RingStatus  = 16'(4 * RingEntries);

  // One port of a memory; the answer of a read is there in the next cycle.
  typedef struct packed {
    logic        valid;
    logic        write;
    logic [15:0] address;
    logic [31:0] data;
  } access_t;

endpackage
