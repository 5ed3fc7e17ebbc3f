// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/run/run_hint.h"

#include <fmt/format.h>

#include "sw/base/text.h"

namespace tern::nki {

void RunHint::operator()(std::uint64_t simulated_fs) {
  if (Clock::now() - begin_ < next_) return;
  base::to_stderr(fmt::format(
      "tern: kernel {} still runs: {:.3f} ms simulated in {} s; Ctrl-C ends it\n",
      base::printable(kernel_), static_cast<double>(simulated_fs) * 1e-12, next_.count()));
  next_ *= 2;
}

}  // namespace tern::nki
