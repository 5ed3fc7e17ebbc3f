// SPDX-License-Identifier: Apache-2.0
// Snapshots of a core at rest.
#include <fmt/format.h>

#include <algorithm>

#include "systemc/core/instruction_info.h"
#include "systemc/core/neuron_core.h"

namespace tern {

namespace {

constexpr double kMostThrottle = 1e9;

}  // namespace

void Sequencer::archive_state(base::StateArchive& archive) {
  archive.number(status_, Status::kError);
  if (status_ == Status::kRunning) archive.damaged();
  archive.numbers(failed_, hung_);
  archive.number(throttle_, 1.0, kMostThrottle);
  archive.numbers(failed_sequence_, sequence_, base_, length_, opcode_, executed_, control_run_);
  std::uint64_t last = last_end_.value();
  archive.number(last, sc_core::sc_time_stamp().value());
  last_end_ = sc_core::sc_time::from_value(last);
  unit_.flow.archive_state(archive);
  unit_.registers.archive_state(archive);
}

bool Notifications::idle() const {
  return waiting_.empty() && std::all_of(queues_.begin(), queues_.end(),
                                         [](const Queue& queue) { return queue.waiting == 0; });
}

void Notifications::archive_state(base::StateArchive& archive) {
  for (Queue& queue : queues_) {
    archive.numbers(queue.base, queue.size, queue.head, queue.tail, queue.lost);
    archive.number(queue.slot, queue.size == 0 ? 0 : queue.size - 1);
    archive.number(queue.even_pass);
    ++queue.generation;
  }
  archive.number(irq_, (1u << TERN_NOTIFICATION_COUNT) - 1);
  archive.number(rings_, std::uint32_t{TERN_REG_CORE_NOTIFY_RINGS_RESET});
}

void CoreRegisters::archive_state(base::StateArchive& archive) {
  archive.each(base_);
  archive.each(length_);
  archive.each(started_);
  archive.number(held_);
}

std::string CoreServices::in_flight() const {
  if (!scalar_dge_.idle() || !sync_dge_.idle() || !gpsimd_copies_.idle())
    return "a descriptor generator works";
  for (unsigned e = 0; e < kDmaEngines; ++e) {
    if (!dma_[e]->rests_for_snapshot())
      return fmt::format("DMA engine {} has descriptors that were released and are not done", e);
  }
  return {};
}

void CoreServices::archive_state(base::StateArchive& archive) {
  scalar_dge_.archive_state(archive);
  sync_dge_.archive_state(archive);
  gpsimd_copies_.archive_state(archive);
  gpsimd_dge_.archive_state(archive);
  for (const auto& engine : dma_) engine->archive_state(archive);
}

std::string NeuronCore::in_flight() const {
  if (reset_.active()) return "its reset has not ended";
  for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) {
    if (!sequencers_[q]->at_rest())
      return fmt::format("the {} queue runs a program", queue_name(q));
  }
  for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) {
    if (engines_[q] != nullptr && !engines_[q]->idle())
      return fmt::format("the {} engine works", queue_name(q));
  }
  if (!tensor_.rests_for_snapshot()) return "the tensor engine works, or has just ended";
  if (!context_.semaphores.settled()) return "a semaphore has just changed";
  if (!notifications_.idle()) return "a notification has not been written";
  return services_.in_flight();
}

void NeuronCore::archive_state(base::StateArchive& archive) {
  const auto section = [&](std::string_view part) {
    archive.section(fmt::format("{} {}", process_, part));
  };
  section("sbuf");
  archive.constant(sbuf_.partition_bytes());
  for (unsigned p = 0; p < Sbuf::kPartitions; ++p)
    archive.memory(sbuf_.partition(p), sbuf_.partition_bytes());
  section("semaphores");
  context_.semaphores.archive_state(archive);
  context_.errors.archive_state(archive);
  section("tensor engine");
  tensor_.archive_state(archive);
  section("engines");
  for (const auto& engine : engines_) {
    if (engine != nullptr) engine->archive_state(archive);
  }
  section("queues");
  for (const auto& sequencer : sequencers_) sequencer->archive_state(archive);
  section("registers");
  registers_.archive_state(archive);
  notifications_.archive_state(archive);
  section("dma");
  services_.archive_state(archive);
  irq_changed_.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace tern
