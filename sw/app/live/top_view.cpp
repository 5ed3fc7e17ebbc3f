// SPDX-License-Identifier: Apache-2.0
#include "sw/app/live/top_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sw/app/report/text.h"
#include "sw/spec/error_classes.h"

namespace tern::app {

namespace {

using live::Core;
using live::CoreState;

constexpr int kBar = 8;

std::string bar(double share, const TopLook& look) {
  static constexpr const char* kEighths[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  share = std::clamp(share, 0.0, 1.0);
  std::string text;
  if (look.blocks) {
    const int eighths = static_cast<int>(std::lround(share * kBar * 8));
    for (int i = 0; i < kBar; ++i)
      text += eighths >= 8 * (i + 1) ? "█" : eighths > 8 * i ? kEighths[eighths % 8] : "·";
  } else {
    const int full = static_cast<int>(std::lround(share * kBar));
    text = std::string(static_cast<std::size_t>(full), '#') +
           std::string(static_cast<std::size_t>(kBar - full), '.');
  }
  const char* tone = share >= 0.5 ? look.style.good : share > 0 ? "" : look.style.dim;
  return fmt::format("{}{}{} {:3.0f}%", tone, text, *tone != '\0' ? look.style.off : "",
                     share * 100);
}

const char* tone_of(CoreState state, const Style& style) {
  switch (state) {
    case CoreState::kRunning:
      return style.good;
    case CoreState::kError:
    case CoreState::kStalled:
      return style.bad;
    default:
      return style.dim;
  }
}

// What a process does in a second of simulated time: counters now, less those of before.
class Rates {
 public:
  Rates(const live::State& now, const live::State* before) {
    const bool usable = before != nullptr && before->start_ticks == now.start_ticks &&
                        before->simulated_us < now.simulated_us;
    before_ = usable ? before : nullptr;
    us_ = now.simulated_us - (usable ? before->simulated_us : 0);
  }

  const Core* core(std::size_t device, std::size_t n) const {
    const live::Device* d = this->device(device);
    return d != nullptr && n < d->cores.size() ? &d->cores[n] : nullptr;
  }
  const live::Stack* stack(std::size_t device, std::size_t n) const {
    const live::Device* d = this->device(device);
    return d != nullptr && n < d->stacks.size() ? &d->stacks[n] : nullptr;
  }
  const live::Device* device(std::size_t n) const {
    return before_ != nullptr && n < before_->devices.size() ? &before_->devices[n] : nullptr;
  }
  // Per second; counters of a hostile file may go back.
  double per_s(std::uint64_t now, std::uint64_t before) const {
    return us_ > 0 && now > before ? static_cast<double>(now - before) / us_ * 1e6 : 0;
  }

 private:
  const live::State* before_ = nullptr;
  double us_ = 0;
};

bool rests(const Core& core) {
  const auto idle = [](const live::Engine& e) { return e.utilization == 0; };
  return core.state == CoreState::kIdle && core.errors == 0 && core.dma_utilization == 0 &&
         std::all_of(core.engines.begin(), core.engines.end(), idle);
}

void add_cores(const live::Device& device, std::size_t number, const Rates& rates,
               const TopLook& look, std::vector<std::string>* lines) {
  const Style& style = look.style;
  std::string head = fmt::format("{}core state    ", style.dim);
  for (unsigned q = 0; q < kComputeQueues; ++q) head += fmt::format("  {:<13}", kQueueNames[q]);
  lines->push_back(head + fmt::format("  {:<13}  {:>9}  {:>9}  {:>6}{}", "dma", "DMA GB/s",
                                      "programs", "errors", style.off));
  std::vector<std::size_t> resting;
  for (std::size_t n = 0; n < device.cores.size(); ++n) {
    const Core& core = device.cores[n];
    if (rests(core)) {
      resting.push_back(n);
      continue;
    }
    std::string line = fmt::format("{:>4} {}{:<9}{}", n, tone_of(core.state, style),
                                   live::core_state_name(core.state), style.off);
    for (unsigned q = 0; q < kComputeQueues; ++q)
      line += "  " + bar(core.engines[q].utilization, look);
    const Core* before = rates.core(number, n);
    line +=
        fmt::format("  {}  {:>9.1f}  {:>9}  {}{:>6}{}", bar(core.dma_utilization, look),
                    rates.per_s(core.dma_bytes, before != nullptr ? before->dma_bytes : 0) * 1e-9,
                    grouped(core.programs), core.errors != 0 ? style.bad : "", core.errors,
                    core.errors != 0 ? style.off : "");
    lines->push_back(line);
  }
  if (resting.empty()) return;
  lines->push_back(fmt::format("{}     idle: {}{}", style.dim,
                               resting.size() == device.cores.size()
                                   ? "all cores"
                                   : "core " + fmt::format("{}", fmt::join(resting, ", ")),
                               style.off));
}

void add_memory(const live::Device& device, std::size_t number, const Rates& rates,
                const TopLook& look, std::vector<std::string>* lines) {
  const Style& style = look.style;
  lines->push_back(fmt::format("{} hbm  {:>10} {:>10}  {:>10}  {:>10}  {:>10}  {:>13}{}", style.dim,
                               "touched", "of", "read GB/s", "write GB/s", "corrected",
                               "uncorrectable", style.off));
  for (std::size_t s = 0; s < device.stacks.size(); ++s) {
    const live::Stack& stack = device.stacks[s];
    const live::Stack* before = rates.stack(number, s);
    const bool bad = stack.uncorrectable != 0;
    lines->push_back(fmt::format(
        "{:>4}  {:>10} {:>10}  {:>10.1f}  {:>10.1f}  {:>10}  {}{:>13}{}", s,
        bytes_text(static_cast<double>(stack.touched_bytes)),
        bytes_text(static_cast<double>(stack.bytes)),
        rates.per_s(stack.read_bytes, before != nullptr ? before->read_bytes : 0) * 1e-9,
        rates.per_s(stack.write_bytes, before != nullptr ? before->write_bytes : 0) * 1e-9,
        stack.corrected, bad ? style.bad : "", stack.uncorrectable, bad ? style.off : ""));
  }
  lines->push_back(fmt::format("host  {} to the chip, {} to the host",
                               bytes_text(static_cast<double>(device.host_write_bytes)),
                               bytes_text(static_cast<double>(device.host_read_bytes))));
}

void add_management(const live::Management& management, const TopLook& look,
                    std::vector<std::string>* lines) {
  std::string line =
      fmt::format("management  {}: {}{}, {} instructions", printable(management.board),
                  printable(management.phase), management.phase.empty() ? "running" : "",
                  grouped(management.instructions));
  if (!management.sensors.empty())
    line +=
        fmt::format(", power level {:.1f} %", static_cast<double>(management.power_permille) / 10);
  lines->push_back(line);
  std::string sensors;
  for (const live::Sensor& sensor : management.sensors)
    sensors +=
        fmt::format("  {} {:.2f} {}", printable(sensor.name), sensor.value, printable(sensor.unit));
  if (!sensors.empty()) lines->push_back("sensors   " + sensors);
  std::string errors;
  for (unsigned c = 0; c < TERN_ERROR_CLASS_COUNT; ++c) {
    if (management.errors[c] != 0)
      errors += fmt::format("  {} {}", kErrorClassNames[c], management.errors[c]);
  }
  if (!errors.empty())
    lines->push_back(fmt::format("{}errors    {}{}", look.style.bad, errors, look.style.off));
}

}  // namespace

std::vector<std::string> top_lines(const live::State& state, const live::State* before,
                                   const TopLook& look) {
  const Style& style = look.style;
  std::vector<std::string> lines = {
      fmt::format("{}{}{}  {}", style.bold, state.pid, style.off, printable(state.command)),
      fmt::format("{}  simulated {}, {}/s; wall time {:.1f} s", printable(state.kind),
                  time_text(state.simulated_us), time_text(state.speed), state.wall_s)};
  const Rates rates(state, before);
  for (std::size_t d = 0; d < state.devices.size(); ++d) {
    const live::Device& device = state.devices[d];
    lines.push_back(fmt::format("{}{}{}  {}, {} cores", style.bold, printable(device.name),
                                style.off, printable(device.chip), device.cores.size()));
    add_cores(device, d, rates, look, &lines);
    add_memory(device, d, rates, look, &lines);
  }
  if (state.management) add_management(*state.management, look, &lines);
  if (look.columns != 0) {
    for (std::string& line : lines) line = cut(line, look.columns);
  }
  return lines;
}

std::string cut(const std::string& line, std::size_t columns) {
  std::string out;
  std::size_t width = 0;
  bool styled = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\033') {  // one of Style
      const std::size_t end = std::min(line.find('m', i), line.size() - 1);
      out.append(line, i, end - i + 1);
      styled = true;
      i = end;
      continue;
    }
    const bool begins = (static_cast<unsigned char>(line[i]) & 0xC0) != 0x80;
    if (begins && width++ == columns) return styled ? out + "\033[0m" : out;
    out += line[i];
  }
  return out;
}

std::vector<std::string> fitted(std::vector<std::string> lines, std::size_t rows) {
  if (lines.size() <= rows || rows == 0) return lines;
  const std::size_t more = lines.size() - rows + 1;
  lines.resize(rows);
  lines.back() = fmt::format("... {} more lines: a higher window or --pid N shows them", more);
  return lines;
}

}  // namespace tern::app
