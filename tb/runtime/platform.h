// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/platform/platform.h"

namespace tern::tb {

using tern::Platform;

}  // namespace tern::tb
