// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/call/worker_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "sw/base/user_error.h"

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace tern::nki {

namespace {

[[noreturn]] void fail(const std::string& what) {
  throw RunError(what + ": " + std::strerror(errno));
}

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

// The process gets the request and its answer as these descriptors; ours are above both, so that
// neither is lost when they get there.
constexpr int kRequest = 3, kResponse = 4, kAbove = 10;

int message_file() {
  const File file(memfd_create("tern-nki", MFD_CLOEXEC));
  const int above = file.get() < 0 ? -1 : fcntl(file.get(), F_DUPFD_CLOEXEC, kAbove);
  if (above < 0) fail("cannot make a file in memory");
  return above;
}

// A process that is ended, if it has not, and always waited for.
class Child {
 public:
  Child(const std::string& program, int request, int response) {
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, request, kRequest);
    posix_spawn_file_actions_adddup2(&files, response, kResponse);
    std::array<std::string, 5> words = {program, "nki", "worker", std::to_string(kRequest),
                                        std::to_string(kResponse)};
    std::array<char*, 6> arguments{};
    for (std::size_t i = 0; i < words.size(); ++i) arguments[i] = words[i].data();
    const int error =
        posix_spawn(&process_, program.c_str(), &files, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    if (error != 0) {
      errno = error;
      process_ = -1;
      fail("cannot start " + program);
    }
  }
  ~Child() {
    if (process_ < 0) return;
    kill(process_, SIGKILL);
    wait();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Until it has ended; false if `stop` came first.
  bool wait_unless(const std::function<bool()>& stop) {
    constexpr int kPatience = 50;  // ms
    const File handle(static_cast<int>(syscall(SYS_pidfd_open, process_, 0)));
    pollfd ended{handle.get(), POLLIN, 0};
    while (true) {
      if (stop()) break;
      const int ready = handle.get() < 0 ? 1 : poll(&ended, 1, kPatience);
      if (ready <= 0) continue;
      wait();
      return true;
    }
    // It removes its files, and completes what it keeps of a waveform, unless that takes too long.
    // A second signal ends the wait.
    constexpr int kGrace = 30'000;
    kill(process_, SIGTERM);
    poll(&ended, handle.get() < 0 ? 0 : 1, kGrace);
    return false;
  }
  // The status of wait(), after it has ended.
  int status() const { return status_; }

 private:
  void wait() {
    while (waitpid(process_, &status_, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
  }

  pid_t process_ = -1;
  int status_ = 0;
};

}  // namespace

Message::Message(int file) {
  const off_t size = lseek(file, 0, SEEK_END);
  if (size < 0) fail("cannot read a message");
  size_ = static_cast<std::size_t>(size);
  if (size_ == 0) return;
  void* const begin = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
  if (begin == MAP_FAILED) fail("cannot read a message");
  begin_ = begin;
}

Message::~Message() {
  if (begin_ != nullptr) munmap(begin_, size_);
}

void Message::release(std::string_view part) const {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const auto offset = static_cast<std::size_t>(part.data() - static_cast<const char*>(begin_));
  const std::size_t first = (offset + page - 1) / page * page;
  const std::size_t end = (offset + part.size()) / page * page;
  if (first < end) madvise(static_cast<char*>(begin_) + first, end - first, MADV_DONTNEED);
}

PutBytes message_writer(int file) {
  return [file, at = off_t{0}](std::string_view bytes) mutable {
    while (!bytes.empty()) {
      const ssize_t count = pwrite(file, bytes.data(), bytes.size(), at);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) fail("cannot write a message");
      at += count;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
  };
}

RunResponse run_in_process(const std::string& program, const RunRequest& request,
                           const std::function<bool()>& stop) {
  const File question(message_file()), answer(message_file());
  send(request, message_writer(question.get()));
  Child child(program, question.get(), answer.get());
  if (!child.wait_unless(stop)) throw RunError("the simulation was interrupted");
  const int status = child.status();
  if (WIFSIGNALED(status)) {
    throw RunError(std::string("the simulation ended by signal ") +
                   std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) + ")");
  }
  const Message message(answer.get());
  if (message.bytes().empty()) {
    throw RunError("the simulation ended without an answer, exit code " +
                   std::to_string(WEXITSTATUS(status)));
  }
  RunResponse response = response_from(message.bytes());
  if (response.status == RunResponse::Status::kUserError) throw UserError(response.error);
  if (response.status == RunResponse::Status::kRunError) throw RunError(response.error);
  return response;
}

}  // namespace tern::nki
