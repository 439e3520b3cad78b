// The ops that patterns name. A new one is a line here.
#pragma once
#include "rewrite/pattern.h"

namespace nfx::pattern {

inline const PatternOp add{"add", {"aten.add.Tensor", "aten.add.Scalar"}};
inline const PatternOp sub{"sub", {"aten.sub.Tensor", "aten.sub.Scalar"}};
inline const PatternOp mul{"mul", {"aten.mul.Tensor", "aten.mul.Scalar"}};
inline const PatternOp div{"div", {"aten.div.Tensor", "aten.div.Scalar"}};
inline const PatternOp rsub{"rsub", {"aten.rsub.Scalar", "aten.rsub.Tensor"}};
inline const PatternOp pow{"pow", {"aten.pow.Tensor_Scalar"}};
inline const PatternOp neg{"neg", {"aten.neg.default"}};
inline const PatternOp abs{"abs", {"aten.abs.default"}};
inline const PatternOp sign{"sign", {"aten.sign.default"}};
inline const PatternOp relu{"relu", {"aten.relu.default"}};
inline const PatternOp clamp{"clamp", {"aten.clamp.default"}};
inline const PatternOp clamp_min{"clamp_min", {"aten.clamp_min.default"}};
inline const PatternOp clamp_max{"clamp_max", {"aten.clamp_max.default"}};
inline const PatternOp maximum{"maximum", {"aten.maximum.default"}};
inline const PatternOp minimum{"minimum", {"aten.minimum.default"}};
inline const PatternOp floor{"floor", {"aten.floor.default"}};
inline const PatternOp ceil{"ceil", {"aten.ceil.default"}};
inline const PatternOp trunc{"trunc", {"aten.trunc.default"}};
inline const PatternOp round{"round", {"aten.round.default"}};

inline const PatternOp where{
    "where",
    {"aten.where.self", "aten.where.ScalarSelf", "aten.where.ScalarOther", "aten.where.Scalar"}};
inline const PatternOp eq{"eq", {"aten.eq.Tensor", "aten.eq.Scalar"}};
inline const PatternOp ne{"ne", {"aten.ne.Tensor", "aten.ne.Scalar"}};
inline const PatternOp lt{"lt", {"aten.lt.Tensor", "aten.lt.Scalar"}};
inline const PatternOp le{"le", {"aten.le.Tensor", "aten.le.Scalar"}};
inline const PatternOp gt{"gt", {"aten.gt.Tensor", "aten.gt.Scalar"}};
inline const PatternOp ge{"ge", {"aten.ge.Tensor", "aten.ge.Scalar"}};
inline const PatternOp logical_not{"logical_not", {"aten.logical_not.default"}};
inline const PatternOp logical_and{"logical_and", {"aten.logical_and.default"}};
inline const PatternOp logical_or{"logical_or", {"aten.logical_or.default"}};
inline const PatternOp bitwise_not{"bitwise_not", {"aten.bitwise_not.default"}};
inline const PatternOp bitwise_and{"bitwise_and",
                                   {"aten.bitwise_and.Tensor", "aten.bitwise_and.Scalar"}};
inline const PatternOp bitwise_or{"bitwise_or",
                                  {"aten.bitwise_or.Tensor", "aten.bitwise_or.Scalar"}};
inline const PatternOp bitwise_xor{"bitwise_xor",
                                   {"aten.bitwise_xor.Tensor", "aten.bitwise_xor.Scalar"}};

inline const PatternOp full_like{"full_like", {"aten.full_like.default"}};
inline const PatternOp clone{"clone", {"aten.clone.default"}};
inline const PatternOp contiguous{"contiguous", {"aten.contiguous.default"}};
inline const PatternOp reshape{"reshape", {"aten.reshape.default"}};
inline const PatternOp to{"to",
                          {"aten._to_copy.default", "aten.to.dtype", "aten.to.dtype_layout",
                           "aten.to.device", "prims.convert_element_type.default"}};
inline const PatternOp repeat{"repeat", {"aten.repeat.default"}};
inline const PatternOp pad{"pad", {"aten.constant_pad_nd.default"}};
inline const PatternOp dropout{"dropout", {"aten.dropout.default"}};

// Expressions as in arithmetic. One side at least is a pattern.
inline Pattern operator+(Pattern a, Pattern b) { return add(a, b); }
inline Pattern operator-(Pattern a, Pattern b) { return sub(a, b); }
inline Pattern operator*(Pattern a, Pattern b) { return mul(a, b); }
inline Pattern operator/(Pattern a, Pattern b) { return div(a, b); }

}  // namespace nfx::pattern
