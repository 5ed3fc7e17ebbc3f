// SPDX-License-Identifier: Apache-2.0
// Data files from a report's data: what report.json has as lists, as tables. Their columns are the
// keys of docs/reference/report-json.md, which end in their units.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sw/app/report/blocks.h"

namespace tern::app {

// A row for each entry of the list data[path[0]]; with more names in the path, for each entry of
// the lists in those, after the keys of the outer entry. A map counts as a list whose entries begin
// with their name. `name` becomes what the list is of: "routing" in "routings"; a key
// that an outer entry has, too, is "pass_us". Keys of inner objects follow a dot: "busy.tensor".
// Lists that the path does not name are left out.
DataFile records(const std::string& file, const nlohmann::ordered_json& data,
                 const std::vector<std::string>& path);

// Lists of equal length side by side: a row for each index, from 1.
DataFile side_by_side(const std::string& file, const nlohmann::ordered_json& data,
                      const std::string& index, const std::vector<std::string>& keys);

}  // namespace tern::app
