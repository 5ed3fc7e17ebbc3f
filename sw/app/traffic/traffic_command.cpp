// SPDX-License-Identifier: Apache-2.0
#include "sw/app/traffic/traffic_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>

#include "sw/app/host/progress.h"
#include "sw/app/links/chosen_lines.h"
#include "sw/app/report/named_files.h"
#include "sw/app/report/text.h"
#include "sw/app/report/version.h"
#include "sw/app/report/write_report.h"
#include "sw/app/system/chip_name.h"
#include "sw/app/system/drawing.h"
#include "sw/app/traffic/fault_tables.h"
#include "sw/base/atomic_file.h"
#include "sw/base/user_error.h"
#include "systemc/fabric/faults/fault_script.h"
#include "systemc/fabric/faults/fault_state.h"
#include "systemc/fabric/levels/levels.h"
#include "systemc/fabric/packet/packet_network.h"
#include "systemc/fabric/packet/routes.h"
#include "systemc/fabric/packet/shape.h"
#include "systemc/fabric/traffic/pattern.h"
#include "systemc/fabric/traffic/traffic_run.h"

namespace tern::app {

namespace {

using fabric::Time;
using fabric::TrafficResult;

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;
constexpr std::size_t kHottest = 5;

// "65536", "64K", "2M".
std::uint64_t bytes_of(const std::string& text) {
  std::uint64_t value = 0;
  std::size_t used = 0;
  for (; used < text.size() && text[used] >= '0' && text[used] <= '9' && value <= kMostBytes;
       ++used)
    value = value * 10 + static_cast<std::uint64_t>(text[used] - '0');
  const std::string unit = text.substr(used);
  const unsigned shift = unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : 0;
  if (used == 0 || value > kMostBytes >> shift || (shift == 0 && !unit.empty())) {
    throw UserError(
        fmt::format("--bytes: expected a number up to 1024G, as 4096 or 64K, got '{}'", text));
  }
  return value << shift;
}

double us(Time fs) {
  return static_cast<double>(fs) * 1e-9;
}

struct Hot {
  std::uint32_t channel;
  double share;  // of the time
};

class Run {
 public:
  explicit Run(const TrafficOptions& options)
      : options_(options),
        fabric_(system::load_system(options.system)),
        routes_(fabric::packet::routes_of(fabric_)),
        shape_(fabric::packet::shape_of(fabric_, routes_->vcs())),
        lines_(options.flit_by_flit, fabric_, options.seed) {
    if (lines_.any() && options.level != "packet" && options.level != "both")
      throw UserError(fmt::format("--link: at level packet, not {}", options.level));
    traffic_.pattern = options.pattern;
    traffic_.bytes = bytes_of(options.bytes);
    traffic_.streams = options.streams;
    traffic_.traffic_class = options.traffic_class;
    traffic_.targets = options.targets;
    traffic_.seed = options.seed;
    if (fabric_.chips() < 2)
      throw UserError(fmt::format("{}: traffic needs two chips", fabric_.config().name));
    if (!options.from.empty()) traffic_.from = chip_named(fabric_, options.from);
    traffic_.to =
        options.to.empty() ? (options.pattern == "pair" ? 1 : 0) : chip_named(fabric_, options.to);
    if (options.pattern == "pair" && traffic_.from == traffic_.to)
      throw UserError("--to: expected another chip than --from");
    if (options.faults.empty()) return;
    if (options.level == "ideal")
      throw UserError(fmt::format(
          "--faults {}: not at level ideal, which has no links to break: packet or flow",
          options.faults));
    if (!options.heat.empty())
      throw UserError("--heat: the use of links in a sound system; not with --faults");
    faults_.emplace(fabric_, fabric::faults::load_fault_script(options.faults, fabric_),
                    options.seed);
  }

