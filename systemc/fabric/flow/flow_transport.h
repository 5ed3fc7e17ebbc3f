// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "systemc/fabric/faults/fault_state.h"
#include "systemc/fabric/flow/flow_faults.h"
#include "systemc/fabric/flow/max_min.h"
#include "systemc/fabric/packet/repaired_routes.h"
#include "systemc/fabric/packet/routes.h"
#include "systemc/fabric/packet/shape.h"
#include "systemc/fabric/stream_key.h"
#include "systemc/fabric/transport.h"

namespace tern::fabric {

// The network as flows with max-min fair rates: for sweeps over many chips. README.md. Paths are
// those of the packet level.
class FlowTransport : public Transport {
 public:
  explicit FlowTransport(const system::Fabric& fabric);
  // With the faults of a script. Borrows the state, and is the only one to change it.
  explicit FlowTransport(faults::FaultState& state);

  const char* level() const override { return "flow"; }
  void send(const Transfer& transfer, Time now) override;
  Time next_time() const override;
  void advance(Time until, std::vector<Delivery>& arrived) override;
  Time lookahead() const override { return lookahead_; }
  void announce() override;

  // Of each channel: the time in which it would pass at its full rate what it has carried; without
  // faults of the flows that have ended.
  std::vector<Time> busy() const;
  // Times that rates were computed anew.
  std::uint64_t recomputed() const { return recomputed_; }

 private:
  // Of transfers one after the other: those that wait for the one in progress.
  struct Stream {
    std::deque<std::pair<Transfer, Time>> waiting;
    bool flows = false;
    Time free_at = 0;  // the end of the last one
    Time last_at = 0;  // the last arrival
  };
  struct Flow {
    Transfer transfer;
    Stream* stream = nullptr;
    Time sent = 0;
    std::vector<std::uint32_t> channels;
    std::optional<std::uint32_t> avoids;  // on a detour: the link because of which
    double bytes = 0;                     // headers included
    double left = 0;                      // of them
    double payload = 0;                   // share of them
    double rate = 0;                      // bytes in a femtosecond
    std::uint32_t number = 0;             // among those that share channels
    Time head = 0;                        // from the first byte sent to the first one received
    Time began = 0;
  };
  struct Start {
    Transfer transfer;
    Stream* stream = nullptr;
    Time sent = 0, at = 0;
    Time latest = 0;  // among many flows it may start as late
    std::uint64_t number = 0;
    bool follows = false;                   // one of its stream: the stream has waited for it
    bool operator<(const Start& o) const {  // the earliest on top
      return at != o.at ? at > o.at : number > o.number;
    }
  };
  struct Arrival : Delivery {
    std::uint64_t number = 0;
    auto key() const {
      return std::tuple(arrived, transfer.target, transfer.source, transfer.stream, number);
    }
    bool operator<(const Arrival& other) const { return key() > other.key(); }
  };

  Time next_start() const;
  void plan(Start start);
  void build(const system::Fabric& fabric, std::unique_ptr<packet::Routes> routes);
  bool find_way(Flow* flow);
  void share_channels(Flow* flow);
  void lose(const Flow& flow);
  void settle();
  void carry(const Flow& flow, double bytes);
  void begin_flows();
  void begin(const Start& start);
  void end_flows();
  void recompute();
  void arrive(const Transfer& transfer, Stream* stream, Time sent, Time at, bool lost);

  // With faults; flow_faults.cpp.
  void handle_faults();
  void update(const std::vector<std::uint32_t>& links);
  void reroute();
  void count_sent(const Flow& flow, double bytes);
  void find_crossing();

  packet::Shape shape_;
  std::unique_ptr<packet::Routes> routes_;
  std::vector<Flow> flows_;
  std::unique_ptr<flow::MaxMin> rates_;
  std::vector<double> byte_fs_;  // by channel: time of a byte, expected replays included
  std::vector<double> busy_;     // by channel, fs
  // Borrowed by flows and starts.
  std::unordered_map<StreamKey, Stream, StreamHash> streams_;
  std::priority_queue<Start> starts_;
  std::multiset<Time> latest_;  // of all in `starts_`
  std::priority_queue<Arrival> arrivals_;
  Time lookahead_ = kNever;   // the least head latency of a channel
  double least_byte_fs_ = 0;  // the fastest channel's
  Time now_ = 0, settled_ = 0;
  Time change_ = kNever;  // the next end of a flow
  bool stale_ = false;    // flows have come or gone since
  std::uint64_t sent_ = 0, arrivals_made_ = 0, recomputed_ = 0;
  std::unique_ptr<flow::FaultMode> fault_mode_;  // null: nothing ever fails
};

}  // namespace tern::fabric
