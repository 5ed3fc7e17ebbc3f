// SPDX-License-Identifier: Apache-2.0
// A run that is saved and continued in another process, against one that is not cut; and files that
// are no snapshots.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tb/mgmt/board/firmware.h"

using namespace tern::tb;

namespace {

std::vector<std::string> opensbi(std::vector<std::string> more) {
  std::vector<std::string> all = {kOpensbi + "fw_jump.elf", "--kernel", kUbootS + "u-boot.bin"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// The error of a run that must be refused.
std::string refused(const std::vector<std::string>& arguments) {
  const Boot run = boot(arguments);
  CHECK(run.outcome.exit_code == 2);
  return run.outcome.err;
}

}  // namespace

TEST_CASE("snapshot: a boot of four harts, cut twice, is the one that is not") {
  if (!firmware_is_there()) return;
  const TempFolder folder;
  const std::string one = folder.path("one"), two = folder.path("two");
  const Boot whole = boot(opensbi({"--harts", "4", "--max-time", "30ms"}));
  const Boot first = boot(opensbi({"--harts", "4", "--max-time", "7ms", "--save", one}));
  const Boot second =
      boot(opensbi({"--harts", "4", "--max-time", "9ms", "--restore", one, "--save", two}));
  const Boot third = boot(opensbi({"--harts", "4", "--max-time", "14ms", "--restore", two}));
  CHECK(first.outcome.exit_code == 0);
  CHECK(second.outcome.exit_code == 0);
  CHECK(first.text + second.text + third.text == whole.text);
  CHECK(third.data["hart_instructions"] == whole.data["hart_instructions"]);
  CHECK(second.data["restored_instructions"] == first.data["end"]["instructions"]);
}

TEST_CASE("snapshot: a prompt that is there already gets its lines") {
  if (!firmware_is_there()) return;
  const TempFolder folder;
  const std::string file = folder.path("prompt"), image = kUbootM + "u-boot.bin";
  const Boot first = boot({image, "--type", "version", "--until", "=> ", "--save", file});
  CHECK(first.outcome.exit_code == 0);
  for (unsigned run = 0; run < 2; ++run) {
    const Boot second = boot({image, "--restore", file, "--type", "echo hello", "--until", "=> "});
    CHECK(second.outcome.exit_code == 0);
    CHECK(answer_to(first.text + second.text, "echo hello") == "hello\r");
  }
}

TEST_CASE("snapshot: what is none is refused with one line") {
  if (!firmware_is_there()) return;
  const TempFolder folder;
  const std::string file = folder.path("snapshot"), image = kUbootM + "u-boot.bin";
  boot({image, "--max-time", "1ms", "--ram", "16MiB", "--save", file});
  const Boot nowhere =
      boot({image, "--max-time", "1ms", "--save", folder.path("no/folder/snapshot")});
  CHECK(nowhere.outcome.exit_code == 2);
  CHECK(nowhere.text.empty());  // nothing has run
  const auto restored = [&](const std::string& path, const std::string& ram = "16MiB") {
    return refused({image, "--max-time", "1ms", "--ram", ram, "--restore", path});
  };
  CHECK(restored(file, "32MiB").find("a snapshot of another board") != std::string::npos);
  const std::string other =
      refused({kUbootS + "u-boot.bin", "--max-time", "1ms", "--ram", "16MiB", "--restore", file});
  CHECK(other.find("a snapshot of other firmware") != std::string::npos);
  CHECK(restored(folder.path("none")).find("no such file") != std::string::npos);
  const std::string bytes = read_bytes(file);
  REQUIRE(bytes.size() > 1000);
  const auto damaged = [&](const std::string& contents) {
    return restored(folder.put("bad", contents));
  };
  CHECK(damaged("").find("no snapshot of tern boot") != std::string::npos);
  CHECK(damaged(bytes.substr(0, 500)).find("damaged") != std::string::npos);
  std::string newer = bytes;
  newer[8] = 3;
  CHECK(damaged(newer).find("version 3, this program reads 2") != std::string::npos);
  std::string huge = bytes;
  huge[18] = 0x7f;
  CHECK(damaged(huge).find("damaged") != std::string::npos);
  for (std::size_t at = 20; at < bytes.size(); at += bytes.size() / 20) {
    std::string flipped = bytes;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
    CHECK(damaged(flipped).find("damaged") != std::string::npos);
  }
}
