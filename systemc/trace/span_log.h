// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "systemc/trace/trace.h"

namespace tern::trace {

// Keeps every span of one process, for pictures of a run. 16 bytes a span; names are shared.
class SpanLog : public Sink {
 public:
  struct Entry {
    std::uint64_t begin_fs = 0;
    std::uint32_t length_ps = 0;  // saturates after 4 ms
    std::uint32_t name = 0;       // index into names()
    std::uint64_t end_fs() const { return begin_fs + std::uint64_t{length_ps} * 1000; }
  };
  using Lane = std::vector<Entry>;  // in order of arrival: by end

  explicit SpanLog(std::string process) : process_(std::move(process)) {}

  void track(TrackId id, const std::string& process, const std::string& thread) override;
  void span(const Span& span) override;
  void counter(TrackId, std::string_view, std::uint64_t, double) override {}
  void stop() { stopped_ = true; }  // later spans are not kept

  const std::map<std::string, Lane>& lanes() const { return lanes_; }  // by thread
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::string process_;
  bool stopped_ = false;
  std::map<std::string, Lane> lanes_;
  std::vector<Lane*> lane_of_;  // by track; null: another process
  std::vector<std::string> names_;
  std::map<std::string, std::uint32_t, std::less<>> index_;
};

}  // namespace tern::trace
