// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/paint/display_list.h"

#include <QSize>
#include <QString>

#include <functional>

class QPainter;

namespace lhrs::gui {

// What every exported picture states about itself: the origin word (LIVE, SIMULATED, RECORDED), the run, the instant.
struct PictureOrigin {
    QString word, run, instant;
    QString line() const; // "RECORDED · run 2026-11-21T23:42:36Z · at 3.15 s"
};

// Paints into a file whose format is the ending of its name: .svg and .pdf (text as text), .png (`scale` times as many
// pixels). The same picture gives the same bytes. Returns an error as a sentence, or an empty string.
QString writePicture(
    const QString& path, QSize size, qreal scale, const QString& title, const std::function<void(QPainter&)>& paint);

// Writes a display list with a line below it that states its origin.
QString writePicture(
    const QString& path, const DisplayList& list, QSize size, const QString& name, const PictureOrigin& origin);

} // namespace lhrs::gui
