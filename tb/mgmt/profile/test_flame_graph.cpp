// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "systemc/mgmt/profile/call_tree.h"
#include "systemc/mgmt/profile/flame_graph.h"

using namespace tern;  // NOLINT
using Catch::Contains;
using mgmt::CallTree;

TEST_CASE("flame graph: a tree as folded stacks and as a picture") {
  CallTree tree;
  const std::size_t main = tree.child(CallTree::kRoot, "main"), print = tree.child(main, "print");
  CHECK(tree.child(main, "print") == print);
  const std::size_t other = tree.child(CallTree::kRoot, "operator<");
  for (unsigned i = 0; i < 30; ++i) tree.count(main);
  for (unsigned i = 0; i < 60; ++i) tree.count(print);
  for (unsigned i = 0; i < 10; ++i) tree.count(other);
  CHECK(tree.folded() == "main 30\nmain;print 60\noperator< 10\n");
  CHECK(tree.totals() == std::vector<std::uint64_t>{100, 90, 60, 10});
  const std::string picture = mgmt::flame_graph(tree, "a < b");
  CHECK_THAT(picture, Contains("<title>all (100 instructions, 100.00 %)</title>"));
  CHECK_THAT(picture, Contains("<title>print (60 instructions, 60.00 %)</title>"));
  CHECK_THAT(picture, Contains("operator&lt; (10 instructions, 10.00 %)"));
  CHECK_THAT(picture, Contains("width=\"1062.0\""));  // main: 90 % of 1,180
  CHECK_THAT(picture, !Contains("a < b"));
}

TEST_CASE("flame graph: of nothing") {
  const CallTree tree;
  CHECK(tree.folded().empty());
  CHECK_THAT(mgmt::flame_graph(tree, "nothing"), Contains("all (0 instructions, 0.00 %)"));
}
