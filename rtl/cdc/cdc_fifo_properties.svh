// SPDX-License-Identifier: Apache-2.0
// Proved properties of cdc_fifo (README.md): included by formal tools only, which let both clocks
// rise and fall at any times. A place is read only while it holds the word that was written for it.
// Both resets are active in the first step only.
logic f_started = 1'b0;
always_ff @($global_clock) f_started <= 1'b1;
always_comb assume (write_rst_ni == f_started && read_rst_ni == f_started);

// The pointers at each stage of the synchronisers, as numbers.
function automatic logic [PtrW:0] f_binary(logic [PtrW:0] gray);
  for (int unsigned i = 0; i <= PtrW; i++) f_binary[i] = ^(gray >> i);
endfunction
logic [(Stages+1)*PtrBits-1:0] f_writes, f_reads;
always_comb begin
  f_writes[PtrBits-1:0] = write_ptr;
  f_reads[PtrBits-1:0]  = read_ptr;
  for (int unsigned s = 0; s < Stages; s++) begin
    f_writes[(s+1)*PtrBits+:PtrBits] = f_binary(to_read[s*PtrBits+:PtrBits]);
    f_reads[(s+1)*PtrBits+:PtrBits]  = f_binary(to_write[s*PtrBits+:PtrBits]);
  end
end

// Any place of the memory, and the last word written there.
(* anyconst *) logic [PtrW-1:0] f_place;
logic [Width-1:0] f_word = '0;
logic             f_written = 1'b0, f_inside;
logic [PtrW-1:0]  f_behind;
assign f_behind = f_place - read_ptr[PtrW-1:0];
assign f_inside = {1'b0, f_behind} < write_ptr - read_ptr;
always_ff @(posedge write_clk_i) begin
  if (push && write_ptr[PtrW-1:0] == f_place) begin
    f_word    <= write_data_i;
    f_written <= 1'b1;
  end
end

// From the oldest view of the reader's pointer to the writer's newest: distances add up to Depth at
// most.
localparam int unsigned SumW = PtrBits + Stages + 2;
logic [PtrW:0]   f_step;
logic [SumW-1:0] f_sum;
always_comb begin
  f_step = f_writes[Stages*PtrBits+:PtrBits] - read_ptr;
  f_sum  = SumW'(f_step);
  for (int unsigned s = 0; s < Stages; s++) begin
    f_step = f_writes[s*PtrBits+:PtrBits] - f_writes[(s+1)*PtrBits+:PtrBits];
    f_sum  = f_sum + SumW'(f_step);
    f_step = f_reads[s*PtrBits+:PtrBits] - f_reads[(s+1)*PtrBits+:PtrBits];
    f_sum  = f_sum + SumW'(f_step);
  end
end

always_comb begin
  if (f_started) begin
    /* GrayWrite */ assert (write_gray == (write_ptr ^ (write_ptr >> 1)));
    /* GrayRead */ assert (read_gray == (read_ptr ^ (read_ptr >> 1)));
    /* NeverAhead */ assert (f_sum <= SumW'(Depth));
    /* Keeps */ assert (!f_written || mem[f_place] == f_word);
    /* Written */ assert (!f_inside || f_written);
    /* ReadsItsWord */ assert (!read_valid_o || read_ptr[PtrW-1:0] != f_place ||
                               (f_inside && read_data_o == f_word));
  end
end
