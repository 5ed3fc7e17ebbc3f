// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sw/nrt/engine.h"
#include "sw/nrt/include/nrt/nrt_async.h"
#include "sw/nrt/model.h"
#include "sw/nrt/settings.h"
#include "sw/nrt/tensor.h"

namespace tern::nrt {

// A number that looks like an address, is never followed, and never comes again.
inline void* next_handle() {
  static std::uintptr_t last = 0;  // guarded by the lock of the tables
  constexpr std::uintptr_t kStep = 64;
  return reinterpret_cast<void*>(last += kStep);  // NOLINT(performance-no-int-to-ptr)
}

// Objects that a program has handles of. A handle that is not in the table is an error, never an
// access to freed memory.
template <typename T>
class Handles {
 public:
  void* add(std::shared_ptr<T> object) {
    void* handle = next_handle();
    objects_.emplace(handle, std::move(object));
    return handle;
  }
  std::shared_ptr<T> find(const void* handle) const {
    const auto found = objects_.find(const_cast<void*>(handle));
    if (found == objects_.end())
      throw runtime::StatusError(runtime::Status::kInvalidHandle,
                                 "a handle that was never given out, or has been freed");
    return found->second;
  }
  std::shared_ptr<T> remove(const void* handle) {
    std::shared_ptr<T> object = find(handle);
    objects_.erase(const_cast<void*>(handle));
    return object;
  }
  const std::map<void*, std::shared_ptr<T>>& all() const { return objects_; }
  void clear() { objects_.clear(); }

 private:
  std::map<void*, std::shared_ptr<T>> objects_;
};

using TensorSet = Model::Tensors;

// What the caller of an asynchronous request wants to know. Such requests are limited in number
// (StatusError kQueueFull); others wait.
struct Report {
  bool asynchronous = false;
  NRT_STATUS* status = nullptr;
  nrta_seq_t* sequence = nullptr;
};

// What this process has of the runtime. All calls may come from any thread.
class Instance {
 public:
  static Instance& get();

  void open();
  void close();

  // With the tables locked.
  Engine& engine() { return *engine_; }
  const Settings& settings() const { return *settings_; }
  // The place of a visible logical core. StatusError kInvalid.
  CoreSet cores(std::int64_t vnc) const;

  // With the tables locked; StatusError kUninitialized or kClosed before open() and after close().
  template <typename Call>
  auto locked(const Call& call) {
    const std::lock_guard<std::mutex> lock(mutex_);
    check_open();
    return call(*this);
  }
  // Schedules something with the tables locked, and waits for it without. StatusError.
  template <typename Call>
  void finish(const Call& schedule) {
    Engine* engine = nullptr;
    const CompletionPtr completion = locked([&](Instance& instance) {
      engine = &instance.engine();
      return schedule(instance);
    });
    engine->wait(completion);
  }
  Handles<Tensor> tensors;
  Handles<TensorSet> sets;
  Handles<Model> models;

  // What a request does to bytes.
  struct Use {
    std::shared_ptr<Storage> storage;
    bool writes;
  };
  // With the tables locked. Schedules work of a unit of a logical core; it waits for conflicting
  // requests.
  CompletionPtr schedule(unsigned core, nrta_xu_t unit, const std::vector<Use>& uses,
                         Engine::Work work, const Report& report = {},
                         const std::function<void()>& succeeded = nullptr);
  // Whether a request has ended; up to which all of a unit have.
  bool completed(nrta_seq_t sequence);
  nrta_seq_t newest_completed(unsigned core, nrta_xu_t unit);
  // With the tables locked: requests on bytes that have not ended.
  static std::vector<CompletionPtr> uses_of(const Storage& storage);

  // Threads that meet.
  void barrier(unsigned participant, unsigned count);

 private:
  void check_open() const;
  struct Unit {
    std::map<std::uint64_t, CompletionPtr> requests;  // by number, not known to have ended
    std::uint64_t newest = 0;
  };
  static std::uint16_t unit_number(unsigned core, nrta_xu_t unit);
  static void forget_ended(Unit& unit);

  enum class State { kNever, kOpen, kClosed };
  std::mutex mutex_;
  State state_ = State::kNever;
  std::unique_ptr<Settings> settings_;
  std::unique_ptr<Engine> engine_;  // a process builds its chips once; never destroyed
  bool build_failed_ = false;
  std::map<std::uint16_t, Unit> units_;

  std::mutex meeting_mutex_;
  std::condition_variable meeting_;
  std::set<unsigned> here_;
  unsigned meeting_count_ = 0;
  std::uint64_t meetings_ = 0, closings_ = 0;
};

}  // namespace tern::nrt
