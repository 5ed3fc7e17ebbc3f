// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <filesystem>

#include "sw/data/atomic_file.h"
#include "sw/data/checksum.h"
#include "systemc/config/user_error.h"
#include "tb/data/support.h"

namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;
using tern::data::AtomicFile;
using tern::data::write_file;
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

TEST_CASE("atomic file: devices are written, never replaced") {
  write_file("/dev/null", "bytes");
  CHECK(fs::is_character_file("/dev/null"));
  CHECK_FALSE(fs::exists("/dev/null.partial"));
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
  CHECK_THROWS_AS(write_file("/dev/full", "bytes"), tern::RunError);
}

TEST_CASE("checksum: CRC-32 of the standard check string") {
  const TempFolder folder;
  CHECK(tern::data::file_crc32(folder.put("x", "123456789")) == 0xcbf43926);
  CHECK(tern::data::file_crc32(folder.put("empty", "")) == 0);
}

}  // namespace
