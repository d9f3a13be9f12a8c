# SPDX-License-Identifier: GPL-3.0-or-later
"""The message classes of proto/*.proto: ``messages.Command``, ``messages.INSERT``, ``messages.EventBatch``, ...

An installed package contains them. From a plain checkout protoc makes them on first import, in the package's
``__pycache__`` (or in a directory for this process alone if that cannot be written), and again when a .proto file
changes.
"""
import atexit
import importlib
import pathlib
import shutil
import sys
import tempfile
import types
from typing import Any

import google.protobuf

from . import _generate
from .errors import LabError

_PACKAGE = f"{__package__}._generated"
_HERE = pathlib.Path(__file__).resolve().parent


def _made_in(parent: pathlib.Path, proto: pathlib.Path, name: str) -> pathlib.Path:
    """The modules below ``parent``: the existing ones, or new ones. Several processes may do this at once."""
    directory = parent / name
    if directory.is_dir():
        return directory
    parent.mkdir(exist_ok=True)
    new = pathlib.Path(tempfile.mkdtemp(prefix="messages-", dir=parent))
    try:
        _generate.generate(proto, new)
        new.rename(directory)
    except OSError:
        shutil.rmtree(new, ignore_errors=True)
        if not directory.is_dir():  # otherwise another process was first
            raise
    except RuntimeError as error:
        shutil.rmtree(new, ignore_errors=True)
        raise LabError("Unsupported", f"{error}.") from None
    return directory


def _directory() -> pathlib.Path:
    installed = _HERE / "_generated"
    if installed.is_dir():
        return installed
    proto = _HERE.parent.parent
    if not (proto / "control.proto").is_file():
        raise LabError("Unsupported", f"{_HERE} has neither message classes nor the .proto files to make them of; "
                       "install the package from its tree: pip install proto/python.")
    name = f"messages-{_generate.digest(proto)}"
    try:
        return _made_in(_HERE / "__pycache__", proto, name)
    except OSError:
        alone = pathlib.Path(tempfile.mkdtemp(prefix="lhrs-messages-"))
        atexit.register(shutil.rmtree, alone, ignore_errors=True)
        return _made_in(alone, proto, name)


def _load() -> list[types.ModuleType]:
    package = types.ModuleType(_PACKAGE)
    package.__path__ = [str(_directory())]
    sys.modules[_PACKAGE] = package
    try:
        return [importlib.import_module(f"{_PACKAGE}.{name}_pb2") for name in _generate.NAMES]
    except (ImportError, TypeError, RuntimeError) as error:  # VersionError of protobuf is a RuntimeError
        raise LabError("Unsupported", f"The message classes in {package.__path__[0]} and protobuf {google.protobuf.__version__} do not fit: {error}",
                       "Remove that directory, or install the package again, with the protoc that belongs to this protobuf.") from None


_MODULES = _load()


def __getattr__(name: str) -> Any:
    for module in _MODULES:
        if hasattr(module, name):
            return getattr(module, name)
    raise AttributeError(f"there is no message and no value {name} in proto/*.proto")
