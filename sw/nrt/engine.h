// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <systemc>
#include <thread>
#include <vector>

#include "sw/nrt/settings.h"
#include "sw/nrt/system.h"
#include "sw/runtime/status.h"

namespace tern::nrt {

// How a request has ended, once it has.
class Completion {
 public:
  bool done() const { return done_.load(std::memory_order_acquire); }
  // After done().
  runtime::Status status() const { return status_; }
  const std::string& message() const { return message_; }

 private:
  friend class Engine;
  std::atomic<bool> done_ = false;
  runtime::Status status_ = runtime::Status::kSuccess;
  std::string message_;
};
using CompletionPtr = std::shared_ptr<Completion>;

// The thread of the simulation, and the requests of other threads to it. Simulated time passes only
// while requests are under way.
class Engine {
 public:
  // Called in a SystemC process; takes simulated time. May throw StatusError, UserError, RunError.
  using Work = std::function<void(System&)>;
  // A unit does its requests in order; kAlone: a process of its own.
  using Unit = std::uint32_t;
  static constexpr Unit kAlone = UINT32_MAX;

  struct Request {
    Unit unit = kAlone;
    Work work;
    std::vector<CompletionPtr> after;              // begins when these have ended, well or not
    std::function<void(const Completion&)> ended;  // before it counts as done; must not throw
  };

  // Builds the chips. Throws UserError, RunError.
  explicit Engine(const Settings& settings);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Any thread. After the simulation has failed, requests end with kUnrecoverable.
  CompletionPtr submit(Request request);
  // Throws what it failed with as a StatusError.
  void wait(const CompletionPtr& completion);
  void wait_all();
  // Ends the simulation: what is under way fails, and so does all that comes.
  void stop();

  System& system() { return *system_; }
  std::uint64_t time_fs() const { return time_fs_.load(); }

  // For work that waits for that of others: whether any is under way, and until something has
  // ended.
  bool others() const { return active_ > waiting_ + 1; }
  void wait_for_others(const sc_core::sc_time& most);

 private:
  class Doorbell;
  struct Job {
    Request request;
    CompletionPtr completion;
  };
  using JobPtr = std::shared_ptr<Job>;
  // The process of a unit, or one that serves any request that is kAlone.
  struct Queue {
    std::deque<JobPtr> jobs;
    sc_core::sc_event arrived;
    bool busy = false;
  };

  void run(const Settings& settings);
  void serve();
  bool take_new();
  Queue& queue_for(Unit unit);
  std::unique_ptr<Queue> new_queue();
  void serve_unit(Queue& queue);
  void perform(const JobPtr& job);
  void end(const CompletionPtr& completion, const Request& request, runtime::Status status,
           const std::string& message);
  void fail_all(const std::string& message);

  // Of the simulation's thread.
  std::unique_ptr<System> system_;
  std::map<Unit, std::unique_ptr<Queue>> queues_;
  std::vector<std::unique_ptr<Queue>> alone_;
  std::unique_ptr<sc_core::sc_event> something_;  // arrived or ended
  std::set<JobPtr> started_;                      // and not ended
  unsigned active_ = 0, waiting_ = 0;
  unsigned processes_ = 0;
  std::atomic<std::uint64_t> time_fs_ = 0;

  std::mutex mutex_;
  std::condition_variable arrived_, ended_, ready_;
  std::deque<JobPtr> new_;     // guarded by mutex_, as all below
  std::uint64_t pending_ = 0;  // submitted, not ended
  bool is_ready_ = false, stop_ = false;
  bool ended_simulation_ = false;
  std::string reason_;  // of its end
  std::exception_ptr error_;
  std::unique_ptr<Doorbell> doorbell_;

  std::atomic<bool> interrupt_ = false;
  std::thread thread_;  // last: it uses all of it
};

}  // namespace tern::nrt
