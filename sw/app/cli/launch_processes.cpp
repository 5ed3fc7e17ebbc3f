// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "sw/app/cli/processes.h"
#include "sw/base/user_error.h"

namespace tern::app {

void launch_processes(unsigned ranks, int argc, char** argv) {
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe");
  const std::string program = (own.parent_path() / "tern-mpi").string();
  if (access(program.c_str(), X_OK) != 0)
    throw UserError(fmt::format("--ranks: {} is missing", program));
  isatty(STDOUT_FILENO) != 0 ? setenv(kOnTerminal, "1", 1) : unsetenv(kOnTerminal);
  // Without a text of its own when a process fails. Version 5 has neither this nor --quiet.
  setenv("OMPI_MCA_orte_execute_quiet", "1", 0);
  std::vector<std::string> words = {"mpirun", "--oversubscribe",    "--bind-to", "none",
                                    "-n",     std::to_string(ranks)};
  if (geteuid() == 0) words.emplace_back("--allow-run-as-root");
  words.push_back(program);
  words.insert(words.end(), argv + 1, argv + argc);
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execvp(pointers[0], pointers.data());
  throw UserError(fmt::format("--ranks: mpirun: {} (Debian's package openmpi-bin has it)",
                              std::strerror(errno)));
}

}  // namespace tern::app
