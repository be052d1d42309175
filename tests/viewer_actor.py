"""A page on a stage, and a mouse that finds links."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.viewer.view import View
from viewer_browser import open_page, until


class Actor:
    """A page on a stage, and a mouse that finds links."""

    def __init__(self, browser, view: View, c: bk.Choreography, view_key="1", **options):
        self.view, self.c = view, c
        self.page = open_page(
            browser, view.url, **{"width": 900, "height": 560, **options}
        )  # small: drawn by the processor
        until(self.page, "window.bunraku?.ready && bunraku.stage && bunraku.time > 0.1")
        self.page.get_by_test_id("follow").uncheck()
        self.page.keyboard.press(view_key)  # front: the plane of the view is y, z
        self.settle()

    def settle(self):
        drawn = self.page.evaluate("bunraku.drawn")
        until(self.page, f"bunraku.drawn > {drawn} + 1")

    def until(self, condition):
        until(self.page, condition)

    def pixel(self, point):
        box = self.page.get_by_test_id("canvas").bounding_box()
        u, v = self.page.evaluate("p => bunraku.project(...p)", [float(x) for x in point])
        return box["x"] + u, box["y"] + v

    def of(self, link):
        with self.view.lock:
            return self.c.figure.pose(link)[0].copy()

    def foot(self):
        """A point of the left foot that is seen from the front."""
        return self.of("left_toe") + np.array([0, 0, 0.03])

    def grasp(self, link, by=(0, 0, 0)):
        """Press on a link and pull its point by some metres; the button stays down."""
        self.wait_for_rest(link)
        at = self.of(link)
        self.page.mouse.move(*self.pixel(at))
        self.page.mouse.down()
        self.page.mouse.move(*self.pixel(at + 0.5 * np.array(by)), steps=4)
        self.page.mouse.move(*self.pixel(at + by), steps=4)
        return at

    def wait_for_rest(self, link):
        """Until a link hardly moves and the page has drawn it there: a press where it was a moment ago may miss it."""
        before = self.of(link)
        for _ in range(100):
            if not self.page.evaluate("bunraku.playing"):
                return
            self.settle()
            now = self.of(link)
            if np.linalg.norm(now - before) < 2e-3:
                return
            before = now
        pytest.fail(f"{link} does not come to rest")

    def click(self, point):
        self.page.mouse.click(*self.pixel(point))

    def close(self):
        assert not self.page.faults and self.page.evaluate("bunraku.errors") == []
        self.page.close()
