// SPDX-License-Identifier: Apache-2.0
#include "sw/train/stage_links.h"

#include <fmt/format.h>

#include <algorithm>

#include "sw/kernels/builder/kernel_builder.h"

namespace tern::train {

StageLinks::StageLinks(Layers& layers, const Share& share, const std::string& name,
                       unsigned micro_batches, std::uint32_t tokens, std::uint32_t width)
    : l_(layers), share_(share), tokens_(tokens), width_(width), buffers_(2) {
  if (share.pipeline == 1) return;
  kernels::KernelBuilder& kb = l_.builder();
  for (unsigned way = 0; way < buffers_.size(); ++way) {
    const auto buffer = [&](const char* what, unsigned micro_batch) {
      kernels::Tensor tensor =
          kb.scratch(fmt::format("{}.{}{}.{}", name, way == 0 ? "" : "back.", what, micro_batch),
                     DType::kFp32, {tokens, width});
      kb.already_written(tensor);  // by another rank, or nothing reads it
      return tensor;
    };
    for (unsigned m = 0; m < micro_batches; ++m)
      buffers_[way].push_back({buffer("sent", m), buffer("received", m)});
  }
  if (share.exchange == Share::Exchange::kNone) return;
  for (unsigned boundary = 0; boundary + 1 < share.pipeline; ++boundary) {
    for (const Way way : {Way::kForward, Way::kBack})
      kb.reserve_flags(*share.handover, pairs(way, boundary));
  }
}

// The rank that sends is the first one.
std::vector<std::vector<unsigned>> StageLinks::pairs(Way way, unsigned boundary) const {
  auto pairs = share_.between_stages(boundary);
  if (way == Way::kBack) {
    for (auto& pair : pairs) std::reverse(pair.begin(), pair.end());
  }
  return pairs;
}

void StageLinks::hand_over(Way way, unsigned boundary, unsigned micro_batch) {
  if (share_.exchange == Share::Exchange::kNone) return;
  const std::uint32_t first = first_row();
  const std::uint32_t rows = share_.exchange == Share::Exchange::kAll ? tokens_ : 1;
  const Buffers& of = buffers(way, micro_batch);
  kernels::CollectiveOperands operands;
  operands.input = of.sent.rows_on_partitions(first, 1, rows);
  operands.output = of.received.rows_on_partitions(first, 1, rows);
  l_.builder().collective(*share_.handover, operands, {0, pairs(way, boundary)});
}

void StageLinks::send(Way way, unsigned micro_batch, const Matrix& matrix) {
  const kernels::Tensor& to = buffers(way, micro_batch).sent;
  if (share_.exchange == Share::Exchange::kAll) l_.store(to, matrix);
  if (share_.exchange == Share::Exchange::kHandshakes)
    l_.store(to, matrix.part_rows(first_row(), 1), first_row());
  hand_over(way, way == Way::kForward ? share_.stage() : share_.stage() - 1, micro_batch);
}

Matrix StageLinks::receive(Way way, unsigned micro_batch) {
  hand_over(way, way == Way::kForward ? share_.stage() - 1 : share_.stage(), micro_batch);
  const kernels::Tensor& from = buffers(way, micro_batch).received;
  if (share_.exchange == Share::Exchange::kAll) return l_.load(from);
  Matrix matrix = l_.make(tokens_, width_, DType::kFp32);
  for (const auto& piece : matrix.pieces()) l_.builder().already_written(piece);
  if (share_.exchange == Share::Exchange::kHandshakes)
    l_.load(matrix.part_rows(0, 1), from, first_row(), 0);
  return matrix;
}

}  // namespace tern::train
