// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

namespace tern::live {

// Where the simulations of this user show themselves: $TERN_RUN_DIR, else $XDG_RUNTIME_DIR/tern,
// else /tmp/tern-UID. None: TERN_RUN_DIR is "off".
std::optional<std::filesystem::path> run_folder();

// Makes it, for this user alone, unless it exists. Throws UserError if it is not a folder of this
// user, or if others may write there.
void make_run_folder(const std::filesystem::path& folder);
// False: there is none. Throws likewise.
bool check_run_folder(const std::filesystem::path& folder);

}  // namespace tern::live
