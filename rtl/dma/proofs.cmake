# Proofs of the DMA engine's order and completion (README.md, "Proofs"), included by CMakeLists.txt.
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
