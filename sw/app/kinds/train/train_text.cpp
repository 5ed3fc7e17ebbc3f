// SPDX-License-Identifier: Apache-2.0
// Training of a transformer on the characters of a text.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "sw/app/kinds/train/train_task.h"
#include "sw/base/math.h"
#include "sw/layers/matrix.h"
#include "sw/train/gradient_sums.h"

namespace tern::app {
namespace {

std::vector<train::Model> models_of(const TextTraining& w) {
  std::vector<train::Model> models;
  for (unsigned rank = 0; rank < w.ranks(); ++rank)
    models.push_back(train::transformer_model(w.spec, w.share(rank)));
  return models;
}

class TextTask : public TrainTask {
 public:
  TextTask(const TextTraining& training, std::uint64_t seed)
      : w_(training),
        seed_(seed),
        models_(models_of(w_)),
        order_(w_.corpus->training_windows(w_.spec.context), w_.spec.batch, seed) {}

  const std::vector<train::Model>& models() const override { return models_; }
  std::vector<std::vector<train::Model>> alone() const override {
    std::vector<std::vector<train::Model>> chips;
    if (w_.ranks() == 1) return chips;
    const unsigned cores = w_.plan->cores;
    const collectives::RankGrid& grid = w_.plan->grid;
    // Stages, and parts of windows, of a chip's ranks: what follows attends to more.
    std::set<std::vector<std::pair<unsigned, unsigned>>> seen;
    for (unsigned first = 0; first < w_.ranks(); first += cores) {
      std::vector<std::pair<unsigned, unsigned>> parts;
      for (unsigned rank = first; rank < first + cores; ++rank)
        parts.emplace_back(grid.stage_of(rank), grid.sequence_part_of(rank));
      if (seen.insert(parts).second)
        chips.push_back(models(first, cores, train::Share::Exchange::kNone));
    }
    return chips;
  }
  std::vector<train::Model> handshakes() const override {
    if (!w_.plan || w_.plan->grid.pipeline == 1) return {};
    return models(0, w_.ranks(), train::Share::Exchange::kHandshakes);
  }
  const train::OptimiserRules& rules() const override { return w_.spec; }
  std::uint64_t evaluations() const override { return ceil_div(w_.steps, w_.evaluate_every); }
  std::uint64_t steps_of(std::uint64_t evaluations) const override {
    return std::min(evaluations * w_.evaluate_every, w_.steps);
  }
  train::Batch batch(std::uint64_t step) override {
    return w_.corpus->batch(order_.of_step(step), w_.spec.context);
  }

  // The losses of the windows held out. The last batch is filled up with the first windows, which
  // do not count again.
  double evaluate(TrainingChip& chip) override {
    double sum = 0;
    for (std::uint64_t first = 0; first < w_.evaluated; first += w_.spec.batch) {
      std::vector<std::uint32_t> windows;
      for (std::uint64_t i = 0; i < w_.spec.batch; ++i)
        windows.push_back(held_out((first + i) % w_.evaluated));
      const std::vector<float> losses = chip.evaluate(w_.corpus->batch(windows, w_.spec.context));
      const std::uint64_t count = std::min<std::uint64_t>(w_.spec.batch, w_.evaluated - first);
      for (std::uint64_t i = 0; i < count * w_.spec.context; ++i)
        sum += static_cast<double>(losses[i]);
    }
    return sum;
  }

  std::string note(double sum) const override {
    return fmt::format("held out {:.4f}", sum / characters());
  }

  void begin(TrainRecord* record) const override {
    record->batch = w_.spec.tokens();
    record->cores = w_.ranks();
    if (w_.plan) {
      const auto name_of = [](const std::shared_ptr<const collectives::Schedule>& sum) {
        return sum ? sum->name : std::string();
      };
      PlanRecord& plan = record->plan.emplace();
      plan.description = w_.plan->describe();
      plan.sum = name_of(w_.sums.gradients);
      plan.tensor_sum = name_of(w_.sums.activations);
      plan.sequence_sum = name_of(w_.sums.window_gather);
      if (const std::string back = name_of(w_.sums.window_scatter); back != plan.sequence_sum)
        plan.sequence_sum += ", back " + back;
      plan.expert_exchange = name_of(w_.sums.expert_exchange);
      plan.choices = w_.choices;
      plan.optimiser_sharding = w_.sums.scatter != nullptr;
      plan.chips = static_cast<unsigned>(w_.plan->chips.size());
      plan.cores = w_.plan->cores;
      plan.grid = w_.plan->grid;
      plan.micro_batches = w_.plan->micro_batches;
      plan.model_macs = train::transformer_macs(w_.spec);
    }
    const train::TextEntropy entropy = w_.corpus->entropy();
    TextRecord& text = record->text.emplace();
    text.alphabet = w_.corpus->alphabet().size();
    text.training = w_.corpus->training();
    text.held_out = w_.corpus->held_out();
    text.left_out = w_.corpus->left_out();
    text.evaluated = w_.evaluated * w_.spec.context;
    text.unigram = entropy.unigram;
    text.bigram = entropy.bigram;
    text.loss_expected = w_.loss;
    text.temperature = w_.sample.temperature;
    text.prompt = w_.sample.prompt;
  }

  void score(double sum, TrainRecord::Epoch* epoch) const override {
    epoch->held_out = sum / characters();
  }

  void finish(TrainingChip& chip, const train::Checkpoint& /*now*/, TrainRecord* record) override {
    record->text->sample = sample(chip);
  }

