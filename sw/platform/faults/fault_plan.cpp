// SPDX-License-Identifier: Apache-2.0
#include "sw/platform/faults/fault_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "sw/base/user_error.h"
#include "sw/config/yaml_reader.h"
#include "sw/spec/error_classes.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/mgmt.h"
#include "sw/spec/generated/registers.h"
#include "sw/spec/queues.h"

namespace tern {

namespace {

using config::YamlMap;
using config::YamlValue;

constexpr double kMostUs = 1e9;
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr unsigned kBitsOfBurst = 256;
constexpr std::size_t kMostBytes = 4096;

// In the order of Fault::Kind.
const std::vector<std::string> kKinds = {"hbm_bits",       "dma_abort", "hang",
                                         "bad_descriptor", "throttle",  "core_reset",
                                         "uart",           "flash_bit", "chip_error"};
const std::vector<std::string> kErrors(std::begin(kErrorClassNames), std::end(kErrorClassNames));

unsigned queue_of(const YamlMap& map) {
  return static_cast<unsigned>(
      map.get("queue").as_index({std::begin(kQueueNames), std::end(kQueueNames)}));
}

template <typename Number>
void read(const YamlMap& map, const char* key, std::int64_t least, std::int64_t most,
          Number& field) {
  if (const auto v = map.find(key)) field = static_cast<Number>(v->as_integer(least, most));
}

void read_time(const YamlMap& map, Fault& fault) {
  const auto at = map.find("at_us"), boot = map.find("boot_us"), after = map.find("after");
  if (int{at.has_value()} + int{boot.has_value()} + int{after.has_value()} != 1)
    throw UserError(fmt::format(
        "{}: one of at_us (since the first program started), boot_us (since power on), after "
        "(instructions of a queue)",
        map.source()));
  if (at) fault.at_us = at->as_number(0, kMostUs);
  if (boot) {
    fault.from = Fault::From::kBoot;
    fault.at_us = boot->as_number(0, kMostUs);
  }
  if (after) {
    fault.from = Fault::From::kInstructions;
    fault.instructions = static_cast<std::uint64_t>(after->as_integer(0, kMost));
    fault.queue = queue_of(map);
  }
}

Fault read_fault(const YamlMap& map) {
  Fault fault;
  fault.source = map.source();
  fault.kind = static_cast<Fault::Kind>(map.get("fault").as_index(kKinds));
  read(map, "core", 0, TERN_CORE_COUNT - 1, fault.core);
  read_time(map, fault);
  const auto ring = [&] {
    read(map, "engine", 0, TERN_CORE_DMA_COUNT - 1, fault.engine);
    read(map, "ring", 0, TERN_REG_DMA_RING_SIZE_COUNT - 1, fault.ring);
  };
  switch (fault.kind) {
    case Fault::Kind::kHbmBits:
      read(map, "stack", 0, TERN_HBM_COUNT - 1, fault.stack);
      read(map, "offset", 0, kMost, fault.offset);
      read(map, "bits", 1, kBitsOfBurst, fault.bits);
      break;
    case Fault::Kind::kDmaAbort:
      ring();
      break;
    case Fault::Kind::kHang:
      fault.queue = queue_of(map);
      break;
    case Fault::Kind::kBadDescriptor:
      ring();
      read(map, "index", 0, kMost, fault.index);
      break;
    case Fault::Kind::kThrottle:
      if (const auto v = map.find("factor")) fault.factor = v->as_number(1, 1000);
      if (const auto v = map.find("for_us")) fault.for_us = v->as_number(0, kMostUs);
      break;
    case Fault::Kind::kCoreReset:
      break;
    case Fault::Kind::kUart:
      fault.bytes = map.get("bytes").as_string();
      if (fault.bytes.size() > kMostBytes)
        map.get("bytes").fail(fmt::format("at most {} bytes", kMostBytes));
      break;
    case Fault::Kind::kFlashBit:
      read(map, "offset", 0, TERN_MGMT_FLASH_BYTES - 1, fault.offset);
      read(map, "bit", 0, 7, fault.bit);
      break;
    case Fault::Kind::kChipError:
      fault.error = static_cast<unsigned>(map.get("class").as_index(kErrors));
      read(map, "unit", 0, 0xFFFF, fault.unit);
      break;
  }
  return fault;
}

bool needs_management(Fault::Kind kind) {
  return kind == Fault::Kind::kUart || kind == Fault::Kind::kFlashBit ||
         kind == Fault::Kind::kChipError;
}

}  // namespace

std::string fault_name(Fault::Kind kind) {
  return kKinds[static_cast<unsigned>(kind)];
}

FaultPlan load_fault_plan(const std::string& path) {
  const YamlMap top = YamlMap::from_file(path);
  FaultPlan plan;
  if (const auto v = top.find("limit_ms")) plan.limit_ms = v->as_number(0.001, 1e6);
  const YamlValue list = top.get("faults");
  for (const YamlValue& item : list.as_list()) {
    if (plan.faults.size() == FaultPlan::kMaxFaults)
      list.fail(fmt::format("at most {} faults", FaultPlan::kMaxFaults));
    plan.faults.push_back(read_fault(item.as_map()));
  }
  top.finish();
  return plan;
}

void check_fault_plan(const FaultPlan& plan, const FaultLimits& limits) {
  for (const Fault& fault : plan.faults) {
    const auto fail = [&](const std::string& what) {
      throw UserError(fmt::format("{}: {}: {}", fault.source, fault_name(fault.kind), what));
    };
    if (needs_management(fault.kind) && !limits.managed)
      fail("only on a chip with a management core (--firmware)");
    if (fault.core >= limits.cores) fail(fmt::format("the chip has {} cores", limits.cores));
    if (fault.kind != Fault::Kind::kHbmBits) continue;
    if (fault.stack >= limits.stacks) fail(fmt::format("the chip has {} stacks", limits.stacks));
    if (fault.offset >= limits.stack_bytes)
      fail(fmt::format("a stack has 0x{:x} bytes", limits.stack_bytes));
  }
}

}  // namespace tern
