// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/local/local_cluster.h"
#include "gui/show/tour.h"
#include "gui/view/time/frame_clock.h"

#include <QObject>

#include <functional>

namespace lhrs::gui {

class MainWindow;
class Remembered;

// The tour in the window: it tells the tour what happens and what the window shows, does what the tour wants done, and
// shows its
// words in the guide. Where somebody left it is remembered.
class WindowTour : public QObject, public FrameView {
    Q_OBJECT
public:
    // Both must outlive it. `mayForgetRun`: asked before a cluster ends that somebody else has started.
    WindowTour(MainWindow& window, Remembered& remembered, std::function<bool()> mayForgetRun);

    // Goes on where it was left, on a cluster of its own.
    void start();
    void leave();
    bool isOn() const { return m_tour.isOn(); }
    // The cluster that is there is the tour's own.
    bool hasCluster() const { return m_isOurs; }
    int stopNow() const { return m_tour.stop(); }
    // Where it was left: 1 to 8; 0: it was never begun, or was finished.
    int stopLeft() const;

    bool refresh(double seconds) override;

    static LocalOptions clusterOptions();

signals:
    // The stop that it is at, or where it was left, is another one.
    void stopChanged();

private:
    void goTo(int stop);
    void finish();
    void keep(int stop);
    void carryOut(const TourDeed& deed);
    void startCluster();
    TourSight sight() const;
    std::optional<TourSight::Group> groupSeen() const;
    QString wordsOf(const char* action) const;

    MainWindow& m_window;
    Remembered& m_remembered;
    std::function<bool()> m_mayForgetRun;
    Tour m_tour;
    int m_left = 0;            // where nothing is remembered on disk, too
    bool m_isOurs = false;     // the cluster
    bool m_isStarting = false; // it is we who change it
    QString m_line;            // of the deed that is under way, as it will be answered
    double m_time = 0, m_deedAt = 0;
    std::uint64_t m_cursor = 0;
};

} // namespace lhrs::gui
