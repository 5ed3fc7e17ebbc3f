// SPDX-License-Identifier: Apache-2.0
#include "sw/config/yaml_document.h"

#include <yaml-cpp/eventhandler.h>

#include <sstream>

namespace tern::config {
namespace {

// Where documents begin.
class Begins : public YAML::EventHandler {
 public:
  unsigned documents() const { return documents_; }
  const YAML::Mark& last() const { return last_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    ++documents_;
    empty_ = true;
    last_ = mark;
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { node(mark); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { node(mark); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                const std::string&) override {
    node(mark);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    node(mark);
  }
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    node(mark);
  }
  void OnMapEnd() override {}

 private:
  void node(const YAML::Mark& mark) {
    if (empty_) last_ = mark;
    empty_ = false;
  }

  unsigned documents_ = 0;
  bool empty_ = true;  // the document so far
  YAML::Mark last_;
};

}  // namespace

YAML::Node only_document(const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  Begins begins;
  if (!parser.HandleNextDocument(begins)) return {};
  const YAML::Mark first = begins.last();
  if (parser.HandleNextDocument(begins) && begins.documents() > 1) {
    if (begins.last().pos == first.pos)
      throw YAML::ParserException(first, "no value begins like this");
    throw AnotherDocument{begins.last()};
  }
  return YAML::Load(text);
}

}  // namespace tern::config
