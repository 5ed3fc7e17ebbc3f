// SPDX-License-Identifier: Apache-2.0
#include "sw/platform/chips/system_rest.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sw/runtime/status.h"
#include "systemc/trace/sim_time.h"

namespace tern {

runtime::RunResult SystemRest::wait(unsigned n, runtime::Runtime& runtime,
                                    runtime::Program& program, double limit_seconds) {
  runtime.set_others_rest([this] { return elsewhere_ && here(); });
  waits_.push_back({n, &runtime, &program});
  const auto end = [&] {
    waits_.erase(std::find_if(waits_.begin(), waits_.end(),
                              [&](const Wait& wait) { return wait.program == &program; }));
  };
  try {
    runtime::RunResult result = runtime.wait(program, limit_seconds);
    end();
    return result;
  } catch (const runtime::DeadlockError&) {
    const std::string all = here() ? text() : "";
    end();
    if (all.empty()) throw;
    throw runtime::DeadlockError(all);
  } catch (...) {
    end();
    throw;
  }
}

// Chips in their order; those that wait in the same place together.
std::string SystemRest::text() const {
  std::vector<Wait> waits = waits_;
  std::sort(waits.begin(), waits.end(),
            [](const Wait& a, const Wait& b) { return a.chip < b.chip; });
  std::vector<std::string> reasons;
  std::map<std::string, std::vector<std::string>> chips;
  for (const Wait& wait : waits) {
    const std::string reason =
        fmt::format("program '{}' on core {}:\n{}", wait.program->executable().name,
                    wait.program->core(), wait.runtime->explain_waits(*wait.program));
    if (chips[reason].empty()) reasons.push_back(reason);
    chips[reason].push_back(chips_.name(wait.chip));
  }
  std::string text = fmt::format(
      "deadlock: at {:.3f} us of simulated time nothing is in flight on any chip or between them, "
      "and every program waits",
      static_cast<double>(now_fs()) * 1e-9);
  for (const std::string& reason : reasons)
    text += fmt::format("\n{}, {}", fmt::join(chips[reason], ", "), reason);
  return text;
}

}  // namespace tern
