// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"
#include "gui/view/paint/theme.h"

#include <QImage>
#include <QString>
#include <QStringList>

namespace lhrs::gui {

// The small picture of a cluster for a card, drawn as the canvas draws it in little room.
QImage cardImage(const ClusterState& state, Theme::Kind kind);

// Plays the scenario on a simulated cluster with a fixed seed and writes NAME_light.png and NAME_dark.png. They show
// the cluster when most of it had failed or was being rebuilt, or at the end if nothing failed. Returns an error as a
// sentence, or an empty string.
QString writeCardPictures(const QString& scenario, const QString& directory);

// The same for all scenarios of the directory, its exercises, and the variants of free play. `written` receives the
// names.
QString writeAllCardPictures(const QString& scenarioDirectory, const QString& directory, QStringList& written);

} // namespace lhrs::gui
