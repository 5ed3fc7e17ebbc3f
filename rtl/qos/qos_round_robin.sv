// SPDX-License-Identifier: Apache-2.0
// The next request after `last_i` in round-robin order. Combinational; no request: outputs 0.
module qos_round_robin #(
  parameter int unsigned Requesters = 16,
  localparam int unsigned IndexBits = $clog2(Requesters)
) (
  input  logic [Requesters-1:0] req_i,
  input  logic [IndexBits-1:0]  last_i,
  output logic [Requesters-1:0] grant_o,  // One-hot
  output logic [IndexBits-1:0]  index_o
);
  // Those whose index has bit `place` set.
  function automatic logic [Requesters-1:0] indices_with(input int unsigned place);
    for (int unsigned i = 0; i < Requesters; i++) indices_with[i] = ((i >> place) & 1) != 0;
  endfunction

  logic [Requesters-1:0] behind, from;

  assign behind  = req_i & ({{(Requesters-1){1'b1}}, 1'b0} << last_i);
  assign from    = (behind != '0) ? behind : req_i;
  assign grant_o = from & (~from + 1'b1);
  for (genvar b = 0; b < IndexBits; b++) begin : gen_index
    localparam logic [Requesters-1:0] With = indices_with(b);
    assign index_o[b] = (grant_o & With) != '0;
  end
endmodule
