// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "sw/base/user_error.h"
#include "systemc/cosim/rtl_plugin.h"
#include "systemc/cosim/rtl_recipe.h"
#include "tb/common/temp_folder.h"

using namespace tern;
using namespace tern::cosim;
using namespace tern::tb;
namespace fs = std::filesystem;
using Catch::Contains;
using namespace std::chrono_literals;

namespace {

// A build folder whose "compiler" is a shell script. It takes note of every run.
struct Folder {
  explicit Folder(const std::string& script) {
    temp.put("cmake", "#!/bin/sh\necho \"$*\" >>'" + temp.path("runs") + "'\n" + script);
    fs::permissions(temp.path("cmake"), fs::perms::owner_all);
    temp.put("block.sv", "");
    temp.put("block.build", "what a block (soon)\ncmake " + temp.path("cmake") + "\nfolder " +
                                temp.path("") + "\nsource " + temp.path("block.sv") + "\n");
  }
  std::string read(const std::string& name) const { return read_bytes(temp / name); }
  void build() const { build_rtl_plugin(temp.path("block.build"), temp.path("block.so")); }

  TempFolder temp;
};

const char* const kMake = "sleep 0.2\necho made >\"$2/block.so\"\n";

std::string one_run(const Folder& folder) {
  return "--build " + folder.temp.path("") + " --target block\n";
}

}  // namespace

TEST_CASE("RTL plugin: built when missing, and when a source is newer") {
  const Folder folder(kMake);
  folder.build();
  CHECK(folder.read("block.so") == "made\n");
  folder.build();
  CHECK(folder.read("runs") == one_run(folder));
  fs::last_write_time(folder.temp.path("block.sv"), fs::file_time_type::clock::now() + 1s);
  folder.build();
  CHECK(folder.read("runs") == one_run(folder) + one_run(folder));
}

TEST_CASE("RTL plugin: several users at once build it once") {
  const Folder folder(kMake);
  std::vector<std::thread> users;
  for (int i = 0; i < 4; ++i) users.emplace_back([&folder] { folder.build(); });
  for (std::thread& user : users) user.join();
  CHECK(folder.read("runs") == one_run(folder));
}

TEST_CASE("RTL plugin: a failed build is one line with the log") {
  const Folder folder("echo 'no such module'\nexit 1\n");
  const std::string log = folder.temp.path("block.log");
  CHECK_THROWS_AS(folder.build(), RunError);
  CHECK_THROWS_WITH(folder.build(), "the RTL of a block (soon) could not be built: see " + log);
  CHECK(folder.read("block.log") == "no such module\n");
}

TEST_CASE("RTL plugin: neither there nor to be built, or no shared object") {
  const TempFolder folder;
  setenv("TERN_RTL_DIR", folder.path("").c_str(), 1);
  CHECK_THROWS_WITH(load_rtl_plugin("nothing", "entry"), Contains("nothing.so: not found in"));
  folder.put("text.so", "text");
  CHECK_THROWS_WITH(load_rtl_plugin("text", "entry"), Contains("cannot load " + folder.path("")));
}
