// SPDX-License-Identifier: Apache-2.0
// Proved properties of the ports of PSUM's memories (README.md, "Ports", Access): included by
// formal tools only. The table of destinations, the memories and the arithmetic are left out
// (prove.mjs --free). Reset is active in the first cycle only.
logic f_started = 1'b0;
always_ff @(posedge clk_i) f_started <= 1'b1;
always_comb assume (rst_ni == f_started);

// What the array guarantees (OneWrite of tensor_windows): one column a cycle in each bank and
// column group. f_same: two ports, in stage 1.
logic f_same, f_same_q;
always_comb begin
  f_same   = 1'b0;
  f_same_q = 1'b0;
  for (int unsigned j = 0; j < 4; j++) begin
    for (int unsigned p = 0; p < 5; p++) begin
      for (int unsigned q = 0; q < p; q++) begin
        f_same   = f_same || (valid[p][j] && valid[q][j] && bank[p][j] == bank[q][j]);
        f_same_q = f_same_q || (valid_q[p][j] && valid_q[q][j] && bank_q[p][j] == bank_q[q][j]);
      end
      assume (!valid[p][j] || 32'(bank[p][j]) < PsumBanks);
    end
  end
  assume (!f_same);
  assume (!access_valid_i || 32'(access_i.bank) <= PsumBanks);
end

// Any bank and column group: how many use its ports in this cycle.
(* anyconst *) logic [6:0] f_bank;
(* anyconst *) logic [1:0] f_group;
always_comb assume (32'(f_bank) < PsumBanks);
logic [2:0]         f_readers, f_writers;
logic [ColumnW-1:0] f_read_column, f_write_column;
logic [2:0]         f_source;
always_comb begin
  f_readers      = 3'(access_valid_i && access_ready_o && access_i.bank == f_bank);
  f_writers      = 3'(access_valid_q && access_q.write && access_q.bank == f_bank);
  f_read_column  = access_i.column[ColumnW-1:0];
  f_write_column = access_q.column[ColumnW-1:0];
  f_source       = 3'd5;
  for (int unsigned p = 0; p < 5; p++) begin
    if (valid[p][f_group] && bank[p][f_group] == f_bank) begin
      f_readers     = f_readers + 3'd1;
      f_read_column = word[p][f_group];
    end
    if (valid_q[p][f_group] && bank_q[p][f_group] == f_bank) begin
      f_writers      = f_writers + 3'd1;
      f_write_column = word_q[p][f_group];
      f_source       = p[2:0];
    end
  end
end

logic [$clog2(Memories)-1:0] f_memory;
assign f_memory = {f_bank[$clog2(PsumBanks)-1:0], f_group};
always_comb begin
  if (f_started) begin
    /* OneReader */ assert (f_readers <= 3'd1 && read[f_memory] == (f_readers != '0));
    /* OneWriter */ assert (f_writers <= 3'd1 && write[f_memory] == (f_writers != '0));
    /* ReadsColumn */ assert (f_readers == '0 || read_column[f_memory] == f_read_column);
    /* WritesColumn */ assert (f_writers == '0 || (write_column[f_memory] == f_write_column &&
                                                   write_source[f_memory] == f_source));
    /* NoClash */ assert (!clash);
    // "Ready falls in the cycles in which the array reads the same bank", and in no others.
    /* ReadyFalls */ assert (access_i.bank != f_bank || access_ready_o || bank_taken);
    /* ArrayFirst */ assert (access_i.bank != f_bank || !valid[0][f_group] ||
                             bank[0][f_group] != f_bank || !access_ready_o);
    // Invariants.
    /* SameLater */ assert (!f_same_q);
    /* NotBoth */ assert (!access_valid_q || random_q || f_writers <= 3'd1);
    for (int unsigned p = 0; p < 5; p++) begin
      for (int unsigned j = 0; j < 4; j++) begin
        /* Inside */ assert (!valid_q[p][j] || (32'(bank_q[p][j]) < PsumBanks &&
                             (!access_valid_q || bank_q[p][j] != access_q.bank)));
      end
    end
    /* AccessInside */ assert (!access_valid_q || 32'(access_q.bank) <= PsumBanks);
  end
end
