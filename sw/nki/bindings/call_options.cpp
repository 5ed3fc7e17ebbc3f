// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/bindings/call_options.h"

#include <pybind11/stl.h>

#include <functional>
#include <map>
#include <stdexcept>

#include "sw/nki/trace/operators.h"

namespace tern::nki {

namespace py = pybind11;

namespace {

using Set = std::function<void(Options&, const py::handle&)>;

template <typename T>
Set plain(T Options::*field) {
  return [field](Options& options, const py::handle& value) { options.*field = value.cast<T>(); };
}

Set alu(Alu Options::*field) {
  return [field](Options& options, const py::handle& value) {
    options.*field = alu_from(value.cast<std::string>());
  };
}

const std::map<std::string, Set>& setters() {
  static const std::map<std::string, Set> all = {
      {"engine",
       [](Options& o, const py::handle& v) { o.engine = engine_from(v.cast<std::string>()); }},
      {"op0", alu(&Options::op0)},
      {"op1", alu(&Options::op1)},
      {"reduce_op", alu(&Options::reduce_op)},
      {"reverse0", plain(&Options::reverse0)},
      {"reverse1", plain(&Options::reverse1)},
      {"value0", plain(&Options::value0)},
      {"value1", plain(&Options::value1)},
      {"value2", plain(&Options::value2)},
      {"function",
       [](Options& o, const py::handle& v) {
         o.function = activation_from(v.cast<std::string>());
       }},
      {"reduce_command",
       [](Options& o, const py::handle& v) {
         o.reduce_command = static_cast<ReduceCommand>(v.cast<int>());
       }},
      {"reduce_dimensions", plain(&Options::reduce_dimensions)},
      {"negate", plain(&Options::negate)},
      {"reverse_predicate", plain(&Options::reverse_predicate)},
      {"accumulate", [](Options& o, const py::handle& v) { o.accumulate = v.cast<bool>(); }},
      {"ocp_scales", plain(&Options::ocp_scales)},
      {"double_row", plain(&Options::double_row)},
      {"skip_out_of_bounds", plain(&Options::skip_out_of_bounds)},
      {"reg_dst", plain(&Options::reg_dst)},
      {"reg_a", plain(&Options::reg_a)},
      {"reg_b", plain(&Options::reg_b)},
      {"value", plain(&Options::value)},
      {"until_zero", plain(&Options::until_zero)},
      {"descriptors_by_gpsimd", plain(&Options::descriptors_by_gpsimd)},
      {"descriptors_by_host", plain(&Options::descriptors_by_host)},
      {"numbers", plain(&Options::numbers)},
  };
  return all;
}

}  // namespace

Options options_from(const py::dict& values) {
  Options options;
  for (const auto& [key, value] : values) {
    const auto setter = setters().find(key.cast<std::string>());
    if (setter == setters().end()) {
      throw std::logic_error("no option " + key.cast<std::string>());
    }
    if (!value.is_none()) setter->second(options, value);
  }
  return options;
}

}  // namespace tern::nki
