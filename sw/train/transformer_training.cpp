// SPDX-License-Identifier: Apache-2.0
#include "sw/train/transformer_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "sw/base/user_error.h"
#include "sw/train/gradient_sums.h"
#include "sw/train/optimiser.h"
#include "sw/train/probes.h"
#include "sw/train/sharded_updates.h"
#include "sw/train/stage_links.h"
#include "sw/train/tensor_part.h"
#include "sw/train/transformer.h"

namespace tern::train {

using kernels::KernelBuilder;
using kernels::Tensor;
using layers::Alu;
using Initial = StateTensor::Initial;

namespace {

// A matrix of FP32 or BF16 with as many columns begins where a product can read it.
constexpr std::uint32_t kLeastPart = 4;
// Slots of an expert begin on a partition where a matrix can.
constexpr std::uint32_t kSmallest = TERN_LIMIT_QUADRANT;

bool is_moment(const std::string& name) {
  return name.compare(0, 2, "m.") == 0 || name.compare(0, 2, "v.") == 0;
}

// Of a parameter or its moments.
std::string parameter_of(const std::string& name) {
  return is_moment(name) ? name.substr(2) : name;
}

// "b0.e3.up.w" is of expert 3.
std::optional<unsigned> expert_of(const std::string& name) {
  const std::string of = parameter_of(name);
  const std::size_t layer = of.find('.') + 1;
  if (layer == 0 || of[layer] != 'e' || of.find('.', layer) == std::string::npos) return {};
  return static_cast<unsigned>(std::stoul(of.substr(layer + 1)));
}

// It is one of some ranks only.
bool divides_experts(const StateTensor& tensor, const Share& share) {
  return share.expert > 1 && expert_of(tensor.name);
}

// Uniform within 1 / sqrt(in).
StateTensor weight(const std::string& name, std::uint32_t in, std::uint32_t out) {
  const auto limit = static_cast<float>(1 / std::sqrt(static_cast<double>(in)));
  return {name, DType::kFp32, in, out, Initial::kUniform, limit};
}

StateTensor row(const std::string& name, std::uint32_t columns, Initial initial = Initial::kZero) {
  return {name, DType::kFp32, 1, columns, initial};
}

// The programs' common beginning. The forward passes of all micro-batches come before the backward
// ones: so no stage waits for one that waits for it.
class Program {
 public:
  Program(const char* name, const TransformerSpec& spec, std::uint32_t batch,
          const ChipConfig& chip, std::vector<Probe>* probes = nullptr, const Share& share = {})
      : spec_(spec),
        share_(share),
        tokens_(batch / share.micro_batches * (spec.context / share.sequence)),
        kb_(name, chip),
        l_(joined(kb_, share), chip),
        probes_(l_, probes),
        windows_(l_, share_, name),
        experts_(l_, share_, name, {spec.experts, spec.slots()}),
        passes_(share.micro_batches,
                Transformer(l_, spec, batch / share.micro_batches, share, windows_, experts_,
                            [this](const std::string& what, const Matrix& matrix) {
                              probes_.see(what, matrix);
                            })),
        links_(l_, share_, name, share.micro_batches, tokens_, spec.width) {}

  Executable step() {
    const Tensor hyper = kb_.input("hyper", DType::kFp32, {1, kHyperColumns});
    const std::vector<Layers::CrossEntropy> losses = forward("x", true);
    if (!losses.empty()) store_metrics(l_, sum_of(losses), spec_.tokens());
    Updates updates(
        l_, spec_, l_.load_row(hyper),
        [this](const std::string& what, const Matrix& matrix) { probes_.see(what, matrix); });
    const auto update = [&](const StateTensor& tensor, const StateMatrix& parameter,
                            const Matrix& gradient) { updates.apply(tensor, parameter, gradient); };
    if (share_.batch_parts() == 1) {
      backward(losses, update);
      return kb_.finish();
    }
    GradientSums sums(l_, {"gradients", share_.gradients, share_.along_batch(), share_.sums()});
    GradientSums of_experts(l_, {"expert_gradients", share_.expert_gradients,
                                 share_.along_same_expert(), share_.sums()});
    ShardedUpdates shards(l_, share_);
    backward(losses,
             [&](const StateTensor& tensor, const StateMatrix& parameter, const Matrix& gradient) {
               if (divides_experts(tensor, share_)) {
                 if (share_.expert == share_.batch_parts())
                   return update(tensor, parameter, gradient);
                 return of_experts.add(tensor, parameter, gradient);
               }
               if (ShardedUpdates::divides(tensor, share_))
                 return shards.add(tensor, parameter, gradient);
               sums.add(tensor, parameter, gradient);
             });
    kb_.part("updates");
    const auto see = [&](const StateTensor& tensor, const Matrix& gradient) {
      probes_.see("gradient of " + tensor.name + " of the whole batch", gradient);
    };
    shards.finish([&](const StateTensor& columns, const Matrix& value, const Matrix& gradient) {
      see(columns, gradient);
      updates.change(columns, value, gradient);
    });
    const auto finish = [&](const StateTensor& tensor, const StateMatrix& parameter,
                            const Matrix& gradient) {
      see(tensor, gradient);
      update(tensor, parameter, gradient);
    };
    sums.finish(finish);
    of_experts.finish(finish);
    return kb_.finish();
  }

