// SPDX-License-Identifier: Apache-2.0
#include "sw/train/mlp_training.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "sw/base/user_error.h"
#include "sw/kernels/builder/memory/limits.h"
#include "sw/train/network.h"
#include "sw/train/optimiser.h"
#include "sw/train/probes.h"

namespace tern::train {

using kernels::KernelBuilder;
using kernels::Tensor;
using Initial = StateTensor::Initial;

namespace {

constexpr std::uint32_t kRandomWords = 24;  // of Vector's generators, per partition

void check(const MlpSpec& spec) {
  if (spec.sizes.size() < 2) throw UserError("training: expected at least one layer");
  for (const std::uint32_t size : spec.sizes) {
    if (size == 0) throw UserError("training: expected every layer size to be at least 1");
  }
  if (spec.batch == 0) throw UserError("training: expected a batch of at least 1");
}

StateTensor weight_of(const MlpSpec& spec, std::size_t layer) {
  // He et al., 2015
  const auto limit = static_cast<float>(std::sqrt(6.0 / static_cast<double>(spec.sizes[layer])));
  return {fmt::format("w{}", layer), spec.master(),     spec.sizes[layer],
          spec.sizes[layer + 1],     Initial::kUniform, limit};
}

StateTensor bias_of(const MlpSpec& spec, std::size_t layer) {
  return {fmt::format("b{}", layer), DType::kFp32, 1, spec.sizes[layer + 1]};
}

std::optional<StateTensor> mask_of(const MlpSpec& spec, std::size_t layer) {
  if (!spec.masks || layer + 1 == spec.layers()) return std::nullopt;
  return StateTensor{fmt::format("mask.w{}", layer), DType::kBf16, spec.sizes[layer],
                     spec.sizes[layer + 1], Initial::kOne};
}

StateTensor random_state() {
  return {"random", DType::kUint32, kernels::kPartitions, kRandomWords, Initial::kRandomWords};
}

// The whole step, in the order in which instructions are written.
class Step {
 public:
  Step(const MlpSpec& spec, const ChipConfig& chip, std::vector<Probe>* probes,
       const kernels::CoreGroup& group)
      : spec_(spec),
        group_(group),
        share_(share_of(spec, group.cores)),
        kb_("train", chip),
        l_(kb_, chip),
        probes_(l_, probes) {}

  Executable build() {
    kb_.join_cores(group_.core, group_.cores);
    const Tensor x = kb_.input("x", spec_.operand(), {share_, spec_.sizes.front()});
    const Tensor labels = kb_.input("labels", DType::kInt32, {1, share_});
    const Tensor hyper = kb_.input("hyper", DType::kFp32, {1, kHyperColumns});
    const bool random = spec_.precision == Precision::kStochastic;
    std::optional<StateMatrix> generators;
    if (random) {
      generators.emplace(l_, random_state());
      kb_.rand_set_state(generators->value().slab(0));
    }
    const auto observe = [this](const std::string& what, const Matrix& matrix) {
      probes_.see(what, matrix);
    };
    kb_.part("batch and weights");
    const Matrix in = l_.load(x);
    Network network(l_, spec_, observe);
    const Matrix logits = network.forward(in);
    kb_.part("loss");
    const Layers::CrossEntropy loss =
        l_.cross_entropy(logits, l_.load_column(labels, share_),
                         1.0f / static_cast<float>(spec_.batch), spec_.operand());
    observe("loss", loss.loss);
    store_metrics(l_, loss, spec_.batch);

    Updates updates(l_, spec_, l_.load_row(hyper), observe);
    Matrix error = loss.gradient;  // of a layer's sums: [batch, out]
    std::vector<Gradients> gradients;
    for (std::size_t i = spec_.layers(); i-- > 0;) {
      const Network::Layer& layer = network.layer(i);
      kb_.part(fmt::format("layer {}, back", i));
      observe(fmt::format("gradient of layer {}'s sums", i), error);
      const Matrix weight_gradient = l_.product(DType::kFp32, layer.input, error);
      const Matrix bias_gradient = l_.column_sums(error);
      observe(fmt::format("gradient of w{}", i), weight_gradient);
      observe(fmt::format("gradient of b{}", i), bias_gradient);
      if (group_.cores > 1) kb_.part(fmt::format("layer {}, sums over cores", i));
      kb_.core_sum(parts_of(weight_gradient, bias_gradient));
      kb_.part(fmt::format("layer {}, back", i));
      if (i > 0) error = back(layer, error);
      // Operations that need the other cores' gradients come after all that do not.
      gradients.push_back({i, weight_gradient, bias_gradient});
      if (group_.cores == 1 || i == 0) {
        for (const Gradients& g : gradients) update(network, g, &updates);
        gradients.clear();
      }
    }
    if (random) {
      kb_.rand_get_state(generators->value().slab(0));
      generators->store(l_);
    }
    return kb_.finish();
  }

