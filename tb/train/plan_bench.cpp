// SPDX-License-Identifier: Apache-2.0
#include "tb/train/plan_bench.h"

#include <algorithm>
#include <cstring>

#include "sw/config/load_chip_config.h"

namespace tern::tb {

using app::Plan;
using train::TransformerSpec;

TransformerSpec small_spec(std::uint32_t batch) {
  TransformerSpec spec;
  spec.alphabet = 11;
  spec.context = 16;
  spec.batch = batch;
  spec.width = 32;
  spec.heads = 2;
  spec.blocks = 2;
  spec.hidden = 72;
  return spec;
}

Plan plan_of(const std::string& keys) {
  const auto map = config::YamlMap::from_text("plan: {" + keys + "}\n", "plan.yaml");
  Plan plan = app::load_plan(map.get("plan"));
  map.finish();
  return plan;
}

std::vector<train::Model> models_of(const TransformerSpec& spec, const Plan& plan) {
  Plan::Sizes sizes;
  sizes.bucket_bytes = 100'000;
  sizes.activation_bytes = 8192;
  sizes.row_elements = spec.width;
  sizes.window_bytes = 4096;
  sizes.window_elements = spec.context * spec.width / plan.grid.tensor;
  sizes.expert_elements = plan.grid.expert * spec.slots() * spec.width / 2;
  const collectives::RankSchedules sums = plan.sums(sizes);
  train::Share share;
  static_cast<collectives::RankGrid&>(share) = plan.grid;
  share.micro_batches = std::max(plan.micro_batches, 1u);
  static_cast<collectives::RankSchedules&>(share) = sums;
  std::vector<train::Model> models;
  for (share.rank = 0; share.rank < share.ranks(); ++share.rank)
    models.push_back(train::transformer_model(spec, share));
  return models;
}

train::Batch random_batch(const TransformerSpec& spec, std::mt19937_64* random) {
  train::Batch batch;
  std::vector<std::int32_t> characters;
  for (std::uint32_t i = 0; i < spec.tokens(); ++i) {
    characters.push_back(static_cast<std::int32_t>((*random)() % spec.alphabet));
    batch.labels.push_back(static_cast<std::int32_t>((*random)() % spec.alphabet));
  }
  batch.x.resize(characters.size() * sizeof characters[0]);
  std::memcpy(batch.x.data(), characters.data(), batch.x.size());
  return batch;
}

float float_at(const std::vector<std::uint8_t>& bytes, std::size_t at) {
  float value = 0;
  std::memcpy(&value, &bytes[at], sizeof value);
  return value;
}

ChipConfig trn3() {
  return load_chip_config("trn3").chip;
}

}  // namespace tern::tb
