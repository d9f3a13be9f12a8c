// SPDX-License-Identifier: GPL-3.0-or-later
// Calls for the contents of places, as their processes report them.
#include "gui/lab/calls/lab.h"
#include "gui/lab/calls/lhrs/lab_file.h"
#include "gui/lab/words/lhrs/place_words.h"

#include <QJSEngine>

#include <algorithm>

namespace lhrs::gui {

namespace {

constexpr std::uint32_t kPageRecords = 1024;

const pb::FileDescription::Group* groupIn(const pb::FileDescription& file, std::uint32_t number)
{
    for (const auto& group : file.groups())
        if (group.number() == number)
            return &group;
    return nullptr;
}

const pb::Member* memberIn(const pb::FileDescription& file, const pb::Place& place)
{
    const std::uint32_t m = std::max(1u, file.config().m());
    const auto* group = groupIn(file, place.role() == pb::DATA ? place.number() / m : place.number());
    const std::uint32_t index = place.role() == pb::DATA ? place.number() % m : place.column();
    if (group != nullptr)
        for (const pb::Member& member : group->view().members())
            if (member.role() == place.role() && member.index() == index)
                return &member;
    return nullptr;
}

LabResult<QJSValue> group(LabContext& context, std::uint32_t number)
{
    const auto file = context.describeFile();
    if (!file)
        return file.error();
    const auto* found = groupIn(*file, number);
    if (found == nullptr)
        return LabError { LabCode::BadArgument,
            QString("Group %1 does not exist: the file has %2.").arg(number).arg(file->groups_size()) };
    QJSValue result = context.engine.newObject();
    QJSValue data = context.engine.newArray(), parity = context.engine.newArray(), failed = context.engine.newArray();
    std::uint32_t dataCount = 0, parityCount = 0, failedCount = 0, parityUp = 0, dataDown = 0;
    pb::MemberState state = pb::UP;
    for (const pb::Member& member : found->view().members()) {
        pb::Place place;
        place.set_role(member.role());
        place.set_number(member.role() == pb::DATA ? member.index() + number * file->config().m() : number);
        place.set_column(member.role() == pb::DATA ? 0 : member.index());
        const bool isDown = member.state() == pb::FAILED || member.state() == pb::MEMBER_LOST;
        if (member.role() == pb::DATA) {
            data.setProperty(dataCount++, place.number());
            dataDown += isDown ? 1 : 0;
        } else {
            parity.setProperty(parityCount++, member.index());
            parityUp += !isDown && member.state() != pb::INIT ? 1 : 0;
        }
        if (isDown)
            failed.setProperty(failedCount++, QString::fromStdString(placeName(place)));
        else if (member.state() != pb::UP)
            state = member.state();
    }
    result.setProperty("number", number);
    result.setProperty("k", found->k());
    // Each available parity bucket replaces one unavailable data bucket.
    const std::uint32_t parityLeft = std::min(found->k(), parityUp);
    result.setProperty("kEffective", parityLeft - std::min(parityLeft, dataDown));
    result.setProperty("state",
        QString::fromStdString(
            found->view().state() == pb::GROUP_UP ? stateWord(state) : groupStateWord(found->view().state())));
    result.setProperty("failed", failed);
    result.setProperty("epoch", scriptNumber(found->view().epoch()));
    result.setProperty("data", data);
    result.setProperty("parity", parity);
    return result;
}

LabResult<QJSValue> bucket(LabContext& context, const QJSValue& target)
{
    if (placesOf(target).size() != 1 && target.property("role").toString() != "manager")
        return LabError { LabCode::BadArgument,
            "lab.bucket needs one bucket, such as lab.data(0) or lab.parity(0, 0), not " + target.toString() + "." };
    const auto found = findTarget(context, target);
    if (!found)
        return found.error();
    const auto file = context.describeFile();
    if (!file)
        return file.error();
    const pb::Member* member = memberIn(*file, found->place);
    if (member == nullptr)
        return LabError { LabCode::BadArgument, found->shown + " does not exist." };
    const bool isData = found->place.role() == pb::DATA;
    const std::uint32_t m = std::max(1u, file->config().m());
    const auto known = context.control.find(found->process);
    QJSValue result = context.engine.newObject();
    const bool isDown = member->state() == pb::FAILED || member->state() == pb::MEMBER_LOST;
    if (isDown || !known || known->hasEnded) { // no process can be asked; the coordinator's table is used
        const QJSValue unknown(QJSValue::NullValue);
        result.setProperty("role", isData ? "data" : "parity");
        result.setProperty("number", isData ? found->place.number() : found->place.column());
        result.setProperty("group", isData ? found->place.number() / m : found->place.number());
        result.setProperty("position", isData ? found->place.number() % m : found->place.column());
        result.setProperty("level", isData ? QJSValue(member->level()) : unknown);
        result.setProperty("records", unknown);
        result.setProperty("capacity", isData ? QJSValue(file->config().b()) : unknown);
        result.setProperty(
            "state", isDown ? QString::fromStdString(stateWord(member->state())) : QString("process gone"));
        result.setProperty("incarnation", scriptNumber(member->holder().incarnation()));
        result.setProperty("epoch", unknown);
        result.setProperty("lease_s", unknown);
        result.setProperty("process", known ? QString::fromStdString(known->info.name()) : QString());
        return result;
    }
    pb::Command command;
    command.mutable_take_snapshot()->set_without_records(true);
    pb::Command statistics;
    statistics.mutable_statistics();
    pb::Command watch;
    watch.mutable_watch();
    const auto replies = context.askAll(
        { { found->process, command }, { found->process, statistics }, { found->process, watch } }, kAnswerSeconds);
    if (!replies)
        return replies.error();
    const pb::Snapshot& snapshot = (*replies)[0].snapshot();
    result.setProperty("role", isData ? "data" : "parity");
    result.setProperty("number", isData ? found->place.number() : found->place.column());
    result.setProperty("group", isData ? found->place.number() / m : found->place.number());
    result.setProperty("position", isData ? found->place.number() % m : found->place.column());
    result.setProperty("level", isData ? QJSValue(snapshot.data().level()) : QJSValue(QJSValue::NullValue));
    result.setProperty("records", (*replies)[1].gauges().records());
    result.setProperty("capacity", isData ? QJSValue(file->config().b()) : QJSValue(QJSValue::NullValue));
    result.setProperty(
        "state", QString::fromStdString(stateWord(isData ? snapshot.data().state() : snapshot.parity().state())));
    result.setProperty("incarnation", scriptNumber(snapshot.incarnation()));
    result.setProperty("epoch", scriptNumber(snapshot.view().epoch()));
    const pb::NodeSample& sample = (*replies)[2].sample();
    const bool hasLease = sample.grants_needed() > 0 && !sample.core_is_busy();
    result.setProperty(
        "lease_s", hasLease ? QJSValue(secondsOf(sample.lease_left_ns())) : QJSValue(QJSValue::NullValue));
    result.setProperty("process", QString::fromStdString(known->info.name()));
    return result;
}

QJSValue recordObject(LabContext& context, const pb::ContentsPage::DataRecord& record, bool withBytes)
{
    QJSValue row = context.engine.newObject();
    row.setProperty("rank", record.rank());
    row.setProperty("key", scriptNumber(record.key()));
    row.setProperty("length", record.length());
    row.setProperty("version", scriptNumber(record.version()));
    if (withBytes) {
        row.setProperty("text", scriptText(record.value()));
        row.setProperty("hex", hexOf(record.value()));
    }
    return row;
}

QJSValue recordObject(LabContext& context, const pb::ContentsPage::ParityRecord& record, bool withBytes)
{
    QJSValue row = context.engine.newObject();
    row.setProperty("rank", record.rank());
    QJSValue members = context.engine.newArray(std::uint32_t(record.members_size()));
    for (int i = 0; i < record.members_size(); ++i) {
        QJSValue member = context.engine.newObject();
        member.setProperty("position", record.members(i).position());
        member.setProperty("key", scriptNumber(record.members(i).key()));
        member.setProperty("length", record.members(i).length());
        member.setProperty("version", scriptNumber(record.members(i).version()));
        members.setProperty(std::uint32_t(i), member);
    }
    row.setProperty("members", members);
    if (withBytes)
        row.setProperty("hex", hexOf(record.parity()));
    return row;
}

LabResult<QJSValue> records(LabContext& context, const Arguments& arguments)
{
    const auto target = findTarget(context, arguments.at(0));
    if (!target)
        return target.error();
    const bool withBytes = arguments.isOn("bytes");
    const std::uint32_t wanted = arguments.integer("count");
    QJSValue list = context.engine.newArray();
    std::uint32_t count = 0;
    for (std::uint32_t rank = arguments.integer("from"); rank != 0 && count < wanted;) {
        pb::Command command;
        pb::ReadContents& page = *command.mutable_read_contents();
        page.set_rank_from(rank);
        page.set_count(std::min(wanted - count, kPageRecords));
        page.set_without_bytes(!withBytes);
        const auto reply = context.ask(target->process, std::move(command), kAnswerSeconds);
        if (!reply)
            return reply.error();
        for (const auto& record : reply->contents().data())
            list.setProperty(count++, recordObject(context, record, withBytes));
        for (const auto& record : reply->contents().parity())
            list.setProperty(count++, recordObject(context, record, withBytes));
        rank = reply->contents().next_rank();
    }
    return list;
}

LabResult<QJSValue> recordGroup(LabContext& context, std::uint32_t number, std::uint32_t rank)
{
    const auto file = context.describeFile();
    if (!file)
        return file.error();
    const auto* found = groupIn(*file, number);
    if (found == nullptr)
        return LabError { LabCode::BadArgument,
            QString("Group %1 does not exist: the file has %2.").arg(number).arg(file->groups_size()) };
    std::vector<std::pair<CallTarget, pb::Command>> questions;
    for (const pb::Member& member : found->view().members()) {
        pb::Command command;
        command.mutable_read_contents()->set_rank_from(rank);
        command.mutable_read_contents()->set_count(1);
        questions.emplace_back(member.holder().node(), std::move(command));
    }
    const auto replies = context.askAll(questions, kAnswerSeconds);
    if (!replies)
        return replies.error();
    QJSValue data = context.engine.newArray(), parity = context.engine.newArray();
    std::uint32_t dataCount = 0, parityCount = 0;
    for (const pb::CommandReply& reply : *replies) {
        for (const auto& record : reply.contents().data())
            if (record.rank() == rank) {
                QJSValue row = recordObject(context, record, true);
                row.setProperty("bucket", reply.contents().place().number());
                data.setProperty(dataCount++, row);
            }
        for (const auto& record : reply.contents().parity())
            if (record.rank() == rank) {
                QJSValue row = recordObject(context, record, true);
                row.setProperty("column", reply.contents().place().column());
                parity.setProperty(parityCount++, row);
            }
    }
    QJSValue result = context.engine.newObject();
    result.setProperty("data", data);
    result.setProperty("parity", parity);
    return result;
}

} // namespace

void addStateCalls(Lab& lab, LabContext& context)
{
    lab.handle("lab.group", [&](const LabCall& c) { return group(context, c.arguments.at(0).toUInt()); });
    lab.handle("lab.bucket", [&](const LabCall& c) { return bucket(context, c.arguments.at(0)); });
    lab.handle("lab.records", [&](const LabCall& c) { return records(context, c.arguments); });
    lab.handle("lab.recordGroup",
        [&](const LabCall& c) { return recordGroup(context, c.arguments.at(0).toUInt(), c.arguments.at(1).toUInt()); });
}

} // namespace lhrs::gui
