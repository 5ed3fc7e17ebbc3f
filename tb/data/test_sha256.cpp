// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sw/base/sha256.h"
#include "tb/data/support.h"

namespace tern::tb {

// From FIPS 180-4's examples.
TEST_CASE("SHA-256 of the published messages") {
  const auto hash = [](const std::string& text) { return base::sha256(text.data(), text.size()); };
  CHECK(hash("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(hash("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(hash(std::string(1000000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("files are checked against a list of SHA-256 sums") {
  const TempFolder folder;
  folder.put("a", "abc");
  const std::string sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  const auto check = [&](const std::string& list) {
    base::check_sha256(folder.path(), folder.put("list", list), ": mend it");
  };
  CHECK_NOTHROW(check(sum + "  a\n"));
  CHECK_THROWS_WITH(check(sum + "  b\n"), Catch::EndsWith("/b: no such file: mend it"));
  CHECK_THROWS_WITH(check("0" + sum.substr(1) + "  a\n"),
                    Catch::EndsWith("/a: is not the expected file (SHA-256): mend it"));
  CHECK_THROWS_WITH(check(sum + "  a\nx\n"), Catch::Contains("list:2: expected 64 digits"));
}

}  // namespace tern::tb
