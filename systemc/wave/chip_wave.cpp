// SPDX-License-Identifier: Apache-2.0
#include "systemc/wave/chip_wave.h"

#include <fmt/format.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp

#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <limits>
#include <system_error>

#include "sw/base/text.h"
#include "sw/base/user_error.h"
#include "sw/spec/queues.h"
#include "systemc/wave/full_disk.h"

namespace tern::wave {

namespace {

constexpr double kPsPerNs = 1000;
constexpr std::uint64_t kFsPerPs = 1000;

std::uint64_t saturated(double ps) {
  constexpr double kMost = 9e18;
  return ps >= kMost ? std::numeric_limits<std::uint64_t>::max() : static_cast<std::uint64_t>(ps);
}

// A program begins: "core0.queues.vector.status".
bool starts_queue(const std::string& path, std::string_view value) {
  constexpr std::string_view kStatus = ".status";
  return value == "running" && path.find(".queues.") != std::string::npos &&
         path.size() > kStatus.size() &&
         path.compare(path.size() - kStatus.size(), kStatus.size(), kStatus) == 0;
}

}  // namespace

// Of one block.
class ChipWave::Time : public WaveTime {
 public:
  Time(const ChipWave& wave, double period, bool on_call)
      : wave_(wave), period_(period), on_call_(on_call) {}

  std::uint64_t at(std::uint64_t cycle, unsigned half) override {
    if (on_call_) {
      const std::uint64_t now = wave_.now_fs_();
      if (now != asked_fs_ || cycle < first_) {
        // Not before what it did last.
        const std::uint64_t now_ps = now / kFsPerPs;
        origin_ = std::max(static_cast<double>(now_ps), last_ + period_ / 2);
        first_ = cycle;
        asked_fs_ = now;
      }
    }
    last_ = origin_ + (static_cast<double>(cycle - first_) + half / 2.0) * period_;
    return static_cast<std::uint64_t>(std::llround(last_));
  }
  bool records(std::uint64_t ps) const override {
    return wave_.place(ps) == StateLog::Place::kRecorded;
  }
  std::uint64_t keeps() const override {
    return saturated(static_cast<double>(wave_.options_.last_cycles) * wave_.tensor_ps_);
  }

