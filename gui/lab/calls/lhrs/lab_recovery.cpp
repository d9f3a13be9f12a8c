// SPDX-License-Identifier: GPL-3.0-or-later
// Calls for manual recovery: ordering a recovery, or acknowledging a loss.
#include "gui/lab/calls/lab.h"
#include "gui/lab/calls/lhrs/lab_file.h"
#include "gui/lab/words/lhrs/place_words.h"

#include <QJSEngine>

#include <algorithm>
#include <cmath>
#include <optional>

namespace lhrs::gui {

namespace {

// In s; after 5 s (25 s with classroom timers) the coordinator itself reports which processes did not answer.
constexpr double kChangeTimeout = 30;
constexpr std::chrono::milliseconds kBetweenQuestions(50);

// The coordinator's description of one group.
LabResult<pb::FileDescription::Group> groupOf(const LabContext& context, std::uint32_t number)
{
    const auto file = context.describeFile();
    if (!file)
        return file.error();
    for (const auto& group : file->groups())
        if (group.number() == number)
            return group;
    return LabError { LabCode::BadArgument,
        QString("There is no group %1: the file has %2.").arg(number).arg(file->groups_size()) };
}

LabError isLost(std::uint32_t group)
{
    return { LabCode::Refused,
        QString("Group %1 is lost: more members failed than its parity replaces, so nothing can be computed.")
            .arg(group),
        QString("lab.acknowledgeLoss(%1) brings its lost buckets back, empty.").arg(group) };
}

bool isWhole(const pb::FileDescription::Group& group)
{
    const auto& members = group.view().members();
    const auto parity = std::count_if(
        members.begin(), members.end(), [](const pb::Member& m) { return m.role() == pb::PARITY; });
    return group.view().state() == pb::GROUP_UP && parity >= std::ptrdiff_t(group.k())
        && std::all_of(members.begin(), members.end(), [](const pb::Member& m) { return m.state() == pb::UP; });
}

// What the events report of an ordered recovery.
struct RecoveryReport {
    bool wasIll = false; // the group has left the state UP, or was not in it
    std::optional<pb::RecoveryFinished> finished;
    std::vector<RunEvent> declared; // the events that declared buckets failed
    QStringList failed; // places
    std::optional<LabError> trouble;

    void take(const RunEvent& run, std::uint32_t group)
    {
        if (run.isGap())
            return;
        const pb::Event& event = *run.event;
        if (event.has_epoch_changed() && event.epoch_changed().view().group() == group)
            wasIll = wasIll || event.epoch_changed().view().state() != pb::GROUP_UP;
        else if (event.has_bucket_failed() && event.bucket_failed().group() == group)
            takeFailed(run);
        else if (event.has_recovery_finished() && event.recovery_finished().group() == group)
            finished = event.recovery_finished();
        else if (event.has_group_lost() && event.group_lost().group() == group)
            trouble = isLost(group);
        else if (event.has_members_answered() && event.members_answered().group() == group && !wasIll)
            trouble = LabError { LabCode::Refused,
                QString("All members of group %1 answer: nothing has failed.").arg(group) };
        else if (event.has_spare_missing())
            trouble = LabError { LabCode::NoSpares,
                QString("No spare %1 server answers; one is needed for %2.")
                    .arg(event.spare_missing().role() == pb::PARITY ? "parity" : "data",
                        QString::fromStdString(event.spare_missing().purpose())),
                "lab.addSpares starts more servers; the recovery goes on when they are there." };
    }

