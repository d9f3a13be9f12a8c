// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/export/lhrs/audit_command.h"

#include "common/directory_entry.h"
#include "common/number_words.h"
#include "gui/lab/control/lhrs/audit.h"
#include "gui/lab/control/control_client.h"
#include "gui/lab/live/ingest.h"
#include "gui/lab/local/session.h"

#include <QJsonDocument>
#include <QJsonObject>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <limits>
#include <optional>

namespace lhrs::gui {

namespace {

// Exit codes of lhrs-play. 4 is also the code of an exceeded time limit: a later attempt may succeed.
constexpr int kUnequal = 1, kNoSuchGroup = 2, kNobody = 3, kNotNow = 4;
constexpr std::chrono::milliseconds kAuditAnswer(5000);

int endAudit(int code, const std::string& sentence)
{
    std::fprintf(stderr, "lhrs-play: %s\n", sentence.c_str());
    return code;
}

// Adds all processes of the cluster to the control client. An error is a sentence.
std::optional<std::string> meet(ControlClient& control, const std::string& endpoint)
{
    pb::Command who, list;
    who.mutable_who_are_you();
    list.mutable_list_processes();
    const Answer answer = control.callAndWait(endpoint, who, kAuditAnswer);
    if (!answer || answer.reply.process().kind() != pb::COORDINATOR)
        return "no coordinator answers at " + endpoint + "; give the port that its line `ready ... control=` names.";
    control.addProcess(answer.reply.process());
    const Answer listed = control.callAndWait(answer.reply.process().node(), list, kAuditAnswer);
    if (!listed)
        return "the coordinator does not say which processes there are: " + listed.text;
    for (const auto& entry : listed.reply.processes().processes()) // an invalid entry must not affect the others
        if (whatIsWrong(entry.process()).empty() && !entry.process().control_endpoint().empty())
            control.addProcess(entry.process());
    return std::nullopt;
}

} // namespace

void addAuditOptions(CLI::App& app, AuditCommand& command)
{
    app.add_option("--audit", command.group,
           "With --connect: compare the parity of this group, or of all groups, with what its data encode to, print "
           "{\"ranks\", \"unequal\", \"first\"} as JSON, and exit: 0 all is equal, 1 it is not, 4 the file is not at "
           "rest")
        ->type_name("GROUP|all");
}

int audit(const AuditCommand& command, const std::string& endpoint, const std::optional<KeyFile>& key)
{
    std::optional<std::uint32_t> wanted;
    if (command.group != "all") {
        const auto number = readNumber<std::uint32_t>(
            command.group, 0, std::numeric_limits<std::uint32_t>::max(), "all or the number of a group");
        if (!number)
            return endAudit(kNoSuchGroup, "--audit: " + number.error().text + ".");
        wanted = *number;
    }
    if (endpoint.empty())
        return endAudit(kNoSuchGroup, "--audit is for a running cluster; write --connect HOST:PORT, too.");
    Session session;
    session.ingest().peerKeys().use(key);
    if (const auto problem = meet(session.control(), endpoint))
        return endAudit(kNobody, *problem);
    pb::Command describe;
    describe.mutable_describe_file();
    const Answer described = session.control().callAndWait(session.control().coordinator(), describe, kAuditAnswer);
    if (!described)
        return endAudit(kNobody, "the coordinator does not describe the file: " + described.text);
    const pb::FileDescription& file = described.reply.file();
    GroupAudit sum;
    bool isFound = false;
    for (const pb::FileDescription::Group& group : file.groups()) {
        if (wanted && group.number() != *wanted)
            continue;
        isFound = true;
        const auto one = auditGroup(session.control(), group.number(), {});
        if (!one)
            return endAudit(kNotNow, one.error().text + ".");
        sum.ranks += one->ranks;
        sum.unequal += one->unequal;
        if (sum.firstUnequal.empty())
            sum.firstUnequal = one->firstUnequal;
    }
    if (!isFound)
        return endAudit(kNoSuchGroup,
            "--audit: group " + command.group + " does not exist: the file has " + std::to_string(file.groups_size())
                + ".");
    const QJsonObject result { { "ranks", double(sum.ranks) }, { "unequal", double(sum.unequal) },
        { "first", sum.firstUnequal.empty() ? QJsonValue() : QJsonValue(QString::fromStdString(sum.firstUnequal)) } };
    std::printf("%s\n", QJsonDocument(result).toJson(QJsonDocument::Compact).constData());
    return sum.unequal == 0 ? 0 : kUnequal;
}

} // namespace lhrs::gui
