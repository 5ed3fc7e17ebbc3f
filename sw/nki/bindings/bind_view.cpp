// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/bindings/bind_view.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>

#include "sw/nki/trace/chip_pattern.h"
#include "sw/nki/trace/nki_error.h"
#include "sw/nki/trace/view.h"
#include "sw/numerics/convert.h"

namespace tern::nki {

namespace py = pybind11;

namespace {

std::optional<std::int64_t> number(const py::handle& value) {
  if (value.is_none()) return std::nullopt;
  if (!PyIndex_Check(value.ptr())) {
    throw NkiError("a subscript of type " + std::string(py::str(py::type::of(value))) +
                   ": expected an integer");
  }
  return py::int_(py::reinterpret_borrow<py::object>(value)).cast<std::int64_t>();
}

Subscript subscript_from(const py::handle& item) {
  Subscript subscript;
  if (item.ptr() == Py_Ellipsis) {
    subscript.kind = Subscript::Kind::kEllipsis;
  } else if (PySlice_Check(item.ptr())) {
    subscript.start = number(item.attr("start"));
    subscript.stop = number(item.attr("stop"));
    subscript.step = number(item.attr("step"));
  } else if (PyIndex_Check(item.ptr())) {
    subscript.kind = Subscript::Kind::kIndex;
    subscript.start = number(item);
  } else {
    throw NkiError("a subscript of type " + std::string(py::str(py::type::of(item))) +
                       " is not supported: expected integers, slices, nl.ds() and ...",
                   NkiError::Kind::kNotSupported);
  }
  return subscript;
}

View subscript(const View& view, const py::object& key) {
  std::vector<Subscript> subscripts;
  if (py::isinstance<py::tuple>(key)) {
    for (const py::handle item : py::reinterpret_borrow<py::tuple>(key)) {
      subscripts.push_back(subscript_from(item));
    }
  } else {
    subscripts.push_back(subscript_from(key));
  }
  return view.subscript(subscripts);
}

// The kernel returns this contiguous part of a tensor.
void set_returned(const View& view) {
  Storage& storage = *view.storage_ptr();
  if (storage.role == Role::kScratch) storage.role = Role::kOutput;
  const std::int64_t begin = view.offset() * view.type()->bytes();
  const std::int64_t end = begin + view.elements() * view.type()->bytes();
  const bool first = storage.returned_end == 0;
  storage.returned_begin = first ? begin : std::min(storage.returned_begin, begin);
  storage.returned_end = std::max(storage.returned_end, end);
}

py::tuple tuple_of(const std::vector<std::int64_t>& values) {
  py::tuple result(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) result[i] = values[i];
  return result;
}

// FP32 values of elements, and back: formats that numpy does not have.
py::array_t<float> widen(const py::bytes& bytes, const std::string& type) {
  const ElementType* element = element_type(type);
  const std::string data = bytes;
  const auto count = data.size() / static_cast<std::size_t>(element->bytes());
  py::array_t<float> values(static_cast<py::ssize_t>(count));
  numerics::widen(element->dtype, data.data(), values.mutable_data(), count);
  return values;
}

py::bytes narrow(const py::array_t<float, py::array::c_style | py::array::forcecast>& values,
                 const std::string& type) {
  const ElementType* element = element_type(type);
  const auto count = static_cast<std::size_t>(values.size());
  std::string data(count * static_cast<std::size_t>(element->bytes()), '\0');
  numerics::narrow(element->dtype, values.data(), data.data(), count);
  return data;
}

}  // namespace

void bind_view(py::module_& module) {
  module.def("widen", widen, "bytes of a type as float32 values");
  module.def("narrow", narrow, "float32 values as bytes of a type");
  module.def("element_bytes", [](const std::string& type) { return element_type(type)->bytes(); });

  py::class_<View>(module, "View")
      .def_property_readonly("shape", [](const View& v) { return tuple_of(v.shape()); })
      .def_property_readonly("strides", [](const View& v) { return tuple_of(v.strides()); })
      .def_property_readonly("offset", &View::offset)
      .def_property_readonly("first_partition",
                             [](const View& v) {
                               const auto& address = v.storage().address;
                               return chip_pattern(v, "operand").partition +
                                      (address ? address->partition : 0);
                             })
      .def_property_readonly("dtype", [](const View& v) { return std::string(v.type()->name); })
      .def_property_readonly("name", [](const View& v) { return v.storage().name; })
      .def_property_readonly("memory",
                             [](const View& v) { return memory_name(v.storage().memory); })
      .def_property_readonly("storage", [](const View& v) { return v.storage().id; })
      .def_property_readonly("role",
                             [](const View& v) { return static_cast<int>(v.storage().role); })
      .def_property_readonly("storage_shape",
                             [](const View& v) { return tuple_of(v.storage().shape); })
      .def_property_readonly("row_count", [](const View& v) { return v.storage().shape.front(); })
      .def_property_readonly(
          "row_elements",
          [](const View& v) { return v.storage().elements() / v.storage().shape.front(); })
      .def("set_shared", [](View& v) { v.storage_ptr()->shared = true; })
      .def("set_returned", set_returned)
      .def("refuse_update",
           [](const View& v) {
             throw NkiError("Cannot update immutable parameter `" + v.storage().name +
                                "`: return it, or annotate it as nt.mutable_tensor",
                            v.storage().updated_at);
           })
      .def_property_readonly("is_moved", [](const View& v) { return v.moved() != nullptr; })
      .def_property_readonly("type_bytes", [](const View& v) { return v.type()->bytes(); })
      .def_property_readonly("storage_bytes", [](const View& v) { return v.storage().bytes(); })
      .def_property_readonly("storage_type",
                             [](const View& v) { return std::string(v.storage().type->name); })
      .def_property_readonly("storage_type_bytes",
                             [](const View& v) { return v.storage().type->bytes(); })
      .def("moved_by_word",
           [](const View& v, const View& word, std::int64_t step) {
             View::Moved moved;
             moved.word = std::make_shared<const View>(word);
             moved.step = step;
             return v.moved_by(std::move(moved));
           })
      .def("moved_by_register",
           [](const View& v, std::uint32_t reg, std::int64_t step) {
             View::Moved moved;
             moved.reg = reg;
             moved.step = step;
             return v.moved_by(std::move(moved));
           })
      .def("is_contiguous", &View::is_contiguous)
      .def("subscript", subscript)
      .def("slice", &View::slice)
      .def("select", &View::select)
      .def("reshape", &View::reshape)
      .def("permute", &View::permute)
      .def("broadcast", &View::broadcast)
      .def("expand", &View::expand)
      .def("squeeze", &View::squeeze)
      .def("reinterpret",
           [](const View& v, const std::string& type) { return v.reinterpret(element_type(type)); })
      .def("pattern",
           [](const View& v, const std::vector<std::pair<std::int64_t, std::int64_t>>& pairs,
              std::optional<std::int64_t> offset, const std::optional<std::string>& type) {
             return v.pattern(pairs, offset, type ? element_type(*type) : nullptr);
           });
}

}  // namespace tern::nki
