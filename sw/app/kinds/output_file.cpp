// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/output_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "sw/app/kinds/kind.h"
#include "sw/app/report/text.h"
#include "sw/base/atomic_file.h"
#include "sw/base/text.h"
#include "sw/base/user_error.h"

namespace tern::app {
namespace {

namespace fs = std::filesystem;
using config::YamlMap;
using config::YamlValue;

constexpr const char* kEnding = ".npy";

std::string source_of(const YamlValue& value) {
  return fmt::format("{}: key '{}'", value.source(), value.key());
}

// A name that stays in its folder, and that `ls` shows.
std::string plain_name(const YamlValue& value, const std::string& ending, const char* what) {
  const std::string name = value.is_scalar() ? value.text() : "";
  const bool plain = name.size() > ending.size() && name.front() != '.' && name.front() != '-' &&
                     name.find('/') == std::string::npos && name.find("..") == std::string::npos &&
                     printable(name) == name;
  const bool ends = name.size() > ending.size() &&
                    name.compare(name.size() - ending.size(), ending.size(), ending) == 0;
  if (!plain || !ends) {
    throw UserError(fmt::format("{}: expected {}, got {}", source_of(value), what,
                                base::printable(value.text())));
  }
  return name;
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code ignored;
  return fs::equivalent(a, b, ignored);
}

// The folder that a path is in, as the system finds it.
fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// Something of that name that a workload must not replace: a link, a pipe, a device.
void refuse_special(const fs::path& path, const std::string& source) {
  std::error_code ignored;
  const fs::file_status status = fs::symlink_status(path, ignored);
  if (!fs::exists(status) || fs::is_regular_file(status)) return;
  throw UserError(fmt::format("{}: {}: exists and is not a regular file, so it is not replaced",
                              source, path.string()));
}

void refuse_inputs(const fs::path& path, const std::string& source, const Workload& workload) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return;
  for (const std::string& input : workload.inputs) {
    const bool inside = is_folder(input) && same_file(folder_of(path), input);
    if (inside || same_file(path, input)) {
      throw UserError(
          fmt::format("{}: {}: an input of this run would be overwritten", source, path.string()));
    }
  }
}

// A file that the run writes for another purpose.
void refuse_others(const fs::path& path, const std::string& source, const RunOptions& options) {
  const fs::path normal = fs::absolute(path).lexically_normal();
  const auto is = [&](const fs::path& other) {
    return !other.empty() && fs::absolute(other).lexically_normal() == normal;
  };
  const bool in_report = !options.report.empty() && path.extension() != kEnding &&
                         is(fs::path(options.report) / path.filename());
  if (in_report || is(options.trace) || is(options.wave.file) || is(options.train.checkpoint) ||
      is(options.train.save_chip) || is(options.train.restore_chip)) {
    throw UserError(
        fmt::format("{}: {}: this run writes another file there", source, path.string()));
  }
}

// Before long work: whether the file may be written, and can be.
void check_file(const fs::path& path, const std::string& source, bool trusted,
                const Workload& workload, const RunOptions& options) {
  refuse_others(path, source, options);
  if (!trusted) {
    refuse_special(path, source);
    fs::path partial = path;
    partial += ".partial";  // of the atomic writer
    refuse_special(partial, source);
  }
  refuse_inputs(path, source, workload);
  refuse_inputs(fs::path(path) += ".partial", source, workload);
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status)) return;
  try {
    base::AtomicFile probe(path);
  } catch (const UserError& e) {
    throw UserError(fmt::format("{}: {}", source, e.what()));
  }
}

// What was asked for, the command line first.
std::vector<OutputRequest> requests_of(const RunOptions& options, const Workload& workload) {
  if (!options.output.empty()) return {{"", options.output, "--output"}};
  return workload.outputs;
}

fs::path path_of(const OutputRequest& request, const RunOptions& options) {
  return options.output.empty() ? fs::path(options.report) / request.file : fs::path(request.file);
}

std::string joined(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

void write_array(const fs::path& path, const std::string& result, const data::NpyArray& array,
                 RunHeader* record) {
  data::write_npy(path, array);
  record->written.push_back({result, path.string(), data::name_of(array.dtype), array.shape});
}

}  // namespace

