// SPDX-License-Identifier: GPL-3.0-or-later
// Judges a show as a director would: do the words fit the picture, and can they be read?
#pragma once

#include "gui/window/main/main_window.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace lhrs::gui {

// Checks the window after each frame. faults() has one sentence per fault: the rule, the time, and the words shown
// then.
class ShowJudge {
public:
    explicit ShowJudge(MainWindow& window);

    // Call after a frame of this many seconds of the show.
    void look(double seconds);
    // A key is pressed now: what follows at once is what the person wants.
    void pressed() { m_wasPressed = true; }
    // Call after the last frame: rules for the show as a whole. `minutes`: from the scenario's header; 0: not judged.
    void finish(double minutes);

    const QStringList& faults() const { return m_faults; }
    double playedSeconds() const { return m_played; }

private:
    void fault(int rule, const QString& what);
    void onEntry(const ReelEntry& entry);
    void judgeLag(const ReelEntry& entry);
    void judgeNames(const QString& text);
    void judgeLetters(const QString& text);
    void judgeStillness(double seconds);
    void judgeMovement();

    MainWindow& m_window;
    QStringList m_faults;
    double m_played = 0, m_stillSince = 0, m_lookedAt = -1;
    QString m_caption;
    double m_saidAt = 0;
    bool m_wasPressed = false, m_wasShow = false;
    QString m_picture, m_stillAt;
    QString m_step, m_stepWords; // the present step, and all that was said in it
    std::set<std::uint64_t> m_shown; // events, by index
    std::int64_t m_repeatedUpTo = 0; // run time, in a repetition
    std::uint64_t m_firstPainted = 0; // the first event that the show paints
    std::map<QString, QString> m_unexplained; // of this step: what moved, and when
};

} // namespace lhrs::gui
