"""Files of films: a cut file is not taken for a whole one."""

import numpy as np
import pytest

from bunraku.draw.film_files import whole_mp4, whole_webm, write_video

pytest.importorskip("imageio_ffmpeg")


@pytest.mark.parametrize(("ending", "whole"), [(".mp4", whole_mp4), (".webm", whole_webm)])
def test_whole_or_not(tmp_path, ending, whole):
    rng = np.random.default_rng(1)
    pictures = [rng.integers(0, 255, (48, 64, 3), dtype=np.uint8) for _ in range(5)]
    path = write_video(pictures, tmp_path / f"a{ending}", 25, 64, 48)
    assert whole(str(path))
    data = path.read_bytes()
    for length in (0, 4, 60, len(data) // 2, len(data) - 1):
        (tmp_path / "cut").write_bytes(data[:length])
        assert not whole(str(tmp_path / "cut"))
