// SPDX-License-Identifier: Apache-2.0
#include "sw/app/system/chip_name.h"

#include <fmt/format.h>

#include <optional>

#include "sw/base/user_error.h"

namespace tern::app {

std::uint32_t chip_named(const system::Fabric& fabric, const std::string& name) {
  std::optional<std::uint32_t> found;
  if (!name.empty() && name.size() < 7 &&
      name.find_first_not_of("0123456789") == std::string::npos) {
    const auto number = static_cast<std::uint32_t>(std::stoul(name));
    if (number < fabric.chips()) found = number;
  } else {
    found = fabric.find(name);
  }
  if (!found || *found >= fabric.chips())
    throw UserError(fmt::format("{}: no chip '{}': expected 0 to {}, or {} to {}",
                                fabric.config().name, name, fabric.chips() - 1,
                                fabric.nodes()[0].name, fabric.nodes()[fabric.chips() - 1].name));
  return *found;
}

}  // namespace tern::app
