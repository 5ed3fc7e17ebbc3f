// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "sw/base/user_error.h"
#include "sw/runtime/control_paths.h"
#include "sw/runtime/error_text.h"
#include "sw/runtime/status.h"
#include "sw/spec/chip_address.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/registers.h"

namespace tern::runtime {

namespace {

constexpr std::uint32_t kChipId = TERN_REG_CHIP_CHIP_ID_RESET;
constexpr std::uint32_t kHalted = TERN_REG_CORE_QUEUE_STATUS_HALTED;
constexpr std::uint32_t kCoreRunning = TERN_REG_CORE_CORE_STATUS_RUNNING_MASK;
constexpr std::uint32_t kCoreError = TERN_REG_CORE_CORE_STATUS_ERROR_MASK;
constexpr std::uint32_t kCoreStalled = TERN_REG_CORE_CORE_STATUS_STALLED_MASK;
constexpr unsigned kLeastUrgent = TERN_REG_DMA_RING_CLASS_RESET;
constexpr unsigned kUnknownClass = 255;
constexpr std::uint32_t kMinRing = TERN_REG_DMA_RING_SIZE_MIN;  // descriptors

// Sync last: every other queue waits for its first instruction.
constexpr unsigned kStartOrder[] = {TERN_QUEUE_TENSOR, TERN_QUEUE_VECTOR, TERN_QUEUE_SCALAR,
                                    TERN_QUEUE_GPSIMD, TERN_QUEUE_CC0,    TERN_QUEUE_CC1,
                                    TERN_QUEUE_SYNC};

// Semaphores the program waits on or updates.
struct Used {
  std::set<unsigned> semaphores, events;

