// SPDX-License-Identifier: Apache-2.0
// SystemC owns main() and calls sc_main: run the Catch session there.
#define CATCH_CONFIG_RUNNER
#define CATCH_CONFIG_DEFAULT_REPORTER "tern"
#include <catch2/catch.hpp>
#include <systemc>

#include "tb/common/reporter.h"
#include "tb/common/wave_listener.h"

int sc_main(int argc, char** argv) {
  return Catch::Session().run(argc, argv);
}
