// SPDX-License-Identifier: Apache-2.0
#include "sw/app/check/check_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "sw/app/report/text.h"

namespace tern::app {

namespace {

using Json = nlohmann::ordered_json;

std::string unit_text(const CheckResult& result) {
  return fmt::format("{} {}", result.stack ? "stack" : "core", result.unit);
}

// One row for each test, whatever the number of its units.
Table table_of(const CheckRecord& record) {
  struct Sum {
    std::string block;
    std::size_t units = 0, failed = 0;
    bool stack = false;
    std::uint64_t words = 0, wrong = 0;
    std::string bad;
  };
  std::vector<std::string> order;
  std::map<std::string, Sum> sums;
  for (const CheckResult& result : record.results) {
    if (sums.count(result.test) == 0) order.push_back(result.test);
    Sum& sum = sums[result.test];
    sum.block = result.block;
    sum.stack = result.stack;
    ++sum.units;
    sum.words += result.words;
    sum.wrong += result.wrong;
    if (result.passed) continue;
    ++sum.failed;
    sum.bad += (sum.bad.empty() ? "" : ", ") + std::to_string(result.unit);
  }
  Table table;
  table.columns = columns_of({"test", "block", "units", "words", "wrong", "result"}, {0, 1, 2, 5});
  for (const std::string& test : order) {
    const Sum& sum = sums[test];
    const std::string unit = sum.stack ? "stack" : "core";
    table.rows.push_back({Cell(test), Cell(sum.block),
                          Cell(fmt::format("{} {}{}", sum.units, unit, sum.units == 1 ? "" : "s")),
                          Cell(grouped(sum.words)), Cell(grouped(sum.wrong)),
                          sum.failed == 0
                              ? Cell("ok", Cell::kGood)
                              : Cell(fmt::format("FAILED: {} {}", unit, sum.bad), Cell::kBad)});
  }
  return table;
}

Json data_of(const CheckResult& result) {
  return {{"test", result.test},     {"block", result.block}, {"unit", unit_text(result)},
          {"passed", result.passed}, {"words", result.words}, {"wrong", result.wrong},
          {"detail", result.detail}};
}

Json data_of(const CheckRecord& record) {
  Json results = Json::array(), suspects = Json::array(), injected = Json::array();
  for (const CheckResult& result : record.results) results.push_back(data_of(result));
  for (const CheckResult* suspect : suspects_of(record)) suspects.push_back(data_of(*suspect));
  for (const StuckBit& bit : record.injected) {
    const CheckResult* found = found_by(record, bit);
    injected.push_back({{"bit", stuck_bit_text(bit)},
                        {"found", found != nullptr},
                        {"test", found != nullptr ? Json(found->test) : Json()}});
  }
  return {
      {"kind", "check"},         {"version", record.version}, {"command", record.command},
      {"chip", record.chip},     {"full", record.full},       {"cores", record.cores},
      {"stacks", record.stacks}, {"passed", record.passed()}, {"simulated_us", record.simulated_us},
      {"wall_s", record.wall_s}, {"suspects", suspects},      {"injected", injected},
      {"results", results}};
}

}  // namespace

bool CheckRecord::passed() const {
  const bool good = std::all_of(results.begin(), results.end(),
                                [](const CheckResult& result) { return result.passed; });
  // A stuck bit that is not found is a failure of the tests.
  return good && injected.empty();
}

std::vector<const CheckResult*> suspects_of(const CheckRecord& record) {
  std::vector<const CheckResult*> suspects;
  std::set<unsigned> stacks, cores;
  for (const CheckResult& result : record.results) {
    if (result.passed) continue;
    const bool memory_is = !result.stack && stacks.count(result.unit / record.cores_per_stack) != 0;
    if (memory_is || !(result.stack ? stacks : cores).insert(result.unit).second) continue;
    suspects.push_back(&result);
  }
  return suspects;
}

const CheckResult* found_by(const CheckRecord& record, const StuckBit& bit) {
  const bool stack = bit.block == StuckBit::Block::kHbm;
  for (const CheckResult* suspect : suspects_of(record)) {
    if (suspect->stack == stack && suspect->unit == bit.core &&
        suspect->block == stuck_block_name(bit.block))
      return suspect;
  }
  return nullptr;
}

Report report_of(const CheckRecord& record) {
  Report report;
  report.name = report.kind = "check";
  report.title = "check";
  report.subtitle = fmt::format("{}: {} cores, {} HBM stacks{}", printable(record.chip),
                                record.cores.size(), record.stacks, record.full ? ", full" : "");
  report.verdict = Report::Verdict{record.passed(), record.passed() ? "PASSED" : "FAILED"};
  report.add(table_of(record));
  Lines lines;
  for (const CheckResult* suspect : suspects_of(record)) {
    const CheckResult& result = *suspect;
    lines.push_back({fmt::format("{}: {}", unit_text(result), result.block),
                     fmt::format("{}: {}", result.test, printable(result.detail)), false});
  }
  for (const StuckBit& bit : record.injected) {
    const CheckResult* found = found_by(record, bit);
    lines.push_back({"stuck bit " + stuck_bit_text(bit),
                     found != nullptr ? "found by: " + found->test : "NOT FOUND",
                     found != nullptr});
  }
  lines.push_back({"time", fmt::format("{} simulated, {:.1f} s", time_text(record.simulated_us),
                                       record.wall_s)});
  report.add(lines);
  report.how = {record.command, "", record.chip, record.version, "", record.overrides};
  report.chips = {record.values};
  report.data = data_of(record);
  return report;
}

}  // namespace tern::app
