// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/search/search_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sw/app/report/html_page.h"
#include "sw/app/report/run_page.h"
#include "sw/app/report/style.h"
#include "sw/app/report/text.h"

namespace tern::app {
namespace {

constexpr const char* kDefinitions =
    "weights: of the products, in HBM. simulated: all passages and queries. a passage: that by "
    "their number.\n"
    "tensor busy: share of that time with the tensor engine at work. cosine: of each embedding to "
    "the FP32\n"
    "reference on the host. best: queries whose best passage is the reference's.";

const std::vector<std::string>& titles() {
  static const std::vector<std::string> kTitles = {
      "format",      "weights",  "simulated", "a passage",    "tensor busy", "least cosine",
      "mean cosine", "at least", "best",      "bits = model", "wall"};
  return kTitles;
}

std::vector<std::string> cells(const SearchRow& row, const SearchRecord& r) {
  if (!row.refused.empty()) return {row.format};
  std::string bits = "-";
  if (row.model_mismatches) {
    bits = *row.model_mismatches == 0
               ? fmt::format("yes, {} words", grouped(row.words))
               : fmt::format("NO: {} of {}", grouped(*row.model_mismatches), grouped(row.words));
    if (!row.cycles_agree) bits += ", NOT its cycles";
  }
  return {row.format,
          fmt::format("{:.2f} MB", static_cast<double>(row.weight_bytes) * 1e-6),
          time_text(row.us),
          fmt::format("{:.2f} us",
                      row.us / static_cast<double>(std::max<std::uint64_t>(r.sentences, 1))),
          fmt::format("{:.1f} %", row.tensor_share * 100),
          fmt::format("{:.6f}", row.least_cosine),
          fmt::format("{:.6f}", row.mean_cosine),
          row.needed ? fmt::format("{:g}", *row.needed) : "-",
          fmt::format("{} of {}", row.same_best, r.queries.size()),
          bits,
          fmt::format("{:.1f} s", row.wall_s)};
}

std::string counts(const SearchRecord& r) {
  return fmt::format("{} of {} passages and {} quer{} in {} batches of 128 tokens ({} tokens)",
                     grouped(r.passages), grouped(r.all_passages), r.queries.size(),
                     r.queries.size() == 1 ? "y" : "ies", grouped(r.batches), grouped(r.tokens));
}

std::string parts_text(const SearchQuery& query) {
  if (query.parts == 1) return fmt::format("{} tokens", query.tokens);
  return fmt::format("{} tokens in {} parts: the mean similarity of the parts", query.tokens,
                     query.parts);
}

// Lines of at most `width` bytes, broken at blanks.
std::string wrapped(const std::string& text, std::size_t width, const std::string& indent) {
  std::string out, line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!line.empty() && line.size() + 1 + word.size() > width) {
      out += indent + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    at = end + 1;
  }
  return line.empty() ? out : out + indent + line + "\n";
}

std::string table_text(const SearchRecord& r, bool colour) {
  const Style style(colour);
  std::vector<std::size_t> widths;
  for (const auto& title : titles()) widths.push_back(title.size());
  for (const auto& row : r.rows) {
    const auto text = cells(row, r);
    for (std::size_t c = 0; c < text.size(); ++c) widths[c] = std::max(widths[c], text[c].size());
  }
  const auto line = [&](const std::vector<std::string>& text) {
    std::string out = " ";
    for (std::size_t c = 0; c < text.size(); ++c) {
      out += c == 0 ? fmt::format(" {:<{}} ", text[c], widths[c])
                    : fmt::format(" {:>{}} ", text[c], widths[c]);
    }
    return out;
  };
  std::string out = fmt::format("{}{}{}\n", style.dim, line(titles()), style.off);
  for (const auto& row : r.rows) {
    if (row.refused.empty()) {
      out += fmt::format("{}{}{}\n", row.passed() ? "" : style.bad, line(cells(row, r)), style.off);
    } else {
      out += fmt::format("{}  {:<{}}  {}{}\n", style.dim, row.format, widths[0], row.refused,
                         style.off);
    }
  }
  return out + fmt::format("\n{}{}{}\n", style.dim, kDefinitions, style.off);
}

}  // namespace

bool SearchRow::passed() const {
  constexpr double kSimilarity = 1e-5;
  return least_cosine >= needed.value_or(-1) && model_mismatches.value_or(0) == 0 && cycles_agree &&
         similarity_error < kSimilarity;
}

bool SearchRecord::passed() const {
  const bool any = std::any_of(rows.begin(), rows.end(),
                               [](const SearchRow& row) { return row.refused.empty(); });
  return any && std::all_of(rows.begin(), rows.end(), [](const SearchRow& row) {
           return !row.refused.empty() || row.passed();
         });
}

std::string search_text(const SearchRecord& r, bool colour) {
  const Style style(colour);
  std::string out = fmt::format("\n{}: {} on {}, core 0, {}\n  {}\n", r.workload, r.description,
                                r.chip, r.backend, counts(r));
  if (!r.note.empty()) out += fmt::format("  {}\n", r.note);
  for (const SearchQuery& query : r.queries) {
    out += fmt::format("\n{}\"{}\"{} {}({}){}\n", style.bold, query.text, style.off, style.dim,
                       parts_text(query), style.off);
    for (const SearchHit& hit : query.hits) {
      out += fmt::format("  {}{:.4f}{}  {}\n{}", style.good, hit.similarity, style.off, hit.place,
                         wrapped(hit.text, 90, "          "));
    }
  }
  out += "\n" + table_text(r, colour);
  return out + paths_text(r.report_path, r.trace_path, r.wave_path) +
         verdict_line(r.passed(), style);
}

