// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

namespace lhrs::gui {

// The known name nearest to an unknown one, by edit distance; empty if none is near.
QString nearestWord(const QString& name, const QStringList& known);

} // namespace lhrs::gui
