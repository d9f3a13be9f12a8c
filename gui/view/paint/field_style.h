// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QProxyStyle>

namespace lhrs::gui {

// Fusion, but frames of fields and check boxes have the colour of the theme's outlines. Fusion's own frames are a
// darker shade of the window, which cannot be seen on a dark window. A style sheet could colour them too, but then it
// draws their arrows and marks itself.
class FieldStyle : public QProxyStyle {
    Q_OBJECT
public:
    FieldStyle();

    using QProxyStyle::polish;
    using QProxyStyle::unpolish;
    // A combo box or a number box without the focus leaves the wheel to the page around it. Otherwise a person who
    // scrolls the page would change its value without noticing.
    void polish(QWidget* widget) override;
    void unpolish(QWidget* widget) override;
    bool eventFilter(QObject* object, QEvent* event) override;

    void drawPrimitive(
        PrimitiveElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
        const QWidget* widget) const override;
};

} // namespace lhrs::gui
