// SPDX-License-Identifier: Apache-2.0
#define SC_INCLUDE_DYNAMIC_PROCESSES
#include "sw/nrt/engine.h"

#include <fmt/format.h>

#include <new>

#include "sw/base/user_error.h"
#include "sw/nrt/log.h"
#include "systemc/trace/sim_time.h"

namespace tern::nrt {

using runtime::Status;
using runtime::StatusError;

namespace {
constexpr int kStackBytes = 8 * 1024 * 1024;  // touched only as far as it is used
}  // namespace

// Tells the running kernel, from another thread, that there is something new.
class Engine::Doorbell : public sc_core::sc_prim_channel {
 public:
  explicit Doorbell(sc_core::sc_event& event) : sc_prim_channel("doorbell"), event_(event) {}
  void ring() { async_request_update(); }

 private:
  void update() override { event_.notify(sc_core::SC_ZERO_TIME); }
  sc_core::sc_event& event_;
};

Engine::Engine(const Settings& settings) : thread_([this, settings] { run(settings); }) {
  std::unique_lock<std::mutex> lock(mutex_);
  ready_.wait(lock, [this] { return is_ready_; });
  if (!error_) return;
  lock.unlock();
  thread_.join();
  std::rethrow_exception(error_);
}

Engine::~Engine() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
    interrupt_ = true;
    if (doorbell_) doorbell_->ring();
  }
  arrived_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Engine::run(const Settings& settings) {
  const auto ready = [this](std::exception_ptr error) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (is_ready_) return false;
    is_ready_ = true;
    error_ = std::move(error);
    ready_.notify_all();
    return true;
  };
  try {
    live::description().kind = "C runtime";
    system_ = std::make_unique<System>(settings);
    something_ = std::make_unique<sc_core::sc_event>("requests");
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      doorbell_ = std::make_unique<Doorbell>(*something_);
    }
    Simulation::Options options;
    options.stop = &interrupt_;
    system_->simulation().run(
        [&] {
          system_->start();
          time_fs_ = now_fs();
          ready(nullptr);
          serve();
        },
        options);
  } catch (const std::exception& error) {
    if (!ready(std::current_exception())) fail_all(error.what());
  }
  system_.reset();
}

CompletionPtr Engine::submit(Request request) {
  auto completion = std::make_shared<Completion>();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (failed_.empty()) {
      ++pending_;
      new_.push_back({std::move(request), completion});
      doorbell_->ring();
      arrived_.notify_all();
      return completion;
    }
    ++pending_;
  }
  end(completion, request, Status::kUnrecoverable, "the simulation has ended: " + failed_);
  return completion;
}

void Engine::wait(const CompletionPtr& completion) {
  {
    std::unique_lock<std::mutex> lock(mutex_);
    ended_.wait(lock, [&] { return completion->done(); });
  }
  if (completion->status() != Status::kSuccess)
    throw StatusError(completion->status(), completion->message());
}

void Engine::wait_all() {
  std::unique_lock<std::mutex> lock(mutex_);
  ended_.wait(lock, [this] { return pending_ == 0; });
}

// --- In the simulation's thread. ---

// Moves what has come to its units; false: the end.
bool Engine::take_new() {
  std::deque<Job> jobs;
  {
    std::unique_lock<std::mutex> lock(mutex_);
    // Nothing is under way: time stands still until somebody asks for something.
    if (active_ == 0) arrived_.wait(lock, [this] { return stop_ || !new_.empty(); });
    jobs.swap(new_);
    if (jobs.empty() && stop_ && active_ == 0) return false;
  }
  for (Job& job : jobs) start(std::move(job));
  return true;
}

void Engine::serve() {
  while (take_new()) sc_core::wait(*something_);
}

void Engine::start(Job job) {
  ++active_;
  sc_core::sc_spawn_options options;
  options.set_stack_size(kStackBytes);
  const std::string name = fmt::format("request_{}", processes_);
  if (job.request.unit == kAlone) {
    ++processes_;
    sc_core::sc_spawn(
        [this, own = std::make_shared<Job>(std::move(job))] {
          perform(*own);
          something_->notify(sc_core::SC_ZERO_TIME);
        },
        name.c_str(), &options);
    return;
  }
  std::unique_ptr<Queue>& queue = queues_[job.request.unit];
  if (!queue) {
    ++processes_;
    queue = std::make_unique<Queue>();
    sc_core::sc_spawn([this, of = queue.get()] { serve_unit(*of); }, name.c_str(), &options);
  }
  queue->jobs.push_back(std::move(job));
  queue->arrived.notify(sc_core::SC_ZERO_TIME);
}

void Engine::serve_unit(Queue& queue) {
  for (;;) {
    while (queue.jobs.empty()) sc_core::wait(queue.arrived);
    Job job = std::move(queue.jobs.front());
    queue.jobs.pop_front();
    perform(job);
    something_->notify(sc_core::SC_ZERO_TIME);
  }
}

void Engine::perform(Job& job) {
  Status status = Status::kSuccess;
  std::string message;
  const auto failed = [&](Status with, const char* what) {
    status = with;
    message = what;
  };
  performed_.insert(&job);
  try {
    for (const CompletionPtr& before : job.request.after) {
      while (!before->done()) sc_core::wait(*something_);
    }
    job.request.work(*system_);
  } catch (const StatusError& error) {
    failed(error.status(), error.what());
  } catch (const UserError& error) {
    failed(Status::kInvalid, error.what());
  } catch (const RunError& error) {
    failed(Status::kFailure, error.what());
  } catch (const std::bad_alloc&) {
    failed(Status::kHostMemory, "not enough memory");
  }
  performed_.erase(&job);
  --active_;
  time_fs_ = now_fs();
  end(job.completion, job.request, status, message);
}

void Engine::end(const CompletionPtr& completion, const Request& request, Status status,
                 const std::string& message) {
  completion->status_ = status;
  completion->message_ = message;
  if (request.ended) request.ended(*completion);
  const std::lock_guard<std::mutex> lock(mutex_);
  completion->done_.store(true, std::memory_order_release);
  --pending_;
  ended_.notify_all();
}

void Engine::wait_for_others(const sc_core::sc_time& most) {
  ++waiting_;
  sc_core::wait(most, *something_);
  --waiting_;
}

// The simulation itself has failed; whatever was asked of it fails.
void Engine::fail_all(const std::string& message) {
  log(LogLevel::kError, "the simulation has ended: " + message);
  std::deque<Job> jobs;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    failed_ = message;
    jobs.swap(new_);
  }
  for (Job* job : performed_) jobs.push_back(std::move(*job));
  performed_.clear();
  for (auto& entry : queues_) {
    for (Job& job : entry.second->jobs) jobs.push_back(std::move(job));
    entry.second->jobs.clear();
  }
  for (Job& job : jobs)
    end(job.completion, job.request, Status::kUnrecoverable,
        "the simulation has ended: " + message);
}

}  // namespace tern::nrt
