// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tern::app {

// Creates the folder of --report: if it cannot be written, the UserError comes now and not after a
// long run. Empty: no report.
void prepare_report_folder(const std::string& folder);

}  // namespace tern::app
