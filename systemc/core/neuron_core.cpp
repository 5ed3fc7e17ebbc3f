// SPDX-License-Identifier: Apache-2.0
#include "systemc/core/neuron_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sw/base/user_error.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/queues.h"
#include "systemc/core/instruction_info.h"

namespace tern {

namespace {

TensorShape tensor_shape(const CoreConfig& config) {
  TensorShape shape;
  shape.sbuf_bytes = static_cast<unsigned>(config.sbuf_partition_bytes);
  shape.ramp_cycles = config.tensor_ramp_cycles;
  shape.stages = config.tensor_stages;
  return shape;
}

CoreLimits core_limits(const CoreConfig& config) {
  CoreLimits limits;
  limits.sbuf_bytes = config.sbuf_partition_bytes;
  limits.tensor = config.tensor;
  limits.exp_per_cycle = config.vector.exp_per_cycle;
  limits.scalar = config.scalar_features;
  return limits;
}

double clock_ghz(unsigned queue, const CoreConfig& config) {
  switch (queue) {
    case TERN_QUEUE_TENSOR:
      return config.tensor_clock_ghz;
    case TERN_QUEUE_VECTOR:
      return config.vector.clock_ghz;
    case TERN_QUEUE_SCALAR:
      return config.scalar.clock_ghz;
    case TERN_QUEUE_GPSIMD:
      return config.gpsimd.clock_ghz;
    default:
      return config.sync.clock_ghz;
  }
}

std::uint64_t checked_partition_bytes(const CoreConfig& config) {
  if (sc_core::sc_get_time_resolution() != sc_core::sc_time(1, sc_core::SC_FS)) {
    throw RunError(
        "NeuronCore needs a time resolution of 1 fs: call sc_set_time_resolution(1, SC_FS) first");
  }
  if (config.sbuf_partition_bytes == 0 || config.sbuf_partition_bytes > TERN_CORE_SBUF_STRIDE) {
    throw UserError(fmt::format("core.sbuf_partition_bytes: expected 1 .. {}, got {}",
                                TERN_CORE_SBUF_STRIDE, config.sbuf_partition_bytes));
  }
  return config.sbuf_partition_bytes;
}

}  // namespace

NeuronCore::NeuronCore(sc_core::sc_module_name name, const CoreConfig& config,
                       const DmaConfig& dma_config, Backend backend, const CoreOptions& options,
                       unsigned index, trace::Bus* bus)
    : sc_module(name),
      window("window"),
      fetch("fetch"),
      irq("irq"),
      process_(fmt::format("core{}", index)),
      sbuf_(checked_partition_bytes(config)),
      context_{Semaphores({sc_core::sc_time(config.semaphore_latency_ns, sc_core::SC_NS),
                           sc_core::sc_time(dma_config.completion_latency_ns, sc_core::SC_NS)}),
               {},
               core_limits(config),
               config.control,
               sbuf_.access(),
               options.describe,
               bus,
               [this] { irq_changed_.notify(sc_core::SC_ZERO_TIME); },
               {},
               [this] { return at_rest(); }},
      datapath_(build_datapath(backend, config, options)),
      tensor_("tensor", config.tensor_clock_ghz, *datapath_),
      engines_{nullptr,
               build_engine(TERN_QUEUE_VECTOR, config, options),
               build_engine(TERN_QUEUE_SCALAR, config, options),
               build_engine(TERN_QUEUE_GPSIMD, config, options),
               build_engine(TERN_QUEUE_SYNC, config, options),
               build_engine(TERN_QUEUE_CC0, config, options),
               build_engine(TERN_QUEUE_CC1, config, options)},
      sequencers_{
          build_sequencer(TERN_QUEUE_TENSOR, config), build_sequencer(TERN_QUEUE_VECTOR, config),
          build_sequencer(TERN_QUEUE_SCALAR, config), build_sequencer(TERN_QUEUE_GPSIMD, config),
          build_sequencer(TERN_QUEUE_SYNC, config),   build_sequencer(TERN_QUEUE_CC0, config),
          build_sequencer(TERN_QUEUE_CC1, config)},
      reset_("reset", reset_actions()),
      notifications_(
          "notifications",
          [this](std::uint64_t address, const void* data, unsigned bytes) {
            return write_memory(address, data, bytes) == TERN_ERROR_NONE;
          },
          [this] { irq_changed_.notify(sc_core::SC_ZERO_TIME); }),
      registers_(context_, queues(), reset_, notifications_),
      services_(config, dma_config, options, context_, sbuf_, index, process_,
                [this](std::uint64_t address, void* data, unsigned bytes) {
                  return read_memory(address, data, bytes);
                }),
      window_(sbuf_, options.make_near_memory(options.near_memory, process_), tensor_,
              backend == Backend::kModel, registers_, services_) {
  fetch.register_nb_transport_bw(this, &NeuronCore::fetch_answer);
  window.register_b_transport(this, &NeuronCore::b_transport);
  window.register_transport_dbg(this, &NeuronCore::transport_dbg);
  if (bus != nullptr) {
    context_.semaphores.observe(
        [bus, track = bus->add_track(process_, "semaphores")](unsigned index, std::uint32_t value) {
          if (!bus->shows_states()) return;
          const std::string name = index < Semaphores::kFirstEvent
                                       ? fmt::format("s{}", index)
                                       : fmt::format("e{}", index - Semaphores::kFirstEvent);
          bus->state(track, name, sc_core::sc_time_stamp().value(), std::uint64_t{value});
        });
  }
  connect_notifications();
  SC_METHOD(drive_irq);
  sensitive << irq_changed_;
}

void NeuronCore::connect_notifications() {
  context_.errors.observer = [this](std::uint32_t code, std::uint32_t queue, std::uint32_t index,
                                    std::uint32_t detail) {
    if (!reset_.active()) report_error(code, queue, index, detail);
  };
  context_.halted = [this](unsigned queue, std::uint32_t index) {
    tern_notification entry{};
    entry.type = TERN_NOTIFICATION_DONE;
    entry.queue = static_cast<std::uint8_t>(queue);
    entry.index = index;
    notifications_.post(entry);
  };
  for (unsigned e = 0; e < kDmaEngines; ++e) {
    services_.dma(e).set_packet_handler([this, e](unsigned ring, std::uint32_t bytes) {
      if (!notifications_.takes(TERN_NOTIFICATION_PACKET) || !notifications_.takes_ring(ring))
        return;
      tern_notification entry{};
      entry.type = TERN_NOTIFICATION_PACKET;
      entry.queue = static_cast<std::uint8_t>(TERN_REG_CORE_ERROR_QUEUE_DMA + e);
      entry.index = ring;
      entry.detail = bytes;
      notifications_.post(entry);
    });
  }
}

void NeuronCore::report_error(std::uint32_t code, std::uint32_t queue, std::uint32_t index,
                              std::uint32_t detail) {
  tern_notification entry{};
  entry.type = TERN_NOTIFICATION_ERROR;
  entry.queue = static_cast<std::uint8_t>(queue);
  entry.code = static_cast<std::uint8_t>(code);
  entry.index = index;
  entry.detail = detail;
  notifications_.post(entry);
  if (on_error_) on_error_(code, queue, index, detail);
}

std::unique_ptr<TensorDatapath> NeuronCore::build_datapath(Backend backend,
                                                           const CoreConfig& config,
                                                           const CoreOptions& options) {
  DatapathRequest request;
  request.backend = backend;
  request.shape = tensor_shape(config);
  request.sbuf = sbuf_.view();
  request.core = process_;
  request.describe = [this](std::uint32_t tag) {
    return describe_instruction(TERN_QUEUE_TENSOR, tensor_.index_of_tag(tag));
  };
  return options.make_datapath(request);
}

std::string NeuronCore::describe_instruction(unsigned queue, unsigned index) const {
  std::string text = fmt::format("{} queue {} instruction {}", name(), queue_name(queue), index);
  const std::string origin = context_.describe ? context_.describe(queue, index) : std::string();
  if (!origin.empty()) text += " (" + origin + ")";
  return text;
}

std::unique_ptr<PipelinedEngine> NeuronCore::build_engine(unsigned queue, const CoreConfig& config,
                                                          const CoreOptions& options) {
  std::unique_ptr<Elementwise> elementwise;  // of engines that compute; GpSimd: no access to PSUM
  if (queue < kComputeQueues) {
    PsumPort* psum = queue == TERN_QUEUE_GPSIMD ? nullptr : &tensor_;
    Elementwise::Units units;
    if (queue == TERN_QUEUE_VECTOR)
      units = {options.make_exp(options.exp, process_), options.make_mx(options.mx, process_)};
    elementwise = std::make_unique<Elementwise>(
        queue, sbuf_.access(), psum, std::move(units),
        [this, queue](unsigned index) { return describe_instruction(queue, index); });
  }
  return std::make_unique<PipelinedEngine>(
      queue_name(queue), queue, config, ports_,
      [this, queue](const tern_instruction_t& in) { return services_.serve(queue, in); },
      std::move(elementwise));
}

std::unique_ptr<Sequencer> NeuronCore::build_sequencer(unsigned queue, const CoreConfig& config) {
  QueueEngine& engine =
      queue == TERN_QUEUE_TENSOR ? static_cast<QueueEngine&>(tensor_) : *engines_[queue];
  return std::make_unique<Sequencer>(
      fmt::format("queue_{}", queue_name(queue)).c_str(), queue, context_, engine,
      clock_ghz(queue, config), [this](Payload& payload) { send_fetch(payload); },
      sc_core::sc_time(config.fetch_latency_ns, sc_core::SC_NS), process_);
}

CoreRegisters::Queues NeuronCore::queues() const {
  CoreRegisters::Queues queues{};
  for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) queues[q] = sequencers_[q].get();
  return queues;
}