std::vector<OutputRequest> load_outputs(const YamlMap& top) {
  constexpr const char* kWhat = "a plain file name that ends in .npy, without folders";
  const auto value = top.find("output");
  if (!value) return {};
  if (!value->is_map()) return {{"", plain_name(*value, kEnding, kWhat), source_of(*value)}};
  const YamlMap map = value->as_map();
  std::vector<OutputRequest> requests;
  for (const std::string& result : map.keys()) {
    const YamlValue file = map.get(result);
    requests.push_back({result, plain_name(file, kEnding, kWhat), source_of(file)});
  }
  if (requests.empty()) value->fail("a file name, or results and their files");
  return requests;
}

std::vector<OutputRequest> load_output_folder(const YamlMap& top) {
  const auto value = top.find("output");
  if (!value) return {};
  const std::string name = plain_name(*value, "", "the plain name of a folder");
  // Names that the run itself gives to files of that place.
  const std::string ending = fs::path(name).extension().string();
  if (ending == ".partial" || ending == ".checkpoint" || ending == ".svg" || ending == ".csv" ||
      name.rfind("report.", 0) == 0) {
    throw UserError(
        fmt::format("{}: {} is the name of another file of this run", source_of(*value), name));
  }
  return {{"", name, source_of(*value)}};
}

OutputFiles::OutputFiles(const RunOptions& options, const Workload& workload,
                         const std::vector<std::string>& results, const std::string& main) {
  const std::string alone = results.size() == 1 ? results.front() : main;
  const bool trusted = !options.output.empty();
  for (const OutputRequest& request : requests_of(options, workload)) {
    const std::string result = request.result.empty() ? alone : request.result;
    if (result.empty()) {
      throw UserError(
          fmt::format("{}: this run has several results: {}; {}", request.source, joined(results),
                      trusted ? "name their files in the workload, output: {RESULT: FILE.npy}"
                              : "expected a file for each wanted, {RESULT: FILE.npy}"));
    }
    if (std::count(results.begin(), results.end(), result) != 1) {
      throw UserError(fmt::format("{}: no result {}, this run has {}", request.source,
                                  base::printable(result), joined(results)));
    }
    const fs::path path = path_of(request, options);
    for (const auto& [other, taken] : paths_) {
      if (taken == path)
        throw UserError(
            fmt::format("{}: {}: also the file of {}", request.source, path.string(), other));
    }
    check_file(path, request.source, trusted, workload, options);
    if (path.has_extension() && path.extension() != kEnding) {
      throw UserError(fmt::format("{}: {}: expected a name that ends in {}", request.source,
                                  path.string(), kEnding));
    }
    paths_[result] = path;
  }
}

void OutputFiles::write(const std::string& result, const data::NpyArray& array,
                        RunHeader* record) const {
  write_array(paths_.at(result), result, array, record);
}

OutputFolder::OutputFolder(const RunOptions& options, const Workload& workload,
                           const std::vector<std::string>& files) {
  const std::vector<OutputRequest> requests = requests_of(options, workload);
  if (requests.empty()) return;
  const OutputRequest& request = requests.front();
  const bool trusted = !options.output.empty();
  folder_ = path_of(request, options);
  std::error_code error;
  const fs::file_status status =
      trusted ? fs::status(folder_, error) : fs::symlink_status(folder_, error);
  if (fs::exists(status) && !fs::is_directory(status)) {
    throw UserError(
        fmt::format("{}: {}: exists and is not a folder", request.source, folder_.string()));
  }
  made_ = fs::create_directories(folder_, error);
  if (error) {
    throw UserError(
        fmt::format("{}: {}: cannot write: {}", request.source, folder_.string(), error.message()));
  }
  for (const std::string& file : files)
    check_file(folder_ / file, request.source, trusted, workload, options);
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  if (made_ && fs::is_empty(folder_, ignored)) fs::remove(folder_, ignored);
}

void OutputFolder::write(const std::string& file, const std::string& result,
                         const data::NpyArray& array, RunHeader* record) const {
  write_array(folder_ / file, result, array, record);
}

void OutputFolder::write_text(const std::string& file, const std::string& what,
                              const std::string& text, RunHeader* record) const {
  const fs::path path = folder_ / file;
  base::write_file(path, text);
  record->written.push_back({what, path.string(), "", {}});
}

data::NpyArray float_array(data::Shape shape, const std::vector<float>& values) {
  return data::make_array(data::DType::kF32, std::move(shape), values);
}

}  // namespace tern::app
