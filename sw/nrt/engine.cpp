// SPDX-License-Identifier: Apache-2.0
#define SC_INCLUDE_DYNAMIC_PROCESSES
#include "sw/nrt/engine.h"

#include <fmt/format.h>

#include <new>

#include "sw/base/user_error.h"
#include "sw/nrt/log.h"
#include "sw/runtime/hbm_allocator.h"
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
  stop();
}

void Engine::stop() {
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
    fail_all("the process ends");
  } catch (const std::exception& error) {
    // Its chips stay: others may hold memory of them.
    if (!ready(std::current_exception())) fail_all(error.what());
  }
}

CompletionPtr Engine::submit(Request request) {
  auto job = std::make_shared<Job>();
  job->request = std::move(request);
  job->completion = std::make_shared<Completion>();
  CompletionPtr completion = job->completion;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++pending_;
    if (!ended_simulation_) {
      new_.push_back(std::move(job));
      doorbell_->ring();
      arrived_.notify_all();
      return completion;
    }
  }
  end(completion, job->request, Status::kUnrecoverable, "the simulation has ended: " + reason_);
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
  std::deque<JobPtr> jobs;
  {
    std::unique_lock<std::mutex> lock(mutex_);
    // Nothing is under way: time stands still until somebody asks for something.
    if (active_ == 0) arrived_.wait(lock, [this] { return stop_ || !new_.empty(); });
    jobs.swap(new_);
    started_.insert(jobs.begin(), jobs.end());
    if (jobs.empty() && stop_ && active_ == 0) return false;
  }
  for (JobPtr& job : jobs) {
    Queue& queue = queue_for(job->request.unit);
    ++active_;
    queue.jobs.push_back(std::move(job));
    queue.arrived.notify(sc_core::SC_ZERO_TIME);
  }
  return true;
}

void Engine::serve() {
  while (take_new()) sc_core::wait(*something_);
}

std::unique_ptr<Engine::Queue> Engine::new_queue() {
  auto queue = std::make_unique<Queue>();
  sc_core::sc_spawn_options options;
  options.set_stack_size(kStackBytes);
  sc_core::sc_spawn([this, of = queue.get()] { serve_unit(*of); },
                    fmt::format("requests_{}", processes_++).c_str(), &options);
  return queue;
}

Engine::Queue& Engine::queue_for(Unit unit) {
  if (unit == kAlone) {
    for (const auto& queue : alone_) {
      if (!queue->busy && queue->jobs.empty()) return *queue;
    }
    alone_.push_back(new_queue());
    return *alone_.back();
  }
  std::unique_ptr<Queue>& queue = queues_[unit];
  if (!queue) queue = new_queue();
  return *queue;
}

void Engine::serve_unit(Queue& queue) {
  for (;;) {
    while (queue.jobs.empty()) sc_core::wait(queue.arrived);
    const JobPtr job = std::move(queue.jobs.front());
    queue.jobs.pop_front();
    queue.busy = true;
    perform(job);
    queue.busy = false;
    something_->notify(sc_core::SC_ZERO_TIME);
  }
}

void Engine::perform(const JobPtr& job) {
  Status status = Status::kSuccess;
  std::string message;
  const auto failed = [&](Status with, const char* what) {
    status = with;
    message = what;
  };
  try {
    for (const CompletionPtr& before : job->request.after) {
      while (!before->done()) sc_core::wait(*something_);
    }
    job->request.work(*system_);
  } catch (const sc_core::sc_unwind_exception&) {
    throw;  // the kernel ends this thread
  } catch (const StatusError& error) {
    failed(error.status(), error.what());
  } catch (const runtime::OutOfMemory& error) {
    failed(Status::kResource, error.what());
  } catch (const UserError& error) {
    failed(Status::kInvalid, error.what());
  } catch (const std::bad_alloc&) {
    failed(Status::kHostMemory, "not enough memory");
  } catch (const std::exception& error) {
    failed(Status::kFailure, error.what());
  }
  job->request.work = nullptr;  // what it holds is freed in this thread
  started_.erase(job);
  --active_;
  time_fs_ = now_fs();
  end(job->completion, job->request, status, message);
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

// The simulation has ended; whatever is asked of it fails.
void Engine::fail_all(const std::string& reason) {
  std::set<JobPtr> jobs;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ended_simulation_ = true;
    reason_ = reason;
    jobs.swap(started_);
    jobs.insert(new_.begin(), new_.end());
    new_.clear();
  }
  if (!jobs.empty()) log(LogLevel::kError, "the simulation has ended: " + reason);
  for (const JobPtr& job : jobs)
    end(job->completion, job->request, Status::kUnrecoverable,
        "the simulation has ended: " + reason);
}

}  // namespace tern::nrt
