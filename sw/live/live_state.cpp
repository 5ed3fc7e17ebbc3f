// SPDX-License-Identifier: Apache-2.0
#include "sw/live/live_state.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "sw/base/text.h"
#include "sw/base/user_error.h"
#include "sw/spec/error_classes.h"

namespace tern::live {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<const char*, 6> kCoreStates = {"idle",  "running", "stalled",
                                                    "error", "held",    "resetting"};
constexpr double kMaxNumber = 1e18;

// As a reader accepts it: other bytes than UTF-8 replaced, and not too long.
std::string text_of(const std::string& text) {
  const std::string json =
      Json(text.substr(0, kMaxText)).dump(-1, ' ', false, Json::error_handler_t::replace);
  auto valid = Json::parse(json).get<std::string>();
  if (valid.size() <= kMaxText) return valid;
  std::size_t end = kMaxText;
  while ((static_cast<unsigned char>(valid[end]) & 0xC0) == 0x80) --end;
  return valid.substr(0, end);
}

Json json_of(const Engine& engine) {
  return {{"instructions", engine.instructions},
          {"busy_us", engine.busy_us},
          {"utilization", engine.utilization}};
}

Json json_of(const Core& core) {
  Json j = {{"state", core_state_name(core.state)},
            {"programs", core.programs},
            {"failed_programs", core.failed_programs},
            {"errors", core.errors},
            {"program_us", core.program_us},
            {"macs", core.macs},
            {"dma_bytes", core.dma_bytes},
            {"dma_descriptors", core.dma_descriptors},
            {"dma_busy_us", core.dma_busy_us},
            {"dma_utilization", core.dma_utilization}};
  for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q)
    j["engines"][kQueueNames[q]] = json_of(core.engines[q]);
  return j;
}

Json json_of(const Stack& stack) {
  return {{"bytes", stack.bytes},           {"touched_bytes", stack.touched_bytes},
          {"read_bytes", stack.read_bytes}, {"write_bytes", stack.write_bytes},
          {"corrected", stack.corrected},   {"uncorrectable", stack.uncorrectable}};
}

Json json_of(const Device& device);
Json json_of(const Sensor& sensor);

template <typename T>
Json list_of(const std::vector<T>& items) {
  Json list = Json::array();
  for (const T& item : items) list.push_back(json_of(item));
  return list;
}

Json json_of(const Device& device) {
  return {{"name", text_of(device.name)},
          {"chip", text_of(device.chip)},
          {"connected", device.connected},
          {"sbuf_bytes", device.sbuf_bytes},
          {"host_read_bytes", device.host_read_bytes},
          {"host_write_bytes", device.host_write_bytes},
          {"cores", list_of(device.cores)},
          {"stacks", list_of(device.stacks)}};
}

Json json_of(const Sensor& sensor) {
  return {{"name", text_of(sensor.name)}, {"unit", text_of(sensor.unit)}, {"value", sensor.value}};
}

Json json_of(const Management& management) {
  Json j = {{"board", text_of(management.board)},
            {"phase", text_of(management.phase)},
            {"harts", management.harts},
            {"instructions", management.instructions},
            {"power_permille", management.power_permille},
            {"sensors", list_of(management.sensors)}};
  for (unsigned c = 0; c < TERN_ERROR_CLASS_COUNT; ++c)
    j["errors"][kErrorClassNames[c]] = management.errors[c];
  return j;
}

[[noreturn]] void refuse(const std::string& key, const std::string& expected) {
  throw UserError(fmt::format("key '{}': expected {}", key, expected));
}

// An object whose values are checked as they are taken; keys that nobody takes may be of a newer
// version.
class Fields {
 public:
  Fields(const Json& json, std::string path) : json_(json), path_(std::move(path)) {
    if (!json.is_object()) refuse(path_.empty() ? "." : path_, "an object");
  }

  std::uint64_t integer(const char* key, std::uint64_t most = 1'000'000'000'000'000'000) const {
    const Json& value = at(key);
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most)
      refuse(name(key), fmt::format("a whole number up to {}", most));
    return value.get<std::uint64_t>();
  }
  double number(const char* key, double least = 0) const {
    return checked(at(key), name(key), least);
  }
  double share(const char* key) const {
    const double value = number(key);
    if (value > 1) refuse(name(key), "a number from 0 to 1");
    return value;
  }
  std::string text(const char* key) const {
    const Json& value = at(key);
    if (!value.is_string() || value.get_ref<const std::string&>().size() > kMaxText)
      refuse(name(key), fmt::format("a text of at most {} bytes", kMaxText));
    return value.get<std::string>();
  }
  Fields object(const char* key) const { return {at(key), name(key)}; }
  bool has(const char* key) const { return json_.contains(key); }

  // Each element of a list.
  template <typename Take>
  void list(const char* key, std::size_t most, Take take) const {
    const Json& value = at(key);
    if (!value.is_array() || value.size() > most)
      refuse(name(key), fmt::format("a list of at most {} elements", most));
    for (std::size_t i = 0; i < value.size(); ++i)
      take(value[i], fmt::format("{}[{}]", name(key), i));
  }

  static double checked(const Json& value, const std::string& name, double least = 0) {
    const double number = value.is_number() ? value.get<double>() : -kMaxNumber;
    if (!(number >= least && number <= kMaxNumber))
      refuse(name, fmt::format("a number from {:g} to {:g}", least, kMaxNumber));
    return number;
  }

 private:
  std::string name(const char* key) const { return path_.empty() ? key : path_ + "." + key; }
  const Json& at(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end()) refuse(name(key), "a value, it is missing");
    return *found;
  }

  const Json& json_;
  const std::string path_;
};