  void by(const tern_instruction_t& instruction) {
    const tern_header_t& header = instruction.header;
    const bool changes_event =
        header.upd_op == TERN_UPD_OP_SET_EVENT || header.upd_op == TERN_UPD_OP_CLEAR_EVENT;
    if (header.wait_cond != TERN_WAIT_COND_NONE)
      (header.wait_cond == TERN_WAIT_COND_EVENT ? events : semaphores).insert(header.wait_sem);
    if (header.upd_op != TERN_UPD_OP_NONE)
      (changes_event ? events : semaphores).insert(header.upd_sem);
    if (header.opcode == TERN_OPCODE_DMA_COPY) semaphores.insert(instruction.dma_copy.semaphore);
    if (header.opcode == TERN_OPCODE_DMA_INDIRECT)
      semaphores.insert(instruction.dma_indirect.semaphore);
  }
  // What a descriptor writes.
  void by(const DmaAddress& to) {
    if (to.space != DmaAddress::Space::kCore) return;
    const auto add = [&](std::uint64_t first, std::set<unsigned>* set) {
      const std::uint64_t base = TERN_CORE_REGS_BASE + first;
      constexpr std::uint64_t kStride = TERN_REG_CORE_SEMAPHORE_INC_STRIDE;
      if (to.offset >= base && to.offset < base + TERN_REG_CORE_SEMAPHORE_INC_COUNT * kStride)
        set->insert(static_cast<unsigned>((to.offset - base) / kStride));
    };
    add(TERN_REG_CORE_SEMAPHORE_INC, &semaphores);
    add(TERN_REG_CORE_EVENT_SET, &events);
    add(TERN_REG_CORE_EVENT_CLEAR, &events);
  }
};

// How many parts the program's descriptors take for granted.
std::size_t parts_named_by(const Executable& program) {
  std::size_t parts = 0;
  const auto count = [&](const DmaAddress& address) {
    if (address.space == DmaAddress::Space::kPeer)
      parts = std::max<std::size_t>(parts, address.tensor + 1);
  };
  for (const auto& ring : program.rings) {
    for (const auto& engine : ring.second) {
      for (const DescriptorPair& pair : engine) {
        count(pair.source);
        count(pair.destination);
      }
    }
  }
  for (const Executable::Link& link : program.links) {
    count(link.source);
    count(link.destination);
  }
  return parts;
}

// The semaphores and events of a program.
Used used_by(const Executable& program) {
  Used used;
  for (const auto& queue : program.queues) {
    for (const tern_instruction_t& instruction : queue) used.by(instruction);
  }
  for (const auto& ring : program.rings) {
    for (const auto& engine : ring.second) {
      for (const DescriptorPair& pair : engine) used.by(pair.destination);
    }
  }
  return used;
}

std::set<unsigned> rings_of(const Executable& program) {
  std::set<unsigned> rings;
  for (const auto& entry : program.rings) rings.insert(entry.first);
  for (const auto& entry : program.generated_rings) rings.insert(entry.first);
  return rings;
}

void check_range(const char* what, const Buffer& buffer, std::uint64_t offset,
                 std::uint64_t bytes) {
  if (offset <= buffer.bytes() && bytes <= buffer.bytes() - offset) return;
  throw UserError(fmt::format("{} '{}': {} bytes at offset {}: it has {}", what, buffer.name(),
                              bytes, offset, buffer.bytes()));
}

}  // namespace

Runtime::Runtime(HostPort& port, Completion completion, Copies copies)
    : port_(port), completion_(completion), copies_(copies), dma_(port) {}

void Runtime::probe() {
  if (hbm_ != nullptr) return;
  const std::uint64_t regs = TERN_CHIP_REGS_BASE;
  const std::uint32_t id = port_.read32(regs + TERN_REG_CHIP_CHIP_ID);
  if (id != kChipId)
    throw StatusError(Status::kHardware, "no Tern chip at the host port: id " + std::to_string(id));
  cores_ = port_.read32(regs + TERN_REG_CHIP_CORE_COUNT);
  const unsigned stacks = port_.read32(regs + TERN_REG_CHIP_HBM_STACKS);
  const std::uint64_t mib = port_.read32(regs + TERN_REG_CHIP_HBM_STACK_MIB);
  cores_per_stack_ = std::max(1u, cores_ / std::max(1u, stacks));
  hbm_ = std::make_shared<HbmAllocator>(stacks, mib << 20);
  if (completion_ != Completion::kMessage) return;
  const std::uint64_t all = cores_ < 64 ? (std::uint64_t{1} << cores_) - 1 : UINT64_MAX;
  const std::uint64_t mailbox = std::uint64_t{1} << TERN_REG_CHIP_MSI_ENABLE_MAILBOX;
  port_.write64(regs + TERN_REG_CHIP_MSI_ENABLE, all & ~mailbox);
}

unsigned Runtime::cores() {
  probe();
  return cores_;
}

std::uint64_t Runtime::free_bytes() {
  probe();
  return hbm_->free_bytes();
}

Buffer Runtime::allocate(const std::string& name, std::uint64_t bytes, unsigned core) {
  probe();
  const std::uint64_t address = hbm_->allocate(name, bytes, core / cores_per_stack_);
  return Buffer(hbm_, name, address, bytes);
}

void Runtime::copy_to_device(const Buffer& buffer, const void* data, std::uint64_t bytes,
                             std::uint64_t offset) {
  check_range("copy to", buffer, offset, bytes);
  if (!by_dma(bytes)) return port_.write(buffer.address() + offset, data, bytes);
  dma_.to_chip(core_near(buffer), buffer.address() + offset, data, bytes);
}

void Runtime::copy_from_device(const Buffer& buffer, void* data, std::uint64_t bytes,
                               std::uint64_t offset) {
  check_range("copy from", buffer, offset, bytes);
  if (!by_dma(bytes)) return port_.read(buffer.address() + offset, data, bytes);
  dma_.from_chip(core_near(buffer), buffer.address() + offset, data, bytes);
}

void Runtime::copy_on_device(const Buffer& from, std::uint64_t from_offset, const Buffer& to,
                             std::uint64_t to_offset, std::uint64_t bytes) {
  check_range("copy from", from, from_offset, bytes);
  check_range("copy to", to, to_offset, bytes);
  dma_.copy(core_near(to), from.address() + from_offset, to.address() + to_offset, bytes);
}

bool Runtime::failed(const Program& program) {
  return (peek(core_regs(program.core_) + TERN_REG_CORE_CORE_STATUS) & kCoreError) != 0;
}

unsigned Runtime::core_near(const Buffer& buffer) {
  probe();
  const auto stack = static_cast<unsigned>(buffer.address() / TERN_HBM_STRIDE);
  return std::min(stack * cores_per_stack_, cores_ - 1);
}

Program Runtime::load(Executable executable, const Bindings& bindings, unsigned core,
                      unsigned first_core) {
  return load_at(std::move(executable), bindings, {core, first_core});
}

Program Runtime::load(Executable executable, const Bindings& bindings, unsigned core,
                      const std::vector<std::uint64_t>& peers, const PeerTensorAddress& tensor_of) {
  if (parts_named_by(executable) > peers.size()) {
    throw UserError(fmt::format("program '{}': has {} parts, with the windows of {} given",
                                executable.name, parts_named_by(executable), peers.size()));
  }
  CorePlace place{core, 0, peers};
  for (const Executable::PeerTensor& tensor : executable.peer_tensors) {
    if (tensor_of)
      place.peer_tensors.push_back(
          tensor_of(tensor.part, executable.tensors.at(tensor.tensor).name));
  }
  Program program = load_at(std::move(executable), bindings, place);
  const auto chip = [](std::uint64_t window) { return window - address_in_chip(window); };
  program.has_parts_elsewhere_ = std::any_of(peers.begin(), peers.end(), [&](std::uint64_t window) {
    return chip(window) != chip(peers.front());
  });
  return program;
}

Program Runtime::load_at(Executable executable, const Bindings& bindings, const CorePlace& place) {
  const unsigned core = place.core;
  probe();
  if (core >= cores_) {
    throw UserError("core " + std::to_string(core) + ": the chip has cores 0.." +
                    std::to_string(cores_ - 1));
  }
  for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) {
    if (const auto branch = branch_into_loop(executable.queues[q])) {
      throw UserError("program '" + executable.name +
                      "': " + instruction_place(executable, q, *branch) +
                      ": leads into the body of a loop");
    }
  }
  if (executable.peer_tensors.size() != place.peer_tensors.size())
    throw UserError(
        fmt::format("program '{}': it names tensors of other parts, whose addresses are "
                    "not given",
                    executable.name));
  for (const unsigned ring : rings_of(executable)) {
    if (ring >= Executable::kHostRing)
      throw UserError(fmt::format("program '{}': ring {}: a program has rings 0..{}",
                                  executable.name, ring, Executable::kHostRing - 1));
  }
  std::vector<std::uint64_t> addresses;
  for (const TensorInfo& tensor : executable.tensors) {
    const auto bound = bindings.find(tensor.name);
    if (bound == bindings.end() || bound->second.bytes == 0) {
      throw UserError("program '" + executable.name + "': no buffer for tensor '" + tensor.name +
                      "'");
    }
    if (bound->second.bytes < tensor.bytes()) {
      throw UserError(fmt::format("program '{}': tensor '{}' takes {} bytes, its buffer has {}",
                                  executable.name, tensor.name, tensor.bytes(),
                                  bound->second.bytes));
    }
    addresses.push_back(bound->second.address);
  }
  Program program(std::move(executable), core);
  program.memory_ = allocate("program " + program.executable_.name, program.layout_.bytes, core);
  const Used used = used_by(program.executable_);
  program.semaphores_.assign(used.semaphores.begin(), used.semaphores.end());
  program.events_.assign(used.events.begin(), used.events.end());
  const std::uint64_t base = program.memory_.address();
  ProgramImage image(program.executable_, program.layout_, base, place, addresses);
  if (by_dma(image.size())) {
    const HostMemory::Pin pin =
        port_.memory().pin([&image](std::uint64_t offset, void* data,
                                    std::size_t bytes) { image.read(offset, data, bytes); },
                           image.size());
    dma_.to_chip(core_near(program.memory_), base, pin, image.size());
  } else {
    const std::vector<std::uint8_t> bytes = image.all();
    port_.write(base, bytes.data(), bytes.size());
  }
  return program;
}

