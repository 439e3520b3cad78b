#include "passes/fuse_rms_norm.h"

#include "passes/fuse_rules.h"
#include "passes/fusion_text.h"

namespace nfx {
namespace {

// x / sqrt(mean(x^2) + eps) as %n; x is %f.
std::vector<std::string> normalisations() {
  std::vector<std::string> all;
  for (const std::string& square : {line("square", "aten.pow.Tensor_Scalar", "%f, 2"),
                                    line("square", "aten.mul.Tensor", "%f, %f")}) {
    const std::string variance = square + line("mean", "aten.mean.dim", "%square, %dims, True") +
                                 line("v", "aten.add.Tensor", "%mean, %eps");
    all.push_back(variance + line("r", "aten.rsqrt.default", "%v") +
                  line("n", "aten.mul.Tensor", "%f, %r"));
    all.push_back(variance + line("r", "aten.sqrt.default", "%v") +
                  line("n", "aten.div.Tensor", "%f, %r"));
    all.push_back(variance + line("r", "aten.pow.Tensor_Scalar", "%v, -0.5") +
                  line("n", "aten.mul.Tensor", "%f, %r"));
  }
  return all;
}

// The cast of %from to a dtype.
std::vector<std::pair<std::string, std::string>> casts() {
  const auto both = [](std::string_view op, std::string_view keyword) {
    const auto cast = [&](std::string_view name, std::string_view from, std::string_view dtype) {
      return line(name, op,
                  "%" + std::string(from) + ", " + std::string(keyword) + std::string(dtype));
    };
    return std::pair(cast("f", "x", "dtype(float32)"), cast("back", "n", "%dtype"));
  };
  return {both("aten._to_copy.default", "dtype="), both("aten.to.dtype", ""),
          both("prims.convert_element_type.default", "")};
}

bool is_half(Dtype dtype) { return dtype == Dtype::kBFloat16 || dtype == Dtype::kFloat16; }

std::optional<int64_t> last_size(const SubgraphMatch& match) {
  const Type& x = *match.tensor("x");
  return as_int(match.graph().context(), x.sizes.back());
}

bool is_norm(const SubgraphMatch& match, bool cast) {
  const Type* x = floating_tensor(match, "x");
  if (x == nullptr || x->rank() == 0 || !last_size(match)) return false;
  const ArgumentView eps = match.value("eps");
  if (!eps.as_number() || !names_last_dimension(match, "dims", x->rank())) return false;
  return cast == is_half(x->dtype) && match.root().type().dtype == x->dtype;
}

bool has_weight(const SubgraphMatch& match) {
  const Type* x = match.tensor("x");
  const Type* w = match.tensor("w");
  return w != nullptr && w->dtype == x->dtype && w->rank() == 1 && w->sizes[0] == x->sizes.back();
}

std::optional<ArgId> computed(const SubgraphMatch& match, std::string_view name) {
  Context& context = match.graph().context();
  if (name == "epsilon") return context.real(*match.value("eps").as_number());
  const ArgId size[] = {context.integer(*last_size(match))};
  return context.sequence(ArgKind::kList, size);
}

// Longer patterns first: a shorter one is a part of them.
void add_rules(std::vector<TextRule>& rules, const std::string& normalised, bool cast) {
  std::vector<std::string> inputs{"x", "dims", "eps"};
  if (cast) inputs.push_back("dtype");
  const std::string last = cast ? "%back" : "%n";
  const auto to = [&](const std::string& arguments) {
    std::vector<std::string> given = inputs;
    given.insert(given.end(), {"shape", "epsilon"});
    return side(given, line("rms_norm", "aten.rms_norm.default", arguments), "rms_norm");
  };
  const std::string plain_to = to("%x, %shape, None, %epsilon");
  inputs.push_back("w");
  rules.push_back(
      {"rms_norm", side(inputs, normalised + line("out", "aten.mul.Tensor", last + ", %w")),
       to("%x, %shape, %w, %epsilon"),
       [cast](const SubgraphMatch& match) { return is_norm(match, cast) && has_weight(match); },
       computed});
  inputs.pop_back();
  std::string alone = normalised;
  const std::string name = cast ? "  %back = " : "  %n = ";
  alone.replace(alone.rfind(name), name.size(), "  %out = ");
  rules.push_back({"rms_norm", side(inputs, alone), plain_to,
                   [cast](const SubgraphMatch& match) { return is_norm(match, cast); }, computed});
}

TextRuleSet make() {
  TextRuleSet set{"rms_norm", "spelled RMS norm as aten.rms_norm; rounds differently", {}};
  for (const std::string& normalisation : normalisations()) {
    for (const auto& [there, back] : casts()) {
      add_rules(set.rules, there + normalisation + back, true);
    }
  }
  for (std::string normalisation : normalisations()) {
    for (size_t at = 0; (at = normalisation.find("%f", at)) != std::string::npos;) {
      normalisation.replace(at, 2, "%x");
    }
    add_rules(set.rules, normalisation, false);
  }
  return set;
}

}  // namespace

const TextRuleSet& rms_norm_rules() {
  static const TextRuleSet set = make();
  return set;
}

Changed fuse_rms_norm(Graph& graph) { return apply_fusion(graph, rms_norm_rules()); }

NFX_TEXT_RULES(rms_norm_rules);
NFX_PASS(fuse_rms_norm, "replace spelled RMS norm by the op, which rounds differently");

}  // namespace nfx
