// SPDX-License-Identifier: Apache-2.0
#include "systemc/app/train_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "systemc/app/chart_svg.h"
#include "systemc/app/html_page.h"
#include "systemc/app/text.h"

namespace tern::app {
namespace {

constexpr std::size_t kMostPoints = 400;  // of a curve

struct Line {
  std::string label, value;
  std::optional<bool> ok;
};

std::string percent(double share) {
  return fmt::format("{:.2f} %", share * 100);
}

std::vector<Line> lines_of(const TrainRecord& r) {
  std::vector<Line> lines;
  for (std::size_t e = 0; e < r.epochs.size(); ++e) {
    const TrainRecord::Epoch& epoch = r.epochs[e];
    std::string text =
        fmt::format("loss {:.4f}, test accuracy {}", epoch.loss, percent(epoch.accuracy));
    if (epoch.wall_s > 0) text += fmt::format(", {:.1f} s", epoch.wall_s);
    lines.push_back({fmt::format("epoch {}", e + 1), text, {}});
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
    lines.push_back({"accuracy", text, ok});
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

// Means of neighbouring steps: a curve of at most kMostPoints.
LineChart::Series thinned(const std::string& name, const std::vector<float>& values) {
  LineChart::Series series;
  series.name = name;
  const std::size_t group = (values.size() + kMostPoints - 1) / kMostPoints;
  for (std::size_t first = 0; first < values.size(); first += group) {
    const std::size_t end = std::min(first + group, values.size());
    double sum = 0;
    for (std::size_t i = first; i < end; ++i) sum += static_cast<double>(values[i]);
    series.x.push_back(static_cast<double>(first + end - 1) / 2 + 1);
    series.y.push_back(sum / static_cast<double>(end - first));
  }
  return series;
}

std::string verdict(const TrainRecord& r) {
  if (r.interrupted) return "INTERRUPTED";
  return r.passed() ? "PASSED" : "FAILED";
}

}  // namespace

bool TrainRecord::passed() const {
  const bool good =
      !accuracy_expected || (!epochs.empty() && epochs.back().accuracy >= *accuracy_expected);
  return !interrupted && good && (!pruning || pruning->passed()) &&
         std::all_of(rtl_steps.begin(), rtl_steps.end(),
                     [](const RtlStep& step) { return step.passed(); });
}

std::string loss_svg(const TrainRecord& r) {
  LineChart chart;
  chart.title = "loss of the training batches";
  chart.x_label = "step";
  chart.y_label = "cross-entropy";
  chart.logarithmic = false;
  chart.series.push_back(thinned("loss", r.losses));
  return line_chart_svg(chart);
}

std::string accuracy_svg(const TrainRecord& r) {
  LineChart chart;
  chart.title = "accuracy";
  chart.x_label = "step";
  chart.y_label = "%";
  chart.logarithmic = false;
  std::vector<float> training;
  for (const std::uint32_t correct : r.correct)
    training.push_back(100.0f * static_cast<float>(correct) / static_cast<float>(r.batch));
  chart.series.push_back(thinned("training batches", training));
  LineChart::Series test{"test images", {}, {}};
  for (const TrainRecord::Epoch& epoch : r.epochs) {
    test.x.push_back(static_cast<double>(epoch.step));
    test.y.push_back(epoch.accuracy * 100);
  }
  if (!test.x.empty()) chart.series.push_back(test);
  if (r.accuracy_expected) chart.levels.push_back({"expected", *r.accuracy_expected * 100});
  return line_chart_svg(chart);
}

std::string train_text(const TrainRecord& r, bool colour) {
  const char *good = colour ? "\033[32m" : "", *bad = colour ? "\033[31m" : "",
             *off = colour ? "\033[0m" : "";
  std::string out = fmt::format("\n{}: {} on {}, {}\n", r.workload, r.description, r.chip,
                                r.cores == 1 ? "core 0" : fmt::format("{} cores", r.cores));
  for (const Line& line : lines_of(r)) {
    out += fmt::format("  {:<16} {}", line.label, line.value);
    if (line.ok)
      out += fmt::format("  {}{}{}", *line.ok ? good : bad, *line.ok ? "ok" : "FAILED", off);
    out += "\n";
  }
  if (r.interrupted)
    out +=
        fmt::format("interrupted after step {} of {}: go on with --resume\n", r.steps, r.all_steps);
  return out + fmt::format("{}{}{}\n", r.passed() ? good : bad, verdict(r), off);
}

std::string train_json(const TrainRecord& r) {
  using Json = nlohmann::ordered_json;
  Json j = {{"tern", r.version},
            {"passed", r.passed()},
            {"workload", r.workload},
            {"workload_file", r.workload_path},
            {"description", r.description},
            {"chip", r.chip},
            {"cores", r.cores},
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
            {"steps_wall_s", r.steps_wall_s}};
  if (r.accuracy_expected) j["accuracy_expected"] = *r.accuracy_expected;
  if (!r.epochs.empty()) j["accuracy"] = r.epochs.back().accuracy;
  j["epochs"] = Json::array();
  for (const TrainRecord::Epoch& e : r.epochs) {
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
  for (const Line& line : lines_of(r)) {
    out += fmt::format("| {} | {}{} |\n", line.label, line.value,
                       !line.ok   ? ""
                       : *line.ok ? " **ok**"
                                  : " **FAILED**");
  }
  return out +
         fmt::format("\n**{}**\n\n![loss](loss.svg)\n\n![accuracy](accuracy.svg)\n", verdict(r));
}

std::string train_html(const TrainRecord& r) {
  HtmlPage page(r.workload, r.description + " on " + r.chip);
  page.verdict(r.passed(), verdict(r));
  std::vector<HtmlFigure> figures;
  if (!r.epochs.empty()) {
    const TrainRecord::Epoch& last = r.epochs.back();
    figures.push_back({percent(last.accuracy), "test accuracy",
                       fmt::format("{} of {}", grouped(last.correct), grouped(r.test_images))});
    figures.push_back({fmt::format("{:.4f}", last.loss), "loss", "mean of the last epoch"});
  }
  figures.push_back({grouped(r.steps), "steps", fmt::format("of {} images", r.batch)});
  figures.push_back({time_text(r.step_us), "per step", "simulated, on the chip"});
  page.figures(figures);
  page.section("Curves", "Points of the training curves are means of neighbouring steps.");
  page.picture(loss_svg(r), "Loss of the training batches");
  page.picture(accuracy_svg(r), "Accuracy on training batches and on the test images");
  page.section("Epochs");
  std::vector<HtmlRow> rows;
  for (std::size_t e = 0; e < r.epochs.size(); ++e) {
    const TrainRecord::Epoch& epoch = r.epochs[e];
    rows.push_back({std::to_string(e + 1), grouped(epoch.step), fmt::format("{:.4f}", epoch.loss),
                    percent(epoch.accuracy),
                    epoch.wall_s > 0 ? fmt::format("{:.1f}", epoch.wall_s) : std::string("-")});
  }
  page.table({{"epoch", HtmlColumn::kNumber},
              {"steps", HtmlColumn::kNumber},
              {"mean loss", HtmlColumn::kNumber},
              {"test accuracy", HtmlColumn::kNumber},
              {"wall s", HtmlColumn::kNumber}},
             rows);
  page.section("Checks and figures");
  rows.clear();
  for (const Line& line : lines_of(r)) {
    if (line.label.rfind("epoch", 0) == 0) continue;
    const auto tone = !line.ok ? HtmlCell::kPlain : *line.ok ? HtmlCell::kGood : HtmlCell::kBad;
    rows.push_back({line.label, {line.value, tone}});
  }
  page.table({{"what"}, {"result"}}, rows);
  page.how_it_ran({r.command, r.workload_path, r.chip, r.version, std::to_string(r.seed)});
  return page.html();
}

}  // namespace tern::app
