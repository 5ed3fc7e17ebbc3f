// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "sw/app/plan/plan.h"
#include "sw/config/chip_config.h"
#include "sw/train/batches.h"
#include "sw/train/transformer_training.h"

namespace tern::tb {

// A transformer of 2 blocks, width 32 and 2 heads on windows of 16 of 11 characters.
train::TransformerSpec small_spec(std::uint32_t batch);

// From the keys of a section `plan`, as file plan.yaml.
app::Plan plan_of(const std::string& keys);
// Of each rank.
std::vector<train::Model> models_of(const train::TransformerSpec& spec, const app::Plan& plan);

train::Batch random_batch(const train::TransformerSpec& spec, std::mt19937_64* random);

float float_at(const std::vector<std::uint8_t>& bytes, std::size_t at);

ChipConfig trn3();

}  // namespace tern::tb
