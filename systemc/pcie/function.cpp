// SPDX-License-Identifier: Apache-2.0
#include "systemc/pcie/function.h"

#include <linux/pci_regs.h>

#include <cstring>

namespace tern::pcie {

namespace {
using sc_core::sc_time;
constexpr unsigned kEntryWords = PCI_MSIX_ENTRY_SIZE / 4;
constexpr unsigned kAddress = PCI_MSIX_ENTRY_LOWER_ADDR / 4, kHigh = PCI_MSIX_ENTRY_UPPER_ADDR / 4,
                   kData = PCI_MSIX_ENTRY_DATA / 4, kControl = PCI_MSIX_ENTRY_VECTOR_CTRL / 4;
}  // namespace

Function::Function(sc_core::sc_module_name name, const ChipConfig& of)
    : sc_module(name),
      config("config"),
      bus("bus"),
      chip("chip"),
      master("master"),
      host("host"),
      latency_(of.host.latency_ns, sc_core::SC_NS),
      space_(of.cores, of.hbm.stacks) {
  config.register_b_transport(this, &Function::config_transport);
  config.register_transport_dbg(this, &Function::config_dbg);
  bus.register_b_transport(this, &Function::bus_transport);
  bus.register_nb_transport_fw(this, &Function::bus_post);
  bus.register_transport_dbg(this, &Function::bus_dbg);
  master.register_b_transport(this, &Function::master_transport);
  master.register_transport_dbg(this, &Function::master_dbg);
  reset_table();
}

void Function::reset_table() {
  pending_ = 0;
  table_.fill(0);
  for (unsigned v = 0; v < kVectors; ++v)
    table_[v * kEntryWords + kControl] = PCI_MSIX_ENTRY_CTRL_MASKBIT;
}

void Function::archive_state(base::StateArchive& archive) {
  archive.section("PCIe function");
  space_.archive_state(archive);
  archive.each(table_);
  archive.numbers(pending_, link_up_);
}

// --- Configuration space. ---

bool Function::access_config(Payload& payload) {
  const std::uint64_t offset = payload.get_address();
  const unsigned bytes = payload.get_data_length();
  const bool whole = bytes == 1 || bytes == 2 || bytes == 4;
  if (!whole || offset % bytes != 0 || offset + bytes > kConfigBytes) return false;
  std::uint32_t value = 0;
  if (payload.is_read()) {
    value = link_up_ ? space_.read(static_cast<unsigned>(offset), bytes) : UINT32_MAX;
    std::memcpy(payload.get_data_ptr(), &value, bytes);
    return true;
  }
  if (!link_up_) return true;
  std::memcpy(&value, payload.get_data_ptr(), bytes);
  space_.write(static_cast<unsigned>(offset), bytes, value);
  if (space_.take_reset()) {
    space_.reset();
    reset_table();
    if (reset_) reset_();
  }
  send_pending();
  return true;
}

void Function::config_transport(Payload& payload, sc_time& delay) {
  sc_core::wait(delay + 2 * latency_);  // a write is answered, too
  delay = sc_core::SC_ZERO_TIME;
  payload.set_response_status(access_config(payload) ? tlm::TLM_OK_RESPONSE
                                                     : tlm::TLM_BURST_ERROR_RESPONSE);
}

unsigned Function::config_dbg(Payload& payload) {
  return access_config(payload) ? payload.get_data_length() : 0;
}

// --- The host's accesses. ---

std::optional<std::uint64_t> Function::translate(std::uint64_t address, std::uint64_t bytes) const {
  if (!space_.memory_enabled()) return std::nullopt;
  const auto offset_in = [&](unsigned bar) -> std::optional<std::uint64_t> {
    const std::uint64_t base = space_.base(bar), size = space_.size(bar);
    if (address < base || address - base >= size || bytes > size - (address - base))
      return std::nullopt;
    return address - base;
  };
  if (const auto offset = offset_in(kMemoryBar)) return *offset;
  if (const auto offset = offset_in(kControlBar)) {
    const std::uint64_t middle = space_.size(kControlBar) / 2;
    return *offset < middle ? TERN_CORE_BASE + *offset : TERN_CHIP_REGS_BASE + (*offset - middle);
  }
  return std::nullopt;
}

bool Function::in_table(std::uint64_t address, std::uint64_t bytes) const {
  const std::uint64_t base = space_.base(kMessageBar);
  return space_.memory_enabled() && address >= base && address - base < kMessageBytes &&
         bytes <= kMessageBytes - (address - base);
}

void Function::bus_transport(Payload& payload, sc_time& delay) {
  const std::uint64_t address = payload.get_address();
  if (!link_up_) {
    if (payload.is_read()) sc_core::wait(sc_time(kCompletionTimeoutMs, sc_core::SC_MS));
    payload.set_response_status(payload.is_read() ? tlm::TLM_GENERIC_ERROR_RESPONSE
                                                  : tlm::TLM_OK_RESPONSE);
  } else if (in_table(address, payload.get_data_length())) {
    sc_core::wait(delay + (payload.is_read() ? 2 : 1) * latency_);
    delay = sc_core::SC_ZERO_TIME;
    access_table(payload);
  } else if (const auto there = translate(address, payload.get_data_length())) {
    payload.set_address(*there);
    chip->b_transport(payload, delay);
    payload.set_address(address);
  } else {
    sc_core::wait(delay + 2 * latency_);
    delay = sc_core::SC_ZERO_TIME;
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
}

tlm::tlm_sync_enum Function::bus_post(Payload& payload, tlm::tlm_phase& phase, sc_time& delay) {
  const std::uint64_t address = payload.get_address();
  const auto there = translate(address, payload.get_data_length());
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  if (!link_up_ || !there) return tlm::TLM_COMPLETED;
  payload.set_address(*there);
  const auto result = chip->nb_transport_fw(payload, phase, delay);
  payload.set_address(address);
  return result;
}

unsigned Function::bus_dbg(Payload& payload) {
  const std::uint64_t address = payload.get_address();
  const auto there = translate(address, payload.get_data_length());
  if (!link_up_ || !there) return 0;
  payload.set_address(*there);
  const unsigned count = chip->transport_dbg(payload);
  payload.set_address(address);
  return count;
}

// --- The chip's accesses. ---

void Function::master_transport(Payload& payload, sc_time& delay) {
  if (!link_up_ || !space_.master_enabled()) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  host->b_transport(payload, delay);
}

unsigned Function::master_dbg(Payload& payload) {
  return link_up_ && space_.master_enabled() ? host->transport_dbg(payload) : 0;
}

// --- MSI-X. ---

// Words of the table; the pending bits are read only.
void Function::access_table(Payload& payload) {
  const std::uint64_t offset = payload.get_address() - space_.base(kMessageBar);
  if (payload.get_data_length() != 4 || offset % 4 != 0) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  std::uint32_t value = 0;
  if (payload.is_read()) {
    value = table_[offset / 4];
    if (offset == kPendingOffset) value = static_cast<std::uint32_t>(pending_);
    if (offset == kPendingOffset + 4) value = static_cast<std::uint32_t>(pending_ >> 32);
    std::memcpy(payload.get_data_ptr(), &value, 4);
  } else if (offset < kVectors * PCI_MSIX_ENTRY_SIZE) {
    std::memcpy(&value, payload.get_data_ptr(), 4);
    table_[offset / 4] = value;
    send_pending();
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

void Function::message(unsigned vector) {
  if (vector >= kVectors) return;
  pending_ |= std::uint64_t{1} << vector;
  send_pending();
}

void Function::send_pending() {
  if (pending_ == 0 || !space_.messages_enabled() || !space_.master_enabled()) return;
  for (unsigned v = 0; v < kVectors; ++v) {
    const std::uint64_t bit = std::uint64_t{1} << v;
    const bool masked = (table_[v * kEntryWords + kControl] & PCI_MSIX_ENTRY_CTRL_MASKBIT) != 0;
    if ((pending_ & bit) == 0 || masked) continue;
    pending_ &= ~bit;
    send(v);
  }
}

void Function::send(unsigned vector) {
  if (!link_up_) return;
  const std::uint32_t* entry = &table_[vector * kEntryWords];
  std::uint32_t data = entry[kData];
  Payload payload;
  payload.set_write();
  payload.set_address(entry[kAddress] | std::uint64_t{entry[kHigh]} << 32);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&data));
  payload.set_data_length(sizeof data);
  payload.set_streaming_width(sizeof data);
  sc_time delay;
  host->b_transport(payload, delay);
}

}  // namespace tern::pcie
