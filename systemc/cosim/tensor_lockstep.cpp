// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/tensor_lockstep.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include "sw/base/user_error.h"

namespace tern {

namespace {

std::string hex(std::uint32_t bits) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08X", bits);
  return text;
}

std::string number(std::uint64_t value) {
  return std::to_string(value);
}

}  // namespace

TensorLockstep::TensorLockstep(std::unique_ptr<TensorDatapath> reference,
                               std::unique_ptr<TensorDatapath> device, Describe describe)
    : reference_(std::move(reference)), device_(std::move(device)), describe_(std::move(describe)) {
  reference_->set_observer(&recorder_);
  device_->set_observer(this);
}

TensorLockstep::~TensorLockstep() {
  reference_->set_observer(nullptr);
  device_->set_observer(nullptr);
}

void TensorLockstep::fail(std::uint32_t tag, const std::string& what) const {
  const std::string instruction =
      describe_ ? describe_(tag) : "instruction with tag " + number(tag);
  throw RunError("tensor lockstep: " + instruction + ": " + what);
}

std::string TensorLockstep::place(unsigned column, bool half) const {
  const unsigned columns = shape().bank_columns * (half ? 2 : 1);
  return "PSUM bank " + number(column / columns) + " column " + number(column % columns);
}

std::string TensorLockstep::place(const PsumWrite& write) const {
  return place(write.column, write.half);
}

bool TensorLockstep::ready() const {
  const bool reference = reference_->ready(), device = device_->ready();
  if (reference != device) {
    throw RunError("tensor lockstep: cycle " + number(cycle()) + ": the model is " +
                   (reference ? "ready" : "not ready") + " for a command, the RTL is " +
                   (device ? "ready" : "not ready"));
  }
  return device;
}

void TensorLockstep::push(const TensorCommand& command) {
  reference_->push(command);
  device_->push(command);
}

std::uint64_t TensorLockstep::next_event() const {
  return std::min(reference_->next_event(), device_->next_event());
}

void TensorLockstep::advance_to(std::uint64_t cycle) {
  reference_->advance_to(cycle);
  device_->advance_to(cycle);
  compare_statuses();
  compare_transfer();
  check_nothing_missing();
}

void TensorLockstep::skip_to(std::uint64_t cycle) {
  reference_->skip_to(cycle);
  device_->skip_to(cycle);
}

bool TensorLockstep::pop_status(TensorStatus* status) {
  if (statuses_.empty()) return false;
  *status = statuses_.front();
  statuses_.pop_front();
  return true;
}

void TensorLockstep::compare_statuses() {
  TensorStatus status;
  while (reference_->pop_status(&status)) reference_statuses_.push_back(status);
  while (device_->pop_status(&status)) device_statuses_.push_back(status);
  while (!reference_statuses_.empty() && !device_statuses_.empty()) {
    const TensorStatus& expected = reference_statuses_.front();
    const TensorStatus& actual = device_statuses_.front();
    if (expected.tag != actual.tag) {
      fail(expected.tag, "its status is due, but the RTL gives that of tag " + number(actual.tag) +
                             " in cycle " + number(actual.cycle));
    }
    if (expected.code != actual.code) {
      fail(expected.tag, "status code " + number(static_cast<unsigned>(expected.code)) +
                             " in the model, " + number(static_cast<unsigned>(actual.code)) +
                             " in the RTL");
    }
    if (expected.cycle != actual.cycle) {
      fail(expected.tag, "its status leaves in cycle " + number(expected.cycle) +
                             " in the model, in cycle " + number(actual.cycle) + " in the RTL");
    }
    statuses_.push_back(actual);
    reference_statuses_.pop_front();
    device_statuses_.pop_front();
  }
  // The two are at the same cycle now: a status that only one of them has reported is a difference.
  if (!reference_statuses_.empty()) {
    const TensorStatus& missing = reference_statuses_.front();
    fail(missing.tag, "its status leaves in cycle " + number(missing.cycle) +
                          " in the model, not before cycle " + number(cycle() + 1) + " in the RTL");
  }
  if (!device_statuses_.empty()) {
    const TensorStatus& early = device_statuses_.front();
    fail(early.tag,
         "its status leaves in cycle " + number(early.cycle) + " in the RTL, later in the model");
  }
}

void TensorLockstep::Recorder::psum_written(const PsumWrite& write) {
  // The newest stream of this tag and slot, unless it belongs to an earlier command.
  auto stream = std::find_if(streams_->rbegin(), streams_->rend(), [&](const Stream& s) {
    return s.tag == write.tag && s.slot == write.slot;
  });
  const bool first = write.index == 0 || stream == streams_->rend();
  Stream& target = first ? streams_->emplace_back(Stream{write.tag, write.slot, {}}) : *stream;
  target.writes.push_back(
      {write, std::vector<std::uint32_t>(write.data, write.data + write.lanes)});
}

