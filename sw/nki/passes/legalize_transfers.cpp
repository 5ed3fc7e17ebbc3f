// SPDX-License-Identifier: Apache-2.0
// What DMA engines do not convert, add or transpose where it is.
#include <algorithm>

#include "sw/kernels/builder/memory/limits.h"
#include "sw/nki/passes/legalizer.h"
#include "sw/nki/trace/chip_pattern.h"
#include "sw/nki/trace/nki_error.h"
#include "sw/spec/generated/dma.h"

namespace tern::nki {

namespace {

constexpr std::int64_t kWidest = 4;  // bytes of an element

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

}  // namespace

void Legalizer::transfer(Instruction instruction) {
  const View dst = instruction.at("dst"), src = instruction.at("src");
  if (dst.elements() != src.elements()) {
    throw NkiError("dma_copy: dst" + nki::shape_text(dst.shape()) + " and src" +
                       nki::shape_text(src.shape()) + " have different numbers of elements",
                   instruction.site);
  }
  if (instruction.find("dst_index") != nullptr || instruction.find("src_index") != nullptr) {
    return out_.push_back(std::move(instruction));
  }
  if (dst.type()->dtype == src.type()->dtype) return out_.push_back(std::move(instruction));
  if (src.type()->dtype == DType::kTf32) {  // values of FP32
    instruction.replace("src", src.reinterpret(element_type("float32")));
    return transfer(std::move(instruction));
  }
  if (!dst.type()->computes() || !src.type()->computes()) {
    throw NkiError("dma_copy: from " + std::string(src.type()->name) + " to " +
                       std::string(dst.type()->name) + " is not supported",
                   instruction.site, NkiError::Kind::kNotSupported);
  }
  const auto computes = [](DType dtype) {
    return dtype == DType::kFp32 || dtype == DType::kBf16 || dtype == DType::kFp16;
  };
  const bool by_host = instruction.loop == 0 && !instruction.moves();
  if (by_host && computes(dst.type()->dtype) && computes(src.type()->dtype) &&
      dma_computes_with(dst) && dma_computes_with(src) &&
      dst.shape().front() == src.shape().front()) {
    return out_.push_back(std::move(instruction));
  }
  if (instruction.options.skip_out_of_bounds && instruction.moves()) {
    throw NkiError("dma_copy: from " + std::string(src.type()->name) + " to " +
                       std::string(dst.type()->name) + " with oob_mode.skip is not supported",
                   instruction.site, NkiError::Kind::kNotSupported);
  }
  if (!dst.storage().on_chip() && !src.storage().on_chip()) {
    if (dst.shape() == src.shape()) return through_sbuf(dst, src, instruction.site);
    if (src.is_contiguous()) return through_sbuf(dst, src.reshape(dst.shape()), instruction.site);
    return through_sbuf(dst.reshape(src.shape()), src, instruction.site);
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

void Legalizer::through_sbuf(const View& dst, const View& src, const Site* site) {
  constexpr std::int64_t kMostBytes = 8192;  // of a partition
  const auto rows = static_cast<std::int64_t>(kernels::kPartitions);
  const std::int64_t elements = src.elements(), first = src.shape().front();
  const auto by_pieces = [&](std::int64_t dimension, std::int64_t step) {
    const std::int64_t count = src.shape()[static_cast<std::size_t>(dimension)];
    for (std::int64_t begin = 0; begin < count; begin += step) {
      const std::int64_t end = std::min(begin + step, count);
      through_sbuf(dst.slice(dimension, begin, end), src.slice(dimension, begin, end), site);
    }
  };
  if (first == 1 && src.dimensions() > 1) return through_sbuf(dst.squeeze(0), src.squeeze(0), site);
  if (src.dimensions() == 1) {
    std::int64_t parts = std::min(elements, rows);
    while (elements % parts != 0) --parts;
    const std::vector<std::int64_t> shape = {parts, elements / parts};
    if (parts > 1) return through_sbuf(dst.reshape(shape), src.reshape(shape), site);
    if (elements * kWidest > kMostBytes) return by_pieces(0, rows);
    return through_sbuf(dst.expand(1), src.expand(1), site);
  }
  if (first > rows) return by_pieces(0, rows);
  if (elements / first * kWidest > kMostBytes) {
    std::int64_t d = 1;
    while (src.shape()[static_cast<std::size_t>(d)] == 1) ++d;
    return by_pieces(d, (src.shape()[static_cast<std::size_t>(d)] + 1) / 2);
  }
  const View read = temporary(src, src.type(), 0, site), made = temporary(dst, dst.type(), 0, site);
  move(read, src, site);
  copy(made, read, site);
  move(dst, made, site);
}

void Legalizer::transposes(Instruction instruction) {
  const View src = instruction.at("src");
  const std::int64_t size = src.type()->bytes(), side = TERN_DMA_BEAT_BYTES / size;
  const bool blocks = (size == 2 || size == 4) && src.shape().front() % side == 0 &&
                      src.shape().back() % side == 0 && src.shape().front() <= kernels::kPartitions;
  if (blocks && !rows_are_aligned(src)) {
    const View made = temporary(src, src.type(), 0, instruction.site);
    if (src.storage().on_chip()) {
      copy(made, src, instruction.site, Engine::kGpsimd);
    } else {
      move(made, src, instruction.site);
    }
    instruction.replace("src", made);
  }
  planes(instruction);
}

bool Legalizer::rows_are_aligned(const View& view) {
  View plane = view;
  while (plane.dimensions() > 2) {
    if (plane.shape()[1] > 1 && plane.strides()[1] * view.type()->bytes() % TERN_DMA_BEAT_BYTES) {
      return false;
    }
    plane = plane.select(1, 0);
  }
  return dma_computes_with(plane);
}

void Legalizer::planes(const Instruction& instruction) {
  const View &dst = instruction.at("dst"), &src = instruction.at("src");
  if (src.dimensions() == 2) return out_.push_back(instruction);
  for (std::int64_t i = 0; i < src.shape()[1]; ++i) {
    Instruction part = instruction;
    part.replace("dst", dst.select(1, i));
    part.replace("src", src.select(1, i));
    planes(part);
  }
}

void Legalizer::sum_of_transfers(Instruction instruction) {
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

}  // namespace tern::nki
