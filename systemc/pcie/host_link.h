// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "sw/base/state_archive.h"
#include "sw/config/chip_config.h"
#include "systemc/trace/sim_time.h"

namespace tern::pcie {

// Time on the link between host and chip. Each direction is shared in order of arrival; a message
// without data takes the latency only.
class HostLink {
 public:
  explicit HostLink(const HostLinkConfig& config)
      : gb_per_s_(config.bandwidth_gb_per_s), latency_fs_(ns_to_fs(config.latency_ns)) {}

  std::uint64_t latency_fs() const { return latency_fs_; }
  std::uint64_t transfer(std::uint64_t bytes) const { return transfer_fs(bytes, gb_per_s_); }

  // Sends bytes that are ready at a time; returns when the last one has left.
  std::uint64_t send_to_chip(std::uint64_t ready_fs, std::uint64_t bytes) {
    return send(to_chip_free_fs_, ready_fs, bytes);
  }
  std::uint64_t send_to_host(std::uint64_t ready_fs, std::uint64_t bytes) {
    return send(to_host_free_fs_, ready_fs, bytes);
  }
  // For a snapshot, while nothing is on it.
  void archive_state(base::StateArchive& archive) {
    archive.number(to_chip_free_fs_, now_fs());
    archive.number(to_host_free_fs_, now_fs());
  }
  // When a short write of the chip arrives at the host: behind all that were sent before.
  std::uint64_t arrival_at_host(std::uint64_t now_fs) const {
    return std::max(now_fs, to_host_free_fs_) + latency_fs_;
  }

 private:
  std::uint64_t send(std::uint64_t& free_fs, std::uint64_t ready_fs, std::uint64_t bytes) const {
    free_fs = std::max(free_fs, ready_fs) + transfer(bytes);
    return free_fs;
  }

  const double gb_per_s_;
  const std::uint64_t latency_fs_;
  std::uint64_t to_chip_free_fs_ = 0, to_host_free_fs_ = 0;
};

}  // namespace tern::pcie
