// SPDX-License-Identifier: Apache-2.0
// What the runtime says of a program that has stopped: its error, what its queues wait for.
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstring>

#include "sw/base/user_error.h"
#include "sw/runtime/error_text.h"
#include "sw/runtime/program_fault.h"
#include "sw/runtime/runtime.h"
#include "sw/runtime/status.h"
#include "sw/spec/generated/registers.h"

namespace tern::runtime {

namespace {

constexpr std::uint32_t kRunning = TERN_REG_CORE_QUEUE_STATUS_RUNNING;
constexpr std::uint32_t kRingStopped = TERN_REG_DMA_RING_STATUS_STOPPED;
constexpr std::uint32_t kDmaErrorBase = TERN_REG_CORE_ERROR_QUEUE_DMA;  // of DMA engine 0

// "12.345 us"
std::string microseconds(const sc_core::sc_time& time) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f us", time.to_seconds() * 1e6);
  return text;
}

}  // namespace

StalledCore Runtime::look_at(const Program& program) {
  const std::uint64_t regs = core_regs(program.core_);
  StalledCore core;
  for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) {
    StalledCore::Queue& queue = core.queues[q];
    const std::uint64_t base = regs + q * TERN_REG_CORE_QUEUE_PC_STRIDE;
    queue.running = !program.executable_.queues[q].empty() &&
                    peek(base + TERN_REG_CORE_QUEUE_STATUS) == kRunning;
    queue.pc = peek(base + TERN_REG_CORE_QUEUE_PC);
    const std::uint32_t wait = peek(base + TERN_REG_CORE_QUEUE_WAIT);
    queue.semaphore = wait & 0xFF;
    queue.condition = wait >> 8 & 7;
    queue.operand = peek(base + TERN_REG_CORE_QUEUE_WAIT_VALUE);
    queue.value =
        peek(regs + (queue.for_event() ? TERN_REG_CORE_EVENT_READ : TERN_REG_CORE_SEMAPHORE_READ) +
             queue.semaphore * TERN_REG_CORE_SEMAPHORE_READ_STRIDE);
  }
  for (const auto& entry : program.layout_.rings) {
    for (unsigned e = 0; e < Executable::kEngines; ++e) {
      const std::uint64_t dma = ring_regs(program.core_, e, entry.first);
      core.rings[entry.first][e] = {peek(dma + TERN_REG_DMA_RING_RELEASED),
                                    peek(dma + TERN_REG_DMA_RING_HEAD),
                                    peek(dma + TERN_REG_DMA_RING_STATUS) == kRingStopped};
    }
  }
  return core;
}

tern_instruction_t Runtime::loaded(const Program& program, unsigned queue, std::size_t index) {
  const std::uint64_t place =
      program.memory_.address() + program.layout_.queues[queue] + index * TERN_INSTRUCTION_BYTES;
  std::array<std::uint32_t, TERN_INSTRUCTION_BYTES / 4> words{};
  for (std::size_t w = 0; w < words.size(); ++w) words[w] = peek(place + 4 * w);
  tern_instruction_t instruction;
  std::memcpy(&instruction, words.data(), sizeof instruction);
  return instruction;
}

namespace {

// The type of indices is not known here.
std::string index_text(std::uint32_t value) {
  const auto number = static_cast<std::int32_t>(value);
  const std::string text = std::to_string(value);
  return number < 0 ? text + " (" + std::to_string(number) + " as int32)" : text;
}

}  // namespace

