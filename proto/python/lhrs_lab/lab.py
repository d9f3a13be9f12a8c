# SPDX-License-Identifier: GPL-3.0-or-later
"""A Lab: a cluster that runs or is started here, and everything that can be done with it."""
import atexit
import inspect
import os
import pathlib
import random
import re
import socket
import types
from typing import Any, Mapping, Optional, Sequence, Union

from . import endings
from . import messages as pb
from .audit import AuditCalls
from .bounds import bounded, check
from .charts import Chart
from .clients import Client
from .errors import LabError
from .expect import ExpectCalls
from .invariants import InvariantCalls
from .keys import read_key
from .local import FILES_OF_PROCESS, LocalCluster, check_open_files
from .measure import MeasureCalls, Table, started_now
from .simulated import SimulatedCluster
from .timing import TimingCalls
from .values import Target
from .virtual_clock import VirtualClock
from .wire import Process, is_sound
from .witness import WitnessCalls

_WORDS = {
    "field": (8, 16), "rerank": ("fill", "keep"), "recovery": ("off", "automatic", "on_alarm", "manual"),
    "decode": ("auto", "rs"), "recovery_transport": ("tcp", "udp"), "tcp": ("passive", "handshake"),
    "galois": ("simd", "gf-complete", "log"), "timers": ("default", "classroom"), "split": ("serial", "parallel")}
_OF_A_FILE = ("m", "k", "b", "field", "spares", "slice", "split", "rerank", "thresholds", "recovery", "decode", "recovery_transport", "tcp",
              "galois", "log_precalculus", "pure_rs", "mix_keys", "merges", "load_control")


def _arguments(**o: Any) -> list[str]:
    """The options of ``Lab.start`` as the coordinator's command line."""
    for name, words in _WORDS.items():
        if o[name] not in words:
            raise LabError("BadArgument", f"{name} is one of {', '.join(map(str, words))}, not {o[name]!r}.")
    arguments = ["-m", str(o["m"]), "-k", str(o["k"]), "-b", str(o["b"]), "--field", str(o["field"]), "--rerank", o["rerank"],
                 "--recovery", "alarm" if o["recovery"] == "on_alarm" else o["recovery"], "--decode", o["decode"],
                 "--recovery-transport", o["recovery_transport"], "--tcp", o["tcp"], "--galois", o["galois"],
                 "--split", o["split"]]
    if o["slice"] is not None:
        arguments += ["--slice", str(o["slice"])]
    for is_on, flag in ((not o["log_precalculus"], "--no-log-precalculus"), (o["pure_rs"], "--pure-rs"),
                        (o["mix_keys"], "--mix-keys"), (o["merges"], "--merges")):
        arguments += [flag] if is_on else []
    if o["load_control"] is not None:
        arguments += ["--load-control", str(o["load_control"])]
    for step, buckets in enumerate(o["thresholds"], start=1):
        arguments += ["--threshold", f"{buckets}:{o['k'] + step}"]
    return arguments + (["--time-scale", "5"] if o["timers"] == "classroom" else [])


def _is_ip(family: int, text: str) -> bool:
    try:
        return bool(socket.inet_pton(family, text))
    except OSError:
        return False


def _endpoint_of(endpoint: str) -> str:
    """'tcp://HOST:PORT' from what a person typed. LabError BadArgument: it is not such an address."""
    named = re.fullmatch(r"(?:tcp://)?([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\]):([0-9]{1,5})", endpoint) if isinstance(endpoint, str) else None
    is_number = named is not None and not named[1].strip("0123456789.")
    if named is None or not 1 <= int(named[2]) <= 65_535 or not (
            _is_ip(socket.AF_INET6, named[1][1:-1]) if named[1].startswith("[") else not is_number or _is_ip(socket.AF_INET, named[1])):
        raise LabError("BadArgument", f"{endpoint!r:.80} is not an address.",
                       "Write HOST:PORT, the coordinator's control endpoint, for example 127.0.0.1:4712.")
    return f"tcp://{named[1]}:{named[2]}"


