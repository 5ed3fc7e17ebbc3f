// SPDX-License-Identifier: Apache-2.0
#include "sw/base/thread_team.h"

#include <sched.h>

#include <algorithm>

namespace tern::base {

namespace {

// How often a thread looks before it lets others run, and then before it sleeps: in all about 100
// us, a few times what it costs to wake a sleeper.
constexpr unsigned kLooks = 1500, kYields = 50;

constexpr std::uint32_t call_of(std::uint64_t open) {
  return static_cast<std::uint32_t>(open >> 32);
}
constexpr std::uint32_t pieces_of(std::uint64_t open) {
  return static_cast<std::uint32_t>(open);
}

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

// True once `done` is; false when it took too long.
template <typename Done>
bool look_for(Done done) {
  for (unsigned look = 0; look < kLooks; ++look) {
    if (done()) return true;
    pause();
  }
  for (unsigned look = 0; look < kYields; ++look) {
    if (done()) return true;
    std::this_thread::yield();
  }
  return false;
}

}  // namespace

unsigned usable_processors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
  return std::max(1u, std::thread::hardware_concurrency());
}

ThreadTeam::~ThreadTeam() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  called_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadTeam::take_pieces(std::uint32_t call) {
  std::uint64_t open = open_.load();
  while (call_of(open) == call && pieces_of(open) > 0) {
    if (!open_.compare_exchange_weak(open, open - 1)) continue;
    (*piece_)(pieces_of(open) - 1);
    --unfinished_;
    open = open_.load();
  }
}

void ThreadTeam::await_call(std::uint64_t seen) {
  const auto called = [&] {
    return stop_ || call_of(open_) != call_of(seen) || tasks_waiting_ > 0;
  };
  if (look_for(called)) return;
  std::unique_lock<std::mutex> lock(mutex_);
  ++asleep_;
  called_.wait(lock, called);
  --asleep_;
}

void ThreadTeam::work() {
  std::uint64_t seen = 0;
  for (;;) {
    await_call(seen);
    if (stop_) return;
    if (call_of(open_) == call_of(seen)) {
      do_task();
      continue;
    }
    seen = open_;
    take_pieces(call_of(seen));
  }
}

void ThreadTeam::start_workers() {
  while (workers_.size() + 1 < threads_) workers_.emplace_back([this] { work(); });
}

void ThreadTeam::Task::run() noexcept {
  try {
    work_();
  } catch (...) {
    error_ = std::current_exception();
  }
  done_ = true;
}

// The one that waits longest; false when there is none.
bool ThreadTeam::do_task() {
  std::shared_ptr<Task> task;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (tasks_.empty()) return false;
    task = std::move(tasks_.front());
    tasks_.pop_front();
    --tasks_waiting_;
  }
  task->run();
  return true;
}

std::shared_ptr<ThreadTeam::Task> ThreadTeam::start(std::function<void()> work) {
  auto task = std::make_shared<Task>(std::move(work));
  if (threads_ <= 1) {
    task->run();
    return task;
  }
  start_workers();
  bool sleepers = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    tasks_.push_back(task);
    ++tasks_waiting_;
    sleepers = asleep_ > 0;
  }
  if (sleepers) called_.notify_one();
  return task;
}

void ThreadTeam::finish(Task& task) {
  while (!task.done_) {
    if (!do_task()) look_for([&] { return task.done_.load(); });
  }
  if (task.error_) std::rethrow_exception(task.error_);
}

void ThreadTeam::run(std::uint32_t pieces, const std::function<void(std::uint32_t)>& piece) {
  if (pieces <= 1 || threads_ <= 1) {
    for (std::uint32_t i = 0; i < pieces; ++i) piece(i);
    return;
  }
  start_workers();
  const std::uint32_t call = call_of(open_) + 1;
  bool sleepers = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    piece_ = &piece;
    unfinished_ = pieces;
    open_ = std::uint64_t{call} << 32 | pieces;
    sleepers = asleep_ > 0;
  }
  if (sleepers) called_.notify_all();
  take_pieces(call);
  while (!look_for([this] { return unfinished_ == 0; })) {
  }
}

}  // namespace tern::base
