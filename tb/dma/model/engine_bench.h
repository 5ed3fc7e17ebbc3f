// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/peq_with_get.h>
#include <tlm_utils/simple_target_socket.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <systemc>

#include "systemc/chip/simulation.h"
#include "systemc/dma/engine.h"
#include "systemc/trace/sim_time.h"
#include "tb/common/tlm_access.h"
#include "tb/dma/model/unit_bench.h"

namespace tern::tb {

// A memory for phases: every access takes the same time. Addresses from `end` on do not exist.
struct PhaseMemory : sc_core::sc_module {
  tlm_utils::simple_target_socket<PhaseMemory> socket;
  SparseMemory bytes;
  std::uint64_t latency_fs = 100'000'000;
  std::uint64_t end = UINT64_MAX;
  struct Seen {
    bool write;
    std::uint64_t fs, address;
    unsigned bytes, traffic_class;
  };
  std::vector<Seen> seen;

  explicit PhaseMemory(sc_core::sc_module_name name)
      : sc_module(name), socket("socket"), queue_("q") {
    socket.register_nb_transport_fw(this, &PhaseMemory::forward);
    SC_HAS_PROCESS(PhaseMemory);
    SC_METHOD(respond);
    sensitive << queue_.get_event();
    dont_initialize();
  }

 private:
  tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                             sc_core::sc_time&) {
    p.acquire();
    const auto* traffic = p.get_extension<Traffic>();
    seen.push_back(
        {p.is_write(), now_fs(), p.get_address(), p.get_data_length(), traffic->traffic_class});
    queue_.notify(p, from_fs(latency_fs));
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  void respond() {
    while (auto* p = queue_.get_next_transaction()) {
      const bool exists = p->get_address() + p->get_data_length() <= end;
      if (exists && p->is_write()) {
        bytes.write(p->get_address(), p->get_data_ptr(), p->get_data_length());
      } else if (exists) {
        bytes.read(p->get_address(), p->get_data_ptr(), p->get_data_length());
      }
      p->set_response_status(exists ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
      tlm::tlm_phase phase = tlm::BEGIN_RESP;
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      socket->nb_transport_bw(*p, phase, delay);
      p->release();
    }
  }
  tlm_utils::peq_with_get<tlm::tlm_generic_payload> queue_;
};

struct EngineError {
  unsigned ring, code;
  std::uint64_t detail;
};

// One engine with a memory and a host at its registers; rings as software writes them.
class EngineBench {
 public:
  explicit EngineBench(const DmaConfig& config, trace::Bus* trace = nullptr,
                       const dma::UnitFactory& factory = {})
      : memory("memory"),
        host("host"),
        clock("clock", config.clock_ghz),
        engine("engine", config, clock, 0, trace, "core0", factory) {
    engine.bus.bind(memory.socket);
    host.socket.bind(engine.registers);
    engine.set_error_handler([this](unsigned ring, unsigned code, std::uint64_t detail) {
      errors.push_back({ring, code, detail});
    });
  }

  void poke(unsigned ring, std::uint32_t offset, std::uint32_t value) {
    if (host.poke(ring * 0x40 + offset, value) != tlm::TLM_OK_RESPONSE) {
      throw std::runtime_error("the register takes no write");
    }
  }
  std::uint32_t peek(unsigned ring, std::uint32_t offset) {
    return host.peek<std::uint32_t>(ring * 0x40 + offset);
  }
  void set_up(unsigned ring, std::uint32_t size) {
    for (const bool tx : {true, false}) {
      host.poke(ring * 0x40 + (tx ? TERN_REG_DMA_RING_TX_BASE : TERN_REG_DMA_RING_RX_BASE),
                UnitBench::base(ring, tx));
    }
    poke(ring, TERN_REG_DMA_RING_SIZE, size);
    sizes[ring] = size;
    written[ring] = 0;
  }
  void put(unsigned ring, UnitBench::Words words) {
    std::uint64_t& index = written[ring];
    const auto phase = static_cast<std::uint32_t>(1 + index / sizes[ring]) % 4;
    words.tx[0] |= phase << 24;
    words.rx[0] |= phase << 24;
    memory.bytes.write(UnitBench::base(ring, true) + index % sizes[ring] * 16, words.tx, 16);
    memory.bytes.write(UnitBench::base(ring, false) + index % sizes[ring] * 16, words.rx, 16);
    ++index;
  }
  void put_copy(unsigned ring, std::uint64_t from, std::uint64_t to, std::uint32_t bytes) {
    put(ring, UnitBench::copy_pair(from, bytes, to, bytes, true, true));
  }
  template <typename Body>
  void run(Body body) {
    simulation.run([&] { body(); });
  }
  static void settle(double us = 100) { sc_core::wait(us, sc_core::SC_US); }

  Simulation simulation;
  PhaseMemory memory;
  TlmAccess host;
  dma::EngineClock clock;
  dma::Engine engine;
  std::vector<EngineError> errors;
  std::map<unsigned, std::uint64_t> sizes, written;
};

// 1 GHz, so that a cycle is 1 ns; no pauses.
inline DmaConfig plain_engine() {
  DmaConfig config;
  config.clock_ghz = 1;
  config.efficiency = 1;
  config.descriptor_cycles = 0;
  config.doorbell_latency_ns = 0;
  return config;
}

}  // namespace tern::tb
