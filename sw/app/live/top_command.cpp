// SPDX-License-Identifier: Apache-2.0
// tern top: the simulations that run, drawn again and again.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "sw/app/host/interrupt.h"
#include "sw/app/live/live_options.h"
#include "sw/app/live/live_source.h"
#include "sw/app/live/terminal.h"
#include "sw/app/live/top_view.h"
#include "sw/app/report/text.h"
#include "sw/base/text.h"
#include "sw/base/user_error.h"

namespace tern::app {

namespace {

bool speaks_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string text = value;
    return text.find("UTF-8") != std::string::npos || text.find("utf8") != std::string::npos;
  }
  return false;
}

// The samples that rates are measured from: the newest ones that differ.
class Samples {
 public:
  void take(std::vector<live::State> now) {
    for (const live::State& state : now_) {
      const live::State* newer = find(now, state);
      if (newer != nullptr && newer->updated_s == state.updated_s) continue;
      if (live::State* old = find(before_, state)) {
        *old = state;
      } else if (newer != nullptr) {
        before_.push_back(state);
      }
    }
    now_ = std::move(now);
  }

  const std::vector<live::State>& now() const { return now_; }
  const live::State* before(const live::State& state) { return find(before_, state); }

 private:
  static live::State* find(std::vector<live::State>& states, const live::State& like) {
    for (live::State& state : states) {
      if (state.pid == like.pid && state.start_ticks == like.start_ticks) return &state;
    }
    return nullptr;
  }

  std::vector<live::State> now_, before_;
};

std::vector<std::string> lines_of(Samples& samples, const TopLook& look) {
  std::vector<std::string> lines;
  for (const live::State& state : samples.now()) {
    if (!lines.empty()) lines.emplace_back();
    for (std::string& line : top_lines(state, samples.before(state), look))
      lines.push_back(std::move(line));
  }
  return lines;
}

std::string head_line(std::size_t runs, const TopOptions& options, const Style& style) {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  return fmt::format("{}tern top{}  {:02}:{:02}:{:02}  {}, every {:g} s; q ends", style.bold,
                     style.off, local.tm_hour, local.tm_min, local.tm_sec,
                     base::counted(runs, "simulation"), options.period_s);
}

int show_once(const TopOptions& options) {
  Samples samples;
  samples.take(LiveSource(options.pid).read());
  if (samples.now().empty()) throw RunError(nothing_text(options.pid));
  for (const std::string& line : lines_of(samples, {})) fmt::print("{}\n", line);
  return 0;
}

}  // namespace

int top_command(const TopOptions& options) {
  if (options.once || isatty(STDOUT_FILENO) == 0) return show_once(options);
  LiveSource source(options.pid, LiveSource::Warnings::kCaller);
  Samples samples;
  samples.take(source.read());
  if (options.pid && samples.now().empty()) throw RunError(nothing_text(options.pid));
  const std::atomic<bool>* stop = catch_interrupts();
  Terminal terminal;
  while (!*stop) {
    const Style style(coloured_output());
    const std::size_t columns = Terminal::size().columns, rows = Terminal::size().rows;
    const TopLook look{style, speaks_utf8(), columns};
    std::vector<std::string> lines = {cut(head_line(samples.now().size(), options, style), columns),
                                      ""};
    for (const std::string& refused : source.refused())
      lines.push_back(cut(fmt::format("{}warning{}: {}", style.bad, style.off, refused), columns));
    for (std::string& line : lines_of(samples, look)) lines.push_back(std::move(line));
    if (samples.now().empty()) lines.push_back(nothing_text({}));
    std::vector<std::string> screen = fitted(std::move(lines), rows);
    screen.back() = cut(screen.back(), columns);
    Terminal::draw(screen);
    using Clock = std::chrono::steady_clock;
    const auto next = Clock::now() + std::chrono::duration<double>(options.period_s);
    // Signals of others than the terminal only raise the flag: it is looked at now and then.
    while (!*stop && Clock::now() < next) {
      const std::optional<char> key = terminal.key(0.1);
      if (key == 'q' || key == 'Q') return 0;
      if (Terminal::size().columns != columns || Terminal::size().rows != rows) break;
    }
    samples.take(source.read());
    if (options.pid && samples.now().empty()) return 0;  // it has ended
  }
  return 0;
}

}  // namespace tern::app
