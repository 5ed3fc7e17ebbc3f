// SPDX-License-Identifier: Apache-2.0
#include "sw/app/cli/image_options.h"

#include <fmt/format.h>

#include <charconv>
#include <functional>
#include <limits>
#include <string>

#include "sw/app/cli/checks.h"

namespace tern::app {

namespace {

// A number as a whole text, from 0; with 0x also hexadecimal.
template <typename T>
bool parse(const std::string& text, T& value) {
  const bool hex = text.rfind("0x", 0) == 0;
  const char* begin = text.data() + (hex ? 2 : 0);
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(begin, end, value, hex ? 16 : 10);
  return error == std::errc() && rest == end;
}

template <typename T>
void add_number(CLI::App* command, const std::string& name, std::function<void(T)> take,
                const char* help) {
  const auto set = [name, take](const std::string& text) {
    T value = 0;
    if (parse(text, value)) return take(value);
    throw CLI::ValidationError(name, fmt::format("expected a whole number up to {}, got '{}'",
                                                 std::numeric_limits<T>::max(), text));
  };
  command->add_option_function<std::string>(name, set, help)->type_name("N");
}

void add_sign(CLI::App* image, ImageOptions* options) {
  CLI::App* sign = image->add_subcommand("sign", "Make a signed image of a program");
  sign->add_option("program", options->input, "ELF file, or raw bytes for --load")
      ->required()
      ->check(check_name)
      ->type_name("FILE");
  sign->add_option("--key", options->key, "Private key of P-256 in PEM")
      ->required()
      ->check(check_name)
      ->type_name("FILE");
  sign->add_option("-o,--output", options->output, "Write the image there")
      ->required()
      ->check(check_name)
      ->type_name("FILE");
  sign->add_option("--name", options->name, "Up to 31 characters")
      ->capture_default_str()
      ->type_name("TEXT");
  sign->add_option("--version", options->version, "Of the firmware")
      ->capture_default_str()
      ->type_name("N.N.N");
  add_number<std::uint32_t>(
      sign, "--security-version",
      [options](std::uint32_t value) { options->security_version = value; },
      "What fuses compare, 0 to 64 (default 1)");
  add_number<std::uint64_t>(
      sign, "--load", [options](std::uint64_t value) { options->load_address = value; },
      "Where raw bytes go and start (default 0x80020000)");
}

}  // namespace

void add_image(CLI::App* app, ImageOptions* options) {
  CLI::App* image = app->add_subcommand("image", "Sign and show images of management firmware");
  image->require_subcommand(1);
  add_sign(image, options);
  CLI::App* show = image->add_subcommand("show", "Print a manifest and check it");
  show->add_option("image", options->input, "Signed image")
      ->required()
      ->check(check_name)
      ->type_name("FILE");
  show->add_flag("--json", options->json, "Print JSON");
  image->footer(
      "Examples (docs/howto/firmware.md):\n"
      "  tern image sign my.elf --key sw/firmware/keys/test_key.pem --security-version 2 -o "
      "my.img\n"
      "  tern image show my.img\n"
      "  tern boot --board tern --slot-a my.img\n"
      "Exit code of show: 0 digest and signature match, 1 they do not, 2 there is no manifest.");
}

int run_image(const CLI::App& app, const ImageOptions& options) {
  return app.get_subcommand("image")->got_subcommand("sign") ? image_sign(options)
                                                             : image_show(options);
}

}  // namespace tern::app
