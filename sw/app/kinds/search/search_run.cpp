// SPDX-License-Identifier: Apache-2.0
// kind: search: passages and queries through the encoder on the chip, compared with the reference.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <future>
#include <map>
#include <memory>
#include <numeric>

#include "sw/app/host/interrupt.h"
#include "sw/app/host/progress.h"
#include "sw/app/host/session.h"
#include "sw/app/kinds/search/search_index.h"
#include "sw/app/kinds/search/search_planner.h"
#include "sw/app/kinds/search/search_ranks.h"
#include "sw/app/kinds/search/search_record.h"
#include "sw/app/kinds/search/search_texts.h"
#include "sw/app/kinds/search/search_workload.h"
#include "sw/app/report/text.h"
#include "sw/app/report/write_report.h"
#include "sw/base/sha256.h"
#include "sw/base/stop.h"
#include "sw/base/text.h"
#include "sw/base/user_error.h"
#include "sw/models/use/reference/sentence_encoder.h"
#include "sw/models/use/similarity.h"

namespace tern::app {
namespace {

constexpr std::size_t kWidth = use::Model::kWidth, kSlots = use::Batch::kSlots;
constexpr const char* kRemedy = " (scripts/fetch-search brings it)";

using Vectors = std::vector<std::vector<float>>;

// The least cosine that passes.
std::optional<double> needed(use::Format format) {
  if (format == use::Format::kBf16) return 0.9999;
  if (format == use::Format::kMxfp8) return 0.98;
  return {};
}

double dot(const std::vector<float>& a, const std::vector<float>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0, std::plus<>(),
                            [](double x, double y) { return x * y; });
}

// Similarity of passage p with query q, given that of any two sentences.
template <typename Similarity>
double of_query(const SearchTexts& texts, std::size_t q, std::size_t p, Similarity similarity) {
  const SearchTexts::Query& query = texts.queries[q];
  double sum = 0;
  for (std::size_t i = 0; i < query.parts; ++i) sum += similarity(query.first + i, p);
  return sum / static_cast<double>(query.parts);
}

// One format: its programs, and what their results say.
class FormatRun {
 public:
  // each: batches of a program. kept: null, or the passages' embeddings; then only the queries are
  // encoded.
  FormatRun(const SearchTexts& texts, use::Format format, unsigned each,
            const SearchIndex::Format* kept)
      : texts_(texts), format_(format), each_(each), kept_(kept) {
    const std::size_t all = texts.batches.size();
    query_rows_ = std::min<std::size_t>(each, all) * kSlots;
    rows_.resize(texts.sentences.size());
    for (std::size_t b = 0; b < all; ++b) {
      const auto& sentences = texts.batches[b].sentences;
      for (std::size_t s = 0; s < sentences.size(); ++s) rows_[sentences[s]] = b * kSlots + s;
    }
    if (kept_ == nullptr) return;
    for (std::size_t p = 0; p < texts.passages.size(); ++p) rows_.push_back(all * kSlots + p);
  }

  // For one core: its programs and their tensors.
  void make_job(const use::Model& model, const ChipConfig& chip) {
    std::vector<use::HostTensor> weights = use::encoder_weights(model, format_);
    weight_bytes_ = use::bytes_of_products(weights);
    for (auto& tensor : weights)
      job_.tensors.push_back({tensor.name, std::move(tensor.bytes), false});
    std::map<unsigned, Executable> built;  // by their batches
    std::vector<use::Embeddings> results;
    const std::size_t all = texts_.batches.size();
    for (std::size_t first = 0; first < all; first += each_) {
      const auto count = static_cast<unsigned>(std::min<std::size_t>(each_, all - first));
      if (built.count(count) == 0)
        built.emplace(count, use::build_encoder(model, format_, count, chip));
      const std::string suffix = "." + std::to_string(results.size());
      job_.programs.push_back(renamed(built.at(count), suffix));
      for (auto& tensor : use::encoder_inputs(&texts_.batches[first], count))
        job_.tensors.push_back({tensor.name + suffix, std::move(tensor.bytes), false});
      const std::size_t bytes = count * kSlots * kWidth * sizeof(float);
      job_.tensors.push_back({"embeddings" + suffix, std::vector<std::uint8_t>(bytes), true});
      results.push_back({"embeddings" + suffix, static_cast<unsigned>(count * kSlots)});
    }
    const std::size_t rows = all * kSlots + (kept_ == nullptr ? 0 : add_kept(&results));
    job_.programs.push_back(use::build_similarities(results, chip));
    const std::size_t bytes = rows * query_rows_ * sizeof(float);
    job_.tensors.push_back({"similarities", std::vector<std::uint8_t>(bytes), true});
  }
  const Job& job() const { return job_; }

