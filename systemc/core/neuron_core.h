// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "sw/config/chip_config.h"
#include "sw/spec/generated/address_map.h"
#include "systemc/core/core_options.h"
#include "systemc/core/core_registers.h"
#include "systemc/core/sbuf.h"
#include "systemc/core/sequencer.h"
#include "systemc/dge/hw_dge.h"
#include "systemc/dge/sw_dge.h"
#include "systemc/dma/engine.h"
#include "systemc/engines/tensor/tensor_engine.h"
#include "systemc/engines/vector/pipelined_engine.h"
#include "systemc/gpsimd/custom_operator.h"
#include "systemc/trace/trace.h"

namespace tern {

// One NeuronCore: five queues and their engines, semaphores, SBUF, PSUM, 16 DMA engines.
// Needs a time resolution of 1 fs.
class NeuronCore : public sc_core::sc_module, private dge::RingPort {
 public:
  static constexpr unsigned kDmaEngines = TERN_CORE_DMA_COUNT;

  // Everything addressable, at its offset in the core window (docs/reference/address_map.md).
  tlm_utils::simple_target_socket<NeuronCore> window;
  tlm_utils::simple_initiator_socket<NeuronCore> fetch;
  sc_core::sc_out<bool> irq;  // done or error

  NeuronCore(sc_core::sc_module_name name, const CoreConfig& config, const DmaConfig& dma_config,
             TensorBackend backend, const CoreOptions& options, unsigned index, trace::Bus* bus);

  // To be bound to the chip's bus: instruction fetch, then the DMA engines.
  std::vector<tlm::tlm_initiator_socket<>*> initiators();

  // One line for every running queue: where it is and what it waits for.
  std::string describe_stall() const;

  const TensorEngineCounters& tensor_counters() const { return tensor_.counters(); }
  void reset_tensor_counters() { tensor_.reset_counters(); }
  TensorDatapath& datapath() { return *datapath_; }
  const Sequencer& queue(unsigned q) const { return *sequencers_[q]; }
  const CoreRegisters& registers() const { return registers_; }
  const ErrorLog& errors() const { return context_.errors; }
  dma::Engine& dma(unsigned engine) { return *dma_[engine]; }

 private:
  SC_HAS_PROCESS(NeuronCore);
  using Payload = tlm::tlm_generic_payload;

  // Forwards a register access to one DMA engine.
  struct DmaPort {
    explicit DmaPort(const char* name) : socket(name) {}
    tlm_utils::simple_initiator_socket<DmaPort> socket;
  };

  void b_transport(Payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(Payload& payload);
  tlm::tlm_response_status access(Payload& payload, sc_core::sc_time& delay);
  tlm::tlm_response_status access_sbuf(Payload& payload);
  tlm::tlm_response_status access_psum(Payload& payload, bool debug);
  tlm::tlm_response_status access_registers(Payload& payload, std::uint64_t offset, bool debug);
  tlm::tlm_response_status access_dma(Payload& payload, std::uint64_t offset,
                                      sc_core::sc_time& delay);

  void send_fetch(Payload& payload);
  tlm::tlm_sync_enum fetch_answer(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&);
  // Blocks the calling SC_THREAD; false on a bus error.
  bool read_memory(std::uint64_t address, void* data, unsigned bytes);
  ProgramOutcome run_custom_op(const tern_instr_custom_op_t& instruction);
  ProgramOutcome run_indirect(const tern_instr_dma_indirect_t& instruction);
  void note_ring_registers(const Payload& payload, std::uint64_t offset);
  bool at_rest() const;
  // dge::RingPort
  bool push_pair(unsigned engine, unsigned ring, const std::uint8_t* pair) override;
  void doorbell(unsigned engine, unsigned ring, unsigned pairs) override;
  bool stopped(unsigned engine, unsigned ring) override;
  std::uint32_t head(unsigned engine, unsigned ring) override;

  void trigger_dma(const tern_instr_dma_trigger_t& instruction);
  void drive_irq();
  std::unique_ptr<TensorDatapath> build_datapath(TensorBackend backend, const CoreOptions& options);
  std::unique_ptr<PipelinedEngine> build_engine(unsigned queue, const CoreConfig& config,
                                                const CoreOptions& options);
  std::string describe_instruction(unsigned queue, unsigned index) const;
  std::unique_ptr<Sequencer> build_sequencer(unsigned queue, const CoreConfig& config);
  CoreRegisters::Queues queues() const;

  const std::string process_;  // of the trace
  Sbuf sbuf_;
  const TensorBackend backend_;
  CoreContext context_;
  std::unique_ptr<TensorDatapath> datapath_;
  TensorEngine tensor_;
  gpsimd::CustomOperator custom_operator_;
  ClockDomain gpsimd_clock_;
  MemoryPorts ports_;
  std::array<std::unique_ptr<PipelinedEngine>, TERN_QUEUE_COUNT>
      engines_;  // none for the tensor queue
  std::array<std::unique_ptr<Sequencer>, TERN_QUEUE_COUNT> sequencers_;
  CoreRegisters registers_;
  dma::EngineClock dma_clock_;
  std::array<std::unique_ptr<dma::Engine>, kDmaEngines> dma_;
  std::array<std::unique_ptr<DmaPort>, kDmaEngines> dma_ports_;
  dge::HwDge scalar_dge_, sync_dge_;
  dge::SwDge gpsimd_dge_;
  sc_core::sc_event irq_changed_;
};

}  // namespace tern
