// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/parts/window_parts.h"

namespace lhrs::gui {

// What a person has the clients do: the bar of workloads.
class WindowWork : public WindowSubject {
    Q_OBJECT
public:
    explicit WindowWork(WindowParts& parts);

    QWidget* makeBar() override;
    void build() override;
    void enable() override;
    void update() override;
    void applyTheme() override;
    QString lineOf(const QString& action) const override;

private:
    void work(pb::OperationKind kind);

    std::vector<std::pair<ProcessId, QString>> m_clients;
    ProcessId m_wanted = 0; // the client to be chosen as soon as it is in the list
};

} // namespace lhrs::gui
