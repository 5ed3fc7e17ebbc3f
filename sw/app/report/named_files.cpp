// SPDX-License-Identifier: Apache-2.0
#include "sw/app/report/named_files.h"

#include <fmt/format.h>

#include <filesystem>

#include "sw/app/report/report_folder.h"
#include "sw/base/user_error.h"

namespace tern::app {

namespace {

namespace fs = std::filesystem;

bool is_same(const fs::path& a, const fs::path& b) {
  std::error_code ignored;
  return fs::equivalent(a, b, ignored);
}

// Files that may not be there yet.
bool is_same_place(const fs::path& a, const fs::path& b) {
  std::error_code ignored;
  const auto resolved = [&](const fs::path& path) {
    return fs::weakly_canonical(fs::absolute(path), ignored);
  };
  return is_same(a, b) || resolved(a) == resolved(b);
}

std::vector<NamedOutput> regular(const std::vector<NamedOutput>& outputs) {
  std::vector<NamedOutput> given;
  for (const NamedOutput& output : outputs) {
    std::error_code ignored;
    const fs::file_status status = fs::status(output.path, ignored);
    const bool special = fs::exists(status) && !fs::is_regular_file(status);
    if (!output.path.empty() && !special) given.push_back(output);
  }
  return given;
}

void refuse_input(const NamedOutput& output, const std::string& input) {
  const auto& [option, path] = output;
  if (is_same(path, input))
    throw UserError(fmt::format("{}: '{}' is a file that the run reads", option, path));
  if (is_same(path + ".partial", input))
    throw UserError(
        fmt::format("{}: '{}' is written as {}.partial, which the run reads", option, path, path));
}

}  // namespace

void refuse_overwriting(const NamedFiles& files) {
  for (const std::string& input : files.inputs) {
    if (is_place_of_report(files.report, files.report_name, input))
      throw UserError(fmt::format("--report {}: its files may replace '{}', which the run reads",
                                  files.report, input));
  }
  const std::vector<NamedOutput> outputs = regular(files.outputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto& [option, path] = outputs[i];
    for (const std::string& input : files.inputs) refuse_input(outputs[i], input);
    for (std::size_t other = 0; other < i; ++other) {
      const std::string& second = outputs[other].path;
      if (is_same_place(path, second) || is_same_place(path + ".partial", second) ||
          is_same_place(path, second + ".partial"))
        throw UserError(
            fmt::format("{}: '{}' is also the file of {}", option, path, outputs[other].option));
    }
    if (is_place_of_report(files.report, files.report_name, path))
      throw UserError(fmt::format("{}: '{}' is a place of --report", option, path));
  }
}

}  // namespace tern::app
