// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "systemc/mgmt/board/board.h"
#include "systemc/mgmt/devices/backend/buffer_backend.h"

namespace tern::tb {

// A board with a program of this folder.
struct BoardBench {
  using Change = std::function<void(mgmt::BoardConfig&)>;
  static constexpr std::uint64_t kResults = 0x80010000;

  explicit BoardBench(const std::string& program, const Change& change = {})
      : config(configured(change)), board("board", config, images(program, config), &terminal) {}

  std::uint64_t result(unsigned offset) {
    std::uint64_t value = 0;
    board.peek(kResults + offset, &value, sizeof value);
    return value;
  }
  void set(unsigned offset, std::uint64_t value) {
    board.poke(kResults + offset, &value, sizeof value);
  }

  const mgmt::BoardConfig config;
  mgmt::BufferBackend terminal;
  mgmt::Board board;

 private:
  static mgmt::BoardConfig configured(const Change& change) {
    mgmt::Board::prepare_simulation();
    mgmt::BoardConfig config = mgmt::load_board_config("mgmt");
    config.ram_bytes = std::uint64_t{8} << 20;
    if (change) change(config);
    return config;
  }
  static mgmt::BoardImages images(const std::string& program, const mgmt::BoardConfig& config) {
    mgmt::BoardImages images;
    images.images.push_back(mgmt::read_image(std::string(TERN_PROGRAMS) + "/" + program + ".elf",
                                             config, mgmt::kMemoryBase));
    return images;
  }
};

inline sc_core::sc_time ns(double value) {
  return {value, sc_core::SC_NS};
}
inline sc_core::sc_time us(double value) {
  return {value, sc_core::SC_US};
}

}  // namespace tern::tb
