// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/exp_lockstep.h"

#include <cstring>
#include <utility>

#include "sw/base/text.h"
#include "sw/base/user_error.h"

namespace tern {

namespace {

std::string differ(std::uint32_t reference, std::uint32_t device, unsigned digits) {
  return " is " + base::hex_bits(reference, digits) + " in the model, " +
         base::hex_bits(device, digits) + " in the RTL";
}

}  // namespace

ExpLockstep::ExpLockstep(std::unique_ptr<ExpUnit> reference, std::unique_ptr<ExpUnit> device)
    : reference_(std::move(reference)), device_(std::move(device)) {}

void ExpLockstep::fail(const ExpRequest& request, const std::string& what) const {
  const std::string name =
      request.name.empty() ? "instruction " + std::to_string(requests_) : request.name;
  throw RunError("exp lockstep: " + name + ": " + what);
}

std::uint64_t ExpLockstep::run(const ExpRequest& request) {
  check_exp_request(request);
  ExpRequest shadow = request;
  shadow.result_pitch = request.elements * numerics::dtype_size(request.result_type);
  result_.resize(shadow.result_pitch * request.partitions);
  shadow.result = result_.data();
  if (request.accumulators != nullptr) {
    sums_.assign(request.accumulators, request.accumulators + request.partitions);
    shadow.accumulators = sums_.data();
  }
  const std::uint64_t expected = reference_->run(shadow);
  const std::uint64_t cycles = device_->run(request);
  compare(shadow, request);
  if (expected != cycles) {
    fail(request, "it takes " + std::to_string(expected) + " cycles in the model, " +
                      std::to_string(cycles) + " in the RTL");
  }
  ++requests_;
  elements_compared_ += std::uint64_t{request.partitions} * request.elements;
  return cycles;
}

void ExpLockstep::compare(const ExpRequest& reference, const ExpRequest& device) const {
  const std::size_t size = numerics::dtype_size(device.result_type);
  for (unsigned p = 0; p < device.partitions; ++p) {
    const std::uint8_t* expected = reference.result + p * reference.result_pitch;
    const std::uint8_t* actual = device.result + p * device.result_pitch;
    if (std::memcmp(expected, actual, device.elements * size) != 0) {
      for (std::size_t i = 0; i < device.elements; ++i) {
        std::uint32_t a = 0, b = 0;
        std::memcpy(&a, expected + i * size, size);
        std::memcpy(&b, actual + i * size, size);
        if (a == b) continue;
        fail(device, "partition " + std::to_string(p) + " element " + std::to_string(i) +
                         differ(a, b, static_cast<unsigned>(2 * size)));
      }
    }
    if (device.sum == ExpSum::kOff) continue;
    std::uint32_t a, b;
    std::memcpy(&a, &reference.accumulators[p], sizeof a);
    std::memcpy(&b, &device.accumulators[p], sizeof b);
    if (a != b) fail(device, "partition " + std::to_string(p) + ": the sum" + differ(a, b, 8));
  }
}

}  // namespace tern