// Commands in flight may share a tag: then the slot decides.
TensorLockstep::ExpectedWrite TensorLockstep::take_expected(const PsumWrite& actual) {
  auto found = expected_.end();
  for (auto stream = expected_.begin(); stream != expected_.end(); ++stream) {
    if (stream->tag != actual.tag || stream->slot != actual.slot) continue;
    const PsumWrite& next = stream->writes.front().write;
    const bool exact = next.index == actual.index && next.column == actual.column &&
                       next.partition == actual.partition && next.cycle == actual.cycle;
    if (exact || found == expected_.end()) found = stream;
    if (exact) break;
  }
  if (found == expected_.end()) {
    fail(actual.tag, "the RTL writes " + place(actual) + " in cycle " + number(actual.cycle) +
                         ", the model does not");
  }
  ExpectedWrite expected = std::move(found->writes.front());
  found->writes.pop_front();
  if (found->writes.empty()) expected_.erase(found);
  return expected;
}

void TensorLockstep::psum_written(const PsumWrite& write) {
  const ExpectedWrite expected = take_expected(write);
  compare_place(expected.write, write);
  compare_data(expected, write);
  if (expected.write.cycle != write.cycle) {
    fail(write.tag, "column " + number(write.index) + " is written in cycle " +
                        number(expected.write.cycle) + " in the model, in cycle " +
                        number(write.cycle) + " in the RTL");
  }
  ++writes_compared_;
  if (observer_ != nullptr) observer_->psum_written(write);
}

void TensorLockstep::compare_place(const PsumWrite& expected, const PsumWrite& actual) const {
  if (expected.index == actual.index && expected.column == actual.column &&
      expected.partition == actual.partition && expected.lanes == actual.lanes &&
      expected.half == actual.half) {
    return;
  }
  const auto rows = [&](const PsumWrite& write) {
    return number(write.lanes) + (write.half ? " 16-bit" : "") + " rows from partition " +
           number(write.partition) + " of " + place(write);
  };
  fail(expected.tag, "column " + number(expected.index) + " (" + rows(expected) +
                         ") is due, but the RTL writes column " + number(actual.index) + " (" +
                         rows(actual) + ") in cycle " + number(actual.cycle));
}

void TensorLockstep::compare_data(const ExpectedWrite& expected, const PsumWrite& actual) const {
  for (unsigned row = 0; row < actual.lanes; ++row) {
    if (expected.data[row] == actual.data[row]) continue;
    fail(actual.tag, "row " + number(row) + " of column " + number(actual.index) + " (" +
                         place(actual) + ", partition " + number(actual.partition + row) + ") is " +
                         hex(expected.data[row]) + " in the model, " + hex(actual.data[row]) +
                         " in the RTL, cycle " + number(actual.cycle));
  }
}

void TensorLockstep::check_nothing_missing() const {
  for (const Stream& stream : expected_) {
    const PsumWrite& due = stream.writes.front().write;
    if (due.cycle > cycle()) continue;
    fail(due.tag, "column " + number(due.index) + " (" + place(due) + ") is written in cycle " +
                      number(due.cycle) + " in the model, not before cycle " + number(cycle() + 1) +
                      " in the RTL");
  }
}

// The same transfer for the reference, whose words are kept apart.
PsumTransfer TensorLockstep::shadow_of(const PsumTransfer& transfer) {
  PsumTransfer shadow = transfer;
  if (!transfer.write) {
    reference_words_.assign(std::size_t{transfer.partitions} * transfer.columns, 0.0f);
    shadow.data = reference_words_.data();
    shadow.stride = transfer.columns;
  }
  return shadow;
}

void TensorLockstep::psum_start(const PsumTransfer& transfer) {
  transfer_ = transfer;
  reference_->psum_start(shadow_of(transfer));
  device_->psum_start(transfer);
  transferring_ = true;
  compare_transfer();
}

bool TensorLockstep::psum_debug(const PsumTransfer& transfer) {
  if (!device_->psum_debug(transfer)) return false;
  if (!reference_->psum_debug(shadow_of(transfer))) return false;
  if (!transfer.write) compare_words(transfer);
  return true;
}

void TensorLockstep::compare_transfer() {
  if (!transferring_) return;
  const bool reference = reference_->psum_busy(), device = device_->psum_busy();
  if (reference != device) {
    throw RunError("tensor lockstep: PSUM transfer at " + place(transfer_.column, false) +
                   ": in cycle " + number(cycle()) + " it is " +
                   (reference ? "in flight" : "finished") + " in the model, " +
                   (device ? "in flight" : "finished") + " in the RTL");
  }
  if (device) return;
  transferring_ = false;
  if (!transfer_.write) compare_words(transfer_);
}

void TensorLockstep::compare_words(const PsumTransfer& transfer) const {
  for (unsigned p = 0; p < transfer.partitions; ++p) {
    for (unsigned c = 0; c < transfer.columns; ++c) {
      std::uint32_t expected, actual;
      std::memcpy(&expected, &reference_words_[std::size_t{p} * transfer.columns + c], 4);
      std::memcpy(&actual, &transfer.data[p * transfer.stride + c], 4);
      if (expected == actual) continue;
      throw RunError("tensor lockstep: PSUM read: row " + number(transfer.partition + p) + " of " +
                     place(transfer.column + c, false) + " is " + hex(expected) +
                     " in the model, " + hex(actual) + " in the RTL, cycle " + number(cycle()));
    }
  }
}

}  // namespace tern
