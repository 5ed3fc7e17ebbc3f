// SPDX-License-Identifier: Apache-2.0
#include "systemc/core/neuron_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "sw/base/user_error.h"
#include "sw/numerics/near_memory.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/registers.h"
#include "systemc/core/instruction_info.h"
#include "systemc/noc/traffic.h"

namespace tern {

namespace {

constexpr unsigned kPsumPartitions = TERN_CORE_PSUM_COUNT;
constexpr std::uint64_t kPsumPartitionBytes = TERN_CORE_PSUM_STRIDE;

TensorShape tensor_shape(const Sbuf& sbuf) {
  TensorShape shape;
  shape.sbuf_bytes = static_cast<unsigned>(sbuf.partition_bytes());
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

gpsimd::ProgramLog program_log(const CoreOptions& options, const std::string& core) {
  return [core, sink = options.program_log](unsigned processor, const std::string& text) {
    const std::string line = fmt::format("{} gpsimd processor {}: {}", core, processor, text);
    if (sink) {
      sink(line);
    } else {
      fmt::print(stderr, "{}\n", line);
    }
  };
}

}  // namespace

NeuronCore::NeuronCore(sc_core::sc_module_name name, const CoreConfig& config,
                       const DmaConfig& dma_config, TensorBackend backend,
                       const CoreOptions& options, unsigned index, trace::Bus* bus)
    : sc_module(name),
      window("window"),
      fetch("fetch"),
      irq("irq"),
      process_(fmt::format("core{}", index)),
      sbuf_(checked_partition_bytes(config)),
      backend_(backend),
      context_{{},
               {},
               core_limits(config),
               config.control,
               sbuf_.access(),
               options.describe,
               bus,
               [this] { irq_changed_.notify(sc_core::SC_ZERO_TIME); },
               [this] { return at_rest(); }},
      datapath_(build_datapath(backend, options)),
      tensor_("tensor", config.tensor_clock_ghz, *datapath_),
      custom_operator_({sbuf_.access(), sbuf_.partition_bytes()}, config.gpsimd_programs,
                       program_log(options, process_)),
      gpsimd_clock_(config.gpsimd.clock_ghz),
      engines_{nullptr, build_engine(TERN_QUEUE_VECTOR, config, options),
               build_engine(TERN_QUEUE_SCALAR, config, options),
               build_engine(TERN_QUEUE_GPSIMD, config, options),
               build_engine(TERN_QUEUE_SYNC, config, options)},
      sequencers_{
          build_sequencer(TERN_QUEUE_TENSOR, config), build_sequencer(TERN_QUEUE_VECTOR, config),
          build_sequencer(TERN_QUEUE_SCALAR, config), build_sequencer(TERN_QUEUE_GPSIMD, config),
          build_sequencer(TERN_QUEUE_SYNC, config)},
      registers_(context_, queues()),
      dma_clock_("dma_clock", dma_config.clock_ghz),
      scalar_dge_("dge_scalar", dma_config, index, *this, bus, process_, "dge scalar"),
      sync_dge_("dge_sync", dma_config, index, *this, bus, process_, "dge sync"),
      gpsimd_dge_(dma_config, config.gpsimd.clock_ghz, index, sbuf_.access(),
                  sbuf_.partition_bytes(), *this) {
  for (unsigned e = 0; e < kDmaEngines; ++e) {
    dma_[e] = std::make_unique<dma::Engine>(
        fmt::format("dma{}", e).c_str(), dma_config, dma_clock_, e, bus, process_,
        options.make_dma(options.dma, fmt::format("{} dma{}", process_, e)));
    dma_[e]->set_error_handler([this, e](unsigned ring, unsigned code, std::uint64_t detail) {
      context_.errors.report(code, TERN_REG_CORE_ERROR_QUEUE_DMA + e, ring,
                             static_cast<std::uint32_t>(detail));
      context_.status_changed();
    });
    dma_ports_[e] = std::make_unique<DmaPort>(fmt::format("dma{}_registers", e).c_str());
    dma_ports_[e]->socket.bind(dma_[e]->registers);
  }

  engines_[TERN_QUEUE_GPSIMD]->set_program_runner([this](const tern_instruction_t& in) {
    return in.header.opcode == TERN_OPCODE_CUSTOM_OP ? run_custom_op(in.custom_op)
                                                     : run_indirect(in.dma_indirect);
  });
  const auto drive = [this](unsigned queue, dge::HwDge& generator) {
    engines_[queue]->set_program_runner([&generator](const tern_instruction_t& in) {
      generator.execute(in.dma_copy);
      return ProgramOutcome{};
    });
  };
  drive(TERN_QUEUE_SCALAR, scalar_dge_);
  drive(TERN_QUEUE_SYNC, sync_dge_);

  fetch.register_nb_transport_bw(this, &NeuronCore::fetch_answer);
  window.register_b_transport(this, &NeuronCore::b_transport);
  window.register_transport_dbg(this, &NeuronCore::transport_dbg);
  SC_METHOD(drive_irq);
  sensitive << irq_changed_;
}

std::unique_ptr<TensorDatapath> NeuronCore::build_datapath(TensorBackend backend,
                                                           const CoreOptions& options) {
  DatapathRequest request;
  request.backend = backend;
  request.shape = tensor_shape(sbuf_);
  request.sbuf = sbuf_.view();
  request.wave = options.wave;
  request.describe = [this](std::uint32_t tag) {
    return describe_instruction(TERN_QUEUE_TENSOR, tensor_.index_of_tag(tag));
  };
  return options.make_datapath(request);
}

std::string NeuronCore::describe_instruction(unsigned queue, unsigned index) const {
  std::string text = fmt::format("{} queue {} instruction {}", name(), queue_name(queue), index);
  if (context_.describe) text += " (" + context_.describe(queue, index) + ")";
  return text;
}

std::unique_ptr<PipelinedEngine> NeuronCore::build_engine(unsigned queue, const CoreConfig& config,
                                                          const CoreOptions& options) {
  std::unique_ptr<Elementwise> elementwise;  // Sync computes nothing, GpSimd does not reach PSUM
  if (queue != TERN_QUEUE_SYNC) {
    PsumPort* psum = queue == TERN_QUEUE_GPSIMD ? nullptr : &tensor_;
    elementwise = std::make_unique<Elementwise>(
        queue, sbuf_.access(), psum,
        queue == TERN_QUEUE_VECTOR ? options.make_exp(options.exp) : nullptr,
        [this, queue](unsigned index) { return describe_instruction(queue, index); });
  }
  return std::make_unique<PipelinedEngine>(
      queue_name(queue), queue, config, ports_,
      [this](const tern_instr_dma_trigger_t& in) { trigger_dma(in); }, std::move(elementwise));
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
  for (auto& engine : dma_) sockets.push_back(&engine->bus);
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
  if (!tensor_.idle() || !scalar_dge_.idle() || !sync_dge_.idle()) return false;
  for (const auto& engine : engines_) {
    if (engine != nullptr && !engine->idle()) return false;
  }
  return std::all_of(dma_.begin(), dma_.end(), [](const auto& dma) { return dma->at_rest(); });
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

bool NeuronCore::read_memory(std::uint64_t address, void* data, unsigned bytes) {
  Payload payload;
  payload.set_read();
  payload.set_address(address);
  payload.set_data_ptr(static_cast<unsigned char*>(data));
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay;
  fetch->b_transport(payload, delay);
  if (delay != sc_core::SC_ZERO_TIME) wait(delay);
  return payload.is_response_ok();
}

// The file is read when the instruction begins, the program runs when it has arrived. A failure
// shows when it happens: after the cycles until then.
ProgramOutcome NeuronCore::run_custom_op(const tern_instr_custom_op_t& instruction) {
  const std::uint64_t address = std::uint64_t{instruction.code_hi} << 32 | instruction.code_lo;
  std::vector<std::uint8_t> file(instruction.code_bytes);
  if (!read_memory(address, file.data(), instruction.code_bytes)) {
    return {0, TERN_ERROR_BUS, instruction.code_lo};
  }
  const std::uint64_t begin = gpsimd_clock_.now();
  gpsimd_clock_.wait_for(begin);
  const gpsimd::CustomResult result = custom_operator_.run(instruction, std::move(file));
  const gpsimd::ProgramFault& fault = result.fault;
  if (fault.reason == TERN_PROGRAM_FAULT_NONE) return {result.cycles, TERN_ERROR_NONE, 0};
  gpsimd_clock_.wait_for(begin + result.cycles);
  context_.errors.note_program(result.processor, fault.reason, fault.value);
  return {0, TERN_ERROR_CUSTOM_OP, fault.pc};
}

ProgramOutcome NeuronCore::run_indirect(const tern_instr_dma_indirect_t& instruction) {
  const auto fault = gpsimd_dge_.execute(instruction);
  if (!fault) return {};
  if (fault->code == TERN_ERROR_DMA_INDEX) context_.errors.note_program(0, 0, fault->value);
  return {0, fault->code, fault->detail};
}

bool NeuronCore::push_pair(unsigned engine, unsigned ring, const std::uint8_t* pair) {
  return dma_[engine]->push_pair(ring, pair);
}

void NeuronCore::doorbell(unsigned engine, unsigned ring, unsigned pairs) {
  dma_[engine]->doorbell(ring, pairs);
}

bool NeuronCore::stopped(unsigned engine, unsigned ring) {
  return dma_[engine]->ring_stopped(ring);
}

std::uint32_t NeuronCore::head(unsigned engine, unsigned ring) {
  return dma_[engine]->ring_head(ring);
}

// The descriptor generator of GpSimd begins with a ring where the engine does.
void NeuronCore::note_ring_registers(const Payload& payload, std::uint64_t offset) {
  for (unsigned done = 0; done + 4 <= payload.get_data_length(); done += 4) {
    std::uint32_t value = 0;
    std::memcpy(&value, payload.get_data_ptr() + done, sizeof value);
    gpsimd_dge_.register_written(static_cast<unsigned>(offset / TERN_CORE_DMA_STRIDE),
                                 static_cast<std::uint32_t>(offset % TERN_CORE_DMA_STRIDE + done),
                                 value);
  }
}

void NeuronCore::trigger_dma(const tern_instr_dma_trigger_t& instruction) {
  for (unsigned e = 0; e < kDmaEngines; ++e) {
    if (instruction.count[e] != 0) dma_[e]->doorbell(instruction.ring, instruction.count[e]);
  }
}

void NeuronCore::drive_irq() {
  irq.write(registers_.interrupt());
}

void NeuronCore::b_transport(Payload& payload, sc_core::sc_time& delay) {
  payload.set_response_status(access(payload, delay));
}

unsigned NeuronCore::transport_dbg(Payload& payload) {
  const std::uint64_t address = payload.get_address();
  tlm::tlm_response_status status = tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (address < TERN_CORE_PSUM_BASE) {
    status = access_sbuf(payload);
  } else if (address < TERN_CORE_REGS_BASE) {
    status = access_psum(payload, true);
  } else if (address < TERN_CORE_DMA_BASE) {
    status = access_registers(payload, address - TERN_CORE_REGS_BASE, true);
  } else if (const std::uint64_t offset = address - TERN_CORE_DMA_BASE;
             offset < TERN_CORE_DMA_STRIDE * kDmaEngines) {
    payload.set_address(offset % TERN_CORE_DMA_STRIDE);
    const unsigned bytes =
        dma_ports_[offset / TERN_CORE_DMA_STRIDE]->socket->transport_dbg(payload);
    payload.set_address(address);
    return bytes;
  }
  return status == tlm::TLM_OK_RESPONSE ? payload.get_data_length() : 0;
}

tlm::tlm_response_status NeuronCore::access(Payload& payload, sc_core::sc_time& delay) {
  if (payload.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  if (payload.get_streaming_width() < payload.get_data_length())
    return tlm::TLM_BURST_ERROR_RESPONSE;
  const std::uint64_t address = payload.get_address();
  if (address < TERN_CORE_PSUM_BASE) return access_sbuf(payload);
  if (const auto* traffic = payload.get_extension<Traffic>();
      payload.is_write() && traffic != nullptr && traffic->op != WriteOp::kStore) {
    return tlm::TLM_COMMAND_ERROR_RESPONSE;  // only memories add
  }
  if (address >= TERN_CORE_DMA_BASE)
    return access_dma(payload, address - TERN_CORE_DMA_BASE, delay);
  // Registers and PSUM have effects at a moment: let it come.
  if (delay > sc_core::SC_ZERO_TIME) {
    wait(delay);
    delay = sc_core::SC_ZERO_TIME;
  }
  if (address < TERN_CORE_REGS_BASE) return access_psum(payload, false);
  return access_registers(payload, address - TERN_CORE_REGS_BASE, false);
}

tlm::tlm_response_status NeuronCore::access_sbuf(Payload& payload) {
  const std::uint64_t first = payload.get_address();
  std::uint64_t length = payload.get_data_length();
  // A burst may run on into the next partition only where no hole lies between the two.
  for (std::uint64_t address = first, left = length; left > 0;) {
    const std::uint64_t offset = address % TERN_CORE_SBUF_STRIDE;
    if (address / TERN_CORE_SBUF_STRIDE >= TERN_CORE_SBUF_COUNT ||
        offset >= sbuf_.partition_bytes()) {
      return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    }
    const std::uint64_t piece = std::min(left, sbuf_.partition_bytes() - offset);
    address += piece;
    left -= piece;
  }
  const bool write = payload.is_write();
  if (!write && !payload.is_read()) return tlm::TLM_OK_RESPONSE;
  const auto* traffic = payload.get_extension<Traffic>();
  const WriteOp op = write && traffic != nullptr ? traffic->op : WriteOp::kStore;
  const unsigned word = op == WriteOp::kAddFp32 ? 4 : op == WriteOp::kAddBf16 ? 2 : 1;
  if (first % word != 0 || length % word != 0) return tlm::TLM_BURST_ERROR_RESPONSE;
  unsigned char* data = payload.get_data_ptr();
  for (std::uint64_t address = first; length > 0;) {
    const std::uint64_t offset = address % TERN_CORE_SBUF_STRIDE;
    const std::uint64_t piece = std::min(length, sbuf_.partition_bytes() - offset);
    std::uint8_t* bytes =
        sbuf_.partition(static_cast<unsigned>(address / TERN_CORE_SBUF_STRIDE)) + offset;
    if (op == WriteOp::kAddFp32) {
      numerics::add_to_memory_fp32(bytes, data, piece);
    } else if (op == WriteOp::kAddBf16) {
      numerics::add_to_memory_bf16(bytes, data, piece);
    } else {
      std::memcpy(write ? bytes : data, write ? data : bytes, piece);
    }
    data += piece;
    address += piece;
    length -= piece;
  }
  return tlm::TLM_OK_RESPONSE;
}

// PSUM is moved in whole FP32 words, partition by partition.
tlm::tlm_response_status NeuronCore::access_psum(Payload& payload, bool debug) {
  std::uint64_t offset = payload.get_address() - TERN_CORE_PSUM_BASE;
  std::uint64_t length = payload.get_data_length();
  if (offset + length > kPsumPartitions * kPsumPartitionBytes)
    return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (offset % 4 != 0 || length % 4 != 0) return tlm::TLM_BURST_ERROR_RESPONSE;
  if (payload.is_write() == payload.is_read()) return tlm::TLM_OK_RESPONSE;
  // Only the model moves PSUM data without simulated time.
  if (debug && backend_ != TensorBackend::kModel) return tlm::TLM_GENERIC_ERROR_RESPONSE;
  unsigned char* data = payload.get_data_ptr();
  std::vector<float> words;
  while (length > 0) {
    const std::uint64_t byte = offset % kPsumPartitionBytes;
    const std::uint64_t piece = std::min(length, kPsumPartitionBytes - byte);
    words.resize(piece / 4);
    PsumTransfer transfer;
    transfer.write = payload.is_write();
    transfer.partition = static_cast<unsigned>(offset / kPsumPartitionBytes);
    transfer.partitions = 1;
    transfer.column = static_cast<unsigned>(byte / 4);
    transfer.columns = static_cast<unsigned>(words.size());
    transfer.data = words.data();
    transfer.stride = words.size();
    if (transfer.write) std::memcpy(words.data(), data, piece);
    if (!debug) {
      tensor_.transfer(transfer);
    } else if (!tensor_.transfer_now(transfer)) {
      return tlm::TLM_GENERIC_ERROR_RESPONSE;
    }
    if (!transfer.write) std::memcpy(data, words.data(), piece);
    data += piece;
    offset += piece;
    length -= piece;
  }
  return tlm::TLM_OK_RESPONSE;
}

tlm::tlm_response_status NeuronCore::access_registers(Payload& payload, std::uint64_t offset,
                                                      bool debug) {
  const unsigned length = payload.get_data_length();
  if (offset % 4 != 0 || length % 4 != 0) return tlm::TLM_BURST_ERROR_RESPONSE;
  if (debug && payload.is_write())
    return tlm::TLM_COMMAND_ERROR_RESPONSE;  // registers have side effects
  unsigned char* data = payload.get_data_ptr();
  for (unsigned done = 0; done < length; done += 4) {
    std::uint32_t value = 0;
    bool good = false;
    const auto at = static_cast<std::uint32_t>(offset + done);
    if (payload.is_write()) {
      std::memcpy(&value, data + done, 4);
      good = registers_.write(at, value);
    } else {
      good = registers_.read(at, &value);
      std::memcpy(data + done, &value, 4);
    }
    if (!good) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  }
  return tlm::TLM_OK_RESPONSE;
}

tlm::tlm_response_status NeuronCore::access_dma(Payload& payload, std::uint64_t offset,
                                                sc_core::sc_time& delay) {
  if (offset >= TERN_CORE_DMA_STRIDE * kDmaEngines) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  const std::uint64_t address = payload.get_address();
  payload.set_address(offset % TERN_CORE_DMA_STRIDE);
  dma_ports_[offset / TERN_CORE_DMA_STRIDE]->socket->b_transport(payload, delay);
  payload.set_address(address);
  if (payload.is_write() && payload.is_response_ok()) note_ring_registers(payload, offset);
  return payload.get_response_status();
}

}  // namespace tern
