// SPDX-License-Identifier: GPL-3.0-or-later
// General rooms say nothing of one system. What they still say is a debt: counted by file on the acting side, by room
// on the watching side.
#pragma once

#include "tests/common/tidy_rooms.h"

namespace lhrs::tidy {

// A room of one system: a folder on its path has the system's name.
inline bool isOfASystem(const QString& path)
{
    static const QRegularExpression kSystem = pattern(u"(^|/)(lhrs|walk)(/|$)"_s);
    return path.contains(kSystem);
}

// What owes the words of this file: the file itself, on the watching side its room; empty: it is of a system or a test.
inline QString generalPlace(const QString& path)
{
    const Room* room = roomOf(path);
    if (room == nullptr || isOfASystem(path) || isOfASystem(room->folder))
        return {};
    const QString side = room->folder.section(u'/', 0, 0);
    return side == "gui"_L1 ? room->folder : side == "node"_L1 || side == "common"_L1 ? path : QString();
}

// The words of LH*RS: its servers, its parameters, its ways to grow and to recover.
inline const QRegularExpression& wordOfLhrs()
{
    static const QRegularExpression kWord = pattern(
        uR"re(\b\w*([Bb]ucket|[Pp]arity|[Rr]ank(s|Map)?\b|File(Config|State|Image)|[Ii]mage_?[Aa]djust)re"_s
        + uR"re(|[Rr]ecover(y|ies|ed)\b)re"_s
        + uR"re(|[Rr]erank|RecordChange|AppliedDelta|[Ss]pares?(?=\b|_[a-z]))|[Dd]elta|[Aa]vailability)re"_s
        + uR"re(|\bslices?\b|\b[Ss]plit(s|ting)?\b|[.>][mkb]\(\)|\bPARITY\b|\bpb::DATA\b|LH\*RS)re"_s);
    return kWord;
}

struct Debt {
    QString place; // a file or a room
    int lines = 0; // with a word of LH*RS, comments included
};

// What general files and rooms still say of LH*RS. A debt is never raised, and it is lowered with the place.
inline const QList<Debt>& debts()
{
    static const QList<Debt> kDebts {
        { u"node/machine/requests/workload.cpp"_s, 1 }, // a field of WorkloadResult
        { u"node/sim/engine/event_lines.cpp"_s, 1 }, // a field named "split" is left out
        { u"gui/lab/calls"_s, 1 }, { u"gui/lab/export"_s, 1 }, // columns of operations
        { u"gui/lab/local"_s, 1 }, { u"gui/lab/recording"_s, 3 }, { u"gui/lab/tables"_s, 2 },
        { u"gui/show/show_systems.cpp"_s, 2 }, { u"gui/show/words"_s, 4 },
        { u"gui/view/paint"_s, 1 }, // the names of ObjectKind
        { u"gui/window/main"_s, 3 }, { u"gui/window/start"_s, 1 }, // what the program is
    };
    return kDebts;
}

// What only looks like a word of LH*RS: Qt splits a text, and a wheel has a delta for it; a client is called Frank.
inline const QRegularExpression& lookalike()
{
    static const QRegularExpression kName = pattern(uR"re([.>]split\((?=[u'"Q])|\bangleDelta\b|"frank")re"_s);
    return kName;
}

inline int linesWithWords(const File& file)
{
    int lines = 0;
    for (QString line : file.text.split(u'\n'))
        lines += line.contains(wordOfLhrs()) && line.remove(lookalike()).contains(wordOfLhrs()) ? 1 : 0;
    return lines;
}

inline QStringList wordsBeyondDebts(const QList<File>& files, const QList<Debt>& debts)
{
    QStringList found;
    QMap<QString, int> owed, said;
    QHash<QString, const File*> single; // the places that are one file
    for (const Debt& debt : debts)
        owed.insert(debt.place, debt.lines);
    for (const File& file : files) {
        const QString place = isCpp(file.path) ? generalPlace(file.path) : QString();
        if (place.isEmpty())
            continue;
        said[place] += linesWithWords(file);
        if (place == file.path)
            single.insert(place, &file);
    }
    for (auto it = said.cbegin(); it != said.cend(); ++it) {
        const int debt = owed.take(it.key());
        if (it.value() < debt)
            found << u"%1:1: lower the debt of %1 to %2 in tests/common/tidy_words.h"_s.arg(it.key()).arg(it.value());
        if (it.value() <= debt)
            continue;
        const QString counted = u"%1 lines with words of LH*RS, a debt of %2"_s.arg(it.value()).arg(debt);
        if (const File* file = single.value(it.key()))
            found << everywhere(*file, file->text, wordOfLhrs().pattern(),
                u"\"%1\" is a word of LH*RS, and this room is of no system (%2)"_s.arg(u"%1"_s, counted));
        else
            found << u"%1:1: this room is of no system, and it has %2"_s.arg(it.key(), counted);
    }
    for (const QString& place : owed.keys())
        found << u"tests/common/tidy_words.h:0: there is no general place %1 any more: take its debt away"_s.arg(place);
    return found;
}

// The only general rooms that name a system's rooms: each registers all systems, one line a system.
inline const QStringList& registrations()
{
    static const QStringList kRegistrations {
        u"common/wire_traits.cpp"_s, // how the messages of each travel
        u"gui/lab/state"_s, // what a watcher knows of a cluster of each
        u"gui/lab/script/lab_systems.cpp"_s, // what `lab` has of each
        u"gui/lab/local"_s, // the options of each
        u"gui/lab/recording/recording_systems.cpp"_s, // the tables of each
        u"gui/lab/series"_s, // what each adds to the series of a run
        u"gui/lab/words"_s, // the sentences of each
        u"gui/show/show_systems.cpp"_s, // what shows say of each
        u"gui/lab/script"_s, // lhrs-play --audit: a debt
        u"gui/view/systems/view_systems.cpp"_s, // the picture and the words of each
        u"gui/window/main"_s, // the subjects of each
        u"node"_s, // the mains: which systems `--system` knows
        u"tests"_s, // they test all of them
    };
    return kRegistrations;
}

// Arrows lead on, also through a registration: a general file names no header of a system all the same.
inline QStringList systemHeadersInGeneralFiles(const File& file)
{
    static const QRegularExpression kHeader = pattern(uR"re(^#include "((?:gui/show|gui/view|gui/window)/[^"]*)")re"_s);
    QStringList found;
    const Room* room = isCpp(file.path) ? roomOf(file.path) : nullptr;
    if (room == nullptr || isOfASystem(room->folder) || registrations().contains(room->folder))
        return found;
    for (auto matches = kHeader.globalMatch(file.text); matches.hasNext();) {
        const auto match = matches.next();
        if (isOfASystem(match.captured(1).section(u'/', 0, -2)))
            found << finding(file, match.capturedStart(), u"\"%1\" is of a system"_s.arg(match.captured(1)));
    }
    return found;
}

inline QStringList systemsSeenFromGeneralRooms(const QList<Room>& rooms)
{
    QStringList found;
    for (const Room& room : rooms) {
        if (isOfASystem(room.folder) || registrations().contains(room.folder))
            continue;
        for (const QString& seen : room.sees.split(u' ', Qt::SkipEmptyParts))
            if (isOfASystem(seen))
                found << u"tests/common/tidy_rooms.h: %1 is general and may not see %2, a system's room"_s.arg(
                    room.folder, seen);
    }
    return found;
}

} // namespace lhrs::tidy
