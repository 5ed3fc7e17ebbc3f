// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/passes/legalizer.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "sw/kernels/builder/memory/limits.h"
#include "sw/nki/passes/passes.h"
#include "sw/nki/trace/chip_pattern.h"

namespace tern::nki {

void Legalizer::run() {
  std::vector<Instruction> all = std::move(kernel_.instructions);
  read_.resize(kernel_.storages.size());
  for (const Instruction& instruction : all) {
    for (const Operand& operand : instruction.operands) {
      if (operand.rule->reads()) read_[operand.view.storage().id] = true;
    }
  }
  for (Instruction& instruction : all) {
    const std::size_t first = out_.size();
    const unsigned loop = instruction.loop;
    const std::uint32_t call = instruction.call;
    const unsigned iteration = instruction.iteration;
    visit(std::move(instruction));
    for (std::size_t i = first; i < out_.size(); ++i) {
      out_[i].loop = loop;
      out_[i].call = call;
      out_[i].iteration = iteration;
    }
  }
  out_.insert(out_.begin(), std::make_move_iterator(before_.begin()),
              std::make_move_iterator(before_.end()));
  kernel_.instructions = std::move(out_);
}

namespace {

bool is_bool(const View& view) {
  return view.type() == element_type("bool");
}

bool makes_bool(Alu op) {
  switch (op) {
    case Alu::kIsEq:
    case Alu::kIsNe:
    case Alu::kIsGe:
    case Alu::kIsGt:
    case Alu::kIsLe:
    case Alu::kIsLt:
    case Alu::kLogicalAnd:
    case Alu::kLogicalOr:
    case Alu::kLogicalXor:
      return true;
    default:
      return false;
  }
}

// Whether it writes other numbers than 0 and 1 into a bool.
bool overfills_bool(const Instruction& instruction) {
  static constexpr std::string_view kComputing[] = {
      "tensor_copy",   "tensor_scalar", "tensor_tensor", "scalar_tensor_tensor",
      "tensor_reduce", "activation",    "reciprocal"};
  const std::string_view name = instruction.signature->name;
  if (std::find(std::begin(kComputing), std::end(kComputing), name) == std::end(kComputing) ||
      !is_bool(instruction.operands.front().view)) {
    return false;
  }
  const Options& options = instruction.options;
  if (makes_bool(options.op1 == Alu::kBypass ? options.op0 : options.op1)) return false;
  const bool keeps = name == "tensor_copy" || options.op0 == Alu::kMax ||
                     options.op0 == Alu::kMin || kernels::is_bitwise(options.op0);
  return !keeps || name == "tensor_scalar" ||
         !std::all_of(instruction.operands.begin(), instruction.operands.end(),
                      [](const Operand& operand) { return is_bool(operand.view); });
}

}  // namespace

void Legalizer::bool_results(Instruction instruction) {
  const View wanted = instruction.operands.front().view;
  const Site* site = instruction.site;
  if (std::string_view(instruction.signature->name) == "tensor_copy") {
    return copy(wanted, instruction.at("src"), site);
  }
  const bool bits = kernels::is_bitwise(instruction.options.op0);
  const View made = temporary(wanted, element_type(bits ? "uint8" : "float32"), 0, site);
  instruction.operands.front().view = made;
  repeated_results(std::move(instruction));
  copy(wanted, made, site);
}

void Legalizer::visit(Instruction instruction) {
  const std::string_view name = instruction.signature->name;
  loop_ = instruction.loop;
  if (instruction.is_control()) return out_.push_back(std::move(instruction));
  if (name == "nc_matmul") return matmul(std::move(instruction));
  if (name == "nc_transpose") return transpose(std::move(instruction));
  if (name == "dma_copy") return transfer(std::move(instruction));
  if (name == "dma_transpose") return transposes(std::move(instruction));
  if (name == "dma_compute") return sum_of_transfers(std::move(instruction));
  for (Instruction& part : by_banks(std::move(instruction))) {
    in_one_bank(std::move(part));
  }
}

void Legalizer::in_one_bank(Instruction instruction) {
  if (instruction.signature->engines == kOnTensor) return columns(std::move(instruction));
  const Site* site = instruction.site;
  const Copies results = take_out_of_psum(&instruction);
  repeated_results(std::move(instruction));
  into_psum(results, site);
}

void Legalizer::repeated_results(Instruction instruction) {
  if (overfills_bool(instruction)) return bool_results(std::move(instruction));
  Operand& first = instruction.operands.front();
  bool repeats = false;
  std::vector<Subscript> last(1);
  for (std::size_t d = 1; d < first.view.dimensions(); ++d) {
    const bool repeated = first.view.strides()[d] == 0 && first.view.shape()[d] > 1;
    repeats = repeats || repeated;
    last.emplace_back();
    if (repeated) last.back().start = first.view.shape()[d] - 1;
  }
  if (!repeats || first.rule->access != Access::kWrite || first.rule->fit != Fit::kElements) {
    return columns(std::move(instruction));
  }
  const View wanted = first.view;
  const View made = temporary(wanted, wanted.type(), 0, instruction.site);
  first.view = made;
  const Site* site = instruction.site;
  columns(std::move(instruction));
  if (read_[wanted.storage().id]) copy(wanted.subscript(last), made.subscript(last), site);
}

std::vector<Instruction> Legalizer::by_banks(Instruction instruction) {
  std::vector<Instruction> parts;
  if (instruction.signature->dependence != Dependence::kNone) return {std::move(instruction)};
  if (instruction.moves()) return {std::move(instruction)};
  std::int64_t per_bank = 0;
  for (const Operand& operand : instruction.operands) {
    const View& view = operand.view;
    if (operand.rule->fit != Fit::kElements && operand.rule->fit != Fit::kColumn) {
      return {std::move(instruction)};
    }
    if (view.storage().memory != Memory::kPsum) continue;
    const ChipPattern pattern = chip_pattern(view, operand.rule->role);
    const std::int64_t size = view.type()->bytes(), bank = kernels::kPsumBankBytes / size;
    const std::int64_t base = view.storage().address ? view.storage().address->byte / size : 0;
    if ((base + pattern.low()) / bank == (base + pattern.high()) / bank) continue;
    const auto dims = merged(pattern.dims);
    if (dims.size() != 1 || dims[0].step != 1 || (base + pattern.start) % bank != 0) {
      return {std::move(instruction)};
    }
    per_bank = per_bank == 0 ? bank : std::min(per_bank, bank);
  }
  if (per_bank == 0 || instruction.find("reduce_res") != nullptr) return {std::move(instruction)};
  const View& first = instruction.operands.front().view;
  const std::int64_t count = first.elements() / first.shape()[0];
  for (std::int64_t begin = 0; begin < count; begin += per_bank) {
    Instruction part = instruction;
    for (Operand& operand : part.operands) {
      if (operand.rule->fit != Fit::kElements) continue;
      operand.view = elements_of(operand.view, begin, std::min(begin + per_bank, count));
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

View Legalizer::elements_of(const View& view, std::int64_t begin, std::int64_t end) {
  std::int64_t inner = view.elements() / view.shape()[0];
  for (std::size_t d = 1; d < view.dimensions(); ++d) {
    inner /= view.shape()[d];
    if (view.shape()[d] == 1) continue;
    if (begin % inner == 0 && end % inner == 0) {
      return view.slice(static_cast<std::int64_t>(d), begin / inner, end / inner);
    }
    break;
  }
  return view.flat_free().slice(1, begin, end);
}

View Legalizer::temporary(const View& like, const ElementType* type, std::int64_t first,
                          const Site* site) {
  std::vector<std::int64_t> shape = like.shape();
  shape[0] += first;
  View whole(kernel_.add_on_chip(like.storage().name + ".copy", Memory::kSbuf, type,
                                 std::move(shape), std::nullopt, site));
  whole.storage_ptr()->loop = loop_;
  return first == 0 ? whole : whole.slice(0, first, whole.shape()[0]);
}

void Legalizer::copy(const View& dst, const View& src, const Site* site, Engine engine) {
  const bool compares = is_bool(dst) && !is_bool(src);
  const Signature& signature = *find_signature(compares ? "tensor_scalar" : "tensor_copy");
  Instruction instruction;
  instruction.signature = &signature;
  instruction.operands = {{&signature.operands[0], dst}, {&signature.operands[1], src}};
  instruction.options.engine = engine;
  if (compares) instruction.options.op0 = Alu::kIsNe;
  push(std::move(instruction), site);
}

void Legalizer::move(const View& dst, const View& src, const Site* site) {
  static const Signature& signature = *find_signature("dma_copy");
  Instruction instruction;
  instruction.signature = &signature;
  instruction.operands = {{&signature.operands[0], dst}, {&signature.operands[1], src}};
  push(std::move(instruction), site);
}

void Legalizer::push(Instruction instruction, const Site* site) {
  instruction.site = site;
  instruction.add_offsets();
  out_.push_back(std::move(instruction));
}

void Legalizer::columns(Instruction instruction) {
  std::vector<std::pair<View, View>> afterwards;
  for (Operand& operand : instruction.operands) {
    if (operand.rule->fit != Fit::kColumn || operand.view.type()->dtype == DType::kFp32) continue;
    const View view = operand.view;
    const View made = temporary(view, element_type("float32"), 0, instruction.site);
    if (operand.rule->reads()) copy(made, view, instruction.site);
    if (operand.rule->writes()) afterwards.emplace_back(view, made);
    operand.view = made;
  }
  const Site* site = instruction.site;
  out_.push_back(std::move(instruction));
  for (const auto& [view, made] : afterwards) copy(view, made, site);
}

void legalize(Kernel& kernel, const CompileOptions& /*options*/) {
  Legalizer(kernel).run();
}

}  // namespace tern::nki
