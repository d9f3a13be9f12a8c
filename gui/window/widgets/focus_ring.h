// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/paint/theme.h"

#include <QFocusFrame>
#include <QObject>
#include <QPointer>

namespace lhrs::gui {

// Two pixels in the colour of the focus around what has it, in every window of the program. What shows the focus as
// clearly by itself is left alone: buttons and lists by the style sheet, the picture of the cluster by its own frame.
class FocusRing : public QObject {
    Q_OBJECT
public:
    explicit FocusRing(QObject* parent);
    ~FocusRing() override;
    void setTheme(const Theme& theme);

private:
    class Frame;
    void follow(QWidget* focus);

    QPointer<QFocusFrame> m_frame; // it goes with the widget that it surrounds
    QColor m_colour;
};

} // namespace lhrs::gui
