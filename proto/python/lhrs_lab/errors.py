# SPDX-License-Identifier: GPL-3.0-or-later
"""The only kind of exception of this package."""

#: The possible values of ``code`` in a LabError; the same words as in scenarios.
CODES = {
    "BadArgument": "an argument or option is unknown, missing, or of the wrong type or size",
    "NoCluster": "there is no cluster: it could not be started, has been closed, or its coordinator does not answer",
    "ClusterMismatch": "the connected cluster is not the expected one",
    "NoSpares": "no server of the required pool is free",
    "NotAllowed": "this is only possible with processes that were started here",
    "Refused": "the process refused the command and says why",
    "Unreachable": "the process has ended or is not known",
    "Timeout": "the time-out passed; the message says what was seen instead",
    "ExpectationFailed": "what was expected to be true is not",
    "Unsupported": "something that this needs is missing on this machine, or not in this version",
}


class LabError(Exception):
    """An error: ``code`` (one of CODES), ``message`` (what, where), ``hint`` (what to do; may be empty).

    Answers of the protocol, such as "not found", "duplicate" or "lost", are not errors but values of ``result``.
    """

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(code, message, hint)
        self.code = code
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.code}: {self.message}" + (f" {self.hint}" if self.hint else "")
