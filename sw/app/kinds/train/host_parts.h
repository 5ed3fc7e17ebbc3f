// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace tern::app {

// Files of checkpoints on hosts: FOLDER/host3/step-40.part2 is part 2 of one after 40 steps. Each
// says of what it is a part, with checksums of its own bytes and of the whole.
std::filesystem::path host_folder(const std::filesystem::path& folder, unsigned host);
std::string part_file_name(std::uint64_t step, unsigned part);
std::string part_text(const std::string& whole, std::uint64_t step, unsigned part, unsigned parts);

// Makes the folder of a host. Throws UserError if it cannot be, or if it or the one with all hosts
// leads elsewhere.
void prepare_host_folder(const std::filesystem::path& all, unsigned host);

// Those with such names: others are none of ours.
std::vector<std::filesystem::path> files_of_hosts(const std::filesystem::path& folder);

// The bytes of each checkpoint whose parts are all found, on whichever hosts, the newest first,
// until `take` returns true. What is damaged, or larger than any, is passed over.
void for_each_whole(const std::filesystem::path& folder, std::uint64_t most_bytes,
                    const std::function<bool(std::string)>& take);

}  // namespace tern::app
