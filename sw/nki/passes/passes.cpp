// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/passes/passes.h"

namespace tern::nki {

const std::vector<Pass>& passes() {
  static const std::vector<Pass> all = {
      {"author_order", author_order}, {"check_use", check_use},    {"accumulate", accumulate},
      {"drop_dead", drop_dead},       {"engines", choose_engines}, {"reuse", reuse},
      {"psum_tiles", psum_tiles},     {"legalize", legalize},      {"spill", spill},
      {"schedule", schedule},         {"allocate", allocate},
  };
  return all;
}

}  // namespace tern::nki
