// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace tern::base {

// Processors that this process may use, at least 1.
unsigned usable_processors();

// Threads that share out pieces of work: the caller's, and workers that sleep between calls.
// The first call that has work for them starts them.
class ThreadTeam {
 public:
  explicit ThreadTeam(unsigned threads) : threads_(threads) {}
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  unsigned threads() const { return threads_; }

  // A longer piece of work, done while its owner does something else. What it throws is thrown by
  // finish().
  class Task;
  // To be begun by a worker when it has nothing else to do; with one thread, now.
  std::shared_ptr<Task> start(std::function<void()> work);
  // Returns when a task is done; helps with those that wait. By the thread that starts them.
  void finish(Task& task);

  // Calls piece(0) to piece(pieces - 1), each once, on any thread, and returns when all are done.
  // Pieces share nothing that one of them changes, and do not throw. One caller at a time.
  void run(std::uint32_t pieces, const std::function<void(std::uint32_t)>& piece);

 private:
  void work();
  void take_pieces(std::uint32_t call);
  void await_call(std::uint64_t seen);
  void start_workers();
  bool do_task();

  const unsigned threads_;
  const std::function<void(std::uint32_t)>* piece_ = nullptr;
  // Number of the call in the upper half, pieces that nobody has taken in the lower: a worker that
  // is late never takes a piece of another call.
  std::atomic<std::uint64_t> open_{0};
  std::atomic<std::uint32_t> unfinished_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;  // of asleep_ and what wakes them
  std::condition_variable called_;
  unsigned asleep_ = 0;
  std::deque<std::shared_ptr<Task>> tasks_;  // not begun; of mutex_ too
  std::atomic<std::size_t> tasks_waiting_{0};
  std::vector<std::thread> workers_;
};

class ThreadTeam::Task {
 public:
  explicit Task(std::function<void()> work) : work_(std::move(work)) {}

 private:
  friend class ThreadTeam;
  void run() noexcept;

  std::function<void()> work_;
  std::exception_ptr error_;
  std::atomic<bool> done_{false};
};

}  // namespace tern::base
