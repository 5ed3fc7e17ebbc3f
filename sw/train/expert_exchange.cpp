// SPDX-License-Identifier: Apache-2.0
#include "sw/train/expert_exchange.h"

#include <fmt/format.h>

#include "sw/kernels/builder/kernel_builder.h"

namespace tern::train {

ExpertExchange::Buffers ExpertExchange::buffers(std::uint64_t rows, std::uint64_t width,
                                                DType dtype) {
  kernels::KernelBuilder& kb = l_.builder();
  const auto buffer = [&](const char* what) {
    kernels::Tensor tensor =
        kb.scratch(fmt::format("{}.{}.{}", name_, what, buffers_), dtype, {rows, width});
    kb.already_written(tensor);  // by other ranks
    return tensor;
  };
  Buffers both;
  both.sent = buffer("slots");
  both.received = share_.expert == 1 ? both.sent : buffer("slots_of_all");
  ++buffers_;
  return both;
}

void ExpertExchange::exchange(const Buffers& of) {
  if (share_.expert == 1 || !share_.sums()) return;
  kernels::CollectiveOperands operands;
  operands.input = of.sent.rows_on_partitions(0, 1, of.sent.rows);
  operands.output = of.received.rows_on_partitions(0, 1, of.received.rows);
  l_.builder().collective(*share_.expert_exchange, operands, {0, share_.along_expert()});
}

template <typename Visit>
void ExpertExchange::for_slots(std::uint32_t expert, std::size_t slabs, const Visit& visit) const {
  for (std::uint32_t rank = 0; rank < share_.expert; ++rank) {
    for (std::size_t slab = 0; slab < slabs; ++slab)
      visit(slab, (rank * slabs + slab) * sizes_.slots, (rank * own() + expert) * sizes_.slots);
  }
}

std::vector<Matrix> ExpertExchange::to_experts(const std::vector<Matrix>& slabs) {
  const Matrix& any = slabs.front();
  const std::uint64_t rows = share_.expert * slabs.size() * sizes_.slots;
  std::vector<Matrix> experts;
  for (std::uint32_t expert = 0; expert < own(); ++expert) {
    const Buffers of = buffers(rows, any.columns, any.dtype);
    for_slots(expert, slabs.size(), [&](std::size_t slab, std::uint64_t row, std::uint32_t slot) {
      l_.store(of.sent, slabs[slab].part_rows(slot, sizes_.slots), row);
    });
    exchange(of);
    experts.push_back(l_.load(of.received));
  }
  return experts;
}

std::vector<Matrix> ExpertExchange::to_slabs(const std::vector<Matrix>& experts) {
  const Matrix& any = experts.front();
  const std::size_t count = any.rows / (share_.expert * sizes_.slots);
  std::vector<Matrix> slabs;
  for (std::size_t slab = 0; slab < count; ++slab)
    slabs.push_back(l_.make(sizes_.experts * sizes_.slots, any.columns, any.dtype));
  for (std::uint32_t expert = 0; expert < own(); ++expert) {
    const Buffers of = buffers(any.rows, any.columns, any.dtype);
    l_.store(of.sent, experts[expert]);
    exchange(of);
    for_slots(expert, count, [&](std::size_t slab, std::uint64_t row, std::uint32_t slot) {
      l_.load(slabs[slab].part_rows(slot, sizes_.slots), of.received, row);
    });
  }
  return slabs;
}

}  // namespace tern::train
