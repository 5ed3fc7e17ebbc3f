// SPDX-License-Identifier: Apache-2.0
#include "sw/app/boot/boot_record.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sw/app/report/text.h"
#include "sw/base/text.h"

namespace tern::app {

namespace {

double us(std::uint64_t fs) {
  return static_cast<double>(fs) / 1e9;
}

std::string moment_text(const BootRecord::Moment& moment) {
  return fmt::format("{}, {} instructions", time_text(us(moment.time_fs)),
                     grouped(moment.instructions));
}

double mips(const BootRecord& record) {
  return record.host_seconds > 0 ? static_cast<double>(record.end.instructions - record.restored) *
                                       1e-6 / record.host_seconds
                                 : 0;
}

nlohmann::ordered_json moment_json(const BootRecord::Moment& moment) {
  return {{"simulated_us", us(moment.time_fs)}, {"instructions", moment.instructions}};
}

// How long a phase took; none: it is the last one.
std::optional<std::uint64_t> took_fs(const BootRecord& record, std::size_t i) {
  if (i + 1 == record.phases.size()) return std::nullopt;
  return record.phases[i + 1].at_fs - record.phases[i].at_fs;
}

Table phase_table(const BootRecord& record) {
  Table table{{{"phase"}, {"at", Column::kNumber}, {"took", Column::kNumber}}, {}};
  for (std::size_t i = 0; i < record.phases.size(); ++i) {
    const auto took = took_fs(record, i);
    table.rows.push_back({phase_name(record.phases[i].phase), time_text(us(record.phases[i].at_fs)),
                          took ? time_text(us(*took)) : ""});
  }
  return table;
}

nlohmann::ordered_json phases_json(const BootRecord& record) {
  auto list = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < record.phases.size(); ++i) {
    nlohmann::ordered_json phase = {{"phase", phase_name(record.phases[i].phase)},
                                    {"at_us", us(record.phases[i].at_fs)}};
    if (const auto took = took_fs(record, i)) phase["took_us"] = us(*took);
    list.push_back(phase);
  }
  return list;
}

nlohmann::ordered_json data_of(const BootRecord& record) {
  nlohmann::ordered_json data;
  data["firmware"] = record.firmware;
  if (!record.kernel.empty()) data["kernel"] = record.kernel;
  data["board"] = record.board;
  data["ended"] = record.ended;
  data["passed"] = record.good;
  if (!record.until.empty()) data["until"] = record.until;
  if (record.found) data["found"] = moment_json(*record.found);
  data["end"] = moment_json(record.end);
  if (!record.phases.empty()) data["phases"] = phases_json(record);
  data["restored_instructions"] = record.restored;
  if (!record.saved.empty()) data["snapshot"] = record.saved;
  if (!record.traced.empty()) {
    data["trace"] = record.traced;
    data["trace_instructions"] = record.traced_lines;
  }
  if (!record.profiled.empty()) data["profile"] = record.profiled;
  data["hart_instructions"] = record.instructions;
  data["resets"] = record.resets;
  data["serial_characters"] = record.characters;
  data["lines_not_typed"] = record.lines_left;
  data["host_seconds"] = record.host_seconds;
  data["mips"] = mips(record);
  return data;
}

}  // namespace

Report report_of(const BootRecord& record) {
  Report report;
  report.name = report.kind = "boot";
  report.title = "boot";
  report.subtitle = printable(record.firmware) +
                    (record.kernel.empty() ? "" : " and " + printable(record.kernel)) + " on " +
                    record.board;
  report.verdict = Report::Verdict{record.good, record.good ? "PASSED" : "FAILED"};
  Lines lines;
  lines.push_back({"ended by", record.ended, record.good});
  if (record.found) {
    lines.push_back(
        {"time to text", moment_text(*record.found) + ": " + base::printable(record.until)});
  }
  lines.push_back({"simulated time", moment_text(record.end)});
  if (record.restored != 0)
    lines.push_back({"restored", "after " + grouped(record.restored) + " instructions"});
  if (!record.saved.empty()) lines.push_back({"snapshot", base::printable(record.saved)});
  if (!record.traced.empty())
    lines.push_back({"trace", base::counted(record.traced_lines, "instruction") + " in " +
                                  base::printable(record.traced)});
  if (!record.profiled.empty()) lines.push_back({"profile", base::printable(record.profiled)});
  for (std::size_t h = 0; record.instructions.size() > 1 && h < record.instructions.size(); ++h)
    lines.push_back({fmt::format("hart {}", h), grouped(record.instructions[h]) + " instructions"});
  if (record.resets != 0)
    lines.push_back({"resets", grouped(record.resets) + " by software or watchdog"});
  if (record.lines_left != 0)
    lines.push_back({"typed", fmt::format("{} lines found no prompt", record.lines_left)});
  lines.push_back({"serial line", base::counted(record.characters, "character")});
  lines.push_back(
      {"simulator speed", fmt::format("{:.0f} MIPS, {:.2f} s", mips(record), record.host_seconds)});
  report.add(lines);
  if (!record.phases.empty()) report.add(phase_table(record));
  report.data = data_of(record);
  return report;
}

}  // namespace tern::app
