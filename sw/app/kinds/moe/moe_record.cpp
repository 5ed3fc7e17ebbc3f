// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/moe/moe_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sw/app/report/chart_svg.h"
#include "sw/app/report/html_page.h"
#include "sw/app/report/style.h"
#include "sw/app/report/text.h"

namespace tern::app {
namespace {

constexpr const char* kDefinitions =
    "HBM: bytes on the memory's buses, in whole bursts of 32, with descriptors and instructions; "
    "an addition near the memory reads and writes. tensor: multiplications of the chosen experts "
    "over what the array could do in that time. The host reads the counts between the gate and "
    "the rest; that and its copies are not in the times.";

const std::vector<std::string> kTitles = {"routing",     "variant",      "pass",   "us",
                                          "HBM read MB", "HBM write MB", "tensor", "bound by"};
constexpr std::size_t kFirstNumber = 3, kLastNumber = 6;

std::string percent(double share) {
  return share == 0 ? "" : fmt::format("{:.1f} %", share * 100);
}

std::string megabytes(std::uint64_t bytes) {
  return fmt::format("{:.2f}", static_cast<double>(bytes) * 1e-6);
}

using Row = std::vector<std::string>;

std::vector<Row> rows_of(const MoeRouting& routing) {
  std::vector<Row> rows;
  for (const MoeVariant& variant : routing.variants) {
    std::vector<MoePass> passes = variant.passes;
    passes.push_back(variant.total());
    for (const MoePass& pass : passes) {
      rows.push_back({rows.empty() ? routing.name : "",
                      &pass == &passes.front() ? variant.name : "", pass.name,
                      fmt::format("{:.2f}", pass.us), megabytes(pass.hbm.read),
                      megabytes(pass.hbm.written), percent(pass.tensor), pass.bound});
    }
  }
  return rows;
}

std::string counts_text(const MoeRouting& routing) {
  std::string text;
  for (const std::uint32_t count : routing.counts)
    text += (text.empty() ? "" : ", ") + std::to_string(count);
  return text;
}

std::string check_text(const MoeCheck& c) {
  std::string text = fmt::format(
      "choices of {} tokens {}, weights within {:.1e} (at most {:.1e}), {} tokens computed: error "
      "{:.1e} (at most {:.1e})",
      c.tokens, c.wrong_choices == 0 ? "right" : "WRONG", c.gate_error, c.gate_tolerance,
      c.tokens_computed, c.out_error, c.out_tolerance);
  return c.passed() ? text : text + ": " + c.first_fault;
}

std::string comparison_text(const Comparison& c) {
  return fmt::format("{}: {} of {} words equal{}", c.what, grouped(c.words - c.mismatches),
                     grouped(c.words),
                     c.mismatches == 0 ? "" : ", first difference: " + c.first_difference);
}

std::string speed_text(const MoeRouting& routing) {
  const MoePass a = routing.variants[0].total(), b = routing.variants[1].total();
  return fmt::format("indexed takes {:.2f} us, permuted {:.2f} us: {:.2f} times as long", a.us,
                     b.us, routing.speed_up());
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
    work += pass.tensor * pass.us;
  }
  total.tensor = work / total.us;
  return total;
}

double MoeRouting::speed_up() const {
  return variants[1].total().us / variants[0].total().us;
}

bool MoeRouting::passed() const {
  return check.passed() && std::all_of(bits.begin(), bits.end(),
                                       [](const Comparison& c) { return c.mismatches == 0; });
}

bool MoeRecord::passed() const {
  return std::all_of(routings.begin(), routings.end(),
                     [](const MoeRouting& routing) { return routing.passed(); });
}

std::string moe_text(const MoeRecord& r, bool colour) {
  const Style style(colour);
  std::vector<Row> rows = {kTitles};
  for (const MoeRouting& routing : r.routings) {
    for (Row& row : rows_of(routing)) rows.push_back(std::move(row));
  }
  std::vector<std::size_t> width(kTitles.size());
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], row[c].size());
  }
  std::string out = fmt::format("\n{}: {} on {}, tensor engine: {}\n\n", r.workload, r.description,
                                r.chip, r.backend);
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      line += c >= kFirstNumber && c <= kLastNumber ? fmt::format("  {:>{}}", row[c], width[c])
                                                    : fmt::format("  {:<{}}", row[c], width[c]);
    }
    line = line.substr(0, line.find_last_not_of(' ') + 1);
    out += &row == &rows.front() ? style.dim + line + style.off + "\n" : line + "\n";
  }
  for (const MoeRouting& routing : r.routings) {
    out += fmt::format("\n{}: tokens of the experts {}\n", routing.name, counts_text(routing));
    out += fmt::format("  {}\n", speed_text(routing));
    for (const Comparison& c : routing.bits)
      out += fmt::format("  {}{}{}\n", c.mismatches == 0 ? "" : style.bad, comparison_text(c),
                         style.off);
    out += fmt::format("  FP64: {}{}{}\n", routing.check.passed() ? "" : style.bad,
                       check_text(routing.check), style.off);
  }
  out += fmt::format("\n{}{}{}\n", style.dim, kDefinitions, style.off);
  out += fmt::format("  {:<10} {:.2f} s\n", "wall time", r.wall_s);
  if (!r.report_path.empty()) out += fmt::format("  {:<10} {}\n", "report", r.report_path);
  if (!r.trace_path.empty())
    out += fmt::format("  {:<10} {} (open at ui.perfetto.dev)\n", "trace", r.trace_path);
  return out + verdict_line(r.passed(), style);
}

