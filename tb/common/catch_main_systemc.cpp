// SPDX-License-Identifier: Apache-2.0
// SystemC owns main() and calls sc_main: run the Catch session there.
#define CATCH_CONFIG_RUNNER
#define CATCH_CONFIG_DEFAULT_REPORTER "tern"
#include <catch2/catch.hpp>
#include <cstdlib>
#include <systemc>

#include "tb/common/reporter.h"
#include "tb/common/wave_listener.h"

namespace {

// SystemC prints its version before sc_main.
[[maybe_unused]] const int kQuiet = setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);

}  // namespace

int sc_main(int argc, char** argv) {
  // "Simulation stopped by user."
  sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_INFO,
                                          sc_core::SC_DO_NOTHING);
  return tern::tb::run_tests(argc, argv);
}
