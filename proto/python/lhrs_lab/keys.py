# SPDX-License-Identifier: GPL-3.0-or-later
"""The keys with which this program connects to the processes of a cluster: common/keys of the programs, for peers."""

import hashlib
import os
import pathlib
import stat
import struct
from typing import Optional, Union

import zmq
from zmq.utils import z85

from .errors import LabError

_FIRST = "LHRS-KEY 1 "
_FIELDS = {"cluster": ["secret"], "client": ["secret", "servers", "operators"], "operator": ["secret", "servers", "clients"]}
_TEXT_MAX = 1_024
# What is derived from a secret: the context of the secret's role, and the number of the purpose (key_ring.cpp).
_CLUSTER, _CLIENT, _OPERATOR = b"lhrsclst", b"lhrsclnt", b"lhrsoper"
_SERVER_SOCKETS, _CLIENT_SECRET, _OPERATOR_SECRET = 2, 3, 4
_CLIENT_SOCKETS, _CLIENT_PEER, _OPERATOR_PEER = 2, 3, 1


def _derive(secret: bytes, context: bytes, purpose: int) -> bytes:
    """crypto_kdf_derive_from_key of libsodium."""
    return hashlib.blake2b(b"", digest_size=32, key=secret, salt=struct.pack("<Q8x", purpose), person=context.ljust(16, b"\0")).digest()


def _secret_of(seed: bytes) -> bytes:
    """The secret key of crypto_box_seed_keypair."""
    return hashlib.sha512(seed).digest()[:32]


def _public_of(secret: bytes) -> bytes:
    return bytes(z85.decode(zmq.curve_public(z85.encode(secret))))


class PeerKeys:
    """The key pair of this program, and the public keys of the sockets to which it connects."""

    def __init__(self, role: str, fields: dict[str, bytes]) -> None:
        secret = fields["secret"]
        if role == "cluster":
            commander, client = _derive(secret, _CLUSTER, _OPERATOR_SECRET), _derive(secret, _CLUSTER, _CLIENT_SECRET)
            self._servers = _public_of(_secret_of(_derive(secret, _CLUSTER, _SERVER_SOCKETS)))
            self._clients = _public_of(_secret_of(_derive(client, _CLIENT, _CLIENT_SOCKETS)))
            self._secret = _secret_of(_derive(commander, _OPERATOR, _OPERATOR_PEER))
        elif role == "operator":
            self._servers, self._clients = fields["servers"], fields["clients"]
            self._secret = _secret_of(_derive(secret, _OPERATOR, _OPERATOR_PEER))
        else:
            self._servers, self._clients = fields["servers"], _public_of(_secret_of(_derive(secret, _CLIENT, _CLIENT_SOCKETS)))
            self._secret = _secret_of(_derive(secret, _CLIENT, _CLIENT_PEER))
        self._public = _public_of(self._secret)

    def prepare(self, socket: zmq.Socket, is_client: bool) -> None:
        """Prepares a socket for its next connection, to a process that is a client or not."""
        socket.curve_serverkey = self._clients if is_client else self._servers
        socket.curve_publickey = self._public
        socket.curve_secretkey = self._secret


def read_key(key_file: Optional[Union[str, "os.PathLike[str]"]]) -> Optional[PeerKeys]:
    """The keys of a key file; None for None. LabError BadArgument: it cannot be read or used, or others can read it."""
    if key_file is None:
        return None
    path = pathlib.Path(key_file)
    try:
        state = path.stat()
        mode = state.st_mode
        if not stat.S_ISREG(mode):
            raise LabError("BadArgument", f"{path} is not a key file: it is not a file.")
        if os.geteuid() not in (0, state.st_uid) and state.st_uid != 0:
            raise LabError("BadArgument", f"The key file {path} belongs to another user, who knows its key.", "Use one of your own.")
        if mode & 0o077:
            raise LabError("BadArgument", f"The key file {path} is open to other users (mode {mode & 0o7777:04o}), so its key may be known.",
                           f"Make new keys, or if it is not known: chmod 600 {path}")
        text = path.read_bytes()[:_TEXT_MAX + 1].decode("ascii", errors="replace")
    except OSError as error:
        raise LabError("BadArgument", f"The key file {path} cannot be read: {error.strerror}.") from None
    lines = text.split("\n")
    role = lines[0][len(_FIRST):] if lines[0].startswith(_FIRST) else ""
    names = _FIELDS.get(role, [])
    fields: dict[str, bytes] = {}
    for name, line in zip(names, lines[1:]):
        try:
            fields[name] = bytes.fromhex(line.removeprefix(name + " "))
        except ValueError:
            break
    if not names or len(lines) != len(names) + 2 or lines[-1] or set(fields) != set(names) or any(len(key) != 32 for key in fields.values()):
        raise LabError("BadArgument", f"The key file {path} cannot be used: it is damaged, or of another version.",
                       "lhrs-coordinator --make-keys FOLDER makes keys.")
    return PeerKeys(role, fields)
