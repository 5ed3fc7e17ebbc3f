// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sw/base/user_error.h"

namespace tern::runtime {

// The status codes that the Neuron runtime documents (nrt_status.h); those that Tern reports.
enum class Status : int {
  kSuccess = 0,
  kFailure = 1,
  kInvalid = 2,
  kInvalidHandle = 3,
  kResource = 4,
  kTimeout = 5,
  kHardware = 6,
  kQueueFull = 7,
  kNotEnoughCores = 9,
  kUnsupportedVersion = 10,
  kHostMemory = 11,
  kUninitialized = 13,
  kClosed = 14,
  kQueueEmpty = 15,
  kUnrecoverable = 101,
  kBadInput = 1002,
  kNumericalError = 1003,
  kCompletedWithError = 1004,
  kBusy = 1005,
  kOutOfBound = 1006,
  kHbmUncorrectable = 1201,
  kCoreUncorrectable = 1202,
  kDmaAbort = 1203,
  kNotificationOverflow = 1204,
  kHbmRepairable = 1205,
};

// A failure of the chip or of a program on it, with the status that says which.
class StatusError : public RunError {
 public:
  StatusError(Status status, const std::string& message) : RunError(message), status_(status) {}
  Status status() const { return status_; }

 private:
  Status status_;
};

// A program whose queues wait for each other, or for what cannot happen any more.
class DeadlockError : public StatusError {
 public:
  explicit DeadlockError(const std::string& message) : StatusError(Status::kTimeout, message) {}
};

}  // namespace tern::runtime