CoreState core_state(const Fields& fields) {
  const std::string text = fields.text("state");
  for (std::size_t i = 0; i < kCoreStates.size(); ++i) {
    if (text == kCoreStates[i]) return static_cast<CoreState>(i);
  }
  refuse("state", "one of idle, running, stalled, error, held, resetting");
}

Core core_of(const Fields& fields) {
  Core core;
  core.state = core_state(fields);
  core.programs = fields.integer("programs");
  core.failed_programs = fields.integer("failed_programs");
  core.errors = fields.integer("errors");
  core.macs = fields.integer("macs");
  core.dma_bytes = fields.integer("dma_bytes");
  core.dma_descriptors = fields.integer("dma_descriptors");
  core.dma_busy_us = fields.number("dma_busy_us");
  core.dma_utilization = fields.share("dma_utilization");
  std::size_t next = 0;
  fields.list("program_us", kPercentiles.size(), [&](const Json& value, const std::string& name) {
    core.program_us[next++] = Fields::checked(value, name);
  });
  const Fields engines = fields.object("engines");
  for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) {
    const Fields engine = engines.object(kQueueNames[q]);
    core.engines[q] = {engine.integer("instructions"), engine.number("busy_us"),
                       engine.share("utilization")};
  }
  return core;
}

Stack stack_of(const Fields& fields) {
  return {fields.integer("bytes"),      fields.integer("touched_bytes"),
          fields.integer("read_bytes"), fields.integer("write_bytes"),
          fields.integer("corrected"),  fields.integer("uncorrectable")};
}

Device device_of(const Fields& fields) {
  Device device;
  device.name = fields.text("name");
  device.chip = fields.text("chip");
  device.sbuf_bytes = fields.integer("sbuf_bytes");
  device.host_read_bytes = fields.integer("host_read_bytes");
  device.host_write_bytes = fields.integer("host_write_bytes");
  fields.list("connected", kMaxCores, [&](const Json& value, const std::string& name) {
    device.connected.push_back(static_cast<unsigned>(std::min(Fields::checked(value, name), 1e6)));
  });
  fields.list("cores", kMaxCores, [&](const Json& value, const std::string& name) {
    device.cores.push_back(core_of({value, name}));
  });
  fields.list("stacks", kMaxStacks, [&](const Json& value, const std::string& name) {
    device.stacks.push_back(stack_of({value, name}));
  });
  return device;
}

Management management_of(const Fields& fields) {
  Management management;
  management.board = fields.text("board");
  management.phase = fields.text("phase");
  management.harts = static_cast<unsigned>(fields.integer("harts", kMaxCores));
  management.instructions = fields.integer("instructions");
  management.power_permille = fields.integer("power_permille");
  const Fields errors = fields.object("errors");
  for (unsigned c = 0; c < TERN_ERROR_CLASS_COUNT; ++c)
    management.errors[c] = errors.integer(kErrorClassNames[c]);
  fields.list("sensors", kMaxSensors, [&](const Json& value, const std::string& name) {
    const Fields sensor(value, name);
    management.sensors.push_back(
        {sensor.text("name"), sensor.text("unit"), sensor.number("value", -kMaxNumber)});
  });
  return management;
}

}  // namespace

const char* core_state_name(CoreState state) {
  return kCoreStates.at(static_cast<std::size_t>(state));
}

Json to_json(const State& state) {
  Json j = {{"format", "tern-live"},
            {"format_version", kVersion},
            {"version", text_of(state.version)},
            {"pid", state.pid},
            {"start_ticks", state.start_ticks},
            {"command", text_of(state.command)},
            {"kind", text_of(state.kind)},
            {"started_s", state.started_s},
            {"updated_s", state.updated_s},
            {"wall_s", state.wall_s},
            {"simulated_us", state.simulated_us},
            {"speed", state.speed},
            {"devices", list_of(state.devices)}};
  if (state.management) j["management"] = json_of(*state.management);
  return j;
}

State from_json(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) throw UserError("expected JSON");
  const Fields fields(json, "");
  if (fields.text("format") != "tern-live") refuse("format", "'tern-live'");
  if (fields.integer("format_version") != kVersion)
    refuse("format_version", fmt::format("{}, of another version of tern", kVersion));
  State state;
  state.version = fields.text("version");
  state.pid = static_cast<int>(fields.integer("pid", std::numeric_limits<int>::max()));
  state.start_ticks = fields.integer("start_ticks");
  state.command = fields.text("command");
  state.kind = fields.text("kind");
  state.started_s = fields.number("started_s");
  state.updated_s = fields.number("updated_s");
  state.wall_s = fields.number("wall_s");
  state.simulated_us = fields.number("simulated_us");
  state.speed = fields.number("speed");
  fields.list("devices", kMaxDevices, [&](const Json& value, const std::string& name) {
    state.devices.push_back(device_of({value, name}));
  });
  if (fields.has("management")) state.management = management_of(fields.object("management"));
  return state;
}

}  // namespace tern::live
