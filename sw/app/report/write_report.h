// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sw/app/report/report.h"

namespace tern::app {

// The end of every run and measurement. With a folder, writes NAME.html, NAME.md, NAME.json,
// pictures and data files there. Prints the data with json, otherwise the text. Returns the exit
// code.
int write_report(const Report& report, const std::string& folder, bool json);
// Its first half: the files, if there is a folder. Returns the path of the page.
std::string write_report_files(const Report& report, const std::string& folder);

}  // namespace tern::app
