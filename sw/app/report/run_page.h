// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/app/report/html_page.h"
#include "sw/app/report/program_record.h"
#include "sw/app/report/run_record.h"
#include "sw/app/report/timeline_svg.h"
#include "systemc/trace/span_log.h"

namespace tern::app {

// report.html of `tern run`. log: what core 0 did; null: no timeline.
std::string run_page(const RunRecord& record, const trace::SpanLog* log);

// Sections of it, for the pages of other kinds.
//
// A strip per engine; behind it the whole picture of timeline_svg().
void add_timeline(const trace::SpanLog& log, const TimelinePicture& picture, HtmlPage* page);
// A row per phase, a column per resource that was busy in any.
void add_phases(const std::vector<PhaseBound>& phases, HtmlPage* page);
void add_engines(const std::vector<EngineUse>& engines, double simulated_us, HtmlPage* page);
// Both empty: nothing is added.
void add_parts(const std::vector<ProfilePart>& parts, double simulated_us, HtmlPage* page);
void add_lines(const std::vector<ProfileLine>& lines, double simulated_us, HtmlPage* page);
void add_memory(const MemoryUse& use, double simulated_us, HtmlPage* page);
// Timeline, what bounds it, parts and lines of one program.
void add_program(const ProgramRecord& program, HtmlPage* page);

}  // namespace tern::app
