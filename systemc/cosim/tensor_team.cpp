// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/tensor_team.h"

#include <algorithm>
#include <deque>
#include <exception>
#include <stdexcept>
#include <string>

#include "sw/base/user_error.h"
#include "systemc/engines/tensor/tensor_check.h"
#include "systemc/engines/tensor/tensor_records.h"
#include "systemc/engines/tensor/tensor_schedule.h"

namespace tern {

namespace {

// An engine that lags by less is not worth a thread.
constexpr std::uint64_t kWorthwhile = 8;

[[noreturn]] void too_early(const std::string& what, std::uint64_t rtl, std::uint64_t contract) {
  throw RunError("tensor RTL: " + what + " in cycle " + std::to_string(rtl) +
                 ", by the contract in cycle " + std::to_string(contract) +
                 " (rtl/tensor/README.md, \"Timing\")");
}

}  // namespace

// An engine in cycle cycle_, where its user has left it; the team may have moved it on.
class TensorTeam::Member : public TensorDatapath, private PsumObserver {
 public:
  Member(std::shared_ptr<TensorTeam> team, std::unique_ptr<TensorRtl> rtl)
      : team_(std::move(team)),
        rtl_(std::move(rtl)),
        schedule_(rtl_->shape()),
        cycle_(rtl_->cycle()) {
    team_->members_.push_back(this);
  }
  ~Member() override {
    auto& members = team_->members_;
    members.erase(std::find(members.begin(), members.end(), this));
  }

  // Cycles to evaluate up to `cycle`.
  std::uint64_t lag(std::uint64_t cycle) const {
    const bool works = !error_ && rtl_->cycle() < cycle && rtl_->next_event() != kIdle;
    return works ? cycle - rtl_->cycle() : 0;
  }
  // On any thread.
  void move(std::uint64_t cycle) noexcept {
    try {
      rtl_->advance_to(cycle);
    } catch (...) {
      error_ = std::current_exception();
    }
  }

  const TensorShape& shape() const override { return rtl_->shape(); }
  std::uint64_t cycle() const override { return cycle_; }
  bool ready() const override { return here().ready(); }
  void push(const TensorCommand& command) override {
    here().push(command);
    const bool accepted = check_tensor_command(shape(), command, records_) == TensorStatusCode::kOk;
    if (accepted) records_.accepted(shape(), command);
    due_.push_back(schedule_.push(command, accepted).retire);
    rtl_->settles_in(schedule_.settled());
  }
  std::uint64_t next_event() const override { return late_ ? cycle_ + 1 : schedule_.next_event(); }

  void advance_to(std::uint64_t cycle) override {
    if (rtl_->cycle() < cycle) team_->advance(this, cycle);
    arrive(cycle);
  }
  void skip_to(std::uint64_t cycle) override {
    if (rtl_->cycle() < cycle) rtl_->skip_to(cycle);
    arrive(cycle);
  }

  bool pop_status(TensorStatus* status) override {
    if (statuses_.empty()) return false;
    *status = statuses_.front();
    statuses_.pop_front();
    return true;
  }
  void psum_start(const PsumTransfer& transfer) override {
    here().psum_start(transfer);
    schedule_.psum_start(transfer);
    transferring_ = true;
  }
  bool psum_busy() const override { return here().psum_busy(); }
  bool psum_debug(const PsumTransfer& transfer) override { return here().psum_debug(transfer); }
  void set_observer(PsumObserver* observer) override {
    observer_ = observer;
    rtl_->set_observer(observer == nullptr ? nullptr : this);
  }

 private:
  struct Write {
    PsumWrite write;
    std::vector<std::uint32_t> data;
  };

  // What only an engine can say or do that is where its user believes it to be.
  TensorRtl& here() const {
    if (rtl_->cycle() != cycle_) throw std::logic_error("tensor team: an engine is asked too late");
    return *rtl_;
  }

  void psum_written(const PsumWrite& write) override {
    writes_.push_back({write, {write.data, write.data + write.lanes}});
  }

  void arrive(std::uint64_t cycle) {
    if (error_) std::rethrow_exception(error_);
    cycle_ = cycle;
    schedule_.move_to(cycle);
    report_writes();
    take_statuses();
    check_transfer();
    late_ = (!due_.empty() && due_.front() <= cycle) || (schedule_.ready() && !here().ready()) ||
            (transferring_ && !schedule_.psum_busy());
  }

  void report_writes() {
    for (Write& seen : std::exchange(writes_, {})) {
      seen.write.data = seen.data.data();
      if (observer_ != nullptr) observer_->psum_written(seen.write);
    }
  }

  void take_statuses() {
    TensorStatus status;
    while (rtl_->pop_status(&status)) {
      if (status.cycle < due_.front())
        too_early("the status of tag " + std::to_string(status.tag) + " leaves", status.cycle,
                  due_.front());
      due_.pop_front();
      statuses_.push_back(status);
    }
  }

  void check_transfer() {
    if (!transferring_ || here().psum_busy()) return;
    transferring_ = false;
    if (rtl_->psum_end() < schedule_.psum_end())
      too_early("a PSUM transfer ends", rtl_->psum_end(), schedule_.psum_end());
  }

  std::shared_ptr<TensorTeam> team_;
  std::unique_ptr<TensorRtl> rtl_;
  TensorRecords records_;
  TensorSchedule schedule_;
  std::uint64_t cycle_;
  std::deque<std::uint64_t> due_;  // by the contract: cycles of the statuses to come
  std::deque<TensorStatus> statuses_;
  bool transferring_ = false;
  bool late_ = false;          // the contract expects something that has not happened
  std::exception_ptr error_;   // of the engine, for its own user
  std::vector<Write> writes_;  // since cycle_
  PsumObserver* observer_ = nullptr;
};

std::unique_ptr<TensorDatapath> TensorTeam::add(std::unique_ptr<TensorRtl> rtl) {
  return std::make_unique<Member>(shared_from_this(), std::move(rtl));
}

void TensorTeam::advance(Member* one, std::uint64_t cycle) {
  if (threads_->threads() == 1) return one->move(cycle);
  moving_.assign(1, one);
  for (Member* member : members_) {
    if (member != one && member->lag(cycle) >= kWorthwhile) moving_.push_back(member);
  }
  threads_->run(static_cast<std::uint32_t>(moving_.size()),
                [&](std::uint32_t i) { moving_[i]->move(cycle); });
}

}  // namespace tern
