// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include <vector>

namespace lhrs::gui {

// What somebody who is led step by step is to read: by the tour, or by an exercise. Sentences are plain text.
struct GuideWords {
    QString place {};   // where one is: "Tour, stop 3 of 8"
    QString title {};
    QString task {};    // what it is about, and what to do
    QString hint {};    // shown when somebody asks for it
    QString seen {};    // what was seen, or why it held; empty: not yet
    QString trouble {}; // why it cannot go on, and what to do; empty: it can
    QStringList goals {};        // each is ticked when it is reached; may be empty
    std::vector<bool> held {};   // beside the goals; what is missing does not hold
    QString nextWords {};        // on the button that goes on; empty: "Next", or "Skip" while it is not done
    QString hintWords {};        // on the button of the hint; empty: "Hint", or "Hide hint" while it is shown
    bool hasHint = false;
    bool isDone = false;
    bool mayGoBack = false;
    bool mayGoOn = true;
    bool operator==(const GuideWords&) const = default;
};

} // namespace lhrs::gui