std::uint64_t Runtime::core_regs(unsigned core) {
  return TERN_CORE_BASE + core * TERN_CORE_STRIDE + TERN_CORE_REGS_BASE;
}

std::uint64_t Runtime::ring_regs(unsigned core, unsigned engine, unsigned ring) {
  return TERN_CORE_BASE + core * TERN_CORE_STRIDE + TERN_CORE_DMA_BASE +
         engine * TERN_CORE_DMA_STRIDE + ring * TERN_REG_DMA_RING_TX_BASE_STRIDE;
}

// A host that hears of the end by a message posts its writes, as a driver does.
void Runtime::set32(std::uint64_t address, std::uint32_t value) {
  if (completion_ == Completion::kMessage) return port_.post32(address, value);
  port_.write32(address, value);
}

void Runtime::set64(std::uint64_t address, std::uint64_t value) {
  if (completion_ == Completion::kMessage) return port_.post64(address, value);
  port_.write64(address, value);
}

void Runtime::execute(Program& program) {
  const std::uint64_t regs = core_regs(program.core_);
  const std::uint64_t base = program.memory_.address();
  set32(regs + TERN_REG_CORE_IRQ_CLEAR, 1);
  if (completion_ == Completion::kMessage) port_.forget_messages(program.core_);
  for (const unsigned semaphore : program.semaphores_) {
    set32(regs + TERN_REG_CORE_SEMAPHORE_SET + semaphore * TERN_REG_CORE_SEMAPHORE_SET_STRIDE, 0);
  }
  for (const unsigned event : program.events_) {  // a clear one may not be cleared
    const std::uint64_t at = regs + std::uint64_t{event} * TERN_REG_CORE_EVENT_READ_STRIDE;
    if (port_.read32(at + TERN_REG_CORE_EVENT_READ) != 0) set32(at + TERN_REG_CORE_EVENT_CLEAR, 1);
  }
  set_up_rings(program);
  const auto queue_regs = [&](unsigned q) { return regs + q * TERN_REG_CORE_QUEUE_BASE_STRIDE; };
  for (const unsigned q : kStartOrder) {
    if (program.executable_.queues[q].empty()) continue;
    set64(queue_regs(q) + TERN_REG_CORE_QUEUE_BASE, base + program.layout_.queues[q]);
    set32(queue_regs(q) + TERN_REG_CORE_QUEUE_LENGTH,
          static_cast<std::uint32_t>(program.executable_.queues[q].size()));
  }
  if (overhead_.start > sc_core::SC_ZERO_TIME) sc_core::wait(overhead_.start);
  std::optional<unsigned> last;  // a write that is not posted returns when it has arrived
  for (const unsigned q : kStartOrder) {
    if (program.executable_.queues[q].empty()) continue;
    if (last) set32(queue_regs(*last) + TERN_REG_CORE_QUEUE_START, 1);
    last = q;
  }
  if (last) port_.write32(queue_regs(*last) + TERN_REG_CORE_QUEUE_START, 1);
  program.start_ = sc_core::sc_time_stamp() - overhead_.start;
}