std::vector<tlm::tlm_initiator_socket<>*> NeuronCore::initiators() {
  std::vector<tlm::tlm_initiator_socket<>*> sockets{&fetch};
  for (unsigned e = 0; e < kDmaEngines; ++e) sockets.push_back(&services_.dma(e).bus);
  return sockets;
}

std::string NeuronCore::describe_stall() const {
  std::string text;
  for (const auto& sequencer : sequencers_) {
    const std::string line = sequencer->describe_stall();
    if (line.empty()) continue;
    if (!text.empty()) text += '\n';
    text += fmt::format("{} {}", name(), line);
  }
  return text;
}

bool NeuronCore::at_rest() const {
  const auto idle = [](const auto& engine) { return engine == nullptr || engine->idle(); };
  return tensor_.idle() && std::all_of(engines_.begin(), engines_.end(), idle) &&
         services_.at_rest();
}

CoreReset::Actions NeuronCore::reset_actions() {
  const auto stop = [this] {
    for (const auto& queue : sequencers_) queue->reset();
    services_.abort_rings();
  };
  const auto at_rest = [this] {
    return this->at_rest() && std::all_of(sequencers_.begin(), sequencers_.end(),
                                          [](const auto& queue) { return queue->at_rest(); });
  };
  const auto clear = [this] {
    context_.semaphores.reset();
    notifications_.reset();
    registers_.clear();
  };
  return {stop, at_rest, clear};
}

