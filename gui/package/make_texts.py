#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the texts of the package that have their source elsewhere, so that nothing is written twice: the manual page and
the completion of each program from its --help, Debian's changelog from CHANGELOG.md, and lhrs-demo from a function of
./run. Called by the CMakeLists.txt beside it."""
import argparse
import dataclasses
import datetime
import gzip
import os
import pathlib
import re
import subprocess
import sys
import textwrap

MAN_SECTIONS = {"Positionals": "ARGUMENTS", "Options": "OPTIONS"}
SYSTEMS = ("walk",)   # systems besides LH*RS, whose programs have options of their own


@dataclasses.dataclass
class Option:
    """One line of --help: an option, or an argument if it has no flags."""

    flags: list[str]
    value: str
    rule: str      # what it needs or excludes
    text: str

    @property
    def words(self) -> list[str]:
        """The values between which one chooses, where the text lists them: "Pool: data or parity (data)"."""
        found = re.search(r": ([\w-]+(?:, [\w-]+)*,? or [\w-]+|[\w-]+(?:, [\w-]+)+)(?: \([^)]*\))?\.?$", self.text)
        return re.split(r", | or ", found[1].replace(", or ", " or ")) if found and self.value else []


@dataclasses.dataclass
class Help:
    """What a program says of itself."""

    summary: str
    usage: str
    sections: dict[str, list[Option]]
    footer: list[str]


def left_side(text: str) -> Option:
    """The left column of a line: "-k,--availability K", "--append Needs: --csv", "-v, --version", "--out <DIR>"."""
    head, _, rule = re.sub(r"\s(?=(?:Needs|Excludes):)", "\0", text, count=1).partition("\0")
    flags = re.match(r"(?:-[\w-]+(?:, ?|\s+|$))*", head)[0]
    value = head[len(flags):].replace("REQUIRED", "").replace("...  ...", "...").replace("... ...", "...").strip().strip("<>")
    # The order of CLI11 is one of addresses: another in each process. (TEXT: what it writes for a value that has no name.)
    rules = [" ".join([part.split()[0], *sorted(part.split()[1:])]) for part in re.split(r"\s(?=Excludes:)", rule) if part.strip()]
    return Option(re.split(r", ?|\s+", flags.strip()) if flags else [], value.removesuffix(" TEXT"), ". ".join(rules), "")


def read_help(text: str) -> Help:
    """Reads the --help of a program whose options are read by CLI11 or by Qt."""
    summary, usage, footer = [], "", []
    sections: dict[str, list[Option]] = {}
    section, option = "", None
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip())
        title = re.fullmatch(r"(\w+):", line.strip())
        if line.startswith("Usage:"):
            usage = line.removeprefix("Usage:").strip()
        elif title and title[1] in MAN_SECTIONS:
            section, option = title[1], None
        elif not line.strip() or line.startswith("[Option Group") or line.strip().startswith("[At most"):
            continue
        elif indent == 0:
            (footer if section else summary).append(line.strip())
        elif indent < 16 and section:
            left, _, right = re.sub(r"\s{2,}", "\0", line.strip(), count=1).partition("\0")
            option = left_side(left)
            option.text = right.strip()
            sections.setdefault(section, []).append(option)
        elif option is not None:
            option.text = f"{option.text} {line.strip()}".strip()
    if not summary or not usage or not sections:
        raise SystemExit("this --help has no form that is known here: it has no summary, no usage or no options")
    return Help(" ".join(summary), usage, sections, footer)


def asked(program: pathlib.Path, *options: str) -> Help:
    """Asks a program for its --help."""
    done = subprocess.run([program, *options, "--help"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True,
                          env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "LC_ALL": "C.UTF-8", "COLUMNS": "80"})
    return read_help(done.stdout)


def own_options(program: pathlib.Path, usual: Help) -> dict[str, list[Option]]:
    """The options that a program has for each other system only."""
    known = {flag for options in usual.sections.values() for option in options for flag in option.flags}
    if "--system" not in known:
        return {}
    own = {}
    for system in SYSTEMS:
        read = asked(program, "--system", system)
        own[system] = [option for option in read.sections["Options"] if not known.intersection(option.flags)]
    return own


# ---- manual pages


def roff(text: str) -> str:
    """Plain text as roff, in which a hyphen is a minus (options are copied from the page)."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("^", "\\(ha").replace("~", "\\(ti")
    return "\\&" + escaped if escaped.startswith(".") else escaped


def manual_options(options: list[Option]) -> list[str]:
    """Options as tagged paragraphs."""
    lines = []
    for option in options:
        names = ", ".join(f"\\fB{roff(flag)}\\fR" for flag in option.flags)
        value = f"\\fI{roff(option.value)}\\fR" if option.value else ""
        text = option.text.rstrip(".") + (f". {option.rule}" if option.rule else "") + "."
        lines += [".TP", f"{names} {value}".strip(), roff(text)]
    return lines


def manual(name: str, read: Help, own: dict[str, list[Option]], others: list[str], version: str, date: str) -> str:
    """The manual page of a program."""
    brief = read.summary.split(". ")[0].split(": ")[0].rstrip(".")
    brief = brief[0].lower() + brief[1:]
    usage = read.usage.split(maxsplit=1)[1] if " " in read.usage else ""
    lines = [f".TH {name.upper()} 1 {date} \"LHRS Lab {version}\" \"User Commands\"", ".nh", ".ad l",
             ".SH NAME", f"{roff(name)} \\- {roff(brief)}", ".SH SYNOPSIS", f"\\fB{roff(name)}\\fR {roff(usage)}",
             ".SH DESCRIPTION", roff(read.summary)]
    for section, options in read.sections.items():
        lines += [f".SH {MAN_SECTIONS[section]}", *manual_options(options)]
    for system, options in own.items():
        if options:
            lines += [f".SH \"OPTIONS WITH \\-\\-system {system}\"", *manual_options(options)]
    for paragraph in read.footer:
        if paragraph.startswith("Exit code: "):
            lines += [".SH \"EXIT STATUS\"", roff(paragraph.removeprefix("Exit code: "))]
        else:
            lines += [".PP", roff(paragraph)]
    lines += [".SH FILES", ".TP", "\\fI/usr/share/lhrs\\-lab/scenarios\\fR", "The scenarios, and exercises in a folder of its own.", ".TP",
              "\\fI/usr/share/doc/lhrs\\-lab\\fR", "How to write scenarios, use the window, Python, and keys.",
              ".SH \"SEE ALSO\"", ", ".join(f"\\fB{roff(other)}\\fR(1)" for other in others if other != name)]
    return "\n".join(lines) + "\n"


# ---- completion

COMPLETION = """\
# bash completion of {name}, made from its --help

{function}()
{{
    local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD - 1]}}
    COMPREPLY=()
    case $prev in
{cases}    esac
    if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W '{flags}' -- "$cur")
    else
        compopt -o filenames
        mapfile -t COMPREPLY < <({rest})
    fi
}}
complete -F {function} {name}
"""


def completion(name: str, read: Help, own: dict[str, list[Option]]) -> str:
    """A completion that knows the options, the words between which one chooses, and which values are files."""
    options = read.sections["Options"] + [option for more in own.values() for option in more]
    cases = []
    for option in options:
        if not option.value:
            continue
        if option.flags[-1] == "--system":
            answer = f"mapfile -t COMPREPLY < <(compgen -W 'lhrs {' '.join(SYSTEMS)}' -- \"$cur\")"
        elif option.words:
            answer = f"mapfile -t COMPREPLY < <(compgen -W '{' '.join(option.words)}' -- \"$cur\")"
        elif re.match(r"(DIR|FOLDER)\b", option.value):
            answer = "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- \"$cur\")"
        elif option.value.startswith("FILE"):
            answer = "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")"
        else:
            answer = ":"  # a number or a name: nothing to offer
        cases.append(f"        {' | '.join(option.flags)}) {answer}; return ;;\n".replace(":; return", "return"))
    takes = [option.value for option in read.sections.get("Positionals", [])]
    kind = "-d" if any(value.startswith("DIR") for value in takes) else "-f"
    rest = f"compgen {kind} -- \"$cur\"" if takes else "compgen -W '' -- \"$cur\""
    return COMPLETION.format(name=name, function="_" + name.replace("-", "_"), cases="".join(cases), rest=rest,
                             flags=" ".join(flag for option in options for flag in option.flags if flag.startswith("-")))


# ---- the others


def debian_changelog(text: str, maintainer: str) -> str:
    """CHANGELOG.md as Debian writes it. Each version is a heading "## 0.2.0, 2026-11-28" and a list."""
    entries = []
    for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        head, _, body = part.partition("\n")
        version, date = re.fullmatch(r"([\d.]+), (\d{4}-\d\d-\d\d)", head.strip()).groups()
        items = re.findall(r"^- (.*(?:\n  .*)*)", body, flags=re.MULTILINE)
        day = datetime.date.fromisoformat(date).strftime("%a, %d %b %Y 12:00:00 +0000")
        lines = []
        for item in items:
            plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", " ".join(item.split())).replace("`", "").replace("\\*", "*")
            lines += textwrap.wrap(plain, 78, initial_indent="  * ", subsequent_indent="    ", break_on_hyphens=False)
        entries.append("\n".join([f"lhrs-lab ({version}) unstable; urgency=medium", "", *lines, "", f" -- {maintainer}  {day}"]) + "\n")
    return "\n".join(entries)


def date_of(changelog: str) -> str:
    """The date of the newest version, which the manual pages have too: the same tree gives the same package."""
    return re.search(r"^## [\d.]+, (\S+)$", changelog, flags=re.MULTILINE)[1]


def demo(template: str, run: str) -> str:
    """lhrs-demo: its template, with the function of ./run that knows whether there is a display."""
    function = re.search(r"^hasDisplay\(\)\n\{\n.*?^\}\n", run, flags=re.MULTILINE | re.DOTALL)
    if function is None:
        raise SystemExit("./run has no function hasDisplay, which lhrs-demo takes from it")
    return template.replace("@hasDisplay@\n", function[0])


def put(path: pathlib.Path, text: str) -> None:
    """Writes a file; a .gz without a time, so that the same text gives the same bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0) if path.suffix == ".gz" else text.encode())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tree", type=pathlib.Path, required=True, help="the source tree")
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="the folder of the programs")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="where the texts go")
    parser.add_argument("--version", required=True)
    parser.add_argument("--maintainer", required=True)
    parser.add_argument("programs", nargs="+")
    told = parser.parse_args()
    room = told.tree / "gui" / "package"
    changelog = (room / "CHANGELOG.md").read_text()
    newest = re.search(r"^## ([\d.]+),", changelog, flags=re.MULTILINE)[1]
    if newest != told.version:
        raise SystemExit(f"CHANGELOG.md begins with version {newest}, but this is {told.version}")
    put(told.out / "changelog.gz", debian_changelog(changelog, told.maintainer))
    script = told.out / "lhrs-demo"
    put(script, demo((room / "lhrs-demo.in").read_text(), (told.tree / "run").read_text()))
    script.chmod(0o755)
    places = {name: told.bin / name for name in told.programs}
    places[script.name] = script
    for name, place in places.items():
        read = asked(place)
        own = own_options(place, read)
        put(told.out / "man" / f"{name}.1.gz", manual(name, read, own, sorted(places), told.version, date_of(changelog)))
        put(told.out / "completions" / name, completion(name, read, own))


if __name__ == "__main__":
    sys.exit(main())
