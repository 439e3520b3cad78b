"""One operator of PyTorch's database against eager: values, gradients, and who ran it."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable
from typing import Any

import torch
from tolerances import assert_as_exact
from torch.utils._pytree import tree_leaves

from nativefx.errors import Error
from nativefx.report import GraphReport, collector

__all__ = ["OUTCOMES", "Verdict", "check_operator", "is_heavy", "name_of", "operators"]

OUTCOMES = ("right", "wrong", "refused", "raises", "crash", "timeout", "aot_eager fails")
OTHER_DTYPES = ("float64", "bfloat16", "int64", "bool")

# Matrix, convolution, sort, FFT, linear algebra: what kernels of ours do not aim at.
HEAVY_PREFIXES = ("fft.", "sparse.", "nn.functional.conv", "cholesky", "lu", "svd", "unique")
_HEAVY_NAMES = """
    addmm addmv addbmm baddbmm dot vdot bmm mv matmul mm einsum tensordot inner __rmatmul__ cov
    corrcoef geqrf ormqr qr pca_lowrank pinverse triangular_solve matrix_exp logdet norm.nuc
    nn.functional.linear nn.functional.bilinear nn.functional.linear_cross_entropy
    nn.functional.multi_head_attention_forward nn.functional.scaled_dot_product_attention
    torch._scaled_mm torch._scaled_mm_v2 torch.ops.aten._flash_attention_forward
    torch.ops.aten._efficient_attention_forward stft istft sort msort argsort topk kthvalue median
    nanmedian mode quantile nanquantile masked.median
"""
HEAVY = frozenset(_HEAVY_NAMES.split())
_LIGHT_NAMES = ("cross", "diagonal", "vecdot", "norm", "vector_norm", "vander")
LIGHT_LINALG = frozenset(f"linalg.{name}" for name in _LIGHT_NAMES)


@dataclasses.dataclass
class Verdict:
    """What became of one operator in one dtype, worst sample first."""

    outcome: str = "right"
    detail: str = ""
    in_kernel: bool = False
    native: bool = True  # forward has neither an ATen step nor a Python call
    aten: int = 0
    python: int = 0
    outside: list[str] = dataclasses.field(default_factory=list)  # who is not in a kernel, why


def operators() -> list[Any]:
    """All operators of PyTorch's database, in its order."""
    from torch.testing._internal.common_methods_invocations import op_db

    return list(op_db)


def name_of(op: Any) -> str:
    """Its name with that of the variant."""
    return op.name + (f".{op.variant_test_name}" if op.variant_test_name else "")


def is_heavy(op: Any) -> bool:
    """Whether its work is a matrix product, convolution, sort, FFT or linear algebra."""
    if op.name.startswith("linalg."):
        return op.name not in LIGHT_LINALG
    return op.name in HEAVY or name_of(op) in HEAVY or op.name.startswith(HEAVY_PREFIXES)


def check_operator(op: Any, dtype: torch.dtype, samples: int, gradients: bool) -> Verdict | None:
    """Compare the first samples with eager; None if there is none that eager runs."""
    wanted = gradients and op.supports_autograd
    try:
        inputs = list(itertools.islice(op.sample_inputs("cpu", dtype, wanted), samples))
    except Exception:  # the operator has samples of another device only
        return None
    checked = [_Check(op, sample).verdict() for sample in inputs]
    verdicts = [verdict for verdict in checked if verdict is not None]
    if not verdicts:
        return None
    worst = max(verdicts, key=lambda v: (v.outcome != "aot_eager fails", v.outcome != "right"))
    return Verdict(
        worst.outcome,
        worst.detail,
        any(v.in_kernel for v in verdicts),
        all(v.native for v in verdicts),
        sum(v.aten for v in verdicts),
        sum(v.python for v in verdicts),
        sorted({line for v in verdicts for line in v.outside}),
    )


