// SPDX-License-Identifier: Apache-2.0
#include "sw/train/sharded_updates.h"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "sw/base/math.h"
#include "sw/kernels/builder/kernel_builder.h"
#include "sw/train/bucket_runs.h"

namespace tern::train {

bool ShardedUpdates::divides(const StateTensor& tensor, const Share& share) {
  return share.scatter != nullptr && tensor.columns % share.batch_parts() == 0;
}

Matrix ShardedUpdates::columns_of(const Matrix& whole, const StateTensor& columns,
                                  std::uint32_t rank) {
  const auto count = static_cast<std::uint32_t>(columns.columns);
  return whole.part_columns(rank * count, count);
}

void ShardedUpdates::add(const StateTensor& tensor, const StateMatrix& parameter,
                         const Matrix& gradient) {
  StateTensor columns = tensor;
  columns.columns /= share_.batch_parts();
  open_.push_back({columns, &parameter, gradient, elements_});
  elements_ += columns.elements();
  if (elements_ >= kChunk) close();
}

void ShardedUpdates::collective(const collectives::Schedule& schedule, const Bucket& bucket) {
  if (!share_.sums()) return;
  kernels::CollectiveOperands operands;
  operands.data = bucket.elements.rows_on_partitions(0, 1, 1);
  l_.builder().collective(schedule, operands, {0, share_.along_batch()});
}

void ShardedUpdates::close() {
  if (open_.empty()) return;
  kernels::KernelBuilder& kb = l_.builder();
  const auto chunks_of = [&](const collectives::Schedule& schedule) {
    return schedule.chunks / share_.batch_parts() * kChunkElements;
  };
  Bucket bucket;
  bucket.chunk =
      round_up(elements_, std::lcm(chunks_of(*share_.scatter), chunks_of(*share_.gather)));
  bucket.elements = kb.scratch(fmt::format("shards.{}", closed_.size()), DType::kFp32,
                               {1, bucket.chunk * share_.batch_parts()});
  kb.already_written(bucket.elements);  // what fills the chunks is nobody's gradient
  bucket.gradients = std::exchange(open_, {});
  elements_ = 0;
  for (Gradient& gradient : bucket.gradients) {
    const Matrix whole =
        gradient.columns.rows == 1 ? gradient.matrix.part_rows(0, 1) : std::move(gradient.matrix);
    gradient.matrix = {};
    for (unsigned rank = 0; rank < share_.batch_parts(); ++rank)
      store_run(l_, bucket.elements, rank * bucket.chunk + gradient.first,
                columns_of(whole, gradient.columns, rank));
  }
  collective(*share_.scatter, bucket);
  closed_.push_back(std::move(bucket));
}

void ShardedUpdates::finish(const Change& change) {
  close();
  for (const Bucket& bucket : closed_) {
    for (const Gradient& gradient : bucket.gradients) {
      const std::uint64_t first = rank() * bucket.chunk + gradient.first;
      const StateTensor& columns = gradient.columns;
      const Matrix sum = l_.make(static_cast<std::uint32_t>(columns.rows),
                                 static_cast<std::uint32_t>(columns.columns), DType::kFp32);
      load_run(l_, sum, bucket.elements, first);
      const Matrix own = columns_of(gradient.parameter->stored(), columns, rank());
      change(columns, own, sum);
      store_run(l_, bucket.elements, first, own);
    }
    collective(*share_.gather, bucket);
  }
  for (const Bucket& bucket : closed_) {
    for (const Gradient& gradient : bucket.gradients) {
      for (unsigned other = 0; other < share_.batch_parts(); ++other) {
        if (other == rank()) continue;
        load_run(l_, columns_of(gradient.parameter->stored(), gradient.columns, other),
                 bucket.elements, other * bucket.chunk + gradient.first);
      }
      gradient.parameter->store(l_);
    }
  }
}

}  // namespace tern::train
