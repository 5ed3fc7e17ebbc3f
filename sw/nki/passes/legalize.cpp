// SPDX-License-Identifier: Apache-2.0
// What the instructions of the chip do not take is copied or converted first: a visible instruction
// with the place of the one that needs it.
#include <algorithm>
#include <map>
#include <string_view>

#include "sw/kernels/builder/memory/limits.h"
#include "sw/nki/passes/passes.h"
#include "sw/nki/trace/chip_pattern.h"
#include "sw/nki/trace/nki_error.h"
#include "sw/spec/generated/dma.h"

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

// Contiguous, at most one dimension, from a multiple of eight bytes on: what the array loads.
bool is_plain(const View& view) {
  const ChipPattern pattern = chip_pattern(view, "operand");
  const auto dims = merged(pattern.dims);
  const std::int64_t base = view.storage().address ? view.storage().address->byte : 0;
  return dims.size() == 1 && (dims[0].step == 1 || dims[0].count == 1) &&
         (base + pattern.start * view.type()->bytes()) % kernels::kStationaryAlignment == 0;
}

bool dma_computes_with(const View& view) {
  constexpr std::int64_t kRow = TERN_DMA_BEAT_BYTES;
  const Storage& storage = view.storage();
  const std::int64_t size = view.type()->bytes();
  if (storage.on_chip()) {
    const ChipPattern pattern = chip_pattern(view, "operand");
    const auto dims = merged(pattern.dims);
    const std::int64_t base = storage.address ? storage.address->byte : 0;
    return dims.size() == 1 && dims[0].step == 1 && (base + pattern.start * size) % kRow == 0;
  }
  std::int64_t next = 1;
  for (std::size_t d = view.dimensions(); d-- > 1;) {
    if (view.shape()[d] != 1 && view.strides()[d] != next) return false;
    next *= view.shape()[d];
  }
  return view.offset() * size % kRow == 0 &&
         (view.shape().front() == 1 || view.strides().front() * size % kRow == 0);
}

class Legalizer {
 public:
  explicit Legalizer(Kernel& kernel) : kernel_(kernel) {}

  void run() {
    std::vector<Instruction> all = std::move(kernel_.instructions);
    for (Instruction& instruction : all) visit(std::move(instruction));
    kernel_.instructions = std::move(out_);
  }

 private:
  void visit(Instruction instruction) {
    const std::string_view name = instruction.signature->name;
    if (name == "nc_matmul") return matmul(std::move(instruction));
    if (name == "nc_transpose") return transpose(std::move(instruction));
    if (name == "dma_copy") return transfer(std::move(instruction));
    if (name == "dma_transpose") return planes(instruction);
    if (name == "dma_compute") return sum_of_transfers(std::move(instruction));
    for (Instruction& part : by_banks(std::move(instruction))) columns(std::move(part));
  }