 private:
  const ChipWave& wave_;
  const double period_;
  const bool on_call_;
  std::uint64_t asked_fs_ = kNever, first_ = 0;
  double origin_ = 0, last_ = 0;
};

ChipWave::ChipWave(const ChipWaveOptions& options, const ChipConfig& chip,
                   std::function<std::uint64_t()> now_fs)
    : options_(options),
      tensor_ps_(kPsPerNs / chip.core.tensor_clock_ghz),
      vector_ps_(kPsPerNs / chip.core.vector.clock_ghz),
      dma_ps_(kPsPerNs / chip.dma.clock_ghz),
      now_fs_(std::move(now_fs)),
      exceptions_(std::uncaught_exceptions()),
      partial_(options.file) {
  read_trigger();
  folder_ = options.file + ".parts-XXXXXX";
  if (mkdtemp(folder_.data()) == nullptr)
    throw UserError(fmt::format("{}: cannot write: {}", folder_,
                                std::error_code(errno, std::generic_category()).message()));
  FullDisk::watch(partial_.path().string(), options.file, folder_);
  StateLog::Limits limits;
  limits.place = [this](std::uint64_t ps) { return place(ps); };
  limits.keeps_ps = saturated(static_cast<double>(options.last_cycles) * tensor_ps_);
  limits.scope = options.scope;
  log_ = std::make_shared<StateLog>(std::move(limits));
  log_->on_state([this](const std::string& path, std::string_view value, std::uint64_t ps) {
    const bool begins = trigger_path_.empty() ? starts_queue(path, value) : path == trigger_path_;
    if (!begins) return;
    signal_seen_ = true;
    if (begin_ps_ == kNever && (trigger_path_.empty() || value == trigger_value_)) begin_ps_ = ps;
  });
}

ChipWave::~ChipWave() {
  log_->on_state(nullptr);
  const bool failed = std::uncaught_exceptions() > exceptions_;
  try {
    // One that is not whole goes: check_wave() reports it.
    if (write() && !failed) {
      warn_of_nothing();
      partial_.commit();
    }
  } catch (const std::exception& error) {
    base::to_stderr(fmt::format("tern: {}\n", error.what()));
    partial_.keep();
  }
  if (failed && begin_ps_ != kNever) {
    base::to_stderr(fmt::format("waveform up to the stop: {}\n", partial_.path().string()));
    partial_.keep();
  }
  FullDisk::stop_watching();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

// The last word is the value, the rest the signal: "core0.vector instruction 812".
void ChipWave::read_trigger() {
  if (options_.trigger.empty()) return;
  std::vector<std::string> words(1);
  for (const char c : options_.trigger) {
    if (c != ' ' && c != '.') {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  constexpr std::size_t kLeast = 3;  // "core0 dma0 1"
  if (words.size() < kLeast)
    throw UserError(fmt::format(
        "--wave-on: expected a signal and its value, such as 'core0.vector instruction 812', got "
        "'{}'",
        options_.trigger));
  // The queues of a core may be named without their level.
  if (std::any_of(std::begin(kQueueNames), std::end(kQueueNames),
                  [&](const char* name) { return words[1] == name; }))
    words.insert(words.begin() + 1, "queues");
  trigger_value_ = words.back();
  words.pop_back();
  trigger_path_ = fmt::format("{}", fmt::join(words, "."));
}

WaveOptions ChipWave::part(const std::string& scope, Block block) {
  WaveOptions wave;
  if (!in_scope(scope, options_.scope)) return wave;
  wave.file = fmt::format("{}/{}.fst", folder_, parts_.size());
  if (options_.scope.size() > scope.size()) wave.scope = options_.scope.substr(scope.size() + 1);
  wave.levels = options_.levels;
  const bool on_call = block == Block::kVector || block == Block::kNearMemory;
  double period = dma_ps_;
  if (block == Block::kTensor) period = tensor_ps_;
  if (block == Block::kVector) period = vector_ps_;
  wave.time = std::make_shared<Time>(*this, period, on_call);
  parts_.push_back({scope, {wave.file}});
  return wave;
}

StateLog::Place ChipWave::place(std::uint64_t ps) const {
  const std::uint64_t begin = begin_ps_;
  if (begin == kNever) return StateLog::Place::kBefore;
  if (ps < limit(options_.from_cycle)) return StateLog::Place::kBefore;
  return ps <= limit(options_.to_cycle) ? StateLog::Place::kRecorded : StateLog::Place::kAfter;
}

std::uint64_t ChipWave::limit(std::uint64_t cycle) const {
  return saturated(static_cast<double>(begin_ps_) + static_cast<double>(cycle) * tensor_ps_);
}

void ChipWave::check_scope() const {
  if (!parts_.empty() || log_->has_track_in_scope()) return;
  throw UserError(fmt::format("--wave-scope: the chip has no '{}'", options_.scope));
}

void ChipWave::warn_of_nothing() const {
  if (begin_ps_ != kNever && limit(options_.from_cycle) > now_fs_() / kFsPerPs) {
    base::to_stderr(fmt::format(
        "tern: warning: --wave-from: the run ended before cycle {}; the waveform is empty\n",
        options_.from_cycle));
  }
  if (begin_ps_ != kNever || trigger_path_.empty()) return;
  const std::string signal = base::printable(trigger_path_);
  const bool plain = std::all_of(trigger_value_.begin(), trigger_value_.end(),
                                 [](char c) { return c > ' ' && c <= '~'; });
  const std::string value = plain ? trigger_value_ : base::printable(trigger_value_);
  base::to_stderr(fmt::format("tern: warning: --wave-on: {}; the waveform is empty\n",
                              signal_seen_ ? fmt::format("{} was never {}", signal, value)
                                           : fmt::format("there is no signal {}", signal)));
}

bool ChipWave::write() {
  std::uint64_t end = 0;
  for (const StateLog::Change& change : log_->changes()) end = std::max(end, change.ps);
  std::vector<RtlPart> parts;
  for (const RtlPart& part : parts_) {
    RtlPart found{part.scope, {}};
    std::vector<std::pair<std::uint64_t, std::string>> files;
    for (const char* turn : {"", ".0", ".1"}) {
      const std::string file = part.files.front() + turn;
      std::uint64_t first = 0, last = 0;
      if (!std::filesystem::exists(file) || !fst_range(file, &first, &last)) continue;
      files.emplace_back(first, file);
      end = std::max(end, last);
    }
    std::sort(files.begin(), files.end());
    for (auto& [first, file] : files) found.files.push_back(file);
    if (!found.files.empty()) parts.push_back(std::move(found));
  }
  std::uint64_t from = 0;
  if (options_.last_cycles > 0) {
    const std::uint64_t keeps = saturated(static_cast<double>(options_.last_cycles) * tensor_ps_);
    from = end - std::min(end, keeps);
  }
  if (begin_ps_ != kNever) from = std::max(from, limit(options_.from_cycle));
  const bool whole = write_fst(partial_.path().string(), parts, *log_, from);
  partial_.made_anew();
  return whole;
}

}  // namespace tern::wave
