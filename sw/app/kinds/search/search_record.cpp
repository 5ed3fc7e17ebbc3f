// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/search/search_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sw/app/report/program_sections.h"
#include "sw/app/report/records.h"
#include "sw/app/report/text.h"

namespace tern::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kDefinitions =
    "weights: of the products, in HBM, of all ranks that share a model. simulated: what was "
    "encoded now, and the comparison. a "
    "sentence: that by the number of passages and queries or their parts. tensor busy: share of "
    "that time with the tensor engine at work, the mean of all "
    "ranks; of stages in their order: what it lacks is bubbles, communication and other engines. "
    "cosine: of each "
    "embedding to the FP32 reference on the host. best: queries whose best passage is the "
    "reference's.";

Cell bits_cell(const SearchRow& row) {
  if (!row.twin) return "-";
  if (!row.twin->good()) return {row.twin->text(), Cell::kBad};
  return {fmt::format("yes, {} words", grouped(row.twin->words)), Cell::kGood};
}

// "58.1 %", "51.9 % (54.0 %, 49.8 %)"
std::string busy_text(const SearchRow& row) {
  std::string text = percent_text(row.tensor_share);
  if (row.stage_shares.size() < 2) return text;
  std::vector<std::string> stages;
  for (const double share : row.stage_shares) stages.push_back(percent_text(share));
  return text + fmt::format(" ({})", fmt::join(stages, ", "));
}

Table table_of(const SearchRecord& r) {
  Table table{
      columns_of({"format", "weights", "simulated", "a sentence", "tensor busy", "least cosine",
                  "mean cosine", "at least", "best", "bits = model", "wall"},
                 {0}),
      {}};
  for (const SearchRow& row : r.rows) {
    if (!row.refused.empty()) {
      table.rows.push_back({row.format, {row.refused, Cell::kDim}});
      continue;
    }
    const auto sentences = static_cast<double>(std::max<std::uint64_t>(r.sentences, 1));
    const bool close = row.least_cosine >= row.needed.value_or(-1);
    table.rows.push_back(
        {row.format,
         fmt::format("{:.2f} MB", static_cast<double>(row.weight_bytes) * 1e-6),
         time_text(row.us),
         row.index_us ? "-" : fmt::format("{:.2f} us", row.us / sentences),
         busy_text(row),
         {fmt::format("{:.6f}", row.least_cosine), close ? Cell::kPlain : Cell::kBad},
         fmt::format("{:.6f}", row.mean_cosine),
         row.needed ? fmt::format("{:g}", *row.needed) : "-",
         fmt::format("{} of {}", row.same_best, r.queries.size()),
         bits_cell(row),
         fmt::format("{:.1f} s", row.wall_s)});
  }
  return table;
}

std::string ordinal(std::uint64_t n) {
  const bool teen = n / 10 % 10 == 1;
  const char* ends[] = {"th", "st", "nd", "rd"};
  return fmt::format("{}{}", n, ends[teen || n % 10 > 3 ? 0 : n % 10]);
}

// "358 of 3,571 passages: every 10th"
std::string share_of_text(const SearchRecord& r) {
  std::string text = fmt::format("{} of {} passages", grouped(r.passages), grouped(r.all_passages));
  if (r.every > 1 && r.passages > 1) text += fmt::format(", each {}", ordinal(r.every));
  const std::uint64_t reach = r.passages * r.every;  // --count may end long before the text does
  if (reach < r.all_passages) {
    text += fmt::format(", the first {:.0f} % of the text",
                        100.0 * static_cast<double>(reach) / static_cast<double>(r.all_passages));
  }
  return text;
}

std::string counts(const SearchRecord& r) {
  const std::string queries =
      fmt::format("{} quer{}", r.queries.size(), r.queries.size() == 1 ? "y" : "ies");
  const std::string batches =
      fmt::format("{} batch{} of 128 tokens ({} tokens)", grouped(r.batches),
                  r.batches == 1 ? "" : "es", grouped(r.tokens));
  if (!r.from_index) return fmt::format("{}, and {} in {}", share_of_text(r), queries, batches);
  return fmt::format("{} from the index, {} in {}", share_of_text(r), queries, batches);
}

