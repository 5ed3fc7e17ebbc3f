// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/dma_lockstep.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>

#include "sw/base/user_error.h"
#include "systemc/cosim/dma_events.h"

namespace tern {

namespace {

using namespace dma;

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
    std::array<std::deque<const UnitEvent*>, UnitEvent::kKinds> open;
    for (const UnitEvent& event : said_first_.events) open[event.kind].push_back(&event);
    const UnitEvent* missing = nullptr;
    for (const UnitEvent& event : said_second_.events) {
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
    said_first_.repeat(environment_);
  }
  [[noreturn]] void fail(const UnitEvent* first, const UnitEvent* second) const {
    throw RunError(fmt::format("{}: model and RTL differ: {}; {}", name_,
                               first == nullptr ? "nothing" : first->text(),
                               second == nullptr ? "nothing" : second->text()));
  }
  const std::string name_;
  Environment& environment_;
  UnitEvents said_first_, said_second_;
  std::unique_ptr<Unit> first_, second_;
};

}  // namespace

std::unique_ptr<Unit> make_dma_lockstep(const std::string& name, const UnitConfig& config,
                                        Environment& environment, const UnitFactory& first,
                                        const UnitFactory& second) {
  return std::make_unique<DmaLockstep>(name, config, environment, first, second);
}

}  // namespace tern
