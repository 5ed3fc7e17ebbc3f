// SPDX-License-Identifier: Apache-2.0
// Numbers and layout of the link's flits (README.md).
package link_pkg;
  localparam int unsigned Classes = 4;

  // A flit, byte 0 in the lowest bits: packets, link-layer field, CRC, error correction.
  localparam int unsigned FlitBits = 2048;
  localparam int unsigned TlpDwords = 59;
  localparam int unsigned TlpBits = 32 * TlpDwords;
  localparam int unsigned DlpBits = 48;
  localparam int unsigned BodyBits = TlpBits + DlpBits;  // What the CRC covers
  localparam int unsigned CrcBits = 64;
  localparam int unsigned FecBits = 48;

  // A packet: a header of four double words, then data.
  localparam int unsigned HeadDwords = 4;
  localparam int unsigned HeadBits = 32 * (HeadDwords - 1);  // Without the first, the link's own
  localparam int unsigned MaxData = 64;
  localparam int unsigned DataBits = 32 * MaxData;
  localparam int unsigned CountBits = 7;  // Of double words: 0 to 127

  localparam int unsigned SeqBits = 10;
  localparam int unsigned HeadCreditBits = 8;
  localparam int unsigned DataCreditBits = 12;
  localparam int unsigned DataCreditDwords = 4;

  typedef enum logic [1:0] {
    UsageIdle    = 2'd0,
    UsageNop     = 2'd1,
    UsagePayload = 2'd2
  } usage_e;

  typedef enum logic [1:0] {
    CommandExplicit = 2'd0,
    CommandAck      = 2'd1,
    CommandNak      = 2'd2
  } command_e;

  // Upper six bits of the type of a link-layer packet; the lower two are the class.
  localparam logic [5:0] InitFirst  = 6'h10;  // 40h
  localparam logic [5:0] InitSecond = 6'h30;  // C0h
  localparam logic [5:0] Update     = 6'h20;  // 80h

  // Link-layer field; the first member is the highest.
  typedef struct packed {
    logic [3:0]                zero_high;
    logic [DataCreditBits-1:0] data_credits;
    logic [HeadCreditBits-1:0] head_credits;
    logic [5:0]                kind;
    logic [1:0]                cls;
    logic                      zero_low;
    logic [SeqBits-1:0]        sequence_number;
    logic [1:0]                command;
    logic                      prior;  // The flit before was payload or said a number
    logic [1:0]                usage;
  } dlp_t;

  // First double word of a packet; of padding, all of it is 0.
  typedef struct packed {
    logic                 valid;
    logic [20:0]          zero_high;
    logic [1:0]           cls;
    logic                 zero_low;
    logic [CountBits-1:0] dwords;  // Of data
  } start_t;
endpackage
