// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tern::app {

// Indented, ends in a line feed. Harmless on a terminal, too: what is not UTF-8 (file names are
// bytes) becomes U+FFFD; DEL, the controls U+0080 to U+009F and the characters that turn the
// direction of writing are written as \u escapes, which every reader takes for the same text.
std::string json_text(const nlohmann::ordered_json& value);

}  // namespace tern::app
