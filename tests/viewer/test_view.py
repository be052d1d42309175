"""world.view() and its handle: what it returns, what it opens, and that nothing steps a world twice."""

import threading
import webbrowser

import pytest

from bunraku.errors import BunrakuError, InputError
from bunraku.viewer import view as module
from bunraku.viewer.view import View, view_world
from viewer_client import PAGE, PATIENCE, address, falling, hear, page, poll


def test_handle():
    world = falling()
    view = world.view(browser=False, html=PAGE, title="a <b>title</b>")
    try:
        assert isinstance(view, View) and view.url.startswith("http://127.0.0.1:") and view.url in repr(view)
        markup = view._repr_html_()
        assert f'<iframe src="{view.url}"' in markup and f'href="{view.url}"' in markup
        with page(view.url) as p:
            assert hear(p, "scene")["title"] == "a <b>title</b>"
        poll(lambda: world.time > 0.02, "running")
        view.pause()
        at = world.time
        world.step(3)  # ours now
        view.show()
        assert world.time == pytest.approx(at + 0.003)
        view.play()
        poll(lambda: world.time > at + 0.02, "going on")
    finally:
        view.close()
    assert "closed" in repr(view) and "closed" in view._repr_html_() and view.wait(0)
    at = world.time
    world.step()
    assert world.time == pytest.approx(at + 0.001)


def test_push_with_the_lock():
    world = falling()
    with world.view(browser=False, html=PAGE) as view:
        with view.lock:
            world.push(world["sphere"]["sphere"], (50.0, 0, 0), 0.05)
        poll(lambda: world["sphere"].v[0] > 1.0, "the push")


def test_the_browser_gets_the_address(monkeypatch):
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    with falling().view(html=PAGE) as view:
        poll(lambda: opened, "the browser")
        assert opened[0].startswith("file:///") and address(view.url)[1] not in opened[0]
    monkeypatch.setitem(module.sys.modules, "ipykernel", module)
    with falling().view(html=PAGE):
        assert len(opened) == 1  # a notebook shows it in place


def test_a_token_of_ones_own():
    token = "0123456789-abcdefghijk_"
    for _ in range(2):  # the second finds the page of the first at the same address
        with falling().view(browser=False, html=PAGE, token=token) as view:
            assert view.url.endswith(f"/#token={token}")
            with page(view.url) as p:
                assert hear(p, "frame")


def test_a_second_view_of_a_world_closes_the_first():
    world = falling()
    first = world.view(browser=False, html=PAGE)
    with world.view(browser=False, html=PAGE) as second:
        assert first.wait(0) and not second.wait(0)
        assert sum(t.name == "bunraku show" for t in threading.enumerate()) == 1


def test_mistakes():
    world = falling()
    wrong = [{"port": 99999}, {"host": "0.0.0.0"}, {"speed": 0.0}, {"speed": float("nan")}]
    wrong += [{"token": t} for t in ("", "short", "a" * 21, "a" * 129, "a b" * 20, "é" * 30, "a,b" * 20)]
    for options in wrong:
        with pytest.raises(InputError):
            world.view(browser=False, html=PAGE, **options)
    with world.view(browser=False, html=PAGE) as view:
        for call in (lambda: view.step(0), lambda: view.speed(-1.0)):
            with pytest.raises(InputError):
                call()


def test_a_page_that_was_not_built_is_one_sentence(monkeypatch):
    def unbuilt():
        raise BunrakuError("the viewer's page was not built: …")

    monkeypatch.setattr(module, "page_html", unbuilt)
    with pytest.raises(BunrakuError, match="was not built"):
        view_world(falling(), browser=False)
    assert not [t for t in threading.enumerate() if t.name.startswith("bunraku")]


def test_a_page_of_some_megabytes_arrives_whole():
    text = PAGE + "x" * 3_000_000
    with falling().view(browser=False, html=text) as view:
        import urllib.request

        with urllib.request.urlopen(f"http://{address(view.url)[0]}/", timeout=PATIENCE) as answer:
            assert answer.read().decode() == text
