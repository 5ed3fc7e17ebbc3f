// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/app/report/report.h"
#include "sw/system/fabric.h"

namespace tern::app {

// Activity of the links of a system, as shares of a time. Channel 2 * link goes from the link's end
// a to b, the next one back.
struct LinkUse {
  std::vector<double> used;  // by channel
  std::vector<double>
      stalled;             // by channel: idle, with data that waits for credits; empty: unknown
  std::vector<bool> dead;  // by link: out of service at the end; empty: none
};

// Shares of `whole`. Of nothing all are 0.
std::vector<double> shares_of(const std::vector<std::uint64_t>& times, std::uint64_t whole);

// Tables of the hottest links and of those that wait longest, and both in the data: `hottest`,
// `stalled`. Where nothing waits, one table.
void add_link_tables(const system::Fabric& fabric, const LinkUse& use, Report* report);

// The system's picture with these shares; note: below its title.
std::string heat_map_of(const system::Fabric& fabric, const LinkUse& use, const std::string& note);

// The picture as a section of a page, and every channel as links.csv.
Section link_section(const system::Fabric& fabric, const LinkUse& use, const std::string& note);

}  // namespace tern::app
