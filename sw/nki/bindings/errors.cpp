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

// NOLINTNEXTLINE(performance-unnecessary-value-param): as pybind11 calls it
void translate(std::exception_ptr pointer) {
  try {
    if (pointer) std::rethrow_exception(pointer);
  } catch (const NkiError& error) {
    PyErr_SetString(class_of(error.kind()).ptr(), with_place(error).c_str());
  } catch (const UserError& error) {
    PyErr_SetString(registered().validation.ptr(), error.what());
  } catch (const RunError& error) {
    PyErr_SetString(registered().run.ptr(), error.what());
  }
}

}  // namespace

std::vector<Site::Frame> frames_from(const py::iterable& frames) {
  std::vector<Site::Frame> result;
  for (const py::handle frame : frames) {
    const auto t = py::reinterpret_borrow<py::tuple>(frame);
    Site::Frame entry;
    entry.file = t[0].cast<std::string>();
    entry.function = t[1].cast<std::string>();
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
  module.def("describe_place", [] { return Site{frames_from(registered().frames())}.describe(); });
  py::register_exception_translator(translate);
}

}  // namespace tern::nki
