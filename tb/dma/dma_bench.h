// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <systemc>
#include <tuple>
#include <vector>

#include "systemc/chip/simulation.h"
#include "systemc/dma/dma_engine.h"
#include "systemc/memory/hbm.h"
#include "systemc/noc/chip_bus.h"
#include "systemc/trace/sim_time.h"
#include "tb/common/tlm_access.h"

namespace tern::tb {

// Addresses as docs/reference/address_map.md gives them.
constexpr std::uint64_t kStack = 0x1000000000;
constexpr std::uint64_t kCore = 0x20000000000;
constexpr std::uint64_t kSemaphoreInc = kCore + 0x20001800;

// What stands for a NeuronCore: SBUF bytes and the semaphore counters, with the time of each
// increment.
struct CoreStub : sc_core::sc_module {
  tlm_utils::simple_target_socket<CoreStub> window;
  std::vector<std::uint8_t> sbuf = std::vector<std::uint8_t>(128 * 0x40000);
  std::map<unsigned, std::uint32_t> semaphores;
  std::vector<std::uint64_t> increment_fs;

  explicit CoreStub(sc_core::sc_module_name name) : sc_module(name), window("window") {
    window.register_b_transport(this, &CoreStub::b_transport);
  }

 private:
  void b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time&) {
    const std::uint64_t at = p.get_address(), bytes = p.get_data_length();
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    if (at + bytes <= sbuf.size()) {
      if (p.is_write()) {
        std::memcpy(&sbuf[at], p.get_data_ptr(), bytes);
      } else {
        std::memcpy(p.get_data_ptr(), &sbuf[at], bytes);
      }
    } else if (p.is_write() && bytes == 4 && at >= 0x20001800 && at < 0x20001c00) {
      std::uint32_t value = 0;
      std::memcpy(&value, p.get_data_ptr(), 4);
      semaphores[static_cast<unsigned>(at - 0x20001800) / 4] += value;
      increment_fs.push_back(now_fs());
    } else {
      p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    }
  }
};

inline DmaConfig test_dma() {
  DmaConfig config;
  config.engine_gb_per_s = 40;
  config.efficiency = 0.8;  // 32 bytes per ns
  config.start_latency_ns = 1300;
  config.descriptor_overhead_ns = 10;
  return config;
}

inline HbmConfig test_hbm() {
  HbmConfig config;
  config.stacks = 4;
  config.stack_bytes = 1ull << 30;
  config.bandwidth_gb_per_s = 4096;  // 1024 bytes per ns and stack
  config.latency_ns = 200;
  return config;
}

struct Error {
  unsigned engine, ring, code;
  std::uint64_t detail;
};

// Engines, HBM and a core on a bus, and the software side of the rings, written from the register
// documentation.
class DmaBench {
 public:
  static constexpr std::uint64_t kRingArea = 0x20000000;  // descriptors, in stack 0
  static constexpr std::uint64_t kOne = 0x1ff00000;       // the constant 1

  explicit DmaBench(unsigned count = 1, DmaConfig dma = test_dma(), HbmConfig memory = test_hbm(),
                    trace::Bus* trace = nullptr)
      : bus("bus", 1),
        hbm("hbm", memory),
        core("core"),
        registers_stub("chip_registers"),
        host("host") {
    bus.hbm.bind(hbm.socket);
    bus.cores[0].bind(core.window);
    bus.registers.bind(registers_stub.window);
    host.socket.bind(bus.initiators);
    for (unsigned e = 0; e < count; ++e) {
      engines.push_back(
          std::make_unique<DmaEngine>(fmt::format("dma{}", e).c_str(), dma, e, trace, "core0"));
      engines[e]->bus.bind(bus.initiators);
      engines[e]->set_error_handler([this, e](unsigned ring, unsigned code, std::uint64_t detail) {
        errors.push_back({e, ring, code, detail});
      });
      ports.push_back(std::make_unique<TlmAccess>(fmt::format("port{}", e).c_str()));
      ports[e]->socket.bind(engines[e]->registers);
    }
  }