class _Check:
    """One sample. Eager is the reference; aot_eager is asked only if we differ."""

    def __init__(self, op: Any, sample: Any) -> None:
        self.sample = sample
        self.call: Callable[[Any], Any] = lambda own: op(own.input, *own.args, **own.kwargs)

    def verdict(self) -> Verdict | None:
        try:
            expected = self._once(self.call, self.sample)
        except Exception:
            return None
        verdict = Verdict()
        found: list[Any] = []
        with collector() as graphs:
            try:
                found = self._twice("nativefx", options={"fallback": "error"})
            except Error as error:
                verdict.outcome, verdict.detail = "refused", _brief(error)
            except Exception as error:
                verdict.outcome, verdict.detail = "raises", _brief(error)
        _count(verdict, graphs)
        if found:
            verdict.detail = self._difference(found, expected)
            verdict.outcome = "wrong" if verdict.detail else "right"
        if verdict.outcome != "right":
            self._ask_aot_eager(verdict, found)
        return verdict

    def _ask_aot_eager(self, verdict: Verdict, found: list[Any]) -> None:
        try:
            theirs = self._twice("aot_eager")
        except Exception as error:
            verdict.outcome, verdict.detail = "aot_eager fails", _brief(error)
            return
        if found and not self._difference(found, theirs[0]):
            verdict.outcome, verdict.detail = "right", ""

    def _difference(self, found: list[Any], expected: Any) -> str:
        exact = self._exact(expected)
        try:
            for ours in found:
                assert_as_exact(ours, expected, exact, self._terms())
        except AssertionError as error:
            return _brief(error)
        return ""

    def _twice(self, backend: str, **kwargs: Any) -> list[Any]:
        torch._dynamo.reset()
        compiled = torch.compile(self.call, backend=backend, **kwargs)
        # The second run has the memory of the first.
        return [self._once(compiled, self.sample) for _ in range(2)]

    def _once(self, call: Callable[..., Any], sample: Any) -> Any:
        """Give the leaves of the results, and gradients of all that have one."""
        own = sample.transform(_clone)
        torch.manual_seed(0)
        result = own.output_process_fn_grad(call(own))
        leaves = [leaf for leaf in tree_leaves(result) if isinstance(leaf, torch.Tensor)]
        others = [leaf for leaf in tree_leaves(result) if not isinstance(leaf, torch.Tensor)]
        sources = [x for x in tree_leaves((own.input, own.args, own.kwargs)) if _is_source(x)]
        targets = [leaf for leaf in leaves if leaf.requires_grad]
        gradients: list[Any] = []
        if sources and targets:
            weights = [_weights(target) for target in targets]
            gradients = list(
                torch.autograd.grad(targets, sources, weights, allow_unused=True)  # type: ignore
            )
        return [*map(_dense, leaves), *others, *map(_dense, gradients)]

    def _terms(self) -> float:
        """Magnitude of the inputs."""
        leaves = tree_leaves((self.sample.input, self.sample.args, self.sample.kwargs))
        floats = [
            x.detach() for x in leaves if isinstance(x, torch.Tensor) and x.is_floating_point()
        ]
        sizes = [_dense(x).nan_to_num(0, 0, 0).abs().max().item() for x in floats if x.numel()]
        return max(sizes, default=1.0)

    def _exact(self, eager: Any) -> Any:
        """The result in float64; none where the operator does not give the same there."""
        try:
            exact = self._once(self.call, self.sample.transform(_widen))
        except Exception:
            return None
        same = len(exact) == len(eager) and all(map(_near, exact, eager))
        return exact if same else None


def _dense(value: Any) -> Any:
    if value is None or value.layout == torch.strided:
        return value if value is None else value.detach()
    return value.detach().to_dense()


def _is_source(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.requires_grad


def _clone(value: Any) -> Any:
    if not isinstance(value, torch.Tensor):
        return value
    return value.detach().clone().requires_grad_(value.requires_grad)


def _widen(value: Any) -> Any:
    narrow = (torch.float32, torch.bfloat16, torch.float16)
    if not isinstance(value, torch.Tensor) or value.dtype not in narrow:
        return value
    return value.detach().double().requires_grad_(value.requires_grad)


def _weights(target: torch.Tensor) -> torch.Tensor:
    """Fixed gradients of an output; the same numbers in every dtype."""
    generator = torch.Generator().manual_seed(1)
    weights = torch.rand(target.shape, generator=generator).to(torch.bfloat16)
    return weights.to(target.dtype)


def _near(wide: Any, narrow: Any) -> bool:
    if not isinstance(narrow, torch.Tensor) or not narrow.is_floating_point():
        return True
    slack = 5e-2 if narrow.dtype in (torch.bfloat16, torch.float16) else 1e-2
    return wide.shape == narrow.shape and torch.allclose(
        wide.float(), narrow.float(), rtol=slack, atol=slack / 10, equal_nan=True
    )


def _count(verdict: Verdict, graphs: list[GraphReport]) -> None:
    outside = set()
    for graph in graphs:
        verdict.in_kernel |= graph.count("kernel") > 0
        verdict.aten += graph.count("aten")
        verdict.python += graph.count("python")
        if not graph.name.startswith("backward"):
            verdict.native &= graph.count("aten") + graph.count("python") == 0
        for node in graph.nodes:
            if node.runner in ("aten", "python"):
                outside.add(f"{node.runner} {node.target}: {node.reason}")
    verdict.native &= bool(graphs)
    verdict.outside = sorted(outside)


def _brief(error: BaseException) -> str:
    return f"{type(error).__name__}: {error!s}"[:400]
