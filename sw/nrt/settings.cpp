// SPDX-License-Identifier: Apache-2.0
#include "sw/nrt/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <tuple>

#include "sw/base/text.h"
#include "sw/base/user_error.h"
#include "sw/config/load_chip_config.h"
#include "sw/platform/managed/own_firmware.h"

namespace tern::nrt {

namespace {

constexpr unsigned kMostChips = 16;
constexpr double kMostSeconds = 1000;  // of the five hours that a kernel can count
// Documented variables of the Neuron runtime that nothing here depends on.
constexpr const char* kWithoutEffect[] = {"NEURON_RT_LOG_LOCATION",
                                          "NEURON_RT_VALIDATE_HASH",
                                          "NEURON_RT_ALLOW_LEGACY_NEFF",
                                          "NEURON_RT_MULTI_INSTANCE_SHARED_WEIGHTS",
                                          "NEURON_RT_DBG_DMA_PACKETIZATION_SIZE",
                                          "NEURON_RT_DBG_CC_DMA_PACKET_SIZE",
                                          "NEURON_RT_ROOT_COMM_ID",
                                          "NEURON_RT_STOCHASTIC_ROUNDING_EN",
                                          "NEURON_RT_ENABLE_DGE_NOTIFICATIONS",
                                          "NEURON_SCRATCHPAD_PAGE_SIZE",
                                          "NEURON_RT_RESET_CORES"};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

[[noreturn]] void refuse(const char* name, const std::string& expected, const std::string& value) {
  throw UserError(fmt::format("{}: expected {}, got {}", name, expected, base::printable(value)));
}

// Digits only: a number that fits.
bool parse(const std::string& text, unsigned most, unsigned* value) {
  constexpr std::size_t kDigits = 7;
  if (text.empty() || text.size() > kDigits ||
      text.find_first_not_of("0123456789") != std::string::npos)
    return false;
  *value = static_cast<unsigned>(std::stoul(text));
  return *value <= most;
}

unsigned number(const char* name, unsigned least, unsigned most, unsigned otherwise) {
  const std::string text = variable(name);
  unsigned value = otherwise;
  if (!text.empty() && (!parse(text, most, &value) || value < least))
    refuse(name, fmt::format("a number from {} to {}", least, most), text);
  return value;
}

double seconds(const char* name, double otherwise) {
  const std::string text = variable(name);
  if (text.empty()) return otherwise;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (*end != '\0' || !(value > 0) || !(value <= kMostSeconds))
    refuse(name, "seconds of simulated time, more than 0, at most 1000", text);
  return value;
}

// "0-3,5"
std::vector<unsigned> cores(const char* name, unsigned count) {
  const std::string text = variable(name);
  std::vector<unsigned> result;
  const std::string expected = fmt::format("cores from 0 to {}, as 0-3,5", count - 1);
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string part = text.substr(at, comma - at);
    const std::size_t dash = part.find('-');
    unsigned first = 0, last = 0;
    const bool good = dash == std::string::npos
                          ? parse(part, count - 1, &first) && parse(part, count - 1, &last)
                          : parse(part.substr(0, dash), count - 1, &first) &&
                                parse(part.substr(dash + 1), count - 1, &last) && first <= last;
    if (!good) refuse(name, expected, text);
    for (unsigned core = first; core <= last; ++core) {
      if (std::find(result.begin(), result.end(), core) != result.end())
        refuse(name, "every core once", text);
      result.push_back(core);
    }
    at = comma + 1;
  }
  return result;
}

unsigned logical_size(unsigned chip_cores) {
  // Chips of eight cores have logical cores of two unless told otherwise.
  const unsigned otherwise = chip_cores >= 8 ? 2 : 1;
  const char* name = "NEURON_LOGICAL_NC_CONFIG";
  if (variable(name).empty() && !variable("NEURON_RT_VIRTUAL_CORE_SIZE").empty())
    name = "NEURON_RT_VIRTUAL_CORE_SIZE";
  const unsigned size = number(name, 1, chip_cores, otherwise);
  if (size != 1 && size != 2 && size != 8) refuse(name, "1, 2 or 8", variable(name));
  if (chip_cores % size != 0)
    throw UserError(
        fmt::format("{}: {} cores do not divide the chip's {}", name, size, chip_cores));
  return size;
}

}  // namespace

bool Settings::operator==(const Settings& other) const {
  const auto key = [](const Settings& s) {
    return std::tie(s.chip.name, s.chip.cores, s.chips, s.logical, s.visible, s.firmware);
  };
  return key(*this) == key(other);
}

Settings read_settings() {
  Settings s;
  const std::string chip = variable("TERN_RT_CHIP");
  s.chip = load_chip_config(chip.empty() ? "trn3" : chip).chip;
  s.chips = number("TERN_RT_CHIPS", 1, kMostChips, 1);
  s.firmware = variable("TERN_RT_FIRMWARE");
  if (!s.firmware.empty()) check_runs_own_firmware(mgmt::load_board_config(s.firmware));
  s.logical = logical_size(s.chip.cores);
  s.execution_seconds = seconds("NEURON_RT_EXEC_TIMEOUT", s.execution_seconds);
  s.most_in_flight =
      number("NEURON_RT_ASYNC_EXEC_MAX_INFLIGHT_REQUESTS", 1, 1 << 16, s.most_in_flight);
  const unsigned all = s.all_logical();
  if (!variable("NEURON_RT_VISIBLE_CORES").empty()) {
    s.visible = cores("NEURON_RT_VISIBLE_CORES", all);
  } else {
    const unsigned count = number("NEURON_RT_NUM_CORES", 0, all, 0);
    s.visible.resize(count == 0 ? all : count);
    std::iota(s.visible.begin(), s.visible.end(), 0u);
  }
  for (const char* name : kWithoutEffect) {
    if (!variable(name).empty()) s.without_effect.emplace_back(name);
  }
  return s;
}

}  // namespace tern::nrt