 private:
  struct Gradients {
    std::size_t layer;
    Matrix weight, bias;
  };

  // The parts that the cores sum up: of the bias' equal rows one.
  static std::vector<layers::TileView> parts_of(const Matrix& weight, const Matrix& bias) {
    std::vector<layers::TileView> parts = weight.pieces();
    parts.push_back(bias.part_rows(0, 1).slab(0));
    return parts;
  }

  void update(const Network& network, const Gradients& gradients, Updates* updates) {
    const std::size_t i = gradients.layer;
    const Network::Layer& layer = network.layer(i);
    kb_.part(fmt::format("layer {}, update", i));
    if (group_.cores > 1)
      probes_.see(fmt::format("gradient of w{} over all cores", i), gradients.weight);
    updates->apply(weight_of(spec_, i), layer.weight, gradients.weight, mask_of(spec_, i));
    const Matrix bias = group_.cores == 1
                            ? gradients.bias
                            : l_.column_sums(gradients.bias.part_rows(0, 1));  // all rows again
    updates->apply(bias_of(spec_, i), layer.bias, bias);
  }

  // The error before a layer: through its weights, where the rectifier let it pass.
  Matrix back(const Network::Layer& layer, const Matrix& error) {
    const Matrix result = l_.product(error.dtype, l_.transpose(error), l_.transpose(layer.operand));
    l_.relu_gradient(result, result, layer.input);
    return result;
  }

  const MlpSpec& spec_;
  const kernels::CoreGroup group_;
  const std::uint32_t share_;
  KernelBuilder kb_;
  Layers l_;
  Probes probes_;
};

}  // namespace

std::vector<StateTensor> state_tensors(const MlpSpec& spec) {
  std::vector<StateTensor> all;
  for (std::size_t i = 0; i < spec.layers(); ++i) {
    for (const StateTensor& tensor : {weight_of(spec, i), bias_of(spec, i)}) {
      all.push_back(tensor);
      for (const StateTensor& moment : moments_of(tensor, spec)) all.push_back(moment);
    }
    if (const auto mask = mask_of(spec, i)) all.push_back(*mask);
  }
  if (spec.precision == Precision::kStochastic) all.push_back(random_state());
  return all;
}

std::vector<StateTensor> mlp_parameters(const MlpSpec& spec) {
  std::vector<StateTensor> all;
  for (std::size_t i = 0; i < spec.layers(); ++i) {
    all.push_back(weight_of(spec, i));
    all.push_back(bias_of(spec, i));
  }
  return all;
}

Executable build_training_step(const MlpSpec& spec, const ChipConfig& chip,
                               std::vector<Probe>* probes, const kernels::CoreGroup& group) {
  check(spec);
  return Step(spec, chip, probes, group).build();
}

std::uint32_t share_of(const MlpSpec& spec, unsigned cores) {
  if (cores == 0 || spec.batch % cores != 0) {
    throw UserError(
        fmt::format("training: a batch of {} cannot be shared by {} cores", spec.batch, cores));
  }
  return spec.batch / cores;
}

Executable build_evaluation(const MlpSpec& spec, const ChipConfig& chip, unsigned cores) {
  check(spec);
  const std::uint32_t share = share_of(spec, cores);
  KernelBuilder kb("evaluate", chip);
  Layers l(kb, chip);
  const Tensor x = kb.input("x", spec.operand(), {share, spec.sizes.front()});
  const Tensor labels = kb.input("labels", DType::kInt32, {1, share});
  const Matrix in = l.load(x);
  Network network(l, spec, [](const std::string&, const Matrix&) {});
  const Matrix correct = l.correct(network.forward(in), l.load_column(labels, share));
  l.store(kb.output("correct", DType::kFp32, {share, 1}), correct);
  return kb.finish();
}

Model mlp_model(const MlpSpec& spec, const kernels::CoreGroup& group) {
  const std::uint32_t share = share_of(spec, group.cores);
  Model model;
  model.state = state_tensors(spec);
  model.x_bytes = std::uint64_t{share} * spec.sizes.front() * numerics::dtype_size(spec.operand());
  model.labels = share;
  model.evaluated = "correct";
  model.build_step = [spec, group](const ChipConfig& chip, std::vector<Probe>* probes) {
    return build_training_step(spec, chip, probes, group);
  };
  model.build_evaluation = [spec, group](const ChipConfig& chip) {
    return build_evaluation(spec, chip, group.cores);
  };
  return model;
}

std::vector<Model> mlp_models(const MlpSpec& spec, unsigned cores) {
  std::vector<Model> models;
  for (unsigned core = 0; core < cores; ++core) models.push_back(mlp_model(spec, {core, cores}));
  return models;
}

}  // namespace tern::train
