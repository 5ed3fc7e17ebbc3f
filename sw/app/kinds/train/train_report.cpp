// SPDX-License-Identifier: Apache-2.0
// The report of a training, and its curves.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sw/app/kinds/train/train_record.h"
#include "sw/app/report/program_sections.h"
#include "sw/app/report/records.h"
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

Picture loss_picture(const TrainRecord& r) {
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
  return {"loss.svg", "Loss of the training batches", chart};
}

Picture accuracy_picture(const TrainRecord& r) {
  LineChart chart;
  chart.title = "accuracy";
  chart.x_label = "step";
  chart.y_label = "%";
  chart.logarithmic = chart.from_zero = false;
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
  return {"accuracy.svg",
          r.text ? "Characters of the training batches that were foreseen"
                 : "Accuracy on training batches and on the test images",
          chart};
}

Figures figures_of(const TrainRecord& r) {
  Figures figures;
  if (!r.epochs.empty()) {
    const TrainRecord::Epoch& last = r.epochs.back();
    if (r.text) {
      figures.push_back({fmt::format("{:.3f}", last.held_out), "held-out loss",
                         fmt::format("nats a character, entropy {:.3f}", r.text->unigram)});
      figures.push_back({fmt::format("{:.3f}", last.held_out / std::log(2.0)), "bits a character",
                         "of text it has not seen"});
    } else {
      figures.push_back({percent_text(last.accuracy, 2), "test accuracy",
                         fmt::format("{} of {}", grouped(last.correct), grouped(r.test_images))});
      figures.push_back({fmt::format("{:.4f}", last.loss), "loss", "mean of the last epoch"});
    }
  }
  figures.push_back({grouped(r.steps), "steps",
                     fmt::format("of {} {}", r.batch, r.text ? "characters" : "images")});
  if (r.step_us > 0) {  // a finished training resumed takes no step
    figures.push_back({time_text(r.step_us), "per step",
                       fmt::format("simulated; {} in {}", time_text(r.steps_us), r.steps_text())});
  }
  return figures;
}

Section epochs_section(const TrainRecord& r) {
  Table table{columns_of({r.text ? "evaluation" : "epoch", "steps", "mean loss",
                          r.text ? "held-out loss" : "test accuracy", "wall s"},
                         {}),
              {}};
  for (std::size_t e = 0; e < r.epochs.size(); ++e) {
    const TrainRecord::Epoch& epoch = r.epochs[e];
    table.rows.push_back(
        {std::to_string(e + 1), grouped(epoch.step), fmt::format("{:.4f}", epoch.loss),
         r.text ? fmt::format("{:.4f}", epoch.held_out) : percent_text(epoch.accuracy, 2),
         epoch.wall_s > 0 ? fmt::format("{:.1f}", epoch.wall_s) : "-"});
  }
  Section section(r.text ? "Evaluations" : "Epochs");
  section.add(table);
  return section;
}

}  // namespace

Report report_of(const TrainRecord& r) {
  Report report =
      make_report(r, r.passed(), r.cores == 1 ? ", core 0" : fmt::format(", {} cores", r.cores));
  if (r.interrupted) report.verdict->text = "INTERRUPTED";
  if (!r.checkpoint_path.empty()) report.last_lines.push_back({"checkpoint", r.checkpoint_path});
  if (!r.chip_path.empty()) report.last_lines.push_back({"chip saved", r.chip_path});
  report.add(figures_of(r));
  if (r.plan && !r.plan->trials.empty()) report.add(plans_section(*r.plan));
  report.add(epochs_section(r));
  Section checks("Checks and figures");
  checks.add(lines_of(r));
  report.add(checks);
  if (r.text && !r.text->sample.empty()) {
    Section sample("Written by the chip",
                   fmt::format("Behind the prompt \"{}\", at temperature {}.", r.text->prompt,
                               r.text->temperature));
    sample.add(Paragraph{r.text->prompt + r.text->sample});
    report.add(sample);
  }
  Section curves("Curves", "Points of the training curves are means of neighbouring steps.",
                 Section::kFiles);
  curves.add(loss_picture(r));
  curves.add(accuracy_picture(r));
  report.add(curves);
  if (r.watched_step) add_program(*r.watched_step, &report);
  if (r.interrupted) {
    Section section("Interrupted");
    section.add(
        Paragraph{fmt::format("After step {} of {}: go on with --resume.", r.steps, r.all_steps)});
    report.add(section);
  }
  add_data(r, &report.data);
  report.add(side_by_side("steps.csv", report.data, "step", {"loss", "correct", "learning_rate"}));
  if (r.text) {
    report.add(records("evaluations.csv", report.data, {"evaluations"}));
  } else {
    report.add(records("epochs.csv", report.data, {"epochs"}));
  }
  return report;
}

}  // namespace tern::app
