// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/parallel/parallel_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sw/app/report/records.h"
#include "sw/app/report/text.h"

namespace tern::app {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kDefinitions =
    "us: to the end of the chip's program, from the start of the one that the host starts last; "
    "alone: the same share of the work on "
    "that chip, without the sum.";

constexpr const char* kLatencies =
    "latency: of the pieces of accesses between chips and of their acknowledgements, in the "
    "network "
    "alone; percentiles are at most one eighth too high.";

Table table_of(const ParallelRecord& r) {
  Table table{columns_of({"chip", "us", "alone us"}, {0}), {}};
  for (const ParallelPart& part : r.parts) {
    table.rows.push_back(
        {part.chip, fmt::format("{:.3f}", part.us), fmt::format("{:.3f}", part.alone_us)});
  }
  return table;
}

}  // namespace

bool ParallelRecord::passed() const {
  return error <= tolerance && std::all_of(comparisons.begin(), comparisons.end(),
                                           [](const Comparison& c) { return c.mismatches == 0; });
}

Report report_of(const ParallelRecord& r, const system::Fabric& fabric) {
  Report report =
      make_report(r, r.passed(), fmt::format(", {} chips of {}", r.parts.size(), r.system));
  Lines lines{{"time", fmt::format("{} on {} chips; network between them: level {}",
                                   time_text(r.us), r.parts.size(), r.level)}};
  for (const Comparison& c : r.comparisons) lines.push_back(line_of(c));
  lines.push_back({"against FP64",
                   fmt::format("largest error {:.2e} (at most {:.2e})", r.error, r.tolerance),
                   r.error <= r.tolerance});
  report.add(lines);
  report.add(table_of(r));
  report.add(Note{kDefinitions});
  Json& data = report.data;
  data["system"] = r.system;
  data["level"] = r.level;
  data["us"] = r.us;
  for (const ParallelPart& part : r.parts) {
    data["parts"].push_back({{"chip", part.chip}, {"us", part.us}, {"alone_us", part.alone_us}});
  }
  for (const Comparison& c : r.comparisons) data["comparisons"].push_back(json_of(c));
  data["fp64"] = {{"error", r.error}, {"tolerance", r.tolerance}};
  if (!r.links.used.empty()) add_link_tables(fabric, r.links, &report);
  if (!r.classes.empty()) {
    report.add(latency_table(r.classes));
    report.add(Note{kLatencies});
    data["classes"] = json_of(r.classes);
  }
  data["wall_s"] = r.wall_s;
  add_written(r, &data);
  report.add(records("parallel.csv", report.data, {"parts"}));
  return report;
}

void add_network_sections(const ParallelRecord& r, const system::Fabric& fabric, Report* report) {
  if (!r.links.used.empty())
    report->add(link_section(fabric, r.links, fmt::format("{}, level {}", r.description, r.level)));
  if (!r.classes.empty()) {
    report->add(latency_section(r.classes));
    report->add(records("classes.csv", report->data, {"classes", "buckets"}));
  }
}

}  // namespace tern::app
