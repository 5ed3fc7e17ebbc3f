// SPDX-License-Identifier: Apache-2.0
#include "sw/nrt/instance.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "sw/base/user_error.h"
#include "sw/nrt/log.h"

namespace tern::nrt {

using runtime::Status;
using runtime::StatusError;

Instance& Instance::get() {
  // Never destroyed: other threads may be in it when the process ends.
  static auto* const instance = new Instance;  // NOLINT(cppcoreguidelines-owning-memory)
  return *instance;
}

void Instance::open() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (state_ == State::kOpen) throw StatusError(Status::kInvalid, "nrt_init: it is open already");
  auto settings = std::make_unique<Settings>(read_settings());
  for (const std::string& name : settings->without_effect)
    log(LogLevel::kWarn, name + " has no effect here");
  if (build_failed_)
    throw StatusError(Status::kFailure,
                      "nrt_init: the chips of this process could not be built before");
  if (engine_ == nullptr) {
    build_failed_ = true;
    engine_ = std::make_unique<Engine>(*settings);
    build_failed_ = false;
    static const pid_t owner = getpid();
    std::atexit([] {
      // The simulation's thread ends before what it uses; in a child of fork there is none.
      if (getpid() == owner) get().engine_->stop();
    });
  } else {
    if (!(*settings == *settings_))
      throw StatusError(Status::kInvalid,
                        "nrt_init: a process has the chips of its first nrt_init(); the settings "
                        "have changed since");
    // As a new process finds them.
    engine_->wait(
        engine_->submit({Engine::kAlone, [](System& system) { system.start(); }, {}, {}}));
  }
  settings_ = std::move(settings);
  state_ = State::kOpen;
}

void Instance::close() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (state_ != State::kOpen) return;
  {
    const std::lock_guard<std::mutex> meeting(meeting_mutex_);
    here_.clear();
    ++closings_;
    meeting_.notify_all();
  }
  engine_->wait_all();
  models.clear();
  sets.clear();
  // In the simulation's thread, which knows of pinned memory.
  auto doomed = std::make_shared<std::map<void*, TensorPtr>>(tensors.all());
  tensors.clear();
  engine_->submit({Engine::kAlone, [doomed](System&) { doomed->clear(); }, {}, {}});
  engine_->wait_all();
  for (auto& entry : units_) entry.second.requests.clear();  // numbers do not come again
  state_ = State::kClosed;
}

void Instance::check_open() const {
  if (state_ == State::kNever) throw StatusError(Status::kUninitialized, "before nrt_init()");
  if (state_ == State::kClosed) throw StatusError(Status::kClosed, "after nrt_close()");
}

CoreSet Instance::cores(std::int64_t vnc) const {
  const Settings& s = *settings_;
  if (vnc < 0 || vnc >= static_cast<std::int64_t>(s.visible.size()))
    throw StatusError(Status::kInvalid,
                      fmt::format("logical core {}: there are 0 to {}", vnc, s.visible.size() - 1));
  const unsigned logical = s.visible[static_cast<std::size_t>(vnc)];
  return {static_cast<unsigned>(vnc), logical / s.logical_per_chip(),
          logical % s.logical_per_chip() * s.logical, s.logical};
}

std::uint16_t Instance::unit_number(unsigned core, nrta_xu_t unit) {
  return static_cast<std::uint16_t>(core * NRTA_XU_TYPE_NUM + unit);
}

void Instance::forget_ended(Unit& unit) {
  for (auto it = unit.requests.begin(); it != unit.requests.end();)
    it = it->second->done() ? unit.requests.erase(it) : std::next(it);
}

CompletionPtr Instance::schedule(unsigned core, nrta_xu_t unit, const std::vector<Use>& uses,
                                 Engine::Work work, const Report& report,
                                 const std::function<void()>& succeeded) {
  const std::uint16_t number = unit_number(core, unit);
  Unit& of = units_[number];
  forget_ended(of);
  if (report.asynchronous && of.requests.size() >= settings_->most_in_flight)
    throw StatusError(Status::kQueueFull,
                      fmt::format("{} requests of a unit are under way", of.requests.size()));
  Engine::Request request;
  request.unit = number;
  request.work = std::move(work);
  for (const Use& use : uses) use.storage->collect(use.writes, &request.after);
  request.ended = [ret = report.status, succeeded](const Completion& completion) {
    if (succeeded && completion.status() == Status::kSuccess) succeeded();
    if (ret != nullptr) *ret = static_cast<NRT_STATUS>(completion.status());
  };
  CompletionPtr completion = engine_->submit(std::move(request));
  for (const Use& use : uses) use.storage->added(use.writes, completion);
  of.requests[++of.newest] = completion;
  if (report.sequence != nullptr) *report.sequence = std::uint64_t{number} << 48 | of.newest;
  return completion;
}

bool Instance::completed(nrta_seq_t sequence) {
  const auto unit = units_.find(static_cast<std::uint16_t>(sequence >> 48));
  const std::uint64_t number = sequence & NRTA_SEQ_NUM_MAX;
  if (unit == units_.end() || number == 0 || number > unit->second.newest)
    throw StatusError(Status::kInvalid, "a sequence number that was never given out");
  forget_ended(unit->second);
  return unit->second.requests.count(number) == 0;
}

nrta_seq_t Instance::newest_completed(unsigned core, nrta_xu_t unit) {
  const std::uint16_t number = unit_number(core, unit);
  Unit& of = units_[number];
  forget_ended(of);
  const std::uint64_t all = of.requests.empty() ? of.newest : of.requests.begin()->first - 1;
  return std::uint64_t{number} << 48 | all;
}

std::vector<CompletionPtr> Instance::uses_of(const Storage& storage) {
  std::vector<CompletionPtr> uses;
  storage.collect(true, &uses);
  return uses;
}

void Instance::barrier(unsigned participant, unsigned count) {
  std::unique_lock<std::mutex> lock(meeting_mutex_);
  if (here_.empty()) meeting_count_ = count;
  if (count == 0 || participant >= count || count != meeting_count_ ||
      here_.count(participant) != 0)
    throw StatusError(Status::kInvalid,
                      fmt::format("nrt_barrier: participant {} of {}", participant, count));
  here_.insert(participant);
  if (here_.size() == count) {
    here_.clear();
    ++meetings_;
    meeting_.notify_all();
    return;
  }
  const std::uint64_t this_one = meetings_, closing = closings_;
  meeting_.wait(lock, [&] { return meetings_ != this_one || closings_ != closing; });
  if (meetings_ == this_one) throw StatusError(Status::kClosed, "nrt_barrier: nrt_close()");
}

}  // namespace tern::nrt
