// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace tern::base {

// Text from a file, suitable for a one-line message: quoted, truncated, unprintable bytes as
// \xNN.
std::string printable(std::string_view text);

}  // namespace tern::base
