// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/builder/loops/loop_fold.h"

#include <algorithm>
#include <cstring>

namespace tern::kernels {

namespace {

constexpr std::uint32_t kByteMask = 0xFFFFFF;  // of an address: the byte inside its partition

// The addresses that registers can move.
std::array<std::uint32_t*, 3> addresses(tern_instruction_t& in) {
  switch (in.header.opcode) {
    case TERN_OPCODE_LOAD_STATIONARY:
      return {nullptr, &in.load_stationary.src.addr, nullptr};
    case TERN_OPCODE_MULTIPLY_MOVING:
      return {&in.multiply_moving.dst.addr, &in.multiply_moving.src.addr, nullptr};
    case TERN_OPCODE_TRANSPOSE:
      return {&in.transpose.dst.addr, &in.transpose.src.addr, nullptr};
    case TERN_OPCODE_STREAM_SHUFFLE:
      return {&in.shuffle.dst, &in.shuffle.src, nullptr};
    case TERN_OPCODE_IOTA:
    case TERN_OPCODE_AFFINE_SELECT:
      return {&in.affine.dst.addr, &in.affine.src.addr, nullptr};
    case TERN_OPCODE_DMA_TRIGGER:
    case TERN_OPCODE_DMA_COPY:  // see copy_distances
    case TERN_OPCODE_CUSTOM_OP:
      return {};
    default:
      return {&in.elementwise.dst.addr, &in.elementwise.src0.addr, &in.elementwise.src1.addr};
  }
}

// Distances of the addresses of two instructions that are otherwise the same.
std::optional<AddressSteps> distances(tern_instruction_t from, tern_instruction_t to) {
  AddressSteps steps{};
  const auto first = addresses(from), second = addresses(to);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (first[i] == nullptr) continue;
    if ((*first[i] & ~kByteMask) != (*second[i] & ~kByteMask)) return std::nullopt;
    steps[i] = static_cast<std::int32_t>(*second[i]) - static_cast<std::int32_t>(*first[i]);
    *second[i] = *first[i];
  }
  if (std::memcmp(from.bytes, to.bytes, sizeof from.bytes) != 0) return std::nullopt;
  return steps;
}

// Distances of the addresses of two transfers; none if they are not in the same memories.
std::optional<AddressSteps> copy_distances(const LoopStep& a, const LoopStep& b) {
  const auto copy_of = [](const LoopStep& step) {
    return step.transfer ? step.transfer->copy : std::nullopt;
  };
  const auto from = copy_of(a), to = copy_of(b);
  if (from.has_value() != to.has_value()) return std::nullopt;
  if (!from) return AddressSteps{};
  const auto together = [](const DmaAddress& x, const DmaAddress& y) {
    return x.space == y.space && x.tensor == y.tensor;
  };
  if (!together(from->destination, to->destination) || !together(from->source, to->source)) {
    return std::nullopt;
  }
  const auto distance = [](const DmaAddress& x, const DmaAddress& y) {
    return static_cast<std::int32_t>(static_cast<std::int64_t>(y.offset - x.offset));
  };
  return AddressSteps{distance(from->destination, to->destination),
                      distance(from->source, to->source), 0};
}

bool same_line(const LoopStep& a, const LoopStep& b) {
  return a.where.line == b.where.line && std::strcmp(a.where.file, b.where.file) == 0;
}

// Whether `iteration`, number `t`, is the first one with addresses moved by t * steps; without
// `steps` (t = 1), they are measured.
bool follows(const LoopIteration& first, const LoopIteration& iteration, unsigned t,
             std::vector<AddressSteps>* steps, std::string* reason) {
  for (std::size_t i = 0; i < first.size() && i < iteration.size(); ++i) {
    const LoopStep &a = first[i], &b = iteration[i];
    const bool same = a.queue == b.queue && same_line(a, b) &&
                      std::memcmp(&a.extension, &b.extension, sizeof a.extension) == 0;
    auto distance = distances(a.instruction, b.instruction);
    if (a.transfer || b.transfer) {
      distance = distance ? copy_distances(a, b) : std::nullopt;
    }
    bool regular = same && distance.has_value();
    if (regular && t == 1) steps->push_back(*distance);
    for (std::size_t d = 0; regular && d < distance->size(); ++d) {
      regular = (*distance)[d] == static_cast<std::int32_t>(t) * (*steps)[i][d];
    }
    if (regular) continue;
    *reason = b.where.text() + ": " + b.name +
              ": not the same in every iteration except for addresses " +
              "(not of columns and scales) that move by equal steps";
    return false;
  }
  if (first.size() == iteration.size()) return true;
  const LoopIteration& longer = first.size() > iteration.size() ? first : iteration;
  const LoopStep& extra = longer[std::min(first.size(), iteration.size())];
  *reason = extra.where.text() + ": " + extra.name + ": not in every iteration";
  return false;
}

}  // namespace

std::optional<FoldedLoop> fold_loop(const std::vector<LoopIteration>& iterations,
                                    std::string* reason) {
  for (unsigned together = 1;
       together <= kMaxIterationsPerBody && 2 * together <= iterations.size(); ++together) {
    if (iterations.size() % together != 0) continue;
    FoldedLoop loop;
    for (std::size_t t = 0; t < iterations.size(); ++t) {
      if (t % together == 0) loop.iterations.emplace_back();
      LoopIteration& body = loop.iterations.back();
      body.insert(body.end(), iterations[t].begin(), iterations[t].end());
    }
    bool regular = true;
    std::string why;
    for (unsigned t = 1; t < loop.iterations.size() && regular; ++t) {
      regular = follows(loop.iterations[0], loop.iterations[t], t, &loop.steps, &why);
    }
    if (regular) return loop;
    if (reason->empty()) *reason = why;
  }
  return std::nullopt;
}

}  // namespace tern::kernels
