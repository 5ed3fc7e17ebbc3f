// SPDX-License-Identifier: Apache-2.0
#include "systemc/chip/chip_counters.h"

#include <algorithm>

namespace tern {

ChipCounters chip_counters(Chip& chip) {
  ChipCounters all;
  for (unsigned n = 0; n < chip.cores(); ++n) {
    NeuronCore& core = chip.core(n);
    ChipCounters::Core c;
    c.tensor_busy_cycles = core.tensor_counters().busy_cycles;
    c.tensor_columns = core.tensor_counters().columns;
    c.macs = core.tensor_counters().macs;
    for (unsigned e = 0; e < NeuronCore::kDmaEngines; ++e) {
      const dma::Engine::Counters& dma = core.dma(e).counters();
      c.dma_packets += dma.packets;
      c.dma_descriptors += dma.descriptors;
      c.dma_bytes += dma.bytes;
    }
    all.cores.push_back(c);
  }
  for (unsigned s = 0; s < chip.hbm().stacks(); ++s) {
    const HbmMemory::StackCounters& stack = chip.hbm().counters(s);
    all.hbm_reads += stack.reads;
    all.hbm_writes += stack.writes;
    all.hbm_read_bytes += stack.read_bytes;
    all.hbm_write_bytes += stack.write_bytes;
    const hbm::ChannelCounters channels = chip.hbm().stack(s).counters();
    all.hbm_bus_read_bytes += channels.read_bytes;
    all.hbm_bus_write_bytes += channels.write_bytes + chip.hbm().stack(s).waiting_write_bytes();
    all.hbm_row_hits += channels.row_hits;
    all.hbm_row_misses += channels.row_misses;
    all.hbm_row_conflicts += channels.row_conflicts;
    all.hbm_refreshes += channels.refreshes;
  }
  // What the chip writes to the host's memory crosses the link as what the host reads does.
  const HostPort::Counters& port = chip.host_port().counters();
  const pcie::BusMaster::Counters& master = chip.bus_master().counters();
  all.host_read_bytes = port.read_bytes + master.write_bytes;
  all.host_write_bytes = port.write_bytes + master.read_bytes;
  return all;
}

ChipCounters& ChipCounters::operator-=(const ChipCounters& before) {
  for (std::size_t n = 0; n < std::min(cores.size(), before.cores.size()); ++n) {
    Core& c = cores[n];
    const Core& b = before.cores[n];
    c.tensor_busy_cycles -= b.tensor_busy_cycles;
    c.tensor_columns -= b.tensor_columns;
    c.macs -= b.macs;
    c.dma_packets -= b.dma_packets;
    c.dma_descriptors -= b.dma_descriptors;
    c.dma_bytes -= b.dma_bytes;
  }
  hbm_reads -= before.hbm_reads;
  hbm_writes -= before.hbm_writes;
  hbm_read_bytes -= before.hbm_read_bytes;
  hbm_write_bytes -= before.hbm_write_bytes;
  hbm_bus_read_bytes -= before.hbm_bus_read_bytes;
  hbm_bus_write_bytes -= before.hbm_bus_write_bytes;
  hbm_row_hits -= before.hbm_row_hits;
  hbm_row_misses -= before.hbm_row_misses;
  hbm_row_conflicts -= before.hbm_row_conflicts;
  hbm_refreshes -= before.hbm_refreshes;
  host_read_bytes -= before.host_read_bytes;
  host_write_bytes -= before.host_write_bytes;
  return *this;
}

}  // namespace tern
