// SPDX-License-Identifier: Apache-2.0
#include "systemc/dma/model/unit_model.h"

#include <cassert>
#include <cstring>
#include <stdexcept>

#include "systemc/dma/model/dispatch.h"
#include "systemc/dma/model/lazy_unit.h"
#include "systemc/dma/model/mover.h"
#include "systemc/dma/model/registers.h"
#include "systemc/dma/model/scan.h"

namespace tern::dma {

namespace {

using namespace model;

// Stages run in the order of the data path. A stage uses resources that later stages released in
// earlier cycles; data from earlier stages are marked with their cycle. Inputs come last.
class UnitModel final : public Unit {
 public:
  UnitModel(const UnitConfig& config, Environment& environment) : state_(config, environment) {}

  bool write_register(std::uint64_t cycle, std::uint32_t offset, std::uint32_t value) override;
  bool read_register(std::uint64_t cycle, std::uint32_t offset, std::uint32_t& value) override;
  bool push_pair(std::uint64_t cycle, unsigned ring, const std::uint8_t* pair) override;
  void answer(std::uint64_t cycle, Port port, unsigned tag, Answer answer,
              const std::uint8_t* data) override;
  std::uint64_t next_cycle() const override { return state_.next_wake; }
  void advance(std::uint64_t cycle) override;
  bool at_rest() const override;
  bool rests_for_snapshot() const override;
  void archive_state(base::StateArchive& archive, std::uint64_t cycle) override;

 private:
  struct RegisterWrite {
    std::uint64_t cycle;
    std::uint32_t offset, value;
  };
  struct Push {
    std::uint64_t cycle = kNever;
    unsigned ring = 0, generation = 0;
    Pair pair;
  };
  struct Reply {
    std::uint64_t cycle;
    Port port;
    unsigned tag;
    Answer answer;
    bool stray;
    Buffer data;  // descriptors
  };

  void run_stages(std::uint64_t cycle);
  void run_completion(std::uint64_t cycle);
  void run_inputs(std::uint64_t cycle);
  template <typename Queue>
  void run_replies(std::uint64_t cycle, Queue& queue);
  void take_reply(const Reply& reply);
  void take_push();
  void before(std::uint64_t cycle) {
    if (cycle > 0) advance(cycle - 1);
  }

  State state_;
  Registers registers_{state_};
  FetchUnit fetch_{state_};
  ScanUnit scan_{state_};
  SourceUnit source_{state_};
  TargetUnit target_{state_};
  Dispatcher dispatcher_{state_, source_, target_};
  WriteUnit writes_{state_};
  Mover mover_{state_, source_, target_, writes_};

