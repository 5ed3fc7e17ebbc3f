// SPDX-License-Identifier: Apache-2.0
#include "systemc/app/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <random>

#include "sw/data/idx.h"
#include "sw/data/npy.h"
#include "sw/kernels/matmul_format.h"
#include "systemc/app/text.h"
#include "systemc/config/user_error.h"
#include "systemc/config/yaml_reader.h"
#include "systemc/numerics/bf16.h"
#include "systemc/numerics/fp16.h"

namespace tern::app {
namespace {

using config::YamlMap;
using config::YamlValue;
using numerics::DType;

constexpr std::int64_t kMostRows = std::int64_t{1} << 31;
constexpr std::size_t kMostClasses = 512;

struct Matrix {
  data::Shape shape;
  std::vector<float> values;
};

float rounded(float x, DType dtype) {
  return dtype == DType::kFp16 ? numerics::fp16_to_float(numerics::fp16_from_float(x))
                               : numerics::bf16_to_float(numerics::bf16_from_float(x));
}

void round_to(std::vector<float>* values, DType dtype) {
  for (float& x : *values) x = rounded(x, dtype);
}

// Calls read(path) and puts the place of the YAML file before its complaint.
template <typename Read>
auto read_named(const YamlValue& value, Read read) {
  const std::string path = value.as_path();
  try {
    return read(path);
  } catch (const UserError& e) {
    throw UserError(fmt::format("{}: key '{}': {}", value.source(), value.key(), e.what()));
  }
}

// Elements of a .npy file as FP32; its name and shape in the complaint of `value` when they do not
// fit.
Matrix read_matrix(const YamlValue& value, const data::Shape& expected) {
  const data::NpyArray array =
      read_named(value, [](const auto& path) { return data::read_npy(path); });
  const bool fits = array.shape.size() == expected.size() &&
                    std::equal(expected.begin(), expected.end(), array.shape.begin(),
                               [](std::size_t want, std::size_t got) {
                                 return want == data::kAnyExtent ? got > 0 : want == got;
                               });
  if (!fits) {
    std::string want;
    for (std::size_t e : expected) {
      want += (want.empty() ? "" : ", ") +
              (e == data::kAnyExtent ? std::string("any") : std::to_string(e));
    }
    value.fail(fmt::format("a .npy file of shape [{}], this one is {}", want,
                           data::to_string(array.shape)));
  }
  Matrix matrix{array.shape, {}};
  switch (array.dtype) {
    case data::DType::kF32:
      matrix.values = array.values<float>();
      break;
    case data::DType::kF64:
      for (double x : array.values<double>()) matrix.values.push_back(static_cast<float>(x));
      break;
    case data::DType::kF16:
      for (std::uint16_t x : array.values<std::uint16_t>())
        matrix.values.push_back(numerics::fp16_to_float(x));
      break;
    default:
      value.fail(fmt::format("a .npy file of float16, float32 or float64, this one is {}",
                             data::name_of(array.dtype)));
  }
  return matrix;
}

std::vector<std::uint8_t> read_labels(const YamlValue& value, std::size_t count) {
  const data::NpyArray array = read_named(
      value, [&](const auto& path) { return data::read_npy_as(path, data::DType::kU8, {count}); });
  return array.values<std::uint8_t>();
}

void load_images(const YamlMap& input, MlpWorkload* mlp) {
  const YamlValue images = input.get("images");
  const std::string labels = input.get("labels").as_path();
  constexpr unsigned kAnyLabel = 256;  // compared with the network's classes later
  const data::ImageSet set = read_named(
      images, [&](const auto& path) { return data::read_image_set(path, labels, kAnyLabel); });
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
  mlp->labels.assign(set.labels.begin() + first, set.labels.begin() + first + count);
}

void load_layers(const YamlValue& list, MlpWorkload* mlp) {
  const auto items = list.as_list();
  if (items.empty()) list.fail("at least one layer");
  std::size_t in = mlp->features;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const YamlMap map = items[i].as_map();
    const bool last = i + 1 == items.size();
    const YamlValue activation = map.get("activation");
    if (activation.as_choice({"relu", "softmax"}) != (last ? "softmax" : "relu")) {
      activation.fail(last ? "softmax in the last layer" : "relu in every layer but the last");
    }
    MlpLayer layer;
    Matrix weight = read_matrix(map.get("weight"), {in, data::kAnyExtent});
    layer.in = in;
    layer.out = weight.shape[1];
    if (last && layer.out > kMostClasses)
      map.get("weight").fail(fmt::format("at most {} classes", kMostClasses));
    layer.weight = std::move(weight.values);
    round_to(&layer.weight, DType::kBf16);
    layer.bias = read_matrix(map.get("bias"), {layer.out}).values;
    in = layer.out;
    mlp->layers.push_back(std::move(layer));
  }
}

MlpWorkload load_mlp(const YamlMap& top) {
  MlpWorkload mlp;
  const YamlMap input = top.get("input").as_map();
  if (input.find("tensor")) {
    const YamlValue tensor = input.get("tensor");
    Matrix x = read_matrix(tensor, {data::kAnyExtent, data::kAnyExtent});
    mlp.batch = x.shape[0];
    mlp.features = x.shape[1];
    mlp.input = std::move(x.values);
    if (auto labels = input.find("labels")) mlp.labels = read_labels(*labels, mlp.batch);
  } else {
    load_images(input, &mlp);
  }
  round_to(&mlp.input, DType::kBf16);
  load_layers(top.get("layers"), &mlp);
  const auto bad = std::find_if(mlp.labels.begin(), mlp.labels.end(),
                                [&](std::uint8_t l) { return l >= mlp.classes(); });
  if (bad != mlp.labels.end()) {
    input.get("labels").fail(
        fmt::format("labels below the network's {} classes, there is a {}", mlp.classes(), *bad));
  }
  return mlp;
}

// Normal numbers. A generator of our own arithmetic: the standard distributions differ between
// libraries.
std::vector<float> random_values(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<float> values(count);
  for (float& x : values) {
    double sum = 0;  // of 12 uniform numbers: mean 6, variance 1
    for (int i = 0; i < 3; ++i) {
      const std::uint64_t bits = engine();
      for (int j = 0; j < 4; ++j) sum += static_cast<double>((bits >> (16 * j)) & 0xFFFF) / 65536.0;
    }
    x = static_cast<float>(sum - 6);
  }
  return values;
}

// A .npy file, or {random: [rows, columns]}: normal numbers from the run's seed.
Matrix load_operand(const YamlValue& value, std::size_t rows, std::uint64_t seed) {
  if (!value.is_map()) return read_matrix(value, {rows, data::kAnyExtent});
  const YamlValue random = value.as_map().get("random");
  const auto extents = random.as_list();
  if (extents.size() != 2) random.fail("two extents, [rows, columns]");
  const auto got = static_cast<std::size_t>(extents[0].as_integer(1, kMostRows));
  if (rows != data::kAnyExtent && got != rows)
    extents[0].fail(fmt::format("{} rows, as operand a has", rows));
  Matrix matrix{{got, static_cast<std::size_t>(extents[1].as_integer(1, kMostRows))}, {}};
  constexpr std::size_t kMostElements = std::size_t{1} << 31;
  if (matrix.shape[0] > kMostElements / matrix.shape[1]) random.fail("at most 2^31 elements");
  matrix.values = random_values(matrix.shape[0] * matrix.shape[1], seed);
  return matrix;
}

MatmulWorkload load_matmul(const YamlMap& top, std::uint64_t seed) {
  MatmulWorkload matmul;
  if (auto v = top.find("dtype")) {
    matmul.dtype = v->as_choice({"bf16", "fp16"}) == "fp16" ? DType::kFp16 : DType::kBf16;
  }
  Matrix a = load_operand(top.get("a"), data::kAnyExtent, seed);
  matmul.k = a.shape[0];
  matmul.m = a.shape[1];
  Matrix b = load_operand(top.get("b"), matmul.k, seed + 1);
  matmul.n = b.shape[1];
  matmul.a = std::move(a.values);
  matmul.b = std::move(b.values);
  round_to(&matmul.a, matmul.dtype);
  round_to(&matmul.b, matmul.dtype);
  return matmul;
}

SweepWorkload load_sweep(const YamlMap& top, std::uint64_t seed) {
  constexpr std::int64_t kMostExtent = 65536;
  constexpr std::size_t kMostElements = std::size_t{1} << 26, kMatrices = 4;
  SweepWorkload sweep;
  const auto extent = [&](const char* key, std::size_t* value) {
    *value = 1024;
    if (auto v = top.find(key)) *value = static_cast<std::size_t>(v->as_integer(1, kMostExtent));
  };
  extent("m", &sweep.m);
  extent("k", &sweep.k);
  extent("n", &sweep.n);
  if (sweep.k * std::max(sweep.m, sweep.n) > kMostElements)
    top.get("k").fail("operands of at most 2^26 elements");
  if (sweep.m * sweep.n > kMostElements) top.get("m").fail("a result of at most 2^26 elements");
  std::vector<std::string> known;
  for (const auto& format : kernels::matmul_formats()) known.emplace_back(format.name);
  sweep.formats = known;
  if (auto v = top.find("formats")) {
    const auto items = v->as_list();
    if (items.empty()) v->fail("at least one format");
    sweep.formats.clear();
    for (const YamlValue& item : items) {
      sweep.formats.push_back(item.as_choice(known));
      const auto end = sweep.formats.end() - 1;
      if (std::find(sweep.formats.begin(), end, *end) != end) item.fail("each format once");
    }
  }
  if (auto v = top.find("psum")) {
    sweep.psum = v->as_choice({"fp32", "bf16"}) == "bf16" ? DType::kBf16 : DType::kFp32;
  }
  sweep.a = random_values(kMatrices * sweep.k * sweep.m, seed);
  sweep.b = random_values(kMatrices * sweep.k * sweep.n, seed + 1);
  return sweep;
}

KernelWorkload load_kernel(const YamlMap& top) {
  std::vector<std::string> known;
  for (const kernels::Kernel& kernel : kernels::catalogue()) known.push_back(kernel.name);
  KernelWorkload workload;
  workload.kernel = top.get("kernel").as_choice(known);
  const kernels::Kernel& kernel = kernels::find_kernel(workload.kernel);
  workload.parameters = kernels::Parameters(kernel.parameters);
  const auto section = top.find("parameters");
  if (!section) return workload;
  const YamlMap parameters = section->as_map();
  for (const kernels::Parameter& parameter : kernel.parameters) {
    if (auto v = parameters.find(parameter.name)) {
      workload.parameters.set(parameter.name, v->text(), v->source());
    }
  }
  return workload;
}

void load_expectations(const YamlMap& top, Workload* workload) {
  const auto section = top.find("expect");
  if (!section) return;
  const YamlMap expect = section->as_map();
  if (auto v = expect.find("accuracy")) {
    if (!workload->mlp || workload->mlp->labels.empty())
      v->fail("labels in the input to measure an accuracy");
    workload->mlp->accuracy = v->as_number(0, 1);
  }
  if (auto v = expect.find("output")) {
    const data::Shape shape = workload->mlp
                                  ? data::Shape{workload->mlp->batch, workload->mlp->classes()}
                                  : data::Shape{workload->matmul->m, workload->matmul->n};
    ExpectedOutput expected;
    expected.path = v->as_path();
    expected.values = read_matrix(*v, shape).values;
    expected.tolerance = expect.get("tolerance").as_number(0, 1e9);
    workload->expected = std::move(expected);
  }
}

}  // namespace

