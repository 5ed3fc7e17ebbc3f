// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/rtl_recipe.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "sw/base/user_error.h"

namespace tern::cosim {

namespace fs = std::filesystem;

namespace {

struct Recipe {
  std::string what;    // for people
  std::string cmake;   // the program
  std::string folder;  // of the build
  std::vector<fs::path> sources;
};

Recipe read(const fs::path& file) {
  Recipe recipe;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    const std::size_t space = line.find(' ');
    if (space == std::string::npos) continue;
    const std::string key = line.substr(0, space), value = line.substr(space + 1);
    if (key == "what") recipe.what = value;
    if (key == "cmake") recipe.cmake = value;
    if (key == "folder") recipe.folder = value;
    if (key == "source") recipe.sources.emplace_back(value);
  }
  return recipe;
}

bool fresh(const Recipe& recipe, const fs::path& file) {
  std::error_code error;
  const fs::file_time_type built = fs::last_write_time(file, error);
  if (error) return false;
  for (const fs::path& source : recipe.sources) {
    const fs::file_time_type changed = fs::last_write_time(source, error);
    // A source that is gone: the program was built without it, or soon will be.
    if (!error && changed > built) return false;
  }
  return true;
}

// Builds in one folder, one after the other: Ninja itself does not keep them apart. scripts/build
// takes the same lock.
class Lock {
 public:
  explicit Lock(const std::string& file)
      : descriptor_(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0) throw RunError(file + ": cannot write");
    if (flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
    std::fprintf(stderr, "waiting for another build in the same folder ...\n");
    while (flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ~Lock() { close(descriptor_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int descriptor_;
};

// Whether the command ended well; its output goes to `log`.
bool run(std::vector<std::string> words, const std::string& log) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                   0666);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int error = posix_spawn(&child, arguments[0], &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  int status = 0;
  if (error != 0) return false;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

void build_rtl_plugin(const fs::path& recipe_file, const fs::path& file) {
  const Recipe recipe = read(recipe_file);
  if (fresh(recipe, file)) return;
  const Lock lock(recipe.folder + "/.tern_build_lock");
  if (fresh(recipe, file)) return;
  std::fprintf(stderr, "building the RTL of %s ...\n", recipe.what.c_str());
  const std::string log = fs::path(file).replace_extension(".log").string();
  if (!run({recipe.cmake, "--build", recipe.folder, "--target", file.stem().string()}, log))
    throw RunError(fmt::format("the RTL of {} could not be built: see {}", recipe.what, log));
  // A source that changed without a change for this object.
  if (!fresh(recipe, file)) fs::last_write_time(file, fs::file_time_type::clock::now());
}

}  // namespace tern::cosim
