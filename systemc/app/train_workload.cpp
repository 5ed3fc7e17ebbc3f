// SPDX-License-Identifier: Apache-2.0
#include "systemc/app/train_workload.h"

#include <fmt/format.h>

#include <filesystem>

#include "sw/data/checksum.h"
#include "systemc/app/text.h"
#include "systemc/config/user_error.h"

namespace tern::app {
namespace {

using config::YamlMap;
using config::YamlValue;

// A weight with one row would be taken for a bias.
constexpr std::int64_t kLeastUnits = 2, kMostUnits = 16384, kMostBatch = 4096, kMostCores = 4096;
constexpr unsigned kMostClasses = 512;

// A file of the data set: it must be there, and have the checksum that `crc32` says, if it does.
std::string data_file(const YamlMap& map, const std::string& key, const std::string& fetch,
                      TrainWorkload* w) {
  const YamlValue value = map.get(key);
  const std::string path = value.as_path();
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    throw UserError(fmt::format("{}: key '{}': {}: no such file{}", value.source(), value.key(),
                                path, fetch.empty() ? "" : "; it is fetched by: " + fetch));
  }
  try {
    const std::uint32_t crc = data::file_crc32(path);
    w->checksums.emplace_back(value.key(), crc);
    if (const auto expected = map.find(key + "_crc32")) {
      const auto want = static_cast<std::uint32_t>(expected->as_integer(0, UINT32_MAX));
      if (want != crc) {
        throw UserError(
            fmt::format("{}: CRC-32 0x{:08x}, expected 0x{:08x} (of another data set: leave out "
                        "'{}_crc32')",
                        path, crc, want, key));
      }
    }
  } catch (const UserError& e) {
    throw UserError(fmt::format("{}: key '{}': {}", value.source(), value.key(), e.what()));
  }
  return path;
}

std::shared_ptr<const data::ImageSet> load_set(const YamlMap& map, const char* name,
                                               const std::string& fetch, TrainWorkload* w) {
  const YamlMap part = map.get(name).as_map();
  const std::string images = data_file(part, "images", fetch, w);
  const std::string labels = data_file(part, "labels", fetch, w);
  const YamlValue value = part.get("images");
  try {
    auto set =
        std::make_shared<data::ImageSet>(data::read_image_set(images, labels, w->spec.classes()));
    if (auto count = part.find("count")) {
      set->count =
          static_cast<std::size_t>(count->as_integer(1, static_cast<std::int64_t>(set->count)));
      set->pixels.resize(set->count * set->pixels_per_image());
      set->labels.resize(set->count);
    }
    if (set->count == 0) value.fail("at least one image");
    return set;
  } catch (const UserError& e) {
    const std::string text = e.what();
    if (text.rfind(value.source(), 0) == 0 || text.find("key '") != std::string::npos) throw;
    throw UserError(fmt::format("{}: key '{}': {}", value.source(), value.key(), text));
  }
}

void load_optimiser(const YamlMap& top, train::MlpSpec* spec, train::Schedule* schedule) {
  const YamlMap map = top.get("optimiser").as_map();
  const bool adamw = map.get("kind").as_choice({"sgd", "adamw"}) == "adamw";
  spec->optimiser = adamw ? train::Optimiser::kAdamW : train::Optimiser::kSgd;
  const auto number = [&](const char* key, float* value, double least, double most) {
    if (auto v = map.find(key)) *value = static_cast<float>(v->as_number(least, most));
  };
  schedule->rate = map.get("learning_rate").as_positive();
  if (adamw) {
    number("beta1", &spec->beta1, 0, 0.9999);
    number("beta2", &spec->beta2, 0, 0.999999);
    number("epsilon", &spec->epsilon, 1e-30, 1);
    number("weight_decay", &spec->weight_decay, 0, 100);
  } else {
    number("momentum", &spec->momentum, 0, 0.9999);
  }
}

void load_schedule(const YamlMap& top, train::Schedule* schedule) {
  const auto section = top.find("schedule");
  if (!section) return;
  const YamlMap map = section->as_map();
  using Kind = train::Schedule::Kind;
  const std::string kind = map.get("kind").as_choice({"constant", "linear", "cosine"});
  schedule->kind = kind == "constant" ? Kind::kConstant
                   : kind == "linear" ? Kind::kLinear
                                      : Kind::kCosine;
  if (auto v = map.find("warmup"))
    schedule->warmup = static_cast<std::uint64_t>(v->as_integer(0, 1'000'000'000));
  if (auto v = map.find("end")) schedule->end = v->as_number(0, 1);
}

TrainWorkload::Pruning load_pruning(const YamlMap& map, unsigned epochs) {
  using kernels::Sparsity;
  TrainWorkload::Pruning pruning;
  std::vector<std::string> names;
  for (unsigned s = 0; s < kernels::kSparsityPatterns; ++s) {
    const auto sparsity = static_cast<Sparsity>(s);
    names.push_back(fmt::format("{}_{}", kernels::kept(sparsity), kernels::group(sparsity)));
  }
  pruning.pattern = map.get("pattern").as_choice(names);
  for (unsigned s = 0; s < names.size(); ++s) {
    if (names[s] == pruning.pattern) pruning.sparsity = static_cast<Sparsity>(s);
  }
  if (epochs < 2) map.get("after_epochs").fail("at least 2 epochs, the last of them retrained");
  pruning.after_epochs =
      static_cast<unsigned>(map.get("after_epochs").as_integer(1, std::int64_t{epochs} - 1));
  if (auto v = map.find("most_lost")) pruning.most_lost = v->as_number(0, 1);
  return pruning;
}

TrainWorkload::Scaling load_scaling(const YamlMap& map, std::uint32_t batch,
                                    std::string* cores_source) {
  TrainWorkload::Scaling scaling;
  const YamlValue list = map.get("cores");
  *cores_source = fmt::format("{}: key '{}'", list.source(), list.key());
  for (const YamlValue& value : list.as_list()) {
    const auto cores = static_cast<unsigned>(value.as_integer(1, kMostCores));
    if (batch % cores != 0) value.fail(fmt::format("a number that divides the batch of {}", batch));
    if (scaling.cores.empty() ? cores != 1 : cores <= scaling.cores.back())
      list.fail("rising numbers of cores, the first 1");
    scaling.cores.push_back(cores);
  }
  if (scaling.cores.empty()) list.fail("rising numbers of cores, the first 1");
  const YamlValue per_core = map.get("batch_per_core");
  scaling.batch_per_core = static_cast<std::uint32_t>(per_core.as_integer(1, kMostBatch));
  if (std::uint64_t{scaling.batch_per_core} * scaling.cores.back() > kMostBatch)
    per_core.fail(fmt::format("at most {} on all cores together", kMostBatch));
  if (auto v = map.find("steps")) scaling.steps = static_cast<unsigned>(v->as_integer(1, 1000));
  return scaling;
}

}  // namespace

const char* precision_name(train::Precision precision) {
  static constexpr const char* kNames[] = {"bf16", "mxfp8", "stochastic", "fp32"};
  return kNames[static_cast<unsigned>(precision)];
}

const char* optimiser_name(train::Optimiser optimiser) {
  return optimiser == train::Optimiser::kSgd ? "sgd" : "adamw";
}

TrainWorkload load_train(const YamlMap& top) {
  TrainWorkload w;
  const YamlMap network = top.get("network").as_map();
  std::vector<std::uint32_t> hidden;
  for (const YamlValue& size : network.get("hidden").as_list())
    hidden.push_back(static_cast<std::uint32_t>(size.as_integer(kLeastUnits, kMostUnits)));
  const auto classes =
      static_cast<std::uint32_t>(network.get("classes").as_integer(2, kMostClasses));
  w.spec.sizes = {classes};
  w.spec.batch = static_cast<std::uint32_t>(top.get("batch").as_integer(1, kMostBatch));
  w.epochs = static_cast<unsigned>(top.get("epochs").as_integer(1, 100'000));
  if (auto v = top.find("cores")) {
    w.cores = static_cast<unsigned>(v->as_integer(1, kMostCores));
    w.cores_source = v->source() + ": key 'cores'";
    if (w.spec.batch % w.cores != 0)
      v->fail(fmt::format("a number that divides the batch of {}", w.spec.batch));
  }
  if (auto v = top.find("scaling"))
    w.scaling = load_scaling(v->as_map(), w.spec.batch, &w.cores_source);
  using train::Precision;
  if (auto v = top.find("precision")) {
    const std::string name = v->as_choice({"bf16", "mxfp8", "stochastic", "fp32"});
    for (const Precision p :
         {Precision::kBf16, Precision::kMxfp8, Precision::kStochastic, Precision::kFp32}) {
      if (name == precision_name(p)) w.spec.precision = p;
    }
  }
  load_optimiser(top, &w.spec, &w.schedule);
  load_schedule(top, &w.schedule);
  if (auto v = top.find("checkpoint_every"))
    w.checkpoint_every = static_cast<std::uint64_t>(v->as_integer(1, 1'000'000'000));

  if (auto v = top.find("prune")) w.pruning = load_pruning(v->as_map(), w.epochs);
  w.spec.masks = w.pruning.has_value();

  const YamlMap data = top.get("data").as_map();
  std::string fetch;
  if (auto v = data.find("fetch")) fetch = v->as_string();
  if (auto v = data.find("scale")) w.scale = static_cast<float>(v->as_number(1e-30, 1e30));
  w.training = load_set(data, "training", fetch, &w);
  w.test = load_set(data, "test", fetch, &w);
  const std::size_t features = w.training->pixels_per_image();
  if (features < kLeastUnits) data.get("training").fail("images of at least two pixels");
  if (w.test->pixels_per_image() != features) {
    data.get("test").fail(
        fmt::format("images of {} x {} pixels as those of training, these have {} x {}",
                    w.training->rows, w.training->columns, w.test->rows, w.test->columns));
  }
  w.spec.sizes = {static_cast<std::uint32_t>(features)};
  w.spec.sizes.insert(w.spec.sizes.end(), hidden.begin(), hidden.end());
  w.spec.sizes.push_back(classes);
  if (auto section = top.find("expect"))
    w.accuracy = section->as_map().get("accuracy").as_number(0, 1);
  return w;
}

std::vector<std::pair<std::string, std::string>> TrainWorkload::settings(std::uint64_t seed) const {
  std::string sizes;
  for (const std::uint32_t size : spec.sizes)
    sizes += (sizes.empty() ? "" : "-") + fmt::format("{}", size);
  std::vector<std::pair<std::string, std::string>> all = {
      {"network", sizes},
      {"batch", fmt::format("{}", spec.batch)},
      {"epochs", fmt::format("{}", epochs)},
      {"precision", precision_name(spec.precision)},
      {"optimiser", optimiser_name(spec.optimiser)},
      {"momentum", fmt::format("{}", spec.momentum)},
      {"beta1", fmt::format("{}", spec.beta1)},
      {"beta2", fmt::format("{}", spec.beta2)},
      {"epsilon", fmt::format("{}", spec.epsilon)},
      {"weight_decay", fmt::format("{}", spec.weight_decay)},
      {"learning_rate", fmt::format("{}", schedule.rate)},
      {"schedule", fmt::format("{}", static_cast<unsigned>(schedule.kind))},
      {"warmup", fmt::format("{}", schedule.warmup)},
      {"end", fmt::format("{}", schedule.end)},
      {"scale", fmt::format("{}", scale)},
      {"seed", fmt::format("{}", seed)},
      {"training images", fmt::format("{}", training->count)},
      {"test images", fmt::format("{}", test->count)}};
  if (cores > 1) all.emplace_back("cores", fmt::format("{}", cores));
  if (pruning) {
    all.emplace_back("prune", pruning->pattern);
    all.emplace_back("after_epochs", fmt::format("{}", pruning->after_epochs));
  }
  for (const auto& [name, crc] : checksums) all.emplace_back(name, fmt::format("0x{:08x}", crc));
  return all;
}

std::string TrainWorkload::describe() const {
  std::string sizes;
  for (const std::uint32_t size : spec.sizes)
    sizes += (sizes.empty() ? "" : "-") + fmt::format("{}", size);
  if (scaling) {
    return fmt::format("train mlp {}, {} steps, {}, {}", sizes, scaling->steps,
                       precision_name(spec.precision), optimiser_name(spec.optimiser));
  }
  return fmt::format("train mlp {}, {} images, {} epochs in batches of {}, {}, {}", sizes,
                     grouped(training->count), epochs, spec.batch, precision_name(spec.precision),
                     optimiser_name(spec.optimiser));
}

void TrainWorkload::check_cores(const ChipConfig& chip, unsigned wanted) const {
  if (wanted > chip.cores) {
    throw UserError(fmt::format("{}: expected at most the {} of chip '{}', got {}", cores_source,
                                chip.cores, chip.name, wanted));
  }
  if (wanted > 1 && !chip.dma.near_memory_add) {
    throw UserError(fmt::format(
        "{}: chip '{}' does not add near the memory, which sums over cores need; trn3 does",
        cores_source, chip.name));
  }
}

}  // namespace tern::app
