// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "systemc/hbm/address_map.h"
#include "systemc/hbm/ecc_memory.h"
#include "systemc/hbm/pseudo_channel.h"
#include "systemc/trace/latency_histogram.h"

namespace tern::hbm {

struct Request {
  std::uint64_t id = 0;  // the caller's
  bool write = false;
  std::uint64_t offset = 0;  // in the stack
  std::uint32_t bytes = 0;   // 1 to kMaxRequestBytes
  unsigned traffic_class = kTrafficClasses - 1;
  WriteOp op = WriteOp::kStore;
  std::uint8_t* data = nullptr;  // valid until the completion; null: time only
};

struct Completion {
  std::uint64_t id;
  std::uint64_t time_fs;
  MemoryFault fault;           // kNone or kUncorrectableEcc
  std::uint64_t fault_offset;  // of the first burst concerned
};

// One HBM stack: pseudo-channels, bytes and code, without SystemC. Use:
//
//   if (stack.accepts(now, request)) stack.submit(now, request);
//   while (stack.next_event_fs() <= t) stack.advance(stack.next_event_fs(), on_completion);
//
// Times never go back between calls. Results do not depend on how often advance() is called.
// A plain store completes when the write queue accepts it, everything else when it is done.
class Stack : private AccessSink {
 public:
  using OnCompletion = std::function<void(const Completion&)>;

  explicit Stack(const Config& config, unsigned number = 0,
                 std::shared_ptr<NearMemory> adders = make_near_memory_model());
  ~Stack();
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  // Whether submit() takes a request at all: inside the stack, of an allowed length,
  // aligned to the element of its operation.
  MemoryFault check(const Request& request) const;
  // Whether the queues have room for it now.
  bool accepts(std::uint64_t now_fs, const Request& request);
  void submit(std::uint64_t now_fs, const Request& request);

  // The next moment at which advance() has something to do; ~0: never. With watch_room, also when a
  // queue gets room for what accepts() refused.
  std::uint64_t next_event_fs(bool watch_room = false) const;
  // Reports completions up to and including a moment, in order of their time.
  void advance(std::uint64_t now_fs, const OnCompletion& on_completion);
  // The same, and future completions that are already decided. A later call may report one
  // that is earlier than they are.
  void advance_ahead(std::uint64_t now_fs, const OnCompletion& on_completion);
  // Nothing waits and every completion was reported; stores may still be in the queues.
  bool idle() const { return outstanding_ == 0; }
  // The end of a run, when idle and nothing more comes: empties the queues. Returns when the last
  // data have left the buses; 0 without any.
  std::uint64_t finish_fs();

  // Untimed access for preload and debuggers; corrects what is correctable.
  void read_now(std::uint64_t offset, void* data, std::size_t bytes);
  void write_now(std::uint64_t offset, const void* data, std::size_t bytes);
  // Inverts a stored bit: 0 to 7 of a byte.
  void flip_bit(std::uint64_t offset, unsigned bit) {
    memory_.flip(offset, static_cast<unsigned>(offset % kBurstBytes * 8 + bit));
  }
  EccMemory& memory() { return memory_; }
  const EccMemory& memory() const { return memory_; }

  const Config& config() const { return config_; }
  const Timing& timing() const { return timing_; }
  const AddressMap& address_map() const { return map_; }
  const ChannelCounters& counters(unsigned pseudo_channel) const {
    return channels_.at(pseudo_channel)->counters();
  }
  ChannelCounters counters() const;  // sum of all
  // Of writes that are complete for their owners, or will be, but not yet on the bus.
  std::uint64_t waiting_write_bytes() const;
  const trace::LatencyHistogram& read_latency() const { return read_latency_; }
  const trace::LatencyHistogram& write_latency() const { return write_latency_; }
  std::uint64_t scrub_pieces() const { return scrub_pieces_; }
  // Rate of the scrubber from now on; 0: it rests.
  void set_scrub(std::uint64_t now_fs, double gb_per_s);
  double scrub_gb_per_s() const { return scrub_gb_per_s_; }
  // Faults and scrubs that are due, which otherwise wait for the next request.
  void catch_up(std::uint64_t now_fs);

  // Decides what is due; true: no access waits in a queue and none is under way.
  bool rests(std::uint64_t now_fs);
  // For a snapshot, while it rests.
  void archive_state(base::StateArchive& archive, std::uint64_t now_fs);

  void observe(unsigned pseudo_channel, CommandObserver observer) {
    channels_.at(pseudo_channel)->device().observe(std::move(observer));
  }

 private:
  struct Pending {  // a request until its completion is reported
    std::uint64_t id, order, submitted_fs, done_fs, fault_offset;
    std::uint32_t pieces_left;
    MemoryFault fault;
    bool write;
  };
  struct Done {
    std::uint64_t fs, order;
    std::uint32_t request;
    bool operator>(const Done& o) const { return fs != o.fs ? fs > o.fs : order > o.order; }
  };

  void read_decided(Access& access, Tick end) override;
  void retired(Access& access) override;

  static bool partial(const Request& request);
  unsigned class_of(const Request& request) const {
    return config_.by_class ? request.traffic_class : 0;
  }
  Access::Kind kind_of(const Request& request) const;
  void decide_before(std::uint64_t now_fs);
  void note_next(unsigned channel) {
    next_[channel] = channels_[channel]->next_decision();
    next_read_[channel] = channels_[channel]->reads_wait() ? next_[channel] : kNever;
  }
  std::uint64_t due_channels(Tick until) const;
  void report_first(const OnCompletion& on_completion);
  void add_piece(const Request& request, Access::Kind kind, std::uint32_t pending,
                 std::uint32_t done, std::uint32_t bytes, Tick arrival, std::uint64_t arrival_fs);
  void finish_piece(std::uint32_t pending, std::uint64_t fs, EccMemory::Fault fault);
  void scrub_until(std::uint64_t now_fs, Tick arrival);
  bool scrub_piece(std::uint64_t offset, Tick arrival);  // false: postponed
  void flip_until(std::uint64_t now_fs);
  void draw_next_flip();

  const Config config_;
  const Timing timing_;
  const AddressMap map_;
  std::uint64_t front_fs_, back_fs_;
  EccMemory memory_;
  std::vector<std::unique_ptr<PseudoChannel>> channels_;
  // State of the channels side by side: the search for the next one runs for every request.
  std::vector<Tick> next_;
  std::vector<Tick> next_read_;        // kNever where no reads wait
  Tick decided_ = -1;                  // every decision up to here has been made
  std::vector<std::uint8_t> refused_;  // pseudo-channels that accepts() has found full

  std::vector<Pending> pending_;
  std::vector<std::uint32_t> free_;
  std::vector<Done> done_;  // a heap, the earliest in front
  std::uint64_t sequence_ = 0, order_ = 0, outstanding_ = 0;

  double scrub_gb_per_s_ = 0;
  std::uint64_t scrub_step_fs_ = 0, next_scrub_fs_ = 0;
  std::uint64_t scrub_cursor_ = 0;  // pieces of the allocated pages
  std::uint64_t scrub_pieces_ = 0;
  std::vector<std::uint8_t> scrubbing_;  // pseudo-channels whose scrub slot is taken

  std::mt19937_64 random_;
  std::uint64_t next_flip_fs_ = ~std::uint64_t{0};

  trace::LatencyHistogram read_latency_, write_latency_;
};

}  // namespace tern::hbm
