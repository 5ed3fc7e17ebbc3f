// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "systemc/fabric/packet/event_wheel.h"
#include "systemc/fabric/packet/fault_mode.h"
#include "systemc/fabric/packet/router.h"
#include "systemc/fabric/packet/routes.h"
#include "systemc/fabric/packet/shape.h"
#include "systemc/fabric/packet/solo.h"
#include "systemc/fabric/packet/train.h"
#include "systemc/fabric/stream_key.h"
#include "systemc/fabric/transport.h"
#include "systemc/link/line/flit_line.h"
#include "systemc/trace/latency_histogram.h"

namespace tern::fabric::packet {

// Every queue and every credit, in trains of packets. Rules: README.md.
class PacketNetwork final : public Transport {
 public:
  PacketNetwork(Shape shape, std::unique_ptr<Routes> routes);
  explicit PacketNetwork(const system::Fabric& fabric);
  // With the faults of a script. Borrows the state, and is the only one to change it.
  explicit PacketNetwork(faults::FaultState& state);

  const char* level() const override { return "packet"; }
  void send(const Transfer& transfer, Time now) override;
  Time next_time() const override {
    return open_ ? now_ : std::min(events_.next_time(), solo_end());
  }
  void advance(Time until, std::vector<Delivery>& arrived) override;
  Time lookahead() const override { return lookahead_; }
  Time notice() const override { return fault_mode_ ? 1 : lookahead_; }

  // The times of the script count from `origin`, which has not passed; of a state that waits for
  // it.
  void begin_faults(Time origin);

  // The channel's trains go over this line, flit by flit. Before the first transfer. Throws
  // UserError: a fault of the script is not for such a link.
  void set_line(std::uint32_t channel, std::unique_ptr<link::FlitLine> line);
  const link::FlitLine* line(std::uint32_t channel) const {  // null: none
    return lines_.empty() ? nullptr : lines_[channel].line.get();
  }
  // What is on the lines arrives, and is compared. Throws RunError.
  void finish_lines();

  const Shape& shape() const { return shape_; }
  // Of all until the last advance().
  ChannelStatistics statistics(std::uint32_t channel) const;
  // From send() to the last byte, by class.
  const trace::LatencyHistogram& latency(unsigned traffic_class) const {
    return latency_[traffic_class];
  }
  std::uint64_t handled() const { return handled_; }  // events
  // Nothing is queued or under way, and every credit is where it was at the beginning, or on its
  // way there.
  bool idle() const;

 private:
  // In the order of an instant; faults come first of all (their node is 0).
  enum class Kind : std::uint8_t { kFault, kArrive, kSent, kWake, kInject, kDeliver, kAsk };
  struct Flow {
    std::uint32_t source = 0, port = 0, queue = 0;  // of the first channel
    std::vector<Hop> path;
    // Transfers in order: the first that has not arrived, the first that is not yet cut into trains
    // (kNone: there is none), the last.
    std::uint32_t oldest = kNone, first = kNone, last = kNone;
    std::uint32_t unfinished = 0;
    std::uint32_t avoids = kNone;  // on a detour: the link because of which
    bool moves = false;            // of reroute(): its trains are being taken out
  };
  struct Pending {
    Transfer transfer;
    Time sent = 0;
    std::uint64_t left = 0;       // not yet cut
    std::uint64_t delivered = 0;  // with faults: bytes of trains that have arrived
    std::uint32_t flow = kNone;
    std::uint32_t next = kNone;  // of its flow
  };
  struct Ends {
    std::uint32_t output = 0, input = 0;  // numbers at the two nodes of a channel
  };
  // How a train goes over a channel: how long that is busy, and how much later than on a line
  // without errors the train arrives (lines: also earlier, by less than two flits).
  struct Passage {
    Time busy = 0;
    std::int64_t late = 0;
  };
  struct LineOfChannel {
    std::unique_ptr<link::FlitLine> line;  // null: the formulas of systemc/link
    Time last = 0;                         // event of the train before
  };
  // What an output could send now.
  struct Grant {
    std::uint32_t output = 0, input = kNone, queue = 0, next_queue = 0;
  };

  void build();
  void push(Time time, std::uint32_t node, Kind kind, std::uint32_t number, std::uint32_t item);
  void handle(const Event& event);
  void arrive(std::uint32_t node, std::uint32_t train);
  void sent(std::uint32_t node, std::uint32_t output);
  void inject(std::uint32_t transfer);
  void land(std::uint32_t train);
  void deliver(std::uint32_t transfer, bool lost);
  void finish(std::uint32_t transfer);
  bool find_way(const Transfer& transfer, Flow* flow);
  void enlist(std::uint32_t flow);