  // Inputs of a cycle that has not ended.
  FixedQueue<RegisterWrite, 64> register_writes_;
  Push push_;
  FixedQueue<Reply, 64> fetched_, answered_;
};

bool UnitModel::write_register(std::uint64_t cycle, std::uint32_t offset, std::uint32_t value) {
  before(cycle);
  unsigned restarts = kRings;
  if (!Registers::writable(offset, restarts)) return false;
  if (restarts != kRings) {
    if (state_.restart_cycle != cycle) state_.restarting = 0;
    state_.restart_cycle = cycle;
    state_.restarting |= 1u << restarts;
  }
  register_writes_.push({cycle, offset, value});
  state_.wake_at(kInputStage, cycle);
  return true;
}

bool UnitModel::read_register(std::uint64_t cycle, std::uint32_t offset, std::uint32_t& value) {
  before(cycle);
  bool busy = !fetch_.idle() || state_.oldest != state_.newest;
  for (const Ring& ring : state_.rings) busy = busy || (!ring.stopped && ring.head != ring.tail);
  return registers_.read(offset, busy, value);
}

bool UnitModel::push_pair(std::uint64_t cycle, unsigned ring_index, const std::uint8_t* pair) {
  before(cycle);
  const Ring& ring = state_.rings.at(ring_index);
  if (ring.stopped || ring.room() == 0 || push_.cycle != kNever) return false;
  if (ring.fetching || ring.fetched != ring.tail) return false;  // pairs of both kinds keep order
  push_.cycle = cycle;
  push_.ring = ring_index;
  push_.generation = ring.generation;
  std::memcpy(&push_.pair, pair, sizeof push_.pair);
  state_.wake_at(kInputStage, cycle);
  return true;
}

void UnitModel::answer(std::uint64_t cycle, Port port, unsigned tag, Answer answer,
                       const std::uint8_t* data) {
  if (port == Port::kRead && tag < kReadTags && source_.expects(tag)) {
    source_.answer(cycle, tag, answer, data);
    return;
  }
  const bool descriptors = port == Port::kDescriptors;
  auto& queue = descriptors ? fetched_ : answered_;
  Reply& reply = queue.extend();
  reply.cycle = cycle;
  reply.port = port;
  reply.tag = tag;
  reply.answer = answer;
  reply.stray = descriptors ? tag >= 2 * kRings || !fetch_.expects(tag) : true;
  if (port == Port::kWrite) reply.stray = tag >= kWriteTags || !writes_.expects(tag);
  if (descriptors && !reply.stray && answer == Answer::kGood) {
    std::memcpy(reply.data.data(), data, fetch_.request_bytes(tag));
  }
  state_.wake_at(kInputStage, cycle);
}

void UnitModel::advance(std::uint64_t cycle) {
  while (state_.next_wake <= cycle) run_stages(state_.next_wake);
}

void UnitModel::run_stages(std::uint64_t cycle) {
  const auto due = [this, cycle](Stage stage) {
    if (state_.wake[stage] > cycle) return false;
    state_.wake[stage] = kNever;
    return true;
  };
  if (due(kFetchStage)) fetch_.run(cycle);
  if (due(kDispatchStage)) dispatcher_.run(cycle);
  if (due(kScanStage)) scan_.run(cycle);
  if (due(kSourceStage)) source_.run(cycle);
  if (due(kTargetStage)) target_.run(cycle);
  if (due(kMoverStage)) mover_.run(cycle);
  if (due(kWriteStage)) writes_.run(cycle);
  if (due(kCompletionStage)) run_completion(cycle);
  if (due(kInputStage)) run_inputs(cycle);
  state_.find_next_wake();
}

// In order of dispatch, one entry per cycle.
void UnitModel::run_completion(std::uint64_t cycle) {
  if (state_.oldest == state_.newest) return;
  const std::uint64_t entry = state_.oldest;
  const Packet& packet = state_.packet(entry);
  if (packet.fault != TERN_DMA_FAULT_NONE) {
    if (packet.begin == cycle) {
      state_.wake_at(kCompletionStage, cycle + 1);
      return;
    }
    state_.stop_packet(cycle, entry, packet.fault, packet.pairs - 1, 0);
  } else {
    if (packet.moved >= cycle) {  // kNever: the mover wakes it
      if (packet.moved != kNever) state_.wake_at(kCompletionStage, packet.moved + 1);
      return;
    }
    if (packet.writes != 0) return;  // the last answer wakes it
    if (packet.dead_from > cycle) {
      state_.rings[packet.ring].head += packet.pairs;
      state_.environment.packet_done(packet.begin, cycle, packet.ring, packet.bytes, packet.pairs);
    }
  }
  ++state_.oldest;
  if (state_.oldest != state_.newest) {
    state_.wake_at(kCompletionStage, cycle + 1);
    state_.wake_at(kSourceStage, cycle + 1);  // a barrier
  }
  if (state_.ready != 0) state_.wake_at(kDispatchStage, cycle + 1);
}

template <typename Queue>
void UnitModel::run_replies(std::uint64_t cycle, Queue& queue) {
  while (!queue.empty() && queue.front().cycle <= cycle) {
    take_reply(queue.front());
    queue.pop();
  }
  if (!queue.empty()) state_.wake_at(kInputStage, queue.front().cycle);
}

void UnitModel::take_reply(const Reply& reply) {
  if (reply.stray) {
    state_.stop(reply.cycle, 0, TERN_DMA_FAULT_COMPLETION, 0, 0);
  } else if (reply.port == Port::kWrite) {
    writes_.answer(reply.cycle, reply.tag, reply.answer);
  } else {
    Batch batch;
    if (fetch_.answer(reply.cycle, reply.tag, reply.answer, reply.data.data(), batch)) {
      scan_.add(batch);
    }
  }
}

void UnitModel::run_inputs(std::uint64_t cycle) {
  run_replies(cycle, answered_);
  run_replies(cycle, fetched_);
  if (push_.cycle <= cycle) take_push();
  while (!register_writes_.empty() && register_writes_.front().cycle <= cycle) {
    const RegisterWrite write = register_writes_.front();
    register_writes_.pop();
    registers_.write(write.cycle, write.offset, write.value);
  }
}

void UnitModel::take_push() {
  const Push push = push_;
  push_.cycle = kNever;
  Ring& ring = state_.rings[push.ring];
  ++ring.tail;
  if (push.generation != ring.generation) return;  // stopped in this cycle
  Batch batch = {push.ring, ring.generation, 1, ring.put, ring.fetched, push.cycle, true};
  ring.places[ring.put % kPrefetchPairs] = push.pair;
  ++ring.put;
  ++ring.fetched;
  scan_.add(batch);
}

bool UnitModel::at_rest() const {
  return fetch_.idle() && scan_.idle() && state_.ready == 0 && state_.oldest == state_.newest &&
         state_.hungry == 0 && source_.idle() && target_.idle() && writes_.idle() &&
         register_writes_.empty() && push_.cycle == kNever && fetched_.empty() && answered_.empty();
}

bool UnitModel::rests_for_snapshot() const {
  for (const Ring& ring : state_.rings) {
    if (!ring.stopped && ring.head != ring.tail) return false;
  }
  return at_rest() && state_.next_wake == kNever && mover_.passed() == state_.numbers;
}

void UnitModel::archive_state(base::StateArchive& archive, std::uint64_t cycle) {
  registers_.archive_state(archive, cycle);
  fetch_.archive_state(archive);
  mover_.archive_state(archive);
}

}  // namespace

std::unique_ptr<Unit> make_unit_model(const UnitConfig& config, Environment& environment) {
  if (config.pace > 1023) throw std::invalid_argument("dma::UnitConfig: pace above 1023");
  if (config.descriptor_cycles > 255) {
    throw std::invalid_argument("dma::UnitConfig: descriptor_cycles above 255");
  }
  return std::make_unique<LazyUnit>(
      [config, &environment] { return std::make_unique<UnitModel>(config, environment); });
}

}  // namespace tern::dma
