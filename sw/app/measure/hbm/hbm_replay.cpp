// SPDX-License-Identifier: Apache-2.0
#include "sw/app/measure/hbm/hbm_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>

#include "sw/base/seconds_since.h"
#include "sw/base/user_error.h"
#include "sw/spec/generated/address_map.h"

namespace tern::app {

namespace {

// A stack with the requests that wait for its queues. Stacks share nothing, so each has its own
// time.
class Lane {
 public:
  Lane(const hbm::Config& config, unsigned number, HbmReplay* replay)
      : stack_(config, number), replay_(replay) {}

  void send(const HbmLine& line, std::uint64_t offset) {
    run_until(line.time_fs);
    now_ = std::max(now_, line.time_fs);
    waiting_.push_back({line, offset});
    push();
    while (waiting_.size() > kMaxWaiting) step(stack_.next_event_fs(true));
  }
  void finish() {
    while (!waiting_.empty() || !stack_.idle()) step(stack_.next_event_fs(!waiting_.empty()));
    // Stores complete when they are queued; a run ends when they are in the memory.
    replay_->last_fs = std::max(replay_->last_fs, stack_.finish_fs());
  }
  const hbm::Stack& stack() const { return stack_; }

 private:
  static constexpr std::size_t kMaxWaiting = 4096;
  struct Waiting {
    HbmLine line;
    std::uint64_t offset;
  };
  struct Sent {
    std::uint64_t time_fs;
    bool write;
    unsigned traffic_class;
    std::uint32_t bytes;
  };

  static hbm::Request request_of(const Waiting& waiting) {
    hbm::Request request;
    request.write = waiting.line.write;
    request.offset = waiting.offset;
    request.bytes = waiting.line.bytes;
    request.traffic_class = waiting.line.traffic_class;
    return request;
  }
  void push() {
    while (!waiting_.empty()) {
      hbm::Request request = request_of(waiting_.front());
      if (!stack_.accepts(now_, request)) return;
      if (free_.empty()) {
        free_.push_back(sent_.size());
        sent_.emplace_back();
      }
      request.id = free_.back();
      free_.pop_back();
      const HbmLine& line = waiting_.front().line;
      sent_[request.id] = {line.eager ? now_ : line.time_fs, line.write, line.traffic_class,
                           line.bytes};
      stack_.submit(now_, request);
      waiting_.pop_front();
    }
  }
  void step(std::uint64_t fs) {
    now_ = std::max(now_, fs);
    stack_.advance(now_, [this](const hbm::Completion& completion) {
      const Sent& sent = sent_[completion.id];
      const std::uint64_t latency = completion.time_fs - sent.time_fs;
      replay_->latency[sent.write].add(latency);
      replay_->class_latency[sent.traffic_class].add(latency);
      replay_->rates.add(completion.time_fs - std::min(completion.time_fs, replay_->first_fs),
                         sent.write, sent.bytes);
      replay_->last_fs = std::max(replay_->last_fs, completion.time_fs);
      free_.push_back(completion.id);
    });
    push();
  }
  void run_until(std::uint64_t fs) {
    while (true) {
      const std::uint64_t next = stack_.next_event_fs(!waiting_.empty());
      if (next > fs) return;
      step(next);
    }
  }

  hbm::Stack stack_;
  HbmReplay* replay_;
  std::uint64_t now_ = 0;
  std::deque<Waiting> waiting_;
  std::vector<Sent> sent_;
  std::vector<std::uint64_t> free_;
};

}  // namespace

HbmReplay replay_hbm(const hbm::Config& config, HbmSource& source,
                     const std::function<void(double)>& progress) {
  HbmReplay replay;
  replay.config = config;
  std::vector<std::unique_ptr<Lane>> lanes(config.stacks);
  const auto begin = std::chrono::steady_clock::now();
  while (const std::optional<HbmLine> line = source.next()) {
    const std::uint64_t stack = (line->address - TERN_HBM_BASE) / TERN_HBM_STRIDE;
    const std::uint64_t offset = (line->address - TERN_HBM_BASE) % TERN_HBM_STRIDE;
    if (stack >= config.stacks || offset + line->bytes > config.stack_bytes) {
      throw UserError(fmt::format("{}: {} bytes at {:#x} are outside the HBM ({} stacks of {} MiB)",
                                  source.place(), line->bytes, line->address, config.stacks,
                                  config.stack_bytes >> 20));
    }
    if (replay.requests == 0) replay.first_fs = line->time_fs;
    ++replay.requests;
    replay.bytes += line->bytes;
    std::unique_ptr<Lane>& lane = lanes[stack];
    if (!lane) lane = std::make_unique<Lane>(config, static_cast<unsigned>(stack), &replay);
    lane->send(*line, offset);
    if (replay.requests % 65536 == 0) progress(source.progress());
  }
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    if (!lanes[i]) continue;
    lanes[i]->finish();
    HbmReplayStack stack;
    stack.number = static_cast<unsigned>(i);
    for (unsigned c = 0; c < config.pseudo_channels_per_stack(); ++c)
      stack.channels.push_back(lanes[i]->stack().counters(c));
    stack.sum = lanes[i]->stack().counters();
    replay.stacks.push_back(stack);
  }
  replay.host_seconds = base::seconds_since(begin);
  return replay;
}

}  // namespace tern::app
