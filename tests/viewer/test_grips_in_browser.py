"""Grips in a real browser: a box taken by the mouse, lifted by the hand, handed to another figure; undo; the score."""

import numpy as np

from bunraku.choreography.score import Score
from viewer_actor import Actor
from viewer_browser import browser
from viewer_scenes import with_parcel

__all__ = ["browser"]
G = 9.80665


class Player(Actor):
    """An actor who knows all figures and things."""

    def of(self, link):
        with self.view.lock:
            figure, part = self.c.link_at("test", link)
            return figure.pose(part)[0].copy()

    def drop_on(self, link, thing):
        """Drag a link on to where a thing is seen, and let go there."""
        self.grasp(link)
        at = self.pixel(self.of(thing))
        self.page.mouse.move(*at, steps=6)
        self.page.mouse.up()

    def pinned_at(self, link, target):
        """Drag a link until it is near a place, as seen; stop the world, let go, pin it there, and go on."""
        self.wait_for_rest(link)
        aim, many = np.array(target, dtype=float), len(self.c.pins)
        self.grasp(link, aim - self.of(link))
        for _ in range(20):  # a link that moved before it was grasped is pulled beside the place
            self.settle()
            drags = [i for i in self.page.evaluate("bunraku.stage.items") if i["kind"] == "drag"]
            off = (np.asarray(target) - drags[0]["target"])[[0, 2]] if drags else np.zeros(2)
            if drags and np.abs(off).max() < 0.02:
                break
            aim[[0, 2]] += 0.7 * off
            self.page.mouse.move(*self.pixel(aim))
        near = " && ".join(f"Math.abs(i.target[{k}] - {float(target[k])}) < 0.05" for k in (0, 2))
        self.until(f"bunraku.stage.items.some(i => i.kind === 'drag' && i.metres < 0.05 && {near})")
        self.page.keyboard.press("Space")
        self.until("!bunraku.playing")
        self.page.mouse.up()
        self.until("bunraku.stage.items.every(i => i.kind !== 'drag')")
        self.click(self.of(link))
        self.until(f"bunraku.stage.items.length === {many + 1}")
        self.page.keyboard.press("Space")
        self.until("bunraku.playing")

    def press_g_at(self, link, name):
        """The key g with the pointer on a link, of a world that stands still meanwhile."""
        self.page.keyboard.press("Space")
        self.until("!bunraku.playing")
        self.page.mouse.move(*self.pixel(self.of(link)))
        self.until(f"bunraku.pointed === {name!r}")
        self.page.keyboard.press("g")
        self.page.keyboard.press("Space")
        self.until("bunraku.playing")

    def grips(self):
        return [(g["link"], g["other"]) for g in self.page.evaluate("bunraku.stage.grips")]


def test_a_box_is_taken_lifted_handed_over_and_all_of_it_undone(browser, tmp_path):
    c = with_parcel()
    c.step(2)
    with c.stage(browser=False) as view:
        a = Player(browser, view, c, view_key="2")  # from the side: the plane of the view is x, z
        start = a.of("parcel")
        a.drop_on("right_hand", "parcel")
        a.until("bunraku.stage.grips.length === 1")
        assert a.grips() == [("right_hand", "parcel")]
        a.pinned_at("right_hand", a.of("right_hand") + np.array([0.05, 0.0, 0.2]))
        assert a.of("parcel")[2] > start[2] + 0.12
        a.until(f"Math.abs(bunraku.stage.grips[0].force[2] + {2.0 * G}) < 1")  # its weight, on the hand
        assert a.page.evaluate("bunraku.gripped") == 1
        # Bob reaches for it, takes hold, and Ann lets go
        a.pinned_at("bob.left_hand", a.of("parcel") + np.array([0.13, 0.0, 0.0]))
        a.press_g_at("bob.left_hand", "bob: left lower arm")
        a.until("bunraku.stage.grips.length === 2")
        assert a.grips()[1] == ("bob.left_hand", "parcel")
        a.press_g_at("right_hand", "ann: right lower arm")
        a.until("bunraku.stage.grips.length === 1")
        assert a.grips() == [("bob.left_hand", "parcel")]
        with view.lock:
            seconds, q, v = c.time, c.world.q.copy(), c.world.v.copy()
            score = c.score.copied()
        while a.page.evaluate("bunraku.stage.undo"):
            a.page.keyboard.press("z")
            a.settle()
        a.until("bunraku.stage.grips.length === 0 && bunraku.stage.undo === null")
        with view.lock:
            assert c.grips == [] and np.linalg.norm(c.world["parcel"].pose("parcel")[0] - start) < 1e-3
        a.close()
    played = Score.load(score.save(tmp_path / "handed.toml", seconds))
    again = played.choreography()
    played.play(again)
    assert np.array_equal(again.world.q, q) and np.array_equal(again.world.v, v)
