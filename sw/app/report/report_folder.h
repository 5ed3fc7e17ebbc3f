// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tern::app {

// Makes the folder of --report; a UserError now, not after a long run, when nothing can be written
// there. Empty: no report.
void prepare_report_folder(const std::string& folder);

}  // namespace tern::app