@bounded
class Lab(MeasureCalls, TimingCalls, AuditCalls, WitnessCalls, InvariantCalls, ExpectCalls):
    """A cluster. Make one by ``Lab.start(...)`` (processes on this machine, which end with the Lab or with Python,
    however Python ends) or by ``Lab.connect(endpoint)``; use it in ``with``, or call ``close``.

    Calls wait until what they ask for is done. Times are in seconds, sizes in bytes; a name states any other unit
    (``time_ms``). In a simulated cluster that was started here and is not watched, times are virtual seconds,
    including the timeouts of calls. Errors are LabErrors; every call may raise BadArgument, Unreachable, Timeout and
    NoCluster. "Changing" calls are those after which ``wait_for`` looks for events: operations, workloads,
    structure, faults.
    """

    def __init__(self, keep_events: int = 1_000_000, seed: int = 1) -> None:
        """Not for users: see ``start`` and ``connect``."""
        super().__init__(keep_events, seed)
        self.tables: dict[str, Table] = {}     # by name: the measurements so far
        self.charts: list[Chart] = []
        self.expectations = []                 # in the order in which they were checked
        self.config: Any = None                # the file's parameters, a FileConfig
        self._clients: dict[str, Client] = {}
        self._keys_given = set()
        self._workloads = 0
        self._run_started = started_now()
        self.parameters = {}                   # what you set in this run: columns of runs.csv
        self._started_with: dict[str, Any] = {}
        self._watch_bin: Optional[str] = None
        atexit.register(self.close)  # the processes would end in any case, but their logs would stay
        endings.close_at_the_end(self)

    # ---- set-up

    @classmethod
    def start(cls, m: int = 4, k: int = 1, b: int = 100, field: int = 16, record_bytes: int = 100,
              spares: Optional[Mapping[str, int]] = None, slice: Optional[int] = None,  # pylint: disable=redefined-builtin
              split: str = "serial", rerank: str = "fill", thresholds: Sequence[int] = (), recovery: str = "automatic",
              decode: str = "auto", recovery_transport: str = "tcp", tcp: str = "passive", galois: str = "simd", log_precalculus: bool = True,
              pure_rs: bool = False, mix_keys: bool = False, merges: bool = False, load_control: Optional[float] = None,
              system: str = "lhrs", nodes: Optional[int] = None, outside: Optional[int] = None, bits: Optional[int] = None,
              timers: str = "default", simulated: bool = False, speed: float = 1, gate: bool = False, keys: bool = True, watch: bool = False,
              record: Union[str, "os.PathLike[str]", None] = None, bin_dir: Optional[str] = None, timeout: float = 20,
              keep_events: int = 1_000_000, seed: int = 1) -> "Lab":
        """Starts a coordinator and ``spares`` = {'data': 8, 'parity': 6} servers on this machine, and waits until
        the file exists.

        m: data buckets of a group; k: intended availability; b: bucket capacity in records; field: 16 or 8 bits;
        record_bytes: of the values that clients make; slice: ranks of a recovery slice; thresholds: numbers of data
        buckets at which the intended availability grows by one; split: 'serial', or 'parallel', where up to four
        owed splits are staged at once; recovery: 'off', 'automatic', 'on_alarm', 'manual'; load_control: an
        overloaded bucket causes a split only above this load of the file, 0.1 to 1 (None: always); timers:
        'classroom' makes all timeouts five times as long.

        simulated: one process simulates all others. Its virtual time advances only while a call waits for something,
        ``speed`` times as fast as real time (0.001 to 100; 0: as fast as possible), with random numbers from
        ``seed``. A program with one thread therefore has the same results, to the byte, at every speed.
        ``time.sleep`` does not advance virtual time, but ``lab.clock(step="ms", count=100)`` does. gate: messages
        can be held (``lab.gate``); keys: real processes have keys of their own, so that nobody else on this computer
        can speak to them; watch: the invariants are judged (``lab.invariants``); record: the run is also
        recorded into this file (``lab.watch``). With watch or record, virtual time advances by itself, also while
        the program computes.

        system: 'walk' starts a ring in place of a file: ``nodes`` (8) are in it, a further ``outside`` (2) can join,
        and ids are numbers modulo 2^``bits`` (32). The options of a file, from m to load_control, do not apply to
        it.

        bin_dir: where the programs are (else LHRS_BIN_DIR, the build directories of this tree, PATH); timeout:
        seconds. The other options are those of lhrs-coordinator --help. LabError NoCluster, NoSpares, Timeout,
        BadArgument, Unsupported."""
        options = dict(locals())
        if not (speed == 0 or 0.001 <= speed <= 100):
            raise LabError("BadArgument", f"speed is 0.001 to 100, or 0: as fast as possible, not {speed!r}.")
        if system not in ("lhrs", "walk"):
            raise LabError("BadArgument", f"system is 'lhrs' or 'walk', not {system!r}.")
        if system == "walk":
            standard = inspect.signature(cls.start).parameters
            given = [name for name in _OF_A_FILE if options[name] != standard[name].default]
            if given:
                raise LabError("BadArgument", f"{', '.join(given)} is for a file of LH*RS, not for a ring.", "Lab.start(system='walk', nodes=8)")
            ring = {"nodes": 8 if nodes is None else nodes, "outside": 2 if outside is None else outside, "bits": 32 if bits is None else bits}
            lab = cls(keep_events, seed)
            lab.system, lab._record_bytes = "walk", record_bytes
            return lab._begin_ring(ring, timers, simulated, speed, gate, keys, watch, record, bin_dir, timeout)
        if not nodes is outside is bits is None:
            raise LabError("BadArgument", "nodes, outside and bits are for a ring, not for a file of LH*RS.", "Lab.start(system='walk', nodes=8)")
        servers = {"data": 8, "parity": 6, **(spares or {})}
        for pool in set(servers) & {"data", "parity"}:
            check(pool, servers[pool])
        if set(servers) != {"data", "parity"} or servers["data"] < 1 or servers["parity"] < k:
            raise LabError("BadArgument", "The file begins with one data bucket and k parity buckets, so spares is "
                           "{'data': at least 1, 'parity': at least k}.")
        arguments = _arguments(m=m, k=k, b=b, field=field, slice=slice, split=split, rerank=rerank, thresholds=thresholds, recovery=recovery,
                               decode=decode, recovery_transport=recovery_transport, tcp=tcp, galois=galois,
                               log_precalculus=log_precalculus, pure_rs=pure_rs, mix_keys=mix_keys, merges=merges,
                               load_control=load_control, timers=timers)
        lab = cls(keep_events, seed)
        lab._record_bytes = record_bytes
        try:
            lab.simulated = simulated
            simulation = None
            if simulated:
                waits = not watch and record is None  # see lab.watch
                simulation = SimulatedCluster(lab._wire, lab._log, bin_dir, timeout, speed, seed, waits)
            lab._local = simulation or LocalCluster(lab._wire, bin_dir, timeout, gate, has_keys=keys)
            lab._watch_bin = bin_dir
            if not simulated:
                check_open_files(FILES_OF_PROCESS * (1 + servers["data"] + servers["parity"]), f"{1 + servers['data'] + servers['parity']} processes")
            lab._started_with = {"data_servers": servers["data"], "parity_servers": servers["parity"], "timers": timers}
            if not simulated:
                lab._log.begin()
            coordinator = lab._local.start_coordinator(arguments)
            if simulation is not None and simulation.clock is not None:
                lab._clock = simulation.clock
                lab._options = [*arguments, *map(str, (record_bytes, servers["data"], servers["parity"]))]
            else:
                lab._wire.follow(coordinator.control)
            lab._local.start_servers(pb.PARITY, servers["parity"])
            lab._started_with.update(lab._local.choose_patience())
            lab._local.start_servers(pb.DATA, servers["data"])
            lab._local.begin()
            lab._await_file(timeout)
            lab._await_known(timeout)
            if watch or record is not None:
                lab.watch(record, timeout)
        except BaseException:
            lab.close()
            raise
        return lab

    def _begin_ring(self, ring: dict[str, int], timers: str, simulated: bool, speed: float, gate: bool, keys: bool, watch: bool,
                    record: Union[str, "os.PathLike[str]", None], bin_dir: Optional[str], timeout: float) -> "Lab":
        """Starts the master of a ring and its servers, and waits until the nodes are in the ring."""
        arguments = ["--bits", str(ring["bits"]), "--nodes", str(ring["nodes"]), *(["--time-scale", "5"] if timers == "classroom" else [])]
        try:
            self.simulated, self._watch_bin = simulated, bin_dir
            servers = ring["nodes"] + ring["outside"]
            waits = not watch and record is None  # see lab.watch
            simulation = SimulatedCluster(self._wire, self._log, bin_dir, timeout, speed, self._seed, waits, "walk") if simulated else None
            self._local = simulation or LocalCluster(self._wire, bin_dir, timeout, gate, "walk", keys)
            self._started_with = {"system": "walk", **ring, "timers": timers}
            if simulation is None:
                check_open_files(FILES_OF_PROCESS * (1 + servers), f"{1 + servers} processes")
                self._log.begin()
            coordinator = self._local.start_coordinator(arguments)
            if simulation is not None and simulation.clock is not None:
                self._clock = simulation.clock
                self._options = [*arguments, *map(str, (self._record_bytes, servers))]
            else:
                self._wire.follow(coordinator.control)
            self._started_with.update(self._local.choose_patience())
            self._local.start_servers(pb.NO_ROLE, servers)
            self._local.begin()
            self._await_ring(ring["nodes"], timeout)
            self._await_known(timeout)
            if not waits:
                self.watch(record, timeout)
        except BaseException:
            self.close()
            raise
        return self

    @classmethod
    def connect(cls, endpoint: str, detail: Optional[str] = None, record_bytes: int = 100, timeout: float = 5,
                keep_events: int = 1_000_000, seed: int = 1, key_file: Union[str, "os.PathLike[str]", None] = None) -> "Lab":
        """Connects to a running cluster by its coordinator's control endpoint ('tcp://127.0.0.1:4711' or
        '127.0.0.1:4711', as in its ready line; also that of lhrs-sim). Its processes are not controlled, except for
        faults of the network. ``detail``: the level that they publish from now on (None: unchanged). Virtual time of
        a simulation advances by itself, unless it already waits for commands, as in a simulated cluster of
        ``Lab.start``. ``key_file``: a key of the cluster, if it has keys. LabError NoCluster: no coordinator answers
        within ``timeout`` seconds, as with a wrong key."""
        address = _endpoint_of(endpoint)
        keys = read_key(key_file)
        lab = cls(keep_events, seed)
        lab._key_file = None if key_file is None else pathlib.Path(key_file)
        lab._wire.use_keys(keys)
        lab._record_bytes = record_bytes
        try:
            who = lab._result(lab._wire.call(address, pb.Command(who_are_you=pb.WhoAreYou())), timeout, address).process
            if who.kind != pb.COORDINATOR:
                raise LabError("ClusterMismatch", f"{address} is the {pb.ProcessKind.Name(who.kind).lower()} {who.name}.",
                               "Name the coordinator's control endpoint.")
            lab.simulated = who.is_simulated
            if not lab.simulated:
                lab._log.begin()
            lab._wire.add(Process.of(who))
            listed = lab._ask(who.node, timeout, list_processes=pb.ListProcesses()).processes.processes
            for entry in listed:
                if is_sound(entry.process):
                    lab._process(entry.process.node)
            if not lab._join_clock(address):
                lab._wire.follow(address)
            lab.system = who.system or "lhrs"
            if lab.system == "lhrs":
                lab._await_file(timeout)
            else:
                lab._await_ring(1, timeout)
            if detail is not None:
                lab.detail(detail)
        except LabError as error:
            lab.close()
            if error.code == "Timeout":
                raise LabError("NoCluster", f"There is no cluster at {address}: {error.message}",
                               "Look for control= in the coordinator's ready line.") from None
            raise
        return lab

    def _join_clock(self, address: str) -> bool:
        """Whether virtual time waits for commands there. If so, the calls of this Lab advance it too, and the
        coordinator is not asked repeatedly."""
        if not self.simulated:
            return False
        if not self._ask_simulator(describe_simulation=pb.DescribeSimulation()).simulation.waits_for_commands:
            return False
        self._clock = VirtualClock(self._wire, self._log, address, is_ours=False)
        self._hear_out()
        return True

    def close(self) -> None:
        """Ends the processes that were started here, and the connections. A second call has no effect."""
        if self._is_closed:
            return
        self._is_closed = True
        atexit.unregister(self.close)
        endings.is_closed(self)
        self._end_watch()  # before the processes end, which is not part of the run
        if self._local is not None:
            self._local.stop()
        self._wire.close()

    def __enter__(self) -> "Lab":
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException],
                 trace: Optional[types.TracebackType]) -> None:
        self.close()

    def _await_file(self, timeout: float) -> None:
        deadline = self._deadline(timeout)
        while True:
            file = self._describe_file()
            if file.exists and not file.is_listening:
                self.config = file.config
                return
            if deadline.left() <= 0:
                raise LabError("Timeout", f"There is no file after {timeout:g} s ({file.under_way or 'nothing is under way'}).")
            self._wait_beyond(self._log.committed, deadline, 0.05)

    @property
    def random(self) -> random.Random:
        """Random numbers drawn by the seed of this Lab, like the order of a measurement: ``lab.random.choice([1, 2,
        3])``."""
        return self._random

    @property
    def version(self) -> str:
        """The version of the programs, as the coordinator reports it."""
        return self._process(self._coordinator()).version

    @property
    def endpoint(self) -> str:
        """The coordinator's control endpoint: for ``Lab.connect``, lhrs-gui --connect and proto/watch.py."""
        return self._process(self._coordinator()).control

    def processes(self) -> list[Process]:
        """The living processes of the cluster, as far as they are known."""
        return self._wire.processes()

    def add_spares(self, data: int = 0, parity: int = 0, timeout: float = 10) -> dict[str, int]:
        """Starts further servers, which wait in the two pools; returns how many wait then. LabError NotAllowed,
        Timeout (seconds)."""
        self._changing()
        started = []
        for pool, word, count in ((pb.DATA, "data", data), (pb.PARITY, "parity", parity)):
            if count and self.simulated and self._local is None:
                there = sum(process.name.startswith(f"{word}-") for process in self._wire.processes(False))
                names = [f"{word}-{there + number}" for number in range(1, count + 1)]
                started += self._start_simulated(pb.StartProcesses(kind=pb.NODE, pool=pool, names=names))
            elif count:
                started += self._local_cluster().start_servers(pool, count)
        self._await_known(timeout, started)
        self._tell_new(started)
        return self.spares()

    def _start_simulated(self, order: Any) -> list[Process]:
        """Lets the simulator start them; the simulator is not a process of the cluster."""
        reply = self._ask_simulator(10, start_processes=order)
        started = [Process.of(entry.process) for entry in reply.processes.processes]
        for process in started:
            self._wire.add(process)
        return started

    def _tell_new(self, started: list[Process]) -> None:
        """Processes that join later get the same detail level as the others, and are held like them."""
        if self._detail != "full":
            self._tell_detail([process.number for process in started])
        self._tell_holds(started)

    def clock(self, speed: Optional[float] = None, paused: bool = False, step: Optional[str] = None, count: int = 1,
              timeout: float = 60) -> dict[str, Any]:
        """Controls the virtual time of a simulated cluster: sets its speed (0: as fast as possible), pauses it, or
        advances it by ``count`` steps ('event', 'message' or 'ms'). Where it waits for calls, a step replaces
        ``time.sleep``; a clock that advances by itself is paused first, and stands still afterwards. While it is
        paused, no call advances time. Returns {'now_s', 'virtual_s' (since the simulator began), 'paused', 'speed',
        'seed'}; without arguments it changes nothing. LabError Refused: real processes have no virtual time;
        BadArgument, Timeout (seconds of real time)."""
        if step not in (None, "event", "message", "ms") or speed is not None and (paused or step):
            raise LabError("BadArgument", "lab.clock either sets the speed, or pauses, or goes on by steps: 'event', 'message', 'ms'.")
        if speed is not None:
            reply = self._ask_simulator(10, set_clock=pb.SetClock(factor=speed))
        elif paused or step and self._clock is None:
            reply = self._ask_simulator(10, set_clock=pb.SetClock(is_paused=True))
        elif not step:
            reply = self._ask_simulator(10, describe_simulation=pb.DescribeSimulation())
        if step:
            unit = {"event": "events", "message": "messages", "ms": "ns"}[step]
            further = pb.StepClock(**{unit: count * 1_000_000 if step == "ms" else count})
            reply = self._ask_simulator(max(timeout, further.ns / 1e9), step_clock=further)
        state = reply.simulation
        self._is_paused = state.is_paused
        return {"now_s": self._log.now_s(), "virtual_s": state.virtual_ns / 1e9, "paused": state.is_paused, "speed": state.factor, "seed": state.seed}

    # ---- targets

    @staticmethod
    def data(number: Union[int, Sequence[int]]) -> Target:
        """The data bucket with this number, or several."""
        return Target("data", (number,) if isinstance(number, int) else tuple(number))

    @staticmethod
    def parity(group: int, column: Union[int, Sequence[int]]) -> Target:
        """A parity bucket, by group and column; the columns may be a list."""
        return Target("parity", (column,) if isinstance(column, int) else tuple(column), group)

    @staticmethod
    def coordinator() -> Target:
        """The coordinator."""
        return Target("coordinator")

    @staticmethod
    def manager(group: int) -> Target:
        """The recovery manager of a group: the parity bucket that recovers it now, or would."""
        return Target("manager", group=group)

    @staticmethod
    def spare(pool: str, index: int = 0) -> Target:
        """A spare server of the pool 'data' or 'parity'."""
        if pool not in ("data", "parity"):
            raise LabError("BadArgument", f"A pool is 'data' or 'parity', not {pool!r}.")
        return Target("spare", name=pool, index=index)

    @staticmethod
    def process(name: Union[str, int]) -> Target:
        """A process by its name or number."""
        return Target("process", name=str(name))

    # ---- clients

    def client(self, name: str = "client-1", image: Optional[str] = None, patience: Optional[float] = None) -> Client:
        """The client with that name: an existing one, or a process that is started now. ``image``: 'adjusting',
        'frozen' or 'exact'; ``patience``: seconds, as for ``c.wait_for_answers``; None: unchanged. LabError
        BadArgument, NotAllowed (connected, and there is no such client), Refused."""
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,40}", name):
            raise LabError("BadArgument", f"A client's name has 1 to 40 letters, digits, - and _, not {name[:60]!r}.")
        if name not in self._clients:
            self._clients[name] = self._find_client(name)
        if image is not None:
            self._clients[name].treat_image(image)
        if patience is not None:
            self._clients[name].wait_for_answers(patience)
        return self._clients[name]

    def _find_client(self, name: str) -> Client:
        for process in self._wire.processes():
            if process.name == name and process.kind != "client":
                raise LabError("BadArgument", f"{name} is the name of a process that is not a client.")
            if process.name == name:
                return Client(self, name, process.number)
        if self._local is None and not self.simulated:
            raise LabError("NotAllowed", f"The connected cluster has no client {name}.",
                           "Start one: lhrs-client --name NAME --coordinator HOST:PORT")
        self._changing()
        if self._local is None:
            process = self._start_simulated(pb.StartProcesses(kind=pb.CLIENT, names=[name]))[0]
        else:
            process = self._local.start_client(name)
        client = Client(self, name, process.number)
        client._await_registered(5)
        self._tell_new([process])
        return client

    def _next_workload_seed(self) -> int:
        self._workloads += 1
        return (self._seed * 1_000_003 + self._workloads - 1) & (1 << 64) - 1


__all__ = ["Lab"]
