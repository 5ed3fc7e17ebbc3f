// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/board/ram.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cstring>
#include <utility>

#include "sw/base/memory_limit.h"
#include "sw/base/user_error.h"

namespace tern::mgmt {

Ram::Data Ram::zeros(std::uint64_t bytes) {
  const std::string lack = base::lack_of_memory(static_cast<double>(bytes));
  void* const data = lack.empty() ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                  : MAP_FAILED;  // NOLINT
  if (data == MAP_FAILED) {                      // NOLINT
    throw UserError(fmt::format("memory of {} MiB: {}", bytes >> 20,
                                lack.empty() ? "the host has not so much" : lack));
  }
  return Data(static_cast<std::uint8_t*>(data), Unmap{bytes});
}

void Ram::Unmap::operator()(std::uint8_t* data) const {
  munmap(data, bytes);
}

Ram::Ram(sc_core::sc_module_name name, std::uint64_t base, std::uint64_t bytes,
         riscv::PhysicalMemory& memory, std::function<void()> written)
    : sc_module(name),
      socket("socket"),
      base_(base),
      bytes_(bytes),
      memory_(memory),
      written_(std::move(written)),
      data_(zeros(bytes)) {
  socket.register_b_transport(this, &Ram::b_transport);
  socket.register_transport_dbg(this, &Ram::transport_dbg);
  socket.register_get_direct_mem_ptr(this, &Ram::get_direct_mem_ptr);
  memory_.add({base_, bytes_, data_.get(), true, true, true, {}});
}

void Ram::read(std::uint64_t address, void* data, std::size_t bytes) const {
  std::memcpy(data, data_.get() + (address - base_), bytes);
}

void Ram::write(std::uint64_t address, const void* data, std::size_t bytes) {
  memory_.before_write(address, bytes);
  std::memcpy(data_.get() + (address - base_), data, bytes);
  memory_.written(address, bytes);
}

void Ram::clear(std::uint64_t address, std::size_t bytes) {
  memory_.before_write(address, bytes);
  std::memset(data_.get() + (address - base_), 0, bytes);
  memory_.written(address, bytes);
}

void Ram::clear_all() {
  if (madvise(data_.get(), bytes_, MADV_DONTNEED) != 0) std::memset(data_.get(), 0, bytes_);
  memory_.written(base_, bytes_);
}

void Ram::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
  if (payload.get_byte_enable_ptr() != nullptr) {
    payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  } else if (payload.get_streaming_width() < payload.get_data_length()) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
  } else if (!payload.is_read() && !payload.is_write()) {
    payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
  } else if (transport_dbg(payload) != payload.get_data_length()) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  } else {
    payload.set_dmi_allowed(true);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
}

unsigned Ram::transport_dbg(tlm::tlm_generic_payload& payload) {
  const std::uint64_t offset = payload.get_address();
  const unsigned bytes = payload.get_data_length();
  if (offset > bytes_ || bytes > bytes_ - offset) return 0;
  if (payload.is_read()) {
    read(base_ + offset, payload.get_data_ptr(), bytes);
  } else if (payload.is_write()) {
    write(base_ + offset, payload.get_data_ptr(), bytes);
    if (written_) written_();
  }
  return bytes;
}

bool Ram::get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  dmi.set_dmi_ptr(data_.get());
  dmi.set_start_address(0);
  dmi.set_end_address(bytes_ - 1);
  dmi.allow_read();
  return payload.is_read();
}

}  // namespace tern::mgmt
