// SPDX-License-Identifier: Apache-2.0
#include "sw/system/clos.h"

#include <fmt/format.h>

#include <cmath>

#include "sw/base/user_error.h"

namespace tern::system {

Clos clos_of(const std::vector<double>& switch_tb_per_s, double port_gb_per_s) {
  constexpr std::size_t kMostLayers = 3;
  constexpr double kMostRadix = 1 << 16;
  if (switch_tb_per_s.empty() || switch_tb_per_s.size() > kMostLayers)
    throw UserError(
        fmt::format("{} layers of switches: 1 to {}", switch_tb_per_s.size(), kMostLayers));
  Clos clos;
  clos.ports = 1;
  for (std::size_t layer = 0; layer < switch_tb_per_s.size(); ++layer) {
    const double radix = std::floor(switch_tb_per_s[layer] * 1000 / port_gb_per_s + 1e-9);
    const bool top = layer + 1 == switch_tb_per_s.size();
    if (!(radix >= 1 && radix <= kMostRadix) || (!top && std::fmod(radix, 2) != 0))
      throw UserError(fmt::format(
          "a switch of {} Tb/s has {} ports of {} Gb/s: 1 to {}, an even number below the top",
          switch_tb_per_s[layer], radix, port_gb_per_s, kMostRadix));
    clos.radix.push_back(static_cast<unsigned>(radix));
    clos.ports *= top ? clos.radix.back() : clos.radix.back() / 2;
  }
  for (std::size_t layer = 0; layer < clos.radix.size(); ++layer) {
    const bool top = layer + 1 == clos.radix.size();
    clos.switches.push_back(clos.ports / (top ? clos.radix[layer] : clos.radix[layer] / 2));
  }
  clos.cables = clos.ports * clos.radix.size();
  clos.hops = static_cast<unsigned>(2 * clos.radix.size() - 1);
  return clos;
}

const std::vector<ScaleOutPoint>& scale_out_points() {
  static const std::vector<ScaleOutPoint> points = {
      {"12.8T, 400G ports, two layers", {12.8, 12.8}, 400, {}, 0, 512},
      {"12.8T, 100G ports, two layers", {12.8, 12.8}, 100, {}, 0, 8192},
      {"12.8T, 100G ports, three layers", {12.8, 12.8, 12.8}, 100, {}, 0, 524288},
      {"51.2T, 100G instead of 400G ports, two layers", {51.2, 51.2}, 100, {51.2, 51.2}, 400, 16},
      {"51.2T, 100G instead of 400G ports, three layers",
       {51.2, 51.2, 51.2},
       100,
       {51.2, 51.2, 51.2},
       400,
       64},
      {"51.2T, 100G ports, two layers", {51.2, 51.2}, 100, {}, 0, 131072},
      {"leaves and spines of 25.6T instead of 12.8T, three layers",
       {25.6, 25.6, 12.8},
       100,
       {12.8, 12.8, 12.8},
       100,
       4},
      {"25.6T, 400G ports, two layers", {25.6, 25.6}, 400, {}, 0, 2048},
  };
  return points;
}

}  // namespace tern::system
