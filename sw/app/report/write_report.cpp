// SPDX-License-Identifier: Apache-2.0
#include "sw/app/report/write_report.h"

#include <fmt/format.h>

#include <filesystem>

#include "sw/app/report/render.h"
#include "sw/app/report/style.h"
#include "sw/base/atomic_file.h"

namespace tern::app {
namespace {

// Pictures and data files, wherever they are in the tree.
class FileWriter {
 public:
  explicit FileWriter(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void write(const std::vector<Block>& blocks) const {
    for (const Block& block : blocks) std::visit(*this, block.content());
  }
  void operator()(const Picture& picture) const {
    base::write_file(folder_ / picture.file, picture.svg(), base::NamedBy::kProgram);
  }
  void operator()(const DataFile& data) const {
    base::write_file(folder_ / data.file, csv_of(data.table), base::NamedBy::kProgram);
  }
  void operator()(const Folded& folded) const { write(folded.blocks); }
  void operator()(const Section& section) const { write(section.blocks); }
  template <typename Other>
  void operator()(const Other&) const {}

 private:
  const std::filesystem::path folder_;
};

}  // namespace

std::string write_report_files(const Report& report, const std::string& folder) {
  if (folder.empty()) return {};
  const std::filesystem::path stem = std::filesystem::path(folder) / report.name;
  std::string page_path = stem.string() + ".html";
  FileWriter(folder).write(report.blocks);
  base::write_file(stem.string() + ".json", json_of(report), base::NamedBy::kProgram);
  base::write_file(stem.string() + ".md", markdown_of(report), base::NamedBy::kProgram);
  base::write_file(page_path, page_of(report), base::NamedBy::kProgram);
  return page_path;
}

int write_report(const Report& report, const std::string& folder, bool json) {
  const std::string page_path = write_report_files(report, folder);
  fmt::print("{}", json ? json_of(report) : text_of(report, page_path, coloured_output()));
  return !report.verdict || report.verdict->good ? 0 : 1;
}

}  // namespace tern::app
