# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds the package from its tree: the message classes are generated from ../*.proto, and the published tables are
included. Files that the build leaves behind are put into the tree's build directory."""
import importlib.util
import pathlib
import tempfile

from setuptools import setup
from setuptools.command.build_py import build_py

here = pathlib.Path(__file__).resolve().parent
proto = here.parent
spec = importlib.util.spec_from_file_location("generate", here / "lhrs_lab" / "_generate.py")
generate = importlib.util.module_from_spec(spec)
spec.loader.exec_module(generate)
left = proto.parent / "build" / "python"
left.mkdir(parents=True, exist_ok=True)


class BuildWithMessages(build_py):
    """build_py that also makes lhrs_lab/_generated and lhrs_lab/_paper."""

    def run(self):
        super().run()
        target = pathlib.Path(self.build_lib, "lhrs_lab", "_generated")
        target.mkdir(parents=True, exist_ok=True)
        for old in target.glob("*"):
            old.unlink()
        with tempfile.TemporaryDirectory() as made:
            generate.generate(proto, pathlib.Path(made))
            for path in pathlib.Path(made).iterdir():
                (target / path.name).write_text(path.read_text())
        tables = pathlib.Path(self.build_lib, "lhrs_lab", "_paper")
        tables.mkdir(parents=True, exist_ok=True)
        for path in (proto.parent / "scenarios" / "paper").iterdir():
            (tables / path.name).write_bytes(path.read_bytes())


setup(cmdclass={"build_py": BuildWithMessages},
      install_requires=["pyzmq>=24", generate.requirement()],
      options={"build": {"build_base": str(left)}, "egg_info": {"egg_base": str(left)}})
