// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

namespace lhrs::gui {

// The things that a caption mentions, in order and without repetition, by their names in the picture: places of a file,
// nodes and the master of a ring, "client alice" for "Alice" if that name is among `clients`, "coordinator".
QStringList thingsNamed(const QString& text, const QStringList& clients);

} // namespace lhrs::gui
