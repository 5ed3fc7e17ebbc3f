// SPDX-License-Identifier: Apache-2.0
#include "sw/examples/digits/trainer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace tern::digits {

namespace {

// The standard fixes this engine's output but not that of its distributions: hence our own.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }
  float symmetric(float limit) {
    const auto unit = static_cast<float>(engine_() >> 40) * 0x1p-24f;
    return (2.0f * unit - 1.0f) * limit;
  }
  int shift(int most) {
    return static_cast<int>(below(2 * static_cast<std::size_t>(most) + 1)) - most;
  }

 private:
  std::mt19937_64 engine_;
};

// One parameter tensor with the optimiser's state for it.
class Parameter {
 public:
  explicit Parameter(std::vector<float>& value)
      : value_(value), gradient_(value.size()), velocity_(value.size()) {}

  const float* value() const { return value_.data(); }
  float* gradient() { return gradient_.data(); }

  void step(float rate, float momentum) {
    for (std::size_t i = 0; i < value_.size(); ++i) {
      velocity_[i] = momentum * velocity_[i] - rate * gradient_[i];
      value_[i] += velocity_[i];
      gradient_[i] = 0.0f;
    }
  }

 private:
  std::vector<float>& value_;
  std::vector<float> gradient_;
  std::vector<float> velocity_;
};

void multiply_add(std::size_t n, float x, const float* __restrict in, float* __restrict out) {
  for (std::size_t i = 0; i < n; ++i) out[i] += x * in[i];
}

class Trainer {
 public:
  Trainer(const data::ImageSet& set, const TrainOptions& options)
      : set_(set), options_(options), random_(options.seed), mlp_(initial()) {
    hidden_.resize(options.hidden);
    hidden_gradient_.resize(options.hidden);
    order_.resize(set.count);
    std::iota(order_.begin(), order_.end(), std::size_t{0});
  }

  const Mlp& mlp() const { return mlp_; }
  Mlp take() { return std::move(mlp_); }

  // Mean loss of the epoch.
  double run_epoch() {
    for (std::size_t i = order_.size(); i > 1; --i)
      std::swap(order_[i - 1], order_[random_.below(i)]);
    double loss = 0;
    for (std::size_t first = 0; first < order_.size(); first += options_.batch) {
      const std::size_t end = std::min(first + options_.batch, order_.size());
      for (std::size_t i = first; i < end; ++i) loss += learn(order_[i]);
      step(end - first);
    }
    return loss / static_cast<double>(order_.size());
  }

 private:
  // He's uniform initialisation, biases zero.
  Mlp initial() {
    Mlp mlp;
    mlp.inputs = set_.pixels_per_image();
    mlp.hidden = options_.hidden;
    const auto fill = [this](std::vector<float>& weights, std::size_t in, std::size_t out) {
      weights.resize(in * out);
      const float limit = std::sqrt(6.0f / static_cast<float>(in));
      for (float& w : weights) w = random_.symmetric(limit);
    };
    fill(mlp.w1, mlp.inputs, mlp.hidden);
    fill(mlp.w2, mlp.hidden, kClasses);
    mlp.b1.assign(mlp.hidden, 0.0f);
    mlp.b2.assign(kClasses, 0.0f);
    return mlp;
  }

  // The nonzero pixels of an image moved by a random step; four of five are zero and cost nothing.
  void load(std::size_t index) {
    const auto& value_of = pixel_values();
    const int dx = random_.shift(options_.shift);
    const int dy = random_.shift(options_.shift);
    const auto rows = static_cast<int>(set_.rows);
    const auto columns = static_cast<int>(set_.columns);
    const std::uint8_t* pixel = set_.image(index);
    lit_.clear();
    for (int r = 0; r < rows; ++r) {
      for (int c = 0; c < columns; ++c, ++pixel) {
        const int to_row = r + dy;
        const int to_column = c + dx;
        if (*pixel == 0 || to_row < 0 || to_row >= rows || to_column < 0 || to_column >= columns) {
          continue;
        }
        lit_.emplace_back(static_cast<std::size_t>(to_row * columns + to_column), value_of[*pixel]);
      }
    }
  }

