// SPDX-License-Identifier: Apache-2.0
// Credits of the four classes (README.md, "Credits"): what may be sent, and what the other end may
// send, as counters since the link's start.
`include "tern_assert.svh"

module link_credits #(
  parameter int unsigned HeadCredits = link_pkg::HeadCredits,   // Of each class's buffer: packets
  parameter int unsigned DataCredits = link_pkg::DataCredits,  // And units of 16 bytes
  localparam int unsigned HeadBits   = link_pkg::HeadCreditBits,
  localparam int unsigned DataBits   = link_pkg::DataCreditBits
) (
  input  logic                                   clk_i,
  input  logic                                   rst_ni,
  output logic                                   up_o,  // Both ends have each other's credits
  // A packet that is offered.
  input  logic                                   pkt_send_i,
  input  logic [1:0]                             pkt_class_i,
  input  logic [link_pkg::CountBits-1:0]         pkt_dwords_i,
  output logic                                   pkt_allowed_o,
  // Left of the other end's buffers.
  output logic [link_pkg::Classes*HeadBits-1:0]  head_left_o,
  output logic [link_pkg::Classes*DataBits-1:0]  data_left_o,
  // A packet leaves this end's buffers.
  input  logic                                   free_valid_i,
  input  logic [1:0]                             free_class_i,
  input  logic [link_pkg::CountBits-1:0]         free_dwords_i,
  // Sent in every flit.
  input  logic                                   slot_i,
  output logic [5:0]                             kind_o,
  output logic [1:0]                             class_o,
  output logic [HeadBits-1:0]                    head_o,
  output logic [DataBits-1:0]                    data_o,
  // Received in a good flit.
  input  logic                                   good_i,
  input  logic                                   payload_i,
  input  logic [5:0]                             kind_i,
  input  logic [1:0]                             class_i,
  input  logic [HeadBits-1:0]                    head_i,
  input  logic [DataBits-1:0]                    data_i
);
  localparam int unsigned Classes = link_pkg::Classes;

  typedef enum logic [1:0] {
    First,   // Tells its buffers
    Second,  // And that it has the other's
    Active
  } state_e;

  state_e                      state_d, state_q;
  logic [Classes-1:0]          seen_d, seen_q;      // Classes told by the other end
  logic [1:0]                  turn_q;              // Class of the next flit
  logic [Classes*HeadBits-1:0] head_limit_q, head_used_q, head_given_q;
  logic [Classes*DataBits-1:0] data_limit_q, data_used_q, data_given_q;

  function automatic logic [DataBits-1:0] units(input logic [link_pkg::CountBits-1:0] dwords);
    units = (DataBits'(dwords) + DataBits'(link_pkg::DataCreditDwords - 1)) /
            DataBits'(link_pkg::DataCreditDwords);
  endfunction

  // --- Sent packets.
  for (genvar c = 0; c < int'(Classes); c++) begin : gen_left
    assign head_left_o[c*HeadBits+:HeadBits] =
        head_limit_q[c*HeadBits+:HeadBits] - head_used_q[c*HeadBits+:HeadBits];
    assign data_left_o[c*DataBits+:DataBits] =
        data_limit_q[c*DataBits+:DataBits] - data_used_q[c*DataBits+:DataBits];
  end
  assign pkt_allowed_o = up_o && head_left_o[pkt_class_i*HeadBits+:HeadBits] != '0 &&
                         data_left_o[pkt_class_i*DataBits+:DataBits] >= units(pkt_dwords_i);

  // --- Told by the other end.
  logic tells, updates;
  assign updates = good_i && kind_i == link_pkg::Update;
  assign tells   = updates || (good_i && (kind_i == link_pkg::InitFirst ||
                                          kind_i == link_pkg::InitSecond));
  always_comb begin
    seen_d = seen_q;
    if (tells) seen_d[class_i] = 1'b1;
    state_d = state_q;
    unique case (state_q)
      First:  if (seen_q == '1) state_d = Second;
      Second: if (updates || (good_i && (payload_i || kind_i == link_pkg::InitSecond))) begin
        state_d = Active;
      end
      default: ;
    endcase
  end

  // --- Told to the other end.
  assign up_o    = state_q == Active;
  assign kind_o  = (state_q == First) ? link_pkg::InitFirst :
                   (state_q == Second) ? link_pkg::InitSecond : link_pkg::Update;
  assign class_o = turn_q;
  assign head_o  = head_given_q[turn_q*HeadBits+:HeadBits];
  assign data_o  = data_given_q[turn_q*DataBits+:DataBits];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q      <= First;
      seen_q       <= '0;
      turn_q       <= '0;
      head_limit_q <= '0;
      data_limit_q <= '0;
      head_used_q  <= '0;
      data_used_q  <= '0;
      head_given_q <= {Classes{HeadBits'(HeadCredits)}};
      data_given_q <= {Classes{DataBits'(DataCredits)}};
    end else begin
      state_q <= state_d;
      seen_q  <= seen_d;
      if (slot_i) turn_q <= turn_q + 1'b1;
      if (tells) begin
        head_limit_q[class_i*HeadBits+:HeadBits] <= head_i;
        data_limit_q[class_i*DataBits+:DataBits] <= data_i;
      end
      if (pkt_send_i) begin
        head_used_q[pkt_class_i*HeadBits+:HeadBits] <=
            head_used_q[pkt_class_i*HeadBits+:HeadBits] + 1'b1;
        data_used_q[pkt_class_i*DataBits+:DataBits] <=
            data_used_q[pkt_class_i*DataBits+:DataBits] + units(pkt_dwords_i);
      end
      if (free_valid_i) begin
        head_given_q[free_class_i*HeadBits+:HeadBits] <=
            head_given_q[free_class_i*HeadBits+:HeadBits] + 1'b1;
        data_given_q[free_class_i*DataBits+:DataBits] <=
            data_given_q[free_class_i*DataBits+:DataBits] + units(free_dwords_i);
      end
    end
  end

  `TERN_ASSERT_INIT(HeadCreditsRange, HeadCredits >= 1 && HeadCredits < (1 << (HeadBits - 1)))
  `TERN_ASSERT_INIT(DataCreditsRange,
                    DataCredits >= link_pkg::MaxData / link_pkg::DataCreditDwords &&
                    DataCredits < (1 << (DataBits - 1)))
  `TERN_ASSERT(SendsWithCredit, !pkt_send_i || pkt_allowed_o)

`ifdef FORMAL
`include "link_credits_properties.svh"
`endif
`ifdef TERN_COVER_POINTS
`include "link_credits_cover.svh"
`endif
endmodule
