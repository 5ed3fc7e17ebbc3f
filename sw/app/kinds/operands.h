// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sw/base/user_error.h"
#include "sw/config/yaml_reader.h"
#include "sw/data/npy.h"
#include "sw/numerics/dtype.h"

namespace tern::app {

// Tensors that a workload names.

struct Matrix {
  data::Shape shape;
  std::vector<float> values;
};

// Calls read(path) and puts the place of the YAML file before its complaint.
template <typename Read>
auto read_named(const config::YamlValue& value, Read read) {
  const std::string path = value.as_path();
  try {
    return read(path);
  } catch (const UserError& e) {
    throw UserError(fmt::format("{}: key '{}': {}", value.source(), value.key(), e.what()));
  }
}

// Elements as FP32; none if they are not of a float format.
std::optional<std::vector<float>> floats_of(const data::NpyArray& array);

// Elements of a .npy file as FP32; its name and shape in the complaint of `value` when they do not
// fit.
Matrix read_matrix(const config::YamlValue& value, const data::Shape& expected);

// A warning if values of a tensor that `value` names are NaN or infinite: how many, and the first.
void warn_not_finite(const config::YamlValue& value, const Matrix& matrix,
                     std::vector<std::string>* warnings);

// Normal numbers. A generator of our own arithmetic: the standard distributions differ between
// libraries.
std::vector<float> random_values(std::size_t count, std::uint64_t seed);

// UserError if the host has no memory for so many FP32 values, which `what` of the file needs.
void check_memory(const config::YamlValue& value, const std::string& what, double floats);

// A .npy file, or {random: [rows, columns]}: normal numbers from the run's seed. rows: as many, or
// data::kAnyExtent.
Matrix load_operand(const config::YamlValue& value, std::size_t rows, std::uint64_t seed);

// Rounds to BF16 or FP16.
void round_to(std::vector<float>* values, numerics::DType dtype);

}  // namespace tern::app
