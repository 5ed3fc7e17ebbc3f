// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sw/nrt/engine.h"
#include "sw/runtime/hbm_allocator.h"

namespace tern::nrt {

// Bytes of tensors: device memory, or memory of the host.
class Storage {
 public:
  explicit Storage(runtime::Buffer buffer, unsigned device)
      : device_(device), buffer_(std::move(buffer)) {}
  // Of its own, zeros; or the caller's.
  explicit Storage(std::size_t bytes) : own_(bytes), host_(own_.data()), host_bytes_(bytes) {}
  Storage(void* bytes, std::size_t count)
      : host_(static_cast<std::uint8_t*>(bytes)), host_bytes_(count) {}
  // What has been scheduled on it must have ended.
  ~Storage() = default;
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  bool on_host() const { return host_ != nullptr; }
  unsigned device() const { return device_; }
  const runtime::Buffer& buffer() const { return buffer_; }
  std::uint8_t* host() const { return host_; }
  std::size_t bytes() const { return on_host() ? host_bytes_ : buffer_.bytes(); }

  // In the simulation's thread: where a chip finds a host's bytes.
  std::uint64_t address_for(HostedChip& chip);

  // Requests on it, guarded by the caller's mutex: what a new one has to wait for, which becomes
  // one of them by added().
  void collect(bool writes, std::vector<CompletionPtr>* after) const;
  void added(bool writes, const CompletionPtr& completion);

 private:
  unsigned device_ = 0;
  runtime::Buffer buffer_;
  std::vector<std::uint8_t> own_;
  std::uint8_t* host_ = nullptr;
  std::size_t host_bytes_ = 0;
  std::vector<std::pair<HostedChip*, runtime::HostMemory::Pin>> pins_;
  CompletionPtr last_write_;
  std::vector<CompletionPtr> reads_;  // since then
};

// Bytes of a storage. A request has its own copy: the tensor may be freed or get other bytes.
struct View {
  std::string name;
  std::shared_ptr<Storage> storage;  // null: none yet
  std::size_t offset = 0, bytes = 0;
};

struct Tensor : View {
  void* handle = nullptr;
  unsigned core = 0;                           // logical, whose units serve requests on it
  std::atomic<std::uint64_t> completions = 0;  // executions that have written it
};
using TensorPtr = std::shared_ptr<Tensor>;

// A range of a tensor, checked. StatusError kInvalid.
void check_range(const View& view, std::uint64_t offset, std::uint64_t bytes);

// In the simulation's thread.
void read_tensor(System& system, const View& from, std::uint64_t offset, void* to,
                 std::uint64_t bytes);
void write_tensor(System& system, const View& to, std::uint64_t offset, const void* from,
                  std::uint64_t bytes);
void copy_tensor(System& system, const View& from, std::uint64_t from_offset, const View& to,
                 std::uint64_t to_offset, std::uint64_t bytes);
void fill_tensor(System& system, const View& to, std::uint64_t offset, int value,
                 std::uint64_t bytes);

}  // namespace tern::nrt
