// SPDX-License-Identifier: Apache-2.0
// The report of a training as a page, and its curves.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sw/app/kinds/train/train_record.h"
#include "sw/app/report/chart_svg.h"
#include "sw/app/report/html_page.h"
#include "sw/app/report/run_page.h"
#include "sw/app/report/text.h"

namespace tern::app {
namespace {

constexpr std::size_t kMaxPoints = 400;  // of a curve

// Means of neighbouring steps: a curve of at most kMaxPoints.
LineChart::Series thinned(const std::string& name, const std::vector<float>& values) {
  LineChart::Series series;
  series.name = name;
  const std::size_t group = (values.size() + kMaxPoints - 1) / kMaxPoints;
  for (std::size_t first = 0; first < values.size(); first += group) {
    const std::size_t end = std::min(first + group, values.size());
    double sum = 0;
    for (std::size_t i = first; i < end; ++i) sum += static_cast<double>(values[i]);
    series.x.push_back(static_cast<double>(first + end - 1) / 2 + 1);
    series.y.push_back(sum / static_cast<double>(end - first));
  }
  return series;
}

}  // namespace

std::string loss_svg(const TrainRecord& r) {
  LineChart chart;
  chart.title = "loss of the training batches";
  chart.x_label = "step";
  chart.y_label = "cross-entropy";
  chart.logarithmic = false;
  chart.series.push_back(thinned(r.text ? "training batches" : "loss", r.losses));
  if (r.text) {
    chart.title = "loss, nats per character";
    LineChart::Series held_out{"held out", {}, {}};
    for (const TrainRecord::Epoch& epoch : r.epochs) {
      held_out.x.push_back(static_cast<double>(epoch.step));
      held_out.y.push_back(epoch.held_out);
    }
    if (!held_out.x.empty()) chart.series.push_back(held_out);
    chart.levels.push_back({"entropy", r.text->unigram});
    chart.levels.push_back({"entropy of pairs", r.text->bigram});
  }
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
  if (!test.x.empty() && !r.text) chart.series.push_back(test);
  if (r.accuracy_expected) chart.levels.push_back({"expected", *r.accuracy_expected * 100});
  return line_chart_svg(chart);
}

std::string train_html(const TrainRecord& r) {
  HtmlPage page(r.workload, r.description + " on " + r.chip);
  page.verdict(r.passed(), verdict(r));
  std::vector<HtmlFigure> figures;
  if (!r.epochs.empty()) {
    const TrainRecord::Epoch& last = r.epochs.back();
    if (r.text) {
      figures.push_back({fmt::format("{:.3f}", last.held_out), "held-out loss",
                         fmt::format("nats a character, entropy {:.3f}", r.text->unigram)});
      figures.push_back({fmt::format("{:.3f}", last.held_out / std::log(2.0)), "bits a character",
                         "of text it has not seen"});
    } else {
      figures.push_back({percent(last.accuracy), "test accuracy",
                         fmt::format("{} of {}", grouped(last.correct), grouped(r.test_images))});
      figures.push_back({fmt::format("{:.4f}", last.loss), "loss", "mean of the last epoch"});
    }
  }
  figures.push_back({grouped(r.steps), "steps",
                     fmt::format("of {} {}", r.batch, r.text ? "characters" : "images")});
  figures.push_back({time_text(r.step_us), "per step", "simulated, on the chip"});
  page.figures(figures);
  page.section("Curves", "Points of the training curves are means of neighbouring steps.");
  page.picture(loss_svg(r), "Loss of the training batches");
  page.picture(accuracy_svg(r), r.text ? "Characters of the training batches that were foreseen"
                                       : "Accuracy on training batches and on the test images");
  if (r.text && !r.text->sample.empty()) {
    page.section("Written by the chip", fmt::format("Behind the prompt \"{}\", at temperature {}.",
                                                    r.text->prompt, r.text->temperature));
    page.paragraph(r.text->prompt + r.text->sample);
  }
  page.section(r.text ? "Evaluations" : "Epochs");
  std::vector<HtmlRow> rows;
  for (std::size_t e = 0; e < r.epochs.size(); ++e) {
    const TrainRecord::Epoch& epoch = r.epochs[e];
    rows.push_back({std::to_string(e + 1), grouped(epoch.step), fmt::format("{:.4f}", epoch.loss),
                    r.text ? fmt::format("{:.4f}", epoch.held_out) : percent(epoch.accuracy),
                    epoch.wall_s > 0 ? fmt::format("{:.1f}", epoch.wall_s) : std::string("-")});
  }
  page.table({{r.text ? "" : "epoch", HtmlColumn::kNumber},
              {"steps", HtmlColumn::kNumber},
              {"mean loss", HtmlColumn::kNumber},
              {r.text ? "held-out loss" : "test accuracy", HtmlColumn::kNumber},
              {"wall s", HtmlColumn::kNumber}},
             rows);
  page.section("Checks and figures");
  rows.clear();
  for (const TrainLine& line : lines_of(r)) {
    if (line.label.rfind("epoch", 0) == 0 || line.label.rfind("step ", 0) == 0) continue;
    const auto tone = !line.ok ? HtmlCell::kPlain : *line.ok ? HtmlCell::kGood : HtmlCell::kBad;
    rows.push_back({line.label, {line.value, tone}});
  }
  page.table({{"what"}, {"result"}}, rows);
  if (r.watched_step) add_program(*r.watched_step, &page);
  page.how_it_ran({r.command, r.workload_path, r.chip, r.version, std::to_string(r.seed)});
  return page.html();
}

}  // namespace tern::app
