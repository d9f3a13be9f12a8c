// SPDX-License-Identifier: GPL-3.0-or-later
// The general rooms of the acting side say nothing of one system. What they still say is a debt, counted by file.
#pragma once

#include "tests/common/tidy_rooms.h"

namespace lhrs::tidy {

// A room of one system: a folder on its path has the system's name.
inline bool isOfASystem(const QString& path)
{
    static const QRegularExpression kSystem = pattern(u"(^|/)(lhrs|walk)(/|$)"_s);
    return path.contains(kSystem);
}

// A general room of the acting side, or a file in one.
inline bool isGeneral(const QString& path)
{
    const Room* room = roomOf(path);
    if (room == nullptr || isOfASystem(path) || isOfASystem(room->folder))
        return false;
    return room->folder.section(u'/', 0, 0) == "node"_L1 || room->folder.section(u'/', 0, 0) == "common"_L1;
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
    QString file;
    int lines = 0; // with a word of LH*RS, comments included
};

// What general files still say of LH*RS. A debt is never raised, and it is lowered with the file.
inline const QList<Debt>& debts()
{
    static const QList<Debt> kDebts {
        { u"node/machine/requests/workload.cpp"_s, 1 }, // a field of WorkloadResult
        { u"node/runtime/runtime.cpp"_s, 1 }, // ProcessInfo.spare_role
        { u"node/sim/engine/event_lines.cpp"_s, 1 }, // fields named "split" are drawn
        { u"node/sim/engine/sim_cluster.cpp"_s, 2 }, // the same
        { u"node/sim/engine/sim_site.cpp"_s, 1 }, // the same
    };
    return kDebts;
}

inline int linesWithWords(const File& file)
{
    int lines = 0;
    for (const QString& line : file.text.split(u'\n'))
        lines += line.contains(wordOfLhrs()) ? 1 : 0;
    return lines;
}

inline QStringList wordsBeyondDebts(const QList<File>& files, const QList<Debt>& debts)
{
    QStringList found;
    QHash<QString, int> owed;
    for (const Debt& debt : debts)
        owed.insert(debt.file, debt.lines);
    for (const File& file : files) {
        if (!isCpp(file.path) || !isGeneral(file.path))
            continue;
        const int lines = linesWithWords(file), debt = owed.take(file.path);
        if (lines < debt)
            found << finding(
                file, 0, u"lower the debt of %1 to %2 in tests/common/tidy_words.h"_s.arg(file.path).arg(lines));
        if (lines <= debt)
            continue;
        const QString what
            = u"\"%1\" is a word of LH*RS, and this room is of no system (%2 lines with such words, a debt of %3)"_s
                  .arg(u"%1"_s, QString::number(lines), QString::number(debt));
        found << everywhere(file, file.text, wordOfLhrs().pattern(), what);
    }
    for (const QString& file : owed.keys())
        found << u"tests/common/tidy_words.h:0: there is no general file %1 any more: take its debt away"_s.arg(file);
    return found;
}

// The only general rooms that name a system's rooms: each registers all systems, one line a system.
inline const QStringList& registrations()
{
    static const QStringList kRegistrations {
        u"common/wire_traits.cpp"_s, // how the messages of each travel
        u"gui/lab/state"_s, // what a watcher knows of a cluster of each
        u"gui/lab/words"_s, // the sentences of each
        u"gui/show/show_systems.cpp"_s, // what shows say of each
        u"gui/view/canvas"_s, // the picture of each
        u"gui/view/panels"_s, // the names of objects are those of LH*RS, here and in the timeline: a debt
        u"gui/view/timeline"_s,
        u"gui/window/show"_s, // the tour is about a file: a debt
        u"gui/window/widgets"_s, // the window begins with all pictures
        u"node"_s, // the mains: which systems `--system` knows
        u"tests"_s, // they test all of them
    };
    return kRegistrations;
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