    void takeFailed(const RunEvent& run)
    {
        const pb::BucketFailed& e = run.event->bucket_failed();
        declared.push_back(run);
        pb::Place place;
        place.set_role(e.role());
        place.set_number(e.role() == pb::DATA ? e.index() : e.group());
        place.set_column(e.role() == pb::DATA ? 0 : e.index());
        failed << QString::fromStdString(placeName(place));
    }
};

// Lost parity buckets are filled again; only lost data buckets are computed in slices and have times.
QJSValue timingOf(const LabContext& context, std::uint32_t group, const RecoveryReport& report)
{
    QJSValue timing = context.engine.newObject();
    if (report.finished) {
        timing = recoveryTiming(context, *report.finished, report.declared);
    } else {
        timing.setProperty("what", "bucket recovery");
        timing.setProperty("group", group);
        for (const char* unknown : { "manager", "slice", "slices", "records", "bytes", "total_s" })
            timing.setProperty(unknown, QJSValue(QJSValue::NullValue));
    }
    timing.setProperty("failed", context.engine.toScriptValue(report.failed));
    return timing;
}

LabResult<QJSValue> recover(LabContext& context, const Arguments& o)
{
    const std::uint32_t number = o.integer("group");
    const auto before = groupOf(context, number);
    if (!before)
        return before.error();
    if (before->view().state() == pb::GROUP_LOST)
        return isLost(number);
    RecoveryReport report;
    report.wasIll = before->view().state() != pb::GROUP_UP;
    std::uint64_t cursor = context.changeCursor;
    const auto deadline = context.deadlineIn(o.number("timeout"));
    pb::Command command;
    command.mutable_recover_group()->set_group(number);
    const auto slice = sliceOf(o.option("slice"), "lab.recover");
    if (!slice)
        return slice.error();
    command.mutable_recover_group()->set_slice(*slice);
    const QJSValue manager = o.option("manager");
    const bool isManagerGiven = manager.isNumber();
    if (isManagerGiven
            ? manager.toNumber() != std::floor(manager.toNumber()) || manager.toNumber() < 0 || manager.toNumber() > 63
            : manager.toString() != "auto")
        return LabError { LabCode::BadArgument,
            "The option manager of lab.recover is a parity column from 0, or 'auto', not " + manager.toString() + ".",
            "manager: 1" };
    if (isManagerGiven)
        command.mutable_recover_group()->set_manager(manager.toUInt() + 1);
    command.mutable_recover_group()->set_decode(o.text("decode") == "rs" ? pb::DECODE_RS : pb::DECODE_AUTO);
    if (const auto ordered = context.ask(context.control.coordinator(), std::move(command), 5); !ordered)
        return ordered.error();
    if (!o.isOn("wait"))
        return timingOf(context, number, report);
    // Events tell when a query is useful. Each query is work for the coordinator and takes processor time from the
    // measured recovery; virtual time stands still meanwhile.
    for (auto nextQuestion = context.now();;) {
        const EventPage page = context.ingest.eventsSince(cursor, 1000);
        cursor = page.next;
        for (const RunEvent& event : page.events)
            report.take(event, number);
        if (report.trouble)
            return *report.trouble;
        if (!page.events.empty())
            continue;
        if (context.isStopped())
            return context.stopped();
        if (!report.finished && context.now() < nextQuestion && !context.isInStep()) {
            context.waitBeyond(cursor, std::min(deadline, nextQuestion));
            continue;
        }
        nextQuestion = context.now() + kBetweenQuestions;
        const auto now = groupOf(context, number);
        if (!now)
            return now.error();
        if (report.wasIll && isWhole(*now)) {
            // The last events were published before that answer.
            if (const auto caught = context.catchUp(); !caught)
                return caught.error();
            for (const RunEvent& event : context.ingest.eventsSince(cursor, 100'000).events)
                report.take(event, number);
            const QJSValue timing = timingOf(context, number, report);
            // Whether the chosen manager is alive is found out only after the order.
            if (isManagerGiven && report.finished && report.finished->manager() != manager.toUInt())
                return LabError { LabCode::Refused,
                    QString("The members of group %1 are back, but parity bucket %1.%2 was not the recovery manager: "
                            "it was lost, too, or another recovery was under way. The manager was parity bucket %1.%3.")
                        .arg(number)
                        .arg(manager.toUInt())
                        .arg(report.finished->manager()),
                    "manager: 'auto' takes the first one that is up." };
            // The recovery manager decides whether XOR is enough; by now the recovery is finished.
            if (o.text("decode") == "xor" && timing.property("decode").toString() != "xor")
                return LabError { LabCode::Refused,
                    QString("The members of group %1 are back, but not by XOR: that is enough for one data bucket "
                            "while parity column 0 lives, and here %2 were lost.")
                        .arg(number)
                        .arg(report.failed.join(", ")),
                    "decode: 'auto' takes XOR where it is enough." };
            return timing;
        }
        if (context.now() >= deadline)
            return LabError { LabCode::Timeout,
                QString("Group %1 is not whole after %2 s: it is %3.")
                    .arg(number)
                    .arg(o.number("timeout"))
                    .arg(QString::fromStdString(groupStateWord(now->view().state()))) };
        context.waitBeyond(cursor, std::min(deadline, nextQuestion));
    }
}

LabResult<QJSValue> acknowledgeLoss(LabContext& context, const Arguments& arguments)
{
    const std::uint32_t number = arguments.at(0).toUInt();
    const auto before = groupOf(context, number);
    if (!before)
        return before.error();
    QJSValue buckets = context.engine.newArray();
    std::uint32_t count = 0;
    const std::uint32_t m = std::max(1u, runningConfig(context).m());
    for (const pb::Member& member : before->view().members())
        if (member.role() == pb::DATA && member.state() == pb::MEMBER_LOST)
            buckets.setProperty(count++, number * m + member.index());
    pb::Command command;
    command.mutable_acknowledge_loss()->set_group(number);
    const auto reply = context.ask(context.control.coordinator(), std::move(command), arguments.number("timeout"));
    if (!reply && reply.error().code == LabCode::Timeout) {
        const auto file = context.describeFile();
        if (file && (file->data_spares() == 0 || file->parity_spares() == 0))
            return LabError { LabCode::NoSpares,
                QString("The loss of group %1 is noted; its buckets wait for spares (%2 data, %3 parity).")
                    .arg(number)
                    .arg(file->data_spares())
                    .arg(file->parity_spares()),
                "lab.addSpares starts more servers." };
    }
    if (!reply)
        return reply.error();
    QJSValue result = context.engine.newObject();
    result.setProperty("group", number);
    result.setProperty("buckets", buckets);
    return result;
}

} // namespace

pb::RecoveryWay recoveryWayOf(const QString& word)
{
    for (const pb::RecoveryWay way : { pb::RECOVERY_AUTOMATIC, pb::RECOVERY_ON_ALARM, pb::RECOVERY_MANUAL })
        if (recoveryWord(way) == word.toStdString())
            return way;
    return pb::RECOVERY_OFF;
}

LabResult<pb::RecoveryWay> setRecoveryWay(LabContext& context, pb::RecoveryWay way)
{
    pb::Command command;
    command.mutable_set_recovery()->set_recovery(way);
    const auto reply = context.ask(context.control.coordinator(), std::move(command), kChangeTimeout);
    if (!reply)
        return reply.error();
    pb::FileConfig config = runningConfig(context);
    config.set_recovery(way);
    context.kept = config;
    return reply->recovery().former();
}

void addRecoveryCalls(Lab& lab, LabContext& context)
{
    lab.handle("lab.recovery", [&](const LabCall& c) -> LabResult<QJSValue> {
        if (c.arguments.at(0).isNull()) {
            const auto file = context.describeFile();
            return file ? LabResult<QJSValue>(QString::fromStdString(recoveryWord(file->config().recovery())))
                        : LabResult<QJSValue>(file.error());
        }
        const auto former = setRecoveryWay(context, recoveryWayOf(c.arguments.at(0).toString()));
        return former ? LabResult<QJSValue>(QString::fromStdString(recoveryWord(*former)))
                      : LabResult<QJSValue>(former.error());
    });
    lab.handle("lab.recover", [&](const LabCall& c) { return recover(context, c.arguments); });
    lab.handle("lab.acknowledgeLoss", [&](const LabCall& c) { return acknowledgeLoss(context, c.arguments); });
}

} // namespace lhrs::gui
