// Any text is read or refused, and what was read prints to a text that reads as
// the same graph.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "ir/graph.h"

namespace {

void require(bool condition, const char* what, const std::string& detail) {
  if (condition) return;
  std::fprintf(stderr, "%s\n%s\n", what, detail.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto context = std::make_shared<nfx::Context>();
  const auto graph = nfx::parse(text, context);
  if (!graph) return 0;
  const nfx::Status status = nfx::verify(**graph);
  if (!status) require(!status.error().help.empty(), "an error without help", status.error().str());
  const std::string printed = nfx::print(**graph);

  const auto again = nfx::parse(printed, context);
  require(again.ok(), "what was printed cannot be read", printed);
  std::string difference;
  require(nfx::equal(**graph, **again, &difference), "another graph was read", difference);

  const auto elsewhere = nfx::parse(printed, std::make_shared<nfx::Context>());
  require(elsewhere.ok(), "another context cannot read it", printed);
  require(nfx::print(**elsewhere) == printed, "another context prints otherwise", printed);

  const auto copy = (*graph)->clone();
  require(nfx::equal(**graph, *copy, &difference), "the clone differs", difference);
  return 0;
}
