// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/reel/exercise.h"

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace lhrs::gui {

// An instant of the run. What stands at a cue is shown when everything up to the cue has been painted, and nothing beyond it.
struct Cue {
    std::uint64_t event = 0; // index of the newest event that had been received (RunEvent::index)
    std::int64_t ns = 0;     // on the run's clock
    bool isByTime = false;   // all events up to `ns` belong before it, in whichever order they were received; else all up to `event`

    bool isThere() const { return event != 0 || ns != 0; }
    bool operator==(const Cue&) const = default;
};

// What lab.camera asks for; empty members change nothing.
struct CameraWish {
    QString fit;   // "file", "spares", a place ("data 5", "parity 1.0"), or several with commas, or a client ("client bob")
    QString view;
    QString layout; // "groups", "processes"
    std::map<QString, bool> layers;
    std::optional<double> speed;
    std::optional<std::uint32_t> group, rank; // record group to show
    QString stage; // of its page: "members", "columns", "elimination", "inverse", "symbol", "bytes"; "delta", "column 1"

    bool operator==(const CameraWish&) const = default;
};

// One thing that a scenario shows or says, and where it stands in the run. All entries of a run in their order, together with its
// events, are its reel: the show moves along it, and nothing on it overtakes anything.
struct ReelEntry {
    enum class Kind {
        Cluster,   // another cluster begins: the picture is cut, not moved; from: where the former one ends
        Step,      // id, text: its title
        Caption,   // text; until: it stays until that is painted, too
        Camera,    // camera
        Highlight, // names: places or processes; text; seconds
        Dwell,     // seconds of the show
        Chart,     // id: a chart is opened
        Question,  // text; names: the choices
        Answer,    // text: why; id: the question; names: the choices; number: the right one
        Check,     // text; number: 1 it held, 0 it did not; id: then what was wrong
        Print,     // text, for log and terminal
        Note,      // text, for the presenter
        Replay,    // at, until: the interval; captions within it; slower: how many times, 0: as slowly as is well seen
        End,       // the scenario is over; text: how; number: 1 it held, 2 it was stopped by a person, 0 it did not
        Exercise,  // exercise: how it stands from here on; text: its task
    };
    struct Said {
        Cue at;
        QString text;
        bool operator==(const Said&) const = default;
    };

    Kind kind = Kind::Caption;
    Cue at {};
    Cue until {};               // of an interval; not there: none
    Cue from {};                // of Replay: where the interval begins; of Cluster: where the former one ends
    QString id {}, text {};
    QStringList names {};
    int number = -1;
    double seconds = 0;
    double slower = 0;
    CameraWish camera {};
    std::vector<Said> captions {};
    std::optional<ExerciseShown> exercise {};

    bool operator==(const ReelEntry&) const = default;
};

// The kind in one word: "step", "caption".
QString kindWord(ReelEntry::Kind kind);
// As a recording keeps it: one object of JSON. Of bytes that are none, or of an unknown kind, there is no entry.
QByteArray jsonOf(const ReelEntry& entry);
std::optional<ReelEntry> reelEntryOf(const QByteArray& json);

} // namespace lhrs::gui
