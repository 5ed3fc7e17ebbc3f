// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "sw/train/network.h"
#include "sw/train/share.h"

namespace tern::train {

// Updates whose moments are divided among the ranks with other parts of the batch, by columns of
// the parameters. Gradients follow each other in buckets, the columns of each rank in a chunk of
// its own: a ReduceScatter gives a rank the sums of its columns, and when it has changed these
// columns of the parameters, an AllGather gives it the others.
class ShardedUpdates {
 public:
  // Changes some columns of a parameter, and their moments.
  using Change =
      std::function<void(const StateTensor& columns, const Matrix& value, const Matrix& gradient)>;
  // share: of a batch in more than one part, with scatter and gather. It and the parameters must
  // outlive this.
  ShardedUpdates(Layers& layers, const Share& share) : l_(layers), share_(share) {}

  // Whether a rank's parameter is divided: its columns divide among the parts of the batch.
  static bool divides(const StateTensor& tensor, const Share& share);

  // In the same order on all ranks.
  void add(const StateTensor& tensor, const StateMatrix& parameter, const Matrix& gradient);
  // After the last one, in that order. Stores the parameters.
  void finish(const Change& change);

 private:
  // Elements of a rank's chunk in a bucket, or few more.
  static constexpr std::uint64_t kChunk = 16384;

  struct Gradient {
    StateTensor columns;  // of a rank
    const StateMatrix* parameter;
    Matrix matrix;            // whole, until the bucket is closed
    std::uint64_t first = 0;  // in a chunk
  };
  struct Bucket {
    kernels::Tensor elements;
    std::uint64_t chunk = 0;  // elements
    std::vector<Gradient> gradients;
  };
  void close();
  void collective(const collectives::Schedule& schedule, const Bucket& bucket);
  std::uint32_t rank() const { return share_.batch_part_of(share_.rank); }
  // Of a whole matrix those of a rank.
  static Matrix columns_of(const Matrix& whole, const StateTensor& columns, std::uint32_t rank);

  Layers& l_;
  const Share& share_;
  std::vector<Gradient> open_;
  std::uint64_t elements_ = 0;  // of those, in a chunk
  std::vector<Bucket> closed_;
};

}  // namespace tern::train
