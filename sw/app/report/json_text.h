// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tern::app {

// Indented, ends in a line feed. Harmless on a terminal, too. What is not UTF-8 becomes U+FFFD:
// file names are bytes. DEL, the controls U+0080 to U+009F and the characters that turn the
// direction of writing become \u escapes, which every reader takes for the same text.
std::string json_text(const nlohmann::ordered_json& value);
// The same in one line.
std::string json_line(const nlohmann::ordered_json& value);

}  // namespace tern::app
