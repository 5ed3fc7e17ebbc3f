// SPDX-License-Identifier: Apache-2.0
#include "sw/base/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <utility>

#include "sw/base/stop.h"
#include "sw/base/user_error.h"

namespace tern::base {
namespace {

// Both ends of a pipe, closed in the end.
class Pipe {
 public:
  Pipe() {
    // Other children started meanwhile must not inherit the ends.
    if (pipe2(ends_.data(), O_CLOEXEC) != 0)
      throw RunError(std::string("cannot make a pipe: ") + std::strerror(errno));
  }
  ~Pipe() {
    for (unsigned end = 0; end < ends_.size(); ++end) close_end(end);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  void close_write() { close_end(1); }

 private:
  void close_end(unsigned end) {
    if (ends_[end] >= 0) close(ends_[end]);
    ends_[end] = -1;
  }
  std::array<int, 2> ends_{-1, -1};
};

// Passes a request to stop on to a child, once.
class Stopper {
 public:
  Stopper(pid_t child, const std::atomic<bool>* stop) : child_(child), stop_(stop) {}

  // How long to wait for output before asking again, in ms.
  int patience() const { return stop_ != nullptr ? 50 : -1; }
  void pass_on() {
    if (stop_ == nullptr || !*stop_) return;
    kill(child_, SIGTERM);
    stop_ = nullptr;
  }

 private:
  pid_t child_;
  const std::atomic<bool>* stop_;
};

// Reads both to their ends.
void read_all(std::array<int, 2> from, std::array<std::string*, 2> to, Stopper stopper) {
  std::array<char, 65536> buffer;
  std::array<pollfd, 2> wanted{};
  for (unsigned i = 0; i < 2; ++i) wanted[i] = {from[i], POLLIN, 0};
  while (wanted[0].fd >= 0 || wanted[1].fd >= 0) {
    stopper.pass_on();
    const int ready = poll(wanted.data(), wanted.size(), stopper.patience());
    if (ready < 0 && errno != EINTR) break;
    if (ready <= 0) continue;
    for (unsigned i = 0; i < 2; ++i) {
      if (wanted[i].fd < 0 || wanted[i].revents == 0) continue;
      const ssize_t got = read(wanted[i].fd, buffer.data(), buffer.size());
      if (got > 0) to[i]->append(buffer.data(), static_cast<std::size_t>(got));
      if (got == 0 || (got < 0 && errno != EINTR)) wanted[i].fd = -1;
    }
  }
}

// Where the three standard streams of a child lead.
class Streams {
 public:
  Streams() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  }
  ~Streams() { posix_spawn_file_actions_destroy(&actions_); }
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  void lead(int stream, int descriptor) {
    posix_spawn_file_actions_adddup2(&actions_, descriptor, stream);
  }
  void lead(int stream, const std::string& file) {
    constexpr int kCreate = O_WRONLY | O_CREAT | O_TRUNC;
    posix_spawn_file_actions_addopen(&actions_, stream, file.c_str(), kCreate, 0666);
  }

  pid_t spawn(const std::vector<std::string>& arguments) const {
    std::vector<char*> argv;
    argv.reserve(arguments.size() + 1);
    // posix_spawn takes char*, but changes nothing.
    for (const std::string& argument : arguments)
      argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    pid_t child = 0;
    const int failed = posix_spawn(&child, argv[0], &actions_, nullptr, argv.data(), environ);
    if (failed != 0)
      throw RunError("cannot start " + arguments.front() + ": " + std::strerror(failed));
    return child;
  }

