// SPDX-License-Identifier: Apache-2.0
// CRC-64 of a flit's first 242 bytes (README.md, "CRC"), combinational. 0 without valid_i: a
// simulator then has nothing to do.
module link_crc (
  input  logic                          valid_i,
  input  logic [link_pkg::BodyBits-1:0] body_i,
  output logic [link_pkg::CrcBits-1:0]  crc_o
);
  // The body as words of 64 bits, filled up with zeros at its end.
  localparam int unsigned Words = (link_pkg::BodyBits + 63) / 64;

  // Word i is x^(64+i) modulo the polynomial: the remainder that bit i leaves.
  function automatic logic [64*64-1:0] remainders();
    logic [63:0] rest;
    rest = link_pkg::CrcPolynomial;
    remainders = '0;
    for (int unsigned i = 0; i < 64; i++) begin
      remainders[i*64+:64] = rest;
      rest = {rest[62:0], 1'b0} ^ (rest[63] ? link_pkg::CrcPolynomial : 64'd0);
    end
  endfunction
  localparam logic [64*64-1:0] Remainders = remainders();

  task automatic divide(input logic [64*Words-1:0] words, output logic [63:0] crc);
    // verilator no_inline_task
    logic [63:0] rest, mixed;
    rest = '1;
    for (int unsigned w = 0; w < Words; w++) begin
      mixed = rest ^ words[w*64+:64];
      rest = '0;
      for (int unsigned i = 0; i < 64; i++) begin
        rest = rest ^ (Remainders[i*64+:64] & {64{mixed[i]}});
      end
    end
    crc = ~rest;
  endtask

  logic [64*Words-1:0] words;
  assign words = {{(64 * Words - link_pkg::BodyBits){1'b0}}, body_i};
  always_comb begin
    crc_o = '0;
    if (valid_i) divide(words, crc_o);
  end
endmodule