void Runtime::report_error(const Program& program) {
  const std::uint64_t regs = core_regs(program.core_);
  const std::uint32_t code = port_.read32(regs + TERN_REG_CORE_ERROR_CODE);
  const std::uint32_t queue = port_.read32(regs + TERN_REG_CORE_ERROR_QUEUE);
  const std::uint32_t index = port_.read32(regs + TERN_REG_CORE_ERROR_INDEX);
  const std::uint32_t detail = port_.read32(regs + TERN_REG_CORE_ERROR_DETAIL);
  ProgramFaultRegisters fault;
  fault.pc = detail;
  const bool has_index = code == TERN_ERROR_DMA_INDEX ||
                         (code == TERN_ERROR_BAD_ACCESS_PATTERN && (detail & 0x80) != 0);
  const std::uint32_t index_value = has_index ? port_.read32(regs + TERN_REG_CORE_ERROR_VALUE) : 0;
  if (code == TERN_ERROR_CUSTOM_OP) {
    fault.processor = port_.read32(regs + TERN_REG_CORE_ERROR_PROCESSOR);
    fault.reason = port_.read32(regs + TERN_REG_CORE_ERROR_REASON);
    fault.value = port_.read32(regs + TERN_REG_CORE_ERROR_VALUE);
  }
  port_.write32(regs + TERN_REG_CORE_IRQ_CLEAR, 1);
  std::string text =
      "program '" + program.executable_.name + "' on core " + std::to_string(program.core_) + ": ";
  if (queue >= kDmaErrorBase) {
    const std::uint64_t ring = ring_regs(program.core_, queue - kDmaErrorBase, index);
    const std::uint64_t address = peek(ring + TERN_REG_DMA_RING_FAULT_ADDRESS) |
                                  std::uint64_t{peek(ring + TERN_REG_DMA_RING_FAULT_ADDRESS + 4)}
                                      << 32;
    const RingFault stopped{queue - kDmaErrorBase, index, detail >> 24, detail & 0xFFFFFF, address};
    throw StatusError(
        status_of(stopped),
        text + describe_ring_fault(program.executable_, stopped, [&](unsigned q, std::size_t i) {
          return loaded(program, q, i);
        }));
  }
  text += instruction_place(program.executable_, queue, index);
  if (code == TERN_ERROR_DMA_INDEX) {
    throw StatusError(Status::kOutOfBound, text + ": the index of partition " +
                                               std::to_string(detail) + " is " +
                                               index_text(index_value) +
                                               ", outside the table; status 1006 (out of bound)");
  }
  if (has_index) {
    throw StatusError(Status::kCompletedWithError, text + ": " + error_meaning(code, detail) +
                                                       ": it is " + index_text(index_value));
  }
  const auto& gpsimd = program.executable_.queues[TERN_QUEUE_GPSIMD];
  if (code == TERN_ERROR_CUSTOM_OP && index < gpsimd.size()) {
    const Blob& blob = program.executable_.blobs[gpsimd[index].custom_op.code_lo];
    throw StatusError(Status::kCompletedWithError,
                      text + ": " + describe_program_fault(blob, fault));
  }
  throw StatusError(Status::kCompletedWithError, text + ": " + error_meaning(code, detail));
}

std::string Runtime::explain_waits(const Program& program) {
  return explain_deadlock(program.executable_, look_at(program));
}

void Runtime::report_deadlock(const Program& program) {
  throw DeadlockError("program '" + program.executable_.name + "' on core " +
                      std::to_string(program.core_) + " is deadlocked: at " +
                      microseconds(sc_core::sc_time_stamp()) +
                      " of simulated time nothing is in flight, and every running queue waits:\n" +
                      explain_waits(program));
}

void Runtime::report_timeout(const Program& program, double limit_seconds) {
  const std::string limit_text = sc_core::sc_time(limit_seconds, sc_core::SC_SEC).to_string();
  std::string text = "program '" + program.executable_.name + "' on core " +
                     std::to_string(program.core_) + " did not end within " + limit_text +
                     " of simulated time";
  const StalledCore core = look_at(program);
  for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) {
    const StalledCore::Queue& queue = core.queues[q];
    if (!queue.running) continue;
    text += "; " + instruction_place(program.executable_, q, queue.pc);
    if (queue.condition == TERN_WAIT_COND_NONE) continue;
    text += ", waits for " + condition_text(queue);
  }
  throw StatusError(Status::kTimeout, text);
}

}  // namespace tern::runtime
