// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>

#include <map>
#include <memory>
#include <optional>
#include <stdexcept>

#include "sw/base/user_error.h"
#include "sw/config/load_chip_config.h"
#include "sw/nki/bindings/bind_view.h"
#include "sw/nki/bindings/call_options.h"
#include "sw/nki/bindings/compiled.h"
#include "sw/nki/bindings/errors.h"
#include "sw/nki/call/worker_process.h"
#include "sw/nki/trace/nki_error.h"

namespace tern::nki {

namespace py = pybind11;

namespace {

std::shared_ptr<Kernel> make_kernel(const std::string& name, const std::string& preset,
                                    const Settings& settings) {
  std::vector<ConfigOverride> overrides;
  for (const auto& [key, value] : settings) overrides.push_back({key, value, "--set"});
  return std::make_shared<Kernel>(name, load_chip_config(preset, overrides).chip);
}

Memory memory_from(const std::string& name) {
  if (name == "sbuf") return Memory::kSbuf;
  if (name == "psum") return Memory::kPsum;
  throw NkiError("no memory '" + name + "' on chip: expected sbuf or psum");
}

void record(Kernel& kernel, const std::string& function, const py::list& operands,
            const py::dict& options, const std::string& name, const Site* site) {
  Instruction instruction;
  instruction.signature = find_signature(function);
  if (instruction.signature == nullptr) throw std::logic_error("no function " + function);
  for (const py::handle pair : operands) {
    const auto item = py::reinterpret_borrow<py::tuple>(pair);
    const OperandRule* rule = instruction.signature->operand(item[0].cast<std::string>());
    if (rule == nullptr) throw std::logic_error(function + " has no such operand");
    instruction.operands.emplace_back(rule, item[1].cast<View>());
  }
  instruction.options = options_from(options);
  instruction.name = name;
  instruction.site = site;
  instruction.block = kernel.block;
  kernel.record(std::move(instruction));
}

// The kernels are rewritten: they cannot be compiled again.
Compiled compile_programs(const std::vector<std::shared_ptr<Kernel>>& programs,
                          const std::string& preset, const Settings& settings, bool check_use,
                          bool reorder, bool spill, const py::object& after) {
  CompileOptions options;
  options.check_use = check_use;
  options.reorder = reorder;
  options.spill = spill;
  if (!after.is_none()) {
    options.after = [&](const char* pass, const Kernel& k) { after(pass, text_of(print(k))); };
  }
  std::vector<Kernel*> kernels;
  kernels.reserve(programs.size());
  for (const auto& kernel : programs) kernels.push_back(kernel.get());
  Compiled compiled = compile(kernels, preset, options);
  compiled.settings = settings;
  return compiled;
}

// What the chip reports names a line, "..., from softmax.py:14: dma_copy: ..."; with its mark and
// callers. Of several calls in a line the one with the function's name; else there is no mark.
std::string with_place(std::string message, const Compiled& compiled) {
  // How the chip stops at an offset that the program checks; the text says it before.
  const std::string branch = ": the branch leads out of the program";
  const std::size_t at = message.rfind(branch);
  if (at != std::string::npos && message.find("its offset is not in [") < at)
    message.erase(at, branch.size());
  std::optional<Site> site;
  bool is_named = false;
  for (const auto& [line, place] : compiled.places) {
    const std::string from = ", from " + line + ": ";
    const std::size_t found = message.find(from);
    if (found == std::string::npos) continue;
    const bool names =
        message.compare(found + from.size(), place.function.size(), place.function) == 0;
    const bool again = site && names == is_named;
    if (again && site->frames.front().column != place.site.frames.front().column)
      site->frames.front().column = -1;
    if (!site || (names && !is_named)) site = place.site;
    is_named = is_named || names;
  }
  return site ? message + "\n" + site->describe() : message;
}

py::dict run(const Compiled& compiled, const std::string& program, const py::dict& inputs,
             const std::string& trace_file, bool wants_spans,
             const std::map<std::string, std::string>& outputs_of_run) {
  RunRequest request;
  request.chip = compiled.chip;
  request.settings = compiled.settings;
  request.program = compiled.program;
  request.trace_file = trace_file;
  request.wants_spans = wants_spans;
  const auto wanted = [&](const char* key) {
    const auto found = outputs_of_run.find(key);
    return found == outputs_of_run.end() ? std::string() : found->second;
  };
  request.report_folder = wanted("report");
  request.kernel = wanted("kernel");
  request.command = wanted("command");
  request.wave_file = wanted("wave");
  request.system = wanted("system");
  if (!request.system.empty()) request.chips = std::stoul(wanted("chips"));
  std::vector<py::buffer_info> held;  // no copy of what may be large
  for (const auto& [name, data] : inputs) {
    held.push_back(py::reinterpret_borrow<py::buffer>(data).request());
    const py::buffer_info& bytes = held.back();
    if (bytes.itemsize != 1 || bytes.ndim != 1 || bytes.strides[0] != 1) {
      throw std::logic_error("an input is not a run of bytes");
    }
    request.inputs.push_back(
        {name.cast<std::string>(),
         {static_cast<const char*>(bytes.ptr), static_cast<std::size_t>(bytes.size)}});
  }
  bool interrupted = false;
  RunResponse response;
  try {
    const py::gil_scoped_release released;
    response = run_in_process(program, request, [&] {
      const py::gil_scoped_acquire held;
      interrupted = PyErr_CheckSignals() != 0;
      return interrupted;
    });
  } catch (const std::exception& error) {
    if (interrupted || PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (dynamic_cast<const RunError*>(&error) == nullptr) throw;
    throw RunError(with_place(error.what(), compiled));
  }
  py::dict result, outputs;
  for (const NamedBytes& tensor : response.outputs) {
    outputs[py::str(tensor.name)] =
        py::bytes(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
  }
  py::list spans;
  for (const RunSpan& span : response.spans) {
    spans.append(py::make_tuple(span.lane, text_of(span.name), text_of(span.source), span.begin_fs,
                                span.end_fs));
  }
  result["latency_fs"] = response.latency_fs;
  result["start_fs"] = response.start_fs;
  result["end_fs"] = response.end_fs;
  result["outputs"] = outputs;
  result["spans"] = spans;
  return result;
}

py::list tensors_of(const Compiled& compiled) {
  py::list result;
  for (const Compiled::Tensor& tensor : compiled.tensors) {
    result.append(
        py::make_tuple(tensor.name, static_cast<int>(tensor.role), tensor.dtype, tensor.shape));
  }
  return result;
}

}  // namespace

void bind_kernel(py::module_& module) {
  module.def("presets", preset_names);
  module.def("passes", [] {
    std::vector<std::string> names;
    for (const Pass& pass : passes()) names.emplace_back(pass.name);
    return names;
  });
  py::class_<Site>(module, "Site")
      .def("text", [](const Site& site) { return text_of(site.text()); })
      .def("describe", [](const Site& site) { return text_of(site.describe()); });

  py::class_<Compiled>(module, "Compiled")
      .def_property_readonly("tensors", tensors_of)
      .def_readonly("instructions", &Compiled::instructions)
      .def_property_readonly("program_bytes", [](const Compiled& c) { return c.program.size(); })
      .def_readonly("descriptors", &Compiled::descriptors)
      .def_readonly("descriptor_bytes", &Compiled::descriptor_bytes)
      .def_property_readonly("spilled",
                             [](const Compiled& c) {
                               return py::make_tuple(c.spilled.stored, c.spilled.loaded,
                                                     c.spilled.repeated);
                             })
      .def("run", run);

  py::class_<Kernel, std::shared_ptr<Kernel>>(module, "Kernel")
      .def(py::init(&make_kernel))
      .def("set_program",
           [](Kernel& k, unsigned program, unsigned programs) {
             k.program = program;
             k.programs = programs;
           })
      .def("set_rank",
           [](Kernel& k, unsigned rank, unsigned ranks) {
             k.rank = rank;
             k.ranks = ranks;
           })
      .def_property_readonly("cores", [](const Kernel& k) { return k.chip().cores; })
      .def_property_readonly("chip", [](const Kernel& k) { return k.chip().name; })
      .def_property_readonly("sbuf_bytes",
                             [](const Kernel& k) { return k.chip().core.sbuf_partition_bytes; })
      .def(
          "site", [](Kernel& k, const py::iterable& frames) { return k.site(frames_from(frames)); },
          py::return_value_policy::reference_internal)
      .def("hbm",
           [](Kernel& k, const std::string& name, int role, const std::string& type,
              std::vector<std::int64_t> shape, const Site* site) {
             return View(k.add_hbm(name, static_cast<Role>(role), element_type(type),
                                   std::move(shape), site));
           })
      .def("on_chip",
           [](Kernel& k, const std::string& name, const std::string& memory,
              const std::string& type, std::vector<std::int64_t> shape,
              const std::optional<std::pair<unsigned, std::uint32_t>>& address, const Site* site) {
             std::optional<ChipAddress> at;
             if (address) at = ChipAddress{address->first, address->second};
             return View(k.add_on_chip(name, memory_from(memory), element_type(type),
                                       std::move(shape), at, site));
           })
      .def("record", record)
      .def("add_edge",
           [](Kernel& k, std::uint32_t after, std::uint32_t before) {
             k.edges.push_back({after, before});
           })
      .def_readwrite("block", &Kernel::block)
      .def_readwrite("old_style", &Kernel::old_style)
      .def_readwrite("iteration", &Kernel::iteration)
      .def("begin_iteration", &Kernel::begin_iteration)
      .def_property_readonly("open_loops", [](const Kernel& k) { return k.open_loops.size(); })
      .def_property_readonly("instruction_count",
                             [](const Kernel& k) { return k.instructions.size(); });
  module.def("compile", compile_programs);
}

}  // namespace tern::nki
