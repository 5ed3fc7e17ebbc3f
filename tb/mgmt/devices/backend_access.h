// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "systemc/mgmt/devices/backend/uart_backend.h"

namespace tern::tb {

// What a UART does with a backend.
inline void print(mgmt::UartBackend& to, std::string_view text) {
  for (const char c : text) to.transmit(static_cast<std::uint8_t>(c));
}
inline std::string heard(mgmt::UartBackend& from) {
  std::string text;
  while (const auto byte = from.receive()) text += static_cast<char>(*byte);
  return text;
}

// The host delivers in its own time. The limit is only a guard.
inline bool eventually(const std::function<bool()>& happened) {
  for (unsigned i = 0; i < 60'000; ++i) {
    if (happened()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

// Polls the backend until it has given this text.
inline bool hears(mgmt::UartBackend& from, const std::string& expected) {
  std::string text;
  return eventually([&] { return (text += heard(from)).size() >= expected.size(); }) &&
         text == expected;
}

// What a client reads, of an expected size, while the backend is polled; a UART does so.
inline std::string client_reads(int client, std::size_t size, mgmt::UartBackend& from) {
  std::string text;
  eventually([&] {
    heard(from);
    char bytes[4096];
    const ssize_t count = read(client, bytes, std::min(sizeof bytes, size - text.size()));
    if (count > 0) text.append(bytes, static_cast<std::size_t>(count));
    return text.size() == size;
  });
  return text;
}

}  // namespace tern::tb
