// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/host_port.h"

#include <fmt/format.h>
#include <linux/pci_regs.h>

#include <algorithm>

#include "sw/runtime/status.h"
#include "sw/spec/pcie.h"

namespace tern::runtime {

namespace {

// Where the host has its devices: above all memory, one bus for each chip.
constexpr std::uint64_t kDevices = std::uint64_t{1} << 46;

// The offset of a capability in the configuration space.
template <typename Read>
unsigned capability(unsigned id, const Read& read) {
  unsigned at = read(PCI_CAPABILITY_LIST, 1);
  for (unsigned n = 0; at != 0 && n < pcie::kConfigBytes / 4; ++n) {
    if (read(at + PCI_CAP_LIST_ID, 1) == id) return at;
    at = read(at + PCI_CAP_LIST_NEXT, 1);
  }
  throw StatusError(Status::kHardware,
                    fmt::format("the chip's PCIe function has no capability {:#x}", id));
}

}  // namespace

HostPort::HostPort(sc_core::sc_module_name name)
    : sc_module(name),
      socket("socket"),
      config("config"),
      irq("irq"),
      memory_("memory", [this](unsigned vector) {
        if (vector >= messages_.size()) return;
        ++messages_[vector];
        message_arrived_.notify(sc_core::SC_ZERO_TIME);
      }) {}

std::uint32_t HostPort::config_dbg(unsigned offset, unsigned bytes, bool write,
                                   std::uint32_t value) {
  tlm::tlm_generic_payload payload;
  payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload.set_address(offset);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  config->transport_dbg(payload);
  return value;
}

void HostPort::config_write(unsigned offset, unsigned bytes, std::uint32_t value) {
  tlm::tlm_generic_payload payload;
  payload.set_write();
  payload.set_address(offset);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  config->b_transport(payload, delay);
}

void HostPort::set_up_bus() {
  const auto read = [this](unsigned offset, unsigned bytes) {
    return config_dbg(offset, bytes, false);
  };
  if (read(PCI_VENDOR_ID, 2) != pcie::kVendor || read(PCI_DEVICE_ID, 2) != pcie::kDevice)
    throw StatusError(Status::kHardware, "no Tern chip on the bus of the host");
  std::uint64_t next = kDevices;
  // The largest first: every one at a multiple of its size.
  const std::array<std::pair<unsigned, Window*>, 3> bars = {
      {{pcie::kMemoryBar, &hbm_}, {pcie::kControlBar, &control_}, {pcie::kMessageBar, &table_}}};
  for (const auto& [bar, window] : bars) {
    const unsigned at = PCI_BASE_ADDRESS_0 + 4 * bar;
    config_dbg(at, 4, true, UINT32_MAX);
    config_dbg(at + 4, 4, true, UINT32_MAX);
    const std::uint64_t ones =
        (read(at, 4) & static_cast<std::uint32_t>(PCI_BASE_ADDRESS_MEM_MASK)) |
        std::uint64_t{read(at + 4, 4)} << 32;
    window->bytes = ~ones + 1;
    window->base = (next + window->bytes - 1) & ones;
    next = window->base + window->bytes;
    config_dbg(at, 4, true, static_cast<std::uint32_t>(window->base));
    config_dbg(at + 4, 4, true, static_cast<std::uint32_t>(window->base >> 32));
  }
  config_dbg(PCI_COMMAND, 2, true, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
}

std::uint64_t HostPort::on_bus(std::uint64_t address, std::uint64_t bytes) const {
  const auto in = [bytes](std::uint64_t offset, std::uint64_t size) {
    return offset < size && bytes <= size - offset;
  };
  const std::uint64_t middle = control_.bytes / 2;
  if (address < TERN_CORE_BASE) return in(address, hbm_.bytes) ? hbm_.base + address : kNowhere;
  if (address < TERN_CHIP_REGS_BASE)
    return in(address - TERN_CORE_BASE, middle) ? control_.base + (address - TERN_CORE_BASE)
                                                : kNowhere;
  const std::uint64_t offset = address - TERN_CHIP_REGS_BASE;
  return in(offset, middle) ? control_.base + middle + offset : kNowhere;
}

void HostPort::write(std::uint64_t address, const void* data, std::uint64_t bytes) {
  // TLM payloads are not const-correct; a write command does not change the data.
  auto* source = const_cast<unsigned char*>(static_cast<const unsigned char*>(data));
  transfer(tlm::TLM_WRITE_COMMAND, address, source, bytes);
}

void HostPort::read(std::uint64_t address, void* data, std::uint64_t bytes) {
  transfer(tlm::TLM_READ_COMMAND, address, static_cast<unsigned char*>(data), bytes);
}

std::uint32_t HostPort::read32(std::uint64_t address) {
  std::uint32_t value = 0;
  read(address, &value, sizeof value);
  return value;
}

void HostPort::write64(std::uint64_t address, std::uint64_t value) {
  write32(address, static_cast<std::uint32_t>(value));
  write32(address + 4, static_cast<std::uint32_t>(value >> 32));
}

void HostPort::post32(std::uint64_t address, std::uint32_t value) {
  tlm::tlm_generic_payload payload;
  payload.set_write();
  payload.set_address(on_bus(address, sizeof value));
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload.set_data_length(sizeof value);
  payload.set_streaming_width(sizeof value);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  socket->nb_transport_fw(payload, phase, delay);
}

void HostPort::post64(std::uint64_t address, std::uint64_t value) {
  post32(address, static_cast<std::uint32_t>(value));
  post32(address + 4, static_cast<std::uint32_t>(value >> 32));
}

bool HostPort::peek32(std::uint64_t address, std::uint32_t* value) {
  tlm::tlm_generic_payload payload;
  payload.set_command(tlm::TLM_READ_COMMAND);
  payload.set_address(on_bus(address, sizeof *value));
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(value));
  payload.set_data_length(sizeof *value);
  payload.set_streaming_width(sizeof *value);
  return socket->transport_dbg(payload) == sizeof *value;
}

bool HostPort::wait_irq(const sc_core::sc_time& deadline) {
  while (!irq.read()) {
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    if (now >= deadline) return false;
    sc_core::wait(deadline - now, irq.value_changed_event());
  }
  return true;
}

bool HostPort::wait_message(unsigned vector, const sc_core::sc_time& deadline) {
  if ((vectors_ >> vector & 1) == 0) set_up_vector(vector);
  while (messages_.at(vector) == 0) {
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    if (now >= deadline) return false;
    sc_core::wait(deadline - now, message_arrived_);
  }
  --messages_[vector];
  return true;
}

void HostPort::set_up_vector(unsigned vector) {
  const std::uint64_t entry = table_.base + pcie::kTableOffset + vector * PCI_MSIX_ENTRY_SIZE;
  const auto put = [&](unsigned offset, std::uint32_t value) {
    transfer_bus(tlm::TLM_WRITE_COMMAND, entry + offset, entry + offset,
                 reinterpret_cast<unsigned char*>(&value), sizeof value);
  };
  if (vectors_ == 0) {
    const unsigned at = capability(PCI_CAP_ID_MSIX, [this](unsigned offset, unsigned bytes) {
      return config_dbg(offset, bytes, false);
    });
    config_write(at + PCI_MSIX_FLAGS, 2, PCI_MSIX_FLAGS_ENABLE);
  }
  put(PCI_MSIX_ENTRY_LOWER_ADDR, static_cast<std::uint32_t>(HostMemory::kMessageWindow));
  put(PCI_MSIX_ENTRY_UPPER_ADDR, 0);
  put(PCI_MSIX_ENTRY_DATA, vector);
  put(PCI_MSIX_ENTRY_VECTOR_CTRL, 0);
  vectors_ |= std::uint64_t{1} << vector;
}

void HostPort::reset_function() {
  const unsigned at = capability(PCI_CAP_ID_EXP, [this](unsigned offset, unsigned bytes) {
    return config_dbg(offset, bytes, false);
  });
  config_write(at + PCI_EXP_DEVCTL, 2, PCI_EXP_DEVCTL_BCR_FLR);
  // PCIe: a function is given 100 ms to end its reset.
  sc_core::wait(sc_core::sc_time(100, sc_core::SC_MS));
  vectors_ = 0;
  messages_.fill(0);
  set_up_bus();
}

void HostPort::transfer(tlm::tlm_command command, std::uint64_t address, unsigned char* data,
                        std::uint64_t bytes) {
  while (bytes > 0) {
    const std::uint64_t length = std::min(bytes, kChunk);
    transfer_bus(command, on_bus(address, length), address, data, length);
    address += length;
    data += length;
    bytes -= length;
  }
}

void HostPort::transfer_bus(tlm::tlm_command command, std::uint64_t bus_address,
                            std::uint64_t address, unsigned char* data, std::uint64_t bytes) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(bus_address);
  payload.set_data_ptr(data);
  payload.set_data_length(static_cast<unsigned>(bytes));
  payload.set_streaming_width(static_cast<unsigned>(bytes));
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  socket->b_transport(payload, delay);
  if (delay > sc_core::SC_ZERO_TIME) sc_core::wait(delay);
  if (payload.is_response_ok()) return;
  throw StatusError(Status::kHardware,
                    fmt::format("host port: {} of {} bytes at {:#x}: {}",
                                command == tlm::TLM_READ_COMMAND ? "read" : "write", bytes, address,
                                payload.get_response_string()));
}

}  // namespace tern::runtime