  void set_weight_bytes(std::uint64_t bytes) { weight_bytes_ = bytes; }

  SearchRow judge(const std::vector<Execution>& executions, const Vectors& reference) {
    const Execution& first = executions.front();
    values_.resize(first.result.size());
    std::memcpy(values_.data(), first.result.data(), values_.size() * sizeof(float));
    SearchRow row;
    row.format = use::name_of(format_);
    row.weight_bytes = weight_bytes_;
    row.us = first.simulated_us;
    row.similarity_us = first.program_us.back();
    row.tensor_share = first.engines.front().busy_us / first.simulated_us;
    row.wall_s = first.wall_s;
    row.words = first.result.size();
    row.phases = first.phases.front();
    row.needed = needed(format_);
    double sum = 0;
    for (std::size_t s = 0; s < reference.size(); ++s) {
      const double cosine = reference::cosine(embedding(s), reference[s].data(), kWidth);
      // A NaN is worse than anything.
      row.least_cosine = std::isnan(cosine) ? -2 : std::min(row.least_cosine, cosine);
      sum += cosine;
    }
    row.mean_cosine = sum / static_cast<double>(reference.size());
    row.similarity_error = similarity_error();
    for (std::size_t q = 0; q < texts_.queries.size(); ++q) {
      const auto expected = [&](std::size_t part, std::size_t p) {
        return dot(reference[part], reference[texts_.parts() + p]);
      };
      row.same_best += best(q, 1) == best_by(q, 1, expected) ? 1 : 0;
    }
    add_twin(executions, &row.twin);
    return row;
  }

  double similarity(std::size_t part, std::size_t passage) const {
    const std::size_t begin = texts_.batches.size() * kSlots * kWidth;
    return values_[begin + rows_[texts_.parts() + passage] * query_rows_ + rows_[part]];
  }
  // Of the passages.
  std::vector<float> embeddings() const {
    std::vector<float> all;
    for (std::size_t p = 0; p < texts_.passages.size(); ++p) {
      const float* begin = embedding(texts_.parts() + p);
      all.insert(all.end(), begin, begin + kWidth);
    }
    return all;
  }
  std::vector<std::size_t> best(std::size_t query, std::size_t count) const {
    return best_by(query, count,
                   [&](std::size_t part, std::size_t p) { return similarity(part, p); });
  }

 private:
  // The tensors that every program has for itself.
  static Executable renamed(Executable program, const std::string& suffix) {
    for (TensorInfo& tensor : program.tensors) {
      for (const char* own : {"tokens", "positions", "slots", "embeddings"}) {
        if (tensor.name == own) {
          tensor.name += suffix;
          break;
        }
      }
    }
    return program;
  }

  const float* embedding(std::size_t sentence) const {
    if (kept_ != nullptr && sentence >= texts_.parts())
      return &kept_->embeddings[(sentence - texts_.parts()) * kWidth];
    return &values_[rows_[sentence] * kWidth];
  }

  // The index as inputs of the comparison; its rows.
  std::size_t add_kept(std::vector<use::Embeddings>* inputs) {
    constexpr std::size_t kMaxRows = 128;
    const std::size_t all = texts_.passages.size();
    for (std::size_t first = 0; first < all; first += kMaxRows) {
      const std::size_t rows = std::min(kMaxRows, all - first);
      std::vector<std::uint8_t> bytes(rows * kWidth * sizeof(float));
      std::memcpy(bytes.data(), &kept_->embeddings[first * kWidth], bytes.size());
      const std::string name = fmt::format("index.{}", first / kMaxRows);
      job_.tensors.push_back({name, std::move(bytes), false});
      inputs->push_back({name, static_cast<unsigned>(rows)});
    }
    return all;
  }

