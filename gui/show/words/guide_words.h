// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include <vector>

namespace lhrs::gui {

// The texts of a guided activity: the tour, or an exercise. Sentences are plain text.
struct GuideWords {
    QString place {}; // the present position: "Tour, stop 3 of 8"
    QString title {};
    QString task {}; // what it is about, and what to do
    QString hint {}; // shown on request
    QString seen {}; // what was observed, or why it held; empty: not yet
    QString trouble {}; // why it cannot continue, and what to do; empty if it can
    QStringList goals {}; // each is ticked when it is reached; may be empty
    std::vector<bool> held {}; // in the order of goals; missing entries count as not reached
    QString nextWords {}; // label of the button to continue; empty: "Next", or "Skip" while it is not done
    QString hintWords {}; // label of the hint button; empty: "Hint", or "Hide hint" while it is shown
    bool hasHint = false;
    bool isDone = false;
    bool mayGoBack = false;
    bool mayGoOn = true;
    bool operator==(const GuideWords&) const = default;
};

} // namespace lhrs::gui