std::string moe_json(const MoeRecord& r) {
  using Json = nlohmann::ordered_json;
  Json j = header_json(r, r.passed());
  j.update(Json{{"tensor_backend", r.backend}, {"seed", r.seed}, {"wall_s", r.wall_s}});
  const auto pass_json = [](const MoePass& pass) {
    return Json{{"name", pass.name},
                {"us", pass.us},
                {"hbm_bytes_read", pass.hbm.read},
                {"hbm_bytes_written", pass.hbm.written},
                {"tensor_utilisation", pass.tensor},
                {"bound_by", pass.bound}};
  };
  j["routings"] = Json::array();
  for (const MoeRouting& routing : r.routings) {
    const MoeCheck& c = routing.check;
    Json x = {{"name", routing.name},
              {"tokens_of_experts", routing.counts},
              {"passed", routing.passed()},
              {"speed_up", routing.speed_up()}};
    for (const MoeVariant& variant : routing.variants) {
      Json v = pass_json(variant.total());
      v.erase("name");
      v.erase("bound_by");
      for (const MoePass& pass : variant.passes) v["passes"].push_back(pass_json(pass));
      x["variants"][variant.name] = v;
    }
    for (const Comparison& bits : routing.bits) {
      x["comparisons"].push_back({{"what", bits.what},
                                  {"words", bits.words},
                                  {"mismatches", bits.mismatches},
                                  {"first_difference", bits.first_difference}});
    }
    x["fp64"] = {{"wrong_choices", c.wrong_choices},     {"logit_bound", c.logit_bound},
                 {"gate_error", c.gate_error},           {"gate_tolerance", c.gate_tolerance},
                 {"tokens_computed", c.tokens_computed}, {"out_error", c.out_error},
                 {"out_tolerance", c.out_tolerance},     {"counts_agree", c.counts_agree},
                 {"first_fault", c.first_fault}};
    j["routings"].push_back(x);
  }
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string moe_markdown(const MoeRecord& r) {
  const auto line = [](const Row& row) {
    std::string text = "|";
    for (const std::string& cell : row) text += " " + cell + " |";
    return text + "\n";
  };
  std::string out = fmt::format("# {}\n\n{} on `{}`; {}\n\n**{}**\n\n", r.workload, r.description,
                                r.chip, r.command, r.passed() ? "PASSED" : "FAILED");
  out += line(kTitles) + "|";
  for (std::size_t c = 0; c < kTitles.size(); ++c)
    out += c >= kFirstNumber && c <= kLastNumber ? "---:|" : "---|";
  out += "\n";
  for (const MoeRouting& routing : r.routings) {
    for (const Row& row : rows_of(routing)) out += line(row);
  }
  for (const MoeRouting& routing : r.routings) {
    out += fmt::format("\n**{}**: tokens of the experts {}; {}.\n\n", routing.name,
                       counts_text(routing), speed_text(routing));
    for (const Comparison& c : routing.bits) out += "- " + comparison_text(c) + "\n";
    out += "- FP64: " + check_text(routing.check) + "\n";
  }
  return out + fmt::format("\n{}\n\n![time, bytes and tokens](moe.svg)\n", kDefinitions);
}

std::string moe_html(const MoeRecord& r) {
  HtmlPage page(r.workload, fmt::format("{} on {}", r.description, r.chip));
  page.verdict(r.passed());
  std::vector<HtmlFigure> figures;
  for (const MoeRouting& routing : r.routings) {
    figures.push_back(
        {fmt::format("{:.2f} x", routing.speed_up()), routing.name, "time of permuted / indexed"});
  }
  page.figures(figures);
  page.section("Time, bytes, utilisation");
  std::vector<HtmlColumn> columns;
  for (std::size_t c = 0; c < kTitles.size(); ++c) {
    const bool number = c >= kFirstNumber && c <= kLastNumber;
    columns.push_back({kTitles[c], number ? HtmlColumn::kNumber : HtmlColumn::kText});
  }
  std::vector<HtmlRow> rows;
  for (const MoeRouting& routing : r.routings) {
    for (const Row& row : rows_of(routing)) rows.emplace_back(row.begin(), row.end());
  }
  page.table(columns, rows);
  page.note(kDefinitions);
  page.picture(moe_svg(r));
  page.section("Results");
  for (const MoeRouting& routing : r.routings) {
    page.paragraph(fmt::format("{}: tokens of the experts {}; {}.", routing.name,
                               counts_text(routing), speed_text(routing)));
    for (const Comparison& c : routing.bits) page.note(comparison_text(c));
    page.note("FP64: " + check_text(routing.check));
  }
  page.how_it_ran({r.command, r.workload_path, r.chip, r.version, std::to_string(r.seed)});
  return page.html();
}

std::string moe_svg(const MoeRecord& r) {
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
  return bar_charts_svg({time, bytes, tokens});
}

}  // namespace tern::app
