// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"
#include "gui/view/paint/theme.h"

#include <QImage>

namespace lhrs::gui {

// A small picture of a file, for a card: without spares and legend. `size`: in pixels at 100 %.
QImage cardOfFile(const ClusterState& state, Theme::Kind kind, QSize size, qreal scale);

} // namespace lhrs::gui
