#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints the events of a running cluster, one line each. Argument: the coordinator's control endpoint."""
import pathlib, subprocess, sys, tempfile, time
import zmq
from google.protobuf.text_format import MessageToString

if len(sys.argv) != 2:
    sys.exit("watch.py needs one argument, the coordinator's control endpoint, such as tcp://127.0.0.1:4711")
here, made = pathlib.Path(__file__).resolve().parent, tempfile.TemporaryDirectory()
subprocess.run(["protoc", f"-I{here.parent}", f"--python_out={made.name}", *map(str, here.glob("*.proto"))], check=True)
pathlib.Path(made.name, "proto", "__init__.py").touch()
sys.path.insert(0, made.name)
from proto.control_pb2 import Command, CommandReply, ListProcesses
from proto.event_pb2 import EventBatch, EventHeader

context = zmq.Context()
control, events = context.socket(zmq.DEALER), context.socket(zmq.SUB)
control.linger = 0  # at the end, do not wait for a coordinator that has gone
try:
    control.connect(sys.argv[1])
except zmq.ZMQError:
    sys.exit(f"{sys.argv[1]} is not an endpoint; write one as in the coordinator's ready line: tcp://127.0.0.1:4711")
events.subscribe(b"")  # all processes; b"\x09" + the process number, 8 bytes, low first: only that one
watched, following, unanswered, asked = set(), {}, 0, 0.0
while unanswered <= 5:  # questions, not seconds: this program may have been asleep itself
    if time.monotonic() - asked > 1:  # again and again: processes come and go
        asked, unanswered = time.monotonic(), unanswered + 1
        control.send(Command(ticket=1, list_processes=ListProcesses()).SerializeToString())
    if control.poll(0):
        unanswered = 0
        for entry in CommandReply.FromString(control.recv()).processes.processes:
            if entry.process.events_endpoint not in watched:
                watched.add(entry.process.events_endpoint)
                try:
                    events.connect(entry.process.events_endpoint)
                except zmq.ZMQError:
                    print(f"{entry.process.name}: {entry.process.events_endpoint!r} is not an endpoint", flush=True)
    if events.poll(50):
        header, body = events.recv_multipart()
        header, batch = EventHeader.FromString(header), EventBatch.FromString(body)
        lost = header.first_sequence - following.get(header.process, header.first_sequence)
        if lost > 0:
            print(f"{header.name}: {lost} events were lost; ask for a snapshot", flush=True)
        following[header.process] = header.first_sequence + header.count
        for event in batch.events:
            kind = event.WhichOneof("body")
            text = MessageToString(getattr(event, kind), as_one_line=True) if kind else "of a later version"
            print(f"{event.time_ns / 1e9:.6f} {header.name} {event.sequence} {kind} {text}", flush=True)
sys.exit(f"the coordinator at {sys.argv[1]} does not answer")