  void mark(std::uint32_t node, std::uint32_t output);
  void arbitrate(std::uint32_t node);
  Grant choose(Router& router, std::uint32_t output);
  Grant choose(Router& router, std::uint32_t output, unsigned traffic_class);
  void take(std::uint32_t node, const Grant& grant);
  void forward(std::uint32_t train, std::uint32_t channel, std::uint32_t queue, std::int64_t late);
  Passage pass(const Train& train, std::uint32_t channel);
  link::FlitLine* line_of(std::uint32_t channel) {
    return lines_.empty() ? nullptr : lines_[channel].line.get();
  }
  Time time_to_event(const Train& train, std::uint32_t channel);
  void collect_credits(Output& output);
  void return_credit(std::uint32_t channel, std::uint32_t queue, std::uint32_t bytes, Time time);
  void wake_for_credit(std::uint32_t node, std::uint32_t output);
  void wake(std::uint32_t node, std::uint32_t output, Time time);

  void append(std::uint32_t node, std::uint32_t input, std::uint32_t queue, std::uint32_t train);
  void ask(std::uint32_t node, std::uint32_t input, std::uint32_t queue);
  void refill(std::uint32_t node, std::uint32_t input, std::uint32_t queue);
  std::uint64_t& observed(std::uint32_t link, faults::Observed what) {
    return fault_mode_->state.observed(link)[what];
  }
  Flow& flow_of(const Train& train) { return flows_[pending_[train.transfer].flow]; }

  // Streams that have their path for themselves; solo.cpp.
  void enter(std::uint32_t flow);
  void leave(std::uint32_t flow);
  bool begin_solo(const Train& train);
  void end_solo(std::uint32_t flow);
  Time solo_end() const { return solo_ends_.empty() ? kNever : solo_ends_.begin()->first; }
  std::uint32_t next_queue(const Flow& flow, std::size_t hop) const;
  std::pair<std::uint32_t, std::uint32_t> input_of(const Flow& flow, std::size_t hop) const;
  static void add(const Solo& solo, std::size_t hop, std::uint32_t trains,
                  ChannelStatistics* statistics);

  // With faults; packet_faults.cpp.
  void open_instant();
  void announce_landings();
  void fault(std::uint32_t item);
  void update(const std::vector<std::uint32_t>& links);
  void hold(std::uint32_t channel);
  void resume(std::uint32_t channel);
  Time send_over(const Train& train, std::uint32_t channel, Time occupancy);
  void count_carried(std::uint32_t link, const Train& train, Time arrival);
  void fly(std::uint32_t train, std::uint32_t channel, Time start, Time arrives);
  bool is_valid(std::uint32_t train);
  void reroute();
  void take_out_of_flight();
  void take_out_of_queues();
  void take_out_of_queue(std::uint32_t node, std::uint32_t input, std::uint32_t queue);
  void resend(std::uint32_t flow);

  std::uint32_t train_bytes_of(const Transfer& transfer) const;
  void add_class(unsigned traffic_class);

  Shape shape_;
  std::unique_ptr<Routes> routes_;
  std::vector<Router> routers_;
  std::vector<Ends> ends_;            // by channel
  std::vector<LineOfChannel> lines_;  // by channel; empty: there are none
  Pool<Train> trains_;
  Pool<Pending> pending_;
  Pool<Flow> flows_;
  std::unordered_map<StreamKey, std::uint32_t, StreamHash> flow_numbers_;
  std::vector<std::uint32_t> sends_;     // of a chip, counted
  std::vector<ChannelUse> uses_;         // by channel
  std::map<std::uint32_t, Solo> solos_;  // by flow
  // Not among the events: the wheel would turn to the end of a long one.
  std::set<std::pair<Time, std::uint32_t>> solo_ends_;

  EventWheel events_;
  Time now_ = 0;
  Time handled_until_ = 0;  // by the last advance()
  std::uint64_t advances_ = 0;
  bool open_ = false;        // of what happens at now_, only faults have
  Time lookahead_ = kNever;  // the least head latency of a channel
  std::vector<std::uint32_t> dirty_routers_;
  std::vector<Grant> grants_;  // of arbitrate()
  std::vector<Delivery>* arrived_ = nullptr;
  std::array<trace::LatencyHistogram, kClasses> latency_;
  std::uint64_t handled_ = 0;
  std::bitset<kClasses> classes_;          // that have been sent
  std::unique_ptr<FaultMode> fault_mode_;  // null: nothing ever fails
};

}  // namespace tern::fabric::packet
