// SPDX-License-Identifier: Apache-2.0
#include "systemc/chip/chip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sw/spec/generated/registers.h"

namespace tern {

namespace {
constexpr std::uint64_t kMib = 1024 * 1024;
// Class of accesses that carry none: a queue that waits for instructions delays everything after
// it, the host has time.
constexpr unsigned kFetchClass = 0, kHostClass = kTrafficClasses - 1;

// The adders of HBM serve all cores: RTL if those of a core are.
Backend hbm_adders(const ChipConfig& config) {
  const auto& cores = config.near_memory;
  return cores.empty() ? Backend::kModel : *std::max_element(cores.begin(), cores.end());
}
}  // namespace

Chip::Chip(sc_core::sc_module_name name, const ChipConfig& config, const ChipOptions& options,
           trace::Bus* trace)
    : sc_module(name),
      host("host"),
      irq("irq"),
      host_memory("host_memory"),
      config_(config),
      trace_(trace),
      noc_("noc", config.noc,
           {config.cores, config.hbm.stacks, config.hbm.stack_gb_per_s(), options.links_gb_per_s},
           trace),
      hbm_("hbm", memory_of(config), HbmMemory::Answers::kEarly,
           options.core.make_near_memory(hbm_adders(config), "hbm")),
      host_link_(config.host),
      host_port_("host_port", host_link_),
      bus_master_("bus_master", host_link_),
      registers_("registers"),
      core_irqs_("core_irq", config.cores),
      messages_("messages", host_link_) {
  host.bind(host_port_.host);
  noc_.attach(host_port_.bus, {"host", 0, noc::Entrance::kHost, kHostClass});
  for (unsigned s = 0; s < config.hbm.stacks; ++s) noc_.stacks[s].bind(hbm_.sockets[s]);
  noc_.registers.bind(registers_);
  noc_.host.bind(bus_master_.chip);
  bus_master_.memory.bind(host_memory);
  registers_.register_b_transport(this, &Chip::registers_transport);
  registers_.register_transport_dbg(this, &Chip::registers_dbg);

  for (unsigned n = 0; n < config.cores; ++n) {
    const Backend backend = n < config.tensor.size() ? config.tensor[n] : Backend::kModel;
    CoreOptions core_options = options.core;
    if (n != options.program_core) {
      core_options.describe = nullptr;
      core_options.program_log = nullptr;
      core_options.program_runner = nullptr;
    }
    if (options.describe) {
      core_options.describe = [describe = options.describe, n](unsigned queue, unsigned index) {
        return describe(n, queue, index);
      };
    }
    core_options.exp = n < config.exp.size() ? config.exp[n] : Backend::kModel;
    core_options.mx = n < config.mx.size() ? config.mx[n] : Backend::kModel;
    core_options.near_memory =
        n < config.near_memory.size() ? config.near_memory[n] : Backend::kModel;
    core_options.dma = n < config.dma_backend.size() ? config.dma_backend[n] : Backend::kModel;
    cores_.push_back(std::make_unique<NeuronCore>(fmt::format("core{}", n).c_str(), config.core,
                                                  config.dma, backend, core_options, n, trace));
    NeuronCore& core = *cores_.back();
    noc_.cores[n].bind(core.window);
    const unsigned die = noc_.topology().die_of_core(n);
    noc_.attach(core.fetch,
                {fmt::format("core{} fetch", n), die, noc::Entrance::kInside, kFetchClass});
    for (unsigned e = 0; e < NeuronCore::kDmaEngines; ++e) {
      noc_.attach(core.dma(e).bus, {fmt::format("core{} dma{}", n, e), die, noc::Entrance::kInside,
                                    kTrafficClasses - 1, true});
    }
    core.irq.bind(core_irqs_[n]);
  }

  if (options.links_gb_per_s > 0) {
    links_ = std::make_unique<LinkPort>("links");
    noc_.attach(links_->bus, {"links", 0, noc::Entrance::kLinks});
    noc_.links.bind(links_->chip);
  }

  health_ = std::make_unique<ChipHealth>(hbm_, cores_);

  SC_HAS_PROCESS(Chip);
  SC_METHOD(drive_irq);
  for (auto& signal : core_irqs_) sensitive << signal;
}

// Its commands are many, so the memory is only asked for them if somebody wants them.
void Chip::start_of_simulation() {
  if (trace_ != nullptr && trace_->shows_states()) hbm_.trace_to(trace_);
}

std::string Chip::describe_stall() const {
  std::string text;
  for (const auto& core : cores_) {
    const std::string lines = core->describe_stall();
    if (!lines.empty() && !text.empty()) text += '\n';
    text += lines;
  }
  return text;
}

bool Chip::waits() const {
  return std::all_of(cores_.begin(), cores_.end(), [](const auto& core) {
    const CoreRegisters& registers = core->registers();
    return core->at_rest() && (registers.stalled() || !registers.running());
  });
}

bool Chip::peek(std::uint64_t address, void* data, unsigned bytes) {
  tlm::tlm_generic_payload payload;
  payload.set_read();
  payload.set_address(address);
  payload.set_data_ptr(static_cast<unsigned char*>(data));
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  return host_port_.bus->transport_dbg(payload) == bytes;
}

void Chip::drive_irq() {
  bool any = false;
  for (unsigned n = 0; n < core_irqs_.size(); ++n) {
    any = any || core_irqs_[n].read();
    if (n < MessageInterrupts::kMailbox) messages_.set_level(n, core_irqs_[n].read());
  }
  irq.write(any);
}

bool Chip::read_register(std::uint64_t offset, std::uint32_t& value) const {
  switch (offset) {
    case TERN_REG_CHIP_CHIP_ID:
      value = TERN_REG_CHIP_CHIP_ID_RESET;
      return true;
    case TERN_REG_CHIP_CORE_COUNT:
      value = config_.cores;
      return true;
    case TERN_REG_CHIP_HBM_STACKS:
      value = config_.hbm.stacks;
      return true;
    case TERN_REG_CHIP_HBM_STACK_MIB:
      value = static_cast<std::uint32_t>(config_.hbm.stack_bytes / kMib);
      return true;
    case TERN_REG_CHIP_IRQ_STATUS:
      // One word: the register covers the first 32 cores.
      value = 0;
      for (unsigned n = 0; n < config_.cores && n < 32; ++n) {
        value |= static_cast<std::uint32_t>(core_irqs_[n].read()) << n;
      }
      return true;
    case TERN_REG_CHIP_CORE_RESET:
      value = 0;
      for (unsigned n = 0; n < config_.cores && n < 32; ++n)
        value |= static_cast<std::uint32_t>(cores_[n]->resetting()) << n;
      return true;
    case TERN_REG_CHIP_CORE_HELD:
      value = 0;
      for (unsigned n = 0; n < config_.cores && n < 32; ++n)
        value |= static_cast<std::uint32_t>(cores_[n]->held()) << n;
      return true;
    case TERN_REG_CHIP_MSI_ENABLE:
    case TERN_REG_CHIP_MSI_ENABLE + 4:
      value = messages_.enabled(offset == TERN_REG_CHIP_MSI_ENABLE ? 0 : 1);
      return true;
    case TERN_REG_CHIP_HBM_READY:
      value = 0;
      for (unsigned s = 0; s < hbm_.stacks(); ++s)
        value |= static_cast<std::uint32_t>(hbm_.ready(s)) << s;
      return true;
    default:
      return health_->read(offset, &value) ||
             (management_ != nullptr && management_->read(offset, &value));
  }
}

tlm::tlm_response_status Chip::write_register(std::uint64_t offset, std::uint32_t value) {
  std::uint32_t known = 0;
  if (offset == TERN_REG_CHIP_MSI_ENABLE || offset == TERN_REG_CHIP_MSI_ENABLE + 4) {
    messages_.enable(offset == TERN_REG_CHIP_MSI_ENABLE ? 0 : 1, value);
    return tlm::TLM_OK_RESPONSE;
  }
  if (health_->write(offset, value)) return tlm::TLM_OK_RESPONSE;
  if (management_ != nullptr && management_->write(offset, value)) return tlm::TLM_OK_RESPONSE;
  if (offset != TERN_REG_CHIP_CORE_RESET)
    return read_register(offset, known) ? tlm::TLM_COMMAND_ERROR_RESPONSE
                                        : tlm::TLM_ADDRESS_ERROR_RESPONSE;
  for (unsigned n = 0; n < config_.cores && n < 32; ++n) {
    if ((value >> n & 1) != 0) cores_[n]->reset();
  }
  return tlm::TLM_OK_RESPONSE;
}

unsigned Chip::registers_dbg(tlm::tlm_generic_payload& transaction) {
  std::uint32_t value = 0;
  if (!transaction.is_read() || transaction.get_data_length() != sizeof value ||
      !read_register(transaction.get_address(), value)) {
    return 0;
  }
  std::memcpy(transaction.get_data_ptr(), &value, sizeof value);
  return sizeof value;
}

// A word, or a burst of words to or from the mailbox.
tlm::tlm_response_status Chip::access_registers(const tlm::tlm_generic_payload& transaction) {
  constexpr unsigned kWord = sizeof(std::uint32_t);
  const std::uint64_t address = transaction.get_address();
  const unsigned bytes = transaction.get_data_length();
  const bool burst =
      address >= TERN_REG_CHIP_MAILBOX_REQUEST && address < TERN_REG_CHIP_MAILBOX_STATUS;
  if (bytes % kWord != 0 || (bytes != kWord && !burst) ||
      transaction.get_byte_enable_ptr() != nullptr)
    return tlm::TLM_BURST_ERROR_RESPONSE;
  if (!transaction.is_write() && !transaction.is_read()) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  for (unsigned done = 0; done < bytes; done += kWord) {
    std::uint32_t value = 0;
    unsigned char* word = transaction.get_data_ptr() + done;
    if (transaction.is_write()) {
      std::memcpy(&value, word, kWord);
      const auto status = write_register(address + done, value);
      if (status != tlm::TLM_OK_RESPONSE) return status;
    } else {
      if (!read_register(address + done, value)) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
      std::memcpy(word, &value, kWord);
    }
  }
  return tlm::TLM_OK_RESPONSE;
}

void Chip::registers_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time&) {
  transaction.set_response_status(access_registers(transaction));
}

}  // namespace tern
