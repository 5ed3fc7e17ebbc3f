// SPDX-License-Identifier: Apache-2.0
#include "sw/nrt/log.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "sw/base/text.h"

namespace tern::nrt {

namespace {

LogLevel level_asked_for() {
  const char* value = std::getenv("NEURON_RT_LOG_LEVEL");
  std::string text = value == nullptr ? "" : value;
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (text.rfind("warn", 0) == 0) return LogLevel::kWarn;
  if (text == "info") return LogLevel::kInfo;
  if (text == "debug" || text == "trace") return LogLevel::kDebug;
  return LogLevel::kError;
}

}  // namespace

void log(LogLevel level, const std::string& message) {
  static const LogLevel limit = level_asked_for();
  static constexpr const char* kNames[] = {"ERROR", "WARN", "INFO", "DEBUG"};
  if (level > limit) return;
  base::to_stderr(std::string("tern-nrt: ") + kNames[static_cast<int>(level)] + ": " + message +
                  "\n");
}

}  // namespace tern::nrt
