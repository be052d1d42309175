"""Slips of a user's hand: a type checker must find every line that is marked; read by tests/test_public_face.py."""

import numpy as np

import bunraku as bk
import bunraku.walkin  # wrong: module
from bunraku.motion import genrate  # wrong: name of a room

human = bk.human()
bk.human(boddy="2000")  # wrong: keyword of the figure
bk.human(body="1999")  # wrong: body
bk.wlak(human)  # wrong: function
bk.scen.load("bar")  # wrong: module's name
bk.walk(human, "two steps", buhses=True)  # wrong: keyword
bk.aba(human, human.neutral(), np.zeros(human.nv), tua=np.zeros(human.nv))  # wrong: keyword
bk.Target("left_hand", postion=(0.3, 0.3, 1.2))  # wrong: keyword of a class
bk.hinge("knee", (0, 1, 0), dampng=1.0)  # wrong: keyword of a joint
human.joint("left_knee").upperr  # wrong: attribute of a joint

world = bk.World(dt=0.001)
world.add_ground(fricton=0.8)  # wrong: keyword of a method
figure = world.add(human)
world.stpe(10)  # wrong: method of World
world.tiem  # wrong: attribute of World
world.report.residul  # wrong: attribute of Report
world.contacts[0].coop  # wrong: attribute of ContactInfo
figure.angular_momentun  # wrong: attribute of Figure
world.add_sensor("imuu", at=figure["trunk"])  # wrong: kind of sensor
imu = world.add_sensor("imu", at=figure["trunk"])
world.add_sensor("imu", at=figure["trunk"], nose=0.1)  # wrong: option of a sensor
imu.gyroo  # wrong: channel of a sensor

recording = bk.Recording.open("run.bkr")
recording.zpm  # wrong: attribute of Recording
recording.motion("human").resample(30.0)  # wrong: method of Motion
walker = bk.Walker(bk.walking_pattern(human, bk.footsteps("two steps", human)))
walker.fel  # wrong: attribute of Walker
walker.run(second=1.0)  # wrong: keyword of Walker.run
bk.walk(human).report.sped  # wrong: attribute of WalkReport

dance = bk.Choreography()
dance.pin("left_hand", axis="pose")  # wrong: keyword of pin
dance.stage(prot=8000)  # wrong: option of the stage
bk.Choreography.perform(dance.score, balnce=True)  # wrong: option of a choreography
bk.dynamics_filter(recording.motion()).solvd  # wrong: attribute of Filtered
bk.follow(recording, strenght=2.0)  # wrong: option of the filter