std::string parts_text(const SearchQuery& query) {
  if (query.parts == 1) return fmt::format("{} tokens", query.tokens);
  return fmt::format("{} tokens in {} parts: the mean similarity of the parts", query.tokens,
                     query.parts);
}

Section section_of(const SearchQuery& query) {
  Section section(fmt::format("\"{}\"", query.text), parts_text(query));
  Table table{{{"similarity", Column::kNumber}, {"where"}, {"passage"}}, {}};
  for (const SearchHit& hit : query.hits) {
    table.rows.push_back(
        {{fmt::format("{:.4f}", hit.similarity), Cell::kGood, std::max(hit.similarity, 0.0)},
         hit.place,
         hit.text});
  }
  section.add(table);
  return section;
}

Section plans_section(const SearchPlan& plan) {
  Section section(
      "Plans tried",
      "An estimate: what the first program of a part takes, multiplied by all batches of a part "
      "over those of a program; without the comparison.");
  Table table{{{"data", Column::kNumber},
               {"sequence", Column::kNumber},
               {"pipeline", Column::kNumber},
               {"tensor", Column::kNumber},
               {"us", Column::kNumber},
               {""}},
              {}};
  Lines reasons;
  for (const SearchTrial& t : plan.trials) {
    std::vector<Cell> row;
    for (const unsigned parts : {t.grid.data, t.grid.sequence, t.grid.pipeline, t.grid.tensor})
      row.emplace_back(std::to_string(parts));
    if (t.refused.empty()) {
      row.emplace_back(fmt::format("{:.1f}", t.us));
      row.emplace_back(&t == &plan.trials.front() ? "chosen" : "");
    } else {
      row.insert(row.end(), {"", "not run"});
      reasons.push_back({text_of(t), printable(t.refused), {}});
    }
    table.rows.push_back(std::move(row));
  }
  section.add(table);
  if (!reasons.empty()) section.add(reasons);
  return section;
}

Picture scores_of(const SearchRecord& r) {
  BarChart chart{"similarity of the passages found", "cosine", {}, {}};
  std::size_t most = 0;
  for (const SearchQuery& query : r.queries) most = std::max(most, query.hits.size());
  for (std::size_t rank = 0; rank < most; ++rank)
    chart.series.push_back({std::to_string(rank + 1), {}});
  for (const SearchQuery& query : r.queries) {
    chart.groups.push_back(query.text);
    for (std::size_t rank = 0; rank < most; ++rank) {
      const double score = rank < query.hits.size() ? query.hits[rank].similarity : 0;
      chart.series[rank].y.push_back(std::max(score, 0.0));
    }
  }
  return {"search.svg", "The best passages of each query", std::vector<BarChart>{chart}};
}

void add_data(const SearchRecord& r, Json* data) {
  Json& j = *data;
  j.update(Json{{"backend", r.backend},
                {"passages", r.passages},
                {"all_passages", r.all_passages},
                {"every", r.every},
                {"sentences", r.sentences},
                {"tokens", r.tokens},
                {"batches", r.batches}});
  if (!r.note.empty()) j["note"] = r.note;
  if (r.plan)
    j["plan"] = {{"description", r.plan->description}, {"data", r.plan->data},
                 {"sequence", r.plan->sequence},       {"pipeline", r.plan->pipeline},
                 {"tensor", r.plan->tensor},           {"sum", r.plan->sum},
                 {"gather", r.plan->gather},           {"broadcast", r.plan->broadcast},
                 {"choices", r.plan->choices}};
  if (r.plan) {
    for (const SearchTrial& t : r.plan->trials) {
      Json trial = {{"data", t.grid.data},
                    {"sequence", t.grid.sequence},
                    {"pipeline", t.grid.pipeline},
                    {"tensor", t.grid.tensor}};
      if (t.refused.empty()) {
        trial["us"] = t.us;
      } else {
        trial["refused"] = printable(t.refused);
      }
      j["plan"]["trials"].push_back(trial);
    }
  }
  if (!r.index_path.empty()) j["index"] = {{"path", r.index_path}, {"used", r.from_index}};
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
    if (!row.stage_shares.empty()) x["stage_shares"] = row.stage_shares;
    if (row.index_us) x["index_us"] = *row.index_us;
    if (row.needed) x["needed"] = *row.needed;
    add_twin(row.twin, &x);
    j["rows"].push_back(x);
  }
  add_paths(r, &j);
}

}  // namespace

