"""Which ROS 2 the tools choose, what environment they make of it, and work done once.

    python3 tests/tools/test_environment.py        # needs no ROS 2
"""

import multiprocessing
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from unittest import mock

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tools"))

from ros2env import bindings, installation, once, prefix, shell  # noqa: E402
from ros2env.problem import Problem  # noqa: E402


class InAFolder(unittest.TestCase):
    """With `.ros2` in a folder of its own and no ROS 2 in the environment."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()
        self.made = self.folder / "made here"
        self.environment(VIO_ROS2_DIR=self.made)

    def environment(self, **values):
        clean = {k: v for k, v in os.environ.items() if not re.search("ROS|AMENT", k)}
        patch = mock.patch.dict(os.environ, {**clean, "VIO_ROS2_DIR": str(self.made),
                                             **{k: str(v) for k, v in values.items()}}, clear=True)
        patch.start()
        self.addCleanup(patch.stop)

    def installed(self, name, *packages, with_rust=()):
        """A ROS 2 prefix as far as the choice goes."""
        for package in packages:
            for sub in ("msg", *(["rust"] if package in with_rust else [])):
                (self.folder / name / "share" / package / sub).mkdir(parents=True)
            if package in with_rust:
                (self.folder / name / "share" / package / "rust" / "Cargo.toml").touch()
        return self.folder / name


class Choice(InAFolder):
    def test_wheels_of_jazzy_where_nothing_is_sourced(self):
        chosen, note = installation.chosen()
        self.assertEqual((chosen.distro, chosen.sourced, note), ("jazzy", False, None))
        self.assertEqual(installation.chosen("kilted")[0].distro, "kilted")

    def test_colcon_is_kept_out_of_what_is_made(self):
        installation.chosen()
        self.assertTrue((self.made / "COLCON_IGNORE").exists())

    def test_a_sourced_ros_wins_and_says_so(self):
        humble = self.installed("humble", "std_msgs")
        self.environment(AMENT_PREFIX_PATH=humble, ROS_DISTRO="humble")
        chosen, note = installation.chosen("kilted")
        self.assertEqual((chosen.distro, chosen.sourced, chosen.prefixes), ("humble", True, (humble,)))
        self.assertIn("humble, not kilted", note)

    def test_our_own_environment_is_not_a_sourced_ros(self):
        wheels = installation.chosen("kilted")[0]
        self.environment(AMENT_PREFIX_PATH=f"/ws/install/x:{wheels.overlay}:{wheels.prefix}", ROS_DISTRO="kilted")
        self.assertEqual(installation.chosen()[0].home, wheels.home)
        self.assertEqual(installation.chosen("jazzy")[0].distro, "jazzy")

    def test_our_overlay_on_a_sourced_ros_is_not_part_of_it(self):
        humble = self.installed("humble", "std_msgs")
        self.environment(AMENT_PREFIX_PATH=f"{self.made / 'humble-sourced' / 'overlay'}:{humble}", ROS_DISTRO="humble")
        self.assertEqual(installation.chosen()[0].prefixes, (humble,))

    def test_half_sourced_and_unknown_distributions_are_explained(self):
        self.environment(AMENT_PREFIX_PATH="/opt/ros/jazzy")
        with self.assertRaisesRegex(Problem, "ROS_DISTRO is not"):
            installation.chosen()
        self.environment()
        with self.assertRaisesRegex(Problem, "source /opt/ros/humble/setup.bash"):
            installation.chosen("humble")

    def test_machines_without_wheels_are_told_what_to_do(self):
        for patch, words in ((mock.patch("platform.machine", lambda: "aarch64"), "x86-64.*aarch64.*source its setup"),
                             (mock.patch.object(sys, "version_info", (3, 9, 1)), "3.10 to 3.14.*run this with")):
            with patch, self.assertRaisesRegex(Problem, words):
                prefix.ensure(installation.chosen()[0], lambda text: None)


class Bindings(InAFolder):
    def test_only_what_is_missing_is_generated(self):
        everything = self.installed("lyrical", *bindings.PACKAGES, with_rust=bindings.PACKAGES)
        self.environment(AMENT_PREFIX_PATH=everything, ROS_DISTRO="lyrical")
        lyrical = installation.chosen()[0]
        self.assertEqual(bindings.missing(lyrical), [])
        self.assertFalse(bindings.ensure(lyrical, self.fail))
        self.assertEqual(shell.variables(lyrical)["AMENT_PREFIX_PATH"], str(everything))

    def test_the_overlay_comes_before_the_sourced_prefix(self):
        humble = self.installed("humble", *bindings.PACKAGES, with_rust=["std_msgs"])
        self.environment(AMENT_PREFIX_PATH=humble, ROS_DISTRO="humble")
        chosen = installation.chosen()[0]
        self.assertEqual(bindings.missing(chosen), [p for p in bindings.PACKAGES if p != "std_msgs"])
        self.assertEqual(shell.variables(chosen)["AMENT_PREFIX_PATH"], f"{chosen.overlay}:{humble}")


class Environment(InAFolder):
    def test_a_shell_takes_the_exports_as_they_are(self):
        wheels = installation.chosen("kilted")[0]
        read = "; ".join([shell.exports(wheels), 'printf "%s\\n" "$ROS_DISTRO" "$AMENT_PREFIX_PATH" "$VIO_ROS2_PYTHON"'])
        out = subprocess.run(["/bin/sh", "-c", read], capture_output=True, text=True, check=True).stdout.splitlines()
        self.assertEqual(out, ["kilted", f"{wheels.overlay}:{wheels.prefix}", f"{wheels.prefix}/bin/python"])

    def test_changing_the_distribution_leaves_nothing_of_the_other(self):
        jazzy, kilted = (installation.chosen(d)[0] for d in ("jazzy", "kilted"))
        self.environment(**{**shell.variables(jazzy), "PATH": f"{jazzy.prefix}/bin:/usr/bin"})
        for name, value in shell.variables(kilted).items():
            self.assertNotIn(str(jazzy.home), value, name)
        self.assertTrue(shell.variables(kilted)["PATH"].endswith(":/usr/bin"))


def _slow(folder):
    with open(folder.parent / "calls", "a") as calls:
        calls.write("x")
    time.sleep(0.3)


class Once(InAFolder):
    def test_made_once_and_again_only_from_other_inputs(self):
        made = []
        for inputs in (["a"], ["a"], ["b"]):
            once.ensure(self.folder / "thing", inputs, lambda folder: made.append(inputs))
        self.assertEqual(made, [["a"], ["b"]])

    def test_an_interrupted_make_is_done_again_from_nothing(self):
        def interrupted(folder):
            (folder / "rest").touch()
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            once.ensure(self.folder / "thing", ["a"], interrupted)
        seen = []
        once.ensure(self.folder / "thing", ["a"], lambda folder: seen.append(list(folder.iterdir())))
        self.assertEqual(seen, [[]])

    def test_two_at_the_same_time_make_it_once(self):
        workers = [multiprocessing.Process(target=once.ensure, args=(self.folder / "thing", ["a"], _slow))
                   for _ in range(3)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
            self.assertEqual(worker.exitcode, 0)
        self.assertEqual((self.folder / "calls").read_text(), "x")


class Manifests(unittest.TestCase):
    def test_package_xml_agrees_with_cargo_toml(self):
        cargo = (REPOSITORY / "Cargo.toml").read_text()
        package = ElementTree.parse(REPOSITORY / "package.xml").getroot()
        for tag, key in (("name", "name"), ("version", "version"), ("license", "license")):
            self.assertIn(f'{key} = "{package.findtext(tag)}"', cargo)

    def test_package_xml_depends_on_the_messages_with_bindings(self):
        package = ElementTree.parse(REPOSITORY / "package.xml").getroot()
        messages = {d.text for d in package.findall("depend")} & set(bindings.PACKAGES)
        # Not everywhere: Humble has neither; rclrs does not speak them.
        self.assertEqual(set(bindings.PACKAGES) - messages, {"service_msgs", "type_description_interfaces"})


if __name__ == "__main__":
    unittest.main()
