// SPDX-License-Identifier: Apache-2.0
// Training of a network of fully connected layers on images.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sw/app/kinds/train/train_task.h"
#include "sw/base/math.h"
#include "sw/kernels/matmul_format.h"
#include "sw/train/pruning.h"

namespace tern::app {
namespace {

constexpr std::uint64_t kProductImages = 2048;  // of the comparison of products

class ImageTask : public TrainTask {
 public:
  ImageTask(const ImageTraining& training, std::uint64_t seed)
      : w_(training),
        models_(train::mlp_models(w_.spec, w_.cores)),
        order_(w_.training->count, w_.spec.batch, seed),
        training_(*w_.training, w_.scale, w_.spec.operand()),
        test_(*w_.test, w_.scale, w_.spec.operand()) {}

  const std::vector<train::Model>& models() const override { return models_; }
  const train::OptimiserRules& rules() const override { return w_.spec; }
  std::uint64_t evaluations() const override { return w_.epochs; }
  std::uint64_t steps_of(std::uint64_t epochs) const override { return order_.steps_of(epochs); }
  train::Batch batch(std::uint64_t step) override { return training_.batch(order_.of_step(step)); }

  // Images classified right. The last batch is filled up with the first images, which do not count
  // again.
  double evaluate(TrainingChip& chip) override {
    std::uint64_t correct = 0;
    const std::uint64_t all = test_.count();
    for (std::uint64_t first = 0; first < all; first += w_.spec.batch) {
      std::vector<std::uint32_t> images(w_.spec.batch);
      for (std::size_t i = 0; i < images.size(); ++i)
        images[i] = static_cast<std::uint32_t>((first + i) % all);
      const std::vector<float> right = chip.evaluate(test_.batch(images));
      const std::uint64_t count = std::min<std::uint64_t>(images.size(), all - first);
      correct += static_cast<std::uint64_t>(
          std::count(right.begin(), right.begin() + static_cast<std::ptrdiff_t>(count), 1.0f));
    }
    return static_cast<double>(correct);
  }

  std::string note(double correct) const override {
    return fmt::format("accuracy {:.2f} %", share(correct) * 100);
  }

  // Pruning, before the first step that follows its epoch.
  bool changes_state(std::uint64_t step) const override {
    return w_.pruning && step == order_.steps_of(w_.pruning->after_epochs);
  }
  void change_state(train::State* state) const override {
    train::prune_state(w_.spec, w_.pruning->sparsity, state);
  }

  void begin(TrainRecord* record) const override {
    record->images = w_.training->count;
    record->test_images = w_.test->count;
    record->batch = w_.spec.batch;
    record->accuracy_expected = w_.accuracy;
  }

  void score(double correct, TrainRecord::Epoch* epoch) const override {
    epoch->correct = static_cast<std::uint64_t>(correct);
    epoch->accuracy = share(correct);
  }

  void finish(TrainingChip& chip, const train::Checkpoint& now, TrainRecord* record) override {
    if (w_.pruning) compare_products(chip, now, &record->pruning.emplace());
  }

 private:
  double share(double correct) const { return correct / static_cast<double>(w_.test->count); }

  // The first layer's product with the pruned weights, dense and sparse.
  void compare_products(TrainingChip& chip, const train::Checkpoint& now, PruningRecord* p) const {
    const std::size_t features = w_.spec.sizes[0], units = w_.spec.sizes[1];
    const std::uint64_t images = std::min<std::uint64_t>(kProductImages, w_.test->count);
    std::vector<float> x(features * images);
    for (std::uint64_t i = 0; i < images; ++i) {
      for (std::size_t f = 0; f < features; ++f)
        x[f * images + i] = static_cast<float>(w_.test->image(i)[f]) * w_.scale;
    }
    std::vector<float> weight = train::weight_of_state(w_.spec, now.state, 0);
    const std::string format = "sparse_" + w_.pruning->pattern;
    kernels::MatmulSpec spec;
    spec.m = units;
    // Any number of features: the last group of the pattern is filled up with zeros.
    spec.k = round_up(features, kernels::find_matmul_format(format)->k_grain());
    spec.n = images;
    x.resize(spec.k * spec.n);
    weight.resize(spec.k * spec.m);
    const TrainingChip::Product dense = chip.product(spec, weight, x);
    spec.format = format;
    const TrainingChip::Product sparse = chip.product(spec, weight, x);
    p->pattern = w_.pruning->pattern;
    p->before = share(now.evaluations[w_.pruning->after_epochs - 1].score);
    p->pruned = share(now.changed_score);
    p->after = share(now.evaluations.back().score);
    p->most_lost = w_.pruning->most_lost;
    p->images = images;
    p->dense_cycles = dense.tensor_cycles;
    p->sparse_cycles = sparse.tensor_cycles;
    double largest = 0;
    for (std::size_t i = 0; i < dense.c.size(); ++i) {
      largest = std::max(largest, std::fabs(static_cast<double>(dense.c[i])));
      p->largest_difference =
          std::max(p->largest_difference, std::fabs(static_cast<double>(dense.c[i]) - sparse.c[i]));
    }
    if (largest > 0) p->largest_difference /= largest;
  }

  const ImageTraining& w_;
  const std::vector<train::Model> models_;
  train::SampleOrder order_;
  const train::Images training_, test_;
};

}  // namespace

std::unique_ptr<TrainTask> make_image_task(const ImageTraining& training, std::uint64_t seed) {
  return std::make_unique<ImageTask>(training, seed);
}

}  // namespace tern::app
