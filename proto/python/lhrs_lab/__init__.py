# SPDX-License-Identifier: GPL-3.0-or-later
"""LHRS Lab from Python: start or join an LH*RS cluster, or a ring that walks; operate it, break it, measure it.

>>> from lhrs_lab import Lab
>>> with Lab.start(m=4, k=2, b=50) as lab:
...     lab.client("alice").run("insert", count=500, window=16)
...     lab.kill(lab.data([0, 1]))
...     lab.wait_for("RecoveryFinished")
...     print(lab.recoveries()[-1].total_s)
"""
from .audit import Audit
from .charts import Chart
from .clients import Client, Handle, Image, Operation, Scan, Verified, Workload
from .errors import CODES, LabError
from .events import Event, Gap, Here
from .expect import Expectation
from .faults import Fault
from .frames import Rows
from .gate import Held
from .invariants import Invariant
from .lab import Lab
from .measure import Table
from .recording import RecordedTable, Recording
from .ring import LookUp, LookUps, Ring, RingChange, RingNode
from .state import Bucket, FileState, Group, Split
from .timing import Timing
from .values import Target
from .wire import Process

__version__ = "0.2.0"
__all__ = ["Audit", "Bucket", "CODES", "Chart", "Client", "Event", "Expectation", "Fault", "FileState", "Gap", "Group", "Handle", "Held",
           "Here", "Image", "Invariant", "Lab", "LabError", "LookUp", "LookUps", "Operation", "Process", "RecordedTable", "Recording", "Ring", "RingChange", "RingNode", "Rows", "Scan", "Split", "Table", "Target",
           "Timing", "Verified", "Workload"]
