# Proofs of the DMA engine's fetches, order and completion (README.md, "Proofs"), included by CMakeLists.txt.
set(folders "${rtl}/common ${rtl}/dma")
set(packages ${rtl}/dma/dma_spec_pkg.sv ${rtl}/dma/dma_pkg.sv ${rtl}/dma/dma_back_pkg.sv)

tern_add_proof(dma "packets in order" TOP dma_packets FOLDERS "${folders}" PARAMS "Rings=4 Packets=8"
  SOURCES ${packages} ${rtl}/dma/dma_packets.sv FAULTS
  "dead packets live | dma_packets.sv: dead_q[new_entry] <= kill_i[ring_i] => dead_q[new_entry] <= 1'b0"
  "completion does not wait | dma_packets.sv: !empty_o && (faulty || oldest_done_i) => !empty_o"
  "slots are not freed | dma_packets.sv: free_o        = source_second || target_second || both => free_o        = source_second || target_second")

# In two sizes: the larger one takes longer.
set(writes ${packages} ${rtl}/dma/dma_writes.sv)
tern_add_proof(dma "writes" TOP dma_writes FOLDERS "${folders}" PARAMS "Packets=2 Tags=2 Lines=16" SOURCES ${writes} FAULTS
  "complete before the answers | dma_writes.sv: gone_q[oldest] && pending[oldest] == '0 && => gone_q[oldest] &&"
  "an immediate is forgotten | dma_writes.sv: if (begin_i && immediate_i) immediate_q => if (begin_i && immediate_i && !known) immediate_q"
  "an immediate does not wait | dma_writes.sv: mask_q[in_q*Tags+:Tags] <= plain_q & ~given => mask_q[in_q*Tags+:Tags] <= plain_q & ~lowest & '0"
  "lines are lost | dma_writes.sv: + LinesW'(drop) => + LinesW'(drop && !known)")
tern_add_proof(dma "writes, four tags" LABEL nightly TOP dma_writes FOLDERS "${folders}" PARAMS "Packets=4 Tags=4 Lines=16"
  SOURCES ${writes})

# The multiplications of patterns make it slow.
tern_add_proof(dma "scan" LABEL nightly TOP dma_scan FOLDERS "${folders}" PARAMS "Rings=2"
  SOURCES ${packages} ${rtl}/dma/dma_scan_check.sv ${rtl}/dma/dma_scan.sv FAULTS
  "a barrier inside a packet | dma_scan_check.sv: barrier_bad  = rx_dmb || (tx_dmb && !first) => barrier_bad  = rx_dmb"
  "a later destination has an address | dma_scan_check.sv: (computes && !first && (rx_address != 64'd0)) => (computes && !first && (rx_address[31:0] != 32'd0))"
  "a fault does not stop the scan | dma_scan.sv: if (take && (fault != dma_spec_pkg::FaultNone)) broken_q => if (take && last && (fault != dma_spec_pkg::FaultNone)) broken_q")

set(rings ${packages} ${rtl}/dma/dma_rings.sv)
tern_add_proof(dma "extent of fetches" TOP dma_rings FOLDERS "${folders}" PARAMS "Rings=2" SOURCES ${rings} FAULTS
  "beyond the tail | dma_rings.sv: if (left < 32'(pairs)) pairs => if (left < 32'(pairs) && left != 32'd1) pairs"
  "beyond the end of the ring | dma_rings.sv: if (to_wrap < 24'(pairs)) pairs => if (to_wrap + 24'd1 < 24'(pairs)) pairs"
  "across 1 KiB | dma_rings.sv: (tx_begin > rx_begin) ? tx_begin : rx_begin => tx_begin"
  "into a slot in use | dma_rings.sv: (32'(free_slots) >= 32'(pairs)) => (32'(free_slots) + 32'd1 >= 32'(pairs))"
  "a pass with the phase of the one before | dma_rings.sv: if (scan_moved == size) scan_phase_q => if (scan_moved == size && !fetch) scan_phase_q")
# The counters of slots make it slow: a smaller buffer.
tern_add_proof(dma "pairs in their slots" LABEL nightly TOP dma_rings FOLDERS "${folders}" PARAMS "Rings=2 PrefetchPairs=16"
  DEFINES DMA_RINGS_PAIR SOURCES ${rings} FAULTS
  "scanned from another slot | dma_rings.sv: = scan_q[SlotW-1:0] => = scan_q[SlotW-1:0] ^ SlotW'(dispatch)"
  "dispatched from a slot that is free | dma_rings.sv: = dispatched_q[SlotW-1:0] => = freed_q[SlotW-1:0]")

tern_add_proof(dma "fetches" TOP dma_fetch FOLDERS "${folders}"
  SOURCES ${packages} ${rtl}/qos/qos_round_robin.sv ${rtl}/dma/dma_fetch.sv FAULTS
  "the second list is the first again | dma_fetch.sv: second_request_q.address       <= rx_address => second_request_q.address       <= tx_address"
  "a batch of one list | dma_fetch.sv: !missing_q[{ring, !tag[0]}] => 1'b1"
  "a batch of a stopped ring | dma_fetch.sv: assign batch_o        = complete && !drop_q[ring] && => assign batch_o        = complete &&"
  "a stop in the cycle of the fetch | dma_fetch.sv: drop_q[ring_o]            <= kill_i[ring_o] => drop_q[ring_o]            <= 1'b0")

tern_add_proof(dma "barriers" TOP dma_pieces FOLDERS "${folders}" FREE dma_walk PARAMS "IsTarget=0"
  SOURCES ${packages} ${rtl}/dma/dma_walk.sv ${rtl}/dma/dma_pieces.sv FAULTS
  "a barrier does not wait | dma_pieces.sv: assign set_up = read_o && !barrier => assign set_up = read_o"
  "every packet waits | dma_pieces.sv: tx[dma_spec_pkg::DescDmbLsb] && hold_i => hold_i"
  "a later pair waits | dma_pieces.sv: assign barrier = !IsTarget && !started_q && => assign barrier = !IsTarget &&")
