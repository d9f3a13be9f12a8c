// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace lhrs::gui {

// The only part of this class in the window, for example part<ChartPanel>(window).
template <class Part> Part& part(const QWidget& window)
{
    const QList<Part*> found = window.findChildren<Part*>();
    if (found.size() != 1)
        qFatal("%d parts of the class %s", int(found.size()), Part::staticMetaObject.className());
    return *found.front();
}

} // namespace lhrs::gui