void NeuronCore::send_fetch(Payload& payload) {
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay;
  if (fetch->nb_transport_fw(payload, phase, delay) == tlm::TLM_COMPLETED) {
    MemoryRead::answer(payload);
  }
}

tlm::tlm_sync_enum NeuronCore::fetch_answer(Payload& payload, tlm::tlm_phase& phase,
                                            sc_core::sc_time&) {
  if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
  MemoryRead::answer(payload);
  return tlm::TLM_COMPLETED;
}

unsigned NeuronCore::access_memory(tlm::tlm_command command, std::uint64_t address,
                                   unsigned char* data, unsigned bytes) {
  Payload payload;
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(data);
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay;
  fetch->b_transport(payload, delay);
  if (delay != sc_core::SC_ZERO_TIME) wait(delay);
  return memory_error(payload.get_response_status(), address);
}

unsigned NeuronCore::read_memory(std::uint64_t address, void* data, unsigned bytes) {
  return access_memory(tlm::TLM_READ_COMMAND, address, static_cast<unsigned char*>(data), bytes);
}

unsigned NeuronCore::write_memory(std::uint64_t address, const void* data, unsigned bytes) {
  // TLM payloads are not const-correct; a write does not change the data.
  auto* source = const_cast<unsigned char*>(static_cast<const unsigned char*>(data));
  return access_memory(tlm::TLM_WRITE_COMMAND, address, source, bytes);
}

void NeuronCore::b_transport(Payload& payload, sc_core::sc_time& delay) {
  window_.b_transport(payload, delay);
}

unsigned NeuronCore::transport_dbg(Payload& payload) {
  return window_.transport_dbg(payload);
}

void NeuronCore::drive_irq() {
  program_times_.update(registers_.running(), context_.errors.any(),
                        sc_core::sc_time_stamp().value());
  irq.write(registers_.interrupt());
}

}  // namespace tern
