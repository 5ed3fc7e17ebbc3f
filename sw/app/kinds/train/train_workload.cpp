// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/train/train_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "sw/app/kinds/train/train_weights.h"
#include "sw/app/report/text.h"
#include "sw/base/checksum.h"
#include "sw/base/input_file.h"
#include "sw/base/text.h"
#include "sw/base/user_error.h"
#include "sw/train/batches.h"

namespace tern::app {
namespace {

using config::YamlMap;
using config::YamlValue;

// A weight with one row would be taken for a bias.
constexpr std::int64_t kMinUnits = 2, kMaxUnits = 16384, kMaxBatch = 4096, kMaxCores = 4096;
constexpr unsigned kMaxClasses = 512;
constexpr std::int64_t kMaxWidth = 1024, kMaxBlocks = 16, kMaxSampled = 100'000;

// A file of the data set: it must be there, and have the checksum that `crc32` says, if it does.
using Checksums = std::vector<std::pair<std::string, std::uint32_t>>;
std::string data_file(const YamlMap& map, const std::string& key, const std::string& fetch,
                      Checksums* checksums) {
  const YamlValue value = map.get(key);
  std::string path = value.as_path();
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    throw UserError(fmt::format("{}: key '{}': {}: no such file{}", value.source(), value.key(),
                                path, fetch.empty() ? "" : "; it is fetched by: " + fetch));
  }
  try {
    const std::uint32_t crc = base::file_crc32(path);
    checksums->emplace_back(value.key(), crc);
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
                                               const std::string& fetch, std::uint32_t classes,
                                               Checksums* checksums) {
  const YamlMap part = map.get(name).as_map();
  const std::string images = data_file(part, "images", fetch, checksums);
  const std::string labels = data_file(part, "labels", fetch, checksums);
  const YamlValue value = part.get("images");
  try {
    auto set = std::make_shared<data::ImageSet>(data::read_image_set(images, labels, classes));
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

void load_optimiser(const YamlMap& top, train::OptimiserRules* spec, train::Schedule* schedule) {
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

ImageTraining::Pruning load_pruning(const YamlMap& map, unsigned epochs) {
  using kernels::Sparsity;
  ImageTraining::Pruning pruning;
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

ImageTraining::Scaling load_scaling(const YamlMap& map, std::uint32_t batch,
                                    std::string* cores_source) {
  ImageTraining::Scaling scaling;
  const YamlValue list = map.get("cores");
  *cores_source = fmt::format("{}: key '{}'", list.source(), list.key());
  for (const YamlValue& value : list.as_list()) {
    const auto cores = static_cast<unsigned>(value.as_integer(1, kMaxCores));
    if (batch % cores != 0) value.fail(fmt::format("a number that divides the batch of {}", batch));
    if (scaling.cores.empty() ? cores != 1 : cores <= scaling.cores.back())
      list.fail("rising numbers of cores, the first 1");
    scaling.cores.push_back(cores);
  }
  if (scaling.cores.empty()) list.fail("rising numbers of cores, the first 1");
  const YamlValue per_core = map.get("batch_per_core");
  scaling.batch_per_core = static_cast<std::uint32_t>(per_core.as_integer(1, kMaxBatch));
  if (std::uint64_t{scaling.batch_per_core} * scaling.cores.back() > kMaxBatch)
    per_core.fail(fmt::format("at most {} on all cores together", kMaxBatch));
  if (auto v = map.find("steps")) scaling.steps = static_cast<unsigned>(v->as_integer(1, 1000));
  return scaling;
}

void load_precision(const YamlMap& top, train::Precision* precision) {
  using train::Precision;
  const auto v = top.find("precision");
  if (!v) return;
  const std::string name = v->as_choice({"bf16", "mxfp8", "stochastic", "fp32"});
  for (const Precision p :
       {Precision::kBf16, Precision::kMxfp8, Precision::kStochastic, Precision::kFp32}) {
    if (name == precision_name(p)) *precision = p;
  }
}

std::string fetch_of(const YamlMap& data) {
  const auto v = data.find("fetch");
  return v ? v->as_string() : std::string();
}

ImageTraining load_images(const YamlMap& top, TrainWorkload* all) {
  ImageTraining w;
  const YamlMap network = top.get("network").as_map();
  std::vector<std::uint32_t> hidden;
  for (const YamlValue& size : network.get("hidden").as_list())
    hidden.push_back(static_cast<std::uint32_t>(size.as_integer(kMinUnits, kMaxUnits)));
  const auto classes =
      static_cast<std::uint32_t>(network.get("classes").as_integer(2, kMaxClasses));
  w.spec.batch = static_cast<std::uint32_t>(top.get("batch").as_integer(1, kMaxBatch));
  w.epochs = static_cast<unsigned>(top.get("epochs").as_integer(1, 100'000));
  if (auto v = top.find("cores")) {
    w.cores = static_cast<unsigned>(v->as_integer(1, kMaxCores));
    w.cores_source = v->source() + ": key 'cores'";
    if (w.spec.batch % w.cores != 0)
      v->fail(fmt::format("a number that divides the batch of {}", w.spec.batch));
  }
  if (auto v = top.find("scaling"))
    w.scaling = load_scaling(v->as_map(), w.spec.batch, &w.cores_source);
  load_precision(top, &w.spec.precision);
  load_optimiser(top, &w.spec, &all->schedule);
  if (auto v = top.find("prune")) {
    if (hidden.empty()) v->fail("a hidden layer: all layers but the last are pruned");
    w.pruning = load_pruning(v->as_map(), w.epochs);
  }
  w.spec.masks = w.pruning.has_value();

  const YamlMap data = top.get("data").as_map();
  const std::string fetch = fetch_of(data);
  if (auto v = data.find("scale")) w.scale = static_cast<float>(v->as_number(1e-30, 1e30));
  w.training = load_set(data, "training", fetch, classes, &all->checksums);
  w.test = load_set(data, "test", fetch, classes, &all->checksums);
  w.test_images = data.get("test").as_map().get("images").as_path();
  w.test_labels = data.get("test").as_map().get("labels").as_path();
  if (w.pruning) {
    const train::SampleOrder order(w.training->count, w.spec.batch, 0);
    if (order.steps_of(w.pruning->after_epochs) == order.steps_of(w.epochs)) {
      top.get("prune")
          .as_map()
          .get("after_epochs")
          .fail(fmt::format("a step after it: {} have {} of {} images",
                            base::counted(w.epochs, "epoch"),
                            base::counted(order.steps_of(w.epochs), "step"), w.spec.batch));
    }
  }
  const std::size_t features = w.training->pixels_per_image();
  if (features < kMinUnits) data.get("training").fail("images of at least two pixels");
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

// Of the section 'sample', for texts of this alphabet.
TextTraining::Sample load_sample(const YamlMap& map, const train::TextCorpus& corpus) {
  TextTraining::Sample sample;
  const YamlValue prompt = map.get("prompt");
  sample.prompt = prompt.as_string();
  if (corpus.encode(sample.prompt).empty()) prompt.fail("characters of the alphabet");
  sample.characters = static_cast<std::uint64_t>(map.get("characters").as_integer(1, kMaxSampled));
  if (auto v = map.find("temperature")) sample.temperature = v->as_number(0, 100);
  return sample;
}

std::shared_ptr<const train::TextCorpus> load_corpus(const YamlMap& data, Checksums* checksums) {
  const std::string path = data_file(data, "text", fetch_of(data), checksums);
  std::string alphabet = " abcdefghijklmnopqrstuvwxyz.,;!?'\"-";
  if (auto v = data.find("alphabet")) alphabet = v->as_string();
  double held_out = 0.1;
  if (auto v = data.find("held_out")) held_out = v->as_number(0.0001, 0.9);
  const YamlValue value = data.get("text");
  try {
    return std::make_shared<train::TextCorpus>(path, base::read_input(path), alphabet, held_out);
  } catch (const UserError& e) {
    throw UserError(fmt::format("{}: key '{}': {}", value.source(), value.key(), e.what()));
  }
}

TextTraining load_text(const YamlMap& top, TrainWorkload* all) {
  TextTraining w;
  const YamlValue section = top.get("network");
  const YamlMap network = section.as_map();
  const auto number = [](const YamlMap& map, const char* key, std::int64_t most) {
    return static_cast<std::uint32_t>(map.get(key).as_integer(1, most));
  };
  w.spec.width = number(network, "width", kMaxWidth);
  w.spec.heads = number(network, "heads", kMaxWidth);
  w.spec.blocks = number(network, "blocks", kMaxBlocks);
  w.spec.context = number(network, "context", train::TransformerSpec::kMaxContext);
  w.spec.hidden =
      network.find("hidden") ? number(network, "hidden", 4 * kMaxWidth) : 4 * w.spec.width;
  if (network.find("experts")) {
    w.spec.experts = number(network, "experts", train::TransformerSpec::kMaxExperts);
    if (const auto v = network.find("capacity"))
      w.spec.capacity = static_cast<float>(v->as_positive());
    if (const auto v = network.find("balance"))
      w.spec.balance = static_cast<float>(v->as_number(0, 1000));
  }
  w.spec.batch = number(top, "batch", kMaxBatch);
  w.steps = static_cast<std::uint64_t>(top.get("steps").as_integer(1, 1'000'000'000));
  load_precision(top, &w.spec.precision);
  load_optimiser(top, &w.spec, &all->schedule);

  const YamlMap data = top.get("data").as_map();
  w.corpus = load_corpus(data, &all->checksums);
  w.spec.alphabet = static_cast<std::uint32_t>(w.corpus->alphabet().size());
  const auto check_network = [&](const auto& check) {
    try {
      check();
    } catch (const UserError& e) {
      throw UserError(fmt::format("{}: key 'network': {}", section.source(), e.what()));
    }
  };
  check_network([&] { train::check(w.spec); });
  const std::uint64_t windows = w.corpus->held_out_windows(w.spec.context);
  if (w.corpus->training_windows(w.spec.context) == 0 || windows == 0) {
    data.get("text").fail(
        fmt::format("a text with more than {} characters in each part (it has {} and {})",
                    w.spec.context, w.corpus->training(), w.corpus->held_out()));
  }
  const YamlMap evaluate = top.get("evaluate").as_map();
  w.evaluate_every = static_cast<std::uint64_t>(evaluate.get("every").as_integer(1, 1'000'000'000));
  w.evaluated = windows;
  if (auto v = evaluate.find("windows"))
    w.evaluated = std::min(windows, static_cast<std::uint64_t>(v->as_integer(1, 1'000'000)));
  if (auto v = top.find("sample")) w.sample = load_sample(v->as_map(), *w.corpus);
  if (auto v = top.find("expect")) w.loss = v->as_map().get("loss").as_positive();
  if (auto v = top.find("plan")) {
    w.plan = load_plan(*v);
    if (!w.plan->open()) w.divide(*w.plan);
  } else {
    check_network([&] { train::check(w.spec, w.share(0)); });
  }
  return w;
}

}  // namespace

TrainWorkload load_train(const YamlMap& top, std::uint64_t /*seed*/) {
  TrainWorkload w;
  load_schedule(top, &w.schedule);
  if (auto v = top.find("checkpoint_every"))
    w.checkpoint_every = static_cast<std::uint64_t>(v->as_integer(1, 1'000'000'000));
  const auto data = top.find("data");
  if (data && data->as_map().find("text")) {
    w.text = load_text(top, &w);
  } else {
    w.images = load_images(top, &w);
  }
  w.outputs = load_output_folder(top);
  if (auto v = top.find("start")) w.start = load_start(*v, w);
  return w;
}

}  // namespace tern::app
