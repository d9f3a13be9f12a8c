// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"
#include "gui/view/paint/theme.h"

#include <QImage>
#include <QString>
#include <QStringList>

#include <map>

namespace lhrs::gui {

// What the pictures are made from, beside the scenarios as they are.
struct CardRuns {
    // Experiments take as long as they need; for their pictures they get these parameters. By the scenario's name.
    std::map<QString, std::map<QString, QString>> shortened;
    // The variants of free play have no scenario; these lines produce what they start. By the card's name.
    std::map<QString, QString> freePlay;
};

// The small picture of a cluster for a card, drawn as the canvas draws it in little room.
QImage cardImage(const ClusterState& state, Theme::Kind kind);

// Plays the scenario on a simulated cluster with a fixed seed and writes NAME_light.png and NAME_dark.png. They show
// the cluster at the instant that tells most by its SystemWords, or at the end. Returns an error as a sentence, or an
// empty string.
QString writeCardPictures(const QString& scenario, const QString& directory, const CardRuns& runs = {});

// The same for all scenarios of the directory, its exercises, and the variants of free play. `written` receives the
// names.
QString writeAllCardPictures(
    const QString& scenarioDirectory, const QString& directory, const CardRuns& runs, QStringList& written);

} // namespace lhrs::gui