  Executable evaluation() {
    const std::vector<Layers::CrossEntropy> losses = forward("x", true);
    if (!losses.empty())
      l_.store(kb_.output("losses", DType::kFp32, {tokens_, 1}), losses.front().loss);
    return kb_.finish();
  }

  Executable prediction() {
    forward("window", false);
    return kb_.finish();
  }

 private:
  static KernelBuilder& joined(KernelBuilder& kb, const Share& share) {
    if (share.ranks() > 1 && share.exchange != Share::Exchange::kNone)
      kb.join_parts(share.rank, share.ranks());
    return kb;
  }

  // A row of each micro-batch.
  Tensor characters(const char* name) {
    return kb_.input(name, DType::kInt32, {share_.micro_batches, tokens_});
  }

  // Of the last stage with labels the losses, without them an output "logits".
  std::vector<Layers::CrossEntropy> forward(const char* input, bool labelled) {
    std::vector<Layers::CrossEntropy> losses;
    std::optional<Tensor> x, labels;
    if (share_.first_stage()) x = characters(input);
    if (share_.last_stage() && labelled) labels = characters("labels");
    for (unsigned m = 0; m < share_.micro_batches; ++m) {
      std::optional<Matrix> label;
      if (labels) label = l_.load_column(*labels, tokens_, m);
      const Matrix in = x ? l_.load_column(*x, tokens_, m) : links_.receive(Way::kForward, m);
      const Matrix out = passes_[m].forward(in);
      if (!share_.last_stage()) {
        links_.send(Way::kForward, m, out);
      } else if (label) {
        losses.push_back(loss_of(out, *label));
      } else {
        l_.store(kb_.output("logits", DType::kFp32, {tokens_, spec_.alphabet}), out);
      }
    }
    return losses;
  }

  Layers::CrossEntropy loss_of(const Matrix& logits, const Matrix& labels) {
    kb_.part("loss");
    Layers::CrossEntropy loss = l_.cross_entropy(
        logits, labels, 1.0f / static_cast<float>(spec_.tokens()), spec_.operand());
    probes_.see("loss", loss.loss);
    probes_.see("gradient of the logits", loss.gradient);
    return loss;
  }

  // Row by row: all that metrics need.
  Layers::CrossEntropy sum_of(const std::vector<Layers::CrossEntropy>& losses) {
    if (losses.size() == 1) return losses.front();
    Layers::CrossEntropy sum{
        l_.filled(tokens_, 1, DType::kFp32, 0.0f), l_.filled(tokens_, 1, DType::kFp32, 0.0f), {}};
    for (const Layers::CrossEntropy& loss : losses) {
      l_.combine(sum.loss, sum.loss, Alu::kAdd, loss.loss);
      l_.combine(sum.correct, sum.correct, Alu::kAdd, loss.correct);
    }
    return sum;
  }

  // The gradients of all micro-batches are added in their order.
  void backward(const std::vector<Layers::CrossEntropy>& losses, const Update& update) {
    std::map<std::string, Matrix> sums;
    for (unsigned m = 0; m < share_.micro_batches; ++m) {
      const bool last = m + 1 == share_.micro_batches;
      const Matrix gradient =
          share_.last_stage() ? losses[m].gradient : links_.receive(Way::kBack, m);
      const Matrix in_front = passes_[m].backward(
          gradient,
          [&](const StateTensor& tensor, const StateMatrix& parameter, const Matrix& part) {
            const auto [sum, first] = sums.emplace(tensor.name, part);
            if (!first) l_.combine(sum->second, sum->second, Alu::kAdd, part);
            if (last) update(tensor, parameter, sum->second);
            if (last) sums.erase(sum);
          });
      if (!share_.first_stage()) links_.send(Way::kBack, m, in_front);
    }
  }