  // Largest difference of a similarity from the product of the chip's own embeddings.
  double similarity_error() const {
    double worst = 0;
    for (std::size_t part = 0; part < texts_.parts(); ++part) {
      for (std::size_t p = 0; p < texts_.passages.size(); ++p) {
        const float *a = embedding(part), *b = embedding(texts_.parts() + p);
        double exact = 0;
        for (std::size_t i = 0; i < kWidth; ++i) exact += static_cast<double>(a[i]) * b[i];
        const double difference = std::fabs(similarity(part, p) - exact);
        worst = std::isnan(difference) ? INFINITY : std::max(worst, difference);
      }
    }
    return worst;
  }

  template <typename Similarity>
  std::vector<std::size_t> best_by(std::size_t query, std::size_t count,
                                   Similarity similarity) const {
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t p = 0; p < texts_.passages.size(); ++p)
      order.emplace_back(-of_query(texts_, query, p, similarity), p);
    std::sort(order.begin(), order.end());
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < std::min(count, order.size()); ++i)
      result.push_back(order[i].second);
    return result;
  }

  const SearchTexts& texts_;
  const use::Format format_;
  const unsigned each_;
  const SearchIndex::Format* const kept_;
  std::uint64_t weight_bytes_ = 0;
  Job job_;
  std::size_t query_rows_ = 0;
  std::vector<std::size_t> rows_;  // of each sentence, among all embeddings
  std::vector<float> values_;
};

std::string place_of(const use::Passage& passage) {
  return fmt::format("{}{}passage {}, line {}", passage.chapter, passage.chapter.empty() ? "" : " ",
                     passage.number, passage.line);
}

void add_queries(const SearchWorkload& w, const SearchTexts& texts, const FormatRun& run,
                 SearchRecord* record) {
  for (std::size_t q = 0; q < texts.queries.size(); ++q) {
    const SearchTexts::Query& query = texts.queries[q];
    SearchQuery result{printable(query.text), query.tokens, static_cast<unsigned>(query.parts), {}};
    for (const std::size_t p : run.best(q, w.best)) {
      const double similarity = of_query(texts, q, p, [&](std::size_t part, std::size_t passage) {
        return run.similarity(part, passage);
      });
      result.hits.push_back(
          {similarity, printable(place_of(texts.passages[p])), printable(texts.passages[p].text)});
    }
    record->queries.push_back(result);
  }
}

void write_results(const SearchTexts& texts, const FormatRun& run, const OutputFiles& outputs,
                   SearchRecord* record) {
  const std::size_t passages = texts.passages.size(), queries = texts.queries.size();
  if (outputs.wants("embeddings"))
    outputs.write("embeddings", float_array({passages, kWidth}, run.embeddings()), record);
  if (!outputs.wants("similarities")) return;
  std::vector<float> values;
  for (std::size_t q = 0; q < queries; ++q) {
    for (std::size_t p = 0; p < passages; ++p) {
      values.push_back(static_cast<float>(of_query(
          texts, q, p, [&](std::size_t part, std::size_t i) { return run.similarity(part, i); })));
    }
  }
  outputs.write("similarities", float_array({queries, passages}, values), record);
}

std::string backends(const Execution& e) {
  return "tensor engine: " + e.label();
}

// What `read` returns; its faults follow the place of the key that names what it reads.
template <typename Read>
auto at(const std::string& place, Read read) {
  try {
    return read();
  } catch (const UserError& error) {
    throw UserError(fmt::format("{}: {}", place, error.what()));
  }
}

use::Tokenizer load_tokenizer(const SearchWorkload& w, const use::Model& model) {
  use::Tokenizer tokenizer(std::filesystem::path(w.model) / "vocab.json");
  if (tokenizer.size() > model.vocabulary) {
    throw UserError(fmt::format("{}: {} pieces in vocab.json, the model's table has {} rows",
                                w.model, tokenizer.size(), model.vocabulary));
  }
  return tokenizer;
}

