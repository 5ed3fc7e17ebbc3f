// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <memory>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "sw/config/chip_config.h"
#include "systemc/core/core_options.h"
#include "systemc/core/core_registers.h"
#include "systemc/core/core_services.h"
#include "systemc/core/core_window.h"
#include "systemc/core/notifications.h"
#include "systemc/core/program_times.h"
#include "systemc/core/sbuf.h"
#include "systemc/core/sequencer.h"
#include "systemc/engines/tensor/tensor_engine.h"
#include "systemc/engines/vector/pipelined_engine.h"
#include "systemc/trace/trace.h"

namespace tern {

// One NeuronCore: seven queues, five engines and two collective cores, semaphores, SBUF, PSUM, 16
// DMA engines. Needs a time resolution of 1 fs.
class NeuronCore : public sc_core::sc_module {
 public:
  static constexpr unsigned kDmaEngines = CoreServices::kDmaEngines;

  // All addressable state, at its offset in the core window (docs/reference/address_map.md).
  tlm_utils::simple_target_socket<NeuronCore> window;
  tlm_utils::simple_initiator_socket<NeuronCore> fetch;
  sc_core::sc_out<bool> irq;  // done or error

  NeuronCore(sc_core::sc_module_name name, const CoreConfig& config, const DmaConfig& dma_config,
             Backend backend, const CoreOptions& options, unsigned index, trace::Bus* bus);

  // To be bound to the chip's bus: instruction fetch, then the DMA engines.
  std::vector<tlm::tlm_initiator_socket<>*> initiators();

  // One line for every running queue: where it is and what it waits for.
  std::string describe_stall() const;

  const TensorActivity& tensor_counters() const { return tensor_.counters(); }
  void reset_tensor_counters() { tensor_.reset_counters(); }
  TensorDatapath& datapath() { return *datapath_; }
  const Sequencer& queue(unsigned q) const { return *sequencers_[q]; }
  Sequencer& queue(unsigned q) { return *sequencers_[q]; }
  const CoreRegisters& registers() const { return registers_; }
  const ErrorLog& errors() const { return context_.errors; }
  const ProgramTimes& program_times() const { return program_times_; }
  dma::Engine& dma(unsigned engine) { return services_.dma(engine); }
  // The window without simulated time, also for writes: debuggers, fault injection.
  unsigned debug(tlm::tlm_generic_payload& payload) { return transport_dbg(payload); }
  // As a write of core_reset.
  void reset() { reset_.begin(); }
  // No engine works and no transfer is under way.
  bool at_rest() const;
  bool resetting() const { return reset_.active(); }
  // As the management core does: a reset, after which no queue starts; until release().
  void hold() {
    registers_.set_held(true);
    reset_.begin();
  }
  void release() { registers_.set_held(false); }
  bool held() const { return registers_.held(); }
  // What keeps a snapshot from being taken, in words; empty: nothing. No program runs, nothing is
  // in flight, and what runs next would wait for nothing that was.
  std::string in_flight() const;
  // For a snapshot, while nothing does. Restored, the interrupt follows in the next delta cycle.
  void archive_state(base::StateArchive& archive);
  // Told of every error of the core: code, queue, index and detail as in its error registers.
  // Not of what a reset stops.
  void set_error_observer(ErrorLog::Observer observer) { on_error_ = std::move(observer); }

 private:
  SC_HAS_PROCESS(NeuronCore);
  using Payload = tlm::tlm_generic_payload;

  void b_transport(Payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(Payload& payload);

  void send_fetch(Payload& payload);
  tlm::tlm_sync_enum fetch_answer(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&);
  // Blocks the calling SC_THREAD; an error code, or none.
  unsigned read_memory(std::uint64_t address, void* data, unsigned bytes);
  CoreReset::Actions reset_actions();
  // Likewise; an error code, or none.
  unsigned write_memory(std::uint64_t address, const void* data, unsigned bytes);
  unsigned access_memory(tlm::tlm_command command, std::uint64_t address, unsigned char* data,
                         unsigned bytes);
  void report_error(std::uint32_t code, std::uint32_t queue, std::uint32_t index,
                    std::uint32_t detail);
  // What the context and the DMA engines report, to the notification queues.
  void connect_notifications();
  void drive_irq();
  std::unique_ptr<TensorDatapath> build_datapath(Backend backend, const CoreConfig& config,
                                                 const CoreOptions& options);
  std::unique_ptr<PipelinedEngine> build_engine(unsigned queue, const CoreConfig& config,
                                                const CoreOptions& options);
  std::string describe_instruction(unsigned queue, unsigned index) const;
  std::unique_ptr<Sequencer> build_sequencer(unsigned queue, const CoreConfig& config);
  CoreRegisters::Queues queues() const;

  const std::string process_;  // of the trace
  Sbuf sbuf_;
  CoreContext context_;
  std::unique_ptr<TensorDatapath> datapath_;
  TensorEngine tensor_;
  MemoryPorts ports_;
  std::array<std::unique_ptr<PipelinedEngine>, TERN_QUEUE_COUNT>
      engines_;  // none for the tensor queue
  std::array<std::unique_ptr<Sequencer>, TERN_QUEUE_COUNT> sequencers_;
  CoreReset reset_;
  Notifications notifications_;
  CoreRegisters registers_;
  CoreServices services_;
  CoreWindow window_;
  ErrorLog::Observer on_error_;
  ProgramTimes program_times_;
  sc_core::sc_event irq_changed_;
};

}  // namespace tern
