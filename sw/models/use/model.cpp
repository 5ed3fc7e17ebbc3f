// SPDX-License-Identifier: Apache-2.0
#include "sw/models/use/model.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "sw/base/input_file.h"
#include "sw/base/user_error.h"

namespace tern::use {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

using Shape = std::vector<std::uint64_t>;

std::uint64_t elements_of(const Shape& shape) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 32;  // a file of this size is none of ours
  std::uint64_t count = 1;
  for (const std::uint64_t extent : shape) {
    if (extent > kMost || (count *= extent) > kMost)
      throw UserError("model.json: a tensor of more than 2^32 elements");
  }
  return count;
}

// The tensors of a TensorFlow.js model: names and shapes from its manifest, values from the files
// it names, in order, little-endian.
class Weights {
 public:
  explicit Weights(const fs::path& folder) : file_((folder / "model.json").string()) {
    std::ifstream stream = base::open_input(file_);
    const json document = json::parse(stream, nullptr, false);
    if (document.is_discarded()) throw UserError(file_ + ": not JSON");
    try {
      for (const json& group : document.at("weightsManifest")) read_group(folder, group);
    } catch (const json::exception& e) {
      throw UserError(fmt::format("{}: not a TensorFlow.js model: {}", file_, e.what()));
    }
  }

  const Shape& shape(const std::string& name) const { return find(name).shape; }
  std::vector<float> take(const std::string& name, const Shape& shape) const {
    const Entry& entry = find(name);
    if (entry.shape != shape || entry.dtype != "float32") {
      throw UserError(fmt::format("{}: '{}': expected float32 [{}], got {} [{}]", file_, name,
                                  fmt::join(shape, ", "), entry.dtype,
                                  fmt::join(entry.shape, ", ")));
    }
    std::vector<float> values(elements_of(shape));
    std::memcpy(values.data(), bytes_.data() + entry.offset, values.size() * sizeof(float));
    return values;
  }

 private:
  struct Entry {
    std::string dtype;
    Shape shape;
    std::size_t offset = 0;
  };

  const Entry& find(const std::string& name) const {
    const auto found = entries_.find(name);
    if (found == entries_.end()) throw UserError(fmt::format("{}: no weight '{}'", file_, name));
    return found->second;
  }

  void read_group(const fs::path& folder, const json& group) {
    constexpr std::size_t kElement = 4;  // only float32 and int32
    const std::size_t begin = bytes_.size();
    std::size_t offset = begin;
    for (const json& weight : group.at("weights")) {
      Entry entry{weight.at("dtype"), weight.at("shape").get<Shape>(), offset};
      if (weight.contains("quantization"))
        throw UserError(fmt::format("{}: quantised weights are not supported", file_));
      offset += elements_of(entry.shape) * kElement;
      entries_[weight.at("name")] = std::move(entry);
    }
    // Sizes first: the list may name a file many times.
    std::vector<fs::path> paths;
    std::uintmax_t size = begin;
    for (const json& path : group.at("paths")) {
      const auto name = path.get<std::string>();
      if (name.find('/') != std::string::npos || name == "..")
        throw UserError(fmt::format("{}: expected names of files in its folder", file_));
      paths.push_back(folder / name);
      base::open_input(paths.back());  // says what is wrong with it
      size += fs::file_size(paths.back());
    }
    const auto refuse = [&](std::uintmax_t held) {
      throw UserError(
          fmt::format("{}: its weights take {} bytes, its files hold {}", file_, offset, held));
    };
    if (size != offset) refuse(size);
    bytes_.resize(offset);
    std::size_t at = begin;
    for (const fs::path& path : paths) {
      std::ifstream stream = base::open_input(path);
      stream.read(bytes_.data() + at, static_cast<std::streamsize>(offset - at));
      at += static_cast<std::size_t>(stream.gcount());
    }
    if (at != offset) refuse(at);
  }

  std::string file_;
  std::map<std::string, Entry> entries_;
  std::vector<char> bytes_;
};

// Names: variables of a block are under kVariables, kernels under kKernels, folded constants under
// kConstants.
const std::string kRoot = "module_apply_default/Encoder_en/KonaTransformer/Encode/";
const std::string kConstants = kRoot + "TransformerStack/";
const std::string kKernels = "module/Encoder_en/KonaTransformer/Encode/";
const std::string kWhole = "/ConcatPartitions/concat";

