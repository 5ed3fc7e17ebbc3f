// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <vector>

#include "systemc/chip/simulation.h"
#include "systemc/memory/hbm.h"
#include "systemc/memory/sparse_memory.h"
#include "systemc/noc/chip_bus.h"
#include "systemc/trace/sim_time.h"
#include "tb/common/seed.h"
#include "tb/common/tlm_access.h"

using tern::Hbm;
using tern::SparseMemory;
using tern::tb::TlmAccess;

namespace {

constexpr std::uint64_t kStackWindow = 0x1000000000;  // docs/reference/address_map.md

tern::HbmConfig two_stacks() {
  tern::HbmConfig config;
  config.stacks = 2;
  config.stack_bytes = 36ull << 30;
  config.bandwidth_gb_per_s = 2000;
  config.latency_ns = 150;
  return config;
}

}  // namespace

TEST_CASE("sparse memory reads zero where nothing was written, and costs what was") {
  SparseMemory memory(144ull << 30);
  std::vector<std::uint8_t> data(100, 0xff);
  memory.read((144ull << 30) - 100, data.data(), 100);
  CHECK(data == std::vector<std::uint8_t>(100, 0));
  CHECK(memory.allocated_bytes() == 0);
  const std::uint8_t byte = 1;
  memory.write(100ull << 30, &byte, 1);
  CHECK(memory.allocated_bytes() == SparseMemory::kPageBytes);
  CHECK(memory.contains((144ull << 30) - 1, 1));
  CHECK_FALSE(memory.contains((144ull << 30) - 1, 2));
  CHECK_FALSE(memory.contains(~0ull, 2));
  CHECK_THROWS(memory.write(144ull << 30, &byte, 1));
}

TEST_CASE("sparse memory against a map of bytes") {
  std::mt19937_64 random(tern::tb::test_seed());
  const std::uint64_t size = 4 * SparseMemory::kPageBytes;
  SparseMemory memory(size);
  std::map<std::uint64_t, std::uint8_t> reference;
  for (unsigned round = 0; round < 400; ++round) {
    const std::size_t bytes = 1 + random() % 3000;
    // Half of the accesses straddle a page.
    const std::uint64_t page = (1 + random() % 3) * SparseMemory::kPageBytes;
    const std::uint64_t address = round % 2 ? page - random() % bytes : random() % (size - bytes);
    std::vector<std::uint8_t> data(bytes);
    if (random() % 2) {
      for (auto& value : data) value = static_cast<std::uint8_t>(random());
      memory.write(address, data.data(), bytes);
      for (std::size_t i = 0; i < bytes; ++i) reference[address + i] = data[i];
    } else {
      memory.read(address, data.data(), bytes);
      bool equal = true;
      for (std::size_t i = 0; i < bytes; ++i) {
        const auto found = reference.find(address + i);
        equal = equal && data[i] == (found == reference.end() ? 0 : found->second);
      }
      REQUIRE(equal);
    }
  }
}

TEST_CASE("HBM: latency, bandwidth and sharing follow the formula") {
  tern::Simulation simulation;
  Hbm hbm("hbm", two_stacks());
  TlmAccess a("a");
  a.socket.bind(hbm.socket);
  simulation.run([&] {
    std::vector<std::uint8_t> data(1 << 20, 7);
    // 64 bytes at 1000 GB/s are 0.064 ns.
    CHECK(a.read(0, data.data(), 64).delay == sc_core::sc_time(150.064, sc_core::SC_NS));
    sc_core::wait(1, sc_core::SC_US);
    // Two megabytes at once queue up behind each other on one stack ...
    CHECK(a.write(0, data.data(), 1 << 20).delay ==
          sc_core::sc_time(1048.576 + 150, sc_core::SC_NS));
    CHECK(a.read(1 << 20, data.data(), 1 << 20).delay ==
          sc_core::sc_time(2 * 1048.576 + 150, sc_core::SC_NS));
    // ... and not on two.
    CHECK(a.write(kStackWindow, data.data(), 1 << 20).delay ==
          sc_core::sc_time(1048.576 + 150, sc_core::SC_NS));
    sc_core::wait(10, sc_core::SC_US);
    // A delay annotated by the caller moves the arrival.
    CHECK(a.access(tlm::TLM_READ_COMMAND, 0, data.data(), 1000, sc_core::sc_time(5, sc_core::SC_NS))
              .delay == sc_core::sc_time(156, sc_core::SC_NS));

    // Sustained: 1000 accesses of 4 KiB take 1000 * 4.096 ns beside one latency.
    sc_core::wait(10, sc_core::SC_US);
    sc_core::sc_time last;
    for (unsigned i = 0; i < 1000; ++i) last = a.read(i * 4096, data.data(), 4096).delay;
    CHECK(last.to_seconds() == Approx(4096e-9 + 150e-9).epsilon(1e-9));
  });
  CHECK(hbm.counters(0).reads == 1003);
  CHECK(hbm.counters(0).read_bytes == 64 + (1 << 20) + 1000 + 4096000);
  CHECK(hbm.counters(0).write_bytes == 1 << 20);
  CHECK(hbm.counters(1).write_bytes == 1 << 20);
  CHECK(hbm.stack_gb_per_s() == 1000);
}

