// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"
#include "gui/view/paint/theme.h"

#include <QImage>
#include <QString>
#include <QStringList>

namespace lhrs::gui {

// The small picture of a cluster for a card: what the canvas draws where it has little room.
QImage cardImage(const ClusterState& state, Theme::Kind kind);

// Plays the scenario on a simulated cluster, always the same one, and writes NAME_light.png and NAME_dark.png: the
// cluster when most of it had failed or was being rebuilt, or at the end where nothing ever was. An error is a
// sentence; empty: written.
QString writeCardPictures(const QString& scenario, const QString& directory);

// The same for all scenarios of the directory, its exercises and the ways of free play. `written`: takes the names.
QString writeAllCardPictures(const QString& scenarioDirectory, const QString& directory, QStringList& written);

} // namespace lhrs::gui
