// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/reel/exercise.h"

#include <QByteArray>
#include <QJsonObject>
#include <QString>
#include <QStringList>

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace lhrs::gui {

// An instant of the run. An entry at a cue is shown when everything up to the cue has been painted and nothing beyond
// it.
struct Cue {
    std::uint64_t event = 0; // index of the newest event received by then (RunEvent::index)
    std::int64_t ns = 0; // on the run's clock
    // true: the cue follows all events up to `ns`, in whatever order they were received; false: all events up to
    // `event`.
    bool isByTime = false;

    bool isThere() const { return event != 0 || ns != 0; }
    bool operator==(const Cue&) const = default;
};

// The requests of lab.camera; empty members change nothing.
struct CameraWish {
    // "file": all of it; a place as the system names it, several places with commas, or a client ("client bob")
    QString fit;
    QString view;
    QString layout; // "groups", "processes"
    std::map<QString, bool> layers;
    std::optional<double> speed;
    QJsonObject page; // what a page of the system is to show, in the system's own words

    bool operator==(const CameraWish&) const = default;
};

// One thing that a scenario shows or says, with its place in the run. All entries of a run in order, together with
// its events, are the run's reel. The show moves along the reel, so that captions and picture stay in step.
struct ReelEntry {
    enum class Kind {
        Cluster, // another cluster begins: the picture is cut without animation; from: the end of the former cluster
        Step, // id, text: its title
        Caption, // text; until: it also stays until that cue is painted
        Camera, // camera
        Highlight, // names: places or processes; text; seconds
        Dwell, // seconds of the show
        Chart, // id: a chart is opened
        Question, // text; names: the choices
        Answer, // text: why; id: the question; names: the choices; number: the right one
        Check, // text; number: 1 if it held, else 0; id: in that case what was wrong
        Print, // text, for the log and the terminal
        Note, // text, for the presenter
        Replay, // at, until: the interval, with its captions; slower: by what factor, 0: as slow as is easy to watch
        End, // the scenario has ended; text: how; number: 1 it held, 2 a person stopped it, 0 it did not hold
        Exercise, // exercise: its state from here on; text: its task
    };
    struct Said {
        Cue at;
        QString text;
        bool operator==(const Said&) const = default;
    };

    Kind kind = Kind::Caption;
    Cue at {};
    Cue until {}; // end of an interval; unset: no interval
    Cue from {}; // of Replay: the start of the interval; of Cluster: the end of the former cluster
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
// The JSON object that a recording stores. The inverse gives no entry for malformed bytes or an unknown kind.
QByteArray jsonOf(const ReelEntry& entry);
std::optional<ReelEntry> reelEntryOf(const QByteArray& json);

} // namespace lhrs::gui
