// SPDX-License-Identifier: GPL-3.0-or-later
// Calls for witnesses of contents: what buckets held at one time, for a later comparison. The watcher keeps a
// checksum of every record; the recording does not contain them.
#include "gui/lab/calls/lab.h"
#include "gui/lab/calls/lhrs/lab_file.h"
#include "gui/lab/control/lhrs/file_findings.h"
#include "gui/lab/words/lhrs/record_group.h"

#include <QCryptographicHash>
#include <QJSEngine>

#include <map>
#include <memory>
#include <set>

namespace lhrs::gui {

namespace {

constexpr std::uint32_t kRecordsAtOnce = 512;

// One record or parity record, in the form for comparisons.
struct Seen {
    QString key; // of a parity record: all keys of its list
    QByteArray sum;
    QString hex; // only of pinned ranks
    bool operator==(const Seen& other) const { return key == other.key && sum == other.sum; }
};
// The contents of a place, and the number of the process's last change.
struct Contents {
    std::map<std::uint32_t, Seen> ranks;
    ProcessId process = 0;
    std::uint64_t sequence = 0;
};

struct Witness {
    QJSValue target;
    std::set<std::uint32_t> pinned;
    std::map<QString, Contents> places; // by name, e.g. "data 5"
};

Seen seenOf(const QString& key, const std::string& bytes, bool isPinned)
{
    return { key,
        QCryptographicHash::hash(QByteArrayView(bytes.data(), qsizetype(bytes.size())), QCryptographicHash::Sha256),
        isPinned ? hexOf(bytes) : QString() };
}

// `isTaken`: the pinned ranks are also kept for the window's record groups.
LabResult<Contents> readContents(
    LabContext& context, const FoundTarget& target, const std::set<std::uint32_t>& pinned, bool isTaken)
{
    Contents contents;
    contents.process = target.process;
    for (std::uint32_t rank = 1; rank != 0;) {
        pb::Command command;
        command.mutable_read_contents()->set_rank_from(rank);
        command.mutable_read_contents()->set_count(kRecordsAtOnce);
        const auto reply = context.ask(target.process, std::move(command), kAnswerSeconds);
        if (!reply)
            return LabError { reply.error().code,
                "The contents of " + target.shown + " cannot be read: " + reply.error().message };
        for (const auto& record : reply->contents().data())
            contents.ranks[record.rank()] = seenOf(
                QString::number(record.key()), record.value(), pinned.contains(record.rank()));
        for (const auto& record : reply->contents().parity()) {
            QStringList keys;
            for (const auto& member : record.members())
                keys << QString("%1:%2").arg(member.position()).arg(member.key());
            contents.ranks[record.rank()] = seenOf(keys.join(' '), record.parity(), pinned.contains(record.rank()));
        }
        for (const std::uint32_t kept : pinned) {
            if (isTaken && contents.ranks.contains(kept) && kept >= rank)
                context.witnesses.keep(target.place, kept, recordOf(reply->contents(), kept), true);
        }
        // Pages read at different moments have no common number.
        contents.sequence = rank == 1 || contents.sequence == reply->contents().sequence()
            ? reply->contents().sequence()
            : 0;
        rank = reply->contents().next_rank();
        if (context.isStopped())
            return context.stopped();
    }
    return contents;
}

LabResult<std::map<QString, Contents>> readPlaces(
    LabContext& context, const QJSValue& target, const std::set<std::uint32_t>& pinned, bool isTaken)
{
    const auto found = findTargets(context, target);
    if (!found)
        return found.error();
    std::map<QString, Contents> places;
    for (const FoundTarget& place : *found) {
        auto contents = readContents(context, place, pinned, isTaken);
        if (!contents)
            return contents.error();
        places[place.shown] = std::move(*contents);
    }
    return places;
}

LabResult<QJSValue> take(LabContext& context, const Arguments& arguments, std::vector<Witness>& kept)
{
    Witness witness;
    witness.target = arguments.at(0);
    if (placesOf(witness.target).empty())
        return LabError { LabCode::BadArgument,
            "A witness is taken of buckets, such as lab.data([0, 1]), not of " + witness.target.toString() + "." };
    const QJSValue pin = arguments.option("pin");
    for (std::uint32_t i = 0; i < pin.property("length").toUInt(); ++i) {
        if (pin.property(i).toUInt() == 0)
            return LabError { LabCode::BadArgument, "The option pin of lab.witness is a list of ranks, from 1.",
                "pin: [17]" };
        witness.pinned.insert(pin.property(i).toUInt());
    }
    auto places = readPlaces(context, witness.target, witness.pinned, true);
    if (!places)
        return places.error();
    witness.places = std::move(*places);
    kept.push_back(std::move(witness));
    QJSValue self = context.engine.newObject();
    self.setProperty("id", std::uint32_t(kept.size()) - 1);
    self.setProperty("shown", arguments.at(0).toString());
    return context.prelude.property("witness").call({ self });
}

LabResult<QJSValue> compare(LabContext& context, const Witness& witness)
{
    auto now = readPlaces(context, witness.target, witness.pinned, false);
    if (!now)
        return now.error();
    std::uint32_t records = 0, equal = 0, changed = 0, missing = 0, extra = 0, pinnedCount = 0;
    QJSValue pinned = context.engine.newArray();
    for (const auto& [place, before] : witness.places) {
        const Contents& after = (*now)[place];
        Comparison compared { place.toStdString(), std::uint32_t(before.ranks.size()), 0 };
        for (const auto& [rank, seen] : before.ranks) {
            ++records;
            const auto at = after.ranks.find(rank);
            const bool isThere = at != after.ranks.end();
            const bool isEqual = isThere && at->second == seen;
            ++(!isThere ? missing : isEqual ? equal : changed);
            compared.different += isEqual ? 0 : 1;
            if (witness.pinned.contains(rank)) {
                QJSValue row = context.engine.newObject();
                row.setProperty("place", place);
                row.setProperty("rank", rank);
                row.setProperty("key", seen.key);
                row.setProperty("before", seen.hex);
                row.setProperty("now", isThere ? QJSValue(at->second.hex) : QJSValue(QJSValue::NullValue));
                row.setProperty("equal", isEqual);
                pinned.setProperty(pinnedCount++, row);
            }
        }
        for (const auto& [rank, seen] : after.ranks) {
            extra += before.ranks.contains(rank) ? 0 : 1;
            compared.different += before.ranks.contains(rank) ? 0 : 1;
        }
        // After a recovery the contents are comparable only if nothing was changed since.
        if (before.process != after.process && before.sequence != 0 && before.sequence == after.sequence)
            context.ingest.judge(findingsOf(compared));
    }
    QJSValue result = context.engine.newObject();
    result.setProperty("records", records);
    result.setProperty("equal", equal);
    result.setProperty("changed", changed);
    result.setProperty("missing", missing);
    result.setProperty("extra", extra);
    result.setProperty("pinned", pinned);
    return result;
}

} // namespace

void addWitnessCalls(Lab& lab, LabContext& context)
{
    const auto kept = std::make_shared<std::vector<Witness>>();
    lab.handle("lab.witness", [&context, kept](const LabCall& c) { return take(context, c.arguments, *kept); });
    lab.handle("witness.compare",
        [&context, kept](const LabCall& c) { return compare(context, kept->at(c.self.property("id").toUInt())); });
}

} // namespace lhrs::gui
