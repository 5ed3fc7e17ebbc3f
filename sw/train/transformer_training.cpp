// SPDX-License-Identifier: Apache-2.0
#include "sw/train/transformer_training.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "sw/base/user_error.h"
#include "sw/train/gradient_sums.h"
#include "sw/train/optimiser.h"
#include "sw/train/probes.h"
#include "sw/train/tensor_part.h"
#include "sw/train/transformer.h"

namespace tern::train {

using kernels::KernelBuilder;
using kernels::Tensor;
using Initial = StateTensor::Initial;

namespace {

// Uniform within 1 / sqrt(in).
StateTensor weight(const std::string& name, std::uint32_t in, std::uint32_t out) {
  const auto limit = static_cast<float>(1 / std::sqrt(static_cast<double>(in)));
  return {name, DType::kFp32, in, out, Initial::kUniform, limit};
}

StateTensor row(const std::string& name, std::uint32_t columns, Initial initial = Initial::kZero) {
  return {name, DType::kFp32, 1, columns, initial};
}

// The programs' common beginning.
class Program {
 public:
  Program(const char* name, const TransformerSpec& spec, std::uint32_t batch,
          const ChipConfig& chip, std::vector<Probe>* probes = nullptr, const Share& share = {})
      : spec_(spec),
        share_(share),
        tokens_(batch * spec.context),
        kb_(name, chip),
        l_(joined(kb_, share), chip),
        probes_(l_, probes),
        model_(l_, spec, batch, share, [this](const std::string& what, const Matrix& matrix) {
          probes_.see(what, matrix);
        }) {}

  Matrix characters(const char* name) {
    return l_.load_column(kb_.input(name, DType::kInt32, {1, tokens_}), tokens_);
  }

  Layers::CrossEntropy loss() {
    const Matrix labels = characters("labels");
    const Matrix logits = model_.forward(characters("x"));
    kb_.part("loss");
    return l_.cross_entropy(logits, labels, 1.0f / static_cast<float>(spec_.tokens()),
                            spec_.operand());
  }

  Executable step() {
    const Tensor hyper = kb_.input("hyper", DType::kFp32, {1, kHyperColumns});
    const Layers::CrossEntropy loss = this->loss();
    probes_.see("loss", loss.loss);
    probes_.see("gradient of the logits", loss.gradient);
    store_metrics(l_, loss, spec_.tokens());
    Updates updates(
        l_, spec_, l_.load_row(hyper),
        [this](const std::string& what, const Matrix& matrix) { probes_.see(what, matrix); });
    const auto update = [&](const StateTensor& tensor, const StateMatrix& parameter,
                            const Matrix& gradient) { updates.apply(tensor, parameter, gradient); };
    if (share_.data() == 1) {
      model_.backward(loss.gradient, update);
      return kb_.finish();
    }
    GradientSums sums(l_, share_);
    model_.backward(loss.gradient,
                    [&](const StateTensor& tensor, const StateMatrix& parameter,
                        const Matrix& gradient) { sums.add(tensor, parameter, gradient); });
    kb_.part("updates");
    sums.finish(
        [&](const StateTensor& tensor, const StateMatrix& parameter, const Matrix& gradient) {
          probes_.see("gradient of " + tensor.name + " of the whole batch", gradient);
          update(tensor, parameter, gradient);
        });
    return kb_.finish();
  }

  Executable evaluation() {
    const Layers::CrossEntropy loss = this->loss();
    l_.store(kb_.output("losses", DType::kFp32, {tokens_, 1}), loss.loss);
    return kb_.finish();
  }

  Executable prediction() {
    const Matrix logits = model_.forward(characters("window"));
    l_.store(kb_.output("logits", DType::kFp32, {tokens_, spec_.alphabet}), logits);
    return kb_.finish();
  }

 private:
  static KernelBuilder& joined(KernelBuilder& kb, const Share& share) {
    if (share.ranks > 1 && !share.silent) kb.join_parts(share.rank, share.ranks);
    return kb;
  }

