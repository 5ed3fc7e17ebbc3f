// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sw/app/collectives/cc_command.h"
#include "sw/app/collectives/cc_record.h"
#include "sw/collectives/algorithms/algorithms.h"

namespace tern::app {

// What a table of algorithms says, for `tern cc -a table`.
struct CcChoice {
  std::map<std::uint64_t, std::string> chosen;  // by size; sizes without one are to be measured
  std::string note;                             // of whose choice it is, or why there is none
};

// Tern's own table says nothing of what it was not measured for; a user's says what it has for the
// nearest group. `system` is as the user names it. Throws UserError: the table is no good one.
CcChoice look_up(const CcOptions& options, const std::string& system, const CcRecord& record,
                 const collectives::Axes& axes, const std::vector<std::uint64_t>& sizes);

}  // namespace tern::app
