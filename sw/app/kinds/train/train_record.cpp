// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/train/train_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sw/app/report/style.h"
#include "sw/app/report/text.h"

namespace tern::app {
namespace {

double bits_of(double nats) {
  return nats / std::log(2.0);
}

std::string nats_and_bits(double nats) {
  return fmt::format("{:.3f} nats ({:.3f} bits)", nats, bits_of(nats));
}

void add_text_lines(const TrainRecord& r, std::vector<TrainLine>* lines) {
  const TextRecord& t = *r.text;
  for (const TrainRecord::Epoch& epoch : r.epochs) {
    std::string text = fmt::format("loss {:.4f}, held out {:.4f}", epoch.loss, epoch.held_out);
    if (epoch.wall_s > 0) text += fmt::format(", {:.1f} s", epoch.wall_s);
    lines->push_back({fmt::format("step {}", grouped(epoch.step)), text, {}});
  }
  lines->push_back({"text",
                    fmt::format("{} characters of {}, {} of them held out; {} left out of the text",
                                grouped(t.training + t.held_out), t.alphabet, grouped(t.held_out),
                                grouped(t.left_out)),
                    {}});
  lines->push_back({"entropy",
                    fmt::format("{} a character; {} where the one before it is known",
                                nats_and_bits(t.unigram), nats_and_bits(t.bigram)),
                    {}});
  if (r.epochs.empty() || r.interrupted) return;
  std::string text = fmt::format(
      "{} a character, {} of the entropy, over {}", nats_and_bits(r.epochs.back().held_out),
      percent(r.epochs.back().held_out / t.unigram), grouped(t.evaluated));
  std::optional<bool> ok;
  if (t.loss_expected) {
    text += fmt::format("; at most {:.3f} expected", *t.loss_expected);
    ok = r.epochs.back().held_out <= *t.loss_expected;
  }
  lines->push_back({"held-out loss", text, ok});
}

void add_image_lines(const TrainRecord& r, std::vector<TrainLine>* lines) {
  for (std::size_t e = 0; e < r.epochs.size(); ++e) {
    const TrainRecord::Epoch& epoch = r.epochs[e];
    std::string text =
        fmt::format("loss {:.4f}, test accuracy {}", epoch.loss, percent(epoch.accuracy));
    if (epoch.wall_s > 0) text += fmt::format(", {:.1f} s", epoch.wall_s);
    lines->push_back({fmt::format("epoch {}", e + 1), text, {}});
  }
  if (!r.epochs.empty() && !r.interrupted) {
    const TrainRecord::Epoch& last = r.epochs.back();
    std::string text = fmt::format("{} ({} of {})", percent(last.accuracy), grouped(last.correct),
                                   grouped(r.test_images));
    std::optional<bool> ok;
    if (r.accuracy_expected) {
      text += fmt::format(", at least {} expected", percent(*r.accuracy_expected));
      ok = last.accuracy >= *r.accuracy_expected;
    }
    lines->push_back({"accuracy", text, ok});
  }
}

// In lines of whole words.
std::string wrapped(const std::string& text) {
  constexpr std::size_t kWidth = 78;
  std::string out = "  ";
  std::size_t column = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (column > 0 && column + end - at > kWidth) {
      out += "\n  ";
      column = 0;
    }
    out += text.substr(at, end - at + 1);
    column += end - at + 1;
    at = end + 1;
  }
  return out;
}

}  // namespace

std::string percent(double share) {
  return fmt::format("{:.2f} %", share * 100);
}

std::string verdict(const TrainRecord& r) {
  if (r.interrupted) return "INTERRUPTED";
  return r.passed() ? "PASSED" : "FAILED";
}

std::vector<TrainLine> lines_of(const TrainRecord& r) {
  std::vector<TrainLine> lines;
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
                     percent(p.before), percent(p.pruned), percent(p.after), p.most_lost * 100),
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
  for (const RtlStep& s : r.rtl_steps) {
    std::string text = fmt::format("step {}: rtl = model: {} of {} words equal, {:.1f} s", s.step,
                                   grouped(s.words - s.mismatches), grouped(s.words), s.wall_s);
    if (s.mismatches > 0) text += "; first: " + s.first_difference;
    lines.push_back({"bit-exact", text, s.passed()});
  }
  if (r.steps > r.first_step) {
    lines.push_back({"simulated time",
                     fmt::format("{} a step on the chip, tensor engine used {}",
                                 time_text(r.step_us), percent(r.tensor_utilisation)),
                     {}});
    lines.push_back(
        {"simulator speed",
         fmt::format("{} steps in {:.1f} s, {:.1f} ms a step", grouped(r.steps - r.first_step),
                     r.steps_wall_s,
                     r.steps_wall_s * 1e3 / static_cast<double>(r.steps - r.first_step)),
         {}});
  }
  if (!r.checkpoint_path.empty()) lines.push_back({"checkpoint", r.checkpoint_path, {}});
  if (!r.report_path.empty()) lines.push_back({"report", r.report_path, {}});
  return lines;
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

std::string train_text(const TrainRecord& r, bool colour) {
  const Style style(colour);
  std::string out = fmt::format("\n{}: {} on {}, {}\n", r.workload, r.description, r.chip,
                                r.cores == 1 ? "core 0" : fmt::format("{} cores", r.cores));
  for (const TrainLine& line : lines_of(r)) {
    out += fmt::format("  {:<16} {}", line.label, line.value);
    if (line.ok)
      out += fmt::format("  {}{}{}", *line.ok ? style.good : style.bad, *line.ok ? "ok" : "FAILED",
                         style.off);
    out += "\n";
  }
  if (r.text && !r.text->sample.empty()) {
    out += fmt::format("\nwritten by the chip, temperature {}:\n{}\n\n", r.text->temperature,
                       wrapped(r.text->prompt + r.text->sample));
  }
  if (r.interrupted)
    out +=
        fmt::format("interrupted after step {} of {}: go on with --resume\n", r.steps, r.all_steps);
  return out + fmt::format("{}{}{}\n", r.passed() ? style.good : style.bad, verdict(r), style.off);
}

std::string train_json(const TrainRecord& r) {
  using Json = nlohmann::ordered_json;
  Json j = header_json(r, r.passed());
  j.update(Json{{"cores", r.cores},
                {"seed", r.seed},
                {"interrupted", r.interrupted},
                {"steps", r.steps},
                {"steps_planned", r.all_steps},
                {"batch", r.batch},
                {"training_images", r.images},
                {"test_images", r.test_images},
                {"step_us", r.step_us},
                {"step_macs", r.macs},
                {"tensor_utilisation", r.tensor_utilisation},
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
              {"wall_s", s.wall_s}};
    if (!s.first_difference.empty()) x["first_difference"] = s.first_difference;
    j["rtl_steps"].push_back(x);
  }
  j["loss"] = r.losses;
  j["correct"] = r.correct;
  j["learning_rate"] = r.rates;
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string train_markdown(const TrainRecord& r) {
  std::string out = fmt::format("# {}\n\n{} on `{}`; {}\n\n| | |\n|---|---|\n", r.workload,
                                r.description, r.chip, r.command);
  for (const TrainLine& line : lines_of(r)) {
    out += fmt::format("| {} | {}{} |\n", line.label, line.value,
                       !line.ok   ? ""
                       : *line.ok ? " **ok**"
                                  : " **FAILED**");
  }
  return out +
         fmt::format("\n**{}**\n\n![loss](loss.svg)\n\n![accuracy](accuracy.svg)\n", verdict(r));
}

}  // namespace tern::app
