// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/dma_lockstep.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <vector>

#include "sw/base/user_error.h"

namespace tern {

namespace {

using namespace dma;

// Everything an engine outputs, as text that two engines must agree on, and how to repeat it.
struct Event {
  enum Kind { kDescriptors, kRead, kWrite, kStop, kDone, kKinds };
  Kind kind = kRead;
  Request request;
  std::vector<std::uint8_t> data;
  std::uint64_t begin = 0, cycle = 0, address = 0;
  unsigned ring = 0, fault = 0, pairs = 0;
  std::uint32_t index = 0, bytes = 0;

  bool operator==(const Event& o) const {
    return cycle == o.cycle && begin == o.begin && address == o.address && ring == o.ring &&
           fault == o.fault && pairs == o.pairs && index == o.index && bytes == o.bytes &&
           request.tag == o.request.tag && request.traffic_class == o.request.traffic_class &&
           request.write_op == o.request.write_op && data == o.data;
  }
  std::string text() const {
    switch (kind) {
      case kStop:
        return fmt::format("stop of ring {}, fault {}, descriptor {}, address {:#x}, in cycle {}",
                           ring, fault, index, address, cycle);
      case kDone:
        return fmt::format("packet of ring {}, {} pairs, {} bytes, cycles {} to {}", ring, pairs,
                           bytes, begin, cycle);
      default: {
        const char* const names[] = {"descriptor read", "read", "write"};
        std::string result = fmt::format(
            "{} of {:#x}, {} bytes, tag {}, class {}, operation {}, in cycle {}", names[kind],
            address, bytes, request.tag, request.traffic_class, request.write_op, cycle);
        for (std::size_t i = 0; i < std::min<std::size_t>(data.size(), 16); ++i) {
          result += fmt::format("{}{:02x}", i == 0 ? ", bytes " : " ", data[i]);
        }
        return result;
      }
    }
  }
};

class Recorder : public Environment {
 public:
  void request(const Request& request) override {
    Event& event = add(static_cast<Event::Kind>(request.port), request.cycle);
    event.request = request;
    event.address = request.address;
    event.bytes = request.bytes;
    if (request.data != nullptr) event.data.assign(request.data, request.data + request.bytes);
  }
  void ring_stopped(std::uint64_t cycle, unsigned ring, unsigned fault, std::uint32_t index,
                    std::uint64_t address) override {
    Event& event = add(Event::kStop, cycle);
    event.ring = ring;
    event.fault = fault;
    event.index = index;
    event.address = address;
  }
  void packet_done(std::uint64_t begin, std::uint64_t cycle, unsigned ring, std::uint32_t bytes,
                   unsigned pairs) override {
    Event& event = add(Event::kDone, cycle);
    event.begin = begin;
    event.ring = ring;
    event.bytes = bytes;
    event.pairs = pairs;
  }
  std::deque<Event> events;

 private:
  Event& add(Event::Kind kind, std::uint64_t cycle) {
    Event& event = events.emplace_back();
    event.kind = kind;
    event.cycle = cycle;
    return event;
  }
};

class DmaLockstep : public Unit {
 public:
  DmaLockstep(std::string name, const UnitConfig& config, Environment& environment,
              const UnitFactory& first, const UnitFactory& second)
      : name_(std::move(name)),
        environment_(environment),
        first_(first(config, said_first_)),
        second_(second(config, said_second_)) {}

  bool write_register(std::uint64_t cycle, std::uint32_t offset, std::uint32_t value) override {
    const bool taken = first_->write_register(cycle, offset, value);
    same(cycle, fmt::format("write of register {:#x}", offset), taken,
         second_->write_register(cycle, offset, value));
    compare();
    return taken;
  }
  bool read_register(std::uint64_t cycle, std::uint32_t offset, std::uint32_t& value) override {
    const bool known = first_->read_register(cycle, offset, value);
    std::uint32_t other = 0;
    const std::string what = fmt::format("read of register {:#x}", offset);
    same(cycle, what, known, second_->read_register(cycle, offset, other));
    compare();
    if (known) same(cycle, what, value, other);
    return known;
  }
  bool push_pair(std::uint64_t cycle, unsigned ring, const std::uint8_t* pair) override {
    const bool taken = first_->push_pair(cycle, ring, pair);
    same(cycle, fmt::format("pair pushed to ring {}", ring), taken,
         second_->push_pair(cycle, ring, pair));
    compare();
    return taken;
  }
  void answer(std::uint64_t cycle, Port port, unsigned tag, Answer answer,
              const std::uint8_t* data) override {
    first_->answer(cycle, port, tag, answer, data);
    second_->answer(cycle, port, tag, answer, data);
  }
  std::uint64_t next_cycle() const override {
    return std::min(first_->next_cycle(), second_->next_cycle());
  }
  void advance(std::uint64_t cycle) override {
    first_->advance(cycle);
    second_->advance(cycle);
    compare();
  }
  bool at_rest() const override { return first_->at_rest() && second_->at_rest(); }

 private:
  template <typename T>
  void same(std::uint64_t cycle, const std::string& what, T first, T second) const {
    if (first == second) return;
    throw RunError(fmt::format("{}: model and RTL differ in cycle {}: {}: {:#x} and {:#x}", name_,
                               cycle, what, std::uint64_t{first}, std::uint64_t{second}));
  }

  // Both have been advanced to the same cycle. The order matters within each kind only: outputs of
  // different ports in one cycle have none.
  void compare() {
    std::array<std::deque<const Event*>, Event::kKinds> open;
    for (const Event& event : said_first_.events) open[event.kind].push_back(&event);
    const Event* missing = nullptr;
    for (const Event& event : said_second_.events) {
      auto& expected = open[event.kind];
      if (expected.empty()) fail(nullptr, &event);
      if (!(*expected.front() == event)) fail(expected.front(), &event);
      expected.pop_front();
    }
    for (const auto& rest : open) {
      if (!rest.empty() && (missing == nullptr || rest.front()->cycle < missing->cycle)) {
        missing = rest.front();
      }
    }
    if (missing != nullptr) fail(missing, nullptr);
    said_second_.events.clear();
    forward();
  }
  [[noreturn]] void fail(const Event* first, const Event* second) const {
    throw RunError(fmt::format("{}: model and RTL differ: {}; {}", name_,
                               first == nullptr ? "nothing" : first->text(),
                               second == nullptr ? "nothing" : second->text()));
  }
  void forward() {
    while (!said_first_.events.empty()) {
      Event event = std::move(said_first_.events.front());
      said_first_.events.pop_front();
      if (event.kind == Event::kStop) {
        environment_.ring_stopped(event.cycle, event.ring, event.fault, event.index, event.address);
      } else if (event.kind == Event::kDone) {
        environment_.packet_done(event.begin, event.cycle, event.ring, event.bytes, event.pairs);
      } else {
        if (event.kind == Event::kWrite) event.request.data = event.data.data();
        environment_.request(event.request);
      }
    }
  }

  const std::string name_;
  Environment& environment_;
  Recorder said_first_, said_second_;
  std::unique_ptr<Unit> first_, second_;
};

}  // namespace

std::unique_ptr<Unit> make_dma_lockstep(const std::string& name, const UnitConfig& config,
                                        Environment& environment, const UnitFactory& first,
                                        const UnitFactory& second) {
  return std::make_unique<DmaLockstep>(name, config, environment, first, second);
}

}  // namespace tern
