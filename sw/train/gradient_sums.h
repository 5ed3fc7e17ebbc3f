// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sw/collectives/rank_grid.h"
#include "sw/collectives/schedule.h"
#include "sw/train/network.h"

namespace tern::train {

// Gradients summed over ranks, a bucket at a time: its gradients follow each other
// in HBM, where the collective cores sum them while the engines go on with the layers before.
class GradientSums {
 public:
  // Elements of a bucket, or few more: sums of less take longer for each byte.
  static constexpr std::uint64_t kBucket = 32768;

  using Update = std::function<void(const StateTensor& tensor, const StateMatrix& parameter,
                                    const Matrix& gradient)>;
  // Over groups of ranks, in buckets of that name. The parameters must outlive this.
  struct Sum {
    std::string name;
    std::shared_ptr<const collectives::Schedule> schedule;
    collectives::RankGrid::Groups groups;
    bool happens = true;  // false: for times only
  };
  GradientSums(Layers& layers, Sum sum) : l_(layers), sum_(std::move(sum)) {}

  // In the same order on all ranks.
  void add(const StateTensor& tensor, const StateMatrix& parameter, const Matrix& gradient);
  // After the last one: `update` gets every parameter with its sum, in that order.
  void finish(const Update& update);

 private:
  struct Gradient {
    StateTensor tensor;
    const StateMatrix* parameter;
    Matrix matrix;  // until the bucket is closed
    std::uint64_t first = 0;
  };
  struct Bucket {
    kernels::Tensor elements;
    std::vector<Gradient> gradients;
  };
  void close();
  Matrix sum_of(const Bucket& bucket, const Gradient& gradient);

  Layers& l_;
  const Sum sum_;
  std::vector<Gradient> open_;
  std::uint64_t elements_ = 0;  // of those
  std::vector<Bucket> closed_;
};

}  // namespace tern::train
