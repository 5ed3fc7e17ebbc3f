// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm.h>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/peq_with_get.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <systemc>
#include <vector>

#include "systemc/core/neuron_core.h"
#include "tb/common/test_body.h"
#include "tb/core/bench/program.h"

namespace tern::tb {

// Round numbers, so that expected times can be written down: vector, scalar, gpsimd and sync at 1
// GHz.
CoreConfig test_core_config();

// "bench"; sets the time resolution, which must happen before there is any module or sc_time.
const char* bench_name();

// A NeuronCore with a plain memory at its initiators and a host thread at its window.
class CoreBench : public sc_core::sc_module {
 public:
  static constexpr double kMemoryDelayNs = 50;
  static constexpr std::uint64_t kMemoryBytes = 1 << 22;

  explicit CoreBench(const CoreConfig& config = test_core_config(), const CoreOptions& options = {},
                     trace::Bus* bus = nullptr, sc_core::sc_module_name name = bench_name());

  // Runs the test's body in a thread of the simulation and rethrows its exceptions.
  static void run(CoreBench& bench, std::function<void()> body);

  // Host accesses that take no simulated time.
  tlm::tlm_response_status access(bool write, std::uint64_t offset, void* data, unsigned bytes);
  std::uint32_t read_register(std::uint32_t reg);
  bool write_register(std::uint32_t reg, std::uint32_t value);
  std::uint32_t semaphore(unsigned index);
  void set_semaphore(unsigned index, std::uint32_t value);

  // Element `index` of a partition of SBUF, or of PSUM (FP32 bits).
  template <typename T>
  void poke(unsigned partition, std::uint32_t byte, const std::vector<T>& values) {
    std::vector<T> copy = values;
    access(true, sbuf_offset(partition, byte), copy.data(),
           static_cast<unsigned>(copy.size() * sizeof(T)));
  }
  template <typename T>
  std::vector<T> peek(unsigned partition, std::uint32_t byte, std::size_t count) {
    std::vector<T> values(count);
    access(false, sbuf_offset(partition, byte), values.data(),
           static_cast<unsigned>(count * sizeof(T)));
    return values;
  }
  void poke_psum(unsigned partition, unsigned column, std::vector<float> values);
  std::vector<float> peek_psum(unsigned partition, unsigned column, std::size_t count);

  // Places a program in memory and starts its queue.
  void start(unsigned queue, const Program& program);
  // Waits for the interrupt and clears it; gives the error code.
  std::uint32_t finish();
  // Runs one program (a halt is added) on a core at rest and expects it to succeed.
  void execute(unsigned queue, Program program);
  // The same, expecting an error at instruction `index`; gives the detail register.
  std::uint32_t fails(unsigned queue, const Program& program, unsigned code, unsigned index);

  // Blocks until a semaphore has a value, for at most 100 us; gives the exact time of the change.
  sc_core::sc_time when(unsigned semaphore, std::uint32_t value);

  NeuronCore core;
  sc_core::sc_signal<bool> irq;
  std::vector<std::uint8_t> memory;
  std::uint64_t last_fetch_bytes = 0;
  unsigned fetches = 0;

 private:
  SC_HAS_PROCESS(CoreBench);
  static std::uint64_t sbuf_offset(unsigned partition, std::uint32_t byte);
  void memory_transport(int port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  tlm::tlm_sync_enum memory_request(int port, tlm::tlm_generic_payload& payload,
                                    tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void memory_answers();
  void host() { body_.thread(); }

  tlm_utils::simple_initiator_socket<CoreBench> host_port_;
  tlm_utils::multi_passthrough_target_socket<CoreBench> memory_port_;
  tlm_utils::peq_with_get<tlm::tlm_generic_payload> answers_{"answers"};
  std::map<tlm::tlm_generic_payload*, int> asked_by_;  // port of the access in flight
  TestBody body_;
};

}  // namespace tern::tb
