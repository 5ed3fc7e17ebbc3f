// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/tensor_lockstep.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include "systemc/config/user_error.h"

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

std::string TensorLockstep::place(unsigned column) const {
  const unsigned columns = shape().bank_columns;
  return "PSUM bank " + number(column / columns) + " column " + number(column % columns);
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
  // The two are at the same cycle now: a status that only one of them has given is a difference.
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
  writes_->push_back({write, std::vector<std::uint32_t>(write.data, write.data + write.lanes)});
}

void TensorLockstep::psum_written(const PsumWrite& write) {
  if (expected_.empty()) {
    fail(write.tag, "the RTL writes " + place(write.column) + " in cycle " + number(write.cycle) +
                        ", the model does not");
  }
  const ExpectedWrite expected = std::move(expected_.front());
  expected_.pop_front();
  if (expected.write.tag != write.tag || expected.write.index != write.index ||
      expected.write.column != write.column || expected.write.lanes != write.lanes) {
    fail(expected.write.tag,
         "column " + number(expected.write.index) + " (" + number(expected.write.lanes) +
             " rows of " + place(expected.write.column) + ") is due, but the RTL writes " +
             number(write.lanes) + " rows of " + place(write.column) + " for tag " +
             number(write.tag) + " in cycle " + number(write.cycle));
  }
  compare_data(expected, write);
  if (expected.write.cycle != write.cycle) {
    fail(write.tag, "column " + number(write.index) + " is written in cycle " +
                        number(expected.write.cycle) + " in the model, in cycle " +
                        number(write.cycle) + " in the RTL");
  }
  ++writes_compared_;
  if (observer_ != nullptr) observer_->psum_written(write);
}

void TensorLockstep::compare_data(const ExpectedWrite& expected, const PsumWrite& actual) const {
  for (unsigned row = 0; row < actual.lanes; ++row) {
    if (expected.data[row] == actual.data[row]) continue;
    fail(actual.tag, "row " + number(row) + " of column " + number(actual.index) + " (" +
                         place(actual.column) + ") is " + hex(expected.data[row]) +
                         " in the model, " + hex(actual.data[row]) + " in the RTL, cycle " +
                         number(actual.cycle));
  }
}

void TensorLockstep::check_nothing_missing() const {
  if (expected_.empty()) return;
  const PsumWrite& due = expected_.front().write;
  if (due.cycle <= cycle()) {
    fail(due.tag, "column " + number(due.index) + " (" + place(due.column) +
                      ") is written in cycle " + number(due.cycle) +
                      " in the model, not before cycle " + number(cycle() + 1) + " in the RTL");
  }
}

void TensorLockstep::psum_start(const PsumTransfer& transfer) {
  transfer_ = transfer;
  PsumTransfer shadow = transfer;
  if (!transfer.write) {
    reference_words_.assign(std::size_t{transfer.partitions} * transfer.columns, 0.0f);
    shadow.data = reference_words_.data();
    shadow.stride = transfer.columns;
  }
  reference_->psum_start(shadow);
  device_->psum_start(transfer);
  comparing_transfer_ = !transfer.write;
  compare_transfer();
}

void TensorLockstep::compare_transfer() {
  if (!comparing_transfer_ || psum_busy()) return;
  comparing_transfer_ = false;
  for (unsigned p = 0; p < transfer_.partitions; ++p) {
    for (unsigned c = 0; c < transfer_.columns; ++c) {
      std::uint32_t expected, actual;
      std::memcpy(&expected, &reference_words_[std::size_t{p} * transfer_.columns + c], 4);
      std::memcpy(&actual, &transfer_.data[p * transfer_.stride + c], 4);
      if (expected == actual) continue;
      throw RunError("tensor lockstep: PSUM read: row " + number(transfer_.partition + p) + " of " +
                     place(transfer_.column + c) + " is " + hex(expected) + " in the model, " +
                     hex(actual) + " in the RTL, cycle " + number(cycle()));
    }
  }
}

}  // namespace tern
