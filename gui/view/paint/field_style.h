// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QProxyStyle>

namespace lhrs::gui {

// Fusion, with frames of fields and check boxes in the colour of the theme's outlines: its own are a darker shade of the window,
// which cannot be seen on a dark one. (A style sheet could colour them, too, but then draws their arrows and marks itself.)
class FieldStyle : public QProxyStyle {
    Q_OBJECT
public:
    FieldStyle();

    using QProxyStyle::polish;
    using QProxyStyle::unpolish;
    // A list of choices or a number that nobody has chosen leaves the wheel to the page that it stands on; else whoever scrolls
    // over it changes it without seeing that.
    void polish(QWidget* widget) override;
    void unpolish(QWidget* widget) override;
    bool eventFilter(QObject* object, QEvent* event) override;

    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter, const QWidget* widget) const override;
};

} // namespace lhrs::gui
