// SPDX-License-Identifier: Apache-2.0
// A report in each of its forms. The content of a text - names of files and workloads are arbitrary
// - stays text: no markup, and no control character reaches a terminal.
#pragma once

#include <string>

#include "sw/app/report/report.h"

namespace tern::app {

// The terminal: no pictures and figures, no sections for files only. report_path: printed below;
// empty: not written.
std::string text_of(const Report& report, const std::string& report_path, bool colour);
std::string markdown_of(const Report& report);
// One self-contained file.
std::string page_of(const Report& report);
// With "schema", the version of its format: docs/reference/report-json.md.
std::string json_of(const Report& report);
constexpr int kReportSchema = 5;
std::string csv_of(const Table& table);

}  // namespace tern::app
