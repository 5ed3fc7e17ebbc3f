// SPDX-License-Identifier: Apache-2.0
// Operands of products and transposes.
#include <algorithm>
#include <cstdint>

#include "sw/kernels/builder/memory/limits.h"
#include "sw/nki/passes/legalizer.h"
#include "sw/nki/trace/chip_pattern.h"

namespace tern::nki {

namespace {

bool is_fp8(const View& view) {
  const DType dtype = view.type()->dtype;
  return dtype == DType::kE4m3 || dtype == DType::kE5m2 || dtype == DType::kE4m3Fn;
}

std::int64_t first_partition(const View& view) {
  const std::int64_t in_storage = chip_pattern(view, "operand").partition;
  return in_storage + (view.storage().address ? view.storage().address->partition : 0);
}

// At most two dimensions, with steps that an instruction can hold: what the tensor engine reads.
bool is_readable(const View& view) {
  const auto dims = merged(chip_pattern(view, "operand").dims);
  return dims.size() <= 2 && std::all_of(dims.begin(), dims.end(), [](const auto& dim) {
           return dim.step >= INT16_MIN && dim.step <= INT16_MAX;
         });
}

}  // namespace

void Legalizer::matmul(Instruction instruction) {
  if (instruction.options.double_row) return out_.push_back(std::move(instruction));
  const View& read = instruction.at("moving");
  const std::vector<std::int64_t>& tile =
      instruction.options.numbers;  // row, column, rows, columns
  std::int64_t first = first_partition(read);
  const bool outside =
      tile.size() == 4 && (first < tile[0] || first + read.shape()[0] > tile[0] + tile[2]);
  if (outside && read.shape()[0] <= tile[2]) first = tile[0];
  for (const char* role : {"stationary", "moving"}) {
    const View view = instruction.at(role);
    if (is_readable(view) && first_partition(view) == first && !is_fp8(view)) continue;
    const ElementType* type = is_fp8(view) ? element_type("bfloat16") : view.type();
    const View made = temporary(view, type, first, instruction.site);
    copy(made, view, instruction.site);
    instruction.replace(role, made);
  }
  out_.push_back(std::move(instruction));
}

void Legalizer::transpose(Instruction instruction) {
  const View data = instruction.at("data");
  if (instruction.at("dst").type()->bytes() != data.type()->bytes()) {
    return product_with_identity(instruction);
  }
  if (instruction.options.engine == Engine::kTensor && !is_readable(data)) {
    const View made = temporary(data, data.type(), 0, instruction.site);
    copy(made, data, instruction.site);
    instruction.replace("data", made);
  }
  Copies results;
  if (instruction.options.engine == Engine::kVector) results = take_out_of_psum(&instruction);
  const Site* site = instruction.site;
  out_.push_back(std::move(instruction));
  into_psum(results, site);
}

void Legalizer::product_with_identity(const Instruction& transpose) {
  static const Signature& signature = *find_signature("nc_matmul");
  const View data = transpose.at("data");
  const std::int64_t first = first_partition(data), count = data.shape()[0];
  const View whole = identity(data.type(), transpose.site);
  Instruction product;
  product.signature = &signature;
  product.operands = {{&signature.operands[0], transpose.at("dst")},
                      {&signature.operands[1], data},
                      {&signature.operands[2],
                       whole.slice(0, first, first + count).slice(1, first, first + count)}};
  product.options.engine = Engine::kTensor;
  product.options.accumulate = false;
  product.site = transpose.site;
  matmul(std::move(product));
}

View Legalizer::identity(const ElementType* type, const Site* site) {
  const auto found = identities_.find(type);
  if (found != identities_.end()) return found->second;
  constexpr std::int64_t kSize = kernels::kPartitions;
  View made(
      kernel_.add_on_chip("identity", Memory::kSbuf, type, {kSize, kSize}, std::nullopt, site));
  const View ones(
      kernel_.add_on_chip("ones", Memory::kSbuf, type, {kSize, kSize}, std::nullopt, site));
  static const Signature& memset = *find_signature("memset");
  static const Signature& select = *find_signature("affine_select");
  Instruction instruction;
  instruction.signature = &memset;
  instruction.operands = {{&memset.operands[0], ones}};
  instruction.options.value0 = 1;
  instruction.options.engine = Engine::kVector;
  instruction.site = site;
  // A loop around the first use may have no iteration: the others use it, too.
  std::vector<Instruction>& to = loop_ != 0 ? before_ : out_;
  to.push_back(instruction);
  // Kept where partition - column is 0.
  instruction.signature = &select;
  instruction.operands = {{&select.operands[0], made}, {&select.operands[1], ones}};
  instruction.options.value0 = 0;
  instruction.options.op0 = Alu::kIsEq;
  instruction.options.numbers = {0, 1, -1, kSize};
  instruction.options.engine = Engine::kGpsimd;
  to.push_back(std::move(instruction));
  identities_.emplace(type, made);
  return made;
}

}  // namespace tern::nki
