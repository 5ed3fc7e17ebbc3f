// SPDX-License-Identifier: Apache-2.0
#include "sw/base/memory_limit.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

namespace tern::base {

std::uint64_t memory_limit() {
  const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
  std::uint64_t limit = UINT64_MAX;
  if (pages > 0 && bytes > 0)
    limit = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(bytes);
  rlimit allowed{};
  if (getrlimit(RLIMIT_AS, &allowed) == 0 && allowed.rlim_cur != RLIM_INFINITY)
    limit = std::min<std::uint64_t>(limit, allowed.rlim_cur);
  return limit;
}

std::string lack_of_memory(double bytes) {
  const auto limit = static_cast<double>(memory_limit());
  if (bytes <= limit) return {};
  return fmt::format("needs {:.1f} GB of memory, there are {:.1f}", bytes * 1e-9, limit * 1e-9);
}

}  // namespace tern::base
