// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "systemc/trace/trace.h"

namespace tern::wave {

// What SystemC models report to the trace, as signals of a waveform: states as they are, spans as
// texts, counters as real numbers. Spans of one track that overlap get signals of their own:
// "dma3", "dma3_2".
class StateLog : public trace::Sink {
 public:
  enum class Kind : std::uint8_t { kNumber, kText, kReal };
  struct Signal {
    std::string path;  // "core0.queues.vector.instruction"
    Kind kind;
    std::uint64_t before = 0;  // value before the first change that is kept
  };
  struct Change {
    std::uint64_t ps;
    std::uint32_t signal;
    std::uint64_t value;  // a number, the number of a text, or the bits of a real
  };
  enum class Place : std::uint8_t { kBefore, kRecorded, kAfter };
  struct Limits {
    std::function<Place(std::uint64_t ps)> place;
    std::uint64_t keeps_ps = 0;  // 0: everything
    std::string scope;           // only what is in it, or around it; empty: everything
  };

  explicit StateLog(Limits limits) : limits_(std::move(limits)) {}

  // Calls back when a state gets a value: a number in decimal, or a text.
  void on_state(
      std::function<void(const std::string& path, std::string_view value, std::uint64_t ps)>
          callback) {
    on_state_ = std::move(callback);
  }

  bool wants_states() const override { return true; }
  void track(trace::TrackId id, const std::string& process, const std::string& thread) override;
  void span(const trace::Span& span) override;
  void counter(trace::TrackId track, std::string_view name, std::uint64_t time_fs,
               double value) override;
  void state(trace::TrackId track, std::string_view name, std::uint64_t time_fs,
             std::uint64_t value) override;
  void state(trace::TrackId track, std::string_view name, std::uint64_t time_fs,
             std::string_view value) override;

  const std::vector<Signal>& signals() const { return signals_; }
  const std::deque<Change>& changes() const { return changes_; }  // in any order
  const std::string& text(std::uint64_t number) const { return *texts_[number]; }
  bool has_track_in_scope() const;

 private:
  static constexpr std::uint32_t kNone = ~0u;
  // Spans that do not overlap, and the signal that shows them.
  struct Lane {
    std::uint32_t signal = kNone;
    std::deque<std::pair<std::uint64_t, std::uint64_t>> recent;
    std::uint64_t forgotten = 0;  // all others end by then
  };
  struct Track {
    std::string path;
    std::vector<Lane> lanes;
    std::uint32_t source_signal = kNone;  // of a queue: the kernel's line
    std::map<std::string, std::uint32_t, std::less<>> signals;
  };
  Lane& lane_of(Track& track, const trace::Span& span, bool queue);
  std::uint32_t signal_of(Track& track, std::string_view name, Kind kind);
  std::uint32_t add_signal(const std::string& path, Kind kind);
  std::uint64_t number_of(std::string_view text);
  void change(std::uint64_t time_fs, std::uint32_t signal, std::uint64_t value);
  void report(const Track& track, std::string_view name, std::string_view value,
              std::uint64_t time_fs) const;
  void forget_before(std::uint64_t ps);

  const Limits limits_;
  std::function<void(const std::string&, std::string_view, std::uint64_t)> on_state_;
  std::vector<Track> tracks_;
  std::vector<Signal> signals_;
  std::unordered_map<std::string, std::uint32_t> by_path_;
  std::unordered_map<std::string, std::uint64_t> text_numbers_;
  std::vector<const std::string*> texts_;  // keys of text_numbers_
  std::deque<Change> changes_;
  std::uint64_t newest_ps_ = 0;
};

// Whether a path of the hierarchy is in the scope, or the scope below it. An empty scope holds all.
bool in_scope(const std::string& path, const std::string& scope);

}  // namespace tern::wave
