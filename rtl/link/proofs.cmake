# Proofs of the link's numbers and credits (README.md, "Proofs"), included by CMakeLists.txt.
set(folders "${rtl}/common ${rtl}/link")
set(numbers ${rtl}/common/tern_regfile.sv ${rtl}/link/link_pkg.sv ${rtl}/link/link_sequence.sv ${rtl}/link/link_replay.sv)
tern_add_proof(link "sequence numbers and replay" LABEL nightly TOP link_replay FOLDERS "${folders}"
  PARAMS "Depth=4 SeqBits=4 DataBits=8 RoundTrip=5 MaxReplays=2" SOURCES ${numbers})
tern_add_proof(link "sequence numbers and replay, smallest" TOP link_replay FOLDERS "${folders}"
  PARAMS "Depth=2 SeqBits=3 DataBits=6 RoundTrip=5 MaxReplays=2" SOURCES ${numbers} FAULTS
  "a stated number is overlooked | link_replay.sv: prior_q <= payload_o || explicit_q => prior_q <= payload_o"
  "a jump without a number | link_replay.sv: honour || gone > sent_slot => honour"
  "the buffer overflows | link_replay.sv: new_valid_i && count_q != count_t'(Depth) => new_valid_i"
  "a flit is forgotten | link_replay.sv: assign gone       = legal ? count_t'(ahead) => assign gone       = legal ? count_t'(ahead) + count_t'(nak_i)"
  "flits out of order are accepted | link_sequence.sv: payload_i && current_d == after(last_q) => payload_i && current_d != last_q"
  "a bad payload flit is overlooked | link_sequence.sv: (state_q == Doubtful && !prior_i) => state_q == Doubtful"
  "a loss goes unnoticed | link_sequence.sv: lead != '0 && !lead[SeqBits-1] => 1'b0")
tern_add_proof(link "credits" TOP link_credits FOLDERS "${folders}"
  SOURCES ${rtl}/link/link_pkg.sv ${rtl}/link/link_credits.sv FAULTS
  "a packet without a header credit | link_credits.sv: up_o && head_left_o[pkt_class_i*HeadBits+:HeadBits] != '0 && => up_o &&"
  "data credits are rounded down | link_credits.sv: data_used_q[pkt_class_i*DataBits+:DataBits] + units(pkt_dwords_i) => data_used_q[pkt_class_i*DataBits+:DataBits] + DataBits'(pkt_dwords_i >> 2)"
  "freed twice | link_credits.sv: head_given_q[free_class_i*HeadBits+:HeadBits] + 1'b1 => head_given_q[free_class_i*HeadBits+:HeadBits] + HeadBits'(2)"
  "sent before the start | link_credits.sv: assign pkt_allowed_o = up_o && => assign pkt_allowed_o =")
