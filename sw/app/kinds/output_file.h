// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "sw/app/host/run_options.h"
#include "sw/app/report/run_header.h"
#include "sw/config/yaml_reader.h"
#include "sw/data/npy.h"

namespace tern::app {

struct Workload;

// Results that leave a run as .npy files: key `output` of a workload, option --output.

// A result and the file for it. A workload may come from anywhere, so it gives a plain name, and
// the file is in the folder of --report or in the current one. The command line may give any path.
struct OutputRequest {
  std::string result;  // empty: the one that a file name alone means
  std::string file;
  std::string source;  // "my.yaml:7: key 'output'", for complaints
};

// Of the key `output`: FILE.npy, or a mapping of results to files.
std::vector<OutputRequest> load_outputs(const config::YamlMap& top);
// Of a kind that fills a folder: its name.
std::vector<OutputRequest> load_output_folder(const config::YamlMap& top);

// The files of a run. The constructor finds what is wrong with them before long work: UserErrors
// for results that the run does not have, files that are inputs of the run, or cannot be written.
class OutputFiles {
 public:
  // main: what a file name alone means; without it such a name needs a run with a single result.
  OutputFiles(const RunOptions& options, const Workload& workload,
              const std::vector<std::string>& results, const std::string& main = "");

  bool wants(const std::string& result) const { return paths_.count(result) != 0; }
  // Writes a wanted result, and records it.
  void write(const std::string& result, const data::NpyArray& array, RunHeader* record) const;

 private:
  std::map<std::string, std::filesystem::path> paths_;  // by result
};

// A folder of files instead, made by the constructor if there is none.
class OutputFolder {
 public:
  // files: all that will be written there.
  OutputFolder(const RunOptions& options, const Workload& workload,
               const std::vector<std::string>& files);
  // Removes the folder if it made it and nothing is in it.
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  bool wanted() const { return !folder_.empty(); }
  const std::filesystem::path& path() const { return folder_; }
  void write(const std::string& file, const std::string& result, const data::NpyArray& array,
             RunHeader* record) const;
  void write_text(const std::string& file, const std::string& what, const std::string& text,
                  RunHeader* record) const;

 private:
  std::filesystem::path folder_;
  bool made_ = false;
};

// FP32 values as an array.
data::NpyArray float_array(data::Shape shape, const std::vector<float>& values);

}  // namespace tern::app
