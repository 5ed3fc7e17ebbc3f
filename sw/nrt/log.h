// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tern::nrt {

// Lines on the standard error, as NEURON_RT_LOG_LEVEL asks: error (the default), warn, info, debug.
enum class LogLevel { kError, kWarn, kInfo, kDebug };

void log(LogLevel level, const std::string& message);

}  // namespace tern::nrt
