// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/dma_team.h"

#include <algorithm>
#include <exception>

#include "systemc/cosim/dma_events.h"

namespace tern::dma {

namespace {

// Engines in a piece of work: one cycle of one is less than it costs to hand it over.
constexpr std::size_t kPerPiece = 4;

}  // namespace

class DmaTeam::Member : public Unit {
 public:
  Member(std::shared_ptr<DmaTeam> team, const UnitConfig& config, Environment& environment,
         const WaveOptions& wave)
      : team_(std::move(team)), environment_(environment), rtl_(config, said_, wave) {
    team_->members_.push_back(this);
  }
  ~Member() override {
    auto& members = team_->members_;
    members.erase(std::find(members.begin(), members.end(), this));
  }

  const DmaRtl& rtl() const { return rtl_; }
  bool has_work(std::uint64_t cycle) const { return !error_ && rtl_.next_cycle() <= cycle; }
  // On any thread.
  void move(std::uint64_t cycle) noexcept {
    try {
      rtl_.advance(cycle);
    } catch (...) {
      error_ = std::current_exception();
    }
  }

  bool write_register(std::uint64_t cycle, std::uint32_t offset, std::uint32_t value) override {
    return rtl_.write_register(cycle, offset, value);
  }
  bool read_register(std::uint64_t cycle, std::uint32_t offset, std::uint32_t& value) override {
    return rtl_.read_register(cycle, offset, value);
  }
  bool push_pair(std::uint64_t cycle, unsigned ring, const std::uint8_t* pair) override {
    return rtl_.push_pair(cycle, ring, pair);
  }
  void answer(std::uint64_t cycle, Port port, unsigned tag, Answer answer,
              const std::uint8_t* data) override {
    rtl_.answer(cycle, port, tag, answer, data);
  }
  std::uint64_t next_cycle() const override {
    const std::uint64_t next = rtl_.next_cycle();
    return said_.events.empty() ? next : std::min(next, said_.events.front().cycle);
  }
  void advance(std::uint64_t cycle) override {
    team_->advance(this, cycle);
    said_.repeat(environment_);
    if (error_) std::rethrow_exception(error_);
  }
  bool at_rest() const override { return said_.events.empty() && rtl_.at_rest(); }

 private:
  std::shared_ptr<DmaTeam> team_;
  Environment& environment_;
  UnitEvents said_;
  DmaRtl rtl_;
  std::exception_ptr error_;  // of the engine, for its own user
};

std::unique_ptr<Unit> DmaTeam::make(const UnitConfig& config, Environment& environment,
                                    const WaveOptions& wave, const DmaRtl** rtl) {
  auto member = std::make_unique<Member>(shared_from_this(), config, environment, wave);
  *rtl = &member->rtl();
  return member;
}

void DmaTeam::advance(Member* one, std::uint64_t cycle) {
  if (!one->has_work(cycle)) return one->move(cycle);  // its clock
  moving_.clear();
  for (Member* member : members_) {
    if (member->has_work(cycle)) moving_.push_back(member);
  }
  const std::size_t pieces = (moving_.size() + kPerPiece - 1) / kPerPiece;
  threads_->run(static_cast<std::uint32_t>(pieces), [&](std::uint32_t piece) {
    const std::size_t end = std::min(moving_.size(), (piece + 1) * kPerPiece);
    for (std::size_t i = piece * kPerPiece; i < end; ++i) moving_[i]->move(cycle);
  });
}

}  // namespace tern::dma
