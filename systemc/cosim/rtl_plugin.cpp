// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/rtl_plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "sw/base/user_error.h"
#include "systemc/cosim/rtl_recipe.h"

namespace tern::cosim {

namespace {

std::vector<std::filesystem::path> folders() {
  std::vector<std::filesystem::path> found;
  // What is found is run: nothing is taken from wherever the program happens to stand.
  const char* given = std::getenv("TERN_RTL_DIR");
  if (given != nullptr && *given != '\0') {
    found.emplace_back(given);
    if (!found.back().is_absolute())
      throw UserError(fmt::format("TERN_RTL_DIR: {}: not an absolute path", given));
  }
  // Of the program or library that holds this function.
  Dl_info self;
  void* map = nullptr;
  Dl_serinfo count;
  if (dladdr1(reinterpret_cast<void*>(&load_rtl_plugin), &self, &map, RTLD_DL_LINKMAP) == 0 ||
      dlinfo(map, RTLD_DI_SERINFOSIZE, &count) != 0) {
    return found;
  }
  std::vector<char> memory(count.dls_size);
  auto* paths = reinterpret_cast<Dl_serinfo*>(memory.data());
  if (dlinfo(map, RTLD_DI_SERINFOSIZE, paths) != 0 || dlinfo(map, RTLD_DI_SERINFO, paths) != 0)
    return found;
  for (unsigned i = 0; i < paths->dls_cnt; ++i) {
    std::filesystem::path folder = paths->dls_serpath[i].dls_name;
    if (folder.is_absolute()) found.push_back(std::move(folder));
  }
  return found;
}

std::filesystem::path find(const std::string& name) {
  const std::vector<std::filesystem::path> all = folders();
  for (const std::filesystem::path& folder : all) {
    std::filesystem::path file = folder / (name + ".so");
    const std::filesystem::path recipe = folder / (name + ".build");
    if (std::filesystem::exists(recipe)) build_rtl_plugin(recipe, file);
    if (std::filesystem::exists(file)) return file;
  }
  throw UserError(fmt::format("{}.so: not found in {} (TERN_RTL_DIR names another folder)", name,
                              all.empty() ? "any folder" : all.front().string()));
}

}  // namespace

void* load_rtl_plugin(const std::string& name, const char* symbol) {
  const std::string file = find(name).string();
  void* object = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* address = object != nullptr ? dlsym(object, symbol) : nullptr;
  if (address == nullptr) throw UserError(fmt::format("cannot load {}: {}", file, dlerror()));
  return address;
}

}  // namespace tern::cosim
