"""Fletcher's checksum: the sums themselves in whole numbers, pieces as one, and what damage it must not miss."""

import numpy as np
import pytest

from bunraku.recording.sums import CHUNK, P, digest


def plainly(data):
    """The definition, without a limit of size."""
    a = b = 0
    for w in np.frombuffer(data + bytes(-len(data) % 4), "<u4").tolist():
        a = (a + w) % P
        b = (b + a) % P
    return a.to_bytes(8, "little") + b.to_bytes(8, "little")


@pytest.mark.parametrize("size", [0, 1, 4, 7, 400, 4 * CHUNK, 8 * CHUNK + 12])
def test_the_definition(size):
    data = np.random.default_rng(size).bytes(size)
    assert digest([data]) == plainly(data)
    assert digest([b"\xff" * size]) == plainly(b"\xff" * size)  # the largest numbers there are


def test_pieces_are_one():
    data = np.random.default_rng(0).bytes(5002)
    assert digest([data[:1000], memoryview(data)[1000:1004], b"", data[1004:]]) == digest([data])


def test_p_is_prime():
    assert all(P % k for k in range(2, 2**20))  # 2^20 squared is more than P


def test_damage_is_seen():
    rng = np.random.default_rng(1)
    data = rng.normal(size=200).astype("<f4").tobytes()
    good, words = digest([data]), np.frombuffer(data, "<u4")
    for bit in range(8 * len(data)):
        bad = bytearray(data)
        bad[bit // 8] ^= 1 << bit % 8
        assert digest([bad]) != good
    for _ in range(500):  # two words exchanged; a stretch of zeros; one moved by a word; two sign bits
        i, j = sorted(rng.choice(len(words), 2, replace=False))
        for change in ("swap", "zero", "move", "sign"):
            bad = words.copy()
            if change == "swap":
                bad[[i, j]] = bad[[j, i]]
            elif change == "zero":
                bad[i:j] = 0
            elif change == "move":
                bad[i : j + 1] = np.roll(bad[i : j + 1], 1)
            else:
                bad[[i, j]] ^= np.uint32(2**31)
            assert digest([bad.tobytes()]) != good
