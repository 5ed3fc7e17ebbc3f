// SPDX-License-Identifier: Apache-2.0
// Proved properties of tensor_psum_bank (README.md, "Timing": "A read of PSUM in the cycle in which
// the same column is written returns the new value"): included by formal tools only. With a stage
// of reading and one of writing, no accumulation is lost or added to old words.
(* anyconst *) logic [ColumnW-1:0] f_column;  // Any column
logic [GroupW-1:0] f_value = '0, f_now, f_read = '0;
logic              f_known = 1'b0, f_valid = 1'b0;  // It has been written; it was the last one read
logic              f_writes;
assign f_writes = write_i && write_column_i == f_column;
assign f_now    = f_writes ? write_data_i : f_value;
always_ff @(posedge clk_i) begin
  f_value <= f_now;
  f_known <= f_known || f_writes;
  if (read_i) begin
    f_valid <= (f_known || f_writes) && read_column_i == f_column;
    f_read  <= f_now;
  end
end
always_comb begin
  /* Keeps */ assert (!f_known || mem[f_column] == f_value);
  /* ReadsNewest */ assert (!f_valid || read_data_o == f_read);
end
