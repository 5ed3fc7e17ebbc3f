// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "sw/base/user_error.h"
#include "systemc/mgmt/devices/backend/output_backlog.h"
#include "systemc/mgmt/devices/backend/pty_backend.h"
#include "tb/common/temp_folder.h"
#include "tb/mgmt/devices/backend_access.h"

using namespace tern;
using namespace tern::tb;
using mgmt::HostFile;
using mgmt::OutputBacklog;
using mgmt::PtyBackend;

namespace {

HostFile attach(const std::string& name) {
  HostFile client(open(name.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK));
  REQUIRE(client);
  return client;
}

void type(const HostFile& client, const std::string& text) {
  REQUIRE(write(client.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
}

}  // namespace

TEST_CASE("pty: a client finds what was printed before it came, and types without echo") {
  PtyBackend pty;
  CHECK(pty.name().rfind("/dev/pts/", 0) == 0);
  CHECK(heard(pty).empty());
  const std::string before = "boot\r\n\x03\x04\x13\x1B[1m";
  print(pty, before);
  const HostFile client = attach(pty.name());
  CHECK(client_reads(client.get(), before.size(), pty) == before);
  const std::string all("a\r\n\x03\x04\x11\x1A\x7F\0\xFF", 10);
  type(client, all);
  CHECK(hears(pty, all));
  print(pty, "x");
  CHECK(client_reads(client.get(), 1, pty) == "x");  // and nothing that was typed
}

TEST_CASE("pty: clients come and go, also in the middle of something") {
  PtyBackend pty;
  for (unsigned round = 0; round < 20; ++round) {
    HostFile client = attach(pty.name());
    type(client, "abc");
    REQUIRE(eventually([&] { return pty.receive() == 'a'; }));
    print(pty, "unread");
    client.close();
    print(pty, std::to_string(round));
    heard(pty);
  }
  const HostFile client = attach(pty.name());
  print(pty, "END");
  std::string last;
  REQUIRE(eventually([&] {
    heard(pty);
    char byte = 0;
    while (read(client.get(), &byte, 1) == 1) last += byte;
    return last.size() >= 3 && last.substr(last.size() - 3) == "END";
  }));
}

TEST_CASE("pty: without a client the newest output is kept, in bounded memory") {
  PtyBackend pty;
  std::string all;
  for (unsigned i = 0; all.size() < 3 * OutputBacklog::kBytes; ++i) all += std::to_string(i) + "\n";
  print(pty, all);
  const HostFile client = attach(pty.name());
  const std::string expected = all.substr(all.size() - OutputBacklog::kBytes);
  CHECK(client_reads(client.get(), expected.size(), pty) == expected);
}

TEST_CASE("pty: its link appears, replaces a stale one and nothing else, and goes") {
  const TempFolder folder;
  const std::string link = folder.path("uart");
  {
    const PtyBackend pty(link);
    CHECK(std::filesystem::read_symlink(link) == pty.name());
    attach(link);
  }
  CHECK_FALSE(std::filesystem::is_symlink(link));
  std::filesystem::create_symlink("/dev/pts/987654", link);
  {
    const PtyBackend pty(link);
    CHECK(std::filesystem::read_symlink(link) == pty.name());
    std::filesystem::remove(link);
    std::filesystem::create_symlink("elsewhere", link);  // by somebody else
  }
  CHECK(std::filesystem::read_symlink(link) == "elsewhere");
  CHECK_THROWS_WITH(PtyBackend(link), link + ": File exists");
  const auto file = folder.put("file", "kept");
  CHECK_THROWS_AS(PtyBackend(file.string()), UserError);
  CHECK(read_bytes(file) == "kept");
  CHECK_THROWS_WITH(PtyBackend(folder.path("no/link")),
                    folder.path("no/link") + ": No such file or directory");
}
