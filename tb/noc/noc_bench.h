// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/peq_with_get.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "sw/spec/generated/address_map.h"
#include "systemc/chip/simulation.h"
#include "systemc/memory/sparse_memory.h"
#include "systemc/noc/noc.h"
#include "systemc/trace/sim_time.h"
#include "tb/common/tlm_access.h"

namespace tern::tb {

// A stack as the network needs it: any number of accesses at once, each done after a fixed time.
class PlainStack : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<PlainStack> socket;

  PlainStack(sc_core::sc_module_name name, double latency_ns)
      : sc_module(name), socket("socket"), latency_fs_(ns_to_fs(latency_ns)), answers_("answers") {
    socket.register_nb_transport_fw(this, &PlainStack::nb_transport_fw);
    socket.register_transport_dbg(this, &PlainStack::transport_dbg);
    SC_HAS_PROCESS(PlainStack);
    SC_METHOD(respond);
    sensitive << answers_.get_event();
    dont_initialize();
  }

  std::vector<unsigned> classes;           // of the accesses, in order of their arrival
  std::uint64_t bad_address = UINT64_MAX;  // answers with an uncorrectable error

 private:
  using Payload = tlm::tlm_generic_payload;

  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) {
    classes.push_back(payload.get_extension<Traffic>()->traffic_class);
    answers_.notify(payload, delay + from_fs(latency_fs_));
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  unsigned transport_dbg(Payload& payload) {
    move(payload);
    return payload.get_data_length();
  }
  void move(Payload& payload) {
    if (payload.is_read()) {
      memory_.read(payload.get_address(), payload.get_data_ptr(), payload.get_data_length());
    } else {
      memory_.write(payload.get_address(), payload.get_data_ptr(), payload.get_data_length());
    }
  }
  void respond() {
    while (Payload* payload = answers_.get_next_transaction()) {
      if (payload->get_address() == bad_address) {
        auto* traffic = payload->get_extension<Traffic>();
        traffic->fault = MemoryFault::kUncorrectableEcc;
        traffic->fault_address = bad_address;
        payload->set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
      } else {
        move(*payload);
        payload->set_response_status(tlm::TLM_OK_RESPONSE);
      }
      tlm::tlm_phase phase = tlm::BEGIN_RESP;
      sc_core::sc_time delay;
      socket->nb_transport_bw(*payload, phase, delay);
    }
  }

  const std::uint64_t latency_fs_;
  SparseMemory memory_{TERN_HBM_STRIDE * TERN_HBM_COUNT};
  tlm_utils::peq_with_get<Payload> answers_;
};

// A core's window: SBUF answers at once, PSUM and registers take time. Nothing outside of the first
// 64 MiB of a region.
class PlainCore : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<PlainCore> socket;
  static constexpr double kSlowNs = 7;

  explicit PlainCore(sc_core::sc_module_name name) : sc_module(name), socket("socket") {
    socket.register_b_transport(this, &PlainCore::b_transport);
    socket.register_transport_dbg(this, &PlainCore::transport_dbg);
  }

 private:
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) {
    memory_.read(payload.get_address(), payload.get_data_ptr(), payload.get_data_length());
    return payload.get_data_length();
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    const std::uint64_t address = payload.get_address();
    if (address % TERN_CORE_PSUM_BASE >= 64u << 20) {
      payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    if (address >= TERN_CORE_PSUM_BASE) sc_core::wait(kSlowNs, sc_core::SC_NS);
    if (payload.is_read()) {
      memory_.read(address, payload.get_data_ptr(), payload.get_data_length());
    } else {
      memory_.write(address, payload.get_data_ptr(), payload.get_data_length());
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }

  SparseMemory memory_{TERN_CORE_STRIDE};
};

class PlainRegisters : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<PlainRegisters> socket;
  explicit PlainRegisters(sc_core::sc_module_name name) : sc_module(name), socket("socket") {
    socket.register_b_transport(this, &PlainRegisters::b_transport);
  }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    if (payload.is_read()) {
      std::fill_n(payload.get_data_ptr(), payload.get_data_length(), std::uint8_t{0x5a});
    }
    payload.set_response_status(payload.is_read() ? tlm::TLM_OK_RESPONSE
                                                  : tlm::TLM_COMMAND_ERROR_RESPONSE);
  }
};

