// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/commands/lhrs/cluster_audits.h"

#include "gui/lab/control/lhrs/file_findings.h"
#include "gui/lab/live/ingest.h"
#include "gui/lab/tables/qt_text.h"
#include "gui/show/words/quantity_words.h"

#include <algorithm>

namespace lhrs::gui {

namespace {

constexpr int kCheckEvery = 1'000; // milliseconds
constexpr double kQuietEvents = 200; // per second: up to here only signs of life

bool isAtRest(const ClusterState& state)
{
    return state.file.exists && !state.file.isBeingFound
        && std::all_of(state.groups.begin(), state.groups.end(),
            [](const auto& entry) { return entry.second.state == pb::GROUP_UP && !entry.second.parityIsBeingAdded; })
        && std::none_of(state.splits.begin(), state.splits.end(),
            [](const auto& entry) { return entry.second.isOrdered && entry.second.isUnderWay(); });
}

} // namespace

ClusterAudits::ClusterAudits(const CommandContext& context, const ClusterLink& link) : m_context(context), m_link(link)
{
    connect(&m_timer, &QTimer::timeout, this, &ClusterAudits::checkOne);
}

Result<GroupAudit> ClusterAudits::auditAndJudge(std::uint32_t group, const std::stop_token& stop)
{
    auto checked = auditGroup(m_context.control, group, stop);
    if (checked)
        m_context.ingest.judge(findingsOf(*checked));
    return checked;
}

void ClusterAudits::audit(std::uint32_t group)
{
    m_context.report.work(QStringLiteral("lab.audit(%1);").arg(group), [this, group](const std::stop_token& stop) {
        const Result<GroupAudit> checked = auditAndJudge(group, stop);
        if (!checked)
            return CommandOutcome { text(checked.error().text), false };
        if (checked->unequal > 0)
            return CommandOutcome { tr("%1 of %2 record groups differ: %3")
                                        .arg(checked->unequal)
                                        .arg(checked->ranks)
                                        .arg(text(checked->firstUnequal)),
                false };
        return CommandOutcome {
            tr("group %1: all %2 record groups encode to exactly this parity").arg(group).arg(checked->ranks)
        };
    });
}

void ClusterAudits::auditAll()
{
    m_context.report.work(QStringLiteral("lab.audit();"), [this](const std::stop_token& stop) {
        const ClusterState state = m_context.ingest.state();
        std::uint32_t ranks = 0;
        for (const auto& [number, group] : state.groups) {
            const Result<GroupAudit> checked = auditAndJudge(number, stop);
            if (!checked)
                return CommandOutcome { text(checked.error().text), false };
            if (checked->unequal + checked->misplaced + checked->doubled > 0)
                return CommandOutcome { tr("group %1: %2")
                                            .arg(number)
                                            .arg(text(checked->unequal > 0   ? checked->firstUnequal
                                                    : checked->misplaced > 0 ? checked->firstMisplaced
                                                                             : checked->firstDoubled)),
                    false };
            ranks += checked->ranks;
        }
        return CommandOutcome { tr(
            "%1: all %2 record groups encode to exactly this parity, and each key is in its bucket")
                                    .arg(countedWords(state.groups.size(), "group", "groups"))
                                    .arg(ranks) };
    });
}

void ClusterAudits::keepChecking(bool isOn)
{
    if (isOn)
        m_timer.start(kCheckEvery);
    else
        m_timer.stop();
}

// Checks one group, and only while nothing else is going on, so that watching does not disturb what is watched or
// measured. At the levels of detail for measurements it does nothing, because a few events there can mean much work.
void ClusterAudits::checkOne()
{
    const pb::Detail detail = m_context.control.detail();
    if (m_link.state() != LinkState::Here || detail == pb::COUNTS || detail == pb::RECORDS
        || m_isChecking.exchange(true))
        return;
    const Ingest& ingest = m_context.ingest;
    const ClusterState state = ingest.state();
    if (!isAtRest(state) || ingest.counters().eventsPerSecond > kQuietEvents || state.groups.empty()) {
        m_isChecking = false;
        return;
    }
    auto next = state.groups.upper_bound(m_checked);
    m_checked = next == state.groups.end() ? state.groups.begin()->first : next->first;
    // A check that is not possible now is repeated the next time.
    m_context.worker.post([this, group = m_checked](const std::stop_token& stop) {
        (void)auditAndJudge(group, stop);
        m_isChecking = false;
    });
}

} // namespace lhrs::gui