// An earlier program may have left another one.
void Runtime::set_class(const Program& program, unsigned ring) {
  const auto& classes = program.executable_.ring_classes;
  const auto wanted = classes.find(ring);
  const unsigned traffic_class = wanted == classes.end() ? kLeastUrgent : wanted->second;
  const auto [known, unseen] = ring_classes_.insert({{program.core_, ring}, traffic_class});
  unsigned& now = known->second;
  std::uint32_t value = 0;
  if (unseen) {  // another Runtime may have been used before
    const std::uint64_t at = ring_regs(program.core_, 0, ring) + TERN_REG_DMA_RING_CLASS;
    now = port_.peek32(at, &value) ? value : kUnknownClass;
  }
  if (now == traffic_class) return;
  for (unsigned e = 0; e < Executable::kEngines; ++e) {
    set32(ring_regs(program.core_, e, ring) + TERN_REG_DMA_RING_CLASS, traffic_class);
  }
  now = traffic_class;
}

// Sizes last: they reset head and tail, and clear the reason of a stop.
void Runtime::set_up_rings(const Program& program) {
  const std::uint64_t base = program.memory_.address();
  const std::uint64_t window = TERN_CORE_BASE + program.core_ * TERN_CORE_STRIDE;
  const auto set_up = [&](std::uint64_t ring, std::uint64_t tx, std::uint64_t rx,
                          std::uint32_t size) {
    set64(ring + TERN_REG_DMA_RING_TX_BASE, tx);
    set64(ring + TERN_REG_DMA_RING_RX_BASE, rx);
    set32(ring + TERN_REG_DMA_RING_SIZE, size);
  };
  for (const unsigned ring : rings_of(program.executable_)) set_class(program, ring);
  for (const auto& [ring, engines] : program.layout_.rings) {
    for (unsigned e = 0; e < Executable::kEngines; ++e) {
      const ProgramLayout::Ring& place = engines[e];
      set_up(ring_regs(program.core_, e, ring), base + place.tx, base + place.rx, place.size);
    }
  }
  for (const auto& [ring, made] : program.executable_.generated_rings) {
    for (unsigned e = 0; e < Executable::kEngines; ++e) {
      const std::uint64_t regs = ring_regs(program.core_, e, ring);
      if (made.slots == 0) {  // descriptors that are never in memory
        set32(regs + TERN_REG_DMA_RING_SIZE, kMinRing);
        continue;
      }
      const std::uint64_t tx = window + TERN_CORE_SBUF_BASE +
                               Executable::generated_ring_partition(e) * TERN_CORE_SBUF_STRIDE +
                               made.sbuf_byte;
      set_up(regs, tx, tx + std::uint64_t{made.slots} * TERN_DESCRIPTOR_BYTES, made.slots);
    }
  }
}

std::uint32_t Runtime::queue_status(const Program& program, unsigned queue) {
  return port_.read32(core_regs(program.core_) + TERN_REG_CORE_QUEUE_STATUS +
                      queue * TERN_REG_CORE_QUEUE_STATUS_STRIDE);
}