// With what the command line says instead.
SearchWorkload asked(const RunOptions& options, SearchWorkload w) {
  w.every = options.search.every.value_or(w.every);
  w.count = options.search.count.value_or(w.count);
  w.best = static_cast<unsigned>(options.search.best.value_or(w.best));
  return w;
}

// What a run on several chips cannot do.
void refuse_with_plan(const RunOptions& options, const Plan& plan, const ChipConfig& chip) {
  const auto refuse = [&](bool given, const char* option) {
    if (given) throw UserError(fmt::format("{}: not with {}", plan.place, option));
  };
  refuse(options.core.has_value(), "--core");
  refuse(options.asks_for_backends(), "RTL");
  refuse(!options.wave.file.empty(), "--wave");
  refuse(!options.trace.empty(), "--trace");
  if (plan.cores > chip.cores)
    throw UserError(fmt::format("{}: {} cores of a chip, and '{}' has {}", plan.place, plan.cores,
                                printable(chip.name), chip.cores));
}

// How many batches, from the first one on, hold parts of queries.
std::size_t batches_with_queries(const SearchTexts& texts) {
  std::size_t count = 0;
  for (std::size_t b = 0; b < texts.batches.size(); ++b) {
    for (const std::size_t sentence : texts.batches[b].sentences) {
      if (sentence < texts.parts()) count = b + 1;
    }
  }
  return std::max<std::size_t>(count, 1);
}

}  // namespace