Norm load_norm(const Weights& weights, const std::string& name, unsigned width) {
  const std::string prefix = name + "/layer_prepostprocess/layer_norm/layer_norm_";
  return {weights.take(prefix + "scale" + kWhole, {width}),
          weights.take(prefix + "bias" + kWhole, {width})};
}

Dense dense(std::vector<float> weight, std::vector<float> bias) {
  const auto out = static_cast<unsigned>(bias.size());
  return {static_cast<unsigned>(weight.size() / out), out, std::move(weight), std::move(bias)};
}

Block load_block(const Weights& weights, unsigned index, unsigned width) {
  constexpr unsigned kHeads = 4, kHidden = 1536, kOut = Model::kWidth;
  const std::string layer = fmt::format("Layer_{}/TransformerLayer", index);
  const std::string variables = kRoot + layer, constants = kConstants + layer;
  Block block;
  block.width = width;
  block.heads = kHeads;
  block.head = width / kHeads;
  block.query_scale = weights.take(constants + "/MultiheadAttention/mul/y", {})[0];
  block.attention_norm = load_norm(weights, variables, width);
  block.feed_norm = load_norm(weights, variables + "/FFN", kOut);
  // Convolutions of width 1.
  const auto transform = [&](const std::string& name, unsigned in, unsigned out) {
    const std::string path = layer + "/MultiheadAttention/" + name;
    return dense(weights.take(kKernels + path + "/kernel/part_0", {1, 1, in, out}),
                 weights.take(kRoot + path + "/bias" + kWhole, {out}));
  };
  block.qkv = transform("qkv_transform_single", width, 3 * width);
  block.output = transform("output_transform_single", width, kOut);
  if (width != kOut) {
    block.residual = dense(weights.take(variables + "/dense/kernel" + kWhole, {width, kOut}),
                           weights.take(variables + "/dense/bias" + kWhole, {kOut}));
  }
  const auto feed = [&](const std::string& name, unsigned in, unsigned out) {
    return dense(weights.take(constants + "/FFN/" + name + "/Tensordot/Reshape_1", {in, out}),
                 weights.take(variables + "/FFN/" + name + "/bias" + kWhole, {out}));
  };
  block.feed_in = feed("conv1", kOut, kHidden);
  block.feed_out = feed("conv2", kHidden, kOut);
  return block;
}

}  // namespace

Model load_model(const fs::path& folder) {
  const Weights weights(folder);
  Model model;
  const Shape& table = weights.shape("module/Embeddings_en");
  model.vocabulary = table.empty() ? 0 : static_cast<unsigned>(table[0]);
  model.table =
      weights.take("module/Embeddings_en", {model.vocabulary, std::uint64_t{Model::kTableWidth}});
  model.inverse_times =
      weights.take(kConstants + "Layer_0/AddTimingSignal/TimingSignal/ExpandDims_1",
                   {1, Model::kTableWidth / 2});
  // One constant for all norms.
  model.norm_epsilon = weights.take(
      kConstants + "Layer_1/TransformerLayer/FFN/layer_prepostprocess/layer_norm/Cast/x", {})[0];
  const std::string last = "Encoder_en/hidden_layers/";
  model.length_epsilon =
      weights.take("module_apply_default/" + last + "l2_normalize/Maximum/y", {})[0];
  unsigned width = Model::kTableWidth;
  for (unsigned i = 0; i < Model::kBlocks; ++i) {
    model.blocks[i] = load_block(weights, i, width);
    width = Model::kWidth;
  }
  model.last = dense(weights.take("module/" + last + "tanh_layer_0/weights", {width, width}),
                     weights.take("module/" + last + "tanh_layer_0/bias", {width}));
  return model;
}

std::vector<float> Model::positions() const {
  const std::size_t half = inverse_times.size();
  std::vector<float> values(kMaxTokens * 2 * half);
  for (std::size_t p = 0; p < kMaxTokens; ++p) {
    for (std::size_t i = 0; i < half; ++i) {
      const float angle = static_cast<float>(p) * inverse_times[i];
      values[p * 2 * half + i] = std::sin(angle);
      values[p * 2 * half + half + i] = std::cos(angle);
    }
  }
  return values;
}

}  // namespace tern::use
