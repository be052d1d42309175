"""Words on pictures: dark on the picture, inside it, however long."""

import numpy as np

from bunraku.draw.caption import write_on


def test_words_stand_where_they_should():
    blank = np.full((240, 320, 3), 250, dtype=np.uint8)
    assert np.array_equal(write_on(blank), blank)
    rows, columns = np.nonzero(write_on(blank, "A walk")[..., 0] < 200)
    assert rows.min() > 0 and rows.max() < 40 and columns.min() > 0 and columns.max() < 160
    rows, columns = np.nonzero(write_on(blank, "", [("front", 0), ("right", 160)])[..., 0] < 200)
    assert rows.min() > 200 and rows.max() < 240 and (columns < 160).any() and (columns > 160).any()
    long = write_on(blank, "a title that is much too long for so small a picture " * 2)
    assert (long[:, -2:] == 250).all() or long[:, -2:].min() < 250  # cut at the worst, never an error
