// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/bindings/errors.h"

#include <exception>
#include <string>

#include "sw/base/user_error.h"
#include "sw/nki/trace/nki_error.h"

namespace tern::nki {

namespace py = pybind11;

namespace {

// References that outlive the interpreter's end on purpose.
struct Registered {
  py::object validation, assertion, not_supported, run, frames;
};
Registered& registered() {
  static auto* objects = new Registered;  // NOLINT(cppcoreguidelines-owning-memory)
  return *objects;
}

const py::object& class_of(NkiError::Kind kind) {
  switch (kind) {
    case NkiError::Kind::kAssertion:
      return registered().assertion;
    case NkiError::Kind::kNotSupported:
      return registered().not_supported;
    case NkiError::Kind::kValidation:
      break;
  }
  return registered().validation;
}

std::string with_place(const NkiError& error) {
  if (error.has_place()) return error.what();
  const Site site{frames_from(registered().frames())};
  return NkiError(error.what(), &site).what();
}

void raise(const py::object& kind, const std::string& message) {
  PyErr_SetObject(kind.ptr(), text_of(message).ptr());
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): as pybind11 calls it
void translate(std::exception_ptr pointer) {
  try {
    if (pointer) std::rethrow_exception(pointer);
  } catch (const NkiError& error) {
    raise(class_of(error.kind()), with_place(error));
  } catch (const UserError& error) {
    raise(registered().validation, error.what());
  } catch (const RunError& error) {
    raise(registered().run, error.what());
  }
}

}  // namespace

std::string bytes_of(const py::handle& text) {
  const auto bytes = py::reinterpret_steal<py::bytes>(
      PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogateescape"));
  if (!bytes) throw py::error_already_set();
  return bytes;
}

py::str text_of(const std::string& bytes) {
  auto text = py::reinterpret_steal<py::str>(PyUnicode_DecodeUTF8(
      bytes.data(), static_cast<py::ssize_t>(bytes.size()), "surrogateescape"));
  if (!text) throw py::error_already_set();
  return text;
}

std::vector<Site::Frame> frames_from(const py::iterable& frames) {
  std::vector<Site::Frame> result;
  for (const py::handle frame : frames) {
    const auto t = py::reinterpret_borrow<py::tuple>(frame);
    Site::Frame entry;
    entry.file = bytes_of(t[0]);
    entry.function = bytes_of(t[1]);
    entry.line = t[2].cast<int>();
    entry.end_line = t[3].cast<int>();
    entry.column = t[4].cast<int>();
    entry.end_column = t[5].cast<int>();
    result.push_back(std::move(entry));
  }
  return result;
}

void bind_errors(py::module_& module) {
  module.def("_register_errors", [](py::object validation, py::object assertion,
                                    py::object not_supported, py::object run, py::object frames) {
    registered() = {std::move(validation), std::move(assertion), std::move(not_supported),
                    std::move(run), std::move(frames)};
  });
  module.def("describe", [](const py::iterable& frames) {
    return text_of(Site{frames_from(frames)}.describe());
  });
  py::register_exception_translator(translate);
}

}  // namespace tern::nki
