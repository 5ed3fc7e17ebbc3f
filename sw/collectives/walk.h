// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "sw/collectives/schedule.h"

namespace tern::collectives {

// What happens while the steps of a schedule are taken in an order that its waits allow. Streams
// are numbered over all ranks.
class Visitor {
 public:
  struct At {
    unsigned rank = 0, stream = 0;
    std::size_t step = 0;
    unsigned number = 0;  // of the stream
  };
  virtual ~Visitor() = default;
  virtual void put(const At& at, const Step& step) = 0;
  virtual void signal(const At& at, const Step& step) { (void)at, (void)step; }
  // consumed: of the puts of that stream to this rank, with this wait.
  virtual void wait(const At& at, unsigned source_number, std::uint64_t consumed) {
    (void)at, (void)source_number, (void)consumed;
  }
  virtual void flush(const At& at) { (void)at; }
  virtual void after(const At& at, const Step& step) { (void)at, (void)step; }
  virtual void ended(const At& at) { (void)at; }  // the step
};

// Throws UserError: a step that cannot be, too many of them, a deadlock: what all wait for.
void walk(const Schedule& schedule, Visitor* visitor);

// Of a stream, the step that is its n-th put or signal to a rank, from 1. Throws
// std::out_of_range: there are fewer.
std::size_t step_of_put(const Stream& stream, unsigned target, std::uint64_t number);

// The number of a rank's first stream; one more for the end.
std::vector<unsigned> first_streams(const Schedule& schedule);

}  // namespace tern::collectives
