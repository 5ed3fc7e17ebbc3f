// SPDX-License-Identifier: Apache-2.0
// Debian's OpenSBI and U-Boot on the board, through the tern program.
#include <catch2/catch.hpp>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <regex>
#include <string>
#include <vector>

#include "tb/mgmt/board/firmware.h"

using namespace tern::tb;

namespace {

// Bit by bit, out of the definition of CRC-32.
std::uint32_t crc32(const std::vector<std::uint8_t>& bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const std::uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xEDB88320 : 0);
  }
  return ~crc;
}

std::string hex8(std::uint32_t value) {
  char text[9];
  std::snprintf(text, sizeof text, "%08x", value);
  return text;
}

// Words that mw.l writes to 0x84000000, which no program uses.
const std::string kFill = "mw.l 84000000 3c5a96e1 400", kSum = "crc32 84000000 1000",
                  kDump = "md.l 84000000 2", kCode = "md.b 80200000 8";

std::uint32_t expected_sum() {
  std::vector<std::uint8_t> bytes;
  for (unsigned i = 0; i < 0x400; ++i) bytes.insert(bytes.end(), {0xE1, 0x96, 0x5A, 0x3C});
  return crc32(bytes);
}

std::vector<std::string> typed(std::vector<std::string> arguments,
                               const std::vector<std::string>& lines) {
  for (const std::string& line : lines) arguments.insert(arguments.end(), {"--type", line});
  return arguments;
}

// What every boot must have done: answers computed here, and the end.
void check_session(const Boot& boot) {
  INFO(boot.outcome.out << boot.outcome.err << boot.text);
  CHECK(boot.outcome.exit_code == 0);
  CHECK(boot.outcome.err.empty());
  REQUIRE(boot.data.is_object());
  CHECK(boot.data["ended"] == "power off, pass");
  CHECK(boot.data["lines_not_typed"] == 0);
  CHECK(answer_to(boot.text, "version").find("U-Boot 20") == 0);
  CHECK(answer_to(boot.text, kSum).find("==> " + hex8(expected_sum())) != std::string::npos);
  CHECK(answer_to(boot.text, kDump).find("84000000: 3c5a96e1 3c5a96e1") == 0);
}

const std::vector<std::string> kLines = {"version", kFill, kSum, kDump, "poweroff"};

// Of OpenSBI 1.1 (Debian 12) and 1.6 (Debian 13), whose columns differ.
void check_opensbi(const Boot& boot, unsigned harts) {
  for (const std::string& line :
       {"Platform HART Count +: " + std::to_string(harts) + "\\b",
        std::string("Platform IPI Device +: aclint-mswi"),
        std::string("Platform Timer Device +: aclint-mtimer @ 10000000Hz"),
        std::string("Platform Console Device +: uart8250"),
        std::string("Platform Shutdown Device +: (sifive_test|syscon-poweroff)"),
        std::string("Domain0 Next Address +: 0x0000000080200000"),
        std::string("Domain0 Next Mode +: S-mode"), std::string("Boot HART PMP Count +: 16"),
        std::string("Boot HART MIDELEG +: 0x0000000000000222"),
        std::string("Boot HART MEDELEG +: 0x000000000000b109")}) {
    INFO(line);
    CHECK(std::regex_search(boot.text, std::regex(line)));
  }
}

}  // namespace

TEST_CASE("firmware: OpenSBI's fw_jump and U-Boot in S mode, 1 and 4 harts") {
  if (!firmware_is_there()) return;
  for (const unsigned harts : {1u, 4u}) {
    auto lines = kLines;
    lines.insert(lines.begin(), kCode);
    const Boot run = boot(typed({kOpensbi + "fw_jump.elf", "--kernel", kUbootS + "u-boot.bin",
                                 "--harts", std::to_string(harts)},
                                lines));
    check_session(run);
    check_opensbi(run, harts);
    std::string bytes = "80200000:";
    char text[4];
    for (const unsigned char c : read_bytes(kUbootS + "u-boot.bin").substr(0, 8)) {
      std::snprintf(text, sizeof text, " %02x", c);
      bytes += text;
    }
    CHECK(answer_to(run.text, kCode).find(bytes) == 0);
    CHECK(run.data["hart_instructions"].size() == harts);
  }
}

TEST_CASE("firmware: OpenSBI's fw_dynamic and U-Boot as an ELF file, 1 and 4 harts") {
  if (!firmware_is_there()) return;
  for (const unsigned harts : {1u, 4u}) {
    const Boot run = boot(typed({kOpensbi + "fw_dynamic.bin", "--kernel", kUbootS + "uboot.elf",
                                 "--harts", std::to_string(harts)},
                                kLines));
    check_session(run);
    check_opensbi(run, harts);
  }
}