  int run() {
    const std::vector<fabric::Transfer> transfers = fabric::transfers_of(traffic_, fabric_);
    const bool both = options_.level == "both";
    const std::string level = both ? "packet" : options_.level;
    std::vector<Time> stalls;
    const TrafficResult result =
        result_of(level, transfers, faults_ ? &*faults_ : nullptr, &stalls, &lines_);
    std::optional<TrafficResult> flow;
    if (both) {
      // The same script anew; what is shown was observed at the packet level.
      std::optional<fabric::faults::FaultState> again;
      if (faults_) again.emplace(fabric_, faults_->script(), options_.seed);
      flow = result_of("flow", transfers, again ? &*again : nullptr, nullptr, nullptr);
    }
    const std::vector<Time> busy = fabric::channel_times(shape_, *routes_, transfers);
    const Time bound = *std::max_element(busy.begin(), busy.end());
    const std::vector<double> use = shares_of(busy, result.time);
    write_heat(use, level);
    Report report = report_of(result, use, bound, level);
    if (!stalls.empty()) add_stalls(shares_of(stalls, result.time), &report);
    if (flow) add_flow(*flow, result, &report);
    lines_.report(&report);
    const int code = write_report(report, "", options_.json);
    return result.lost > 0 ? 1 : code;
  }

 private:
  TrafficResult result_of(const std::string& level, const std::vector<fabric::Transfer>& transfers,
                          fabric::faults::FaultState* faults, std::vector<Time>* stalls,
                          ChosenLines* lines) const {
    Progress progress(level + " level", options_.quiet);
    const auto transport = faults != nullptr ? fabric::make_transport(level, *faults)
                                             : fabric::make_transport(level, fabric_);
    if (lines != nullptr) lines->attach(transport.get());
    TrafficResult result =
        fabric::run_traffic(*transport, transfers, [&](double share) { progress.update(share); });
    if (lines != nullptr) lines->finish();
    const auto* packet = dynamic_cast<const fabric::packet::PacketNetwork*>(transport.get());
    if (stalls == nullptr || packet == nullptr || faults != nullptr) return result;
    for (std::uint32_t channel = 0; channel < shape_.channels.size(); ++channel)
      stalls->push_back(packet->statistics(channel).credit_stall);
    return result;
  }

  static std::vector<double> shares_of(const std::vector<Time>& times, Time whole) {
    std::vector<double> shares;
    shares.reserve(times.size());
    for (const Time time : times)
      shares.push_back(whole == 0 ? 0 : static_cast<double>(time) / static_cast<double>(whole));
    return shares;
  }

  // Idle links with a train that waits for nothing but room in the buffer at the other end.
  void add_stalls(const std::vector<double>& stalls, Report* report) const {
    add_links("waiting for credits", "time", most(stalls), "stalled", report);
  }

  // The links with the largest shares of the time, as a table and in the data.
  void add_links(const char* title, const char* column, const std::vector<Hot>& links,
                 const char* key, Report* report) const {
    Table table{columns_of({title, "lanes", "medium", column}, {0, 2}), {}};
    nlohmann::ordered_json data = nlohmann::ordered_json::array();
    for (const Hot& hot : links) {
      const system::Link& link = fabric_.links()[hot.channel / 2];
      const std::string name =
          fmt::format("{} to {}", fabric_.nodes()[shape_.channels[hot.channel].from].name,
                      fabric_.nodes()[shape_.channels[hot.channel].to].name);
      table.rows.push_back({name, std::to_string(link.lanes), system::medium_name(link.medium),
                            percent_text(hot.share)});
      data.push_back({{"link", name}, {column, hot.share}});
    }
    if (!faults_ && !links.empty()) report->add(table);
    report->data[key] = data;
  }

  static void add_flow(const TrafficResult& flow, const TrafficResult& packet, Report* report) {
    const double ratio = us(flow.time) / us(packet.time);
    report->add(Lines{{"flow level", fmt::format("{}: {:.3f} of the packet level's time",
                                                 time_text(us(flow.time)), ratio)}});
    report->data["flow_us"] = us(flow.time);
  }

