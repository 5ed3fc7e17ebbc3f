// SPDX-License-Identifier: Apache-2.0
#include "sw/config/load_chip_config.h"
#include "sw/config/rtl_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>

#include "sw/base/user_error.h"
#include "sw/config/chip_schema.h"
#include "sw/config/hbm_misfit.h"
#include "sw/config/presets.h"
#include "sw/config/settings_without_effect.h"

namespace tern {

using config::YamlMap;
using config::YamlValue;

namespace {

constexpr unsigned kMaxLayers = 8;  // more means a file that builds on itself
const std::vector<std::string> kBackends = {"model", "rtl", "both"};
const std::vector<std::string> kTensorBackends = {"model", "rtl", "both", "fpga"};

Backend backend(const std::string& key, const YamlValue& value) {
  const std::string name = value.as_choice(key == "tensor" ? kTensorBackends : kBackends);
  if (name == "rtl") return Backend::kRtl;
  if (name == "fpga") return Backend::kFpga;
  return name == "both" ? Backend::kBoth : Backend::kModel;
}

std::optional<YamlMap> find_preset(const std::string& name) {
  if (const char* folder = std::getenv("TERN_PRESET_DIR")) {
    const auto path = std::filesystem::path(folder) / (name + ".yaml");
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) return YamlMap::from_file(path.string());
  }
  for (const auto& preset : config::embedded_presets()) {
    if (preset.name == name) {
      return YamlMap::from_text(std::string(preset.text), std::string(preset.file));
    }
  }
  return std::nullopt;
}

bool looks_like_file(const std::string& name) {
  const std::string extension = std::filesystem::path(name).extension().string();
  return name.find('/') != std::string::npos || extension == ".yaml" || extension == ".yml";
}

// What the layers specify so far about a back end per core: the keys of kRtlBlocks.
struct BackendChoice {
  std::string key;
  std::vector<Backend> ChipConfig::*place;
  Backend all = Backend::kModel;
  std::map<unsigned, std::pair<Backend, YamlValue>> cores;
  std::optional<YamlValue> list;  // its length is checked when the number of cores is known

  void forget() {
    all = Backend::kModel;
    cores.clear();
    list.reset();
  }
  // Whether a resolved key belongs to this one: "tensor" or "tensor.3".
  bool names(const std::string& other) const {
    return other == key || other.rfind(key + ".", 0) == 0;
  }
};

std::vector<BackendChoice> backend_choices() {
  std::vector<BackendChoice> choices;
  for (const RtlBlock& block : kRtlBlocks) {
    choices.emplace_back();
    choices.back().key = block.key;
    choices.back().place = block.place;
  }
  return choices;
}

class Loader {
 public:
  void add_named(const std::string& name, const std::optional<YamlValue>& where) {
    if (auto preset = find_preset(name)) {
      add_layer(*preset);
      result_.preset = name;
      return;
    }
    if (!where && looks_like_file(name)) return add_layer(YamlMap::from_file(name));
    if (where && looks_like_file(name)) return add_layer(YamlMap::from_file(where->as_path()));
    const std::string expected = fmt::format("{} or a YAML file", fmt::join(preset_names(), ", "));
    if (where) where->fail(expected);
    throw UserError(fmt::format("unknown chip '{}': expected {}", name, expected));
  }

  void add_layer(const YamlMap& map) {
    if (++layers_ > kMaxLayers) {
      throw UserError(fmt::format("{}: key 'preset': more than {} files build on each other",
                                  map.source(), kMaxLayers));
    }
    if (auto preset = map.find("preset")) add_named(preset->as_string(), preset);
    last_file_ = map.source();
    apply(map);
  }

  void apply(const YamlMap& map) {
    for (const auto& field : config::chip_schema()) {
      if (auto value = find_dotted(map, field.key)) {
        field.set(*value, result_.chip);
        record(field.key, *value);
      }
    }
    for (BackendChoice& choice : choices_) {
      if (auto value = map.find(choice.key)) apply_choice(choice, *value);
    }
    map.finish();
  }