std::string search_json(const SearchRecord& r) {
  using Json = nlohmann::ordered_json;
  Json j = header_json(r, r.passed());
  j.update(Json{{"backend", r.backend},
                {"passages", r.passages},
                {"all_passages", r.all_passages},
                {"sentences", r.sentences},
                {"tokens", r.tokens},
                {"batches", r.batches}});
  if (!r.note.empty()) j["note"] = r.note;
  j["queries"] = Json::array();
  for (const SearchQuery& query : r.queries) {
    Json x = {{"text", query.text}, {"tokens", query.tokens}, {"parts", query.parts}};
    x["hits"] = Json::array();
    for (const SearchHit& hit : query.hits)
      x["hits"].push_back(
          {{"similarity", hit.similarity}, {"place", hit.place}, {"text", hit.text}});
    j["queries"].push_back(x);
  }
  j["rows"] = Json::array();
  for (const SearchRow& row : r.rows) {
    Json x = {{"format", row.format}};
    if (!row.refused.empty()) {
      x["refused"] = row.refused;
      j["rows"].push_back(x);
      continue;
    }
    x.update({{"passed", row.passed()},
              {"weight_bytes", row.weight_bytes},
              {"simulated_us", row.us},
              {"similarity_us", row.similarity_us},
              {"tensor_share", row.tensor_share},
              {"least_cosine", row.least_cosine},
              {"mean_cosine", row.mean_cosine},
              {"similarity_error", row.similarity_error},
              {"same_best", row.same_best},
              {"words", row.words},
              {"wall_s", row.wall_s}});
    if (row.needed) x["needed"] = *row.needed;
    if (row.model_mismatches) {
      x["model_mismatches"] = *row.model_mismatches;
      x["cycles_agree"] = row.cycles_agree;
    }
    j["rows"].push_back(x);
  }
  for (const auto& [key, path] :
       {std::pair("report", &r.report_path), {"trace", &r.trace_path}, {"wave", &r.wave_path}}) {
    if (!path->empty()) j[key] = *path;
  }
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string search_markdown(const SearchRecord& r) {
  const auto line = [](const std::vector<std::string>& text) {
    std::string out = "|";
    for (const auto& cell : text) out += " " + cell + " |";
    return out + "\n";
  };
  std::string out = fmt::format("# {}: {}\n\n{} on `{}`, {}; {}. {}\n\n", r.workload,
                                r.passed() ? "passed" : "FAILED", r.description, r.chip, r.backend,
                                counts(r), r.note);
  for (const SearchQuery& query : r.queries) {
    out += fmt::format("## {}\n\n{}\n\n| similarity | where | passage |\n|---:|---|---|\n",
                       query.text, parts_text(query));
    for (const SearchHit& hit : query.hits)
      out += line({fmt::format("{:.4f}", hit.similarity), hit.place, hit.text});
    out += "\n";
  }
  out += "## The encoder\n\n" + line(titles()) + "|---|";
  for (std::size_t c = 1; c < titles().size(); ++c) out += "---:|";
  out += "\n";
  for (const SearchRow& row : r.rows) {
    auto text = cells(row, r);
    if (!row.refused.empty()) {
      text.resize(titles().size(), "");
      text.back() = row.refused;
    }
    out += line(text);
  }
  out += fmt::format("\n{}\n\n`{}`\n", kDefinitions, r.command);
  for (const SearchRow& row : r.rows) {
    if (!row.phases.empty())
      out += fmt::format("\nFirst program in {}:\n\n{}", row.format, bounds_markdown({row.phases}));
  }
  return out;
}

std::string search_html(const SearchRecord& r) {
  HtmlPage page(r.workload, fmt::format("{} on {}, {}", r.description, r.chip, r.backend));
  page.verdict(r.passed());
  const auto ran = std::find_if(r.rows.begin(), r.rows.end(),
                                [](const SearchRow& row) { return row.refused.empty(); });
  if (ran != r.rows.end()) {
    page.figures({{grouped(r.passages), "passages", fmt::format("{} tokens", grouped(r.tokens))},
                  {fmt::format("{:.1f} us", ran->us / static_cast<double>(r.sentences)),
                   "a passage", ran->format + ", simulated"},
                  {fmt::format("{:.6f}", ran->least_cosine), "least cosine",
                   "to the FP32 reference, of all sentences"}});
  }
  for (const SearchQuery& query : r.queries) {
    page.section(query.text, parts_text(query));
    std::vector<HtmlRow> rows;
    for (const SearchHit& hit : query.hits) {
      rows.push_back({HtmlCell(fmt::format("{:.4f}", hit.similarity), HtmlCell::kPlain,
                               std::max(hit.similarity, 0.0)),
                      hit.place, hit.text});
    }
    page.table({{"similarity", HtmlColumn::kNumber}, {"where"}, {"passage"}}, rows);
  }
  page.section("The encoder", counts(r));
  if (!r.note.empty()) page.paragraph(r.note);
  std::vector<HtmlColumn> columns;
  for (const std::string& title : titles())
    columns.push_back({title, columns.empty() ? HtmlColumn::kText : HtmlColumn::kNumber});
  std::vector<HtmlRow> rows;
  for (const SearchRow& row : r.rows) {
    HtmlRow line;
    for (const std::string& cell : cells(row, r)) line.emplace_back(cell);
    if (!row.refused.empty()) line.emplace_back(row.refused, HtmlCell::kDim);
    rows.push_back(line);
  }
  page.table(columns, rows);
  page.note(kDefinitions);
  if (r.first_program) add_program(*r.first_program, &page);
  page.how_it_ran({r.command, r.workload_path, r.chip, r.version, ""});
  return page.html();
}

}  // namespace tern::app
