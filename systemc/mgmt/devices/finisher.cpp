// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/devices/finisher.h"

#include <utility>

#include "systemc/mgmt/devices/memory_map.h"

namespace tern::mgmt {

namespace {

constexpr unsigned kPass = 0x5555, kFail = 0x3333, kReset = 0x7777;

Finisher::Kind kind_of(std::uint64_t value) {
  switch (value & 0xFFFF) {
    case kPass:
      return Finisher::Kind::kPass;
    case kFail:
      return Finisher::Kind::kFail;
    case kReset:
      return Finisher::Kind::kReset;
    default:
      return Finisher::Kind::kNone;
  }
}

}  // namespace

Finisher::Finisher(sc_core::sc_module_name name, Handler handler)
    : RegisterDevice(name, 2 + 4, kFinisherBytes), handler_(std::move(handler)) {}

RegisterDevice::Status Finisher::read(std::uint64_t, unsigned, const sc_core::sc_time&,
                                      std::uint64_t& value) {
  value = 0;
  return kDone;
}

RegisterDevice::Status Finisher::write(std::uint64_t offset, unsigned, const sc_core::sc_time& at,
                                       std::uint64_t value) {
  const Kind kind = kind_of(value);
  if (offset != 0 || kind == Kind::kNone) return kDone;
  state_.last.kind = kind;
  state_.last.code = kind == Kind::kFail ? static_cast<std::uint16_t>(value >> 16) : 0;
  state_.last.at = at;
  if (handler_) handler_(state_.last);
  return kDone;
}

}  // namespace tern::mgmt
