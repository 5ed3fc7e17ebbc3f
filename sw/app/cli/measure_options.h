// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "sw/app/cli/options.h"

namespace tern::app {

// The commands `tern hbm`, `tern dma` and `tern fidelity`; of the first two also what their options
// mean together (UserError: nothing).
void add_hbm(CLI::App* app, HbmOptions* options, std::vector<std::string>* settings);
void check_together(const CLI::App& hbm, const HbmOptions& options);
void add_dma(CLI::App* app, DmaOptions* options, std::vector<std::string>* settings);
void complete(const CLI::App& dma, DmaOptions* options);
void add_fidelity(CLI::App* app, FidelityOptions* options);

}  // namespace tern::app
