"""Small formulas in files: numbers that may depend on the time and on where a figure's parts are at the start.

    "left_hand.x + 0.25"      "-20 * sin(2 * pi * t / 1.3)"

Known are t [s], pi, the functions of FUNCTIONS, + - * / **, brackets, and NAME.x, NAME.y, NAME.z of a link, a frame or
"com" [m], with a figure's name in front where there are several (ann.left_hand.x). Nothing else is evaluated, and every
number is a float, so that none can grow without end. Checked in tests/scene/test_formula.py.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any

import numpy as np

LONGEST = 300  # characters
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "exp": np.exp, "sqrt": np.sqrt, "radians": np.radians, "abs": abs, "min": min, "max": max,
}  # fmt: skip
OPERATORS = (ast.BinOp, ast.UnaryOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.UAdd, ast.USub)
WANTED = "a number, or a formula of t, pi, places such as left_hand.x, and " + ", ".join(FUNCTIONS)
Place = Callable[[str], np.ndarray]
Value = float | Callable[[float], float]


def value(x: Any, place: Place) -> Value:
    """A number of a file, or of its formula: a function of t where t is in it. place: name -> x, y, z [m] at the start, or
    LookupError. ValueError says what was wanted."""
    if isinstance(x, int | float) and not isinstance(x, bool) and math.isfinite(x):
        return float(x)
    if not isinstance(x, str) or not x.strip() or len(x) > LONGEST:
        raise ValueError(WANTED)
    try:
        tree = ast.parse(x.strip(), mode="eval")
        known = Known(place)
        body = ast.fix_missing_locations(ast.Expression(known.visit(tree.body)))
    except (SyntaxError, RecursionError, MemoryError):
        raise ValueError(WANTED) from None
    code = compile(body, "formula", "eval")

    def at(t: float) -> float:
        try:
            with np.errstate(all="ignore"):
                out = eval(code, {"__builtins__": {}, **FUNCTIONS, "pi": math.pi, "t": float(t)})
        except (ArithmeticError, ValueError, TypeError):
            out = math.nan
        if not isinstance(out, float) or not math.isfinite(out):
            raise ValueError(f"a formula that has a value at t = {t:g}")
        return out

    return at if known.of_time else at(0.0)


class Known(ast.NodeTransformer):
    """A formula with places put in; what is not known is a ValueError."""

    def __init__(self, place: Place) -> None:
        self.place, self.of_time = place, False

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
            return ast.copy_location(ast.Constant(float(node.value)), node)
        if isinstance(node, ast.Name) and node.id in ("t", "pi"):
            self.of_time |= node.id == "t"
            return node
        if isinstance(node, ast.Attribute) and dotted(node.value) and node.attr in ("x", "y", "z"):
            name = dotted(node.value)
            try:
                return ast.copy_location(ast.Constant(float(self.place(name)["xyz".index(node.attr)])), node)
            except LookupError:
                raise ValueError(f"of a figure that has a {name!r}") from None
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in FUNCTIONS
            and not node.keywords
        ):
            node.args = [self.visit(x) for x in node.args]
            return node
        if isinstance(node, OPERATORS):
            return super().generic_visit(node)
        raise ValueError(WANTED)


def dotted(node: ast.AST) -> str:
    """The name that a node writes: left_hand, ann.left_hand; empty where it is none."""
    if isinstance(node, ast.Attribute):
        head = dotted(node.value)
        return f"{head}.{node.attr}" if head else ""
    return node.id if isinstance(node, ast.Name) else ""
