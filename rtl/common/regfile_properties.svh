// SPDX-License-Identifier: Apache-2.0
// Proved properties of tern_regfile (README.md, "Memories"): included by formal tools only.
(* anyconst *) logic [AddressW-1:0] f_address;  // Any word
logic [Width-1:0] f_value = '0;                 // The last one written there
logic             f_known = 1'b0;
always_ff @(posedge clk_i) begin
  for (int unsigned w = 0; w < Writes; w++) begin
    if (write_i[w] && write_address_i[w*AddressW+:AddressW] == f_address) begin
      f_value <= write_data_i[w*Width+:Width];
      f_known <= 1'b1;
    end
  end
end
always_comb begin
  /* Keeps */ assert (!f_known || words[f_address] == f_value);
end
for (genvar r = 0; r < Reads; r++) begin : gen_f_read
  logic f_here;
  assign f_here = read_address_i[r*AddressW+:AddressW] == f_address;
  always_comb begin
    /* Reads */ assert (!f_known || !read_i[r] || !f_here ||
                        read_data_o[r*Width+:Width] == f_value);
    /* Idle */ assert (read_i[r] || read_data_o[r*Width+:Width] == '0);
  end
end
