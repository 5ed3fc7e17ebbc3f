// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/mx_lockstep.h"

#include <fmt/format.h>

#include <utility>

#include "sw/base/text.h"
#include "sw/base/user_error.h"

namespace tern {

namespace {

using numerics::kMxBlockRows;
using numerics::kMxSlots;

// Of one request, as its messages name it.
class Comparison {
 public:
  Comparison(const std::string& name, std::uint64_t index)
      : name_(name.empty() ? fmt::format("instruction {}", index) : name) {}

  // `row`: values of each partition, or block; digits: of a value in hex.
  template <typename Value>
  void compare(const char* row_name, const char* value_name, const Value* expected,
               const Value* actual, std::size_t rows, std::size_t row, unsigned digits) const {
    for (std::size_t i = 0; i < rows * row; ++i) {
      if (expected[i] == actual[i]) continue;
      fail(fmt::format("{} {} {} {} is {} in the model, {} in the RTL", row_name, i / row,
                       value_name, i % row, base::hex_bits(expected[i], digits),
                       base::hex_bits(actual[i], digits)));
    }
  }
  void cycles(std::uint64_t expected, std::uint64_t actual) const {
    if (expected == actual) return;
    fail(fmt::format("it takes {} cycles in the model, {} in the RTL", expected, actual));
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw RunError("mx lockstep: " + name_ + ": " + what);
  }
  std::string name_;
};

}  // namespace

MxLockstep::MxLockstep(std::unique_ptr<MxUnit> reference, std::unique_ptr<MxUnit> device)
    : reference_(std::move(reference)), device_(std::move(device)) {}

std::uint64_t MxLockstep::quantize(const MxQuantizeRequest& request) {
  check_mx_request(request);
  const auto [partitions, columns] = request.shape;
  MxQuantizeRequest shadow = request;
  words_.resize(partitions * columns);
  scales_.resize(partitions / kMxBlockRows * columns);
  shadow.x4 = words_.data();
  shadow.scales = scales_.data();
  const std::uint64_t expected = reference_->quantize(shadow);
  const std::uint64_t cycles = device_->quantize(request);
  const Comparison comparison(request.name, requests_++);
  comparison.compare("partition", "x4 element", words_.data(), request.x4, partitions, columns, 8);
  comparison.compare("block", "scale", scales_.data(), request.scales, partitions / kMxBlockRows,
                     columns, 2);
  comparison.cycles(expected, cycles);
  return cycles;
}

std::uint64_t MxLockstep::dequantize(const MxDequantizeRequest& request) {
  check_mx_request(request);
  MxDequantizeRequest shadow = request;
  const std::size_t row = request.shape.columns * (request.scales == nullptr ? 1 : kMxSlots);
  words_.resize(request.shape.partitions * row);
  shadow.elements = words_.data();
  const std::uint64_t expected = reference_->dequantize(shadow);
  const std::uint64_t cycles = device_->dequantize(request);
  const Comparison comparison(request.name, requests_++);
  comparison.compare("partition", "element", words_.data(), request.elements,
                     request.shape.partitions, row, 8);
  comparison.cycles(expected, cycles);
  return cycles;
}

}  // namespace tern