  // Vector and Scalar stay in one PSUM bank: an element-wise instruction over several becomes one
  // for each.
  static std::vector<Instruction> by_banks(Instruction instruction) {
    std::vector<Instruction> parts;
    if (instruction.signature->dependence != Dependence::kNone) return {std::move(instruction)};
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

  // Free elements [begin, end), which must be whole steps of some dimension.
  static View elements_of(const View& view, std::int64_t begin, std::int64_t end) {
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

  // A new tensor in SBUF of this shape, from partition `first` on.
  View temporary(const View& like, const ElementType* type, std::int64_t first, const Site* site) {
    std::vector<std::int64_t> shape = like.shape();
    shape[0] += first;
    View whole(kernel_.add_on_chip(like.storage().name + ".copy", Memory::kSbuf, type,
                                   std::move(shape), std::nullopt, site));
    return first == 0 ? whole : whole.slice(0, first, whole.shape()[0]);
  }

  void copy(const View& dst, const View& src, const Site* site) {
    static const Signature& signature = *find_signature("tensor_copy");
    Instruction instruction;
    instruction.signature = &signature;
    instruction.operands = {{&signature.operands[0], dst}, {&signature.operands[1], src}};
    instruction.options.engine = Engine::kVector;
    instruction.site = site;
    out_.push_back(std::move(instruction));
  }

  void move(const View& dst, const View& src, const Site* site) {
    static const Signature& signature = *find_signature("dma_copy");
    Instruction instruction;
    instruction.signature = &signature;
    instruction.operands = {{&signature.operands[0], dst}, {&signature.operands[1], src}};
    instruction.site = site;
    out_.push_back(std::move(instruction));
  }

  // Both operands begin on one partition; FP8, which the array takes as two planes only, becomes
  // BF16 with the same values.
  void matmul(Instruction instruction) {
    if (instruction.options.double_row) return out_.push_back(std::move(instruction));
    const std::int64_t first = first_partition(instruction.at("moving"));
    for (const char* role : {"stationary", "moving"}) {
      const View view = instruction.at(role);
      const bool stationary = std::string_view(role) == "stationary";
      const bool good = stationary ? is_plain(view) && first_partition(view) == first
                                   : merged(chip_pattern(view, role).dims).size() <= 2;
      if (good && !is_fp8(view)) continue;
      const ElementType* type = is_fp8(view) ? element_type("bfloat16") : view.type();
      const View made = temporary(view, type, first, instruction.site);
      copy(made, view, instruction.site);
      instruction.replace(role, made);
    }
    out_.push_back(std::move(instruction));
  }

  void transpose(Instruction instruction) {
    const View data = instruction.at("data");
    if (instruction.at("dst").type()->bytes() != data.type()->bytes()) {
      return product_with_identity(instruction);
    }
    if (instruction.options.engine == Engine::kTensor && !is_plain(data)) {
      const View made = temporary(data, data.type(), 0, instruction.site);
      copy(made, data, instruction.site);
      instruction.replace("data", made);
    }
    out_.push_back(std::move(instruction));
  }

  // A transpose keeps the type; into FP32 it is a product with the identity, which is as exact.
  void product_with_identity(const Instruction& transpose) {
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

  // [128, 128] in SBUF, made at its first use.
  View identity(const ElementType* type, const Site* site) {
    const auto found = identities_.find(type);
    if (found != identities_.end()) return found->second;
    constexpr std::int64_t kSize = kernels::kPartitions;
    const View made(
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
    out_.push_back(instruction);
    // Kept where partition - column is 0.
    instruction.signature = &select;
    instruction.operands = {{&select.operands[0], made}, {&select.operands[1], ones}};
    instruction.options.value0 = 0;
    instruction.options.op0 = Alu::kIsEq;
    instruction.options.numbers = {0, 1, -1, kSize};
    instruction.options.engine = Engine::kGpsimd;
    out_.push_back(std::move(instruction));
    identities_.emplace(type, made);
    return made;
  }

  // DMA engines convert between floats of 16 and 32 bits, rows at multiples of 64 bytes; the rest
  // is converted by Vector, in SBUF.
  void transfer(Instruction instruction) {
    const View dst = instruction.at("dst"), src = instruction.at("src");
    if (dst.elements() != src.elements()) {
      throw NkiError("dma_copy: dst" + nki::shape_text(dst.shape()) + " and src" +
                         nki::shape_text(src.shape()) + " have different numbers of elements",
                     instruction.site);
    }
    if (instruction.operands.size() > 2) return out_.push_back(std::move(instruction));
    if (dst.type()->dtype == src.type()->dtype) return out_.push_back(std::move(instruction));
    if (!dst.storage().on_chip() && !src.storage().on_chip()) {
      throw NkiError("dma_copy: from " + std::string(src.type()->name) + " to " +
                         std::string(dst.type()->name) + " within hbm is not supported",
                     instruction.site, NkiError::Kind::kNotSupported);
    }
    if (dst.storage().on_chip()) {
      const View made = temporary(dst, src.type(), 0, instruction.site);
      move(made, src, instruction.site);
      return copy(dst, made, instruction.site);
    }
    const View made = temporary(src, dst.type(), 0, instruction.site);
    copy(made, src, instruction.site);
    move(dst, made, instruction.site);
  }

  // A DMA transpose of more dimensions exchanges the first and the last: one of two dimensions for
  // each position in those between.
  void planes(const Instruction& instruction) {
    const View &dst = instruction.at("dst"), &src = instruction.at("src");
    if (src.dimensions() == 2) return plane(instruction);
    for (std::int64_t i = 0; i < src.shape()[1]; ++i) {
      Instruction part = instruction;
      part.replace("dst", dst.select(1, i));
      part.replace("src", src.select(1, i));
      planes(part);
    }
  }

  // Blocks are transposed in transit from rows at multiples of 64 bytes; others would go element by
  // element.
  void plane(Instruction instruction) {
    const View src = instruction.at("src");
    const std::int64_t size = src.type()->bytes(), side = TERN_DMA_BEAT_BYTES / size;
    const bool blocks = (size == 2 || size == 4) && src.shape()[0] % side == 0 &&
                        src.shape()[1] % side == 0 && src.shape()[0] <= kernels::kPartitions;
    if (blocks && !dma_computes_with(src)) {
      const View made = temporary(src, src.type(), 0, instruction.site);
      move(made, src, instruction.site);
      instruction.replace("src", made);
    }
    out_.push_back(std::move(instruction));
  }

  // Sums take rows at multiples of 64 bytes: others are copied first or afterwards.
  void sum_of_transfers(Instruction instruction) {
    const bool indexed =
        instruction.find("dst_index") != nullptr || instruction.find("src_index") != nullptr;
    if (indexed) return out_.push_back(std::move(instruction));
    const View dst = instruction.at("dst");
    const Site* site = instruction.site;
    View result = dst;
    for (Operand& operand : instruction.operands) {
      if (dma_computes_with(operand.view)) continue;
      const View view = operand.view;
      operand.view = temporary(view, view.type(), 0, site);
      if (operand.rule->reads()) {
        move(operand.view, view, site);
      } else {
        result = operand.view;
      }
    }
    out_.push_back(std::move(instruction));
    if (result.storage_ptr() != dst.storage_ptr()) move(dst, result, site);
  }

  // Per-partition columns are FP32 on the chip.
  void columns(Instruction instruction) {
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

  Kernel& kernel_;
  std::map<const ElementType*, View> identities_;
  std::vector<Instruction> out_;
};

}  // namespace

void legalize(Kernel& kernel, const CompileOptions& /*options*/) {
  Legalizer(kernel).run();
}

}  // namespace tern::nki
