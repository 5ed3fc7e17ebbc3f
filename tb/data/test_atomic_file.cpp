// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>

#include "sw/base/atomic_file.h"
#include "sw/base/checksum.h"
#include "sw/base/user_error.h"
#include "tb/data/support.h"

namespace {

namespace fs = std::filesystem;
using Catch::Contains;
using tern::base::AtomicFile;
using tern::base::write_file;
using tern::tb::read_bytes;
using tern::tb::TempFolder;
using tern::tb::user_error;

TEST_CASE("atomic file: appears complete or not at all") {
  const TempFolder folder;
  const fs::path file = folder / "out.txt";
  {
    AtomicFile out(file);
    out.stream() << "new";
    out.stream().flush();
    CHECK_FALSE(fs::exists(file));
    CHECK(fs::exists(folder / "out.txt.partial"));
    out.commit();
  }
  CHECK(read_bytes(file) == "new");
  {
    AtomicFile out(file);
    out.stream() << "never finished";
  }
  CHECK(read_bytes(file) == "new");
  CHECK_FALSE(fs::exists(folder / "out.txt.partial"));
  write_file(file, "newer");
  CHECK(read_bytes(file) == "newer");
}

TEST_CASE("atomic file: a symbolic link stays one") {
  const TempFolder folder;
  folder.put("real", "old");
  fs::create_symlink("real", folder / "link");
  write_file(folder / "link", "new");
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(read_bytes(folder / "real") == "new");
}

// A pipe represents everything that is not a regular file. Not /dev/null: were this broken, a run
// as root would replace the machine's device.
TEST_CASE("atomic file: one run writes, the second is told") {
  const TempFolder folder;
  const fs::path file = folder / "out.txt";
  {
    AtomicFile first(file);
    first.stream() << "first";
    CHECK_THAT(user_error(file, [&] { AtomicFile second(file); }),
               Contains("another run is writing it"));
    first.commit();
  }
  CHECK(read_bytes(file) == "first");
  // A file that a killed run has left stops nobody.
  folder.put("out.txt.partial", "half");
  write_file(file, "second");
  CHECK(read_bytes(file) == "second");
  CHECK_FALSE(fs::exists(folder / "out.txt.partial"));
}

// Each child writes its own text again and again; what is there is always one of them, whole.
TEST_CASE("atomic file: many runs at once never mix or lose a committed file") {
  const TempFolder folder;
  const fs::path file = folder / "out.txt";
  std::array<pid_t, 4> children{};
  for (std::size_t c = 0; c < children.size(); ++c) {
    children[c] = ::fork();
    REQUIRE(children[c] >= 0);
    if (children[c] != 0) continue;
    const std::string text(200'000, static_cast<char>('a' + c));
    int wrong = 0;
    for (int i = 0; i < 200; ++i) {
      try {
        write_file(file, text);
        const std::string now = read_bytes(file);
        if (now.size() != text.size() || now.find_first_not_of(now[0]) != std::string::npos)
          ++wrong;
      } catch (const tern::UserError&) {  // another one is at it
      } catch (...) {
        ++wrong;
      }
    }
    ::_exit(wrong != 0 ? 1 : 0);
  }
  for (const pid_t child : children) {
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  CHECK_FALSE(fs::exists(folder / "out.txt.partial"));
}

TEST_CASE("atomic file: a file removed or replaced under the writer is no success") {
  const TempFolder folder;
  const fs::path file = folder / "out.txt", partial = folder / "out.txt.partial";
  AtomicFile out(file);
  out.stream() << "new";
  fs::remove(partial);
  folder.put("out.txt.partial", "somebody else's");
  CHECK_THROWS_AS(out.commit(), tern::RunError);
  CHECK_FALSE(fs::exists(file));
}

TEST_CASE("atomic file: a private file stays private") {
  const TempFolder folder;
  const fs::path file = folder.put("key", "old");
  REQUIRE(::chmod(file.c_str(), 0600) == 0);
  write_file(file, "new", tern::base::NamedBy::kUser, tern::base::Survives::kPower);
  CHECK(read_bytes(file) == "new");
  CHECK(fs::status(file).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("atomic file: a hard link where the partial file goes is not written through") {
  const TempFolder folder;
  const fs::path victim = folder.put("victim", "mine");
  fs::create_hard_link(victim, folder / "out.txt.partial");
  write_file(folder / "out.txt", "new");
  CHECK(read_bytes(victim) == "mine");
}

TEST_CASE("atomic file: pipes and devices are written, never replaced") {
  const TempFolder folder;
  const fs::path pipe = folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  REQUIRE(reader >= 0);
  write_file(pipe, "bytes");
  std::array<char, 16> bytes{};
  CHECK(::read(reader, bytes.data(), bytes.size()) == 5);
  ::close(reader);
  CHECK(std::string(bytes.data()) == "bytes");
  CHECK(fs::is_fifo(pipe));
  CHECK_FALSE(fs::exists(folder / "pipe.partial"));
}

TEST_CASE("atomic file: a pipe waits for a reader that comes later") {
  const TempFolder folder;
  const fs::path pipe = folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::string got;
  std::thread reader([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
    got = read_bytes(pipe);
  });
  write_file(pipe, "bytes");
  reader.join();
  CHECK(got == "bytes");
}

TEST_CASE("atomic file: a name that the program makes leads nowhere else") {
  const TempFolder folder;
  folder.put("victim", "mine");
  const auto write = [&](const char* name) {
    write_file(folder / name, "new", tern::base::NamedBy::kProgram);
  };
  // The partial file of an earlier run, or what somebody has placed there.
  fs::create_symlink("victim", folder / "a.partial");
  REQUIRE(::mkfifo((folder / "b.partial").c_str(), 0600) == 0);
  write("a");
  write("b");
  CHECK(fs::file_size(folder / "a") == 3);
  CHECK(fs::file_size(folder / "b") == 3);
  fs::create_symlink("victim", folder / "c");
  REQUIRE(::mkfifo((folder / "d").c_str(), 0600) == 0);
  CHECK_THROWS_AS(write("c"), tern::UserError);
  CHECK_THROWS_AS(write("d"), tern::UserError);
  CHECK(fs::file_size(folder / "victim") == 4);
}

TEST_CASE("atomic file: a full disk leaves the old file and no partial one") {
  const TempFolder folder;
  const fs::path file = folder.put("file", "old");
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  rlimit small = before;
  small.rlim_cur = 4096;
  // Beyond the limit a write fails as on a full disk, once the signal is ignored.
  std::signal(SIGXFSZ, SIG_IGN);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  bool failed = false;
  try {
    write_file(file, std::string(100000, 'x'));
  } catch (const tern::RunError&) {
    failed = true;
  }
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, SIG_DFL);
  CHECK(failed);
  CHECK(read_bytes(file) == "old");
  CHECK_FALSE(fs::exists(folder / "file.partial"));
}

TEST_CASE("atomic file: faults") {
  const TempFolder folder;
  const auto error = [](const fs::path& path) {
    return user_error(path, [&] { AtomicFile out(path); });
  };
  CHECK_THAT(error(folder.path()), Contains("this is a folder"));
  CHECK_THAT(error(folder.path() / ""), Contains("this is a folder"));
  CHECK_THAT(error(folder / "no/such/folder"), Contains("No such file or directory"));
  const fs::path file = folder.put("file", "");
  CHECK_THAT(error(file / "inside"), Contains("cannot write"));
  CHECK_THROWS_AS(AtomicFile(""), tern::UserError);
}

TEST_CASE("checksum: CRC-32 of the standard check string") {
  const TempFolder folder;
  CHECK(tern::base::file_crc32(folder.put("x", "123456789")) == 0xcbf43926);
  CHECK(tern::base::file_crc32(folder.put("empty", "")) == 0);
}

}  // namespace

TEST_CASE("a write that fails before the end still says why") {
  TempFolder folder;
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  rlimit small = before;
  small.rlim_cur = 4096;
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  std::string message;
  setrlimit(RLIMIT_FSIZE, &small);
  try {
    write_file(folder.path("x"), std::string(1 << 20, 'x'));
  } catch (const tern::RunError& error) {
    message = error.what();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK(message == folder.path("x") + ": write failed: File too large");
  CHECK(folder.files().empty());
}
