// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/paint/theme.h"

#include <QFocusFrame>
#include <QObject>
#include <QPointer>

namespace lhrs::gui {

// Draws two pixels in the focus colour around the widget with the focus, in every window of the program. Widgets that
// show the focus clearly by themselves are left out: buttons and lists (by the style sheet), and the picture of the
// cluster (by its own frame). A panel that closes with the focus in it gives the focus to `home`, so that keys go on.
class FocusRing : public QObject {
    Q_OBJECT
public:
    FocusRing(QWidget* home, QObject* parent);
    ~FocusRing() override;
    void setTheme(const Theme& theme);

private:
    class Frame;
    void follow(QWidget* focus);
    void goHome();

    QPointer<QWidget> m_home; // the window deletes it before this object
    QPointer<QFocusFrame> m_frame; // deleted with the widget that it surrounds
    QColor m_colour;
};

} // namespace lhrs::gui
