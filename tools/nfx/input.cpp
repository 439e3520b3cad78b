#include "nfx/input.h"

#include <fstream>
#include <iostream>
#include <iterator>

#include "ops/op_table.h"

namespace nfx {
namespace {

struct UnreadableFile {
  static constexpr std::string_view kCode = "unreadable-file";
  std::string path;
  std::string message() const { return "cannot read `" + path + "`"; }
  std::string help() const { return "give the path of a readable file, or `-`"; }
};
NFX_DIAGNOSTIC(UnreadableFile);

std::string read_all(std::istream& in) { return {std::istreambuf_iterator<char>(in), {}}; }

}  // namespace

Result<std::string> read_text(const std::string& path) {
  if (path == "-") return read_all(std::cin);
  std::ifstream file(path, std::ios::binary);
  std::string text = read_all(file);
  if (!file || file.bad()) return diagnose(UnreadableFile{path});
  return text;
}

Result<std::unique_ptr<Graph>> read_graph(const std::string& path) {
  static const SchemaOpTable ops;  // the rows: no PyTorch here to give schemas
  const auto context = std::make_shared<Context>(&ops);
  NFX_ASSIGN(const std::string text, read_text(path));
  return parse(text, context, path == "-" ? "<stdin>" : path);
}

}  // namespace nfx
