// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/paint/field_style.h"

#include <QAbstractSpinBox>
#include <QComboBox>
#include <QEvent>
#include <QPainter>
#include <QStyleFactory>
#include <QStyleOption>

namespace lhrs::gui {

namespace {

constexpr qreal kCorner = 2;

// Draws the frame of a field without the focus; a field with the focus has a frame of its own.
void frame(const QStyleOption* option, const QRect& rect, QPainter* painter, bool isRound = false)
{
    if (option->state & QStyle::State_HasFocus)
        return;
    const bool isOn = option->state & QStyle::State_Enabled;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setBrush(Qt::NoBrush);
    painter->setPen(QPen(option->palette.color(isOn ? QPalette::Dark : QPalette::Mid), 1));
    const QRectF line = QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5);
    if (isRound)
        painter->drawEllipse(line);
    else
        painter->drawRoundedRect(line, kCorner, kCorner);
    painter->restore();
}

bool takesWheel(const QWidget* widget)
{
    return qobject_cast<const QComboBox*>(widget) || qobject_cast<const QAbstractSpinBox*>(widget);
}

} // namespace

FieldStyle::FieldStyle() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) { }

void FieldStyle::polish(QWidget* widget)
{
    QProxyStyle::polish(widget);
    if (!takesWheel(widget))
        return;
    widget->setFocusPolicy(Qt::StrongFocus); // the wheel does not give it the focus
    widget->installEventFilter(this);
}

void FieldStyle::unpolish(QWidget* widget)
{
    if (takesWheel(widget))
        widget->removeEventFilter(this);
    QProxyStyle::unpolish(widget);
}

bool FieldStyle::eventFilter(QObject* object, QEvent* event)
{
    const auto* widget = qobject_cast<QWidget*>(object);
    if (event->type() != QEvent::Wheel || !widget || widget->hasFocus())
        return QProxyStyle::eventFilter(object, event);
    event->ignore();
    return true;
}

void FieldStyle::drawPrimitive(
    PrimitiveElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const
{
    QProxyStyle::drawPrimitive(element, option, painter, widget);
    if (element == PE_FrameLineEdit || element == PE_IndicatorCheckBox || element == PE_IndicatorRadioButton)
        frame(option, option->rect, painter, element == PE_IndicatorRadioButton);
}

void FieldStyle::drawComplexControl(
    ComplexControl control, const QStyleOptionComplex* option, QPainter* painter, const QWidget* widget) const
{
    QProxyStyle::drawComplexControl(control, option, painter, widget);
    if (control == CC_SpinBox)
        frame(option, proxy()->subControlRect(control, option, SC_SpinBoxFrame, widget), painter);
    else if (control == CC_ComboBox)
        frame(option, option->rect, painter);
}

} // namespace lhrs::gui