// Sends transactions without waiting for them, as a DMA engine does.
class AtInitiator : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<AtInitiator> socket;

  struct Access {
    tlm::tlm_generic_payload payload;
    Traffic* traffic = new Traffic;  // the payload's
    std::vector<std::uint8_t> data;
    std::uint64_t begin_fs = 0, end_fs = 0;
    bool done = false;
    double latency_ns() const { return static_cast<double>(end_fs - begin_fs) * 1e-6; }
  };

  explicit AtInitiator(sc_core::sc_module_name name) : sc_module(name), socket("socket") {
    socket.register_nb_transport_bw(this, &AtInitiator::nb_transport_bw);
  }

  Access& read(std::uint64_t address, unsigned bytes, unsigned cls = 3) {
    return send(tlm::TLM_READ_COMMAND, address, std::vector<std::uint8_t>(bytes), cls);
  }
  Access& write(std::uint64_t address, std::vector<std::uint8_t> data, unsigned cls = 3) {
    return send(tlm::TLM_WRITE_COMMAND, address, std::move(data), cls);
  }
  unsigned under_way() const { return under_way_; }
  // Blocks the calling thread.
  void wait_all() {
    while (under_way_ > 0) sc_core::wait(answered_);
  }
  const sc_core::sc_event& answered() const { return answered_; }
  std::deque<Access> accesses;

 private:
  Access& send(tlm::tlm_command command, std::uint64_t address, std::vector<std::uint8_t> data,
               unsigned cls) {
    accesses.emplace_back();
    Access& access = accesses.back();
    access.data = std::move(data);
    access.traffic->traffic_class = cls;
    access.payload.set_extension(access.traffic);
    access.payload.set_command(command);
    access.payload.set_address(address);
    access.payload.set_data_ptr(access.data.data());
    access.payload.set_data_length(static_cast<unsigned>(access.data.size()));
    access.payload.set_streaming_width(static_cast<unsigned>(access.data.size()));
    access.begin_fs = now_fs();
    by_payload_[&access.payload] = &access;
    ++under_way_;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    const auto result = socket->nb_transport_fw(access.payload, phase, delay);
    if (result == tlm::TLM_COMPLETED) end(access);
    return access;
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase&,
                                     sc_core::sc_time&) {
    end(*by_payload_.at(&payload));
    return tlm::TLM_COMPLETED;
  }
  void end(Access& access) {
    access.end_fs = now_fs();
    access.done = true;
    --under_way_;
    answered_.notify(sc_core::SC_ZERO_TIME);
  }

  std::map<tlm::tlm_generic_payload*, Access*> by_payload_;
  unsigned under_way_ = 0;
  sc_core::sc_event answered_;
};

// Numbers that make formulas easy to work out: 1 byte per ns at 1 GB/s.
inline NocConfig test_noc() {
  NocConfig config;
  config.dies = 2;
  config.hop_ns = 10;
  config.core_port_gb_per_s = 512;  // a kilobyte in 2 ns
  config.die_link_gb_per_s = 128;   // 8 ns
  config.die_link_ns = 30;
  config.host_port_gb_per_s = 32;  // 32 ns
  config.qos.policy = qos::Policy::kStrict;
  return config;
}

constexpr double kHbmNs = 100;

// 4 cores and 4 stacks on two dies; initiator 0 is the host, 1 + c an engine of core c.
struct NocBench {
  static constexpr unsigned kCores = 4;

  explicit NocBench(const NocConfig& config = test_noc(), trace::Bus* trace = nullptr)
      : noc("noc", config, {kCores, 4, 1024}, trace), registers("registers") {
    for (unsigned n = 0; n < 4; ++n) {
      stacks.push_back(std::make_unique<PlainStack>(("stack" + std::to_string(n)).c_str(), kHbmNs));
      noc.stacks[n].bind(stacks.back()->socket);
    }
    noc.registers.bind(registers.socket);
    noc.attach(host.socket, {"host", 0, noc::Entrance::kHost, 2});
    for (unsigned c = 0; c < kCores; ++c) {
      cores.push_back(std::make_unique<PlainCore>(("core" + std::to_string(c)).c_str()));
      noc.cores[c].bind(cores.back()->socket);
      engines.push_back(std::make_unique<AtInitiator>(("engine" + std::to_string(c)).c_str()));
      noc.attach(engines.back()->socket,
                 {"engine", noc.topology().die_of_core(c), noc::Entrance::kInside, 3});
    }
    noc.attach(fetch.socket, {"fetch", 0, noc::Entrance::kInside, 1});
  }

  static std::uint64_t sbuf(unsigned core, std::uint64_t offset = 0) {
    return TERN_CORE_BASE + core * TERN_CORE_STRIDE + offset;
  }
  static std::uint64_t stack(unsigned s, std::uint64_t offset = 0) {
    return s * TERN_HBM_STRIDE + offset;
  }

  Simulation simulation;
  noc::Noc noc;
  std::vector<std::unique_ptr<PlainStack>> stacks;
  PlainRegisters registers;
  std::vector<std::unique_ptr<PlainCore>> cores;
  std::vector<std::unique_ptr<AtInitiator>> engines;
  TlmAccess host{"host"}, fetch{"fetch"};
};

}  // namespace tern::tb
