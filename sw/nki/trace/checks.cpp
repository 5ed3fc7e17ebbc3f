// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/trace/checks.h"

#include <algorithm>
#include <string_view>

#include "sw/kernels/builder/memory/limits.h"
#include "sw/nki/trace/chip_pattern.h"
#include "sw/nki/trace/nki_error.h"
#include "sw/spec/access_pattern.h"

namespace tern::nki {

namespace {

constexpr std::size_t kMostDimensions = 5;  // of a pattern, partitions included

bool is_in(const View& view, unsigned memories) {
  return (memories & (1u << static_cast<unsigned>(view.storage().memory))) != 0;
}

std::string memories_text(unsigned memories) {
  std::string text;
  for (const Memory memory : {Memory::kSbuf, Memory::kPsum, Memory::kHbm}) {
    if ((memories & (1u << static_cast<unsigned>(memory))) == 0) continue;
    text += (text.empty() ? "'" : "' or '") + memory_name(memory);
  }
  return text + "'";
}

void check_memory(const Signature& signature, const Operand& operand) {
  if (is_in(operand.view, operand.rule->memories)) return;
  throw NkiError("Expected operand '" + std::string(operand.rule->role) + "' of '" +
                 signature.name + "' to be in address space " +
                 memories_text(operand.rule->memories) + ", but got a tile in '" +
                 memory_name(operand.view.storage().memory) + "' instead.");
}

// Position of an on-chip operand: the storage's own first partition is known only by hand.
void check_partitions(const Signature& signature, const Operand& operand) {
  const std::string what = std::string(signature.name) + " " + operand.rule->role;
  const ChipPattern pattern = chip_pattern(operand.view, what);
  const auto limit = static_cast<std::int64_t>(kernels::kPartitions);
  if (pattern.partitions > limit) {
    throw NkiError(what + " partition dimension " + std::to_string(pattern.partitions) +
                   " exceeds maximum " + std::to_string(limit));
  }
  std::int64_t first = pattern.partition;
  if (operand.view.storage().address) first += operand.view.storage().address->partition;
  if (pattern.repeats > 1 && signature.engines != kOnDma) {
    throw NkiError(what + " `" + operand.view.text() + "`: an engine reads each partition once");
  }
  // DMA engines take any partitions.
  if (signature.engines == kOnDma || operand.rule->fit == Fit::kScales ||
      start_partition_allowed(static_cast<unsigned>(first),
                              static_cast<unsigned>(pattern.partitions))) {
    return;
  }
  throw NkiError(what + " `" + operand.view.text() + "` cannot start on partition " +
                 std::to_string(first) +
                 ": more than 64 partitions start on 0, 33 to 64 on 0 or "
                 "64, up to 32 on 0, 32, 64 or 96");
}

std::string pair_text(const Operand& a, const Operand& b, const Signature& signature) {
  return "in parameters (" + std::string(a.rule->role) + nki::shape_text(a.view.shape()) + ", " +
         b.rule->role + nki::shape_text(b.view.shape()) + ") of '" + signature.name + "'";
}

void check_fit(const Signature& signature, const Operand& first, const Operand& operand) {
  const Fit fit = operand.rule->fit;
  if (fit == Fit::kFree || fit == Fit::kScales || first.rule->fit == Fit::kFree) return;
  if (operand.view.shape()[0] != first.view.shape()[0]) {
    throw NkiError("number of partitions (dimension 0 size of a tile) mismatch " +
                   pair_text(first, operand, signature));
  }
  const std::int64_t per_partition = operand.view.elements() / operand.view.shape()[0];
  if (operand.rule->fit == Fit::kElements && operand.view.elements() != first.view.elements()) {
    throw NkiError("number of elements per partition mismatch " +
                   pair_text(first, operand, signature));
  }
  if (operand.rule->fit == Fit::kColumn && per_partition != 1) {
    throw NkiError("parameter '" + std::string(operand.rule->role) +
                   nki::shape_text(operand.view.shape()) + "' of '" + signature.name +
                   "' must have one element per partition");
  }
}

unsigned engine_bit(Engine engine) {
  switch (engine) {
    case Engine::kTensor:
      return kOnTensor;
    case Engine::kVector:
      return kOnVector;
    case Engine::kScalar:
      return kOnScalar;
    case Engine::kGpsimd:
      return kOnGpsimd;
  }
  return 0;
}

void check_engine(const Instruction& instruction) {
  const Signature& signature = *instruction.signature;
  if (!instruction.options.engine || signature.engines == kOnDma) return;
  static constexpr const char* kNames[] = {"tensor", "vector", "scalar", "gpsimd"};
  const Engine engine = *instruction.options.engine;
  const std::string name = kNames[static_cast<unsigned>(engine)];
  if ((signature.engines & engine_bit(engine)) == 0) {
    throw NkiError(std::string(signature.name) + " is not supported on the " + name + " engine");
  }
  if (engine != Engine::kGpsimd) return;
  for (const Operand& operand : instruction.operands) {
    if (operand.view.storage().memory != Memory::kPsum) continue;
    throw NkiError(std::string(signature.name) + ": the gpsimd engine does not access PSUM, '" +
                   operand.rule->role + "' is a tile in 'psum'");
  }
}

}  // namespace

void check_shape(const Storage& storage) {
  constexpr std::int64_t kMostElements = std::int64_t{1} << 48;  // more than any memory has
  constexpr std::size_t kMost = 8;                               // that a program's file has
  const std::string what = "tensor `" + storage.name + "`: ";
  if (storage.shape.empty()) throw NkiError(what + "expected at least one dimension");
  if (storage.shape.size() > kMost) {
    throw NkiError(what + std::to_string(storage.shape.size()) + " dimensions, expected at most " +
                   std::to_string(kMost));
  }
  std::int64_t left = kMostElements;
  for (const std::int64_t size : storage.shape) {
    if (size < 1) {
      throw NkiError(what + "expected sizes of at least 1, got " + shape_text(storage.shape));
    }
    left /= size;
    if (left == 0) throw NkiError(what + shape_text(storage.shape) + " has too many elements");
  }
}

void check_hbm(const Storage& storage, std::int64_t before, const ChipConfig& chip) {
  const auto limit = static_cast<std::int64_t>(chip.hbm.stack_bytes * chip.hbm.stacks);
  const std::int64_t bytes = storage.bytes();
  if (bytes <= limit - before) return;
  throw NkiError("tensor `" + storage.name + "`: " + std::to_string(bytes) + " bytes" +
                 (bytes > limit
                      ? ""
                      : ", " + std::to_string(before + bytes) + " with the tensors before it,") +
                 " exceed the " + std::to_string(limit) + " bytes of HBM on " + chip.name);
}

void check_place(const Storage& storage, const ChipConfig& chip) {
  const auto limit = static_cast<std::int64_t>(kernels::kPartitions);
  const std::string what = "tensor `" + storage.name + "`: ";
  const std::int64_t first = storage.address ? storage.address->partition : 0;
  if (storage.partitions() > limit) {
    throw NkiError(what + "number of partitions " + std::to_string(storage.partitions()) +
                   " exceed architecture limitation of " + std::to_string(limit) + ".");
  }
  if (first + storage.partitions() > limit) {
    throw NkiError(what + "partitions " + std::to_string(first) + " to " +
                   std::to_string(first + storage.partitions() - 1) +
                   " exceed architecture limitation of " + std::to_string(limit) + ".");
  }
  const bool sbuf = storage.memory == Memory::kSbuf;
  const std::int64_t bytes = sbuf ? static_cast<std::int64_t>(chip.core.sbuf_partition_bytes)
                                  : std::int64_t{kernels::kPsumPartitionBytes};
  const std::int64_t start = storage.address ? storage.address->byte : 0;
  if (start + storage.partition_bytes() > bytes) {
    throw NkiError(what + std::to_string(storage.partition_bytes()) +
                   " bytes per partition from byte " + std::to_string(start) + " on exceed the " +
                   std::to_string(bytes) + " bytes of " + memory_name(storage.memory) + " on " +
                   chip.name);
  }
}

void check_operands(const Instruction& instruction, const ChipConfig& chip) {
  const Signature& signature = *instruction.signature;
  std::int64_t in_psum = 0;
  for (const Operand& operand : instruction.operands) {
    const View& view = operand.view;
    check_memory(signature, operand);
    if (operand.rule->writes() && view.storage().role == Role::kConstant) {
      throw NkiError("Cannot update immutable parameter `" + view.storage().name + "`");
    }
    if (operand.rule->reads() && view.storage().memory == Memory::kPsum) in_psum += 1;
    if (view.storage().on_chip()) {
      check_partitions(signature, operand);
      const std::size_t dimensions = merged(chip_pattern(view, operand.rule->role).dims).size() + 1;
      if (dimensions > kMostDimensions && signature.engines != kOnDma) {
        throw NkiError("parameter '" + std::string(operand.rule->role) +
                       nki::shape_text(view.shape()) + "' of '" + signature.name +
                       "' exceed max supported number of dimensions of " +
                       std::to_string(kMostDimensions) + ".");
      }
    }
    check_fit(signature, instruction.operands.front(), operand);
  }
  if (signature.most_in_psum > 0 && in_psum > signature.most_in_psum) {
    throw NkiError(std::string(signature.name) + ": at most one of its inputs may be in PSUM");
  }
  check_engine(instruction);
  const std::string_view name = signature.name;
  if (name == "nc_matmul") check_matmul(instruction, chip);
  if (name == "nc_transpose") check_transpose(instruction);
}

}  // namespace tern::nki
