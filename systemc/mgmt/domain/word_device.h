// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "systemc/mgmt/devices/register_device.h"

namespace tern::mgmt {

// `count` registers of the same meaning, from offset `first` on.
struct RegisterArray {
  std::uint64_t first, stride, count;

  // Which of them has this offset.
  std::optional<unsigned> at(std::uint64_t offset) const {
    const std::uint64_t from = offset - first;
    if (offset < first || from % stride != 0 || from / stride >= count) return std::nullopt;
    return static_cast<unsigned>(from / stride);
  }
};

// A device of the management domain: a page of 32-bit registers. One that does not exist reads 0,
// and a write to it changes nothing.
class WordDevice : public RegisterDevice {
 public:
  static constexpr std::uint64_t kBytes = 0x1000;

 protected:
  explicit WordDevice(sc_core::sc_module_name name) : RegisterDevice(name, 4, kBytes) {}

  // The registers at time `at`, without side effects.
  virtual std::uint32_t word(std::uint64_t offset, const sc_core::sc_time& at) const = 0;
  virtual void set_word(std::uint64_t offset, std::uint32_t value, const sc_core::sc_time& at) = 0;

 private:
  Status read(std::uint64_t offset, unsigned /*size*/, const sc_core::sc_time& at,
              std::uint64_t& value) final {
    before_access(at);
    value = word(offset, at);
    return kDone;
  }
  Status write(std::uint64_t offset, unsigned /*size*/, const sc_core::sc_time& at,
               std::uint64_t value) final {
    before_access(at);
    set_word(offset, static_cast<std::uint32_t>(value), at);
    return kDone;
  }
  std::uint64_t peek(std::uint64_t offset) const final {
    return word(offset, sc_core::sc_time_stamp());
  }
  // What is due at the time of a hart has happened when it reads.
  virtual void before_access(const sc_core::sc_time& /*at*/) {}
};

// A time that lasts until then, from now on; none: zero. For snapshots.
inline sc_core::sc_time remaining(const sc_core::sc_time& until) {
  const sc_core::sc_time now = sc_core::sc_time_stamp();
  return until > now ? until - now : sc_core::SC_ZERO_TIME;
}

// The start of something, which may be before time 0 after a snapshot was restored: times wrap.
class Start {
 public:
  Start() = default;
  explicit Start(const sc_core::sc_time& at) : value_(at.value()) {}
  // That began so long before now.
  static Start ago(const sc_core::sc_time& passed) {
    Start start(sc_core::sc_time_stamp());
    start.value_ -= passed.value();
    return start;
  }
  // From then to `at`; zero for a start that is later, of a hart that is ahead.
  sc_core::sc_time until(const sc_core::sc_time& at) const {
    const auto passed = static_cast<std::int64_t>(at.value() - value_);
    return sc_core::sc_time::from_value(passed > 0 ? static_cast<std::uint64_t>(passed) : 0);
  }
  // For snapshots and ago(), of later starts too: then it wraps.
  sc_core::sc_time before(const sc_core::sc_time& at) const {
    return sc_core::sc_time::from_value(at.value() - value_);
  }
  // As a time of this simulation.
  sc_core::sc_time after(const sc_core::sc_time& time) const {
    return sc_core::sc_time::from_value(value_ + time.value());
  }

 private:
  std::uint64_t value_ = 0;
};

}  // namespace tern::mgmt
