// SPDX-License-Identifier: Apache-2.0
#include "systemc/fabric/traffic/mix.h"

#include <fmt/format.h>

#include "sw/base/user_error.h"

namespace tern::fabric {

Mix mix_of(const std::vector<Traffic>& patterns, const system::Fabric& fabric) {
  Mix mix;
  std::uint32_t streams = 0;
  for (const Traffic& pattern : patterns) {
    const std::vector<Transfer> round = transfers_of(pattern, fabric);
    if (round.size() > (kMostTransfers - mix.transfers.size()) / pattern.rounds) {
      throw UserError(fmt::format(
          "{}: {} times {} transfers, after {} of other patterns: at most {} in all",
          pattern.pattern, pattern.rounds, round.size(), mix.transfers.size(), kMostTransfers));
    }
    for (unsigned n = 0; n < pattern.rounds; ++n) {
      for (Transfer transfer : round) {
        transfer.stream += streams;
        transfer.tag = mix.transfers.size();
        mix.transfers.push_back(transfer);
        mix.sent.push_back(pattern.at + n * pattern.every);
      }
    }
    streams += pattern.streams;
  }
  return mix;
}

}  // namespace tern::fabric
