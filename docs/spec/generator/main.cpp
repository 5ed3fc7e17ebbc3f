// SPDX-License-Identifier: Apache-2.0
// tern_spec_gen ROOT [--check]: regenerates every file that docs/spec/*.yaml describes, or only
// compares.
#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "output.h"

namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush()) throw std::runtime_error("cannot write " + path.string());
}

int run(const std::filesystem::path& root, bool check) {
  using namespace tern::spec;  // NOLINT: this file only calls the generators
  const auto spec = [&root](const char* name) {
    return YAML::LoadFile((root / "docs/spec" / name).string());
  };
  Outputs outputs;
  generate_isa(spec("isa.yaml"), &outputs);
  generate_formats(spec("formats.yaml"), &outputs);
  generate_exp(spec("exp.yaml")["exponential"], &outputs);
  generate_tensor(spec("tensor.yaml"), spec("isa.yaml"), spec("formats.yaml"), &outputs);
  generate_tensor_codes(spec("tensor.yaml"), &outputs);
  generate_ports(spec("ports.yaml"), spec("tensor.yaml"), spec("isa.yaml"), &outputs);
  generate_address_map(spec("address_map.yaml"), &outputs);
  generate_registers(spec("registers.yaml"), &outputs);
  generate_mgmt(spec("mgmt.yaml"), &outputs);
  generate_link(spec("link.yaml"), &outputs);
  generate_fpga(spec("fpga.yaml"), &outputs);
  generate_dma(spec("dma.yaml"), spec("registers.yaml"), spec("isa.yaml"), &outputs);

  int stale = 0;
  for (const auto& [name, part] : outputs) {
    const std::size_t mark = name.find('#');
    const auto path = root / name.substr(0, mark);
    const std::string old = read_file(path);
    const std::string text =
        mark == std::string::npos ? part : with_part(old, name.substr(mark + 1), part);
    if (old == text) continue;
    ++stale;
    fmt::print("{} {}\n", check ? "stale:" : "wrote", name);
    if (!check) write_file(path, text);
  }
  fmt::print("{} generated files, {} {}\n", outputs.size(), stale,
             check ? "differ from docs/spec" : "changed");
  return check && stale > 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  const bool check = argc == 3 && std::strcmp(argv[2], "--check") == 0;
  if (argc != 2 && !check) {
    std::fputs("usage: tern_spec_gen ROOT [--check]\n", stderr);
    return 2;
  }
  try {
    return run(argv[1], check);
  } catch (const std::exception& e) {
    fmt::print(stderr, "tern_spec_gen: {}\n", e.what());
    return 1;
  }
}
