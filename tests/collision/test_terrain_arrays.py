"""Arrays of terrain: faces, edges that stand out, vertices, the tree."""

import numpy as np

import bunraku as bk
from bunraku.collision.terrain_arrays import ground_of
from bunraku.collision.terrain_layout import EDGE, FLAT, OWN_EDGE, TerrainNode, TerrainTriangle, TerrainVertex
from bunraku.kernel.record import Many


def test_faces_and_edges_of_a_roof():
    """Two level halves of a roof, each of four triangles: two faces, a ridge, and a rim that ends."""
    x = np.array([[i, j, 0.5 - 0.5 * abs(i - 1)] for i in (0, 1, 2) for j in (0, 1, 2)], dtype=float)
    r = bk.height_field(x[:, 2].reshape(3, 3), 1.0).relief
    g = ground_of(r)
    t, v = Many(TerrainTriangle, g.triangles), Many(TerrainVertex, g.vertices)
    edges, number = t.column("edges"), t.column("edge")
    assert g.faces == 2 and len(t) == 8 and g.edges == 16
    flat, out, own = ((edges[:, None] & (bit << np.arange(3))) > 0 for bit in (FLAT, EDGE, OWN_EDGE))
    assert flat.sum() == 2 * 6  # three in each half, seen from both sides
    assert len(np.unique(number[out])) == 8 + 2 and own.sum() == 10  # the rim and the ridge, each seen to once
    assert not np.any(flat & out) and not np.any(own & ~out)
    n = t.column("normal")
    assert np.allclose(np.abs(n), [np.sqrt(0.2), 0, np.sqrt(0.8)])
    owned = (t.column("owned")[:, None] & (1 << np.arange(3))) > 0
    corner = t.column("corner")
    assert len(np.unique(corner[owned])) == owned.sum() == 9  # all are on the rim or the ridge
    assert v.column("inner").sum() == 0
    hollow = ground_of(bk.height_field(-x[:, 2].reshape(3, 3), 1.0).relief)
    out = (Many(TerrainTriangle, hollow.triangles).column("edges")[:, None] & (EDGE << np.arange(3))) > 0
    assert out.sum() == 8  # a valley has no edge that stands out


def test_rounded_files_are_flat():
    """Numbers of single precision, as in STL files, leave a tilted floor one face."""
    rng = np.random.default_rng(0)
    x = np.column_stack([rng.uniform(-5, 5, (200, 2)), np.zeros(200)])
    from scipy.spatial import Delaunay

    t = Delaunay(x[:, :2]).simplices
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    soup = (x @ turn.T).astype(np.float32)[t].reshape(-1, 3)  # every triangle with corners of its own
    assert ground_of(bk.terrain_mesh(soup, np.arange(len(soup)).reshape(-1, 3)).relief).faces <= 3  # but slivers


def test_the_cost_does_not_grow_with_the_terrain():
    """A tree is walked: a ball on a field of a hundred times as many cells passes a few nodes more."""
    visited = []
    for cells in (20, 200):
        g = ground_of(bk.height_field(np.zeros((cells + 1, cells + 1)), 0.1).relief)
        nodes = Many(TerrainNode, g.nodes)
        low, high, skip = (nodes.column(name) for name in ("low", "high", "skip"))
        a, b, node, count = np.array([0.3, 0.3, -0.1]), np.array([0.5, 0.5, 0.1]), 0, 0
        a, b = a - g.centre, b - g.centre
        while node < len(low):
            count += 1
            node = skip[node] if np.any(low[node] > b) or np.any(high[node] < a) else node + 1
        visited.append(count)
        assert len(g.triangles) == 2 * cells * cells and nodes.column("count").sum() == len(g.triangles)
    assert visited[1] < visited[0] + 60
