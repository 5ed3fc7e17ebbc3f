// SPDX-License-Identifier: Apache-2.0
#include "sw/live/live_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

#include "sw/base/user_error.h"
#include "sw/live/process_start.h"
#include "sw/live/run_folder.h"

namespace tern::live {

namespace {

namespace fs = std::filesystem;

constexpr const char* kEnding = ".json";
constexpr const char* kPartial = ".json.partial";

// The process of a file name with this ending.
std::optional<int> process_of(const std::string& name, const std::string& ending) {
  if (name.size() <= ending.size()) return {};
  const std::size_t digits = name.size() - ending.size();
  if (name.compare(digits, ending.size(), ending) != 0) return {};
  int pid = 0;
  const auto [rest, error] = std::from_chars(name.data(), name.data() + digits, pid);
  if (error != std::errc() || rest != name.data() + digits || pid <= 0) return {};
  return pid;
}

class Descriptor {
 public:
  explicit Descriptor(int file) : file_(file) {}
  ~Descriptor() {
    if (file_ >= 0) close(file_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return file_; }

 private:
  int file_;
};

// A regular file of this user, of a size that a state has. None: it is gone.
std::optional<std::string> read_own(const fs::path& path) {
  // A pipe in its place must not block, a link must not lead anywhere.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (file.get() < 0) {
    if (errno == ENOENT) return {};
    throw UserError(errno == ELOOP ? "expected a regular file" : std::strerror(errno));
  }
  struct stat status {};
  if (fstat(file.get(), &status) != 0) throw UserError(std::strerror(errno));
  if (!S_ISREG(status.st_mode)) throw UserError("expected a regular file");
  if (status.st_uid != geteuid()) throw UserError("belongs to another user");
  std::string text(kMaxFileBytes + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = read(file.get(), text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw UserError(std::strerror(errno));
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  if (size > kMaxFileBytes)
    throw UserError(fmt::format("expected at most {} bytes", kMaxFileBytes));
  text.resize(size);
  return text;
}

}  // namespace

fs::path state_file(const fs::path& folder, int pid) {
  return folder / (std::to_string(pid) + kEnding);
}

namespace {

// The processes that have a file in the folder; what those that do not run have left is removed.
std::vector<int> living(const fs::path& folder) {
  std::vector<int> pids;
  std::error_code error, ignored;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const auto whole = process_of(name, kEnding), partial = process_of(name, kPartial);
    if (!whole && !partial) continue;
    if (!process_start(whole ? *whole : *partial)) {
      fs::remove(entry->path(), ignored);
    } else if (whole && pids.size() < kMaxStates) {
      pids.push_back(*whole);
    }
  }
  if (error) throw UserError(fmt::format("{}: {}", folder.string(), error.message()));
  std::sort(pids.begin(), pids.end());
  return pids;
}

// None: it is gone, or of an earlier process with this number.
std::optional<State> state_of(const fs::path& path, int pid) {
  const auto start = process_start(pid);
  const auto text = start ? read_own(path) : std::nullopt;
  if (!text) return {};
  State state = from_json(*text);
  if (state.pid != pid)
    throw UserError(fmt::format("key 'pid': expected {}, as the name says", pid));
  if (state.start_ticks == *start) return state;
  std::error_code ignored;
  fs::remove(path, ignored);
  return {};
}

}  // namespace

void remove_dead(const fs::path& folder) {
  static_cast<void>(living(folder));
}

Found find_states(const fs::path& folder) {
  Found found;
  if (!check_run_folder(folder)) return found;
  for (const int pid : living(folder)) {
    const fs::path path = state_file(folder, pid);
    try {
      if (auto state = state_of(path, pid)) found.states.push_back(std::move(*state));
    } catch (const UserError& refusal) {
      found.refused.push_back(fmt::format("{}: {}", path.string(), refusal.what()));
    }
  }
  return found;
}

Found find_states() {
  const auto folder = run_folder();
  if (!folder) return {};
  return find_states(*folder);
}

}  // namespace tern::live
