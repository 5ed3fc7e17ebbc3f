// SPDX-License-Identifier: Apache-2.0
// Trains the weights of the digits example on the host. See README.md for the command that made
// weights/.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <system_error>

#include "sw/base/user_error.h"
#include "sw/examples/digits/mlp.h"
#include "sw/examples/digits/trainer.h"

namespace {

namespace fs = std::filesystem;
namespace digits = tern::digits;

struct Arguments {
  std::string images;
  std::string labels;
  std::string test_images;
  std::string test_labels;
  std::string out;
  digits::TrainOptions train;
};

void add_options(CLI::App& app, Arguments& a) {
  app.add_option("--images", a.images, "training images, IDX or IDX.gz")->required();
  app.add_option("--labels", a.labels, "training labels, IDX or IDX.gz")->required();
  app.add_option("--test-images", a.test_images, "test images, IDX or IDX.gz")->required();
  app.add_option("--test-labels", a.test_labels, "test labels, IDX or IDX.gz")->required();
  app.add_option("--out", a.out, "folder for w1.npy b1.npy w2.npy b2.npy")->required();
  app.add_option("--hidden", a.train.hidden, "hidden neurons")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  app.add_option("--epochs", a.train.epochs, "passes over the training images")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--seed", a.train.seed, "of initial weights, order and shifts")
      ->capture_default_str();
}

tern::data::ImageSet read_set(const std::string& images, const std::string& labels) {
  auto set = tern::data::read_image_set(images, labels, digits::kClasses);
  constexpr std::size_t kMaxPixels = 1u << 16;
  if (set.count == 0 || set.rows == 0 || set.columns == 0) {
    throw tern::UserError(images + ": holds no pixels");
  }
  if (set.rows > kMaxPixels || set.columns > kMaxPixels || set.pixels_per_image() > kMaxPixels) {
    throw tern::UserError(
        fmt::format("{}: images of {} x {} are too large, expected at most {} pixels", images,
                    set.rows, set.columns, kMaxPixels));
  }
  return set;
}

// Checked before the work, not after it.
void prepare_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw tern::UserError(folder.string() + ": cannot make this folder: " + error.message());
  if (!fs::is_directory(folder)) throw tern::UserError(folder.string() + ": not a folder");
  if (::access(folder.c_str(), W_OK) != 0) {
    throw tern::UserError(folder.string() + ": this folder is not writable");
  }
}

double percent(std::size_t part, std::size_t whole) {
  return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

void run(const Arguments& a) {
  const auto set = read_set(a.images, a.labels);
  const auto test = read_set(a.test_images, a.test_labels);
  if (set.rows != test.rows || set.columns != test.columns) {
    throw tern::UserError(fmt::format("{}: images are {} x {}, but those of {} are {} x {}",
                                      a.test_images, test.rows, test.columns, a.images, set.rows,
                                      set.columns));
  }
  prepare_folder(a.out);

  const auto start = std::chrono::steady_clock::now();
  const auto report = [&](const digits::EpochResult& result) {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    fmt::print(stderr, "epoch {:3}/{}  loss {:.4f}  test {:.2f} %  {:.1f} s\n", result.epoch,
               a.train.epochs, result.loss, percent(count_correct(result.mlp, test), test.count),
               elapsed.count());
  };
  digits::Mlp mlp = digits::train(set, a.train, report);
  digits::round_weights_to_bf16(mlp);
  digits::write_weights(mlp, a.out);
  const std::size_t correct = count_correct(mlp, test);
  fmt::print("{} of {} test images correct ({:.2f} %) with BF16 weights and activations\n", correct,
             test.count, percent(correct, test.count));
  fmt::print("weights in {}\n", a.out);
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("Trains a 784-N-10 network on handwritten digits and writes its weights as .npy.");
  add_options(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    run(arguments);
    return 0;
  } catch (const tern::UserError& error) {
    fmt::print(stderr, "tern_train_digits: {}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "tern_train_digits: {}\n", error.what());
    return 1;
  }
}
