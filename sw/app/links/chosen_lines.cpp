// SPDX-License-Identifier: Apache-2.0
#include "sw/app/links/chosen_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "sw/app/links/flit_trace.h"
#include "sw/app/report/text.h"
#include "sw/base/user_error.h"
#include "sw/system/routing.h"
#include "systemc/cosim/link_lockstep.h"
#include "systemc/cosim/link_rtl.h"

namespace tern::app {

namespace {

constexpr std::size_t kMostLinks = 64, kMostWaves = 16;

}  // namespace

ChosenLines::ChosenLines(LinkChoice given, const system::Fabric& fabric, std::uint64_t seed)
    : choice_(std::move(given)), fabric_(fabric), seed_(seed) {
  const LinkChoice& choice = choice_;
  if (choice.backend.empty()) {
    if (!choice.links.empty()) throw UserError("--links: only with --link rtl, model or both");
    if (!choice.flits.empty()) throw UserError("--flits: only with --link and --links");
    if (!choice.wave.empty()) throw UserError("--wave: only with --link rtl or both, and --links");
    return;
  }
  if (choice.links.empty())
    throw UserError("--link: which ones? --links A--B, or the name of a chip, switch or tray");
  if (!choice.wave.empty() && choice.backend == "model")
    throw UserError("--wave: of RTL, --link rtl or both");
  std::set<std::uint32_t> links;
  for (const std::string& name : choice.links) {
    const auto found = system::outage_of(fabric, name);
    if (!found) {
      const system::Link& first = fabric.links().front();
      throw UserError(
          fmt::format("--links: {} has no '{}': expected a link as {}--{}, or a chip, "
                      "switch or tray, as {}",
                      fabric.config().name, name, fabric.nodes()[first.a].name,
                      fabric.nodes()[first.b].name, fabric.nodes()[0].name));
    }
    for (std::uint32_t link = 0; link < fabric.links().size(); ++link) {
      const system::Link& l = fabric.links()[link];
      if (l.medium == system::Medium::kNetwork) continue;  // has no flits
      if (found->links[link] || found->nodes[l.a] || found->nodes[l.b]) links.insert(link);
    }
  }
  if (links.empty()) throw UserError("--links: links of the network between units have no flits");
  if (links.size() > kMostLinks)
    throw UserError(fmt::format("--links: {} links, at most {}", links.size(), kMostLinks));
  for (const std::uint32_t link : links)
    channels_.insert(channels_.end(), {2 * link, 2 * link + 1});
  if (!choice.wave.empty()) {
    std::size_t ends = 0;
    for (const std::uint32_t link : links)
      ends += 4 * ((fabric.links()[link].lanes + link::FlitLine::kPortLanes - 1) /
                   link::FlitLine::kPortLanes);
    if (ends > kMostWaves)
      throw UserError(
          fmt::format("--wave: {} ends of ports would each write a file, at most {}: "
                      "choose fewer links",
                      ends, kMostWaves));
  }
  if (!choice.flits.empty()) trace_ = std::make_unique<FlitTrace>(choice.flits);
}

ChosenLines::~ChosenLines() = default;

std::string ChosenLines::name_of(std::uint32_t channel, const char* between) const {
  const system::Link& link = fabric_.links()[channel / 2];
  const bool forward = channel % 2 == 0;
  return fabric_.nodes()[forward ? link.a : link.b].name + between +
         fabric_.nodes()[forward ? link.b : link.a].name;
}

void ChosenLines::attach(fabric::Transport* transport) {
  if (!any()) return;
  network_ = dynamic_cast<fabric::packet::PacketNetwork*>(transport);
  if (network_ == nullptr)
    throw UserError(fmt::format("--link: at level packet, not {}", transport->level()));
  for (const std::uint32_t channel : channels_) network_->set_line(channel, make_line(channel));
}

std::unique_ptr<link::FlitLine> ChosenLines::make_line(std::uint32_t channel) {
  const system::Link& link = fabric_.links()[channel / 2];
  const bool forward = channel % 2 == 0;
  link::FlitLine::Options o;
  o.name = name_of(channel, " to ");
  o.config = fabric_.config().link;
  o.lanes = link.lanes;
  o.lane_gb_per_s = fabric_.config().lane_gb_per_s;
  o.medium = link.medium;
  o.from_chip = (forward ? link.a : link.b) < fabric_.chips();
  o.to_chip = (forward ? link.b : link.a) < fabric_.chips();
  o.seed = seed_ + channel * 0x9e3779b97f4a7c15ULL;
  link::FlitLine::MakeEnd make;
  if (choice_.backend != "model") {
    make = [this, name = name_of(channel, "-to-")](const std::string& place) {
      return make_end(name + "." + place);
    };
  }
  link::FlitLine::Observer observer;
  if (trace_) observer = trace_->observer(o.name);
  return std::make_unique<link::FlitLine>(std::move(o), std::move(make), std::move(observer));
}

std::unique_ptr<flit::DataLink> ChosenLines::make_end(const std::string& name) const {
  WaveOptions wave;
  if (!choice_.wave.empty()) {
    const std::filesystem::path file(choice_.wave);
    wave.file =
        (file.parent_path() / (file.stem().string() + "." + name + file.extension().string()))
            .string();
  }
  auto rtl = make_link_rtl(LinkSize::kFull, wave);
  if (choice_.backend == "rtl") return rtl;
  return std::make_unique<LinkLockstep>(std::make_unique<flit::LinkModel>(), std::move(rtl));
}

void ChosenLines::finish() {
  if (network_ == nullptr) return;
  network_->finish_lines();
  for (const std::uint32_t channel : channels_) {
    const link::FlitLine& line = *network_->line(channel);
    results_.push_back({line.ports(), line.counts()});
  }
  if (trace_) trace_->commit();
}

void ChosenLines::report(Report* report) const {
  if (results_.empty()) return;
  Table table{columns_of({"flit by flit: " + choice_.backend, "ports", "packets", "flits",
                          "spoiled", "replays", "trainings", "cycles"},
                         {0}),
              {}};
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (std::size_t n = 0; n < channels_.size(); ++n) {
    const link::PortCounts& c = results_[n].counts;
    const std::size_t ports = results_[n].ports;
    const std::string name = name_of(channels_[n], " to ");
    list.push_back({{"link", name},
                    {"ports", ports},
                    {"packets", c.packets},
                    {"flits", c.flits},
                    {"spoiled", c.spoiled},
                    {"replays", c.replays},
                    {"trainings", c.trainings},
                    {"cycles", c.cycles}});
    if (c.packets == 0) continue;
    table.rows.push_back({name, std::to_string(ports), grouped(c.packets), grouped(c.flits),
                          grouped(c.spoiled), grouped(c.replays), grouped(c.trainings),
                          grouped(c.cycles)});
  }
  if (table.rows.empty()) table.rows.push_back({"no packet came over them"});
  report->add(table);
  report->data["flit_by_flit"] = {{"backend", choice_.backend}, {"links", list}};
  if (!choice_.flits.empty()) report->last_lines.push_back({"flits", choice_.flits});
  if (!choice_.wave.empty()) report->last_lines.push_back({"waves", choice_.wave + " and ends"});
}

}  // namespace tern::app
