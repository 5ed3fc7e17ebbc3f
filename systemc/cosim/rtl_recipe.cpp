// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/rtl_recipe.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "sw/base/child_process.h"
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

// Excludes other builds in the folder: Ninja itself does not. scripts/build
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

}  // namespace

void build_rtl_plugin(const fs::path& recipe_file, const fs::path& file) {
  const Recipe recipe = read(recipe_file);
  if (fresh(recipe, file)) return;
  const Lock lock(recipe.folder + "/.tern_build_lock");
  if (fresh(recipe, file)) return;
  std::fprintf(stderr, "building the RTL of %s ...\n", recipe.what.c_str());
  const std::string log = fs::path(file).replace_extension(".log").string();
  const std::string target = file.stem().string();
  if (base::run_child({recipe.cmake, "--build", recipe.folder, "--target", target}, log) != 0)
    throw RunError(fmt::format("the RTL of {} could not be built: see {}", recipe.what, log));
  // A source that changed without a change for this object.
  if (!fresh(recipe, file)) fs::last_write_time(file, fs::file_time_type::clock::now());
}

}  // namespace tern::cosim
