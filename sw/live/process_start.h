// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace tern::live {

// When a process of this machine started, in ticks since its boot; none: there is no such process,
// or only its exit code is left. A number of a process is given again: this tells two apart.
std::optional<std::uint64_t> process_start(int pid);

}  // namespace tern::live
