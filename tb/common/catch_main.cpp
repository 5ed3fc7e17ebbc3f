// SPDX-License-Identifier: Apache-2.0
#define CATCH_CONFIG_RUNNER
#define CATCH_CONFIG_DEFAULT_REPORTER "tern"
#include <catch2/catch.hpp>

#include "tb/common/reporter.h"
#include "tb/common/wave_listener.h"

int main(int argc, char** argv) {
  return tern::tb::run_tests(argc, argv);
}
