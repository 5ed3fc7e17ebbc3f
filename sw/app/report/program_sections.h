// SPDX-License-Identifier: Apache-2.0
// The parts of a report that describe the activity of a program on the chip, for every kind of run.
#pragma once

#include <vector>

#include "sw/app/report/bounds.h"
#include "sw/app/report/execution.h"
#include "sw/app/report/profile.h"
#include "sw/app/report/program_record.h"
#include "sw/app/report/report.h"
#include "sw/app/report/timeline_svg.h"
#include "systemc/trace/span_log.h"

namespace tern::app {

// A strip per engine; then the whole picture, timeline.svg or, of another core than 0,
// timeline-coreN.svg.
Section timeline_section(const trace::SpanLog& log, const TimelinePicture& picture,
                         unsigned core = 0);
// Tables of phases_table() per program.
Section bounds_section();
// A row per resource that was busy in any phase, a column per phase.
Table phases_table(const std::vector<PhaseBound>& phases);
Table engines_table(const std::vector<EngineUse>& engines, double simulated_us);
Section memory_section(const MemoryUse& use, double simulated_us);
// Parts and lines, if there are any; shares are of simulated_us.
void add_profile(const std::vector<ProfilePart>& parts, const std::vector<ProfileLine>& lines,
                 double simulated_us, Report* report);
// Timeline, what bounds it, parts and lines of one program.
void add_program(const ProgramRecord& program, Report* report);

}  // namespace tern::app
