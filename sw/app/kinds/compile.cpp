// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/compile.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "sw/app/report/text.h"
#include "sw/base/atomic_file.h"
#include "sw/runtime/program_file.h"

namespace tern::app {

namespace {

namespace fs = std::filesystem;

void write(const fs::path& path, const void* bytes, std::size_t count) {
  base::AtomicFile file(path);
  file.stream().write(static_cast<const char*>(bytes), static_cast<std::streamsize>(count));
  file.commit();
}

// Every input as NAME.bin.
std::size_t write_inputs(const fs::path& folder, const Job& job) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw RunError(fmt::format("{}: {}", folder.string(), error.message()));
  std::size_t count = 0;
  for (const Job::Tensor& tensor : job.tensors) {
    if (tensor.output || tensor.scratch) continue;
    write(folder / (tensor.name + ".bin"), tensor.bytes.data(), tensor.bytes.size());
    ++count;
  }
  return count;
}

}  // namespace

int compile_job(const RunOptions& options, const Workload& workload, const Job& job,
                const ChipConfig& chip) {
  if (job.programs.size() != 1)
    throw UserError(fmt::format("{}: {} programs that follow each other: a file holds one",
                                workload.path, job.programs.size()));
  const Executable& program = job.programs.front();
  const std::string bytes = runtime::save_program({chip.name, {program}});
  write(options.compile.output, bytes.data(), bytes.size());
  std::size_t instructions = 0;
  for (const auto& queue : program.queues) instructions += queue.size();
  fmt::print("{}: program '{}' for {}, {} instructions, {} bytes\n",
             printable(options.compile.output), printable(program.name), printable(chip.name),
             instructions, bytes.size());
  for (const TensorInfo& tensor : program.tensors) {
    static constexpr const char* kKinds[] = {"input", "output", "weight", "scratch"};
    fmt::print("  {:8} {} {}[{}]\n", kKinds[static_cast<unsigned>(tensor.kind)],
               printable(tensor.name), numerics::dtype_name(tensor.dtype),
               fmt::join(tensor.shape, ", "));
  }
  if (!options.compile.data.empty())
    fmt::print("{}: {} tensors\n", printable(options.compile.data),
               write_inputs(options.compile.data, job));
  return 0;
}

}  // namespace tern::app