  // Forward and backward pass of one image; adds its gradients to the batch's. Returns the loss.
  double learn(std::size_t index) {
    load(index);
    const std::size_t n = options_.hidden;
    std::copy(mlp_.b1.begin(), mlp_.b1.end(), hidden_.begin());
    for (const auto& [k, x] : lit_) multiply_add(n, x, w1_.value() + k * n, hidden_.data());
    std::array<float, kClasses> delta{};
    std::copy(mlp_.b2.begin(), mlp_.b2.end(), delta.begin());
    for (std::size_t j = 0; j < n; ++j) {
      hidden_[j] = std::max(hidden_[j], 0.0f);
      multiply_add(kClasses, hidden_[j], w2_.value() + j * kClasses, delta.data());
    }
    const double loss = softmax_gradient(delta, set_.labels[index]);

    multiply_add(kClasses, 1.0f, delta.data(), b2_.gradient());
    for (std::size_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::size_t c = 0; c < kClasses; ++c) sum += delta[c] * w2_.value()[j * kClasses + c];
      hidden_gradient_[j] = hidden_[j] > 0 ? sum : 0.0f;
      multiply_add(kClasses, hidden_[j], delta.data(), w2_.gradient() + j * kClasses);
    }
    multiply_add(n, 1.0f, hidden_gradient_.data(), b1_.gradient());
    for (const auto& [k, x] : lit_) {
      multiply_add(n, x, hidden_gradient_.data(), w1_.gradient() + k * n);
    }
    return loss;
  }

  // Turns the logits into the gradient of the cross-entropy with respect to them.
  static double softmax_gradient(std::array<float, kClasses>& values, std::uint8_t label) {
    const float most = *std::max_element(values.begin(), values.end());
    float sum = 0;
    for (float& v : values) {
      v = std::exp(v - most);
      sum += v;
    }
    for (float& v : values) v /= sum;
    const double loss = -std::log(std::max(static_cast<double>(values[label]), 1e-30));
    values[label] -= 1.0f;
    return loss;
  }

  void step(std::size_t images) {
    const double all_steps =
        static_cast<double>(options_.epochs) *
        std::ceil(static_cast<double>(set_.count) / static_cast<double>(options_.batch));
    constexpr double kPi = 3.14159265358979323846;
    const double decay = 0.5 * (1.0 + std::cos(kPi * static_cast<double>(steps_++) / all_steps));
    const float rate =
        static_cast<float>(options_.learning_rate * decay / static_cast<double>(images));
    for (Parameter* p : {&w1_, &b1_, &w2_, &b2_}) p->step(rate, options_.momentum);
  }

  const data::ImageSet& set_;
  const TrainOptions options_;
  Random random_;
  Mlp mlp_;
  Parameter w1_{mlp_.w1};
  Parameter b1_{mlp_.b1};
  Parameter w2_{mlp_.w2};
  Parameter b2_{mlp_.b2};
  std::uint64_t steps_ = 0;
  std::vector<std::size_t> order_;
  std::vector<std::pair<std::size_t, float>> lit_;  // pixel, value
  std::vector<float> hidden_;
  std::vector<float> hidden_gradient_;
};

}  // namespace

Mlp train(const data::ImageSet& set, const TrainOptions& options,
          const std::function<void(const EpochResult&)>& on_epoch) {
  Trainer trainer(set, options);
  for (unsigned epoch = 1; epoch <= options.epochs; ++epoch) {
    const double loss = trainer.run_epoch();
    if (on_epoch) on_epoch({epoch, loss, trainer.mlp()});
  }
  return trainer.take();
}

}  // namespace tern::digits
