// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sw/collectives/known.h"
#include "sw/collectives/walk.h"

namespace tern::collectives {

// Which puts a stream knows to have come. Puts of one stream to one rank come in order: they are a
// flow, and the k-th of it is known with all before it.
class Knowledge {
 public:
  struct Event {
    std::uint32_t flow = 0, number = 0;  // number 0: none
  };

  // Throws UserError: it would know too much.
  explicit Knowledge(const Schedule& schedule);
  Knowledge(const Knowledge&) = delete;  // what is known counts itself off here
  Knowledge& operator=(const Knowledge&) = delete;

  bool knows(unsigned stream, const Event& event) const;
  // A put starts, with what its stream knows; to the own rank: and ends.
  Event start(const Visitor::At& at, const Step& put);
  void wait(const Visitor::At& at, unsigned source, std::uint64_t consumed);
  void flush(unsigned stream);
  void after(const Visitor::At& at, const Step& step, unsigned other);
  void ended(const Visitor::At& at);
  // What all streams of a rank know when they have ended, with their own puts.
  bool knows_at_end(unsigned rank, const Event& event) const;
  void end();
  // "FILE:LINE: " of the put of an event, or "NAME: rank 3, stream 0, step 7: ".
  std::string where(const Event& event) const;

 private:
  Known& mutable_known(unsigned stream);
  void join(unsigned stream, const Known& other);

  const Schedule& schedule_;
  const std::uint64_t most_kept_;
  std::uint64_t kept_ = 0;  // bytes of all that is known; outlives it
  std::vector<unsigned> first_;
  std::vector<std::map<unsigned, std::uint32_t>> flow_of_;  // [stream]: to a rank
  std::vector<std::uint32_t> started_;                      // of each flow
  std::vector<std::shared_ptr<Known>> known_;               // [stream]; copied when changed
  // [flow]: what the sender knew at the puts that have not been waited for.
  std::vector<std::map<std::uint32_t, std::shared_ptr<Known>>> at_start_;
  // What streams knew after steps that others come after.
  std::map<std::pair<unsigned, std::size_t>, std::shared_ptr<Known>> at_step_;
  std::vector<Known> at_end_;  // [rank]
};

}  // namespace tern::collectives
