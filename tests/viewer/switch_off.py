"""Does every browser test fail when its feature is switched off? This script tries it: `python
tests/viewer/switch_off.py [WORD …]`.

It works on a copy of the package. For each line of `SWITCHES` it replaces a piece of the source, builds the page anew,
runs the tests of that line and expects them to fail; then it puts the source back. Words choose the lines whose test or
text holds one of them. The table in README.md beside it is what `--table` prints. About ten minutes for all.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE, LIVE, WORLD, STAGE = "test_page", "test_page_live", "test_world_in_browser", "test_stage_in_browser"
NARROW, KEYS, ACCESS, WORDS = "test_narrow", "test_by_keys", "test_accessibility", "test_words"
PLOTS, CAMERA, NOGL = "test_plots_in_browser", "test_camera_in_browser", "test_no_webgl"
AGAIN = "test_again_in_browser"
SRC = "page/src/"

# (what is switched off, file in bunraku/viewer, what stands there, what stands there then, file of the test, its name)
SWITCHES: list[tuple[str, str, str, str, str, str]] = [
    ("drawing", SRC + "stage.ts", "this.renderer.render(this.scene, this.camera);", "", PAGE, "opens_from_the_file_system"),
    ("silence: the page asks for a picture elsewhere", SRC + "main.ts", "const app = new App();",
     'new Image().src = "https://example.invalid/a.png";\nconst app = new App();', PAGE, "opens_from_the_file_system"),
    ("shadows", SRC + "stage.ts", "this.sun.castShadow = true;", "", PAGE, "shadow_lies"),
    ("playing", SRC + "source.ts", "if (!this.playing) return;", "return;", PAGE, "plays_pauses"),
    ("the speed", SRC + "source.ts", "seconds * this.speed", "seconds", PAGE, "speed_scales"),
    ("scrubbing", SRC + "timeline.ts", "this.slider.oninput = () => this.source()?.seek(Number(this.slider.value));", "", PAGE, "scrubbing_shows"),
    ("contacts of exported frames", SRC + "frames.ts", "row += count;", "", PAGE, "scrubbing_shows"),
    ("seeking from a plot", SRC + "chart.ts",
     "      seek(event);\n    };\n    over.onpointermove", "    };\n    over.onpointermove", PAGE, "a_click_on_a_plot"),
    ("the line at the present", SRC + "chart.ts", "translateX(${left}px)", "translateX(0px)", PAGE, "a_click_on_a_plot"),
    ("choosing a group of curves", SRC + "plots.ts",
     "this.several || event.shiftKey ? this.add(group) : this.choose(group)", "event.x", PAGE, "plots_by_group"),
    ("values beside the plots", SRC + "plots.ts", "short(told.channels[channel]!)", '"0"', PAGE, "plots_by_group"),
    ("choosing the busiest curves", SRC + "plots.ts", ".sort((a, b) => b[1] - a[1])", "", PAGE, "of_many_curves"),
    ("force arrows", SRC + "arrows.ts", "if (this.count >= MOST ||", "if (true ||", PAGE, "force_arrows"),
    ("the layer of arrows", SRC + "show.ts",
     "this.layers[name].visible = on;", 'if (name !== "forces") this.layers[name].visible = on;', PAGE, "force_arrows"),
    ("the zero-moment point", SRC + "balance.ts", "const there = zmp.every(Number.isFinite);", "const there = false;", PAGE, "zmp_and_support"),
    ("the support polygon", SRC + "balance.ts",
     "this.polygons[g]!.set(this.supports[g]!, LIFT);", "this.polygons[g]!.set([], LIFT);", PAGE, "zmp_and_support"),
    ("weights of the centre of pressure", SRC + "polygon.ts",
     "sum[k]! += weight * p[k]!;", "sum[k]! += press * points[0]![k]!;", PAGE, "centres_of_pressure"),
    ("colours of contact states", SRC + "contacts.ts", "this.regionAt(i).paint(color);", "", PAGE, "contact_states"),
    ("counts of contact states", SRC + "contacts.ts", "this.states[patch.state]! += 1;", "this.states[patch.state]! += 0;", PAGE, "contact_states"),
    ("the centre of mass", SRC + "show.ts", "com: this.balance.mass,", "com: new Object3D(),", PAGE, "layers_of_mass_and_connections and com"),
    ("connections", SRC + "connections.ts", "if (!group.visible) continue;", "group.visible = false;\n      continue;", PAGE,
     "layers_of_mass_and_connections and connections-"),
    ("marks after the ground", SRC + "marks.ts", "material.transparent = true;", "", PAGE, "marks_are_seen"),
    ("the path", SRC + "balance.ts", "this.paths[g]!.set(index + 1,", "this.paths[g]!.set(0,", PAGE, "the_path_of_the_centre"),
    ("ghosts", SRC + "show.ts", "if (!this.layers.ghosts.visible) return;", "return;", PAGE, "ghosts_show"),
    ("views", SRC + "camera.ts", "arm: VIEWS[view].clone()", "arm: new Vector3(-1, 1, 0.2)", PAGE, "views_look"),
    ("following", SRC + "camera.ts", "if (!this.follow || this.held) return false;", "return false;", PAGE, "the_camera_follows"),
    ("staying", SRC + "camera.ts", "if (!this.follow || this.held) return false;", "", PAGE, "the_camera_follows"),
    ("turning by the mouse", SRC + "camera.ts", "this.controls.enableDamping = false;", "this.controls.enabled = false;", PAGE, "dragging_turns"),
    ("keys", SRC + "keys.ts", "    action(event);\n", "", PAGE, "test_keys"),
    ("step buttons", SRC + "timeline.ts", 'byId("forward").onclick = () => this.source()?.step(1);', "", PAGE, "step_buttons"),
    ("the dark picture", SRC + "stage.ts",
     "this.dome.setTheme(theme);", "this.dome.setTheme(THEMES.light);", PAGE, "light_and_dark"),
    ("a place of its own for the panel", SRC + "style.css", "#side { grid-area: side;", "#side { grid-area: view;", PAGE, "nothing_overlaps"),
    ("names as text", SRC + "main.ts", 'byId("title").textContent = scene.title;', 'byId("title").innerHTML = scene.title;', PAGE, "names_are_text"),
    ("the policy against foreign scripts", "page.py", "script-src {scripts};", "script-src 'unsafe-inline';", PAGE, "names_are_text"),
    ("the sentence about damaged data", SRC + "main.ts", 'this.banner(text.replace(/^(Uncaught )?Error: /, ""), false);', "", PAGE, "damaged_data"),
    ("the token", SRC + "live.ts", '["bunraku", `token.${this.token}`]', '["bunraku"]', LIVE, "frames_arrive"),
    ("commands", SRC + "live.ts",
     "this.socket.send(JSON.stringify(command));", 'if (command.type === "hello") this.socket.send(JSON.stringify(command));',
     LIVE, "the_transport_sends"),
    ("the server's status", SRC + "live.ts", "this.playing = status.playing;", "", LIVE, "the_transport_sends"),
    ("looking back", SRC + "live.ts",
     "this.lookingBack = time < end ? Math.max(time, start) : null;", "this.lookingBack = null;", LIVE, "looking_back"),
    ("seeking on the server", SRC + "live.ts",
     'this.send({ type: "seek", time: Math.min(Math.max(time, start), end) });', "", LIVE, "a_replayed_recording_seeks"),
    ("connecting again", SRC + "live.ts", "window.setTimeout(() => this.open(), this.pauseBefore);", "", LIVE, "a_lost_connection"),
    ("the sentence about a lost connection", SRC + "live.ts", '"Disconnected – trying', '"Waiting – trying', LIVE, "a_lost_connection"),
    ("changed connections", SRC + "live.ts", "this.listener.connections((", "void ((", LIVE, "connections_come_and_go"),
    ("knowing a scene again", SRC + "types.ts", "return cast(a) === cast(b);", "return false;", LIVE, "connections_come_and_go"),
    ("passing over garbage", SRC + "live.ts", "this.listener.error(String(error));", "throw error;", LIVE, "garbage_from_the_server"),
    ("frames of a world", "server.py", "self.slots = {**self.slots, kind: message}", "pass", WORLD, "a_live_world_advances"),
    ("arrows in a real world", SRC + "contacts.ts", "this.arrows.finish();", "this.arrows.clear();", WORLD, "a_live_world_advances"),
    ("playing an exported page", SRC + "source.ts", "if (this.time >= this.range[1]) this.time = this.range[0];\n    this.playing = true;", "",
     WORLD, "a_recording_becomes"),
    ("frames for notebooks", "guard.py", "'self' http://localhost:* http://127.0.0.1:*", "'none'", WORLD, "a_notebook_shows"),
    ("the refusal of other frames", "guard.py", "'self' http://localhost:* http://127.0.0.1:*", "* file:", WORLD, "a_notebook_shows"),
    ("noticing that the server is gone", SRC + "live.ts", "this.connected = this.playing = this.waiting = false;", "", WORLD, "a_killed_server"),
    ("connecting again", SRC + "live.ts", "window.setTimeout(() => this.open(), this.pauseBefore);", "", WORLD, "a_killed_server"),
    ("telling of changed connections", "live.py", "elif held != self._held and", "elif False and", WORLD, "pins_come_and_go"),
    ("keeping the plots: another scene instead", "live.py", 'self._audience.publish("connections", {"type": "connections", "connections": held})',
     'self._audience.publish("scene", {**self.scene(), "title": f"{len(held)}"})', WORLD, "pins_come_and_go"),
    ("whose a contact is", SRC + "polygon.ts", "bodies: [c[at + 8]!, c[at + 9]!]", "bodies: [0, -1]", WORLD, "each_figure_has"),
    ("the overview of a recording", "player.py", "if n < 2:", "if n > 0:", WORLD, "play_shows"),
    ("steps back", SRC + "live.ts", 'else this.send({ type: "step", n });', 'else this.send({ type: "step", n: Math.abs(n) });', WORLD, "play_shows"),
    ("displayed frames", "player.py", "self.forward(k - self.index)", "self.forward(n)", WORLD, "play_shows"),
    ("the recording's own times", SRC + "live.ts",
     "return [this.scene.start, this.scene.start + this.scene.duration];", "return [0, this.scene.duration];",
     WORLD, "play_shows"),
    ("marks of events", SRC + "main.ts", "this.events.set(scene.events ?? []);", "", WORLD, "marks_on_the_time_line"),
    ("times of connections", SRC + "connections.ts", "group.visible = from <=", "group.visible = true || from <=", WORLD, "a_recording_shows_pins"),
    ("pinning by a click", SRC + "hand.ts", "else this.pin(grasp.body, grasp.point, event.shiftKey);", "",
     STAGE, "a_click_pins"),
    ("releasing by a click", SRC + "hand.ts", 'if (grasp.pin) this.live()?.send({ type: "release", name: grasp.pin });', "if (grasp.pin) return;",
     STAGE, "a_click_pins"),
    ("drawing pins", SRC + "pins.ts", "const group = new Group().add(head, grip,",
     "head.visible = false;\n    const group = new Group().add(head, grip,", STAGE, "a_click_pins"),
    ("the whole pose", SRC + "hand.ts", "pose: this.pose || wholePose", "pose: false", STAGE, "shift_and_the_switch"),
    ("moving the target", "stage.py", 'drag.to(values["position"])', "pass", STAGE, "dragging_raises"),
    ("holding a pin", "stage.py", "c.pin(link, point, **how) if", "c.pin(link, point, **how, weight=1e-3) if", STAGE, "dragging_raises"),
    ("the view that stays while a link is dragged", SRC + "hand.ts", "this.camera.controls.enabled = false;", "", STAGE, "dragging_raises"),
    ("turning the view after a drag", SRC + "hand.ts", "this.camera.controls.enabled = true;", "", STAGE, "dragging_raises"),
    ("the target at the pointer", SRC + "hand.ts", "else target.copy(met);", "else if (!this.dragging) target.copy(met);",
     STAGE, "the_target_follows"),
    ("the level plane", SRC + "hand.ts", 'event.shiftKey ? "level" :', 'event.shiftKey ? "view" :', STAGE, "the_target_follows"),
    ("the upright line", SRC + "hand.ts", 'event.metaKey ? "upright" :', 'event.metaKey ? "view" :', STAGE, "the_target_follows"),
    ("undo", "stage.py", "self._restore(before.snapshot)", "pass", STAGE, "undo_and_balance"),
    ("the balance switch", "stage.py", 'c.balance = values["on"]', "pass", STAGE, "undo_and_balance"),
    ("the path of a drag in the score", "../choreography/score.py", "        path.append(row)\n", "", STAGE, "a_saved_score_replays"),
    ("downloads", SRC + "dom.ts", "  link.click();\n", "", STAGE, "a_saved_score_replays"),
    ("recording", "stage.py", 'self.takes.switch(values["on"])', "pass", STAGE, "a_take_is_recorded"),
    ("files of a take", "stage.py", "audience.give(viewer, name, content)", "pass", STAGE, "a_take_is_recorded"),
    ("blur", SRC + "hand.ts", 'window.addEventListener("blur", () => this.end());', "", STAGE, "what_ends_a_drag and blur"),
    ("pointercancel and a lost capture", SRC + "hand.ts",
     'canvas.addEventListener("pointercancel", () => this.end());\n    canvas.addEventListener("lostpointercapture", () => this.end());', "",
     STAGE, "what_ends_a_drag and pointercancel"),
    ("letting go by Escape", SRC + "hand.ts", 'event.key === "Escape" && this.end()', "false && event", STAGE, "what_ends_a_drag and Escape"),
    ("a hidden page", SRC + "hand.ts", "document.hidden && this.end()", "false", STAGE, "what_ends_a_drag and hidden"),
    ("who leaves lets go", "stage.py", 'self.command(Command("drop", viewer=viewer))', "pass", STAGE, "what_ends_a_drag and lost"),
    ("a page that lost its server lets go", SRC + "hand.ts", "if (this.grasp && !this.live()?.connected) this.end();", "",
     STAGE, "what_ends_a_drag and gone"),
    ("one owner of a drag", "stage.py", 'if order.kind == "drag" and self._holder not in (0, order.viewer):', "if False:", STAGE, "a_second_viewer"),
    ("telling who drags", SRC + "desk.ts", 'other ? say("others-drag") :', 'other ? "" :', STAGE, "a_second_viewer"),
    ("forgetting a word", SRC + "live.ts", "performance.now() - this.notedAt > NOTE", "this.notedAt < 0", STAGE, "a_second_viewer"),
    ("saying how far off", SRC + "pins.ts", 'isViolated(item) ? howFar(item) : ""', '""', STAGE, "violated_pins"),
    ("keys of the stage in the help", SRC + "desk.ts", 'byId("keys").prepend(', 'document.createElement("dl").prepend(', STAGE, "the_desk"),
    ("sliders of joints", SRC + "joints.ts", "slider.oninput = () => this.moved(row);", "", STAGE, "joint_values_are_desired"),
    ("releasing a joint", SRC + "joints.ts", 'this.live()?.send({ type: "undesire", joint: joint.name });', "{};", STAGE, "joint_values_are_desired"),
    ("the sheet of joints on a narrow screen", SRC + "style.css", "#joints { top: auto; left: 0; right: 0; bottom: 0; width: auto;",
     "#joints { left: 30rem;", STAGE, "joint_values_are_desired"),
    ("arrows on a slider", SRC + "keys.ts", "(slides || scrolls)", "false", STAGE, "arrows_move_a_slider"),
    ("the switch to kinematics", SRC + "desk.ts", 'd: "dynamics", ', "", STAGE, "kinematics_and_axes"),
    ("axes of a pin", SRC + "hand.ts", "if (!this.axes || this.pose || pose) return {};", "return {};", STAGE, "kinematics_and_axes"),
    ("a word about the past", SRC + "hand.ts", "if (this.show()?.bodies.hit(this.ray)) this.onPast();", "", STAGE, "taking_hold_of_the_past"),
    ("torques of joints", SRC + "main.ts", "this.desk.joints.torques(frame);", "{}", STAGE, "limits_and_torques"),
    ("controls that are off without a server", SRC + "gone.ts", "const gone = source.remote && !source.connected;", "const gone = false;",
     LIVE, "controls_are_off"),
    ("the drawer", SRC + "style.css", "#app.drawer #side { visibility: visible; transform: none; }", "", NARROW, "test_a_recording"),
    ("targets for fingers", SRC + "style.css", ":root { --hit: 44px; }", ":root { --hit: 20px; }", NARROW, "test_a_recording"),
    ("choosing a link by a key", SRC + "keys.ts", "n: (event) => actions.choose(event.shiftKey ? -1 : 1),", "", KEYS, "pin_drag_undo"),
    ("pinning by Enter", SRC + "key_hand.ts", "if (!event.repeat) this.pin(this.chosen, event.shiftKey);", "", KEYS, "pin_drag_undo"),
    ("dragging by arrows", SRC + "key_hand.ts", "this.hand.nudge(way);", "", KEYS, "pin_drag_undo"),
    ("focus rings", SRC + "style.css", ":focus-visible { outline: 2.5px solid", ":focus-visible { outline: 0 none", KEYS, "controls_by_tab"),
    ("a canvas that Tab reaches", "page/index.html", 'data-testid="canvas" tabindex="0"', 'data-testid="canvas"', KEYS, "pin_drag_undo"),
    ("events by keys", SRC + "events.ts", "if (next) source.seek(next.time);", "", KEYS, "controls_by_tab"),
    ("contrast", SRC + "style.css", "--soft: #5a6471;", "--soft: #9aa4b1;", ACCESS, "test_a_recording"),
    ("names of controls", SRC + "words.ts", 'element.setAttribute("aria-label", sayOr(', "void (sayOr(", ACCESS, "test_a_recording"),
    ("cutting peaks off", SRC + "ranges.ts", "const cutHigh = !whole &&", "const cutHigh = whole &&", PLOTS, "a_peak_is_cut_off"),
    ("several plots", SRC + "plots.ts", "const MOST_PLOTS = 4;", "const MOST_PLOTS = 1;", PLOTS, "several_plots"),
    ("values at the pointer", SRC + "plots.ts", "(this.pointed = time)", "void time", PLOTS, "values_at_the_pointer"),
    ("another language", SRC + "words.ts", "words[word][language]", 'words[word]["en"]', WORDS, "the_page_speaks"),
    ("a drawing without WebGL", SRC + "stage.ts", "this.flat!.draw(this.scene, this.camera, THEMES[this.theme]);", "", NOGL, "a_plain_drawing"),
    ("the sentence about WebGL", SRC + "main.ts", 'this.tell(say("no-webgl"));', "{}", NOGL, "a_plain_drawing"),
    ("smoothness", SRC + "camera.ts", "1 - Math.exp(-seconds / LAG)", "1", CAMERA, "follows_smoothly"),
    ("gliding", SRC + "camera.ts", "if (atOnce || this.calm.matches) {", "if (true) {", CAMERA, "views_glide"),
    ("remembering the view", SRC + "camera.ts", "    this.aim.arm.fromArray(kept.arm);\n", "", CAMERA, "it_remembers"),
    ("names of links", SRC + "hover.ts", "put(this.tip, this.name);", "", CAMERA, "the_link_under_the_pointer"),
    ("turning about what is looked at", SRC + "camera.ts", "      this.pivot();\n", "", CAMERA, "it_turns_about"),
    ("leaving out ghosts of the present", SRC + "ghosts.ts",
     "[now, ...chosen].every((other) => differs(frame, other))", "true", CAMERA, "ghosts_of_a_figure"),
    ("waiting for an audience", "show.py", "self.waiting, self.rate = wait and playing, None", "self.waiting, self.rate = False, None",
     AGAIN, "a_world_waits"),
    ("the way to the exact moment", "live.py",
     "        self.forward(max(0, round((time - world.time) / world.dt)) if math.isfinite(time) else 0)\n", "", AGAIN, "a_world_waits"),
    ("saying that it is ready", SRC + "live.ts", 'this.send({ type: "ready" });', "", LIVE, "the_page_is_ready"),
    ("saying what is waited for", SRC + "main.ts", '(source.waiting ? say("waiting") : null)', "null", LIVE, "the_page_is_ready"),
    ("restart", SRC + "live.ts", 'this.send({ type: "restart" });', "", LIVE, "restart_and_going_on"),
    ("going on from an earlier moment", SRC + "live.ts", 'this.send({ type: "go_on", time: this.frames[here]!.time });', "",
     LIVE, "restart_and_going_on"),
    ("keeping the beginning", SRC + "live.ts", "this.frames = thinned(this.frames);", "this.frames.splice(0, EARLIER);", LIVE, "a_long_show"),
    ("a bounded past", SRC + "live.ts", "if (this.frames.length > RECENT + 2 * EARLIER) this.frames = thinned(this.frames);", "",
     LIVE, "a_long_show"),
    ("the badge of slow worlds", SRC + "again.ts", "this.rate.hidden = !slow;", "this.rate.hidden = true;", LIVE, "slower_than_asked"),
    ("an exported page that plays by itself", SRC + "source.ts", "if (this.scene.play !== false", "if (this.begun === false",
     AGAIN, "plays_by_itself"),
    ("readers who prefer less motion", SRC + "source.ts", '!matchMedia("(prefers-reduced-motion: reduce)").matches', "true",
     AGAIN, "plays_by_itself"),
    ("looping", SRC + "source.ts", "const again = this.loop &&", "const again = !this.loop &&", AGAIN, "page_loops"),
    ("looping on the server", "player.py", "self._first if self.loop and over else", "self._last if self.loop and over else",
     AGAIN, "a_recording_waits"),
    ("the script of a notebook's frame", "in_notebook.py", 'sandbox="allow-scripts allow-downloads"', 'sandbox=""', AGAIN, "a_notebook_plays"),
]  # fmt: skip


def table() -> str:
    """Markdown."""
    rows = [f"| {what} | `{file.removeprefix(SRC)}` | `{test}`: {name} |" for what, file, _, _, test, name in SWITCHES]
    return "\n".join(["| switched off | in | fails then |", "|---|---|---|", *rows])


def vite(folder: Path, node: str, npm: list[str]) -> None:
    """Build the page in a folder that has its libraries."""
    from bunraku.viewer import build_page as build

    pages = folder / "src/bunraku/viewer"
    environment = dict(os.environ, PATH=os.pathsep.join([str(Path(node).parent), os.environ.get("PATH", "")]))
    if not (pages / "page/node_modules").exists():
        ci = [*npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
        subprocess.run(ci, cwd=pages / "page", env=environment, check=True, capture_output=True)
    subprocess.run(
        [*npm, "exec", "vite", "build"], cwd=pages / "page", env=environment, check=True, capture_output=True
    )
    (pages / "built").mkdir(exist_ok=True)
    shutil.copyfile(pages / "page/dist/index.html", pages / "built" / build.BUILT.name)


def main() -> int:
    """Try them; the exit code is the number of tests that did not notice."""
    words = [a for a in sys.argv[1:] if not a.startswith("--")]
    if "--table" in sys.argv:
        print(table())
        return 0
    from bunraku.viewer.build_page import node_command

    node, npm = node_command()
    chosen = [s for s in SWITCHES if not words or any(w in s[0] or w in s[5] for w in words)]
    unnoticed = 0
    with tempfile.TemporaryDirectory(prefix="bunraku-switch-") as scratch:
        folder = Path(scratch)
        left_out = shutil.ignore_patterns("node_modules", "dist", "__pycache__", "built")
        for part in ("src", "tests"):
            shutil.copytree(ROOT / part, folder / part, ignore=left_out)
        shutil.copy(ROOT / "pyproject.toml", folder)
        path = os.pathsep.join([str(folder / "src"), os.environ.get("PYTHONPATH", "")])
        environment = {**os.environ, "PYTHONPATH": path, "BUNRAKU_PATIENCE": "8", "BUNRAKU_QUIET": "1"}
        for what, file, old, new, test, name in chosen:
            source = folder / "src/bunraku/viewer" / file
            text = source.read_text(encoding="utf-8")
            if text.count(old) != 1:
                print(f"NOT FOUND   {what}: {file} has {text.count(old)} times {old!r}", flush=True)
                unnoticed += 1
                continue
            source.write_text(text.replace(old, new), encoding="utf-8")
            try:
                vite(folder, node, npm)
                run = [sys.executable, "-m", "pytest", "-q", "--tb=line", f"tests/viewer/{test}.py", "-k", name]
                done = subprocess.run(run, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)
            finally:
                source.write_text(text, encoding="utf-8")
            said = done.stdout.strip().splitlines()
            why = next((line.strip()[:170] for line in said if "rror" in line or "Failed" in line), "")
            unnoticed += done.returncode != 1
            print(
                f"{'fails' if done.returncode == 1 else 'UNNOTICED':<11} {what} -> {test} -k '{name}': {said[-1]} {why}",
                flush=True,
            )
    print(f"{len(chosen) - unnoticed} of {len(chosen)} noticed")
    return unnoticed


if __name__ == "__main__":
    sys.exit(main())
