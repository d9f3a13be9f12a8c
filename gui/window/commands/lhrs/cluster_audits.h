// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/control/lhrs/audit.h"
#include "gui/window/commands/cluster_link.h"

#include <QTimer>

#include <atomic>
#include <cstdint>

namespace lhrs::gui {

// What the window checks: parity, key lists and places, group by group; each answer counts for the invariants.
class ClusterAudits : public QObject {
public:
    ClusterAudits(const CommandContext& context, const ClusterLink& link);

    void audit(std::uint32_t group);
    void auditAll();
    // Checks one group each second while the file is at rest.
    void keepChecking(bool isOn);

private:
    Result<GroupAudit> auditAndJudge(std::uint32_t group, const std::stop_token& stop);
    void checkOne();

    CommandContext m_context;
    const ClusterLink& m_link;
    QTimer m_timer;
    std::uint32_t m_checked = 0; // the group that was checked last
    std::atomic<bool> m_isChecking { false };
};

} // namespace lhrs::gui
