// SPDX-License-Identifier: Apache-2.0
#define CATCH_CONFIG_MAIN
#define CATCH_CONFIG_DEFAULT_REPORTER "tern"
#include <catch2/catch.hpp>

#include "tb/common/reporter.h"
#include "tb/common/wave_listener.h"