  using Way = StageLinks::Way;
  const TransformerSpec& spec_;
  const Share share_;
  const std::uint32_t tokens_;  // of a micro-batch
  KernelBuilder kb_;
  Layers l_;
  Probes probes_;
  WindowParts windows_;
  ExpertExchange experts_;
  std::vector<Transformer> passes_;  // of each micro-batch
  StageLinks links_;
};

// Windows of a rank.
std::uint32_t share_of(const TransformerSpec& spec, const Share& share) {
  check(spec, share);
  return spec.batch / share.data;
}

// The stage that has a parameter or its moments.
unsigned stage_of(const std::string& name, const TransformerSpec& spec, const Share& share) {
  const std::string of = parameter_of(name);
  if (of == "embedding") return 0;
  unsigned stage = share.pipeline - 1;
  if (of.front() != 'b') return stage;  // norm, logits
  const unsigned long block = std::stoul(of.substr(1));
  while (first_block_of(spec, share, stage) > block) --stage;
  return stage;
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

std::uint32_t TransformerSpec::slots() const {
  std::uint32_t slots = kSmallest;
  while (slots < Matrix::kSlab && static_cast<float>(slots * experts) < capacity * Matrix::kSlab)
    slots *= 2;
  return slots;
}

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
  require(spec.experts >= 1 && spec.experts <= TransformerSpec::kMaxExperts,
          fmt::format("1 to {} experts", TransformerSpec::kMaxExperts));
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
  const unsigned data = share.data, tensor = share.tensor;
  require(spec.batch % data == 0,
          fmt::format("a batch of {} windows cannot be shared by {} ranks", spec.batch, data));
  const std::uint32_t part = spec.context / share.sequence;
  require(spec.context % share.sequence == 0 && (share.sequence & (share.sequence - 1)) == 0 &&
              (share.sequence == 1 || part >= kLeastPart),
          fmt::format("windows of {} characters do not divide into {} equal parts of at least {}, "
                      "a power of two",
                      spec.context, share.sequence, kLeastPart));
  require(part <= TransformerSpec::kMaxPart,
          fmt::format("a rank has {} characters of a window, and has space for {}", part,
                      TransformerSpec::kMaxPart));
  require(spec.heads % tensor == 0 && spec.hidden % tensor == 0,
          fmt::format("{} heads and {} hidden columns do not divide among {} ranks", spec.heads,
                      spec.hidden, tensor));
  // A weight with one row would be taken for a bias.
  require(spec.hidden / tensor >= 2,
          fmt::format("{} hidden columns among {} ranks: at least 2 of each", spec.hidden, tensor));
  require(spec.experts == 1 || tensor == 1,
          fmt::format("experts, and {} parts of each layer: of blocks with experts there is one",
                      tensor));
  require(spec.experts > 1 || share.expert == 1,
          fmt::format("{} ranks for experts, and a network without (key 'network.experts')",
                      share.expert));
  require(spec.experts % share.expert == 0 && share.batch_parts() % share.expert == 0,
          fmt::format("{} experts and data * sequence = {} do not divide into {}", spec.experts,
                      share.batch_parts(), share.expert));
  require(share.expert % share.sequence == 0 || share.sequence % share.expert == 0,
          fmt::format("of {} parts of a window and {} of the experts one must divide the other",
                      share.sequence, share.expert));
  require(share.pipeline == 1 || share.pipeline <= spec.blocks,
          fmt::format("{} blocks are no pipeline of {} stages", spec.blocks, share.pipeline));
  require(spec.batch / data % share.micro_batches == 0,
          fmt::format("{} windows of a rank do not divide into {} micro-batches", spec.batch / data,
                      share.micro_batches));
}

std::uint64_t transformer_macs(const TransformerSpec& spec) {
  const std::uint64_t width = spec.width, hidden = spec.hidden;
  const std::uint64_t attention = 2 * std::uint64_t{spec.context} * width;  // scores, values
  const std::uint64_t router = spec.experts == 1 ? 0 : width * spec.experts;
  const std::uint64_t block = 4 * width * width + attention + 2 * width * hidden + router;
  return 3 * spec.tokens() * (spec.blocks * block + width * spec.alphabet);
}

std::uint32_t first_block_of(const TransformerSpec& spec, const Share& share, unsigned stage) {
  return spec.blocks * stage / share.pipeline;
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
    if (spec.experts > 1) dense(name + "router", width, spec.experts);
    for (std::uint32_t e = 0; e < spec.experts; ++e) {
      const std::string expert = spec.experts == 1 ? name : fmt::format("{}e{}.", name, e);
      dense(expert + "up", width, spec.hidden);
      dense(expert + "down", spec.hidden, width);
    }
  }
  norm("norm");
  dense("logits", width, spec.alphabet);
  return all;
}

namespace {

// Of the rank's stage and part of the layers.
TensorPart layer_part(const StateTensor& whole, const TransformerSpec& spec, const Share& share) {
  TensorPart part;
  const bool other_expert =
      divides_experts(whole, share) &&
      *expert_of(whole.name) / (spec.experts / share.expert) != share.expert_part();
  if (stage_of(whole.name, spec, share) != share.stage() || other_expert) {
    part.rows = {{0, 0}};
    return part;
  }
  if (share.tensor == 1) return part;
  const auto is = [&](const char* layer, const char* what) {
    return ends_with(whole.name, fmt::format(".{}.{}", layer, what));
  };
  const std::uint64_t inner = spec.width / share.tensor, hidden = spec.hidden / share.tensor;
  const std::uint64_t mine = share.layer_part_of(share.rank);
  if (is("qkv", "w") || is("qkv", "b")) {
    for (std::uint64_t which = 0; which < 3; ++which)
      part.columns.push_back({which * spec.width + mine * inner, inner});
  }
  if (is("up", "w") || is("up", "b")) part.columns = {{mine * hidden, hidden}};
  if (is("out", "w")) part.rows = {{mine * inner, inner}};
  if (is("down", "w")) part.rows = {{mine * hidden, hidden}};
  return part;
}

}  // namespace

TensorPart transformer_part(const StateTensor& whole, const TransformerSpec& spec,
                            const Share& share) {
  TensorPart part = layer_part(whole, spec, share);
  const StateTensor own = part_of(whole, part);
  if (!is_moment(whole.name) || divides_experts(whole, share) ||
      !ShardedUpdates::divides(own, share))
    return part;
  const std::uint64_t count = own.columns / share.batch_parts();
  part.columns = columns_within(part, whole, share.batch_part_of(share.rank) * count, count);
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
  // Ranks that have nothing to exchange know of no others.
  Share whole = share.sharers() * share.sequence * share.expert == 1 ? Share{} : share;
  whole.micro_batches = 1;
  return Program("evaluate", spec, batch, chip, nullptr, whole).evaluation();
}

Executable build_transformer_prediction(const TransformerSpec& spec, const ChipConfig& chip,
                                        const Share& share) {
  check(spec);
  Share group = share;
  const unsigned parts = std::max(share.sequence, share.expert);
  group.rank = share.rank % (parts * share.sharers());
  group.data = parts / share.sequence;
  group.micro_batches = 1;
  return Program("predict", spec, 1, chip, nullptr, group).prediction();
}

Model transformer_model(const TransformerSpec& spec, const Share& share) {
  check(spec);
  const std::uint32_t windows = share_of(spec, share), part = spec.context / share.sequence;
  const std::uint32_t tokens = windows * part;
  Model model;
  for (const StateTensor& parameter : transformer_parameters(spec)) {
    model.state.push_back(parameter);
    for (const StateTensor& moment : moments_of(parameter, spec)) model.state.push_back(moment);
  }
  if (share.sharers() * share.expert > 1 || share.scatter != nullptr) {
    for (const StateTensor& tensor : model.state)
      model.parts.push_back(transformer_part(tensor, spec, share));
  }
  model.sharers = share.sharers();
  model.samples = windows;
  model.sample_parts = share.sequence;
  model.group = std::max(share.sequence, share.expert) * share.sharers();
  model.reports = share.reports();
  model.stage = share.stage();
  model.x_bytes = std::uint64_t{tokens} * sizeof(std::int32_t);
  model.labels = tokens;
  model.evaluated = "losses";
  model.build_step = [spec, share](const ChipConfig& chip, std::vector<Probe>* probes) {
    return build_transformer_step(spec, chip, probes, share);
  };
  model.build_evaluation = [spec, share](const ChipConfig& chip) {
    return build_transformer_evaluation(spec, chip, share);
  };
  model.prediction = {part, spec.alphabet, [spec, share](const ChipConfig& chip) {
                        return build_transformer_prediction(spec, chip, share);
                      }};
  return model;
}

}  // namespace tern::train