 private:
  std::vector<train::Model> models(unsigned first, unsigned count,
                                   train::Share::Exchange exchange) const {
    std::vector<train::Model> models;
    for (unsigned rank = first; rank < first + count; ++rank) {
      train::Share share = w_.share(rank);
      share.exchange = exchange;
      models.push_back(train::transformer_model(w_.spec, share));
    }
    return models;
  }

  double characters() const { return static_cast<double>(w_.evaluated * w_.spec.context); }

  // The i-th of those that are evaluated: evenly over all.
  std::uint32_t held_out(std::uint64_t i) const {
    const std::uint64_t all = w_.corpus->held_out_windows(w_.spec.context);
    return static_cast<std::uint32_t>(w_.corpus->training_windows(w_.spec.context) +
                                      i * all / w_.evaluated);
  }

  // Character by character after the prompt: the chip gives the logits, the host draws.
  std::string sample(TrainingChip& chip) const {
    const std::uint32_t context = w_.spec.context, alphabet = w_.spec.alphabet;
    std::vector<std::int32_t> text = w_.corpus->encode(w_.sample.prompt);
    const std::size_t given = text.size();
    std::mt19937_64 engine(seed_);
    while (text.size() < given + w_.sample.characters) {
      const std::size_t seen = std::min<std::size_t>(text.size(), context);
      std::vector<std::int32_t> window(text.end() - static_cast<std::ptrdiff_t>(seen), text.end());
      window.resize(context);  // what follows the text is not seen
      const std::vector<float> logits = chip.predict(window);
      text.push_back(draw(&logits[(seen - 1) * alphabet], engine));
    }
    text.erase(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(given));
    return w_.corpus->decode(text);
  }

  std::int32_t draw(const float* logits, std::mt19937_64& engine) const {
    const std::uint32_t alphabet = w_.spec.alphabet;
    const float* best = std::max_element(logits, logits + alphabet);
    if (w_.sample.temperature == 0) return static_cast<std::int32_t>(best - logits);
    std::vector<double> weights;
    double sum = 0;
    for (std::uint32_t c = 0; c < alphabet; ++c) {
      weights.push_back(std::exp((static_cast<double>(logits[c]) - static_cast<double>(*best)) /
                                 w_.sample.temperature));
      sum += weights.back();
    }
    // Spelt out: the standard's distributions differ between libraries.
    double left = static_cast<double>(engine() >> 11) * 0x1p-53 * sum;
    for (std::uint32_t c = 0; c + 1 < alphabet; ++c) {
      left -= weights[c];
      if (left < 0) return static_cast<std::int32_t>(c);
    }
    return static_cast<std::int32_t>(alphabet - 1);
  }

  const TextTraining& w_;
  const std::uint64_t seed_;
  const std::vector<train::Model> models_;
  train::SampleOrder order_;
};

}  // namespace

bool TextTraining::fills_slabs(const collectives::RankGrid& grid, unsigned micro_batches) const {
  const std::uint32_t windows = spec.batch / grid.data;
  return windows % micro_batches == 0 &&
         windows / micro_batches * (spec.context / grid.sequence) % layers::Matrix::kSlab == 0;
}

void TextTraining::divide(const Division& division) {
  static_cast<Division&>(*plan) = division;
  plan->sharding_open = false;
  const collectives::RankGrid& grid = plan->grid;
  if (plan->micro_batches == 0) {
    plan->micro_batches = grid.pipeline;
    while (plan->micro_batches > 1 && !fills_slabs(grid, plan->micro_batches))
      --plan->micro_batches;
  }
  sums = {};
  try {
    train::check(spec, share(0));
  } catch (const UserError& error) {
    throw UserError(fmt::format("{}: {}", plan->place, error.what()));
  }
  std::uint64_t bytes = 0;
  for (const train::StateTensor& parameter : train::transformer_parameters(spec))
    bytes += parameter.bytes();
  const std::uint64_t row = spec.width;
  const std::uint64_t tokens = spec.tokens() / grid.batch_parts() / plan->micro_batches;
  Plan::Sizes sizes;
  sizes.bucket_bytes =
      std::min(bytes / grid.sharers(), train::GradientSums::kBucket * sizeof(float));
  sizes.activation_bytes = tokens * row * sizeof(float);
  sizes.row_elements = row;
  // Keys and values of a rank's heads; a prediction has them of one window.
  const std::uint64_t keys = row / grid.tensor;
  const std::uint64_t size = numerics::dtype_size(spec.operand());
  sizes.window_bytes = 2 * keys * tokens * grid.sequence * size;
  sizes.window_elements = 2 * keys * spec.context * size / sizeof(float);
  // The slots of a slab for the experts of each rank.
  const std::uint64_t slots = std::uint64_t{grid.expert} * spec.slots() * row;
  sizes.expert_bytes = slots * size;
  sizes.expert_elements = sizes.expert_bytes / sizeof(float);
  choices.clear();
  sums = plan->sums(sizes, &choices);
}

train::Share TextTraining::share(unsigned rank) const {
  train::Share share;
  share.rank = rank;
  if (!plan) return share;
  static_cast<collectives::RankGrid&>(share) = plan->grid;
  static_cast<collectives::RankSchedules&>(share) = sums;
  share.micro_batches = plan->micro_batches;
  return share;
}

std::unique_ptr<TrainTask> make_text_task(const TextTraining& training, std::uint64_t seed) {
  return std::make_unique<TextTask>(training, seed);
}

}  // namespace tern::app
