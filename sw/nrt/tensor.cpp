// SPDX-License-Identifier: Apache-2.0
#include "sw/nrt/tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sw/spec/generated/address_map.h"

namespace tern::nrt {

using runtime::Status;
using runtime::StatusError;

std::uint64_t Storage::address_for(HostedChip& chip) {
  for (const auto& [of, pin] : pins_) {
    if (of == &chip) return TERN_HOST_BASE + pin.address();
  }
  pins_.emplace_back(&chip, chip.host().memory().pin(static_cast<void*>(host_), host_bytes_));
  return TERN_HOST_BASE + pins_.back().second.address();
}

void Storage::collect(bool writes, std::vector<CompletionPtr>* after) const {
  if (last_write_ && !last_write_->done()) after->push_back(last_write_);
  if (!writes) return;
  for (const CompletionPtr& read : reads_) {
    if (!read->done()) after->push_back(read);
  }
}

void Storage::added(bool writes, const CompletionPtr& completion) {
  if (writes) {
    last_write_ = completion;
    reads_.clear();
    return;
  }
  reads_.erase(std::remove_if(reads_.begin(), reads_.end(),
                              [](const CompletionPtr& read) { return read->done(); }),
               reads_.end());
  reads_.push_back(completion);
}

void check_range(const View& view, std::uint64_t offset, std::uint64_t bytes) {
  if (view.storage == nullptr)
    throw StatusError(Status::kInvalid, fmt::format("tensor '{}' has no bytes yet", view.name));
  if (offset > view.bytes || bytes > view.bytes - offset)
    throw StatusError(Status::kInvalid, fmt::format("tensor '{}': bytes {} to {}: it has {}",
                                                    view.name, offset, offset + bytes, view.bytes));
}

void read_tensor(System& system, const View& from, std::uint64_t offset, void* to,
                 std::uint64_t bytes) {
  const Storage& storage = *from.storage;
  const std::uint64_t at = from.offset + offset;
  if (storage.on_host()) {
    std::memcpy(to, storage.host() + at, bytes);
    return;
  }
  system.device(storage.device()).runtime->copy_from_device(storage.buffer(), to, bytes, at);
}

void write_tensor(System& system, const View& to, std::uint64_t offset, const void* from,
                  std::uint64_t bytes) {
  const Storage& storage = *to.storage;
  const std::uint64_t at = to.offset + offset;
  if (storage.on_host()) {
    std::memcpy(storage.host() + at, from, bytes);
    return;
  }
  system.device(storage.device()).runtime->copy_to_device(storage.buffer(), from, bytes, at);
}

void copy_tensor(System& system, const View& from, std::uint64_t from_offset, const View& to,
                 std::uint64_t to_offset, std::uint64_t bytes) {
  Storage& source = *from.storage;
  if (source.on_host())
    return write_tensor(system, to, to_offset, source.host() + from.offset + from_offset, bytes);
  Storage& target = *to.storage;
  if (target.on_host())
    return read_tensor(system, from, from_offset, target.host() + to.offset + to_offset, bytes);
  system.device(source.device())
      .runtime->copy_on_device(source.buffer(), from.offset + from_offset, target.buffer(),
                               to.offset + to_offset, bytes);
}

void fill_tensor(System& system, const View& to, std::uint64_t offset, int value,
                 std::uint64_t bytes) {
  constexpr std::uint64_t kBlock = std::uint64_t{1} << 20;
  const std::vector<std::uint8_t> block(std::min(bytes, kBlock), static_cast<std::uint8_t>(value));
  for (std::uint64_t at = 0; at < bytes; at += kBlock)
    write_tensor(system, to, offset + at, block.data(), std::min(kBlock, bytes - at));
}

}  // namespace tern::nrt