  ResolvedConfig take() {
    for (const auto& field : config::chip_schema()) {
      const auto found = values_.find(field.key);
      if (found == values_.end()) {
        throw UserError(fmt::format("{}: key '{}': missing (name a preset to build on: {})",
                                    last_file_, field.key, fmt::join(preset_names(), ", ")));
      }
      result_.values.push_back(found->second);
      if (field.key == "cores") {
        for (const auto& [key, value] : values_) {
          const auto owns = [&k = key](const BackendChoice& choice) { return choice.names(k); };
          if (std::any_of(std::begin(choices_), std::end(choices_), owns))
            result_.values.push_back(value);
        }
      }
    }
    for (const BackendChoice& choice : choices_) resolve(choice);
    if (const auto misfit = hbm::first_misfit(result_.chip.hbm)) {
      const ConfigValue& value = values_.at("hbm." + misfit->key);
      throw UserError(fmt::format("{}: key '{}': expected {}, got '{}'", value.source, value.key,
                                  misfit->expected, value.value));
    }
    result_.warnings = config::settings_without_effect(result_.chip, result_.values);
    return result_;
  }

 private:
  static std::optional<YamlValue> find_dotted(const YamlMap& map, const std::string& key) {
    const std::size_t dot = key.find('.');
    auto value = map.find(key.substr(0, dot));
    if (dot == std::string::npos || !value) return value;
    return find_dotted(value->as_map(), key.substr(dot + 1));
  }

  void record(const std::string& key, const YamlValue& value) {
    values_[key] = {key, value.text(), value.source(), value.comment()};
  }

  void apply_choice(BackendChoice& choice, const YamlValue& value) {
    if (value.is_scalar()) {
      choice.forget();
      choice.all = backend(choice.key, value);
      forget_values(choice);
      record(choice.key, value);
    } else if (value.is_list()) {
      choice.forget();
      choice.list = value;
      forget_values(choice);
      const auto items = value.as_list();
      for (unsigned n = 0; n < items.size(); ++n) set_core(choice, n, items[n]);
    } else if (value.is_map()) {
      const YamlMap cores = value.as_map();
      for (const auto& key : cores.keys()) {
        const YamlValue item = cores.get(key);
        if (key.empty() || key.size() > 2 ||
            key.find_first_not_of("0123456789") != std::string::npos) {
          throw UserError(fmt::format("{}: key '{}': expected the number of a core", item.source(),
                                      item.key()));
        }
        set_core(choice, static_cast<unsigned>(std::stoul(key)), item);
      }
    } else {
      value.fail("model, rtl, both, a list with one per core, or a map such as {0: rtl}");
    }
  }

  void set_core(BackendChoice& choice, unsigned core, const YamlValue& value) {
    choice.cores.insert_or_assign(core, std::make_pair(backend(choice.key, value), value));
    record(fmt::format("{}.{}", choice.key, core), value);
  }

  void forget_values(const BackendChoice& choice) {
    for (auto it = values_.begin(); it != values_.end();) {
      it = choice.names(it->first) ? values_.erase(it) : std::next(it);
    }
  }

  void resolve(const BackendChoice& choice) {
    const unsigned cores = result_.chip.cores;
    if (choice.list && choice.list->as_list().size() != cores) {
      choice.list->fail(fmt::format("a list of {} entries, one per core", cores));
    }
    std::vector<Backend>& backends = result_.chip.*choice.place;
    backends.assign(cores, choice.all);
    for (const auto& [core, said] : choice.cores) {
      if (core >= cores) {
        throw UserError(fmt::format("{}: key '{}': expected a core from 0 to {}",
                                    said.second.source(), said.second.key(), cores - 1));
      }
      backends[core] = said.first;
    }
  }

  ResolvedConfig result_;
  std::map<std::string, ConfigValue> values_;
  std::vector<BackendChoice> choices_ = backend_choices();
  unsigned layers_ = 0;
  std::string last_file_;
};

ResolvedConfig finish(Loader& loader, const std::vector<ConfigOverride>& overrides) {
  for (const auto& item : overrides) {
    loader.apply(YamlMap::from_assignment(item.key, item.value, item.source));
  }
  return loader.take();
}

}  // namespace

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const auto& preset : config::embedded_presets()) names.emplace_back(preset.name);
  if (const char* folder = std::getenv("TERN_PRESET_DIR")) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

ResolvedConfig load_chip_config(const std::string& name_or_path,
                                const std::vector<ConfigOverride>& overrides) {
  Loader loader;
  loader.add_named(name_or_path, std::nullopt);
  return finish(loader, overrides);
}

ResolvedConfig load_chip_config(const YamlMap& layer,
                                const std::vector<ConfigOverride>& overrides) {
  Loader loader;
  loader.add_layer(layer);
  return finish(loader, overrides);
}

}  // namespace tern
