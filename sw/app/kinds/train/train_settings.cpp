// SPDX-License-Identifier: Apache-2.0
// What a training is, in words and for its checkpoints; which chips it can run on.
#include <fmt/format.h>

#include "sw/app/kinds/train/train_workload.h"
#include "sw/app/report/text.h"
#include "sw/base/checksum.h"
#include "sw/base/text.h"
#include "sw/base/user_error.h"
#include "sw/collectives/schedule_file.h"

namespace tern::app {

const char* precision_name(train::Precision precision) {
  static constexpr const char* kNames[] = {"bf16", "mxfp8", "stochastic", "fp32"};
  return kNames[static_cast<unsigned>(precision)];
}

const char* optimiser_name(train::Optimiser optimiser) {
  return optimiser == train::Optimiser::kSgd ? "sgd" : "adamw";
}

namespace {

std::string network_text(const TrainWorkload& w) {
  if (w.text) {
    const train::TransformerSpec& spec = w.text->spec;
    std::string network =
        fmt::format("transformer of {} blocks, width {}, {} heads, hidden {}, context {}",
                    spec.blocks, spec.width, spec.heads, spec.hidden, spec.context);
    if (spec.experts > 1)
      network += fmt::format(", {} experts of {} slots, balance {}", spec.experts, spec.slots(),
                             spec.balance);
    return network;
  }
  std::string sizes;
  for (const std::uint32_t size : w.images->spec.sizes)
    sizes += (sizes.empty() ? "" : "-") + fmt::format("{}", size);
  return sizes;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> TrainWorkload::settings(
    std::uint64_t seed, const ChipConfig& chip) const {
  std::vector<std::pair<std::string, std::string>> all = {{"network", network_text(*this)}};
  const auto add = [&](const char* name, const auto& value) {
    all.emplace_back(name, fmt::format("{}", value));
  };
  if (text && text->plan) {
    const train::Share share = text->share(0);
    if (share.ranks() > 1 || share.micro_batches > 1)
      add(kPlanSetting, fmt::format("{},{},{},{},{},{}", share.data, share.sequence, share.pipeline,
                                    share.tensor, share.expert, share.micro_batches));
  }
  add("batch", text ? text->spec.batch : images->spec.batch);
  if (images) add("epochs", images->epochs);
  if (text) add("steps", text->steps);
  add("precision", precision_name(text ? text->spec.precision : images->spec.precision));
  const auto& rules = text ? static_cast<const train::OptimiserRules&>(text->spec) : images->spec;
  add("optimiser", optimiser_name(rules.optimiser));
  add("momentum", rules.momentum);
  add("beta1", rules.beta1);
  add("beta2", rules.beta2);
  add("epsilon", rules.epsilon);
  add("weight_decay", rules.weight_decay);
  add("learning_rate", schedule.rate);
  add("schedule", static_cast<unsigned>(schedule.kind));
  add("warmup", schedule.warmup);
  add("end", schedule.end);
  add("seed", seed);
  add("chip", printable(chip.name));
  // Without it kernels take another function (sw/layers/elements.cpp).
  add("exponential instruction", chip.core.vector.exp_per_cycle != 0);
  if (images) {
    add("scale", images->scale);
    add("training images", images->training->count);
    add("test images", images->test->count);
    if (images->cores > 1) add("cores", images->cores);
    if (images->pruning) {
      add("prune", images->pruning->pattern);
      add("after_epochs", images->pruning->after_epochs);
    }
  } else {
    add("alphabet", text->corpus->alphabet());
    add("characters", text->corpus->characters());
    add("held out", text->corpus->held_out());
    add("evaluated every", text->evaluate_every);
    add("evaluated windows", text->evaluated);
    // The order of the sums is that of the schedule, wherever its ranks are.
    const auto add_sum = [&](const char* name, const auto& sum) {
      if (sum == nullptr) return;
      add(name, fmt::format("{} among {} ranks, 0x{:08x}", sum->name, sum->problem.ranks,
                            base::crc32_of(collectives::text_of(*sum))));
    };
    add_sum("sums of gradients", text->sums.gradients);
    add_sum("sums of activations", text->sums.activations);
    add_sum("sums of keys' and values' gradients", text->sums.window_scatter);
    add_sum("sums of experts' gradients", text->sums.expert_gradients);
    add_sum(kScatterSetting, text->sums.scatter);
    add_sum("gathered parameters", text->sums.gather);
  }
  if (start) all.emplace_back("start", fmt::format("0x{:08x}", start->crc32));
  for (const auto& [name, crc] : checksums) all.emplace_back(name, fmt::format("0x{:08x}", crc));
  return all;
}

std::string TrainWorkload::describe() const {
  if (text) {
    return fmt::format("train {} on {} characters, {} steps of {} windows, {}, {}{}",
                       network_text(*this), grouped(text->corpus->training()), grouped(text->steps),
                       text->spec.batch, precision_name(text->spec.precision),
                       optimiser_name(text->spec.optimiser),
                       text->plan ? ", on " + text->plan->describe() : "");
  }
  if (images->scaling) {
    return fmt::format("train mlp {}, {} steps, {}, {}", network_text(*this),
                       images->scaling->steps, precision_name(images->spec.precision),
                       optimiser_name(images->spec.optimiser));
  }
  return fmt::format("train mlp {}, {} images, {} in batches of {}, {}, {}", network_text(*this),
                     grouped(images->training->count), base::counted(images->epochs, "epoch"),
                     images->spec.batch, precision_name(images->spec.precision),
                     optimiser_name(images->spec.optimiser));
}

void ImageTraining::check_cores(const ChipConfig& chip, unsigned wanted) const {
  if (wanted > chip.cores) {
    throw UserError(fmt::format("{}: expected at most the {} of chip '{}', got {}", cores_source,
                                chip.cores, chip.name, wanted));
  }
  if (wanted > 1 && !chip.dma.near_memory_add) {
    throw UserError(fmt::format(
        "{}: chip '{}' does not add near the memory, which sums over cores need; trn3 does",
        cores_source, chip.name));
  }
}

}  // namespace tern::app
