// SPDX-License-Identifier: Apache-2.0
// tern_sign_firmware PAYLOAD KEY IMAGE VERSION SECURITY_VERSION: signs the firmware during the
// build, before there is a tern program. For people there is `tern image sign`.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>

#include "sw/base/atomic_file.h"
#include "sw/base/input_file.h"
#include "sw/image/firmware_image.h"
#include "sw/spec/generated/address_map.h"

int main(int argc, char** argv) {
  using namespace tern;  // NOLINT: a program of one function
  constexpr int kArguments = 6;
  if (argc != kArguments) return 2;
  try {
    image::Description description;
    description.name = "tern firmware";
    description.version = image::packed_version(argv[4]);
    description.security_version = static_cast<std::uint32_t>(std::stoul(argv[5]));
    description.load_address = TERN_MGMT_MEMORY_BASE + TERN_MGMT_ROM_SCRATCH;
    description.entry = description.load_address;
    base::write_file(argv[3], image::make_image(base::read_input(argv[1]), description,
                                                crypto::KeyPair::from_file(argv[2])));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "tern_sign_firmware: {}\n", error.what());
    return 1;
  }
}
