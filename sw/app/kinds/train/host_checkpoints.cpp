// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/train/host_checkpoints.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>
#include <systemc>

#include "sw/base/checksum.h"
#include "sw/base/input_file.h"
#include "sw/base/user_error.h"

namespace tern::app {

namespace fs = std::filesystem;

namespace {

constexpr const char* kMagic = "tern checkpoint part 1\n";
constexpr unsigned kMostHosts = 1024;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;  // of a checkpoint

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

std::uint64_t begin_of(std::uint64_t bytes, unsigned part, unsigned parts) {
  return bytes / parts * part + std::min<std::uint64_t>(part, bytes % parts);
}

// The bytes of a checkpoint in equal parts; each says of what it is one.
std::string part_text(const std::string& whole, std::uint64_t step, unsigned part, unsigned parts) {
  const std::uint64_t first = begin_of(whole.size(), part, parts);
  const std::string own = whole.substr(first, begin_of(whole.size(), part + 1, parts) - first);
  return fmt::format("{}step={}\npart={}\nparts={}\nbytes={}\nwhole={:08x}\nown={:08x}\n\n", kMagic,
                     step, part, parts, whole.size(), base::crc32_of(whole), base::crc32_of(own)) +
         own;
}

struct Part {
  std::uint64_t step = 0, number = 0, parts = 0, bytes = 0;
  std::uint32_t whole = 0;  // its CRC-32
  std::string own;
};

// None: it is damaged, no part, or larger than any.
std::optional<Part> read_part(const fs::path& path, std::uint64_t most_bytes) {
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(path, error)) || error) return std::nullopt;
  if (fs::file_size(path, error) > most_bytes || error) return std::nullopt;
  std::string text;
  try {
    text = base::read_input(path);
  } catch (const UserError&) {
    return std::nullopt;
  }
  if (text.rfind(kMagic, 0) != 0) return std::nullopt;
  const std::size_t end = text.find("\n\n");
  if (end == std::string::npos) return std::nullopt;
  std::map<std::string, std::string> values;
  for (std::size_t at = std::string(kMagic).size(); at < end + 1;) {
    const std::size_t line = text.find('\n', at), equals = text.find('=', at);
    if (equals == std::string::npos || equals > line) return std::nullopt;
    values[text.substr(at, equals - at)] = text.substr(equals + 1, line - equals - 1);
    at = line + 1;
  }
  const auto number = [&](const char* name, int base, std::uint64_t most) {
    const std::string& value = values[name];
    std::uint64_t read = 0;
    const auto [stopped, error] =
        std::from_chars(value.data(), value.data() + value.size(), read, base);
    const bool whole = error == std::errc() && stopped == value.data() + value.size();
    return whole && read <= most ? std::optional(read) : std::nullopt;
  };
  const auto step = number("step", 10, UINT64_MAX), part = number("part", 10, kMostHosts - 1),
             parts = number("parts", 10, kMostHosts), bytes = number("bytes", 10, kMostBytes),
             whole = number("whole", 16, UINT32_MAX), own = number("own", 16, UINT32_MAX);
  if (!step || !part || !parts || !bytes || !whole || !own || *part >= *parts) return std::nullopt;
  Part found{
      *step, *part, *parts, *bytes, static_cast<std::uint32_t>(*whole), text.substr(end + 2)};
  const auto size =
      begin_of(found.bytes, static_cast<unsigned>(*part + 1), static_cast<unsigned>(*parts)) -
      begin_of(found.bytes, static_cast<unsigned>(*part), static_cast<unsigned>(*parts));
  if (found.own.size() != size || base::crc32_of(found.own) != *own) return std::nullopt;
  return found;
}

fs::path host_folder(const fs::path& folder, unsigned host) {
  return folder / fmt::format("host{}", host);
}
std::string file_name(std::uint64_t step, unsigned part) {
  return fmt::format("step-{}.part{}", step, part);
}

// Other files in these folders are none of ours.
bool is_part_name(const std::string& name) {
  unsigned long long step = 0;
  unsigned part = 0;
  int end = 0;
  return std::sscanf(name.c_str(), "step-%20llu.part%4u%n", &step, &part, &end) == 2 &&
         static_cast<std::size_t>(end) == name.size() && name == file_name(step, part);
}

// The files of hosts, as they would be found after some are lost.
std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (unsigned host = 0; host < kMostHosts; ++host) {
    if (fs::is_symlink(host_folder(folder, host), error)) continue;
    for (fs::directory_iterator entry(host_folder(folder, host), error), end;
         !error && entry != end; entry.increment(error)) {
      if (is_part_name(entry->path().filename().string())) files.push_back(entry->path());
    }
  }
  return files;
}

// One that can be written, and does not lead out of the one with all hosts; nor does that one.
void prepare_folder(const fs::path& all, unsigned host) {
  const fs::path own = host_folder(all, host);
  for (const fs::path& folder : {all, own}) {
    std::error_code error;
    if (fs::is_symlink(folder, error))
      throw UserError(fmt::format("{}: leads elsewhere", folder.string()));
    fs::create_directories(folder, error);
    if (error)
      throw UserError(fmt::format("{}: cannot write there: {}", folder.string(), error.message()));
  }
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
    prepare_folder(folder_, host);
    const base::AtomicFile probe(host_folder(folder_, host) / file_name(0, host),
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
  const std::vector<fs::path> older = files_of(folder_);
  std::set<fs::path> written;
  for (unsigned part = 0; part < record_.hosts; ++part) {
    const std::string text = part_text(whole, job.checkpoint.step, part, record_.hosts);
    std::vector<unsigned> hosts = {part};
    if (replicates_) hosts.push_back(partner_of(part, record_.hosts));
    for (const unsigned host : hosts) {
      const fs::path path = host_folder(folder_, host) / file_name(job.checkpoint.step, part);
      prepare_folder(folder_, host);
      base::write_file(path, text, base::NamedBy::kProgram);
      written.insert(path);
    }
  }
  std::error_code ignored;
  for (const fs::path& path : older) {
    if (written.count(path) == 0) fs::remove(path, ignored);
  }
}

std::optional<train::Checkpoint> newest_of_hosts(
    const fs::path& folder, const std::vector<std::pair<std::string, std::string>>& settings,
    const std::vector<std::uint64_t>& sizes) {
  // By step, then by the checksum of all, then by part: files, since there may be many of them.
  struct Whole {
    std::uint64_t parts = 0;
    std::map<std::uint64_t, fs::path> files;
  };
  std::map<std::uint64_t, std::map<std::uint32_t, Whole>> found;
  constexpr std::uint64_t kMostBesides = 1 << 26;  // text, losses
  const std::uint64_t most = std::accumulate(sizes.begin(), sizes.end(), kMostBesides);
  for (const fs::path& path : files_of(folder)) {
    const auto part = read_part(path, most);
    if (!part) continue;
    Whole& whole = found[part->step][part->whole];
    whole.parts = part->parts;
    whole.files[part->number] = path;
  }
  for (auto step = found.rbegin(); step != found.rend(); ++step) {
    for (const auto& [crc, whole] : step->second) {
      if (whole.files.size() != whole.parts) continue;
      std::string bytes;
      for (const auto& [number, path] : whole.files) {
        const auto part = read_part(path, most);
        if (part && bytes.size() + part->own.size() <= most) bytes += part->own;
      }
      if (base::crc32_of(bytes) == crc)
        return train::checkpoint_of(std::move(bytes), folder, settings, sizes);
    }
  }
  return std::nullopt;
}

}  // namespace tern::app
