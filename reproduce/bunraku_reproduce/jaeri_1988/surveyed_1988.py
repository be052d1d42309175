"""Chapter 2 (literature) and the integration formulas of chapter 4: tables that can be checked by arithmetic."""

from __future__ import annotations

from fractions import Fraction

from bunraku_reproduce.experiment import Experiment, part

N = 6  # joints, as the note below Table 2.2 says
LAGRANGE = {
    "multiplications": (
        (Fraction(65, 2), Fraction(1037, 12), Fraction(685, 4), Fraction(160, 3), Fraction(-128)),
        66271,
    ),
    "additions": ((Fraction(25), Fraction(199, 3), Fraction(259, 2), Fraction(127, 3), Fraction(-96)), 51548),
}
"""Coefficients of n^4 … n^0, and the number printed for n = 6."""
NEWTON_EULER = {"multiplications": ((150, -48), 852), "additions": ((131, -48), 738)}

FORMULAS: dict[str, tuple[str, int, dict[int, Fraction], dict[int, Fraction]]] = {
    "euler": ("Euler", 1, {0: Fraction(1)}, {0: Fraction(1)}),
    "backward-euler": ("backward Euler", 1, {0: Fraction(1)}, {1: Fraction(1)}),
    "midpoint": ("midpoint rule", 2, {-1: Fraction(1)}, {0: Fraction(2)}),
    "trapezoid": ("trapezoidal rule", 2, {0: Fraction(1)}, {0: Fraction(1, 2), 1: Fraction(1, 2)}),
    "milne-predictor": (
        "Milne's predictor",
        4,
        {-2: Fraction(1)},
        {-2: Fraction(8, 3), -1: Fraction(-4, 3), 0: Fraction(8, 3)},
    ),
    "milne-corrector": (
        "Milne's corrector",
        4,
        {-1: Fraction(1)},
        {-1: Fraction(1, 3), 0: Fraction(4, 3), 1: Fraction(1, 3)},
    ),
    "adams-bashforth-2": ("Adams-Bashforth, 2 steps", 2, {0: Fraction(1)}, {0: Fraction(3, 2), -1: Fraction(-1, 2)}),
    "adams-bashforth-3": (
        "Adams-Bashforth, 3 steps",
        3,
        {0: Fraction(1)},
        {0: Fraction(23, 12), -1: Fraction(-16, 12), -2: Fraction(5, 12)},
    ),
    "adams-bashforth-4": (
        "Adams-Bashforth, 4 steps (BIDYN's predictor)",
        4,
        {0: Fraction(1)},
        {0: Fraction(55, 24), -1: Fraction(-59, 24), -2: Fraction(37, 24), -3: Fraction(-9, 24)},
    ),
    "adams-moulton-2": (
        "Adams-Moulton, 2 steps",
        3,
        {0: Fraction(1)},
        {1: Fraction(5, 12), 0: Fraction(8, 12), -1: Fraction(-1, 12)},
    ),
    "adams-moulton-3": (
        "Adams-Moulton, 3 steps (BIDYN's corrector)",
        4,
        {0: Fraction(1)},
        {1: Fraction(9, 24), 0: Fraction(19, 24), -1: Fraction(-5, 24), -2: Fraction(1, 24)},
    ),
    "adams-moulton-4": (
        "Adams-Moulton, 4 steps",
        4,
        {0: Fraction(1)},
        {1: Fraction(251, 720), 0: Fraction(646, 720), -1: Fraction(-264, 720), -2: Fraction(106, 720), -3: Fraction(-19, 720)},
    ),
}  # fmt: skip
"""Table 4.2 as printed: name, order, y(m + 1) from y at these steps, and from h y' at those."""
WRONG = {
    "milne-predictor": "A misprint: it begins at y(m-2); Milne's begins at y(m-3) and then has the order 4.",
    "adams-moulton-4": "The formula is right and better than printed: four steps give the order 5.",
}


def order_of(values: dict[int, Fraction], rates: dict[int, Fraction]) -> int:
    """Up to which degree a formula integrates polynomials exactly, steps of 1: its order; -1 if not even constants."""
    degree = -1
    while degree < 12:
        k = degree + 1
        left = sum(c * Fraction(m) ** k for m, c in values.items())
        left += sum(c * k * Fraction(m) ** (k - 1) for m, c in rates.items()) if k else 0
        if left != 1:
            return degree
        degree = k
    return degree


@part(
    "Cost of inverse dynamics",
    section="2.1",
    table="2.2",
    printed="Multiplications and additions of Lagrange's and of Newton and Euler's method, for n joints and for n = 6.",
    how="arithmetic; bk.rnea is Newton and Euler's method",
)
def cost(e: Experiment) -> None:
    for what, (coefficients, number) in LAGRANGE.items():
        ours = float(sum(c * N ** (4 - k) for k, c in enumerate(coefficients)))
        reason = (
            "The printed formula gives 67143; 66271 is the sum without its last term, 67271, and a slip of a thousand."
        )
        e.equal(
            f"table-2.2/lagrange-{what}",
            "Table 2.2",
            f"Lagrange, {what}, n = 6",
            number,
            ours,
            tolerance=0.5,
            reason=reason,
        )
    for what, ((a, b), number) in NEWTON_EULER.items():
        e.equal(
            f"table-2.2/newton-euler-{what}",
            "Table 2.2",
            f"Newton-Euler, {what}, n = 6",
            number,
            a * N + b,
            tolerance=0.5,
        )
    e.holds(
        "lagrange-power",
        "2.1",
        "the time of Lagrange's method is proportional to the third power of the number of joints",
        "its table says the fourth power",
        False,
        reason="Table 2.2 on the report's own page has n to the fourth.",
    )
    from bunraku_reproduce.jaeri_1988.walks_1988 import same_torques

    e.zero(
        "same-torques",
        "2.1",
        "both methods give the same torques (human figure, random states, N m)",
        same_torques(e.seed),
        tolerance=1e-9,
    )


@part(
    "Formulas of numerical integration",
    section="4.3",
    table="4.1, 4.2",
    printed="Runge and Kutta's method, and twelve explicit and implicit formulas with their orders.",
    how="a formula of order p integrates polynomials of degree p exactly; runge_kutta in bunraku_reproduce.jaeri_1988.walks_1988",
)
def formulas(e: Experiment) -> None:
    from bunraku_reproduce.jaeri_1988.walks_1988 import runge_kutta_order

    e.equal("table-4.1/order", "Table 4.1", "order of the Runge-Kutta formulas", 4, runge_kutta_order(), tolerance=0.1)
    for key, (name, order, values, rates) in FORMULAS.items():
        found = order_of(values, rates)
        claim = f"order of the {name}"
        e.equal(f"table-4.2/{key}", "Table 4.2", claim, order, found, tolerance=0, reason=WRONG.get(key, ""))
