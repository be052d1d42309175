"""Opening poses: the lowest point of a figure in closed form (what stands on a stage: tests/choreography)."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.humanoid.opening_pose import lowest


@pytest.mark.parametrize(
    ("kind", "size", "height"),
    [("sphere", (0.1,), 0.1), ("capsule", (0.1, 0.3), 0.1 + 0.3 * 0.5**0.5), ("cylinder", (0.1, 0.3), 0.4 * 0.5**0.5),
     ("box", (0.1, 0.2, 0.3), 0.5 * 0.5**0.5)],
)  # fmt: skip
def test_lowest_point_of_a_shape_turned_by_45_degrees_about_x(kind, size, height):
    figure = bk.Description(name="thing")
    figure.add("a", None, bk.free("root"), mass=1.0, moments=(1, 1, 1))
    figure.links[0].shapes = [bk.Shape(kind, size, (0, 0, 1.0), (np.cos(np.pi / 8), np.sin(np.pi / 8), 0, 0))]
    model = figure.build()
    q = model.neutral()
    q[2] = 2.0
    assert lowest(model, q) == lowest(model, q, model.shapes) == pytest.approx(3.0 - height)
