// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "sw/firmware/firmware.h"
#include "systemc/mgmt/board/board.h"
#include "systemc/mgmt/devices/backend/buffer_backend.h"

namespace tern::tb {

// The board `tern` with its own boot ROM and firmware, seen by a host, a BMC and a bench.
struct FirmwareBench {
  using Change = std::function<void(mgmt::BoardConfig&)>;
  struct Moment {
    std::uint32_t phase;
    double us;
  };
  struct Reply {
    std::uint8_t sequence = 0, status = 0;
    std::string payload;
    bool crc_matches = false;
    // Its i-th word.
    std::uint32_t word(std::size_t i) const {
      std::uint32_t value = 0;
      if (4 * i + 4 > payload.size()) throw std::logic_error("the reply is shorter");
      std::memcpy(&value, &payload[4 * i], 4);
      return value;
    }
    template <typename T>
    T as(std::size_t offset = 0) const {
      T value;
      if (offset + sizeof value > payload.size()) throw std::logic_error("the reply is shorter");
      std::memcpy(&value, &payload[offset], sizeof value);
      return value;
    }
  };

  explicit FirmwareBench(const Change& change = {}) : FirmwareBench(firmware::image(), change) {}
  // chip: in place of the one that the configuration describes.
  explicit FirmwareBench(const std::string& both_slots, const Change& change = {},
                         mgmt::ChipControl* chip = nullptr)
      : config(configured(change)), board("board", config, images(both_slots), &terminal, chip) {
    domain().control().set_phase_handler([this](std::uint32_t phase, const sc_core::sc_time& at) {
      phases.push_back({phase, at.to_seconds() * 1e6});
      if (phase >= TERN_PHASE_READY) board.request_stop();
    });
    domain().mailbox().set_host_line([this](bool level) {
      if (level) board.request_stop();
    });
  }

  mgmt::Domain& domain() { return *board.domain(); }
  void put_slot(unsigned slot, const std::string& image) {
    domain().flash().fill_slot(slot, image);
  }
  // Until it is ready, degraded or shut down, or this time has passed.
  mgmt::BoardStop boot(double ms = 1000) {
    mgmt::BoardStop stop = run(ms);
    if (last_phase() != TERN_PHASE_SHUTDOWN) return stop;
    return board.run();  // the finisher
  }
  mgmt::BoardStop run(double ms) {
    return board.run(sc_core::sc_time_stamp() + sc_core::sc_time(ms, sc_core::SC_MS));
  }
  void restart() {
    phases.clear();
    board.power_cycle();
  }
  std::uint32_t last_phase() const { return phases.empty() ? 0 : phases.back().phase; }
  // When the phase began, for the last time.
  double begin_of(std::uint32_t phase) const {
    for (auto p = phases.rbegin(); p != phases.rend(); ++p) {
      if (p->phase == phase) return p->us;
    }
    throw std::logic_error("no such phase");
  }
  bool printed(const std::string& text) const {
    return terminal.output().find(text) != std::string::npos;
  }
  // A slot's class in register boot_error.
  unsigned boot_error(unsigned slot) { return domain().control().boot_error() >> 8 * slot & 0xFF; }

  // CRC-32C by its definition: the remainder of polynomials, bit by bit.
  static std::uint32_t crc32c(const std::string& bytes);
  // Header and payload, with the right CRC.
  static std::string message(std::uint8_t sequence, std::uint8_t command,
                             const std::string& payload);
  static std::string words(const std::vector<std::uint32_t>& values);
  // Sends these bytes and waits for the response, at most 200 ms of simulated time; throws if there
  // is none.
  Reply send(const std::string& bytes);
  Reply request(std::uint8_t command, const std::vector<std::uint32_t>& arguments = {});

  const mgmt::BoardConfig config;
  mgmt::BufferBackend terminal;
  mgmt::Board board;
  std::vector<Moment> phases;

 private:
  static mgmt::BoardConfig configured(const Change& change) {
    mgmt::Board::prepare_simulation();
    mgmt::BoardConfig config = mgmt::load_board_config("tern");
    if (change) change(config);
    return config;
  }
  static mgmt::BoardImages images(const std::string& both_slots) {
    mgmt::BoardImages images;
    images.rom = firmware::boot_rom();
    images.slots = {both_slots, both_slots};
    return images;
  }
  std::uint8_t sequence_ = 0;
};

}  // namespace tern::tb
