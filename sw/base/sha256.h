// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace tern::base {

// SHA-256 (FIPS 180-4) as 64 hexadecimal digits.
std::string sha256(const void* data, std::size_t bytes);
std::string file_sha256(const std::filesystem::path& path);

// Checks the files of `folder` against a list that sha256sum wrote. A missing or different file is
// a UserError "FILE: ..."; `remedy` is appended to it.
void check_sha256(const std::filesystem::path& folder, const std::filesystem::path& list,
                  const std::string& remedy);

}  // namespace tern::base
