// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace tern::app {

// The options of `tern ls`.
struct LsOptions {
  bool presets = false;  // chips that could run, instead of those that do
  bool json = false;
};

// The options of `tern top`.
struct TopOptions {
  double period_s = 2;
  bool once = false;
  std::optional<int> pid;  // only this process
};

// The options of `tern monitor`.
struct MonitorOptions {
  double period_s = 1;
  std::uint64_t count = 0;  // lines; 0: without end
  std::optional<int> pid;
};

constexpr double kMinPeriodS = 0.05, kMaxPeriodS = 86'400;

// The commands; each returns the exit code: 0, or 1 where nothing runs that was asked for, or the
// folder of live states is refused.
int ls_command(const LsOptions& options);
int top_command(const TopOptions& options);
int monitor_command(const MonitorOptions& options);

}  // namespace tern::app
