"""Prints the polynomial coefficients that the math functions of src/jit use.

Each fit is a near-minimax polynomial: interpolation at Chebyshev nodes in 60
digits. Run it after a change of interval or degree and copy the rows into
`polynomials.h`; it needs mpmath.
"""

from __future__ import annotations

from collections.abc import Callable

import mpmath as mp  # type: ignore[import-untyped]

__all__ = ["fit", "main"]

mp.mp.dps = 60
Function = Callable[[mp.mpf], mp.mpf]


def fit(function: Function, low: float, high: float, degree: int) -> list[mp.mpf]:
    """Coefficients, lowest first, of the interpolant at the Chebyshev nodes.

    Parameters
    ----------
    function : callable
        What to approximate, in mpmath numbers.
    low, high : float
        The interval.
    degree : int
        Degree of the polynomial.
    """
    count = degree + 1
    middle, half = (mp.mpf(high) + low) / 2, (mp.mpf(high) - low) / 2
    nodes = [middle + half * mp.cos(mp.pi * (2 * k + 1) / (2 * count)) for k in range(count)]
    matrix = mp.matrix(count, count)
    for row, node in enumerate(nodes):
        for column in range(count):
            matrix[row, column] = node**column
    return list(mp.lu_solve(matrix, mp.matrix([function(node) for node in nodes])))


def series(function: Function, limit: float) -> Function:
    """Evaluate `function` beside its removable singularity at 0."""
    return lambda x: function(x if abs(x) > limit else mp.mpf(limit))


def exp_tail(r: mp.mpf) -> mp.mpf:
    """(e^r - 1 - r) / r^2."""
    return (mp.expm1(r) - r) / r**2


def log_tail(f: mp.mpf) -> mp.mpf:
    """(log(1 + f) - f + f^2 / 2) / f^3."""
    return (mp.log1p(f) - f + f**2 / 2) / f**3


def atanh_tail(z: mp.mpf) -> mp.mpf:
    """(2 atanh(s) - 2 s) / s, with z = s^2."""
    s = mp.sqrt(z)
    return (2 * mp.atanh(s) - 2 * s) / s / z


def log2_ratio(z: mp.mpf) -> mp.mpf:
    """2 atanh(s) / (s ln 2), with z = s^2."""
    s = mp.sqrt(z)
    return 2 * mp.atanh(s) / s / mp.log(2)


def tanh_tail(z: mp.mpf) -> mp.mpf:
    """(tanh(x) - x) / x^3, with z = x^2."""
    x = mp.sqrt(z)
    return (mp.tanh(x) - x) / x**3


def erf_tail(z: mp.mpf) -> mp.mpf:
    """(erf(x) - x) / x, with z = x^2."""
    x = mp.sqrt(z)
    return (mp.erf(x) - x) / x


def erfc_exponent(t: mp.mpf) -> mp.mpf:
    """-log(erfc(t))."""
    return -mp.log(mp.erfc(t))


def sin_tail(z: mp.mpf) -> mp.mpf:
    """(sin(r) - r) / r^3, with z = r^2."""
    r = mp.sqrt(z)
    return (mp.sin(r) - r) / r**3


def cos_tail(z: mp.mpf) -> mp.mpf:
    """(cos(r) - 1 + r^2 / 2) / r^4, with z = r^2."""
    r = mp.sqrt(z)
    return (mp.cos(r) - 1 + z / 2) / z**2


def exp2_whole(r: mp.mpf) -> mp.mpf:
    """2^r."""
    return mp.mpf(2) ** r


def report(name: str, function: Function, low: float, high: float, degree: int) -> None:
    """Print one array, and the largest error of the fit as a comment."""
    coefficients = fit(function, low, high, degree)
    points = [low + (high - low) * (i + mp.mpf(1) / 3) / 400 for i in range(400)]
    worst = max(abs(mp.polyval(coefficients[::-1], x) - function(x)) for x in points)
    print(f"// [{float(low):.6g}, {float(high):.6g}], error {float(worst):.1e}")
    print(f"inline constexpr double {name}[] = {{")
    for start in range(0, len(coefficients), 3):
        row = ", ".join(repr(float(c)) for c in coefficients[start : start + 3])
        print(f"    {row},")
    print("};")


def main() -> None:
    """Print every table."""
    half_ln2 = float(mp.log(2) / 2) * 1.0001
    root = mp.sqrt(2)
    log_low, log_high = float(1 / root - 1), float(root - 1)
    atanh_high = float(((root - 1) / (root + 1)) ** 2) * 1.0001
    quarter = float((mp.pi / 4) ** 2) * 1.001
    tiny = 1e-18
    report("kExpTail32", series(exp_tail, 1e-9), -half_ln2, half_ln2, 4)
    report("kExpTail64", series(exp_tail, 1e-15), -half_ln2, half_ln2, 10)
    report("kLogTail32", series(log_tail, 1e-9), log_low, log_high, 7)
    report("kAtanhTail64", series(atanh_tail, tiny), 0.0, atanh_high, 6)
    report("kLog2Ratio", series(log2_ratio, tiny), 0.0, atanh_high, 5)
    report("kExp2Whole", exp2_whole, -0.5, 0.5, 7)
    report("kTanhTail32", series(tanh_tail, tiny), 0.0, 0.36, 4)
    report("kErfTail32", series(erf_tail, tiny), 0.0, 0.86, 6)
    report("kErfcExponent32", erfc_exponent, 0.92, 4.0, 8)
    report("kErfTail64", series(erf_tail, tiny), 0.0, 0.86, 11)
    report("kErfcExponent64Low", erfc_exponent, 0.92, 2.5, 16)
    report("kErfcExponent64High", erfc_exponent, 2.5, 6.0, 14)
    report("kSinTail32", series(sin_tail, tiny), 0.0, quarter, 2)
    report("kCosTail32", series(cos_tail, tiny), 0.0, quarter, 2)
    report("kSinTail64", series(sin_tail, tiny), 0.0, quarter, 5)
    report("kCosTail64", series(cos_tail, tiny), 0.0, quarter, 5)


if __name__ == "__main__":
    main()