bool Runtime::all_halted(const Program& program) {
  for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) {
    if (program.executable_.queues[q].empty()) continue;
    if (queue_status(program, q) != kHalted) return false;
  }
  return true;
}

void Runtime::check_answers() {
  std::uint32_t id = 0;
  if (!port_.peek32(TERN_CHIP_REGS_BASE + TERN_REG_CHIP_CHIP_ID, &id))
    throw StatusError(Status::kHardware, "the chip does not answer any more");
}

bool Runtime::wait_interrupt(unsigned core, const sc_core::sc_time& deadline) {
  return completion_ == Completion::kMessage ? port_.wait_message(core, deadline)
                                             : port_.wait_irq(deadline);
}

RunResult Runtime::wait(Program& program, double limit_seconds) {
  const std::uint64_t regs = core_regs(program.core_);
  const sc_core::sc_time deadline =
      sc_core::sc_time_stamp() + sc_core::sc_time(limit_seconds, sc_core::SC_SEC);
  // The line is shared by the cores: when it is another one's, check again after a while. And check
  // from time to time, without taking time, whether the program can still continue.
  const sc_core::sc_time look_again(10, sc_core::SC_US);
  bool stalled_before = false;
  while (sc_core::sc_time_stamp() < deadline) {
    if (!wait_interrupt(program.core_, std::min(deadline, sc_core::sc_time_stamp() + look_again))) {
      check_answers();
      // Twice in a row: the first check may fall between two events of the same instant.
      const bool stalled_now = stalled(program);
      const bool may_come = program.has_parts_elsewhere_ && !(others_rest_ && others_rest_());
      if (stalled_now && stalled_before && !may_come) report_deadlock(program);
      stalled_before = stalled_now;
      continue;
    }
    const sc_core::sc_time end = sc_core::sc_time_stamp();
    const std::uint32_t status = port_.read32(regs + TERN_REG_CORE_CORE_STATUS);
    if ((status & kCoreError) != 0) report_error(program);
    // Not cleared before: an error that occurs between the two accesses would be lost.
    if (all_halted(program)) {
      port_.write32(regs + TERN_REG_CORE_IRQ_CLEAR, 1);
      RunResult result;
      result.start = program.start_;
      result.end = end + overhead_.end;
      for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) {
        if (program.executable_.queues[q].empty()) continue;
        result.instructions[q] =
            peek(regs + TERN_REG_CORE_QUEUE_EXECUTED + q * TERN_REG_CORE_QUEUE_EXECUTED_STRIDE);
      }
      if (overhead_.end > sc_core::SC_ZERO_TIME) sc_core::wait(overhead_.end);
      return result;
    }
    if (sc_core::sc_time_stamp() >= deadline) break;
    sc_core::wait(std::min(look_again, deadline - sc_core::sc_time_stamp()));
  }
  if (stalled(program)) report_deadlock(program);
  report_timeout(program, limit_seconds);
}

RunResult Runtime::run(Program& program, double limit_seconds) {
  execute(program);
  return wait(program, limit_seconds);
}

std::uint32_t Runtime::peek(std::uint64_t address) {
  std::uint32_t value = 0;
  return port_.peek32(address, &value) ? value : 0;
}

// Only the host could let it continue. A core that works may have instructions that change another
// one's semaphores, so all of them count.
bool Runtime::stalled(const Program& program) {
  for (unsigned core = 0; core < cores_; ++core) {
    const std::uint32_t status = peek(core_regs(core) + TERN_REG_CORE_CORE_STATUS);
    const bool rests = (status & kCoreStalled) != 0 || (status & kCoreRunning) == 0;
    if (core == program.core_ ? (status & kCoreStalled) == 0 : !rests) return false;
  }
  return true;
}

void Runtime::reset(unsigned core) {
  if (core >= cores()) throw UserError(fmt::format("reset: core {}: there are {}", core, cores()));
  const std::uint64_t regs = core_regs(core);
  port_.write32(regs + TERN_REG_CORE_CORE_RESET, 1);
  const sc_core::sc_time look_again(1, sc_core::SC_US);
  constexpr unsigned kLooks = 100000;  // work that was issued is far shorter
  for (unsigned look = 0; look < kLooks; ++look) {
    const std::uint32_t status = port_.read32(regs + TERN_REG_CORE_CORE_STATUS);
    if ((status & TERN_REG_CORE_CORE_STATUS_RESETTING_MASK) == 0) return;
    sc_core::wait(look_again);
  }
  throw StatusError(Status::kUnrecoverable, fmt::format("core {} does not end its reset", core));
}

}  // namespace tern::runtime
