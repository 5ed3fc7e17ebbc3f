// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/trace/signature.h"

namespace tern::nki {

namespace {

constexpr auto kRead = Access::kRead, kWrite = Access::kWrite, kUpdate = Access::kUpdate;
constexpr unsigned kElementEngines = kOnVector | kOnScalar | kOnGpsimd;

std::vector<Signature> make() {
  const OperandRule dst{"dst", kWrite};
  const OperandRule column0{"operand0", kRead, kOnChip, Fit::kColumn, true};
  const OperandRule column1{"operand1", kRead, kOnChip, Fit::kColumn, true};
  const OperandRule reduce_res{"reduce_res", kWrite, kOnChip, Fit::kColumn, true};
  return {
      {"dma_copy",
       kOnDma,
       {{"dst", kWrite, kAnyButPsum, Fit::kFree}, {"src", kRead, kAnyButPsum, Fit::kFree}}},
      {"tensor_copy", kElementEngines, {dst, {"src"}}},
      {"memset", kOnVector | kOnGpsimd, {dst}},
      {"tensor_tensor", kOnVector | kOnGpsimd, {dst, {"data1"}, {"data2"}}, 1},
      {"tensor_scalar", kElementEngines, {dst, {"data"}, column0, column1, reduce_res}},
      {"activation",
       kOnScalar,
       {dst,
        {"data"},
        {"scale", kRead, kOnChip, Fit::kColumn, true},
        {"bias", kRead, kOnChip, Fit::kColumn, true},
        reduce_res}},
      {"reciprocal", kOnVector, {dst, {"data"}}},
      {"tensor_reduce", kOnVector, {dst, {"data", kRead, kOnChip, Fit::kPartitions}}},
      {"nc_matmul",
       kOnTensor,
       {{"dst", kUpdate, kInPsum, Fit::kFree},
        {"stationary", kRead, kInSbuf, Fit::kFree},
        {"moving", kRead, kInSbuf, Fit::kFree}}},
      {"nc_transpose",
       kOnTensor | kOnVector,
       {{"dst", kWrite, kOnChip, Fit::kFree}, {"data", kRead, kOnChip, Fit::kFree}}},
  };
}

}  // namespace

const OperandRule* Signature::operand(std::string_view role) const {
  for (const OperandRule& rule : operands) {
    if (role == rule.role) return &rule;
  }
  return nullptr;
}

const std::vector<Signature>& signatures() {
  static const std::vector<Signature> all = make();
  return all;
}

const Signature* find_signature(std::string_view name) {
  for (const Signature& signature : signatures()) {
    if (name == signature.name) return &signature;
  }
  return nullptr;
}

}  // namespace tern::nki
