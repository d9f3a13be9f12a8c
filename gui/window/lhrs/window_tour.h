// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/local/local_cluster.h"
#include "gui/show/lhrs/tour.h"
#include "gui/window/lhrs/file_parts.h"
#include "gui/window/show/guided_tour.h"

#include <functional>

namespace lhrs::gui {

class GuidePanel;
class Remembered;
class WindowGroup;
class WindowRecords;

// The tour in the window. It tells the tour what happens and what the window shows, carries out the tour's wishes, and
// shows its words in the guide. The stop where it was left is remembered.
class WindowTour : public GuidedTour {
    Q_OBJECT
public:
    // All arguments must outlive this object.
    WindowTour(WindowParts& parts, FileParts& file, GuidePanel& panel, const WindowGroup& group,
        const WindowRecords& records, Remembered& remembered);

    void start() override;
    void leave();
    bool isOn() const override { return m_tour.isOn(); }
    // The present cluster was started by the tour.
    bool hasCluster() const { return m_isOurs; }
    int stopNow() const { return m_tour.stop(); }
    int stopLeft() const override { return m_left; }

    bool refresh(double seconds) override;

    static LocalOptions clusterOptions();

private:
    void goTo(int stop);
    void finish();
    void keep(int stop);
    void carryOut(const TourDeed& deed);
    void startCluster();
    TourSight sight() const;
    std::optional<TourSight::Group> groupSeen() const;
    QString wordsOf(const char* action) const;

    WindowParts& m_parts;
    FileParts& m_file;
    GuidePanel& m_guide;
    const WindowGroup& m_group;
    const WindowRecords& m_records;
    Remembered& m_remembered;
    Tour m_tour;
    int m_left = 0; // also used when nothing is remembered on disk
    bool m_isOurs = false; // the cluster was started by the tour
    bool m_isStarting = false; // the tour itself is changing the cluster
    QString m_line; // of the action under way, as its answer will repeat it
    double m_time = 0, m_deedAt = 0;
    std::uint64_t m_cursor = 0;
};

} // namespace lhrs::gui
