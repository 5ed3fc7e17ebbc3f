// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sw/app/report/report.h"

namespace tern::app {

// How every run and measurement ends. With a folder, writes NAME.html, NAME.md, NAME.json, pictures
// and data files there. Prints the data with json, else the text. The exit code.
int write_report(const Report& report, const std::string& folder, bool json);

}  // namespace tern::app