  Report report_of(const TrafficResult& result, const std::vector<double>& use, Time bound,
                   const std::string& level) const {
    const double gb_per_s = result.time == 0
                                ? 0
                                : static_cast<double>(result.bytes) * 1e6 /
                                      static_cast<double>(result.time) / fabric_.chips();
    Report report;
    report.name = report.kind = "traffic";
    report.title = fmt::format("{} on {}", traffic_.pattern, fabric_.config().name);
    report.subtitle = fmt::format("{} chips, {} transfers of {}, level {}", fabric_.chips(),
                                  grouped(result.transfers), options_.bytes, level);
    Lines lines{{"time", time_text(us(result.time))}};
    // With faults other links are used for other times.
    if (!faults_)
      lines.push_back(
          {"bound", fmt::format("{} by the hottest link: {} of the time", time_text(us(bound)),
                                percent_text(result.time == 0 ? 0 : us(bound) / us(result.time)))});
    lines.push_back({"rate", fmt::format("{:.2f} GB/s a chip of payload", gb_per_s)});
    lines.push_back(
        {"latency",
         fmt::format("median {}, 99 % {}, longest {}", time_text(us(result.latency(0.5))),
                     time_text(us(result.latency(0.99))), time_text(us(result.latency(1))))});
    if (result.lost > 0)
      lines.push_back(
          {"lost", fmt::format("{} transfers: no way is left", grouped(result.lost)), false});
    report.add(lines);
    if (!options_.heat.empty()) report.last_lines.push_back({"heat map", options_.heat});
    report.how = {options_.command, "", fabric_.config().name, kVersion,
                  std::to_string(options_.seed)};
    report.data = {{"kind", "traffic"},
                   {"system", fabric_.config().name},
                   {"pattern", traffic_.pattern},
                   {"level", level},
                   {"bytes", traffic_.bytes},
                   {"seed", options_.seed},
                   {"transfers", result.transfers},
                   {"lost", result.lost},
                   {"us", us(result.time)},
                   {"bound_us", us(bound)},
                   {"gb_per_s_chip", gb_per_s},
                   {"median_us", us(result.latency(0.5))},
                   {"longest_us", us(result.latency(1))}};
    if (faults_) {
      report.data.erase("bound_us");
      add_faults(*faults_, &report);
    } else {
      add_links("hottest links", "use", most(use), "hottest", &report);
    }
    return report;
  }

  static std::vector<Hot> most(const std::vector<double>& shares) {
    std::vector<Hot> all;
    for (std::uint32_t c = 0; c < shares.size(); ++c)
      if (shares[c] > 0) all.push_back({c, shares[c]});
    const std::size_t count = std::min(kHottest, all.size());
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count), all.end(),
                      [](const Hot& a, const Hot& b) {
                        return a.share != b.share ? a.share > b.share : a.channel < b.channel;
                      });
    all.resize(count);
    return all;
  }

  void write_heat(const std::vector<double>& use, const std::string& level) const {
    if (options_.heat.empty()) return;
    std::vector<double> of_links(use.size() / 2);
    for (std::size_t link = 0; link < of_links.size(); ++link)
      of_links[link] = std::max(use[2 * link], use[2 * link + 1]);
    base::AtomicFile file(options_.heat);
    file.stream() << heat_map_of(
        fabric_, of_links,
        fmt::format("{} of {}, level {}", traffic_.pattern, options_.bytes, level));
    file.commit();
  }

  const TrafficOptions& options_;
  const system::Fabric fabric_;
  const std::unique_ptr<fabric::packet::Routes> routes_;
  const fabric::packet::Shape shape_;
  ChosenLines lines_;
  fabric::Traffic traffic_;
  std::optional<fabric::faults::FaultState> faults_;
};

}  // namespace

int traffic_command(const TrafficOptions& options) {
  NamedFiles files;
  files.inputs = {options.system};
  if (!options.faults.empty()) files.inputs.push_back(options.faults);
  files.outputs = {{"--heat", options.heat},
                   {"--flits", options.flit_by_flit.flits},
                   {"--wave", options.flit_by_flit.wave}};
  refuse_overwriting(files);
  return Run(options).run();
}

}  // namespace tern::app
