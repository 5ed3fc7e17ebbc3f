// SPDX-License-Identifier: Apache-2.0
// Proved properties of tern_sram (README.md, "Memories"): included by formal tools only. Its users
// have a stage of reading and one of writing, and rely on the new data of a word that is written.
(* anyconst *) logic [AddressW-1:0] f_address;  // Any word
logic [Width-1:0] f_value = '0, f_now, f_read = '0;
logic             f_known = 1'b0, f_valid = 1'b0;  // It has been written; it was the last one read
logic             f_writes;
assign f_writes = write_i && write_address_i == f_address;
assign f_now    = f_writes ? write_data_i : f_value;
always_ff @(posedge clk_i) begin
  f_value <= f_now;
  f_known <= f_known || f_writes;
  if (read_i) begin
    f_valid <= (f_known || f_writes) && read_address_i == f_address;
    f_read  <= f_now;
  end
end
always_comb begin
  /* Keeps */ assert (!f_known || words[f_address] == f_value);
  /* ReadsNewest */ assert (!f_valid || read_data_o == f_read);
end
