// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/rtl_coverage.h"

#include <fmt/format.h>
#include <unistd.h>
#include <verilated.h>
#include <verilated_cov.h>

#include <cstdint>
#include <cstdlib>
#include <string>

namespace tern::cosim {

void write_rtl_coverage(VerilatedContext* context) {
#if VM_COVERAGE
  const char* folder = std::getenv("TERN_RTL_COVERAGE_DIR");
  if (folder == nullptr) return;
  // This function exists once in every shared object: the address tells their files apart.
  static unsigned count = 0;
  const std::string name =
      fmt::format("{}-{:x}-{}.dat", getpid(), reinterpret_cast<std::uintptr_t>(&count), count++);
  // Generated cover points by themselves, not as one.
  context->coveragep()->forcePerInstance(true);
  context->coveragep()->write((std::string(folder) + "/" + name).c_str());
#else
  static_cast<void>(context);
#endif
}

}  // namespace tern::cosim
