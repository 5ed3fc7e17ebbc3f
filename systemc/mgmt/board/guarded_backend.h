// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <utility>

#include "systemc/mgmt/devices/backend/uart_backend.h"

namespace tern::mgmt {

// Between a UART and its backend: an exception of the latter, such as that of a full disk, must not
// pass through the processes of the simulation. It is handed over once, and the line is open from
// then on.
class GuardedBackend : public UartBackend {
 public:
  GuardedBackend(UartBackend* to, std::function<void(std::exception_ptr)> failed)
      : to_(to), failed_(std::move(failed)) {}

  void transmit(std::uint8_t byte) override {
    guard([&] { to_->transmit(byte); });
  }
  std::optional<std::uint8_t> receive() override {
    std::optional<std::uint8_t> byte;
    guard([&] { byte = to_->receive(); });
    return byte;
  }
  bool may_receive() override {
    bool may = false;
    guard([&] { may = to_->may_receive(); });
    return may;
  }

 private:
  template <typename Call>
  void guard(const Call& call) {
    if (to_ == nullptr) return;
    try {
      call();
    } catch (...) {
      to_ = nullptr;
      failed_(std::current_exception());
    }
  }

  UartBackend* to_;
  const std::function<void(std::exception_ptr)> failed_;
};

}  // namespace tern::mgmt