bool SearchRow::passed() const {
  constexpr double kSimilarity = 1e-5;
  return least_cosine >= needed.value_or(-1) && (!twin || twin->good()) &&
         similarity_error < kSimilarity;
}

bool SearchRecord::passed() const {
  const bool any = std::any_of(rows.begin(), rows.end(),
                               [](const SearchRow& row) { return row.refused.empty(); });
  return any && std::all_of(rows.begin(), rows.end(), [](const SearchRow& row) {
           return !row.refused.empty() || row.passed();
         });
}

std::string text_of(const SearchTrial& trial) {
  const collectives::RankGrid& grid = trial.grid;
  return fmt::format("data {}, sequence {}, pipeline {}, tensor {}", grid.data, grid.sequence,
                     grid.pipeline, grid.tensor);
}

std::string SearchPlan::text() const {
  std::vector<std::string> parts;
  if (data > 1)
    parts.push_back(
        fmt::format("passages in {} parts, the queries' embeddings by {}", data, broadcast));
  if (sequence > 1)
    parts.push_back(fmt::format("tokens of a batch in {} parts, gathered by {}", sequence, gather));
  if (pipeline > 1) parts.push_back(fmt::format("blocks in {} stages", pipeline));
  if (tensor > 1)
    parts.push_back(
        fmt::format("heads and hidden layers in {} parts, their sums by {}", tensor, sum));
  if (parts.empty()) parts.emplace_back("one rank");
  std::string text = fmt::format("{}: {}.", description, fmt::join(parts, "; "));
  if (!choices.empty())
    text += fmt::format(" The table's choices: {}.",
                        printable(fmt::format("{}", fmt::join(choices, "; "))));
  return text;
}

Report report_of(const SearchRecord& r) {
  const std::string where = r.plan ? fmt::format(", {}", r.plan->description)
                                   : fmt::format(", core {}, {}", r.core, r.backend);
  Report report = make_report(r, r.passed(), where);
  report.how.seed.clear();
  const auto ran = std::find_if(r.rows.begin(), r.rows.end(),
                                [](const SearchRow& row) { return row.refused.empty(); });
  if (ran != r.rows.end()) {
    report.add(Figures{{grouped(r.passages), "passages", share_of_text(r)},
                       {fmt::format("{:.1f} us", ran->us / static_cast<double>(r.sentences)),
                        "a sentence", ran->format + ", simulated"},
                       {fmt::format("{:.6f}", ran->least_cosine), "least cosine",
                        "to the FP32 reference, of all sentences"}});
  }
  for (const SearchQuery& query : r.queries) report.add(section_of(query));
  Section scores("Scores", "Best passage first.", Section::kFiles);
  scores.add(scores_of(r));
  if (!r.queries.empty()) report.add(scores);
  Section encoder("The encoder", counts(r));
  if (!r.note.empty()) encoder.add(Paragraph{r.note});
  if (r.plan) encoder.add(Paragraph{r.plan->text()});
  encoder.add(table_of(r));
  encoder.add(Note{kDefinitions});
  report.add(encoder);
  if (r.plan && !r.plan->trials.empty()) report.add(plans_section(*r.plan));
  Section phases("What bounds each format", "Phases of its first program.", Section::kFiles);
  for (const SearchRow& row : r.rows) {
    if (row.phases.empty()) continue;
    phases.add(Paragraph{row.format});
    phases.add(phases_table(row.phases));
  }
  if (r.rows.size() > 1) report.add(phases);
  if (r.first_program) add_program(*r.first_program, &report);
  add_data(r, &report.data);
  report.add(records("search.csv", report.data, {"queries", "hits"}));
  report.add(records("formats.csv", report.data, {"rows"}));
  return report;
}

}  // namespace tern::app