  // Word 0 of a descriptor.
  static std::uint32_t control(std::uint32_t bytes, unsigned phase, bool first, bool last) {
    return (bytes & 0xffff) | (phase << 24) | (first ? 1u << 26 : 0) | (last ? 1u << 27 : 0);
  }
  static std::uint64_t ring_base(unsigned engine, unsigned ring, bool tx) {
    return kRingArea + (engine * 32 + ring * 2 + (tx ? 0 : 1)) * 0x40000ull;
  }

  void set_up(unsigned engine, unsigned ring, std::uint32_t size) {
    ports[engine]->poke(ring * 0x40 + 0x00, ring_base(engine, ring, true));
    ports[engine]->poke(ring * 0x40 + 0x08, ring_base(engine, ring, false));
    ports[engine]->poke(ring * 0x40 + 0x10, size);
    sizes[{engine, ring}] = size;
    written[{engine, ring}] = 0;
  }

  void put(unsigned engine, unsigned ring, bool tx, std::uint64_t slot, std::uint32_t word0,
           std::uint32_t meta, std::uint64_t address) {
    std::vector<std::uint8_t> bytes(16);
    std::memcpy(&bytes[0], &word0, 4);
    std::memcpy(&bytes[4], &meta, 4);
    std::memcpy(&bytes[8], &address, 8);
    host.load(ring_base(engine, ring, tx) + slot * 16, bytes);
  }

  struct Piece {
    std::uint64_t address;
    std::uint32_t bytes;
  };
  // Appends one packet; both lists have the same number of entries. Returns that number.
  unsigned add_packet(unsigned engine, unsigned ring, const std::vector<Piece>& from,
                      const std::vector<Piece>& to, std::uint32_t extra_tx = 0) {
    std::uint64_t& index = written[{engine, ring}];
    const std::uint64_t size = sizes.at({engine, ring});
    for (std::size_t i = 0; i < from.size(); ++i, ++index) {
      const unsigned phase = static_cast<unsigned>(1 + index / size) % 4;
      const bool first = i == 0, last = i + 1 == from.size();
      put(engine, ring, true, index % size, control(from[i].bytes, phase, first, last) | extra_tx,
          0, from[i].address);
      put(engine, ring, false, index % size, control(to[i].bytes, phase, first, last), 0,
          to[i].address);
    }
    return static_cast<unsigned>(from.size());
  }
  unsigned add_copy(unsigned engine, unsigned ring, std::uint64_t from, std::uint64_t to,
                    std::uint32_t bytes) {
    return add_packet(engine, ring, {{from, bytes}}, {{to, bytes}});
  }
  unsigned add_increment(unsigned engine, unsigned ring, unsigned semaphore) {
    return add_copy(engine, ring, kOne, kSemaphoreInc + 4 * semaphore, 4);
  }

  void release(unsigned engine, unsigned ring, std::uint32_t pairs) {
    ports[engine]->poke(ring * 0x40 + 0x14, pairs);
  }
  std::uint32_t head(unsigned engine, unsigned ring) {
    return ports[engine]->peek<std::uint32_t>(ring * 0x40 + 0x18);
  }
  std::uint32_t status(unsigned engine, unsigned ring) {
    return ports[engine]->peek<std::uint32_t>(ring * 0x40 + 0x1c);
  }
  // Runs body, then lets everything come to rest.
  template <typename Body>
  void run(Body body) {
    simulation.run([&] {
      host.load(kOne, {1, 0, 0, 0});
      body();
    });
  }
  void settle(double us = 1000) { sc_core::wait(us, sc_core::SC_US); }

  Simulation simulation;
  ChipBus bus;
  Hbm hbm;
  CoreStub core, registers_stub;
  TlmAccess host;
  std::vector<std::unique_ptr<DmaEngine>> engines;
  std::vector<std::unique_ptr<TlmAccess>> ports;
  std::vector<Error> errors;
  std::map<std::pair<unsigned, unsigned>, std::uint64_t> sizes, written;
};

}  // namespace tern::tb