TEST_CASE("HBM: errors and the debug path") {
  tern::Simulation simulation;
  Hbm hbm("hbm", two_stacks());
  TlmAccess a("a");
  a.socket.bind(hbm.socket);
  simulation.run([&] {
    std::uint8_t data[64] = {};
    CHECK(a.read(36ull << 30, data, 1).status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(a.read((36ull << 30) - 32, data, 64).status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(a.read(2 * kStackWindow, data, 1).status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(a.read((36ull << 30) - 64, data, 64).status == tlm::TLM_OK_RESPONSE);
    CHECK(a.access(tlm::TLM_IGNORE_COMMAND, 0, data, 4).status == tlm::TLM_COMMAND_ERROR_RESPONSE);
    tlm::tlm_generic_payload payload;
    payload.set_read();
    payload.set_address(0);
    payload.set_data_ptr(data);
    payload.set_data_length(8);
    payload.set_streaming_width(4);
    sc_core::sc_time delay;
    a.socket->b_transport(payload, delay);
    CHECK(payload.get_response_status() == tlm::TLM_BURST_ERROR_RESPONSE);
    payload.set_streaming_width(8);
    payload.set_byte_enable_ptr(data);
    a.socket->b_transport(payload, delay);
    CHECK(payload.get_response_status() == tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);

    a.load(kStackWindow + 5, {1, 2, 3});
    CHECK(a.fetch(kStackWindow + 4, 5) == std::vector<std::uint8_t>{0, 1, 2, 3, 0});
    CHECK(a.debug(tlm::TLM_READ_COMMAND, 36ull << 30, data, 1) == 0);
  });
  CHECK(hbm.counters(1).reads == 0);
}

namespace {

// Remembers the address it was given.
struct Probe : sc_core::sc_module {
  tlm_utils::simple_target_socket<Probe> socket;
  std::uint64_t seen = 0;
  explicit Probe(sc_core::sc_module_name name) : sc_module(name), socket("socket") {
    socket.register_b_transport(this, &Probe::b_transport);
    socket.register_transport_dbg(this, &Probe::debug);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    seen = payload.get_address();
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  unsigned debug(tlm::tlm_generic_payload& payload) {
    seen = payload.get_address();
    return payload.get_data_length();
  }
};

}  // namespace

TEST_CASE("bus: decoding, offsets and errors outside") {
  tern::Simulation simulation;
  tern::ChipBus bus("bus", 2);
  Probe hbm("hbm"), registers("registers"), core0("core0"), core1("core1");
  TlmAccess a("a"), b("b");
  a.socket.bind(bus.initiators);
  b.socket.bind(bus.initiators);
  bus.hbm.bind(hbm.socket);
  bus.registers.bind(registers.socket);
  bus.cores[0].bind(core0.socket);
  bus.cores[1].bind(core1.socket);
  simulation.run([&] {
    std::uint32_t word = 0;
    const auto ok = [&](TlmAccess& from, std::uint64_t address, const Probe& to,
                        std::uint64_t offset) {
      CHECK(from.read(address, &word, 4).status == tlm::TLM_OK_RESPONSE);
      CHECK(to.seen == offset);
      CHECK(from.debug(tlm::TLM_READ_COMMAND, address + 4, &word, 4) == 4);
      CHECK(to.seen == offset + 4);
    };
    ok(a, 0x3000000010, hbm, 0x3000000010);
    ok(b, 0x20000000000, core0, 0);
    ok(b, 0x20120001800, core1, 0x20001800);
    ok(a, 0x30000000008, registers, 8);
    for (const std::uint64_t address :
         {0x10000000000ull, 0x20200000000ull, 0x201fffffffeull, 0x2ffffffffffull, 0x30000001000ull,
          0x3ffffffffffull, 0x40000000000ull, 0x100000000000000ull, 0xffffffffffffffffull}) {
      INFO(std::hex << address);
      CHECK(a.read(address, &word, 4).status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
      CHECK(a.debug(tlm::TLM_READ_COMMAND, address, &word, 4) == 0);
    }
    // The address in the payload is the caller's again.
    tlm::tlm_generic_payload payload;
    payload.set_read();
    payload.set_address(0x20000000004);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
    payload.set_data_length(4);
    sc_core::sc_time delay;
    a.socket->b_transport(payload, delay);
    CHECK(payload.get_address() == 0x20000000004);
  });
}
