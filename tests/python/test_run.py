# SPDX-License-Identifier: GPL-3.0-or-later
"""./run on a machine without any of the packages: it requests each package that the build needs. Nothing is
installed."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import rig

# The names in CMakeLists.txt and their Debian packages. Empty: it comes with the compiler, or is not needed to build.
DEBIAN = {"Threads": "g++", "PkgConfig": "pkg-config", "Protobuf": "libprotobuf-dev", "cppzmq": "cppzmq-dev", "CLI11": "libcli11-dev",
          "spdlog": "libspdlog-dev", "SODIUM": "libsodium-dev", "GF_COMPLETE_INCLUDE": "libgf-complete-dev",
          "GF_COMPLETE_LIBRARY": "libgf-complete-dev", "Core": "qt6-base-dev", "Gui": "qt6-base-dev", "Widgets": "qt6-base-dev",
          "Test": "qt6-base-dev", "Sql": "libqt6sql6-sqlite", "Qml": "qt6-declarative-dev", "Charts": "qt6-charts-dev", "Svg": "qt6-svg-dev"}
TOOLS = {"cmake", "ninja-build", "g++", "protobuf-compiler", "libzmq3-dev"}
FOR_TESTS = {"python3-zmq", "python3-protobuf", "python3-pandas", "python3-matplotlib", "locales"}


def asked_by_cmake() -> set[str]:
    """Names of the packages and Qt components that the build requires."""
    text = (rig.ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    names = set(re.findall(r"(?:find_package|pkg_check_modules|find_path|find_library)\((?!Qt6)(\w+)[^)]*REQUIRED", text))
    for components in re.findall(r"find_package\(Qt6[^)]*COMPONENTS ([\w ]+)\)", text):
        names |= set(components.split())
    return names


@unittest.skipUnless(re.search(r"^ID(_LIKE)?=.*(debian|ubuntu)", pathlib.Path("/etc/os-release").read_text(encoding="utf-8"), re.M),
                     "this is not Debian, where ./run only names what is missing")
class Run(unittest.TestCase):
    def installed_by(self, *command: str) -> set[str]:
        """The packages that the command requests from apt-get on a Debian without any of them. The command ends
        there."""
        with tempfile.TemporaryDirectory(prefix="lhrs-run-") as name:
            bare = pathlib.Path(name)
            for file in ("run", "tests/run_tests.sh"):
                (bare / file).parent.mkdir(exist_ok=True)
                shutil.copy(rig.ROOT / file, bare / file)
            programs = bare / "bin"
            programs.mkdir()
            for program, text in (("dpkg-query", "exit 1"), ("sudo", 'exec "$@"'),
                                  ("apt-get", f'printf "%s\\n" "$@" >>"{bare}/asked"; [ "$1" = update ]')):
                (programs / program).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
                (programs / program).chmod(0o755)
            done = subprocess.run([str(bare / "run"), *command], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                                  env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "DISPLAY": ":1"}, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("apt-get did not succeed", done.stderr)
            return set((bare / "asked").read_text(encoding="utf-8").split())

    def test_each_package_that_cmake_asks_for_has_a_name_in_debian(self):
        names = asked_by_cmake()
        self.assertGreater(len(names), 10)
        self.assertEqual(names - DEBIAN.keys(), set(), "name its Debian package here, and in `run`")

    def test_a_bare_debian_gets_all_that_the_build_needs(self):
        needed = {DEBIAN[name] for name in asked_by_cmake()} | TOOLS
        for command in (("demo",), ("test",), ("gui",)):
            self.assertEqual(needed - self.installed_by(*command), set(), command)

    def test_the_tests_get_their_packages_too(self):
        self.assertEqual(FOR_TESTS - self.installed_by("test"), set())


if __name__ == "__main__":
    rig.main()
