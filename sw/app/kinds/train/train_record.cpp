// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/train/train_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sw/app/report/text.h"
#include "sw/base/text.h"

namespace tern::app {
namespace {

double bits_of(double nats) {
  return nats / std::log(2.0);
}

std::string nats_and_bits(double nats) {
  return fmt::format("{:.3f} nats ({:.3f} bits)", nats, bits_of(nats));
}

void add_text_lines(const TrainRecord& r, Lines* lines) {
  const TextRecord& t = *r.text;
  lines->push_back(
      {"text", fmt::format("{} characters of {}, {} of them held out; {} left out of the text",
                           grouped(t.training + t.held_out), t.alphabet, grouped(t.held_out),
                           grouped(t.left_out))});
  lines->push_back({"entropy", fmt::format("{} a character; {} where the one before it is known",
                                           nats_and_bits(t.unigram), nats_and_bits(t.bigram))});
  if (r.epochs.empty() || r.interrupted) return;
  std::string text = fmt::format(
      "{} a character, {} of the entropy, over {}", nats_and_bits(r.epochs.back().held_out),
      percent_text(r.epochs.back().held_out / t.unigram, 2), grouped(t.evaluated));
  std::optional<bool> ok;
  if (t.loss_expected) {
    text += fmt::format("; at most {:.3f} expected", *t.loss_expected);
    ok = r.epochs.back().held_out <= *t.loss_expected;
  }
  lines->push_back({"held-out loss", text, ok});
}

void add_image_lines(const TrainRecord& r, Lines* lines) {
  if (!r.epochs.empty() && !r.interrupted) {
    const TrainRecord::Epoch& last = r.epochs.back();
    std::string text = fmt::format("{} ({} of {})", percent_text(last.accuracy, 2),
                                   grouped(last.correct), grouped(r.test_images));
    std::optional<bool> ok;
    if (r.accuracy_expected) {
      text += fmt::format(", at least {} expected", percent_text(*r.accuracy_expected, 2));
      ok = last.accuracy >= *r.accuracy_expected;
    }
    lines->push_back({"accuracy", text, ok});
  }
}

// Multiplications of the model in a step over those of full arrays in its time: nothing that ranks
// repeat or fill up.
double mfu_of(const PlanRecord& plan, double step_us) {
  constexpr double kArray = 128.0 * 128.0;
  const double cycles = step_us * 1e3 * plan.tensor_clock_ghz;
  return static_cast<double>(plan.model_macs) / (plan.ranks() * kArray * cycles);
}

void add_plan_line(const TrainRecord& r, Lines* lines) {
  const PlanRecord& p = *r.plan;
  std::vector<std::string> parts;
  if (p.grid.pipeline == 1 && p.micro_batches > 1)
    parts.push_back(fmt::format("{} micro-batches", p.micro_batches));
  if (p.ranks() == 1) {
    parts.insert(parts.begin(), "one rank");
    lines->push_back({"plan", fmt::format("{}", fmt::join(parts, ", ")), {}});
    return;
  }
  const collectives::RankGrid& grid = p.grid;
  const std::string gradients = fmt::format(
      ", gradients by {}{}", p.sum, p.optimiser_sharding ? ", the optimiser's state divided" : "");
  if (grid.data > 1)
    parts.push_back(fmt::format("the batch in {} parts{}", grid.data,
                                grid.sequence == 1 ? gradients : std::string()));
  if (grid.sequence > 1)
    parts.push_back(fmt::format("windows in {} parts, their keys and values by {}{}", grid.sequence,
                                p.sequence_sum, gradients));
  if (grid.expert > 1)
    parts.push_back(
        fmt::format("experts on {} ranks, their characters by {}", grid.expert, p.expert_exchange));
  if (grid.pipeline > 1)
    parts.push_back(fmt::format("blocks in {} stages, {} micro-batch{}", grid.pipeline,
                                p.micro_batches, p.micro_batches == 1 ? "" : "es"));
  if (grid.tensor > 1)
    parts.push_back(fmt::format("layers in {} parts, their sums by {}", grid.tensor, p.tensor_sum));
  lines->push_back({"plan", fmt::format("{} ranks: {}", p.ranks(), fmt::join(parts, "; ")), {}});
  if (!p.choices.empty())
    lines->push_back({"choices", printable(fmt::format("{}", fmt::join(p.choices, "; "))), {}});
  if (r.step_us <= 0) return;
  const PlanTimes& t = p.times;
  if (t.step_us > 0) {
    const auto part = [&](double us) {
      return fmt::format("{} of {} ({})", time_text(us), time_text(t.step_us),
                         percent_text(us / t.step_us, 1));
    };
    lines->push_back({"exposed", part(t.exposed_us()) + ": communication that nothing hides", {}});
    if (grid.pipeline > 1) {
      const double stages = grid.pipeline, micro_batches = p.micro_batches;
      lines->push_back({"bubbles",
                        fmt::format("{}; stages of equal length have {}", part(t.bubbles_us()),
                                    percent_text((stages - 1) / (micro_batches + stages - 1), 1)),
                        {}});
    }
    const char* alone = grid.pipeline * grid.sequence == 1 ? "a rank"
                        : grid.sequence == 1               ? "the slowest stage"
                        : grid.pipeline == 1               ? "the slowest part of windows"
                                             : "the slowest stage and part of windows";
    lines->push_back({"alone", part(t.alone_us) + ": " + alone + " by itself", {}});
  }
  lines->push_back(
      {"MFU",
       fmt::format("{}: what the model multiplies, of what the arrays of {} ranks could in "
                   "16-bit formats",
                   small_percent_text(mfu_of(p, r.step_us)), p.ranks()),
       {}});
}

// For all checkpoints on hosts: to keep the state, and for the one before.
double waited_us(const HostCheckpointsRecord& hosts) {
  double waited = 0;
  for (const HostCheckpointTimes& of : hosts.checkpoints) waited += of.waited_us + of.kept_us;
  return waited;
}

void add_host_lines(const HostCheckpointsRecord& hosts, Lines* lines) {
  if (hosts.checkpoints.empty()) return;
  HostCheckpointTimes most;
  for (const HostCheckpointTimes& of : hosts.checkpoints) {
    most.most_bytes = std::max(most.most_bytes, of.most_bytes);
    most.kept_us = std::max(most.kept_us, of.kept_us);
    most.copied_us = std::max(most.copied_us, of.copied_us);
    most.replicated_us = std::max(most.replicated_us, of.replicated_us);
  }
  std::string text =
      fmt::format("{} on {}, up to {} bytes each: kept in {}, there after {}",
                  hosts.checkpoints.size(), base::counted(hosts.hosts, "host"),
                  grouped(most.most_bytes), time_text(most.kept_us), time_text(most.copied_us));
  if (hosts.replicas > 0) text += fmt::format(", twice after {}", time_text(most.replicated_us));
  lines->push_back({"checkpoints", text, {}});
  text = fmt::format("{} in all that the training stood still for", time_text(waited_us(hosts)));
  if (hosts.with.count > 0 && hosts.without.count > 0)
    text += fmt::format("; a step beside them took {} ({} of them), another one {}",
                        time_text(hosts.with.mean_us()), hosts.with.count,
                        time_text(hosts.without.mean_us()));
  lines->push_back({"their cost", text, {}});
}

}  // namespace

std::string text_of(const Division& division) {
  const collectives::RankGrid& grid = division.grid;
  return fmt::format("data {}, sequence {}, pipeline {}, tensor {}, expert {}, micro_batches {}{}",
                     grid.data, grid.sequence, grid.pipeline, grid.tensor, grid.expert,
                     division.micro_batches,
                     division.optimiser_sharding ? ", optimiser_sharding" : "");
}

Section plans_section(const PlanRecord& p) {
  Section section(
      "Plans tried",
      "A step of each way to divide batch, windows, blocks, layers, experts and the optimiser's "
      "state among these ranks.");
  Table table{columns_of({"data", "sequence", "pipeline", "micro-batches", "tensor", "expert",
                          "optimiser", "step us", "bubbles us", "exposed us", "MFU", ""},
                         {6, 11}),
              {}};
  Lines reasons;
  for (const PlanTrial& t : p.trials) {
    std::vector<Cell> row;
    for (const unsigned parts : {t.grid.data, t.grid.sequence, t.grid.pipeline, t.micro_batches,
                                 t.grid.tensor, t.grid.expert})
      row.emplace_back(std::to_string(parts));
    row.emplace_back(t.optimiser_sharding ? "divided" : "");
    if (t.refused.empty()) {
      for (const double us : {t.times.step_us, t.times.bubbles_us(), t.times.exposed_us()})
        row.emplace_back(fmt::format("{:.1f}", us));
      row.emplace_back(small_percent_text(mfu_of(p, t.times.step_us)));
      row.emplace_back(&t == &p.trials.front() ? "chosen" : "");
    } else {
      row.insert(row.end(), {"", "", "", "", "not run"});
      reasons.push_back({text_of(t), printable(t.refused), {}});
    }
    table.rows.push_back(std::move(row));
  }
  section.add(table);
  if (!reasons.empty()) section.add(reasons);
  return section;
}

// Of many steps one line for all that agree.
void add_rtl_steps(const TrainRecord& r, Lines* lines) {
  constexpr std::size_t kMostLines = 8;
  const bool all = r.rtl_steps.size() <= kMostLines;
  std::uint64_t words = 0, agreeing = 0;
  double wall_s = 0;
  for (const RtlStep& s : r.rtl_steps) {
    if (!all && s.passed()) {
      words += s.words;
      agreeing += 1;
      wall_s += s.wall_s;
      continue;
    }
    std::string text = fmt::format("step {}: rtl = model: {} of {} words equal, {:.1f} s", s.step,
                                   grouped(s.words - s.mismatches), grouped(s.words), s.wall_s);
    if (s.mismatches > 0) text += "; first: " + s.first_difference;
    lines->push_back({"bit-exact", text, s.mismatches == 0});
    lines->push_back({"time-exact",
                      fmt::format("step {}: rtl {:.3f}, model {:.3f} ns; {}, {} tensor cycles",
                                  s.step, s.rtl_us * 1e3, s.model_us * 1e3, grouped(s.rtl_cycles),
                                  grouped(s.model_cycles)),
                      s.times_agree()});
  }
  if (agreeing == 0) return;
  lines->push_back(
      {"bit-exact, time-exact",
       fmt::format("{} of {} steps: rtl = model: {} words, tensor cycles and times "
                   "equal, {:.1f} s",
                   grouped(agreeing), grouped(r.rtl_steps.size()), grouped(words), wall_s),
       agreeing == r.rtl_steps.size()});
}

Lines lines_of(const TrainRecord& r) {
  Lines lines;
  if (r.text) {
    add_text_lines(r, &lines);
  } else {
    add_image_lines(r, &lines);
  }
  if (r.pruning) {
    const PruningRecord& p = *r.pruning;
    lines.push_back(
        {"pruned to " + p.pattern,
         fmt::format("accuracy {} before, {} pruned, {} retrained; at most {:.2f} points lost",
                     percent_text(p.before, 2), percent_text(p.pruned, 2), percent_text(p.after, 2),
                     p.most_lost * 100),
         p.before - p.after <= p.most_lost});
    lines.push_back(
        {"sparse product",
         fmt::format("layer 0 of {} images: {} tensor cycles, dense {}: {:.2f} times as "
                     "fast; largest difference {:.1e}",
                     grouped(p.images), grouped(p.sparse_cycles), grouped(p.dense_cycles),
                     static_cast<double>(p.dense_cycles) /
                         static_cast<double>(std::max<std::uint64_t>(p.sparse_cycles, 1)),
                     p.largest_difference),
         p.passed()});
  }
  if (!r.resumed_from.empty()) lines.push_back({"resumed", r.resumed_from, {}});
  add_rtl_steps(r, &lines);
  if (r.plan) add_plan_line(r, &lines);
  if (r.plan && r.plan->hosts) add_host_lines(*r.plan->hosts, &lines);
  if (r.steps > r.first_step) {
    const double waited = r.plan && r.plan->hosts ? waited_us(*r.plan->hosts) : 0;
    const std::string with =
        waited > 0 ? fmt::format(" ({} with checkpoints)", time_text(r.steps_us + waited)) : "";
    lines.push_back({"simulated time",
                     fmt::format("{} a step on the chip, {} in {}{}, tensor utilisation {}",
                                 time_text(r.step_us), time_text(r.steps_us), r.steps_text(), with,
                                 percent_text(r.tensor_utilisation, 2)),
                     {}});
    lines.push_back(
        {"simulator speed",
         fmt::format("{} steps in {:.1f} s, {:.1f} ms a step", grouped(r.steps - r.first_step),
                     r.steps_wall_s,
                     r.steps_wall_s * 1e3 / static_cast<double>(r.steps - r.first_step)),
         {}});
  }
  return lines;
}

std::string TrainRecord::steps_text() const {
  return first_step == 0 ? "all" : fmt::format("steps {} to {}", first_step + 1, steps);
}

bool TrainRecord::passed() const {
  bool good =
      !accuracy_expected || (!epochs.empty() && epochs.back().accuracy >= *accuracy_expected);
  if (text && text->loss_expected)
    good = !epochs.empty() && epochs.back().held_out <= *text->loss_expected;
  return !interrupted && good && (!pruning || pruning->passed()) &&
         std::all_of(rtl_steps.begin(), rtl_steps.end(),
                     [](const RtlStep& step) { return step.passed(); });
}

namespace {

nlohmann::ordered_json json_of(const HostCheckpointsRecord& hosts) {
  nlohmann::ordered_json json = {{"hosts", hosts.hosts},
                                 {"replicas", hosts.replicas},
                                 {"step_us_beside", hosts.with.mean_us()},
                                 {"step_us_without", hosts.without.mean_us()},
                                 {"checkpoints", nlohmann::ordered_json::array()}};
  for (const HostCheckpointTimes& of : hosts.checkpoints) {
    json["checkpoints"].push_back({{"step", of.step},
                                   {"bytes", of.most_bytes},
                                   {"waited_us", of.waited_us},
                                   {"kept_us", of.kept_us},
                                   {"copied_us", of.copied_us},
                                   {"replicated_us", of.replicated_us}});
  }
  return json;
}

}  // namespace

void add_data(const TrainRecord& r, nlohmann::ordered_json* data) {
  using Json = nlohmann::ordered_json;
  Json& j = *data;
  j.update(Json{{"cores", r.cores},
                {"seed", r.seed},
                {"interrupted", r.interrupted},
                {"steps", r.steps},
                {"steps_planned", r.all_steps},
                {"batch", r.batch},
                {"training_images", r.images},
                {"test_images", r.test_images},
                {"step_us", r.step_us > 0 ? Json(r.step_us) : Json()},
                {"step_macs", r.macs},
                {"tensor_utilisation", r.tensor_utilisation},
                {"steps_us", r.steps_us},
                {"steps_wall_s", r.steps_wall_s}});
  if (r.accuracy_expected) j["accuracy_expected"] = *r.accuracy_expected;
  if (!r.epochs.empty() && !r.text) j["accuracy"] = r.epochs.back().accuracy;
  if (r.text) {
    const TextRecord& t = *r.text;
    j["text"] = {{"alphabet", t.alphabet},
                 {"training_characters", t.training},
                 {"held_out_characters", t.held_out},
                 {"left_out_characters", t.left_out},
                 {"evaluated_characters", t.evaluated},
                 {"unigram_entropy", t.unigram},
                 {"bigram_entropy", t.bigram},
                 {"prompt", t.prompt},
                 {"temperature", t.temperature},
                 {"sample", t.sample}};
    if (t.loss_expected) j["text"]["loss_expected"] = *t.loss_expected;
    if (!r.epochs.empty()) j["text"]["held_out_loss"] = r.epochs.back().held_out;
    j["evaluations"] = Json::array();
    for (const TrainRecord::Epoch& e : r.epochs) {
      j["evaluations"].push_back({{"step", e.step},
                                  {"loss", e.loss},
                                  {"held_out_loss", e.held_out},
                                  {"wall_s", e.wall_s}});
    }
  }
  j["epochs"] = Json::array();
  for (const TrainRecord::Epoch& e : r.epochs) {
    if (r.text) break;
    j["epochs"].push_back({{"step", e.step},
                           {"loss", e.loss},
                           {"accuracy", e.accuracy},
                           {"correct", e.correct},
                           {"wall_s", e.wall_s}});
  }
  if (r.plan) {
    const PlanRecord& p = *r.plan;
    j["plan"] = {{"description", p.description},
                 {"chips", p.chips},
                 {"cores", p.cores},
                 {"data", p.grid.data},
                 {"sequence", p.grid.sequence},
                 {"pipeline", p.grid.pipeline},
                 {"tensor", p.grid.tensor},
                 {"expert", p.grid.expert},
                 {"micro_batches", p.micro_batches},
                 {"optimiser_sharding", p.optimiser_sharding},
                 {"sum", p.sum},
                 {"tensor_sum", p.tensor_sum},
                 {"sequence_sum", p.sequence_sum},
                 {"expert_exchange", p.expert_exchange},
                 {"choices", p.choices},
                 {"first_step_us", p.times.step_us > 0 ? Json(p.times.step_us) : Json()},
                 {"alone_us", p.times.step_us > 0 ? Json(p.times.alone_us) : Json()},
                 {"bubbles_us", p.times.step_us > 0 ? Json(p.times.bubbles_us()) : Json()},
                 {"exposed_us", p.times.step_us > 0 ? Json(p.times.exposed_us()) : Json()},
                 {"mfu", r.step_us > 0 ? Json(mfu_of(p, r.step_us)) : Json()}};
    if (p.hosts) j["plan"]["host_checkpoints"] = json_of(*p.hosts);
    for (const PlanTrial& t : p.trials) {
      Json trial = {{"data", t.grid.data},
                    {"sequence", t.grid.sequence},
                    {"pipeline", t.grid.pipeline},
                    {"tensor", t.grid.tensor},
                    {"expert", t.grid.expert},
                    {"micro_batches", t.micro_batches},
                    {"optimiser_sharding", t.optimiser_sharding}};
      if (t.refused.empty()) {
        trial["step_us"] = t.times.step_us;
        trial["bubbles_us"] = t.times.bubbles_us();
        trial["exposed_us"] = t.times.exposed_us();
        trial["mfu"] = mfu_of(p, t.times.step_us);
      } else {
        trial["refused"] = printable(t.refused);
      }
      j["plan"]["trials"].push_back(trial);
    }
  }
  if (r.pruning) {
    const PruningRecord& p = *r.pruning;
    j["pruning"] = {{"pattern", p.pattern},
                    {"accuracy_before", p.before},
                    {"accuracy_pruned", p.pruned},
                    {"accuracy_after", p.after},
                    {"most_lost", p.most_lost},
                    {"images", p.images},
                    {"dense_cycles", p.dense_cycles},
                    {"sparse_cycles", p.sparse_cycles},
                    {"largest_difference", p.largest_difference}};
  }
  j["rtl_steps"] = Json::array();
  for (const RtlStep& s : r.rtl_steps) {
    Json x = {{"step", s.step},
              {"words", s.words},
              {"mismatches", s.mismatches},
              {"rtl_cycles", s.rtl_cycles},
              {"model_cycles", s.model_cycles},
              {"rtl_us", s.rtl_us},
              {"model_us", s.model_us},
              {"wall_s", s.wall_s}};
    if (!s.first_difference.empty()) x["first_difference"] = s.first_difference;
    j["rtl_steps"].push_back(x);
  }
  j["loss"] = r.losses;
  j["correct"] = r.correct;
  j["learning_rate"] = r.rates;
  add_written(r, data);
}

}  // namespace tern::app