TEST_CASE("firmware: U-Boot alone in M mode, raw and ELF, 1 and 4 harts") {
  if (!firmware_is_there()) return;
  for (const unsigned harts : {1u, 4u}) {
    for (const char* file : {"u-boot.bin", "uboot.elf"}) {
      check_session(boot(
          typed({kUbootM + file, "--harts", std::to_string(harts), "--ram", "128MiB"}, kLines)));
    }
  }
}

TEST_CASE("firmware: a run repeats to the instruction") {
  if (!firmware_is_there()) return;
  const auto arguments = typed({kOpensbi + "fw_jump.elf", "--kernel", kUbootS + "u-boot.bin",
                                "--harts", "2", "--until", "=> "},
                               {"version", kFill, kSum});
  Boot first = boot(arguments), second = boot(arguments);
  CHECK(first.outcome.exit_code == 0);
  CHECK(first.text.size() > 1000);
  CHECK(first.text == second.text);
  for (Boot* run : {&first, &second}) {
    CHECK(run->data["found"]["instructions"] > 1'000'000);
    for (const char* of_host : {"host_seconds", "mips", "command"}) run->data.erase(of_host);
  }
  CHECK(first.data == second.data);
}

// Characters arrive at whole milliseconds, and the hart sees each at most a quantum later.
TEST_CASE("firmware: another quantum, the same text, and times differ by quanta only") {
  if (!firmware_is_there()) return;
  const TempFolder folder;
  std::vector<Boot> runs;
  for (const char* quantum : {"1", "10", "100"}) {
    const std::string board =
        folder.put("board.yaml", "quantum_us: " + std::string(quantum) + "\n").string();
    runs.push_back(boot(typed({kUbootM + "u-boot.bin", "--board", board}, kLines)));
    check_session(runs.back());
  }
  CHECK(runs[0].text == runs[1].text);
  CHECK(runs[0].text == runs[2].text);
  const auto us = [&](std::size_t i) { return runs[i].data["end"]["simulated_us"].get<double>(); };
  constexpr double kInputs = 16;  // polls that brought some: a FIFO for a long line
  CHECK(std::abs(us(1) - us(0)) <= kInputs * 10);
  CHECK(std::abs(us(2) - us(0)) <= kInputs * 100);
}

TEST_CASE("firmware: an access where no device is ends in the documented fault, then a reset") {
  if (!firmware_is_there()) return;
  const Boot run = boot({kOpensbi + "fw_jump.elf", "--kernel", kUbootS + "u-boot.bin", "--type",
                         "md 40000000 1", "--until", "TVAL: 0000000040000000"});
  INFO(run.text);
  CHECK(run.outcome.exit_code == 0);
  CHECK(run.text.find("Unhandled exception: Load access fault") != std::string::npos);
}

TEST_CASE("firmware: reset begins anew") {
  if (!firmware_is_there()) return;
  const Boot run = boot(typed({kUbootM + "uboot.elf", "--harts", "2"}, {"reset", "poweroff"}));
  INFO(run.text);
  CHECK(run.outcome.exit_code == 0);
  CHECK(run.data["resets"] == 1);
  CHECK(count_of(run.text, "Hit any key to stop autoboot") == 2);
}

TEST_CASE("boot: exit codes, and one line for what cannot be meant") {
  if (!firmware_is_there()) return;
  const std::string uboot = kUbootM + "u-boot.bin";
  const Boot late = boot({uboot, "--until", "never seen", "--max-time", "2ms"});
  CHECK(late.outcome.exit_code == 1);
  CHECK(late.data["ended"] == "the limit of simulated time, 2ms");
  CHECK(late.data["end"]["simulated_us"] == 2000);
  CHECK(boot(typed({uboot, "--until", "never seen"}, {"poweroff"})).outcome.exit_code == 1);

  const TempFolder folder;
  const std::string empty = folder.put("empty", "").string();
  const std::string bad_isa = folder.put("isa.yaml", "harts: 2\nisa: rv64gc\n").string();
  const std::string typo = folder.put("typo.yaml", "hart: 2\n").string();
  const struct {
    std::vector<std::string> arguments;
    std::string says;
  } cases[] = {
      {{}, "firmware is required"},
      {{folder.path("none")}, "no such file"},
      {{folder.path().string()}, ""},
      {{empty}, empty + ": the file is empty"},
      {{uboot, "--harts", "9"}, "expected a whole number from 1 to 8, got '9'"},
      {{uboot, "--ram", "12MB"}, "expected a size such as 256MiB or 1GiB, got '12MB'"},
      {{uboot, "--ram", "nan"}, "expected a size"},
      {{uboot, "--ram", "1000000000GiB"}, "expected a size"},
      {{uboot, "--isa", "rv128"}, "expected rv32 or rv64, got 'rv128'"},
      {{uboot, "--isa", "rv32", "--ram", "4GiB"}, "4096 MiB of memory: rv32imafdc reaches 2048"},
      {{kUbootM + "uboot.elf", "--isa", "rv32"},
       "an ELF file of 64 bits, the harts are rv32imafdc; see --isa"},
      {{uboot, "--kernel", kUbootM + "uboot.elf"}, "overlaps"},
      {{uboot, "--max-time", "10"}, "expected a time"},
      {{uboot, "--max-time", "-1s"}, "expected a time"},
      {{uboot, "--type", "a\\q"}, "after '\\'"},
      {{uboot, "--type", "a", "--type-file", empty}, "--type"},
      {{uboot, "--uart", "carrier"}, "carrier"},
      {{uboot, "--json"}, "--json: not with --uart stdio"},
      {{uboot, "--board", bad_isa}, bad_isa + ":2: key 'isa': expected rv32 or rv64, then im"},
      {{uboot, "--board", typo}, typo + ":1: key 'hart': unknown key, did you mean 'harts'?"},
      {{uboot, "--dtb-out", folder.path("no/such/folder")}, "no/such/folder"},
  };
  for (const auto& one : cases) {
    std::vector<std::string> arguments = one.arguments;
    arguments.insert(arguments.begin(), "boot");
    const std::string line = error_of(arguments);
    INFO(line);
    CHECK(line.find(one.says) != std::string::npos);
  }
}

