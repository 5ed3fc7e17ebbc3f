// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "sw/app/kinds/network/mlp.h"
#include "sw/app/kinds/network/network_load.h"
#include "sw/app/kinds/operands.h"
#include "sw/base/user_error.h"
#include "sw/data/idx.h"
#include "sw/data/npy.h"

namespace tern::app {
namespace {

using config::YamlMap;
using config::YamlValue;
using numerics::DType;

constexpr std::size_t kMaxClasses = 512;

std::vector<std::uint8_t> read_labels(const YamlValue& value, std::size_t count) {
  const data::NpyArray array = read_named(
      value, [&](const auto& path) { return data::read_npy_as(path, data::DType::kU8, {count}); });
  return array.values<std::uint8_t>();
}

void load_images(const YamlMap& input, MlpWorkload* mlp) {
  const YamlValue images = input.get("images");
  const YamlValue labels = input.get("labels");
  constexpr unsigned kAnyLabel = 256;  // compared with the network's classes later
  data::ImageSet set;
  try {
    set = data::read_image_set(images.as_path(), labels.as_path(), kAnyLabel);
  } catch (const UserError& e) {  // begins with the file at fault
    const bool wrong_labels = std::string(e.what()).rfind(labels.as_path() + ":", 0) == 0;
    const YamlValue& wrong = wrong_labels ? labels : images;
    throw UserError(fmt::format("{}: key '{}': {}", wrong.source(), wrong.key(), e.what()));
  }
  const auto total = static_cast<std::int64_t>(set.count);
  std::int64_t first = 0;
  if (auto v = input.find("first")) first = v->as_integer(0, std::max<std::int64_t>(total - 1, 0));
  std::int64_t count = total - first;
  if (auto v = input.find("count")) count = v->as_integer(1, total - first);
  float scale = 1;
  if (auto v = input.find("scale")) {
    const double value = v->as_positive();
    if (value < std::numeric_limits<float>::min() || value > std::numeric_limits<float>::max())
      v->fail("a number > 0 that FP32 can hold");
    scale = static_cast<float>(value);
  }
  if (count == 0) images.fail("at least one image");

  mlp->batch = static_cast<std::size_t>(count);
  mlp->features = set.pixels_per_image();
  const auto begin = static_cast<std::size_t>(first);
  mlp->input.resize(mlp->batch * mlp->features);
  for (std::size_t b = 0; b < mlp->batch; ++b) {
    for (std::size_t f = 0; f < mlp->features; ++f) {
      mlp->input[b * mlp->features + f] = static_cast<float>(set.image(begin + b)[f]) * scale;
    }
  }
  Matrix scaled{{mlp->batch, mlp->features}, std::move(mlp->input)};  // the scale may be too large
  warn_not_finite(images, scaled, &mlp->warnings);
  mlp->input = std::move(scaled.values);
  mlp->labels.assign(set.labels.begin() + first, set.labels.begin() + first + count);
}

// Functions of the activation table that networks use, by their names in files.
const std::vector<std::pair<std::string, numerics::ActFunction>>& functions() {
  using F = numerics::ActFunction;
  static const std::vector<std::pair<std::string, F>> kFunctions = {
      {"relu", F::kRelu}, {"gelu", F::kGelu},       {"gelu_tanh", F::kGeluApprxTanh},
      {"silu", F::kSilu}, {"mish", F::kMish},       {"softplus", F::kSoftplus},
      {"tanh", F::kTanh}, {"sigmoid", F::kSigmoid}, {"none", F::kIdentity}};
  return kFunctions;
}

void load_function(const YamlValue& activation, bool last, MlpLayer* layer, MlpWorkload* mlp) {
  std::vector<std::string> names;
  for (const auto& [name, function] : functions()) names.push_back(name);
  if (last) names.emplace_back("softmax");
  const std::string name = activation.as_choice(names);
  if (last) mlp->softmax = name == "softmax";
  layer->function = numerics::ActFunction::kIdentity;
  for (const auto& [known, function] : functions()) {
    if (name == known) layer->function = function;
  }
}

void load_layers(const YamlValue& list, MlpWorkload* mlp) {
  const auto items = list.as_list();
  if (items.empty()) list.fail("at least one layer");
  std::size_t in = mlp->features;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const YamlMap map = items[i].as_map();
    const bool last = i + 1 == items.size();
    MlpLayer layer;
    load_function(map.get("activation"), last, &layer, mlp);
    const YamlValue weight_file = map.get("weight"), bias_file = map.get("bias");
    Matrix weight = read_matrix(weight_file, {in, data::kAnyExtent});
    warn_not_finite(weight_file, weight, &mlp->warnings);
    layer.in = in;
    layer.out = weight.shape[1];
    if (last && layer.out > kMaxClasses)
      weight_file.fail(fmt::format("at most {} classes", kMaxClasses));
    layer.weight = std::move(weight.values);
    Matrix bias = read_matrix(bias_file, {layer.out});
    warn_not_finite(bias_file, bias, &mlp->warnings);
    layer.bias = std::move(bias.values);
    in = layer.out;
    mlp->layers.push_back(std::move(layer));
  }
}

}  // namespace

MlpWorkload load_mlp(const YamlMap& top, std::uint64_t /*seed*/) {
  MlpWorkload mlp;
  const YamlMap input = top.get("input").as_map();
  if (input.find("tensor")) {
    const YamlValue tensor = input.get("tensor");
    Matrix x = read_matrix(tensor, {data::kAnyExtent, data::kAnyExtent});
    warn_not_finite(tensor, x, &mlp.warnings);
    mlp.batch = x.shape[0];
    mlp.features = x.shape[1];
    mlp.input = std::move(x.values);
    if (auto labels = input.find("labels")) mlp.labels = read_labels(*labels, mlp.batch);
  } else {
    load_images(input, &mlp);
  }
  load_formats(top, "precision", &mlp.formats);
  load_layers(top.get("layers"), &mlp);
  if (mlp.fused()) {
    round_to(&mlp.input, DType::kBf16);
    for (MlpLayer& layer : mlp.layers) round_to(&layer.weight, DType::kBf16);
  }
  const auto bad = std::find_if(mlp.labels.begin(), mlp.labels.end(),
                                [&](std::uint8_t l) { return l >= mlp.classes(); });
  if (bad != mlp.labels.end()) {
    input.get("labels").fail(
        fmt::format("labels below the network's {} classes, there is a {}", mlp.classes(), *bad));
  }
  if (const auto expect = top.find("expect")) {
    if (auto v = expect->as_map().find("accuracy")) {
      if (mlp.labels.empty()) v->fail("labels in the input to measure an accuracy");
      mlp.accuracy = v->as_number(0, 1);
    }
    mlp.expected = load_expected(expect->as_map(), {mlp.batch, mlp.classes()});
  }
  mlp.outputs = load_outputs(top);
  if (!mlp.fused()) {
    mlp.compared = Compared{"/rows",
                            {"/format"},
                            {{"accuracy", "/accuracy", true},
                             {"rms error", "/rms_error", false, Compared::kScientific},
                             {"products us", "/product_us"},
                             {"functions us", "/function_us"}}};
  }
  return mlp;
}

}  // namespace tern::app
