"""Scenes of which tests make many worlds."""

import bunraku as bk


def stand(**options):
    """A figure on its feet, led by servos."""
    world = bk.World(dt=0.002, **options)
    world.add_ground(friction=0.8)
    figure = world.add(bk.human(), at=(0, 0, 0.901))
    figure.servo(2000.0, 60.0)
    return world


def fall(**options):
    """A limp figure just above the ground, lying: many contacts soon."""
    world = bk.World(dt=0.002, **options)
    world.add_ground(friction=0.5)
    world.add(bk.human(), at=(0, 0, 0.13), rotation=(0.7071, 0, -0.7071, 0))
    return world


def boxes():
    """A tower of boxes, a hull on top, one tied to another by a connection that gives way."""
    world = bk.World(dt=0.002)
    world.add_ground(friction=0.6, restitution=0.3)
    things = [world.add(bk.box((0.2, 0.2, 0.1), mass=1.0), at=(0, 0, 0.05 + 0.1 * k)) for k in range(4)]
    world.add(bk.cylinder(0.05, 0.1, 0.5), at=(0.02, 0, 0.46))
    world.connect(things[0], things[1], at=(0.1, 0, 0.1), compliance=1e-4, damping=10.0, break_force=50.0)
    return world


def mechanism():
    """A pendulum of two links tied to the world, with rubbing joints."""
    world = bk.World(dt=0.002, integrator="rk4")
    rod = world.add(bk.box((0.05, 0.05, 0.4), mass=1.0), at=(0, 0, 1))
    bob = world.add(bk.box((0.05, 0.05, 0.4), mass=2.0), at=(0, 0, 0.6))
    world.connect(rod, at=(0, 0, 1.2), axes="x y z rx rz")
    world.connect(rod, bob, at=(0, 0, 0.8), axes="x y z rx rz")
    return world


def penalty():
    """Springy contact."""
    return stand(contact="penalty")


def linked():
    """Virtual links."""
    return stand(contact="virtual_link")


SCENES = {f.__name__: f for f in (stand, fall, boxes, mechanism, penalty, linked)}