  const TransformerSpec& spec_;
  const Share share_;
  const std::uint32_t tokens_;
  KernelBuilder kb_;
  Layers l_;
  Probes probes_;
  Transformer model_;
};

// Windows of a rank.
std::uint32_t share_of(const TransformerSpec& spec, const Share& share) {
  check(spec, share);
  return spec.batch / share.data();
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

void check(const TransformerSpec& spec) {
  const auto require = [](bool good, const std::string& expected) {
    if (!good) throw UserError("transformer: expected " + expected);
  };
  require(spec.alphabet >= 2, "an alphabet of at least 2 characters");
  require(spec.context >= 2 && spec.context <= TransformerSpec::kMaxContext &&
              (spec.context & (spec.context - 1)) == 0,
          fmt::format("a context that is a power of two, 2 .. {}", TransformerSpec::kMaxContext));
  require(spec.batch >= 1, "a batch of at least 1 window");
  // A weight with one row would be taken for a bias.
  require(spec.width >= 2 && spec.hidden >= 2, "width and hidden of at least 2");
  require(spec.heads >= 1 && spec.width % spec.heads == 0, "a width that the heads divide");
  require(spec.head() <= Matrix::kSlab, "heads of at most 128");
  require(spec.precision == Precision::kBf16 || spec.precision == Precision::kFp32,
          "precision bf16 or fp32");
  // Heads lie next to each other; a transpose begins at a multiple of 8 bytes.
  const std::uint32_t grain = spec.precision == Precision::kBf16 ? 4 : 2;
  require(spec.head() % grain == 0,
          fmt::format("heads (width / heads) of a multiple of {} with this precision", grain));
}

void check(const TransformerSpec& spec, const Share& share) {
  const auto require = [](bool good, const std::string& text) {
    if (!good) throw UserError("transformer: " + text);
  };
  const unsigned data = share.data(), tensor = share.tensor;
  require(data != 0 && spec.batch % data == 0,
          fmt::format("a batch of {} windows cannot be shared by {} ranks", spec.batch, data));
  require(spec.heads % tensor == 0 && spec.hidden % tensor == 0,
          fmt::format("{} heads and {} hidden columns do not divide among {} ranks", spec.heads,
                      spec.hidden, tensor));
}

std::vector<StateTensor> transformer_parameters(const TransformerSpec& spec) {
  constexpr float kEmbeddingLimit = 0.1f;
  const std::uint32_t width = spec.width;
  std::vector<StateTensor> all;
  all.push_back({"embedding", DType::kFp32, spec.alphabet + spec.context, width, Initial::kUniform,
                 kEmbeddingLimit});
  const auto norm = [&](const std::string& name) {
    all.push_back(row(name + ".gain", width, Initial::kOne));
    all.push_back(row(name + ".offset", width));
  };
  const auto dense = [&](const std::string& name, std::uint32_t in, std::uint32_t out) {
    all.push_back(weight(name + ".w", in, out));
    all.push_back(row(name + ".b", out));
  };
  for (std::uint32_t i = 0; i < spec.blocks; ++i) {
    const std::string name = fmt::format("b{}.", i);
    norm(name + "norm1");
    dense(name + "qkv", width, 3 * width);
    dense(name + "out", width, width);
    norm(name + "norm2");
    dense(name + "up", width, spec.hidden);
    dense(name + "down", spec.hidden, width);
  }
  norm("norm");
  dense("logits", width, spec.alphabet);
  return all;
}

TensorPart transformer_part(const StateTensor& whole, const TransformerSpec& spec,
                            const Share& share) {
  TensorPart part;
  if (share.tensor == 1) return part;
  const auto is = [&](const char* layer, const char* what) {
    return ends_with(whole.name, fmt::format(".{}.{}", layer, what));
  };
  const std::uint64_t inner = spec.width / share.tensor, hidden = spec.hidden / share.tensor;
  const std::uint64_t mine = share.model_part();
  if (is("qkv", "w") || is("qkv", "b")) {
    for (std::uint64_t which = 0; which < 3; ++which)
      part.columns.push_back({which * spec.width + mine * inner, inner});
  }
  if (is("up", "w") || is("up", "b")) part.columns = {{mine * hidden, hidden}};
  if (is("out", "w")) part.rows = {{mine * inner, inner}};
  if (is("down", "w")) part.rows = {{mine * hidden, hidden}};
  return part;
}

Executable build_transformer_step(const TransformerSpec& spec, const ChipConfig& chip,
                                  std::vector<Probe>* probes, const Share& share) {
  check(spec);
  return Program("train", spec, share_of(spec, share), chip, probes, share).step();
}

Executable build_transformer_evaluation(const TransformerSpec& spec, const ChipConfig& chip,
                                        const Share& share) {
  check(spec);
  const std::uint32_t batch = share_of(spec, share);
  const Share together = share.tensor == 1 ? Share{} : share;  // else nothing is exchanged
  return Program("evaluate", spec, batch, chip, nullptr, together).evaluation();
}

Executable build_transformer_prediction(const TransformerSpec& spec, const ChipConfig& chip,
                                        const Share& share) {
  check(spec);
  Share group = share;
  group.rank = share.model_part();
  group.ranks = share.tensor;
  return Program("predict", spec, 1, chip, nullptr, group).prediction();
}

Model transformer_model(const TransformerSpec& spec, const Share& share) {
  check(spec);
  const std::uint32_t tokens = share_of(spec, share) * spec.context;
  Model model;
  for (const StateTensor& parameter : transformer_parameters(spec)) {
    model.state.push_back(parameter);
    for (const StateTensor& moment : moments_of(parameter, spec)) model.state.push_back(moment);
  }
  if (share.tensor > 1) {
    for (const StateTensor& tensor : model.state)
      model.parts.push_back(transformer_part(tensor, spec, share));
  }
  model.sharers = share.tensor;
  model.x_bytes = std::uint64_t{tokens} * sizeof(std::int32_t);
  model.labels = tokens;
  model.evaluated = "losses";
  model.build_step = [spec, share](const ChipConfig& chip, std::vector<Probe>* probes) {
    return build_transformer_step(spec, chip, probes, share);
  };
  model.build_evaluation = [spec, share](const ChipConfig& chip) {
    return build_transformer_evaluation(spec, chip, share);
  };
  model.prediction = {spec.context, spec.alphabet, [spec, share](const ChipConfig& chip) {
                        return build_transformer_prediction(spec, chip, share);
                      }};
  return model;
}

}  // namespace tern::train
