// SPDX-License-Identifier: Apache-2.0
#include "sw/train/mlp_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "sw/kernels/builder/limits.h"
#include "sw/train/network.h"
#include "sw/train/optimiser.h"
#include "systemc/config/user_error.h"

namespace tern::train {

using kernels::KernelBuilder;
using kernels::Tensor;

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
  return {fmt::format("w{}", layer), spec.master(), spec.sizes[layer], spec.sizes[layer + 1]};
}

StateTensor bias_of(const MlpSpec& spec, std::size_t layer) {
  return {fmt::format("b{}", layer), DType::kFp32, 1, spec.sizes[layer + 1]};
}

std::optional<StateTensor> mask_of(const MlpSpec& spec, std::size_t layer) {
  if (!spec.masks || layer + 1 == spec.layers()) return std::nullopt;
  return StateTensor{fmt::format("mask.w{}", layer), DType::kBf16, spec.sizes[layer],
                     spec.sizes[layer + 1]};
}

StateTensor random_state() {
  return {"random", DType::kUint32, kernels::kPartitions, kRandomWords};
}

// Stores the intermediate tensors of a debugging build.
class Probes {
 public:
  Probes(Layers& layers, std::vector<Probe>* list) : l_(layers), list_(list) {}

  void see(const std::string& what, const Matrix& matrix) {
    if (list_ == nullptr) return;
    Probe probe{fmt::format("probe.{}", list_->size()),
                what,
                matrix.dtype,
                matrix.rows,
                matrix.columns,
                {}};
    for (unsigned slab = 0; slab < matrix.slabs(); ++slab)
      add_parts(matrix.slab(slab), slab, &probe);
    l_.store(l_.builder().output(probe.tensor, probe.dtype, {probe.rows, probe.columns}), matrix);
    list_->push_back(std::move(probe));
  }

 private:
  // Writers' rectangles of memory as rows and columns of the matrix.
  void add_parts(const layers::TileView& view, unsigned slab, Probe* probe) {
    const std::uint64_t size = numerics::dtype_size(view.dtype);
    const std::uint64_t end = view.byte + view.num0 * size;
    for (const auto& writer : l_.builder().writers(view)) {
      const std::uint64_t x0 = std::max<std::uint64_t>(writer.box.x0, view.byte);
      const std::uint64_t x1 = std::min<std::uint64_t>(writer.box.x1, end);
      const std::uint64_t first = std::uint64_t{slab} * Matrix::kSlab;
      probe->parts.push_back({first + writer.box.y0, first + writer.box.y1, (x0 - view.byte) / size,
                              (x1 - view.byte + size - 1) / size, writer.instruction});
    }
  }

  Layers& l_;
  std::vector<Probe>* list_;
};

// The whole step, in the order in which instructions are written.
class Step {
 public:
  Step(const MlpSpec& spec, const ChipConfig& chip, std::vector<Probe>* probes)
      : spec_(spec), kb_("train", chip), l_(kb_, chip), probes_(l_, probes) {}

  Executable build() {
    const Tensor x = kb_.input("x", spec_.operand(), {spec_.batch, spec_.sizes.front()});
    const Tensor labels = kb_.input("labels", DType::kInt32, {1, spec_.batch});
    const Tensor hyper = kb_.input("hyper", DType::kFp32, {1, kHyperColumns});
    const bool random = spec_.precision == Precision::kStochastic;
    std::optional<StateMatrix> generators;
    if (random) {
      generators.emplace(l_, random_state());
      kb_.rand_set_state(generators->value().slab(0));
    }
    const auto seen = [this](const std::string& what, const Matrix& matrix) {
      probes_.see(what, matrix);
    };
    const Matrix in = l_.load(x);
    Network network(l_, spec_, seen);
    const Matrix logits = network.forward(in);
    const Layers::CrossEntropy loss =
        l_.cross_entropy(logits, l_.load_column(labels, spec_.batch),
                         1.0f / static_cast<float>(spec_.batch), spec_.operand());
    seen("loss", loss.loss);
    store_metrics(loss);

    Updates updates(l_, spec_, l_.load_row(hyper), seen);
    Matrix error = loss.gradient;  // of a layer's sums: [batch, out]
    for (std::size_t i = spec_.layers(); i-- > 0;) {
      const Network::Layer& layer = network.layer(i);
      seen(fmt::format("gradient of layer {}'s sums", i), error);
      const Matrix weight_gradient = l_.product(DType::kFp32, layer.input, error);
      const Matrix bias_gradient = l_.column_sums(error);
      seen(fmt::format("gradient of w{}", i), weight_gradient);
      seen(fmt::format("gradient of b{}", i), bias_gradient);
      if (i > 0) error = back(layer, error);
      updates.apply(weight_of(spec_, i), layer.weight, weight_gradient, mask_of(spec_, i));
      updates.apply(bias_of(spec_, i), layer.bias, bias_gradient);
    }
    if (random) {
      kb_.rand_get_state(generators->value().slab(0));
      generators->store(l_);
    }
    return kb_.finish();
  }

 private:
  // The error in front of a layer: through its weights, where the rectifier let it pass.
  Matrix back(const Network::Layer& layer, const Matrix& error) {
    const Matrix result = l_.product(error.dtype, l_.transpose(error), l_.transpose(layer.operand));
    l_.relu_gradient(result, result, layer.input);
    return result;
  }

  void store_metrics(const Layers::CrossEntropy& loss) {
    const Tensor metrics = kb_.output("metrics", DType::kFp32, {1, 2});
    const Matrix sum = l_.column_sums(loss.loss), mean = l_.make(1, 1, DType::kFp32);
    l_.scale(mean, sum.part_rows(0, 1), 1.0f / static_cast<float>(spec_.batch));
    l_.store(metrics, mean, 0, 0);
    l_.store(metrics, l_.column_sums(loss.correct).part_rows(0, 1), 0, 1);
  }

  const MlpSpec& spec_;
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
      all.push_back({"m." + tensor.name, DType::kFp32, tensor.rows, tensor.columns});
      if (spec.optimiser == Optimiser::kAdamW)
        all.push_back({"v." + tensor.name, DType::kFp32, tensor.rows, tensor.columns});
    }
    if (const auto mask = mask_of(spec, i)) all.push_back(*mask);
  }
  if (spec.precision == Precision::kStochastic) all.push_back(random_state());
  return all;
}

const std::string& Probe::writer(std::uint64_t row, std::uint64_t column) const {
  static const std::string kNobody = "an unknown instruction";
  const std::string* last = &kNobody;
  for (const Part& part : parts) {
    if (row >= part.row0 && row < part.row1 && column >= part.column0 && column < part.column1)
      last = &part.instruction;
  }
  return *last;
}

Executable build_training_step(const MlpSpec& spec, const ChipConfig& chip,
                               std::vector<Probe>* probes) {
  check(spec);
  return Step(spec, chip, probes).build();
}

Executable build_evaluation(const MlpSpec& spec, const ChipConfig& chip) {
  check(spec);
  KernelBuilder kb("evaluate", chip);
  Layers l(kb, chip);
  const Tensor x = kb.input("x", spec.operand(), {spec.batch, spec.sizes.front()});
  const Tensor labels = kb.input("labels", DType::kInt32, {1, spec.batch});
  const Matrix in = l.load(x);
  Network network(l, spec, [](const std::string&, const Matrix&) {});
  const Matrix correct = l.correct(network.forward(in), l.load_column(labels, spec.batch));
  l.store(kb.output("correct", DType::kFp32, {spec.batch, 1}), correct);
  return kb.finish();
}

}  // namespace tern::train
