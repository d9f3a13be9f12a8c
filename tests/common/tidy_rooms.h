// SPDX-License-Identifier: GPL-3.0-or-later
// The rooms of the tree, what each of them may see, and the rules about that.
#pragma once

#include "tests/common/tidy_file.h"

namespace lhrs::tidy {

// ---- arrows: which folder may include which

struct Room {
    QString folder; // or the path of one file
    QString sees; // rooms besides itself; it also sees what those see
    QString notAtAll; // <headers> that must not be seen here, an expression
};

// The rooms of the tree and their arrows, general ones below. The longest folder that is a prefix of a path is its
// room. The libraries that a room links in its CMakeLists.txt are the same rooms.
inline const QList<Room>& rooms()
{
    static const QString kNoQt = u"^Q([A-Z]|t)"_s;
    static const QString kPure = kNoQt
        + u"|^(zmq|spdlog|CLI/|sys/socket|netinet|arpa/|(thread|mutex|shared_mutex|condition_variable|future)$)"_s;
    static const QString kNoWindow
        = u"^Q(t(Gui|Widgets|Charts|Svg)|Widget|Painter|Image|Pixmap|Color|Font|Icon|Action|(Gui)?Applica|Chart|Svg)"_s;
    static const QString kNoSocket = u"^zmq"_s;
    static const QList<Room> kRooms {
        { u"common/errors.h"_s, {}, kPure },
        { u"common/field"_s, u"common/errors.h"_s, kPure },
        { u"common/keys"_s, u"common/errors.h"_s, kPure },
        { u"common/check"_s, {}, kPure },
        { u"common/check/lhrs"_s, u"common/check"_s, kPure },
        { u"common"_s, u"proto common/field"_s, kPure },
        { u"common/ip.cpp"_s, u"common"_s, kNoQt }, // the words of addresses are the system's
        { u"common/lhrs"_s, u"common"_s, kPure },
        { u"common/network"_s, u"common"_s, kPure },
        { u"common/walk"_s, u"common"_s, kPure },
        { u"common/children"_s, u"common"_s, kNoQt },
        { u"common/wire_traits.cpp"_s, u"common/lhrs common/walk"_s, kPure },
        { u"node/machine"_s, u"common"_s, kPure },
        { u"node/machine/transfer"_s, u"node/machine"_s, kPure },
        { u"node/machine/requests"_s, u"node/machine"_s, kPure },
        { u"node/lhrs/store"_s, u"node/machine/transfer node/machine/requests common/lhrs"_s, kPure },
        { u"node/lhrs/group"_s, u"node/lhrs/store"_s, kPure },
        { u"node/lhrs/data/transfer"_s, u"node/lhrs/group"_s, kPure },
        { u"node/lhrs/data"_s, u"node/lhrs/data/transfer"_s, kPure },
        { u"node/lhrs/parity"_s, u"node/lhrs/group"_s, kPure },
        { u"node/lhrs/file"_s, u"node/lhrs/group"_s, kPure },
        { u"node/lhrs/growth"_s, u"node/lhrs/file"_s, kPure },
        { u"node/lhrs/coordinator"_s, u"node/lhrs/growth"_s, kPure },
        { u"node/lhrs/client"_s, u"node/lhrs/group"_s, kPure },
        { u"node/lhrs/server"_s, u"node/lhrs/data node/lhrs/parity node/lhrs/coordinator node/lhrs/client"_s, kPure },
        { u"node/walk"_s, u"node/machine/transfer node/machine/requests"_s, kPure },
        { u"node/process"_s, u"common/network common/keys"_s, kNoQt },
        { u"node/host"_s, u"common/children node/process"_s, kNoQt },
        { u"node/transport"_s, u"node/machine node/process common/network common/keys"_s, kNoQt },
        { u"node/runtime"_s, u"node/transport"_s, kNoQt },
        { u"node/door"_s, u"node/machine/requests"_s, kPure },
        { u"node/door/program"_s, u"node/door node/runtime"_s, kNoQt },
        { u"node/sim/engine"_s, u"node/machine common/check common/network"_s, kPure },
        { u"node/sim/program"_s, u"node/sim/engine node/process"_s, kNoQt },
        { u"node/sim/lhrs/oracle"_s, u"node/sim/engine common/check/lhrs node/lhrs/server"_s, kPure },
        { u"node/sim/lhrs"_s, u"node/sim/lhrs/oracle"_s, kPure },
        { u"node/sim/walk"_s, u"node/sim/engine node/walk"_s, kPure },
        { u"node/lhrs/programs"_s, u"node/lhrs/server node/sim/lhrs node/sim/program node/door/program"_s, kNoQt },
        { u"node/walk/programs"_s, u"node/walk node/sim/program node/door/program"_s, kNoQt },
        { u"node"_s, u"node/lhrs/programs node/walk/programs node/host"_s, kNoQt },
        { u"gui/lab/tables"_s, u"common"_s, kNoWindow },
        { u"gui/lab/state/walk"_s, u"gui/lab/tables"_s, kNoWindow },
        { u"gui/lab/state/process"_s, u"gui/lab/tables"_s, kNoWindow },
        { u"gui/lab/state/lhrs"_s, u"gui/lab/state/process common/lhrs common/check/lhrs"_s, kNoWindow },
        { u"gui/lab/state"_s, u"gui/lab/state/lhrs gui/lab/state/walk"_s, kNoWindow },
        { u"gui/lab/words/process"_s, u"gui/lab/state/process"_s, kNoWindow },
        { u"gui/lab/words/lhrs"_s, u"gui/lab/words/process gui/lab/state/lhrs"_s, kNoWindow },
        { u"gui/lab/words/walk"_s, u"gui/lab/words/process"_s, kNoWindow },
        { u"gui/lab/words"_s, u"gui/lab/state gui/lab/words/lhrs gui/lab/words/walk"_s, kNoWindow },
        { u"gui/lab/series/process"_s, u"gui/lab/state/process"_s, kNoWindow },
        { u"gui/lab/series/lhrs"_s, u"gui/lab/series/process gui/lab/state/lhrs"_s, kNoWindow },
        { u"gui/lab/series"_s, u"gui/lab/words gui/lab/series/lhrs"_s, kNoWindow },
        { u"gui/lab/live"_s, u"gui/lab/series common/keys common/children"_s, kNoWindow },
        { u"gui/lab/control"_s, u"gui/lab/live"_s, kNoWindow },
        { u"gui/lab/control/lhrs"_s, u"gui/lab/control"_s, kNoWindow },
        { u"gui/lab/hosts"_s, u"gui/lab/tables common/children"_s, kNoWindow },
        { u"gui/lab/local/lines"_s, u"gui/lab/tables"_s, kNoWindow },
        { u"gui/lab/local/lhrs"_s, u"gui/lab/local/lines"_s, kNoWindow },
        { u"gui/lab/local/walk"_s, u"gui/lab/local/lines"_s, kNoWindow },
        { u"gui/lab/local"_s, u"gui/lab/control gui/lab/hosts common/network gui/lab/local/lhrs gui/lab/local/walk"_s,
            kNoWindow },
        { u"gui/lab/reel"_s, u"gui/lab/local"_s, kNoWindow },
        { u"gui/lab/recording/rows"_s, u"gui/lab/state"_s, kNoWindow },
        { u"gui/lab/recording/lhrs"_s, u"gui/lab/recording/rows gui/lab/series/lhrs gui/lab/words/lhrs"_s, kNoWindow },
        { u"gui/lab/recording"_s, u"gui/lab/reel gui/lab/recording/rows"_s, kNoWindow },
        { u"gui/lab/recording/recording_systems.cpp"_s, u"gui/lab/recording gui/lab/recording/lhrs"_s, kNoWindow },
        { u"gui/lab/replay"_s, u"gui/lab/recording"_s, kNoWindow },
        { u"gui/lab/export"_s, u"gui/lab/replay"_s, kNoWindow },
        { u"gui/lab/export/lhrs"_s, u"gui/lab/export gui/lab/control/lhrs"_s, kNoWindow },
        { u"gui/lab/calls"_s, u"gui/lab/export"_s, kNoWindow },
        { u"gui/lab/calls/lhrs"_s, u"gui/lab/calls gui/lab/control/lhrs"_s, kNoWindow },
        { u"gui/lab/calls/walk"_s, u"gui/lab/calls"_s, kNoWindow },
        { u"gui/lab/script"_s, u"gui/lab/calls gui/lab/export/lhrs"_s, kNoWindow },
        { u"gui/lab/script/lab_systems.cpp"_s, u"gui/lab/script gui/lab/calls/lhrs gui/lab/calls/walk"_s, kNoWindow },
        { u"gui/show/words"_s, u"gui/lab/replay"_s, kNoWindow },
        { u"gui/show/lhrs"_s, u"gui/show/words"_s, kNoWindow },
        { u"gui/show/walk"_s, u"gui/show/words"_s, kNoWindow },
        { u"gui/show"_s, u"gui/show/words"_s, kNoWindow },
        { u"gui/show/show_systems.cpp"_s, u"gui/show gui/show/lhrs gui/show/walk"_s, kNoWindow },
        { u"gui/view/paint"_s, u"gui/show"_s, kNoSocket },
        { u"gui/view/time"_s, u"gui/view/paint"_s, kNoSocket },
        { u"gui/view/system"_s, u"gui/view/time"_s, kNoSocket },
        { u"gui/view/lhrs/words"_s, u"gui/view/system gui/show/lhrs"_s, kNoSocket },
        { u"gui/view/lhrs"_s, u"gui/view/lhrs/words"_s, kNoSocket },
        { u"gui/view/walk"_s, u"gui/view/system"_s, kNoSocket },
        { u"gui/view/systems"_s, u"gui/view/system"_s, kNoSocket },
        { u"gui/view/systems/view_systems.cpp"_s, u"gui/view/systems gui/view/lhrs gui/view/walk"_s, kNoSocket },
        { u"gui/view/canvas"_s, u"gui/view/systems"_s, kNoSocket },
        { u"gui/view/lhrs/records"_s, u"gui/view/lhrs"_s, kNoSocket },
        { u"gui/view/panels"_s, u"gui/view/systems gui/lab/export"_s, kNoSocket },
        { u"gui/view/panels/lhrs"_s, u"gui/view/lhrs"_s, kNoSocket },
        { u"gui/view/timeline"_s, u"gui/view/systems"_s, kNoSocket },
        { u"gui/view/charts"_s, u"gui/view/time"_s, kNoSocket },
        { u"gui/view/charts/lhrs"_s, u"gui/view/charts gui/lab/export/lhrs"_s, kNoSocket },
        { u"gui/view/editor"_s, u"gui/view/paint gui/lab/script"_s, kNoSocket },
        { u"gui/window/widgets"_s,
            u"gui/view/canvas gui/view/panels gui/view/timeline gui/view/charts gui/view/editor"_s, kNoSocket },
        { u"gui/window/commands"_s, u"gui/window/widgets"_s, kNoSocket },
        { u"gui/window/commands/lhrs"_s, u"gui/window/commands gui/view/lhrs/records gui/lab/control/lhrs"_s,
            kNoSocket },
        { u"gui/window/caption"_s, u"gui/window/commands"_s, kNoSocket },
        { u"gui/window/player"_s, u"gui/window/caption"_s, kNoSocket },
        { u"gui/window/panels"_s, u"gui/window/player"_s, kNoSocket },
        { u"gui/window/editor"_s, u"gui/window/panels"_s, kNoSocket },
        { u"gui/window/start"_s, u"gui/window/editor"_s, kNoSocket },
        { u"gui/window/start/lhrs"_s, u"gui/window/start gui/window/commands/lhrs"_s, kNoSocket },
        { u"gui/window/parts"_s, u"gui/window/start"_s, kNoSocket },
        { u"gui/window/inspect"_s, u"gui/window/parts"_s, kNoSocket },
        { u"gui/window/operate"_s, u"gui/window/inspect"_s, kNoSocket },
        { u"gui/window/show"_s, u"gui/window/inspect"_s, kNoSocket },
        { u"gui/window/walk"_s, u"gui/window/parts"_s, kNoSocket },
        { u"gui/window/lhrs"_s,
            u"gui/window/show gui/window/commands/lhrs gui/view/panels/lhrs gui/show/lhrs gui/lab/recording/lhrs"_s,
            kNoSocket },
        { u"gui/window/main"_s,
            u"gui/window/operate gui/window/lhrs gui/window/walk gui/window/start/lhrs gui/view/charts/lhrs"_s,
            kNoSocket },
        { u"tests"_s, u"gui/window/main gui/view/walk node node/sim/walk"_s, u"^$"_s },
    };
    return kRooms;
}

// All rooms that it may see, including itself.
inline QStringList seenFrom(const QString& folder)
{
    QStringList seen { folder };
    for (const Room& room : rooms())
        if (room.folder == folder)
            for (const QString& next : room.sees.split(u' ', Qt::SkipEmptyParts))
                seen << seenFrom(next);
    seen.removeDuplicates();
    return seen;
}

inline const Room* roomOf(const QString& path)
{
    const Room* best = nullptr;
    for (const Room& room : rooms()) {
        const bool isInside = path == room.folder || path.startsWith(room.folder + u'/');
        if (isInside && (best == nullptr || room.folder.size() > best->folder.size()))
            best = &room;
    }
    return best;
}

// Arrows that form a cycle.
inline QStringList circlesOf(const QList<Room>& rooms)
{
    QStringList found;
    for (const Room& room : rooms) {
        QStringList next = room.sees.split(u' ', Qt::SkipEmptyParts), seen;
        while (!next.isEmpty()) {
            const QString folder = next.takeFirst();
            if (folder == room.folder)
                found << u"%1 sees itself by way of other rooms"_s.arg(folder);
            if (seen.contains(folder) || folder == room.folder)
                continue;
            seen << folder;
            for (const Room& other : rooms)
                if (other.folder == folder)
                    next << other.sees.split(u' ', Qt::SkipEmptyParts);
        }
    }
    return found;
}

// A folder of sources is a room, or a house: a folder of rooms with only its programs in it. A room states what it
// contains.
inline QStringList foldersThatAreNoRoom(const QList<File>& files)
{
    QStringList found;
    QSet<QString> asked;
    for (const File& file : files) {
        const QString folder = file.path.section(u'/', 0, -2);
        if (!isCpp(file.path) || asked.contains(folder) || file.path.startsWith("tests/"_L1))
            continue;
        const Room* room = roomOf(file.path);
        if (room == nullptr || (room->folder != folder && room->folder != file.path)) {
            found << finding(file, 0, u"%1 is no room: give it its arrows in tests/common/tidy_rooms.h"_s.arg(folder));
            continue;
        }
        asked.insert(folder);
        const auto has = [&](const QString& name, const QString& words) {
            return std::any_of(files.begin(), files.end(),
                [&](const File& other) { return other.path == folder + name && other.text.contains(words); });
        };
        if (!has(u"/README.md"_s, {}) && !has(u"/CMakeLists.txt"_s, u"Read first: "_s))
            found << finding(file, 0, u"%1 says nowhere what lives in it, and which file to read first"_s.arg(folder));
    }
    return found;
}

inline QStringList includesAgainstArrows(const File& file)
{
    static const QRegularExpression kInclude = pattern(uR"re(^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"])re"_s);
    const Room* room = isCpp(file.path) ? roomOf(file.path) : nullptr;
    if (room == nullptr)
        return {};
    const QStringList allowed = seenFrom(room->folder);
    QStringList found;
    for (auto matches = kInclude.globalMatch(file.text); matches.hasNext();) {
        const auto match = matches.next();
        const QString header = match.captured(2);
        const auto add = [&](const QString& what) { found << finding(file, match.capturedStart(), what); };
        if (match.captured(1) == u'<') {
            if (header.contains(QRegularExpression(room->notAtAll)))
                add(u"<%1> is not for %2"_s.arg(header, room->folder));
        } else if (!header.contains(u'/')) {
            if (!header.endsWith(".moc"_L1))
                add(u"\"%1\": includes are from the root of the tree"_s.arg(header));
        } else {
            const Room* target = roomOf(header);
            if (!allowed.contains(target ? target->folder : header.section(u'/', 0, 0)))
                add(u"\"%1\" is against the arrows: %2 sees %3 and what those see"_s.arg(
                    header, room->folder, room->sees));
        }
    }
    return found;
}

// Machines: they are fed messages and time, and give Effects.
inline bool isOfTheCore(const QString& path)
{
    return path.startsWith("node/machine/"_L1) || path.startsWith("node/lhrs/"_L1) || path.startsWith("node/walk/"_L1);
}

} // namespace lhrs::tidy
