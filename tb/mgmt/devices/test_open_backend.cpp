// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <filesystem>

#include "sw/base/user_error.h"
#include "systemc/mgmt/devices/backend/open_backend.h"
#include "systemc/mgmt/devices/backend/tcp_backend.h"
#include "systemc/mgmt/devices/backend/terminal_backend.h"
#include "tb/common/temp_folder.h"
#include "tb/mgmt/devices/backend_access.h"

using namespace tern;
using namespace tern::tb;
using mgmt::open_backend;

TEST_CASE("open backend: every kind by its name") {
  const TempFolder folder;
  CHECK(open_backend("none") == nullptr);
  CHECK(dynamic_cast<mgmt::TerminalBackend*>(open_backend("stdio").get()) != nullptr);
  CHECK(open_backend("pty") != nullptr);
  const auto pty = open_backend("pty:" + folder.path("link"));
  CHECK(std::filesystem::is_symlink(folder / "link"));
  const auto tcp = open_backend("tcp:0");
  CHECK(dynamic_cast<mgmt::TcpBackend&>(*tcp).port() != 0);
  {
    const auto output = open_backend("file:" + folder.path("out"));
    print(*output, "a:b,c");
  }
  CHECK(read_bytes(folder / "out") == "a:b,c");
  const auto both = open_backend("file:" + folder.path("out2") + "," + folder.path("out"));
  CHECK(heard(*both) == "a:b,c");
}

TEST_CASE("open backend: other names are refused in one line without their controls") {
  for (const std::string name :
       {"", "stdio:", "none:", "pty:", "tcp", "tcp:", "tcp:65536", "tcp:-1", "tcp:1x", "tcp: 1",
        "file", "file:", "file:,in", "serial", "\x1B[2J\n"}) {
    CAPTURE(name);
    CHECK_THROWS_AS(open_backend(name), UserError);
  }
  CHECK_THROWS_WITH(open_backend("\x1B:x"),
                    "uart '\\x1b:x': expected none, stdio, pty[:LINK], "
                    "tcp:PORT or file:OUTPUT[,INPUT]");
}
