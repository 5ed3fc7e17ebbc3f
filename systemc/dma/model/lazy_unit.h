// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "systemc/dma/model/unit.h"

namespace tern::dma {

// A unit that exists from its first input on, because most engines of a large system never have
// one. Until then it is what a unit without inputs is: at rest, with nothing to do.
class LazyUnit final : public Unit {
 public:
  using Make = std::function<std::unique_ptr<Unit>()>;
  explicit LazyUnit(Make make) : make_(std::move(make)) {}

  bool write_register(std::uint64_t cycle, std::uint32_t offset, std::uint32_t value) override {
    return unit().write_register(cycle, offset, value);
  }
  bool read_register(std::uint64_t cycle, std::uint32_t offset, std::uint32_t& value) override {
    return unit().read_register(cycle, offset, value);
  }
  bool push_pair(std::uint64_t cycle, unsigned ring, const std::uint8_t* pair) override {
    return unit().push_pair(cycle, ring, pair);
  }
  void answer(std::uint64_t cycle, Port port, unsigned tag, Answer answer,
              const std::uint8_t* data) override {
    unit().answer(cycle, port, tag, answer, data);
  }
  std::uint64_t next_cycle() const override { return unit_ ? unit_->next_cycle() : UINT64_MAX; }
  void advance(std::uint64_t cycle) override {
    if (unit_) unit_->advance(cycle);
  }
  bool at_rest() const override { return !unit_ || unit_->at_rest(); }
  bool rests_for_snapshot() const override { return !unit_ || unit_->rests_for_snapshot(); }
  void archive_state(base::StateArchive& archive, std::uint64_t cycle) override {
    unit().archive_state(archive, cycle);
  }

 private:
  Unit& unit() {
    if (!unit_) unit_ = make_();
    return *unit_;
  }

  const Make make_;
  std::unique_ptr<Unit> unit_;
};

}  // namespace tern::dma
