// SPDX-License-Identifier: Apache-2.0
// Generated from docs/spec/link.yaml by tern_spec_gen: do not edit.
// Numbers and layout of the link's flits.
package link_pkg;
  localparam int unsigned Classes = 4;  // traffic classes
  localparam int unsigned TlpDwords = 59;  // double words of packets in a flit
  localparam int unsigned DlpBytes = 6;  // bytes of the link-layer field
  localparam int unsigned CrcBytes = 8;  // bytes of the CRC
  localparam int unsigned FecBytes = 6;  // bytes of the error correction
  localparam int unsigned HeadDwords = 4;  // of a packet's header; the first is the link's
  localparam int unsigned MaxData = 64;  // double words of data of a packet, at most
  localparam int unsigned DataCreditDwords = 4;  // double words of a data credit
  localparam int unsigned TlpBits = 32 * TlpDwords;
  localparam int unsigned DlpBits = 8 * DlpBytes;
  localparam int unsigned BodyBits = TlpBits + DlpBits;  // what the CRC covers
  localparam int unsigned CrcBits = 8 * CrcBytes;
  localparam int unsigned FecBits = 8 * FecBytes;
  localparam int unsigned FlitBits = BodyBits + CrcBits + FecBits;
  localparam int unsigned HeadBits = 32 * (HeadDwords - 1);  // of a packet, without the link's part
  localparam int unsigned DataBits = 32 * MaxData;
  localparam int unsigned CountBits = 7;  // of double words of a packet
  localparam int unsigned SeqBits = 10;
  localparam int unsigned HeadCreditBits = 8;
  localparam int unsigned DataCreditBits = 12;
  localparam logic [63:0] CrcPolynomial = 64'h42f0e1eba9ea3693;

  // Parameters of link_port
  localparam int unsigned FlitCycles = 4;  // cycles between two slots of a direction, at least
  localparam int unsigned ReplayDepth = 128;  // flits kept, a power of two up to 256
  localparam int unsigned RoundTrip = 256;  // slots in which a repeated nak is an old one
  localparam int unsigned MaxReplays = 4;  // naks in vain, until the link asks for training
  localparam int unsigned MaxBad = 16;  // bad slots in sequence, likewise
  localparam int unsigned HeadCredits = 127;  // packets in the buffer of a class
  localparam int unsigned DataCredits = 2032;  // units of 16 bytes in the buffer of a class
  localparam int unsigned Lanes = 64;  // lanes that carry a flit, a power of two
  localparam int unsigned Spares = 16;  // spare lanes

  typedef enum logic [1:0] {
    UsageIdle = 2'd0,
    UsageNop = 2'd1,
    UsagePayload = 2'd2
  } usage_e;

  typedef enum logic [1:0] {
    CommandExplicit = 2'd0,
    CommandAck = 2'd1,
    CommandNak = 2'd2
  } command_e;

  // Upper bits of the type of a link-layer packet; the lower two are the class.
  localparam logic [5:0] InitFirst = 6'd16;
  localparam logic [5:0] Update = 6'd32;
  localparam logic [5:0] InitSecond = 6'd48;

  // Link-layer field
  typedef struct packed {
    logic [3:0]  zero_high;  // 0
    logic [11:0] data_credits;  // data credits
    logic [7:0]  head_credits;  // header credits
    logic [5:0]  kind;  // kind of the credits
    logic [1:0]  cls;  // class of the credits
    logic        zero_low;  // 0
    logic [9:0]  sequence_number;  // sequence number
    logic [1:0]  command;  // command
    logic        prior;  // the flit before was a payload flit, or stated a number
    logic [1:0]  usage;  // usage
  } dlp_t;

  // First double word of a packet
  typedef struct packed {
    logic        valid;  // 1; a double word of padding is 0
    logic [20:0] zero_high;  // 0
    logic [1:0]  cls;  // class
    logic        zero_low;  // 0
    logic [6:0]  dwords;  // double words of data
  } start_t;
endpackage
