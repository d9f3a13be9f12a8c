// SPDX-License-Identifier: GPL-3.0-or-later
// Calls that change the structure of the file, and the wait until it is at rest.
#include "gui/lab/calls/lab.h"
#include "gui/lab/calls/lhrs/lab_file.h"

#include "common/lhrs/linear_hash.h"

#include <QJSEngine>

#include <algorithm>
#include <optional>
#include <set>

namespace lhrs::gui {

namespace {

// Start of the keys chosen here: far from the keys that clients choose next (client number times 2^32).
constexpr std::uint64_t kFreshKeys = 900'000'000'000;

QJSValue fileObject(const LabContext& context, const pb::FileDescription& file, std::optional<std::uint64_t> records)
{
    QJSValue object = context.engine.newObject();
    object.setProperty("i", file.file().i());
    object.setProperty("n", file.file().n());
    object.setProperty("M", file.buckets());
    object.setProperty("K", file.availability());
    const QJSValue unknown(QJSValue::NullValue);
    object.setProperty("records", records ? scriptNumber(*records) : unknown);
    object.setProperty("loadFactor",
        !records ? unknown
            : file.buckets() && file.config().b()
            ? QJSValue(double(*records) / (double(file.buckets()) * file.config().b()))
            : QJSValue(0.0));
    object.setProperty("splitsOwed", file.splits_owed());
    object.setProperty("recruiting", file.recruiting() == pb::MULTICAST ? "multicast" : "registry");
    object.setProperty("groups", std::uint32_t(file.groups_size()));
    return object;
}

// The gauges of every member with that role.
LabResult<std::vector<pb::CommandReply>> gaugesOf(LabContext& context, const pb::FileDescription& file, bool withParity)
{
    std::vector<std::pair<CallTarget, pb::Command>> questions;
    for (const auto& group : file.groups())
        for (const pb::Member& member : group.view().members())
            if (member.role() == pb::DATA || withParity) {
                pb::Command command;
                command.mutable_statistics();
                questions.emplace_back(member.holder().node(), std::move(command));
            }
    return context.askAll(questions, kAnswerSeconds);
}

LabResult<QJSValue> fileState(LabContext& context)
{
    const auto file = context.describeFile();
    if (!file)
        return file.error();
    const auto gauges = gaugesOf(context, *file, false);
    if (!gauges && gauges.error().code == LabCode::Unreachable)
        return fileObject(context, *file, {}); // a bucket does not answer, so the sum is unknown
    if (!gauges)
        return gauges.error();
    std::uint64_t records = 0;
    for (const pb::CommandReply& reply : *gauges)
        records += reply.gauges().records();
    return fileObject(context, *file, records);
}

// What is still under way, in words; empty if nothing is.
LabResult<QString> whatIsOpen(LabContext& context)
{
    const auto file = context.describeFile();
    if (!file)
        return file.error();
    if (!file->at_rest())
        return file->under_way().empty() ? QString("%1 splits are owed").arg(file->splits_owed())
                                         : QString::fromStdString(file->under_way());
    const auto gauges = gaugesOf(context, *file, true);
    if (!gauges && gauges.error().code == LabCode::Unreachable)
        return "a member of the file is gone, and no process has missed it yet (" + gauges.error().message + ")";
    if (!gauges)
        return gauges.error();
    std::uint64_t waiting = 0, held = 0;
    for (const pb::CommandReply& reply : *gauges) {
        waiting += reply.gauges().unacknowledged();
        held += reply.gauges().held();
    }
    if (waiting + held > 0)
        return QString("%1 messages wait for an acknowledgement, %2 are held").arg(waiting).arg(held);
    for (const KnownProcess& known : context.control.directory()) {
        if (known.info.kind() != pb::CLIENT || known.hasEnded)
            continue;
        pb::Command command;
        command.mutable_describe_client();
        const auto client = context.ask(known.info.node(), std::move(command), kAnswerSeconds);
        if (!client && client.error().code == LabCode::Unreachable)
            continue; // the process has just ended, and with it its operations
        if (!client)
            return client.error();
        if (client->client().under_way() > 0)
            return QString("%1 operations of %2 are under way")
                .arg(client->client().under_way())
                .arg(QString::fromStdString(known.info.name()));
    }
    return QString();
}

LabResult<QJSValue> split(LabContext& context, double timeout)
{
    pb::Command command;
    command.mutable_force_split();
    const auto reply = context.ask(context.control.coordinator(), std::move(command), timeout);
    if (!reply)
        return reply.error();
    QJSValue result = context.engine.newObject();
    result.setProperty("bucket", reply->split().bucket());
    result.setProperty("newBucket", reply->split().new_bucket());
    result.setProperty("level", reply->split().level());
    result.setProperty("moved", reply->split().moved());
    result.setProperty("total_s", secondsOf(reply->split().total_ns()));
    return result;
}

LabResult<QJSValue> raiseAvailability(LabContext& context, const Arguments& arguments)
{
    std::uint32_t wanted = arguments.at(0).toUInt();
    if (arguments.at(0).isNull()) {
        const auto file = context.describeFile();
        if (!file)
            return file.error();
        wanted = file->availability() + 1;
    }
    pb::Command command;
    command.mutable_raise_availability()->set_availability(wanted);
    const auto reply = context.ask(context.control.coordinator(), std::move(command), arguments.number("timeout"));
    if (!reply)
        return reply.error();
    QJSValue result = context.engine.newObject();
    result.setProperty("K", reply->availability().availability());
    result.setProperty("pending", reply->availability().pending());
    return result;
}

LabResult<QJSValue> addParity(LabContext& context, const Arguments& arguments)
{
    const std::uint32_t group = arguments.at(0).toUInt();
    const auto deadline = context.deadlineIn(arguments.number("timeout"));
    pb::Command command;
    command.mutable_create_parity()->set_group(group);
    const auto reply = context.ask(context.control.coordinator(), std::move(command), arguments.number("timeout"));
    if (!reply)
        return reply.error();
    const pb::ParityResult& made = reply->parity();

    // The times were measured by the new parity bucket on its own clock and arrive with its event.
    std::optional<pb::ParityBucketFilled> filled;
    const auto isFilled = context.waitForEvents(context.changeCursor, deadline, pb::Event::kParityBucketFilled,
        [&](const std::vector<RunEvent>& events) -> LabResult<bool> {
            for (const RunEvent& event : events)
                if (!event.isGap() && event.event->has_parity_bucket_filled() && event.event->place().number() == group
                    && event.event->place().column() == made.column())
                    filled = event.event->parity_bucket_filled();
            return filled.has_value();
        });
    if (!isFilled)
        return isFilled.error();
    if (!*isFilled)
        return LabError { LabCode::Timeout,
            "The new parity bucket is there, but its event ParityBucketFilled did not arrive." };
    QJSValue timing = context.engine.newObject();
    timing.setProperty("what", "parity creation");
    timing.setProperty("group", made.group());
    timing.setProperty("column", made.column());
    timing.setProperty("k", made.k());
    timing.setProperty("records", filled->records());
    timing.setProperty("bytes", scriptNumber(filled->bytes()));
    setTimes(timing, filled->total_ns(), *filled);
    return timing;
}

// The keys of a data bucket's records in the order of their ranks, at most `most`.
LabResult<std::vector<std::uint64_t>> storedKeys(LabContext& context, ProcessId bucket, std::size_t most)
{
    std::vector<std::uint64_t> keys;
    for (std::uint32_t rank = 1; rank != 0 && keys.size() < most;) {
        pb::Command command;
        command.mutable_read_contents()->set_rank_from(rank);
        command.mutable_read_contents()->set_count(4096);
        command.mutable_read_contents()->set_without_bytes(true);
        const auto page = context.ask(bucket, std::move(command), kAnswerSeconds);
        if (!page)
            return page.error();
        for (const auto& record : page->contents().data())
            if (keys.size() < most)
                keys.push_back(record.key());
        rank = page->contents().next_rank();
    }
    return keys;
}

LabResult<QJSValue> keysFor(LabContext& context, const Arguments& arguments, std::set<std::uint64_t>& given)
{
    const auto places = placesOf(arguments.at(0));
    if (places.size() != 1 || places[0].role() != pb::DATA)
        return LabError { LabCode::BadArgument,
            "lab.keysFor needs one data bucket, such as lab.data(0), not " + arguments.at(0).toString() + "." };
    const std::uint32_t bucket = places[0].number();
    const std::size_t count = arguments.at(1).toUInt();
    const auto target = findTarget(context, arguments.at(0));
    if (!target)
        return target.error();
    const QJSValue first = arguments.option("first");
    const bool wantsStored = arguments.isOn("existing");
    if (wantsStored && !first.isNull())
        return LabError { LabCode::BadArgument,
            "lab.keysFor takes either existing or first: only unused keys are counted from first." };
    std::vector<std::uint64_t> keys;
    if (wantsStored) {
        const auto stored = storedKeys(context, target->process, count);
        if (!stored)
            return stored.error();
        keys = *stored;
        if (keys.size() < count)
            return LabError { LabCode::BadArgument,
                QString("%1 stores %2 records, not %3.").arg(target->shown).arg(keys.size()).arg(count) };
    } else {
        const auto file = context.describeFile();
        if (!file)
            return file.error();
        // In the range of fresh keys, only keys that were handed out before can be stored.
        std::set<std::uint64_t> stored;
        if (!first.isNull()) {
            const auto all = storedKeys(context, target->process, SIZE_MAX);
            if (!all)
                return all.error();
            stored.insert(all->begin(), all->end());
        }
        const FileImage image { file->file().i(), file->file().n() };
        std::uint64_t key = first.isNull() ? kFreshKeys : std::uint64_t(first.toNumber());
        for (; keys.size() < count; ++key) {
            const Key addressed = file->config().mix_keys() ? mix64(Key(key)) : Key(key);
            if (addressOf(addressed, image).value == bucket && !stored.contains(key) && given.insert(key).second)
                keys.push_back(key);
        }
    }
    QJSValue list = context.engine.newArray(std::uint32_t(keys.size()));
    for (std::size_t i = 0; i < keys.size(); ++i)
        list.setProperty(std::uint32_t(i), scriptNumber(keys[i]));
    return list;
}

} // namespace

LabResult<QJSValue> FileLab::settle(LabContext& context, double timeout) const
{
    const auto deadline = context.deadlineIn(timeout);
    for (;;) {
        const auto open = whatIsOpen(context);
        if (!open)
            return open.error();
        if (open->isEmpty())
            break;
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - context.now());
        if (left.count() <= 0)
            return LabError { LabCode::Timeout,
                "Not at rest after " + QString::number(timeout) + " s: " + *open + "." };
        pb::Command command;
        command.mutable_await_rest()->set_timeout_ms(std::uint32_t(left.count()));
        const double seconds = double(left.count()) / 1000;
        const auto rest = context.ask(context.control.coordinator(), std::move(command), seconds + 1);
        if (!rest && rest.error().code != LabCode::Timeout)
            return rest.error();
        context.waitBeyond(context.ingest.committed(), context.now() + kLookAgain);
        if (context.isStopped())
            return context.stopped();
    }
    return fileState(context);
}

void addStructureCalls(Lab& lab, LabContext& context)
{
    lab.handle("lab.file", [&](const LabCall&) { return fileState(context); });
    lab.handle("lab.split", [&](const LabCall& c) { return split(context, c.arguments.number("timeout")); });
    lab.handle("lab.raiseAvailability", [&](const LabCall& c) { return raiseAvailability(context, c.arguments); });
    lab.handle("lab.addParity", [&](const LabCall& c) { return addParity(context, c.arguments); });
    // A key is handed out only once, whether it was stored or not.
    lab.handle("lab.keysFor", [&context, given = std::set<std::uint64_t>()](const LabCall& c) mutable {
        return keysFor(context, c.arguments, given);
    });
}

} // namespace lhrs::gui
