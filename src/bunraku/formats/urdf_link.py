"""The `<link>` of a URDF file: inertia, collision and visual shapes, materials.

URDF gives full sizes and lengths, a `Shape` half ones. The inertia matrix is given in the axes of its own `<origin>`;
with the rotation R = Rz(yaw) Ry(pitch) Rx(roll) of that origin it becomes R I R' in link axes. `<capsule radius
length>` is the widespread extension, its length without the two caps. A mesh that cannot be found is dropped with a
note.

Source: the link and visual elements of the URDF definition (wiki.ros.org/urdf/XML). Tested by
tests/formats/test_urdf.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from bunraku.formats.meshpath import MeshFinder
from bunraku.formats.notebook import Notebook
from bunraku.formats.xmlsafe import Element, shorten
from bunraku.model.description import Inertia, Link, Shape
from bunraku.model.rotations import rpy_matrix

Color = tuple[float, float, float, float]
GEOMETRIES = ("box", "sphere", "cylinder", "capsule", "mesh")


@dataclass
class Reader:
    """What the reading of one file shares: remarks, named colours, mesh files, options."""

    book: Notebook
    finder: MeshFinder
    meshes: bool = True
    colors: dict[str, Color] = field(default_factory=dict)
    strict: bool = True  # refuse what can be mended
    concave: list[tuple[Element, Shape]] = field(
        default_factory=list
    )  # meshes that are to stay as they are, and the <link>

    def only(self, parent: Element, tag: str, name: str = "") -> Element | None:
        """The first child of that tag; further ones are reported."""
        found = parent.all(tag)
        for extra in found[1:]:
            self.book.ignored(extra, f"beyond the first in one <{parent.tag}> is not used", name=name)
        return found[0] if found else None

    def origin(self, parent: Element, what: str) -> tuple[tuple[float, ...], Any]:
        """Position and rotation matrix (None where there is none) of the `<origin>` of an element."""
        element = self.only(parent, "origin", what)
        if element is None:
            return (0.0, 0.0, 0.0), None
        self.book.attributes(element, ("xyz", "rpy"), what)
        roll, pitch, yaw = element.numbers("rpy", 3, (0.0, 0.0, 0.0), what)
        rotation = rpy_matrix(roll, pitch, yaw) if (roll, pitch, yaw) != (0.0, 0.0, 0.0) else None
        return element.numbers("xyz", 3, (0.0, 0.0, 0.0), what), rotation


def read_materials(reader: Reader, robot: Element) -> None:
    """Fill `reader.colors`: materials of the robot, then those a link defines with a colour, first come first kept."""
    inside = [visual.all("material") for link in robot.all("link") for visual in link.all("visual")]
    for material in robot.all("material") + [m for materials in inside for m in materials]:
        name, color = material.attributes.get("name", ""), material.first("color")
        if color is not None and name and name not in reader.colors:
            reader.colors[name] = _rgba(color, name)
    for material in robot.all("material"):
        _material_remarks(reader, material)


def read_link(reader: Reader, element: Element) -> Link:
    """A link without its joint."""
    name = element.text("name")
    reader.book.attributes(element, ("name", "concave"), name)
    reader.book.children(element, ("inertial", "visual", "collision"), name)
    link = Link(name, inertia=_inertia(reader, element, name), where=element.where)
    for tag in ("collision", "visual"):
        for shape in element.all(tag):
            found = _shape(reader, shape, tag, name)
            link.shapes.extend(found)
            if tag == "collision" and "yes" in (shape.attributes.get("concave"), element.attributes.get("concave")):
                reader.concave += [(element, s) for s in found if s.kind == "mesh"]
    return link


def _inertia(reader: Reader, link: Element, name: str) -> Inertia:
    element = reader.only(link, "inertial", name)
    if element is None:
        return Inertia()
    what = f"link {name!r}"
    reader.book.children(element, ("origin", "mass", "inertia"), name)
    mass, inertia = reader.only(element, "mass", name), reader.only(element, "inertia", name)
    for child, tag, form in ((mass, "mass", 'value="…"'), (inertia, "inertia", 'ixx="…" iyy="…" izz="…"')):
        if child is None and reader.strict:
            raise element.error(f"{what}: <inertial> has no {tag}; write <{tag} {form}/>.")
        if child is None:
            reader.book.add("changed", "<inertial>", f"without <{tag}>: it is taken as 0", element, name)
    com, rotation = reader.origin(element, what)
    result = Inertia(0.0, com)
    if mass is not None:
        reader.book.attributes(mass, ("value",), name)
        result.mass = mass.number("value", None, what)
    if inertia is not None:
        reader.book.attributes(inertia, ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), name)
        diagonal = [inertia.number(key, None, what) for key in ("ixx", "iyy", "izz")]
        result.moments = (*diagonal, *(inertia.number(key, 0.0, what) for key in ("ixy", "ixz", "iyz")))
    if rotation is not None:
        moments = rotation @ result.matrix() @ rotation.T
        result.moments = 0.5 * (moments + moments.T)  # rounding only
    return result


def _shape(reader: Reader, element: Element, role: str, link: str) -> list[Shape]:
    what = f"link {link!r}"
    name = element.attributes.get("name", "")
    reader.book.attributes(element, ("name", "concave") if role == "collision" else ("name",), link)
    known = ("origin", "geometry", "material") if role == "visual" else ("origin", "geometry")
    reader.book.children(element, known, link)
    position, rotation = reader.origin(element, what)
    geometry = reader.only(element, "geometry", link)
    if geometry is None:
        raise element.error(f"{what}: <{role}> has no <geometry>.")
    reader.book.children(geometry, GEOMETRIES, link)
    shape = next((child for child in geometry.children if child.tag in GEOMETRIES), None)
    if shape is None:
        if not geometry.children:
            raise geometry.error(f"{what}: <geometry> is empty; write <box>, <sphere>, <cylinder> or <mesh> in it.")
        return []
    for extra in geometry.children:
        if extra is not shape and extra.tag in GEOMETRIES:
            reader.book.ignored(extra, "beyond the first in one <geometry> is not used", name=link)
    color = _color(reader, element, link) if role == "visual" else None
    result = Shape(shape.tag, (), position, rotation, role, name, color)
    if shape.tag == "box":
        reader.book.attributes(shape, ("size",), link)
        result.size = tuple(0.5 * side for side in shape.numbers("size", 3, None, what))
    elif shape.tag == "sphere":
        reader.book.attributes(shape, ("radius",), link)
        result.size = (shape.number("radius", None, what),)
    elif shape.tag == "mesh":
        return [result] if _mesh(reader, shape, result, link) else []
    else:
        reader.book.attributes(shape, ("radius", "length"), link)
        result.size = (shape.number("radius", None, what), 0.5 * shape.number("length", None, what))
    return [result]


def _mesh(reader: Reader, element: Element, shape: Shape, link: str) -> bool:
    """Fill in the file and scale of a mesh; False where it is not kept."""
    address = element.text("filename", f"link {link!r}")
    reader.book.attributes(element, ("filename", "scale"), link)
    sx, sy, sz = element.numbers("scale", 3, (1.0, 1.0, 1.0), f"link {link!r}")
    if not reader.meshes:
        return False
    path = reader.finder.find(address)
    if path is None:
        reader.book.add("ignored", "mesh files", "were not found; give package_dirs", element, address)
        return False
    shape.mesh, shape.scale = str(path), (sx, sy, sz)
    return True


def _color(reader: Reader, visual: Element, link: str) -> Color | None:
    material = reader.only(visual, "material", link)
    if material is None:
        return None
    _material_remarks(reader, material)
    own, name = material.first("color"), material.attributes.get("name", "")
    if own is not None:
        return _rgba(own, name)
    if name and name not in reader.colors and material.first("texture") is None:
        reader.book.add("warning", f"material {shorten(name)}", "has no colour anywhere in the file", material, link)
    return reader.colors.get(name)


def _material_remarks(reader: Reader, material: Element) -> None:
    reader.book.attributes(material, ("name",))
    reader.book.children(material, ("color", "texture"))
    for texture in material.all("texture"):
        if texture.attributes.get("filename"):
            reader.book.ignored(texture, inside="material", name=texture.attributes["filename"])


def _rgba(color: Element, material: str) -> Color:
    r, g, b, a = color.numbers("rgba", 4, None, f"material {material!r}")
    return r, g, b, a
