// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "sw/config/hbm_config.h"

namespace tern::hbm {

// A setting that is out of range, or does not go with the others: its key without "hbm.".
struct Misfit {
  std::string key, expected;
};

std::optional<Misfit> first_misfit(const Config& config);

}  // namespace tern::hbm
