# SPDX-License-Identifier: GPL-3.0-or-later
"""What the Python tests share: paths, and an exit that ctest and ./run understand."""
import faulthandler
import os
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = pathlib.Path(os.environ.get("LHRS_BIN_DIR", ROOT / "build/dev/bin"))
IS_SLOW = os.environ.get("LHRS_SLOW") == "1"   # the programs are built with a sanitizer
PATIENCE_S = 120 if IS_SLOW else 20
ALLOWED_S = float(os.environ.get("LHRS_ALLOWED_S", 0))   # 0: no limit
SKIPPED = 77                                   # tests/CMakeLists.txt: SKIP_RETURN_CODE


def require(*packages: tuple[str, str]) -> None:
    """Ends the program as skipped if a module is missing; (module, Debian package)."""
    missing = []
    for module, package in packages:
        try:
            __import__(module)
        except ImportError:
            missing.append(package)
    if missing:
        print(f"skipped: {sys.executable} has no {' and no '.join(missing)} (./run test installs them)")
        sys.exit(SKIPPED)


class Coded(unittest.TestCase):
    """Tests of calls that are refused."""

    def assertCode(self, code: str, call, *arguments, **options) -> str:
        """Checks that the call raises a LabError with that code; returns its text."""
        with self.assertRaises(Exception) as caught:
            call(*arguments, **options)
        self.assertEqual(getattr(caught.exception, "code", None), code, str(caught.exception))
        return str(caught.exception)


class Tally(unittest.TextTestResult):
    """Also counts the tests that passed."""

    passed = 0

    def addSuccess(self, test: unittest.TestCase) -> None:
        super().addSuccess(test)
        self.passed += 1


def main() -> None:
    """Runs the tests of the program and prints the final line that ./run test counts. A test that hangs prints its
    stack before ctest ends it."""
    if ALLOWED_S:
        faulthandler.dump_traceback_later(ALLOWED_S, exit=True)
    program = unittest.main(module="__main__", exit=False, verbosity=2,
                            testRunner=unittest.TextTestRunner(resultclass=Tally, verbosity=2))
    result = program.result
    failed = len(result.failures) + len(result.errors)
    print(f"Totals: {result.passed} passed, {failed} failed, {len(result.skipped)} skipped")
    sys.exit(1 if failed else 0)
