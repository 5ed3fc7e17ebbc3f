// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>

#include "sw/base/user_error.h"
#include "systemc/mgmt/devices/backend/output_backlog.h"
#include "systemc/mgmt/devices/backend/tcp_backend.h"
#include "tb/mgmt/devices/backend_access.h"

using namespace tern;
using namespace tern::tb;
using mgmt::HostFile;
using mgmt::OutputBacklog;
using mgmt::TcpBackend;

namespace {

HostFile attach(std::uint16_t port) {
  HostFile client(socket(AF_INET, SOCK_STREAM, 0));
  REQUIRE(client);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(connect(client.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  REQUIRE(fcntl(client.get(), F_SETFL, O_NONBLOCK) == 0);
  return client;
}

void type(const HostFile& client, const std::string& text) {
  REQUIRE(mgmt::write_all(client.get(), text));
}

// Instead of an orderly end the other side gets a reset.
void vanish(HostFile client) {
  const linger now{1, 0};
  REQUIRE(setsockopt(client.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now) == 0);
}

}  // namespace

TEST_CASE("tcp: a client finds what was printed before it came, and types any bytes") {
  TcpBackend tcp(0);
  REQUIRE(tcp.port() != 0);
  print(tcp, "boot\r\n");
  const HostFile client = attach(tcp.port());
  CHECK(client_reads(client.get(), 6, tcp) == "boot\r\n");
  std::string all;
  for (unsigned i = 0; i < 1000; ++i) all += static_cast<char>(i);
  type(client, all);
  CHECK(hears(tcp, all));
  print(tcp, all);
  CHECK(client_reads(client.get(), all.size(), tcp) == all);
}

TEST_CASE("tcp: a client that vanishes is harmless, and the next one gets the rest") {
  TcpBackend tcp(0);
  for (unsigned round = 0; round < 20; ++round) {
    HostFile client = attach(tcp.port());
    type(client, "abc");
    REQUIRE(eventually([&] { return tcp.receive() == 'a'; }));
    vanish(std::move(client));
    for (unsigned i = 0; i < 100; ++i) print(tcp, "output for nobody");
    CHECK(heard(tcp).substr(0, 2) == "bc");  // had been read already
  }
  const HostFile client = attach(tcp.port());
  print(tcp, "END");
  std::string text;
  REQUIRE(eventually([&] {
    text += heard(tcp);
    char bytes[4096];
    const ssize_t count = read(client.get(), bytes, sizeof bytes);
    if (count > 0) text.append(bytes, static_cast<std::size_t>(count));
    return text.size() >= 3 && text.substr(text.size() - 3) == "END";
  }));
}

TEST_CASE("tcp: a client that has finished typing still reads, until another one comes") {
  TcpBackend tcp(0);
  const HostFile client = attach(tcp.port());
  type(client, "ls\n");
  REQUIRE(shutdown(client.get(), SHUT_WR) == 0);
  CHECK(hears(tcp, "ls\n"));
  print(tcp, "files");
  CHECK(client_reads(client.get(), 5, tcp) == "files");
  const HostFile next = attach(tcp.port());
  type(next, "k");
  CHECK(hears(tcp, "k"));
}

TEST_CASE("tcp: a second client is turned away") {
  TcpBackend tcp(0);
  const HostFile first = attach(tcp.port());
  type(first, "1");
  REQUIRE(hears(tcp, "1"));
  const HostFile second = attach(tcp.port());
  REQUIRE(eventually([&] {
    heard(tcp);
    char byte = 0;
    const ssize_t count = read(second.get(), &byte, 1);
    return count == 0 || (count < 0 && errno != EAGAIN);
  }));
  type(first, "2");
  CHECK(hears(tcp, "2"));
}

TEST_CASE("tcp: a client that does not read costs bounded memory and no waiting") {
  TcpBackend tcp(0);
  const HostFile client = attach(tcp.port());
  type(client, "1");
  REQUIRE(hears(tcp, "1"));
  std::string all;
  for (unsigned i = 0; all.size() < 16 * OutputBacklog::kBytes; ++i)
    all += std::to_string(i) + "\n";
  print(tcp, all);  // more than sockets hold
  print(tcp, "END");
  std::string text;
  REQUIRE(eventually([&] {
    heard(tcp);
    char bytes[4096];
    ssize_t count = 0;
    while ((count = read(client.get(), bytes, sizeof bytes)) > 0)
      text.append(bytes, static_cast<std::size_t>(count));
    return text.size() >= 3 && text.substr(text.size() - 3) == "END";
  }));
  CHECK(text.size() < all.size());
  CHECK(text.substr(0, 1000) == all.substr(0, 1000));
}

TEST_CASE("tcp: a port that is taken is named") {
  const TcpBackend tcp(0);
  CHECK_THROWS_WITH(TcpBackend(tcp.port()),
                    "uart: port " + std::to_string(tcp.port()) + ": Address already in use");
}
