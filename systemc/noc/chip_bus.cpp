// SPDX-License-Identifier: Apache-2.0
#include "systemc/noc/chip_bus.h"

#include "sw/spec/generated/address_map.h"

namespace tern {

namespace {
// Chip registers have no stride: they own the addresses up to this size.
constexpr std::uint64_t kRegistersBytes = 0x1000;
}  // namespace

ChipBus::ChipBus(sc_core::sc_module_name name, unsigned core_count)
    : sc_module(name),
      initiators("initiators"),
      hbm("hbm"),
      registers("registers"),
      cores("core", core_count) {
  initiators.register_b_transport(this, &ChipBus::b_transport);
  initiators.register_transport_dbg(this, &ChipBus::transport_dbg);
}

ChipBus::Route ChipBus::route(std::uint64_t address, std::uint64_t bytes) {
  if (address < TERN_HBM_BASE + TERN_HBM_STRIDE * TERN_HBM_COUNT) return {&hbm, address};
  if (address >= TERN_CORE_BASE) {
    const std::uint64_t core = (address - TERN_CORE_BASE) / TERN_CORE_STRIDE;
    const std::uint64_t offset = (address - TERN_CORE_BASE) % TERN_CORE_STRIDE;
    if (core < cores.size() && bytes <= TERN_CORE_STRIDE - offset) return {&cores[core], offset};
  }
  if (address >= TERN_CHIP_REGS_BASE) {
    const std::uint64_t offset = address - TERN_CHIP_REGS_BASE;
    if (offset < kRegistersBytes && bytes <= kRegistersBytes - offset) return {&registers, offset};
  }
  return {};
}

void ChipBus::b_transport(int, tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
  const std::uint64_t address = transaction.get_address();
  const Route to = route(address, transaction.get_data_length());
  if (to.target == nullptr) {
    transaction.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  transaction.set_address(to.address);
  (*to.target)->b_transport(transaction, delay);
  transaction.set_address(address);
}

unsigned ChipBus::transport_dbg(int, tlm::tlm_generic_payload& transaction) {
  const std::uint64_t address = transaction.get_address();
  const Route to = route(address, transaction.get_data_length());
  if (to.target == nullptr) return 0;
  transaction.set_address(to.address);
  const unsigned count = (*to.target)->transport_dbg(transaction);
  transaction.set_address(address);
  return count;
}

}  // namespace tern
