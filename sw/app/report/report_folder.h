// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tern::app {

// Whether the report NAME in this folder may write the file, or does so on its way (.partial).
bool is_place_of_report(const std::string& folder, const std::string& name,
                        const std::string& file);

// Creates the folder of --report: if the report NAME cannot be written there, the UserError comes
// now and not after a long run. Empty: no report.
void prepare_report_folder(const std::string& folder, const std::string& name);

}  // namespace tern::app
