"""Work in the background: in order, all of it done at the end, errors come back to the caller and stop the rest."""

import threading

import pytest

from bunraku.world.background import Background


def test_in_order_and_elsewhere():
    done, work = [], Background()
    for k in range(50):
        work.do(lambda k=k: done.append((k, threading.current_thread().name)))
    work.end()
    work.end()
    assert [k for k, _ in done] == list(range(50)) and {name for _, name in done} == {"bunraku background"}


def test_an_error_comes_back_and_stops_the_rest():
    done, work = [], Background()
    work.do(lambda: done.append(1))
    work.do(lambda: done.append(1 // 0))
    with pytest.raises(ZeroDivisionError):
        for _ in range(20):
            work.do(lambda: done.append(2))
    with pytest.raises(ZeroDivisionError):
        work.end()
    assert done == [1]
