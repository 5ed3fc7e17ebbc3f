// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/train/host_checkpoints.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <systemc>

#include "sw/app/kinds/train/host_parts.h"
#include "sw/base/user_error.h"

namespace tern::app {

namespace fs = std::filesystem;

namespace {

double now_us() {
  return sc_core::sc_time_stamp().to_seconds() * 1e6;
}

// A host of a rack is on each tray, of a server one for all of its trays.
std::pair<unsigned, unsigned> host_of(const system::Fabric& fabric, std::uint32_t chip) {
  const system::Node& node = fabric.nodes()[chip];
  return {node.group, fabric.config().group == "server" ? 0 : node.tray};
}

// Pairs; of an odd number the last one goes to the first.
unsigned partner_of(unsigned host, unsigned hosts) {
  return (host ^ 1) < hosts ? host ^ 1 : 0;
}

}  // namespace

// A checkpoint on its way.
struct HostCheckpoints::Job {
  train::Checkpoint checkpoint;
  HostCheckpointTimes times;
  double begun_us = 0;
  std::vector<std::vector<std::uint8_t>> copies;  // of ranks
  std::unique_ptr<HostThreads> threads;
};

HostCheckpoints::HostCheckpoints(TrainingChip& chip, const Plan& plan, const system::Fabric& fabric,
                                 fs::path folder)
    : chip_(chip), folder_(std::move(folder)), replicates_(plan.host_checkpoints->replicas > 0) {
  std::map<std::pair<unsigned, unsigned>, unsigned> hosts;
  for (unsigned n = 0; n < plan.chips.size(); ++n) {
    const auto [host, fresh] =
        hosts.try_emplace(host_of(fabric, plan.chips[n]), static_cast<unsigned>(hosts.size()));
    if (fresh) chips_of_host_.emplace_back();
    chips_of_host_[host->second].push_back(n);
  }
  record_.hosts = static_cast<unsigned>(chips_of_host_.size());
  record_.replicas = plan.host_checkpoints->replicas;
  if (replicates_) find_network(plan.host_checkpoints->place, fabric);
  // Before the first step, not after many.
  for (unsigned host = 0; host < record_.hosts; ++host) {
    prepare_host_folder(folder_, host);
    const base::AtomicFile probe(host_folder(folder_, host) / part_file_name(0, host),
                                 base::NamedBy::kProgram);
  }
}

void HostCheckpoints::find_network(const std::string& place, const system::Fabric& fabric) {
  const auto refuse = [&](const std::string& why) {
    throw UserError(fmt::format("{}: {}", place, why));
  };
  if (record_.hosts < 2) refuse("replicas: 1, and these chips have one host");
  const system::ScaleOut& network = fabric.config().scale_out;
  if (network.source.empty())
    refuse(
        fmt::format("replicas: 1, and nothing is known of the network between hosts of '{}': "
                    "its key scale_out is missing",
                    fabric.config().name));
  network_latency_us_ = network.packet_ns * 1e-3;
  for (const auto& chips : chips_of_host_)
    network_gb_per_s_.push_back(static_cast<double>(chips.size()) * network.chip_gb_per_s() /
                                (1 + network.header_share()));
}

HostCheckpoints::~HostCheckpoints() = default;

void HostCheckpoints::begin(const train::Checkpoint& now) {
  if (job_) throw std::logic_error("a checkpoint is still on its way to the hosts");
  job_ = std::make_unique<Job>();
  job_->checkpoint = now;
  job_->checkpoint.state.clear();
  job_->times.step = now.step;
  job_->times.waited_us = std::exchange(waited_us_, 0);
  job_->times.kept_us = chip_.keep_state();
  job_->begun_us = now_us();
  job_->copies.resize(chip_.shares().of_rank.size());
  std::vector<std::function<void()>> programs;
  for (unsigned host = 0; host < chips_of_host_.size(); ++host)
    programs.emplace_back([this, job = job_.get(), host] { transport(job, host); });
  job_->threads = std::make_unique<HostThreads>(programs);
}

// What the chips of a host have, into its memory; then into that of another host. Its network has
// nothing else to do: the plan's chips reach each other by their own links.
void HostCheckpoints::transport(Job* job, unsigned host) {
  std::vector<std::function<void()>> copies;
  for (const unsigned chip : chips_of_host_[host])
    copies.emplace_back([this, job, chip] { chip_.read_kept(chip, &job->copies); });
  run_hosts(copies);
  job->times.copied_us = std::max(job->times.copied_us, now_us() - job->begun_us);
  std::uint64_t bytes = 0;
  for (const unsigned chip : chips_of_host_[host]) {
    const std::size_t cores = job->copies.size() / chip_.chips();
    for (std::size_t rank = chip * cores; rank < (chip + 1) * cores; ++rank)
      bytes += job->copies[rank].size();
  }
  job->times.most_bytes = std::max(job->times.most_bytes, bytes);
  if (!replicates_) return;
  const double us =
      network_latency_us_ + static_cast<double>(bytes) / network_gb_per_s_[host] * 1e-3;
  sc_core::wait(sc_core::sc_time(us, sc_core::SC_US));
  job->times.replicated_us = std::max(job->times.replicated_us, now_us() - job->begun_us);
}

bool HostCheckpoints::busy() const {
  return job_ && job_->threads->running();
}

void HostCheckpoints::stepped(double us, bool beside) {
  HostCheckpointsRecord::Steps& steps = beside ? record_.with : record_.without;
  ++steps.count;
  steps.us += us;
}

void HostCheckpoints::finish() {
  const double before = now_us();
  if (job_) job_->threads->join();
  waited_us_ = now_us() - before;
}

std::optional<train::Checkpoint> HostCheckpoints::take_complete() {
  if (!job_ || busy()) return std::nullopt;
  job_->threads->join();  // what it has thrown
  const std::unique_ptr<Job> job = std::move(job_);
  job->checkpoint.state = chip_.state_of(job->copies);
  write(*job);
  record_.checkpoints.push_back(job->times);
  return std::move(job->checkpoint);
}

// Older ones go when this one is whole.
void HostCheckpoints::write(const Job& job) const {
  const std::string whole = train::checkpoint_bytes(job.checkpoint);
  const std::vector<fs::path> older = files_of_hosts(folder_);
  std::set<fs::path> written;
  for (unsigned part = 0; part < record_.hosts; ++part) {
    const std::string text = part_text(whole, job.checkpoint.step, part, record_.hosts);
    std::vector<unsigned> hosts = {part};
    if (replicates_) hosts.push_back(partner_of(part, record_.hosts));
    for (const unsigned host : hosts) {
      const fs::path path = host_folder(folder_, host) / part_file_name(job.checkpoint.step, part);
      prepare_host_folder(folder_, host);
      base::write_file(path, text, base::NamedBy::kProgram);
      written.insert(path);
    }
  }
  std::error_code ignored;
  for (const fs::path& path : older) {
    if (written.count(path) == 0) fs::remove(path, ignored);
  }
}

}  // namespace tern::app
