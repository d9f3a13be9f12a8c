// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/parts/window_parts.h"
#include "gui/window/start/start_page.h"

namespace lhrs::gui {

class Remembered;

// The start page, and the clusters and the first look that begin there. It lists the recordings.
class WindowStart : public WindowSubject {
    Q_OBJECT
public:
    WindowStart(WindowParts& parts, const QString& scenarioDirectory, Remembered& remembered);

    void build() override;
    void enable() override;
    void applyTheme() override { m_page->setTheme(m_parts.theme); }
    // Says on the page what becomes of the cluster.
    void showLink();

    StartPage& page() { return *m_page; }
    // Starts the processes of a cluster on this computer, or one that simulates them.
    void startHere(const std::optional<SimulatedOptions>& simulated = {});
    // Watches a running cluster.
    void connectTo(const QString& address);
    // `keyFile`: a key of the cluster, empty: it has none.
    void connectWith(const QString& address, const QString& keyFile);
    // How the clusters of scenarios are played from now on; nothing: on real processes.
    void preferSimulated(const std::optional<SimulatedOptions>& options);
    // Where the processes of clusters are started from now on; empty: on this computer.
    void preferHosts(const std::vector<HostEntry>& hosts);
    // The first look is played on a simulated cluster, whatever is chosen for others: it needs little of this computer
    // and is always the same.
    void beginFirst();
    // The next scenario is played as it was chosen before the first look.
    void endFirst();

    // The recording that is shown, or the saved one of this run, is listed on the page.
    void noteOpened(const QString& path);
    void noteSaved(const QString& path);

private:
    StartPage* m_page;
    Remembered& m_remembered;
    std::optional<SimulatedOptions> m_chosen; // how scenarios are played; nothing: on real processes
    bool m_playsFirst = false;
};

} // namespace lhrs::gui