int run_search(const RunOptions& options, const SearchWorkload& workload) {
  SearchWorkload w = asked(options, workload);
  const bool times_plan = take_timed_parts(options, &w);
  if (!w.checksums.empty())
    at(w.places.checksums, [&] { base::check_sha256(w.model, w.checksums, kRemedy); });
  // One of these, whose faults of the options come before long work.
  std::unique_ptr<Session> session;
  std::optional<SearchRanks> ranks;
  ChipConfig chip;
  if (w.plan) {
    chip = load_chip_config(options.chip, options.overrides).chip;
    refuse_with_plan(options, *w.plan, chip);
  } else {
    session = std::make_unique<Session>(options);
    session->watch_first_program();
    chip = session->config();
  }
  const bool rtl = session && uses_rtl(chip, session->core());
  const OutputFiles outputs(options, w, {"embeddings", "similarities"}, "embeddings");
  const use::Model model = at(w.places.model, [&] { return use::load_model(w.model); });
  std::vector<SearchTrial> trials;
  if (w.plan) {
    if (w.plan->open()) {
      trials = try_plans(options, w, model);
      w.plan->grid = trials.front().grid;
    }
    at(w.plan->place, [&] { use::check_parts(model, w.plan->grid); });
    ranks.emplace(*w.plan, chip);
  }
  const use::Tokenizer tokenizer = at(w.places.model, [&] { return load_tokenizer(w, model); });
  std::vector<std::string> warnings;
  std::optional<IndexFile> file;
  std::optional<SearchIndex> index;
  if (!options.search.no_index && !rtl && !ranks) {
    file.emplace(options, w);
    index = file->read(&warnings);
  }
  SearchTexts texts = load_texts(w, options.queries, tokenizer, index ? &*index : nullptr);
  SearchRecord record;
  static_cast<RunHeader&>(record) = run_header(options, w);
  record.all_passages = texts.all_passages;
  record.every = w.every;
  record.chip = chip.name;
  if (rtl) {
    if (!texts.keep_one_batch()) {
      throw UserError(fmt::format("RTL runs one batch: the queries together may have {} tokens",
                                  use::Batch::kTokens));
    }
    record.note =
        "RTL runs one batch of 128 tokens: the queries, and the first passages beside "
        "them that fit";
  }
  record.passages = texts.passages.size();
  record.sentences = texts.sentences.size();
  record.batches = texts.batches.size();
  for (const use::Batch& batch : texts.batches) record.tokens += batch.used;
  unsigned each = use::kMaxBatches;
  if (ranks) {
    each = ranks->batches_of_program(texts.batches.size(), batches_with_queries(texts));
    if (times_plan) return print_time(ranks->time(model, texts.batches, each, w.formats.front()));
    SearchPlan& plan = record.plan.emplace();
    plan.trials = std::move(trials);
    plan.description = w.plan->describe();
    plan.data = w.plan->grid.data;
    plan.sequence = w.plan->grid.sequence;
    plan.pipeline = w.plan->grid.pipeline;
    plan.tensor = w.plan->grid.tensor;
    plan.sum = ranks->sum();
    plan.gather = ranks->gather();
    plan.broadcast = ranks->broadcast();
    plan.choices = ranks->choices();
  }
  catch_interrupts();
  auto reference = std::async(std::launch::async, [&] {
    Vectors vectors;
    for (const auto& tokens : texts.sentences) {
      base::end_if_requested();
      vectors.push_back(reference::sentence_embedding(model, tokens));
    }
    if (!index) return vectors;
    for (auto from = index->reference.begin(); from != index->reference.end(); from += kWidth)
      vectors.emplace_back(from, from + kWidth);
    return vectors;
  });
  Vectors expected;
  SearchIndex fresh{texts.all_passages, texts.passages, {}, {}};
  for (const use::Format format : w.formats) {
    const std::string name = use::name_of(format);
    const SearchIndex::Format* kept = index ? index->find(name) : nullptr;
    std::optional<FormatRun> run;
    std::vector<Execution> executions;
    try {
      if (kept != nullptr && !kept->refused.empty()) throw UserError(kept->refused);
      run.emplace(texts, format, each, kept);
      if (ranks) {
        Progress progress(name + ": " + record.plan->description, options.quiet);
        std::uint64_t weight_bytes = 0;
        executions.push_back(
            ranks->run(model, texts.batches, each, format, &progress, &weight_bytes));
        run->set_weight_bytes(weight_bytes);
      } else {
        run->make_job(model, chip);
      }
    } catch (const UserError& error) {
      if (w.formats.size() == 1) throw;
      record.rows.push_back({});
      record.rows.back().format = name;
      record.rows.back().refused = error.what();
      fresh.formats.push_back({name, error.what(), 0, {}});
      continue;
    }
    if (session) executions = session->run(run->job(), name + ": ");
    if (expected.empty()) expected = reference.get();
    record.rows.push_back(run->judge(executions, expected));
    if (ranks) record.rows.back().stage_shares = ranks->stage_shares();
    if (kept != nullptr) record.rows.back().index_us = kept->us;
    if (file && !index)
      fresh.formats.push_back({name, "", record.rows.back().us, run->embeddings()});
    if (record.queries.empty()) {
      record.core = executions.front().core;
      record.backend = backends(executions.front());
      if (ranks) {
        record.first_program = ranks->first_program();
      } else {
        record.first_program = session->first_program(executions.front(), title_of(each, name));
      }
      add_queries(w, texts, *run, &record);
      write_results(texts, *run, outputs, &record);
    }
  }
  if (session) session->close_trace();
  session.reset();  // closes the waveform
  check_wave(options.wave);
  record.from_index = index.has_value();
  if (index && !record.passed()) file->remove(&warnings);
  if (file && !index && record.passed()) {
    for (std::size_t s = texts.parts(); s < expected.size(); ++s)
      fresh.reference.insert(fresh.reference.end(), expected[s].begin(), expected[s].end());
    file->write(fresh, &warnings);
  }
  if (file) record.index_path = file->path().string();
  if (!options.quiet) {
    for (const std::string& line : warnings)
      base::to_stderr(fmt::format("tern: warning: {}\n", line));
  }
  return write_report(report_of(record), options.report, options.json);
}

std::vector<Kind> search_kinds() {
  Kind kind =
      make_kind("search", load_search, run_search,
                {"/rows",
                 {"/format"},
                 {{"simulated us", "/simulated_us"}, {"least cosine", "/least_cosine", false, 6}}},
                {"--core", "--query", "--every", "--count", "--best", "--no-index", "--output",
                 "--time-plan"});
  kind.chip = [](const config::YamlMap& top) {
    const auto plan = top.find("plan");
    return plan ? load_plan(*plan).system.chip : std::string();
  };
  return {std::move(kind)};
}

}  // namespace tern::app
