// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/parts/window_parts.h"

namespace lhrs::gui {

class ImagePanel;

// What a person has the clients and the cluster do: the bar of workloads, the images of the clients, and the level of
// detail.
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
    std::optional<ViewExport> inFront() override;
    std::pair<const QWidget*, std::string_view> explained() const override;

private:
    void addClientActions();
    void addClusterActions();
    void work(pb::OperationKind kind);
    void workHere(pb::OperationKind kind);

    ImagePanel* m_images = nullptr;
    std::vector<std::pair<ProcessId, QString>> m_clients;
    ProcessId m_wanted = 0; // the client to be chosen as soon as it is in the list
};

} // namespace lhrs::gui
