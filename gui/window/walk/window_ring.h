// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/parts/window_parts.h"
#include "gui/window/walk/cluster_ring.h"

namespace lhrs::gui {

// What a person does with a ring.
class WindowRing : public WindowSubject {
    Q_OBJECT
public:
    explicit WindowRing(WindowParts& parts);

    void enable() override;
    QString lineOf(const QString& action) const override;
    // For a node, the master, and the ring itself.
    void offer(QMenu& menu, ObjectRef object, MenuPlace place) override;

private:
    bool isOutside(ProcessId process) const;

    ClusterRing& m_ring;
};

} // namespace lhrs::gui
