// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/host_memory.h"

#include <fmt/format.h>

#include <cstring>
#include <iterator>

#include "sw/runtime/status.h"
#include "sw/spec/generated/address_map.h"

namespace tern::runtime {

namespace {
constexpr std::uint64_t kPage = 4096;
// Bus addresses begin above those of 32 bits.
constexpr std::uint64_t kFirst = std::uint64_t{1} << 32;
}  // namespace

HostMemory::HostMemory(sc_core::sc_module_name name, std::function<void(unsigned)> message)
    : sc_module(name),
      socket("socket"),
      message_(std::move(message)),
      addresses_(kFirst, TERN_HOST_STRIDE - kFirst, kPage),
      written_("written") {
  socket.register_b_transport(this, &HostMemory::transport);
  socket.register_transport_dbg(this, &HostMemory::transport_dbg);
}

HostMemory::Pin& HostMemory::Pin::operator=(Pin&& other) noexcept {
  reset();
  owner_ = std::exchange(other.owner_, nullptr);
  address_ = other.address_;
  return *this;
}

void HostMemory::Pin::reset() {
  if (owner_ == nullptr) return;
  owner_->regions_.erase(address_);
  owner_->addresses_.free(address_);
  owner_ = nullptr;
}

HostMemory::Pin HostMemory::pin(void* data, std::uint64_t bytes) {
  auto* at = static_cast<std::uint8_t*>(data);
  return add(bytes, {bytes, at, at, {}});
}

HostMemory::Pin HostMemory::pin(const void* data, std::uint64_t bytes) {
  return add(bytes, {bytes, static_cast<const std::uint8_t*>(data), nullptr, {}});
}

HostMemory::Pin HostMemory::pin(Read read, std::uint64_t bytes) {
  return add(bytes, {bytes, nullptr, nullptr, std::move(read)});
}

HostMemory::Pin HostMemory::add(std::uint64_t bytes, Region region) {
  const auto address = addresses_.allocate(bytes);
  if (!address)
    throw StatusError(Status::kHostMemory,
                      fmt::format("no bus addresses left for {} bytes", bytes));
  regions_[*address] = std::move(region);
  return Pin(*this, *address);
}

const std::pair<const std::uint64_t, HostMemory::Region>* HostMemory::find(
    std::uint64_t address, std::uint64_t bytes) const {
  const auto after = regions_.upper_bound(address);
  if (after == regions_.begin()) return nullptr;
  const auto& found = *std::prev(after);
  const std::uint64_t offset = address - found.first;
  return offset < found.second.bytes && bytes <= found.second.bytes - offset ? &found : nullptr;
}

void HostMemory::transport(Payload& payload, sc_core::sc_time&) {
  const std::uint64_t address = payload.get_address();
  const unsigned bytes = payload.get_data_length();
  payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  if (address >= kMessageWindow && address - kMessageWindow < kMessageBytes) {
    std::uint32_t vector = 0;
    if (!payload.is_write() || bytes != sizeof vector) return;
    std::memcpy(&vector, payload.get_data_ptr(), sizeof vector);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return message_(vector);
  }
  const auto* found = find(address, bytes);
  if (found == nullptr) return;
  const std::uint64_t offset = address - found->first;
  if (payload.is_read()) {
    const Region& region = found->second;
    if (region.make) {
      region.make(offset, payload.get_data_ptr(), bytes);
    } else {
      std::memcpy(payload.get_data_ptr(), region.read + offset, bytes);
    }
  } else if (found->second.write != nullptr) {
    std::memcpy(found->second.write + offset, payload.get_data_ptr(), bytes);
    written_.notify(sc_core::SC_ZERO_TIME);
  } else {
    return;
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

unsigned HostMemory::transport_dbg(Payload& payload) {
  if (payload.get_command() != tlm::TLM_IGNORE_COMMAND) return 0;
  const unsigned bytes = payload.get_data_length();
  return find(payload.get_address(), bytes) != nullptr ? bytes : 0;
}

}  // namespace tern::runtime