TEST_CASE("boot: a refusal leaves nothing, and no output replaces an input") {
  const TempFolder folder;
  const std::string image =
      folder.put("fw.bin", std::string("\x6f\0\0\0", 4)).string();  // an endless loop
  const std::string bad = folder.put("bad", "no snapshot").string();
  const std::string log = folder.path("log.txt"), report = folder.path("new/report");
  const struct {
    std::vector<std::string> arguments;
    std::string says;
  } cases[] = {
      {{"--restore", bad, "--uart", "file:" + log}, bad + ": no snapshot of tern boot"},
      {{"--restore", folder.path("none")}, "none: no such file"},
      {{"--report", report, "--uart", "tcp:"}, "uart 'tcp:': expected"},
      {{"--report", report, "--dtb-out", folder.path("no/such")}, "no/such"},
      {{"--report", image, "--uart", "file:" + log}, "--report " + image},
      {{"--save", image}, "--save: '" + image + "' is a file that the run reads"},
      {{"--uart", "file:" + image}, "--uart: '" + image + "' is a file that the run reads"},
      {{"--uart", "file:" + log + "," + bad, "--save", bad}, "is a file that the run reads"},
      {{"--save", log, "--uart", "file:" + log}, "is also the file of --save"},
  };
  for (const auto& one : cases) {
    std::vector<std::string> arguments = {"boot", image, "--max-time", "1us"};
    arguments.insert(arguments.end(), one.arguments.begin(), one.arguments.end());
    const std::string line = error_of(arguments);
    INFO(line);
    CHECK(line.find(one.says) != std::string::npos);
    CHECK(folder.files() == std::vector<std::string>{"bad", "fw.bin"});
    CHECK(read_bytes(image).size() == 4);
  }
}

TEST_CASE("boot: an interrupted run ends in order") {
  if (!firmware_is_there()) return;
  const TempFolder folder;
  const std::string log = folder.path("log.txt");
  const Outcome run = run_tern({"boot", kUbootM + "u-boot.bin", "--uart", "file:" + log},
                               signal_once_there(log, SIGINT));
  CHECK(run.exit_code == 1);
  CHECK(run.out.find("interruption") != std::string::npos);
}

TEST_CASE("boot: the device tree that software gets") {
  if (!firmware_is_there()) return;
  const TempFolder folder;
  const std::string file = folder.path("board.dtb");
  const Boot run =
      boot({kUbootM + "u-boot.bin", "--dtb-out", file, "--harts", "3", "--until", "DRAM:"});
  CHECK(run.outcome.exit_code == 0);
  const std::string tree = read_bytes(file);
  CHECK(tree.substr(0, 4) == "\xd0\x0d\xfe\xed");
  CHECK(count_of(tree, "rv64imafdc") == 3);
}

TEST_CASE("boot: control characters of the guest reach neither a pipe nor a report") {
  if (!firmware_is_there()) return;
  const Outcome run =
      run_tern({"boot", kUbootM + "u-boot.bin", "--type", "echo \\x07\\x1b[31m", "--until", "=> "});
  CHECK(run.exit_code == 0);
  CHECK(run.out.find('\b') == std::string::npos);
  CHECK(run.out.find("\\x08") != std::string::npos);
  CHECK(run.out.find('\x1b') == std::string::npos);
}
