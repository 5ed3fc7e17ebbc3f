// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/tensor/tensor_engine.h"

#include <algorithm>

#include "sw/base/user_error.h"
#include "sw/spec/access_pattern.h"
#include "systemc/engines/tensor/tensor_command.h"
#include "systemc/engines/tensor/tensor_geometry.h"

namespace tern {

namespace {

bool awaits_read(const Operation& operation) {
  return operation.instruction.header.upd_when == TERN_UPD_WHEN_READ;
}

}  // namespace

TensorEngine::TensorEngine(sc_core::sc_module_name name, double clock_ghz, TensorDatapath& datapath)
    : sc_module(name), datapath_(datapath), clock_(clock_ghz), read_times_(datapath.shape()) {
  SC_THREAD(run_clock);
  set_stack_size(kDatapathStackBytes);
}

// Brings the datapath to `cycle`. Its statuses wait here until their own cycle has come.
void TensorEngine::catch_up(std::uint64_t cycle) {
  while (datapath_.cycle() < cycle) {
    const std::uint64_t event = datapath_.next_event();
    if (event == TensorDatapath::kIdle) {
      datapath_.skip_to(cycle);
    } else {
      datapath_.advance_to(std::min(cycle, event));
    }
    TensorStatus status;
    while (datapath_.pop_status(&status)) statuses_.push_back(status);
  }
}

void TensorEngine::execute(const Operation& operation, unsigned index) {
  clock_.wait_for(next_issue_);
  const bool nop = operation.opcode() == TERN_OPCODE_NOP;
  if (!nop) {
    catch_up(clock_.now());
    while (!datapath_.ready()) {
      clock_.wait_for(datapath_.next_event());
      catch_up(clock_.now());
    }
  }
  const std::uint64_t cycle = clock_.now();
  std::uint64_t read = cycle + 1;
  const std::uint32_t tag = commands_ & 0xFF;
  if (!nop) {
    const TensorCommand command =
        tensor_command(operation.instruction, commands_, datapath_.shape().bank_columns);
    index_of_tag_[tag] = index;
    ++commands_;
    read = read_times_.pushed(cycle, command).value_or(TensorDatapath::kIdle);
    datapath_.push(command);
    if (!started_) counters_.first_cycle = cycle;
    started_ = true;
  }
  if (read != TensorDatapath::kIdle) {
    read = last_read_ = std::max(read, last_read_);
    if (awaits_read(operation)) awaited_reads_.push_back(read);
  }
  in_flight_.push_back({index, operation, sc_core::sc_time_stamp(), cycle, tag, read});
  next_issue_ = cycle + 1;
  wake_.notify(sc_core::SC_ZERO_TIME);
}

void TensorEngine::run_clock() {
  for (;;) {
    catch_up(clock_.now());
    tell_reads();
    while (retire_one()) {
    }
    if (psum_in_use_ && !datapath_.psum_busy()) psum_done_.notify(sc_core::SC_ZERO_TIME);
    const std::uint64_t next = next_wake();
    if (next == TensorDatapath::kIdle) {
      wait(wake_);
    } else {
      const sc_core::sc_time target = clock_.time_of(next);
      const sc_core::sc_time current = sc_core::sc_time_stamp();
      wait(target > current ? target - current : sc_core::SC_ZERO_TIME, wake_);
    }
  }
}

// The next cycle in which the datapath or the head of the queue has an event.
std::uint64_t TensorEngine::next_wake() const {
  std::uint64_t next = datapath_.next_event();
  if (in_flight_.empty()) return next;
  if (!awaited_reads_.empty()) next = std::min(next, awaited_reads_.front());
  if (in_flight_.front().operation.opcode() == TERN_OPCODE_NOP) {
    next = std::min(next, in_flight_.front().cycle + 1);
  } else if (!statuses_.empty()) {
    next = std::min(next, statuses_.front().cycle);
  }
  return next;
}

// In program order; a rejected command has no operands and is skipped.
void TensorEngine::tell_reads() {
  for (; told_ < in_flight_.size(); ++told_) {
    const InFlight& entry = in_flight_[told_];
    if (entry.read == TensorDatapath::kIdle) continue;
    if (!is_due(entry.read)) return;
    if (awaits_read(entry.operation)) awaited_reads_.pop_front();
    sink_->inputs_read(entry.index, entry.operation);
  }
}

bool TensorEngine::retire_one() {
  if (in_flight_.empty()) return false;
  const InFlight entry = in_flight_.front();
  std::uint64_t cycle = 0;
  TensorStatusCode code = TensorStatusCode::kOk;
  if (entry.operation.opcode() == TERN_OPCODE_NOP) {
    cycle = std::max(entry.cycle + 1, last_retire_);
    if (!is_due(cycle)) return false;
  } else {
    if (statuses_.empty() || !is_due(statuses_.front().cycle)) return false;
    if (statuses_.front().tag != entry.tag) {
      throw RunError("tensor engine: status with tag " + std::to_string(statuses_.front().tag) +
                     " where instruction " + std::to_string(entry.index) + " retires");
    }
    cycle = statuses_.front().cycle;
    code = statuses_.front().code;
    statuses_.pop_front();
  }
  in_flight_.pop_front();
  --told_;  // operands are read before the command is complete
  retire(entry, code, cycle);
  last_retire_ = cycle;
  if (in_flight_.empty()) drained_.notify(sc_core::SC_ZERO_TIME);
  return true;
}

void TensorEngine::retire(const InFlight& entry, TensorStatusCode code, std::uint64_t cycle) {
  const unsigned opcode = entry.operation.opcode();
  if (opcode != TERN_OPCODE_NOP) {
    counters_.busy_cycles += cycle - std::max(entry.cycle, std::min(last_retire_, cycle));
    counters_.last_cycle = cycle;
  }
  if (code != TensorStatusCode::kOk) {
    sink_->failed(entry.index, entry.operation, TERN_ERROR_TENSOR_ENGINE,
                  static_cast<std::uint32_t>(code));
    return;
  }
  if (opcode == TERN_OPCODE_LOAD_STATIONARY) ++counters_.load_stationary;
  if (opcode == TERN_OPCODE_TRANSPOSE) ++counters_.transpose;
  if (opcode == TERN_OPCODE_MULTIPLY_MOVING) {
    const auto& in = entry.operation.instruction.multiply_moving;
    const std::uint64_t columns = AccessPattern(in.src).count();
    const unsigned products = products_per_cell(static_cast<TensorMode>(in.mode));
    ++counters_.multiply_moving;
    counters_.columns += columns;
    counters_.macs += columns * in.rows * in.cols * products;
    const TensorShape& shape = datapath_.shape();
    counters_.capacity += columns * shape.rows * shape.cols * products;
  }
  sink_->completed(entry.index, entry.operation, entry.begin);
}

void TensorEngine::drain() {
  while (!in_flight_.empty()) wait(drained_);
}

void TensorEngine::transfer(const PsumTransfer& transfer) {
  while (psum_in_use_) wait(psum_free_);
  psum_in_use_ = true;
  catch_up(clock_.now());
  datapath_.psum_start(transfer);
  while (datapath_.psum_busy()) {
    wake_.notify(sc_core::SC_ZERO_TIME);
    wait(psum_done_);
  }
  psum_in_use_ = false;
  psum_free_.notify(sc_core::SC_ZERO_TIME);
}

bool TensorEngine::rests_for_snapshot() const {
  const std::uint64_t now = clock_.now();
  return in_flight_.empty() && statuses_.empty() && !psum_in_use_ && read_times_.settled() <= now &&
         datapath_.rests_for_snapshot(now);
}

void TensorEngine::archive_state(base::StateArchive& archive) {
  const std::uint64_t now = clock_.now();
  archive.number(last_read_, now + 1);
  archive.number(commands_);
  archive.each(index_of_tag_);
  archive.number(next_issue_, now + 1);
  archive.number(last_retire_, now);
  archive.number(started_);
  TensorActivity& c = counters_;
  archive.numbers(c.load_stationary, c.multiply_moving, c.transpose, c.columns, c.macs, c.capacity,
                  c.busy_cycles, c.first_cycle, c.last_cycle);
  read_times_.archive_state(archive);
  datapath_.archive_state(archive);
}

bool TensorEngine::transfer_now(const PsumTransfer& transfer) {
  if (psum_in_use_) return false;
  return datapath_.psum_debug(transfer);
}

}  // namespace tern
