// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tern::app {

// Whether the report NAME in this folder may write the file, or does so on its way (.partial).
bool is_place_of_report(const std::string& folder, const std::string& name,
                        const std::string& file);

// Creates the folder of --report: if the report NAME cannot be written there, the UserError comes
// now and not after a long run. Empty: no report. The folders that were not there, innermost
// first.
std::vector<std::filesystem::path> prepare_report_folder(const std::string& folder,
                                                         const std::string& name);

// After a refusal nothing is left: removes these folders as far as they are empty.
void remove_empty_folders(const std::vector<std::filesystem::path>& folders);

}  // namespace tern::app