 private:
  posix_spawn_file_actions_t actions_;
};

// Its exit code, or 128 + the signal that ended it.
int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw RunError(std::string("lost a child: ") + std::strerror(errno));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// What a copy of this process has to say. A message is its kind, the number of its bytes, then the
// bytes.
enum class Kind : char { kProgress, kResult, kUserError, kRunError, kNoMemory };

void send(int to, Kind kind, const std::string& bytes) {
  const std::uint64_t size = bytes.size();
  std::string message(1 + sizeof size, static_cast<char>(kind));
  std::memcpy(&message[1], &size, sizeof size);
  message += bytes;
  for (std::size_t at = 0; at < message.size();) {
    const ssize_t done = write(to, message.data() + at, message.size() - at);
    if (done < 0 && errno != EINTR) _exit(1);  // nobody listens any more
    if (done > 0) at += static_cast<std::size_t>(done);
  }
}

[[noreturn]] void work_in_copy(int to, pid_t parent,
                               const std::function<std::string(const Progress&)>& work) noexcept {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  try {
    send(to, Kind::kResult, work([&](double share) {
           send(to, Kind::kProgress,
                std::string(reinterpret_cast<const char*>(&share), sizeof share));
         }));
  } catch (const UserError& error) {
    send(to, Kind::kUserError, error.what());
  } catch (const std::bad_alloc&) {
    send(to, Kind::kNoMemory, "");
  } catch (const std::exception& error) {
    send(to, Kind::kRunError, error.what());
  }
  _exit(0);  // files and threads of this process are not the copy's to close
}

// A copy that is not waited for is killed.
class Copy {
 public:
  explicit Copy(pid_t process) : process_(process) {}
  ~Copy() {
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;

  int wait() { return wait_for(std::exchange(process_, 0)); }

 private:
  pid_t process_;
};

// The first whole message in `received`, which loses it.
bool take(std::string* received, Kind* kind, std::string* bytes) {
  std::uint64_t size = 0;
  constexpr std::size_t kHead = 1 + sizeof size;
  if (received->size() < kHead) return false;
  std::memcpy(&size, received->data() + 1, sizeof size);
  if (received->size() - kHead < size) return false;
  *kind = static_cast<Kind>(received->front());
  *bytes = received->substr(kHead, size);
  received->erase(0, kHead + size);
  return true;
}

// Reads until the copy has said how its work ended. False: it did not.
bool read_last(int from, const Progress& progress, Stopper stopper, Kind* kind,
               std::string* bytes) {
  std::array<char, 4096> buffer;
  std::string received;
  while (true) {
    stopper.pass_on();
    pollfd wanted{from, POLLIN, 0};
    const int ready = poll(&wanted, 1, stopper.patience());
    if (ready < 0 && errno != EINTR) return false;
    if (ready <= 0) continue;
    const ssize_t got = read(from, buffer.data(), buffer.size());
    if (got == 0 || (got < 0 && errno != EINTR)) return false;
    if (got > 0) received.append(buffer.data(), static_cast<std::size_t>(got));
    while (take(&received, kind, bytes)) {
      if (*kind != Kind::kProgress) return true;
      double share = 0;
      std::memcpy(&share, bytes->data(), sizeof share);
      if (progress) progress(share);
    }
  }
}

}  // namespace

std::string run_in_copy(const std::function<std::string(const Progress&)>& work,
                        const Progress& progress, const std::atomic<bool>* stop) {
  Pipe pipe;
  const pid_t parent = getpid(), child = fork();
  if (child < 0) throw RunError(std::string("cannot start a process: ") + std::strerror(errno));
  if (child == 0) work_in_copy(pipe.write_end(), parent, work);
  Copy copy(child);
  pipe.close_write();
  Kind kind = Kind::kRunError;
  std::string bytes;
  const bool ended = read_last(pipe.read_end(), progress, Stopper(child, stop), &kind, &bytes);
  const int code = copy.wait();
  if (stop != nullptr && *stop) throw Interrupted();
  if (!ended) {
    constexpr int kSignal = 128;
    throw RunError(code > kSignal ? fmt::format("a copy of this process was ended by signal {}",
                                                code - kSignal)
                                  : "a copy of this process ended without a result");
  }
  if (kind == Kind::kUserError) throw UserError(bytes);
  if (kind == Kind::kRunError) throw RunError(bytes);
  if (kind == Kind::kNoMemory) throw std::bad_alloc();
  return bytes;
}

ChildResult run_child(const std::vector<std::string>& arguments, const std::atomic<bool>* stop) {
  Pipe out, error;
  Streams streams;
  streams.lead(STDOUT_FILENO, out.write_end());
  streams.lead(STDERR_FILENO, error.write_end());
  const pid_t child = streams.spawn(arguments);
  out.close_write();
  error.close_write();
  ChildResult result;
  read_all({out.read_end(), error.read_end()}, {&result.out, &result.error}, Stopper(child, stop));
  result.exit_code = wait_for(child);
  return result;
}

int run_child(const std::vector<std::string>& arguments, const std::string& log) {
  Streams streams;
  streams.lead(STDOUT_FILENO, log);
  streams.lead(STDERR_FILENO, STDOUT_FILENO);
  return wait_for(streams.spawn(arguments));
}

std::string own_program() {
  const std::filesystem::path link = "/proc/self/exe",
                              program = std::filesystem::read_symlink(link);
  std::error_code ignored;
  // Replaced meanwhile, it is still there by its link.
  return (std::filesystem::exists(program, ignored) ? program : link).string();
}

std::string ChildResult::last_message() const {
  std::string text = error;
  text.erase(text.find_last_not_of('\n') + 1);
  const std::size_t begin = text.rfind('\n');
  text.erase(0, begin == std::string::npos ? 0 : begin + 1);
  const std::string head = "tern: ";
  return text.compare(0, head.size(), head) == 0 ? text.substr(head.size()) : text;
}

}  // namespace tern::base
