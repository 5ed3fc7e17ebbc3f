// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

// Sizes of the networks that connect servers: layers of switches without oversubscription.
namespace tern::system {

// Of one plane.
struct Clos {
  std::vector<unsigned> radix;          // ports of a switch, leaves first
  std::uint64_t ports = 0;              // for chips
  std::vector<std::uint64_t> switches;  // by layer
  std::uint64_t cables = 0;             // those of the chips included
  unsigned hops = 0;                    // switches on the longest way
};

// switch_tb_per_s: of each layer, 1 to 3 of them; port_gb_per_s: of a port. Throws UserError: not
// even one port, or an odd number where half of them go up.
Clos clos_of(const std::vector<double>& switch_tb_per_s, double port_gb_per_s);

// What SemiAnalysis (Trainium3, 2025-12-04) says of such networks: a number of chips, or how many
// times that of another one.
struct ScaleOutPoint {
  std::string what;
  std::vector<double> switch_tb_per_s;
  double port_gb_per_s;
  std::vector<double> other_tb_per_s;  // empty: a number
  double other_port_gb_per_s;
  double published;
};
const std::vector<ScaleOutPoint>& scale_out_points();

}  // namespace tern::system
