// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/moe/moe_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sw/app/report/records.h"
#include "sw/app/report/text.h"

namespace tern::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kDefinitions =
    "HBM: bytes on the memory's buses, in whole bursts of 32, with descriptors and instructions; "
    "an addition near the memory reads and writes. energy: the chip's estimate, idle and links "
    "included. of peak: multiplications of the chosen experts "
    "over what the array could do in that time. The host reads the counts between the gate and "
    "the rest; that and its copies are not in the times.";

std::string megabytes(std::uint64_t bytes) {
  return fmt::format("{:.2f}", static_cast<double>(bytes) * 1e-6);
}

Table table_of(const MoeRecord& r) {
  Table table{columns_of({"routing", "variant", "pass", "us", "HBM read MB", "HBM write MB",
                          "energy uJ", "of peak", "bound by"},
                         {0, 1, 2, 8}),
              {}};
  for (const MoeRouting& routing : r.routings) {
    std::string name = routing.name;
    for (const MoeVariant& variant : routing.variants) {
      std::vector<MoePass> passes = variant.passes;
      passes.push_back(variant.total());
      for (const MoePass& pass : passes) {
        table.rows.push_back({std::exchange(name, ""), &pass == &passes.front() ? variant.name : "",
                              pass.name, fmt::format("{:.2f}", pass.us), megabytes(pass.hbm.read),
                              megabytes(pass.hbm.written), fmt::format("{:.0f}", pass.energy_uj),
                              pass.tensor == 0 ? "" : percent_text(pass.tensor), pass.bound});
      }
    }
  }
  return table;
}

std::string counts_text(const MoeRouting& routing) {
  return fmt::format("Tokens of the experts: {}.", fmt::join(routing.counts, ", "));
}

std::string check_text(const MoeCheck& c) {
  std::string text = fmt::format(
      "choices of {} tokens {}, weights within {:.1e} (at most {:.1e}), {} tokens computed: error "
      "{:.1e} (at most {:.1e})",
      c.tokens, c.wrong_choices == 0 ? "right" : "WRONG", c.gate_error, c.gate_tolerance,
      c.tokens_computed, c.out_error, c.out_tolerance);
  return c.passed() ? text : text + ": " + c.first_fault;
}

Section section_of(const MoeRouting& routing) {
  const MoePass a = routing.variants[0].total(), b = routing.variants[1].total();
  Section section("Routing: " + routing.name, counts_text(routing));
  Lines lines = {{"speed", fmt::format("indexed takes {:.2f} us, permuted {:.2f} us: {:.2f} times "
                                       "as long",
                                       a.us, b.us, routing.speed_up())}};
  for (const Comparison& c : routing.bits) lines.push_back(line_of(c));
  if (routing.twin)
    lines.push_back({"cycles and time", routing.twin->text(), routing.twin->good()});
  lines.push_back({"against FP64", check_text(routing.check), routing.check.passed()});
  section.add(lines);
  return section;
}

Picture picture_of(const MoeRecord& r) {
  BarChart time{"time of the layer", "us", {}, {{"indexed", {}}, {"permuted", {}}}};
  BarChart bytes{"HBM", "MB read and written", {}, {{"indexed", {}}, {"permuted", {}}}};
  BarChart tokens{"tokens of each expert", "tokens", {}, {}};
  for (std::size_t e = 0; e < r.routings.front().counts.size(); ++e)
    tokens.groups.push_back(std::to_string(e));
  for (const MoeRouting& routing : r.routings) {
    time.groups.push_back(routing.name);
    bytes.groups.push_back(routing.name);
    for (std::size_t v = 0; v < routing.variants.size(); ++v) {
      const MoePass total = routing.variants[v].total();
      time.series[v].y.push_back(total.us);
      bytes.series[v].y.push_back(static_cast<double>(total.hbm.read + total.hbm.written) * 1e-6);
    }
    tokens.series.push_back({routing.name, {routing.counts.begin(), routing.counts.end()}});
  }
  return {"moe.svg", "Time, bytes and tokens", std::vector<BarChart>{time, bytes, tokens}};
}

Json json_of(const MoePass& pass) {
  return {{"name", pass.name},
          {"us", pass.us},
          {"hbm_bytes_read", pass.hbm.read},
          {"hbm_bytes_written", pass.hbm.written},
          {"energy_uj", pass.energy_uj},
          {"tensor_utilisation", pass.tensor},
          {"bound_by", pass.bound}};
}

Json json_of(const MoeRouting& routing) {
  const MoeCheck& c = routing.check;
  Json x = {{"name", routing.name},
            {"tokens_of_experts", routing.counts},
            {"passed", routing.passed()},
            {"speed_up", routing.speed_up()}};
  for (const MoeVariant& variant : routing.variants) {
    Json v = json_of(variant.total());
    v.erase("name");
    v.erase("bound_by");
    for (const MoePass& pass : variant.passes) v["passes"].push_back(json_of(pass));
    x["variants"][variant.name] = v;
  }
  for (const Comparison& bits : routing.bits) x["comparisons"].push_back(json_of(bits));
  add_twin(routing.twin, &x);
  x["fp64"] = {{"wrong_choices", c.wrong_choices},     {"logit_bound", c.logit_bound},
               {"gate_error", c.gate_error},           {"gate_tolerance", c.gate_tolerance},
               {"tokens_computed", c.tokens_computed}, {"out_error", c.out_error},
               {"out_tolerance", c.out_tolerance},     {"counts_agree", c.counts_agree},
               {"first_fault", c.first_fault}};
  return x;
}

}  // namespace

MoePass MoeVariant::total() const {
  MoePass total;
  total.name = "all";
  double work = 0;
  for (const MoePass& pass : passes) {
    total.us += pass.us;
    total.hbm.read += pass.hbm.read;
    total.hbm.written += pass.hbm.written;
    total.energy_uj += pass.energy_uj;
    work += pass.tensor * pass.us;
  }
  total.tensor = work / total.us;
  return total;
}

double MoeRouting::speed_up() const {
  return variants[1].total().us / variants[0].total().us;
}

bool MoeRouting::passed() const {
  return check.passed() && (!twin || twin->good()) &&
         std::all_of(bits.begin(), bits.end(),
                     [](const Comparison& c) { return c.mismatches == 0; });
}

bool MoeRecord::passed() const {
  return std::all_of(routings.begin(), routings.end(),
                     [](const MoeRouting& routing) { return routing.passed(); });
}

Report report_of(const MoeRecord& r) {
  Report report =
      make_report(r, r.passed(), fmt::format(", core {}, tensor engine: {}", r.core, r.backend));
  Figures figures;
  for (const MoeRouting& routing : r.routings) {
    figures.push_back(
        {fmt::format("{:.2f} x", routing.speed_up()), routing.name, "time of permuted / indexed"});
  }
  report.add(figures);
  Section times("Time, bytes, work of peak");
  times.add(table_of(r));
  times.add(Note{kDefinitions});
  times.add(picture_of(r));
  report.add(times);
  for (const MoeRouting& routing : r.routings) report.add(section_of(routing));
  report.last_lines.push_back({"wall time", fmt::format("{:.2f} s", r.wall_s)});

  Json& j = report.data;
  j.update(Json{{"tensor_backend", r.backend}, {"seed", r.seed}, {"wall_s", r.wall_s}});
  j["routings"] = Json::array();
  for (const MoeRouting& routing : r.routings) j["routings"].push_back(json_of(routing));
  add_written(r, &j);
  report.add(records("moe.csv", j, {"routings", "variants", "passes"}));
  return report;
}

}  // namespace tern::app
