// SPDX-License-Identifier: Apache-2.0
// Files of a model that are not what they should be.
#include <catch2/catch.hpp>

#include "sw/models/use/model.h"
#include "tb/common/temp_folder.h"

namespace tern::tb {

TEST_CASE("a damaged model is refused with the name of its file") {
  const TempFolder folder;
  const auto refuses = [&](const std::string& what) {
    CHECK_THROWS_WITH(use::load_model(folder.path()), Catch::Contains(what));
  };
  refuses("model.json: no such file");
  folder.put("model.json", "{");
  refuses("model.json: not JSON");
  folder.put("model.json", "{}");
  refuses("model.json: not a TensorFlow.js model");
  const std::string table =
      R"({"name": "module/Embeddings_en", "shape": [2, 2], "dtype": "float32")";
  const auto manifest = [&](const std::string& weight) {
    folder.put("model.json",
               R"({"weightsManifest": [{"paths": ["part"], "weights": [)" + weight + "]}]}");
  };
  manifest(table + "}");
  refuses("part: no such file");
  folder.put("part", std::string(12, '\0'));
  refuses("take 16 bytes, its files hold 12");
  folder.put("part", std::string(16, '\0'));
  refuses("'module/Embeddings_en': expected float32 [2, 256], got float32 [2, 2]");
  manifest(table + R"(, "quantization": {}})");
  refuses("quantised weights");
  manifest(R"({"name": "other", "shape": [4], "dtype": "float32"})");
  refuses("no weight 'module/Embeddings_en'");
  manifest(R"({"name": "other", "shape": [4611686018427387904, 4], "dtype": "float32"})");
  refuses("more than 2^32 elements");
  // A file named ten thousand times is not read: its size is known.
  std::string many = R"("part")";
  for (int i = 1; i < 10'000; ++i) many += R"(,"part")";
  std::filesystem::resize_file(folder / "part", 1 << 20);
  folder.put("model.json",
             R"({"weightsManifest": [{"paths": [)" + many + R"(], "weights": [)" + table + "}]}]}");
  refuses("take 16 bytes, its files hold 10485760000");
  for (const char* path : {"../part", "/etc/hostname", ".."}) {
    folder.put("model.json", R"({"weightsManifest": [{"paths": [")" + std::string(path) +
                                 R"("], "weights": []}]})");
    refuses("expected names of files in its folder");
  }
}

}  // namespace tern::tb