std::string Workload::describe() const {
  if (kernel) return kernel->kernel;  // the case knows more
  if (train) return train->describe();
  if (search) return "passages like a query, by Universal Sentence Encoder Lite";
  if (moe) {
    const kernels::MoeSpec& s = moe->spec;
    return fmt::format("{} experts {}-{}-{}, {}, the best {} for each of {} tokens", s.experts,
                       s.width, s.hidden, s.width, moe->function, s.top_k, grouped(s.tokens));
  }
  if (qos) {
    return fmt::format("{} layers of {} KiB of weights per core, activations of {} x 2 bytes",
                       qos->layers, qos->weights_kib, qos->hidden);
  }
  if (sweep) {
    return fmt::format("matmul [{0}, {1}]^T x [{0}, {2}] in {3} formats, PSUM in {4}", sweep->k,
                       sweep->m, sweep->n, sweep->formats.size(),
                       numerics::dtype_name(sweep->psum));
  }
  if (matmul) {
    return fmt::format("matmul [{0}, {1}]^T x [{0}, {2}] in {3}", matmul->k, matmul->m, matmul->n,
                       numerics::dtype_name(matmul->dtype));
  }
  std::string sizes = std::to_string(mlp->features);
  for (const auto& layer : mlp->layers) sizes += "-" + std::to_string(layer.out);
  return fmt::format("mlp {}, {} inputs", sizes, mlp->batch);
}

Workload load_workload(const std::string& path, std::uint64_t seed) {
  const YamlMap top = YamlMap::from_file(path);
  Workload workload;
  workload.path = path;
  workload.name = std::filesystem::path(path).stem().string();
  if (auto v = top.find("name")) workload.name = v->as_string();
  const std::string kind = top.get("kind").as_choice(
      {"mlp", "matmul", "matmul_sweep", "kernel", "qos", "train", "search", "moe"});
  if (kind == "mlp") workload.mlp = load_mlp(top);
  if (kind == "matmul") workload.matmul = load_matmul(top, seed);
  if (kind == "matmul_sweep") workload.sweep = load_sweep(top, seed);
  if (kind == "kernel") workload.kernel = load_kernel(top);
  if (kind == "qos") workload.qos = load_qos(top);
  if (kind == "train") workload.train = load_train(top);
  if (kind == "search") workload.search = load_search(top);
  if (kind == "moe") workload.moe = load_moe(top);
  if (workload.mlp || workload.matmul) load_expectations(top, &workload);
  top.finish();
  return workload;
}

}  // namespace tern::app
