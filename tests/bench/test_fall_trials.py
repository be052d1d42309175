"""Random falls: drawn anew with each seed, lying at the end, got up from."""

from bunraku_bench.fall_trials import fall_trials, fallen


def test_falls_lie_on_the_floor():
    kinds = set()
    for seed in (9010, 9011, 9014, 9015):
        c, kind, height, friction = fallen(seed)
        kinds.add(kind)
        assert 1.5 <= height <= 1.9 and 0.5 <= friction <= 1.2 and c.report.com[2] < 0.45 * height
    assert kinds == {"dropped", "pushed"}


def test_most_falls_are_got_up_from():
    found = fall_trials(9020, 3)
    assert sum(f.up for f in found) >= 2 and all(f.seconds <= 20.1 for f in found)
