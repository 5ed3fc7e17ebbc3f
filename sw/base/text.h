// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace tern::base {

// Text from a file as it may stand in a one-line message: quoted, cut short, unprintable bytes as
// \xNN.
std::string printable(std::string_view text);

}  // namespace tern::base
