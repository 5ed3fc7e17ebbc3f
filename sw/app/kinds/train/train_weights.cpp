// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/train/train_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "sw/app/kinds/operands.h"
#include "sw/app/report/text.h"
#include "sw/app/report/version.h"
#include "sw/base/checksum.h"
#include "sw/base/user_error.h"
#include "sw/numerics/convert.h"

namespace tern::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMlpFile = "mlp.yaml";

// A tensor of the network and its file.
struct WeightFile {
  train::StateTensor tensor;
  std::string file;
  // A row is a vector.
  data::Shape shape() const {
    if (tensor.rows == 1) return {tensor.columns};
    return {tensor.rows, tensor.columns};
  }
};

// Layers count from 1 in files, as in examples of kind mlp; a transformer's tensors have names.
std::vector<WeightFile> weight_files(const TrainWorkload& w) {
  std::vector<WeightFile> files;
  if (w.text) {
    for (const train::StateTensor& tensor : train::transformer_parameters(w.text->spec))
      files.push_back({tensor, tensor.name + ".npy"});
    return files;
  }
  for (const train::StateTensor& tensor : train::mlp_parameters(w.images->spec)) {
    const std::size_t layer = files.size() / 2 + 1;
    files.push_back({tensor, fmt::format("{}{}.npy", tensor.name.front(), layer)});
  }
  return files;
}

std::vector<std::string> names_of(const TrainWorkload& w) {
  std::vector<std::string> names;
  for (const WeightFile& file : weight_files(w)) names.push_back(file.file);
  if (w.images) names.emplace_back(kMlpFile);
  return names;
}

std::size_t index_of(const std::vector<train::StateTensor>& tensors, const std::string& name) {
  const auto found =
      std::find_if(tensors.begin(), tensors.end(),
                   [&](const train::StateTensor& tensor) { return tensor.name == name; });
  if (found == tensors.end()) throw std::logic_error("no state tensor " + name);
  return static_cast<std::size_t>(found - tensors.begin());
}

// A text in a YAML file: between quotes, whatever it holds.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (byte < 0x20 || byte == 0x7F) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  return result + "\"";
}

// The network on the images that it was tested on.
std::string mlp_yaml(const TrainWorkload& w, const TrainRecord& record) {
  const ImageTraining& images = *w.images;
  const auto path = [](const std::string& file) {
    return quoted(fs::absolute(file).lexically_normal().string());
  };
  const TrainRecord::Epoch& last = record.epochs.back();
  std::string text = fmt::format(
      "# Written by tern {}. Trained in {}: {} of {} test images classified right.\n", kVersion,
      precision_name(images.spec.precision), grouped(last.correct), grouped(record.test_images));
  text += fmt::format("name: {}\nkind: mlp\ninput:\n  images: {}\n  labels: {}\n", quoted(w.name),
                      path(images.test_images), path(images.test_labels));
  text += fmt::format("  count: {}\n  scale: {:.9g}\nlayers:\n", images.test->count, images.scale);
  for (std::size_t i = 1; i <= images.spec.layers(); ++i) {
    text += fmt::format("  - {{weight: w{0}.npy, bias: b{0}.npy, activation: {1}}}\n", i,
                        i < images.spec.layers() ? "relu" : "softmax");
  }
  if (images.accuracy) text += fmt::format("expect: {{accuracy: {:.17g}}}\n", *images.accuracy);
  return text;
}

}  // namespace

StartWeights load_start(const config::YamlValue& value, const TrainWorkload& workload) {
  StartWeights start;
  const fs::path folder = value.as_path();
  std::string all;
  for (const WeightFile& file : weight_files(workload)) {
    const std::string path = (folder / file.file).string();
    const auto fail = [&](const std::string& what) {
      throw UserError(fmt::format("{}: key '{}': {}: {}", value.source(), value.key(), path, what));
    };
    data::NpyArray array;
    try {
      array = data::read_npy(path);
    } catch (const UserError& e) {
      throw UserError(fmt::format("{}: key '{}': {}", value.source(), value.key(), e.what()));
    }
    if (array.shape != file.shape()) {
      fail(fmt::format("expected shape {}, found {}", data::to_string(file.shape()),
                       data::to_string(array.shape)));
    }
    const auto values = floats_of(array);
    if (!values) {
      fail(fmt::format("expected float16, float32 or float64, found {}",
                       data::name_of(array.dtype)));
    }
    if (!std::all_of(values->begin(), values->end(), [](float x) { return std::isfinite(x); }))
      fail("expected finite numbers, found one that is not");
    all.append(reinterpret_cast<const char*>(values->data()), values->size() * sizeof(float));
    start.tensors.push_back({file.tensor.name, *values});
  }
  start.crc32 = base::crc32_of(all);
  return start;
}

void apply_start(const TrainWorkload& workload, const std::vector<train::StateTensor>& tensors,
                 train::State* state) {
  if (!workload.start) return;
  for (const StartWeights::Tensor& given : workload.start->tensors) {
    const std::size_t at = index_of(tensors, given.name);
    numerics::narrow(tensors[at].dtype, given.values.data(), (*state)[at].data(),
                     given.values.size());
  }
}

TrainedWeights::TrainedWeights(const RunOptions& options, const TrainWorkload& workload)
    : w_(workload), folder_(options, workload, names_of(workload)) {}

void TrainedWeights::write(const std::vector<train::StateTensor>& tensors,
                           const train::State& state, TrainRecord* record) const {
  if (!folder_.wanted()) return;
  for (const WeightFile& file : weight_files(w_)) {
    const std::size_t at = index_of(tensors, file.tensor.name);
    std::vector<float> values(tensors[at].elements());
    numerics::widen(tensors[at].dtype, state[at].data(), values.data(), values.size());
    const std::string name = fs::path(file.file).stem().string();
    folder_.write(file.file, name, float_array(file.shape(), values), record);
  }
  if (w_.images)
    folder_.write_text(kMlpFile, "workload of kind mlp", mlp_yaml(w_, *record), record);
}

}  // namespace tern::app
