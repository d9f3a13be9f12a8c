// SPDX-License-Identifier: GPL-3.0-or-later
// Finds text that cannot be read, by walking the widgets and the display lists: text without enough room, and text that
// is too small for the last row of a hall. picture_faults.h finds text on other text.
#pragma once

#include "tests/rigs/gui/picture_faults.h"

#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QFocusFrame>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QSpinBox>
#include <QStyle>
#include <QStyleOptionComboBox>
#include <QTabBar>

namespace lhrs::gui {

inline QString nameOf(const QWidget* widget)
{
    QStringList names;
    for (const QWidget* w = widget; w && names.size() < 3; w = w->parentWidget())
        names << (w->objectName().isEmpty() ? QString::fromLatin1(w->metaObject()->className()) : w->objectName());
    return names.join(" in ");
}

inline bool showsText(const QWidget* widget)
{
    if (const auto* label = qobject_cast<const QLabel*>(widget))
        return !label->text().isEmpty();
    if (const auto* button = qobject_cast<const QAbstractButton*>(widget))
        return !button->text().isEmpty();
    return qobject_cast<const QComboBox*>(widget) || qobject_cast<const QLineEdit*>(widget)
        || qobject_cast<const QTabBar*>(widget) || qobject_cast<const QAbstractItemView*>(widget)
        || qobject_cast<const QAbstractSpinBox*>(widget) || widget->inherits("QPlainTextEdit")
        || widget->inherits("QTextEdit");
}

// A widget whose text has less room than it needs, as text; empty: there is none.
inline QString clipped(const QWidget& window)
{
    for (const QWidget* widget : window.findChildren<QWidget*>()) {
        if (!widget->isVisible() || widget->visibleRegion().isEmpty() || qobject_cast<const QFocusFrame*>(widget))
            continue;
        const QSize room = widget->contentsRect().size();
        const auto wide = [&](const QString& text) {
            return widget->fontMetrics().size(Qt::TextShowMnemonic, text).width();
        };
        QString text;
        bool isTight = false;
        if (const auto* label = qobject_cast<const QLabel*>(widget); label && !label->text().isEmpty()) {
            text = label->text();
            const int high = label->wordWrap() ? label->heightForWidth(widget->width()) : label->fontMetrics().height();
            isTight = high > widget->height() + 1 || (!label->wordWrap() && wide(text) > room.width());
        } else if (const auto* button = qobject_cast<const QAbstractButton*>(widget);
                   button && !button->text().isEmpty()) {
            text = button->text();
            isTight = button->width() < button->minimumSizeHint().width()
                || button->height() < button->fontMetrics().height();
        } else if (const auto* box = qobject_cast<const QComboBox*>(widget)) {
            QStyleOptionComboBox option;
            option.initFrom(box);
            text = box->currentText();
            isTight = wide(text)
                > box->style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, box).width();
        } else if (const auto* spin = qobject_cast<const QSpinBox*>(widget)) {
            text = spin->text();
            isTight = spin->height() < spin->fontMetrics().height() || spin->width() < spin->minimumSizeHint().width();
        } else if (const auto* bar = qobject_cast<const QTabBar*>(widget)) {
            for (int tab = 0; tab < bar->count(); ++tab) {
                text = bar->tabText(tab);
                isTight = isTight || bar->tabRect(tab).right() > bar->width() || bar->tabRect(tab).width() < wide(text);
            }
        } else if (const auto* header = qobject_cast<const QHeaderView*>(widget); header && header->model()) {
            for (int section = 0; section < header->count() && !isTight; ++section) {
                text = header->model()->headerData(section, Qt::Horizontal).toString();
                isTight = !header->isSectionHidden(section) && header->sectionSize(section) < wide(text);
            }
        }
        if (isTight)
            return QString("“%1” has too little room: %2, %3 x %4")
                .arg(text, nameOf(widget))
                .arg(widget->width())
                .arg(widget->height());
        if (widget->mapTo(&window, QPoint()).x() < 0
            || widget->mapTo(&window, QPoint(widget->width(), 0)).x() > window.width())
            return QString("%1 leaves the window").arg(nameOf(widget));
    }
    return {};
}

// Texts of a painted view that leave it, as text; for views whose parts may still be moving.
inline QString outside(const DisplayList& list, QSize size)
{
    for (const DisplayList::Item& item : list.items()) {
        if (const auto* text = std::get_if<DisplayList::Text>(&item.primitive)) {
            if (!QRectF(-0.5, -0.5, size.width() + 1.0, size.height() + 1.0).contains(list.textRect(*text)))
                return "“" + text->text + "” leaves its view";
        }
    }
    return {};
}

// The smallest text of a painted view, in pixels; 0: it has none.
inline int smallestText(const DisplayList& list)
{
    int smallest = 0;
    for (const DisplayList::Item& item : list.items()) {
        if (const auto* text = std::get_if<DisplayList::Text>(&item.primitive)) {
            const int pixels = list.theme().font(text->style).pixelSize();
            smallest = smallest == 0 ? pixels : std::min(smallest, pixels);
        }
    }
    return smallest;
}

// A visible widget with text of less than this many pixels, as text; empty: there is none.
inline QString smallerThan(int pixels, const QWidget& window)
{
    for (const QWidget* widget : window.findChildren<QWidget*>()) {
        if (!widget->isVisible() || widget->visibleRegion().isEmpty())
            continue;
        const auto* label = qobject_cast<const QLabel*>(widget);
        const auto* button = qobject_cast<const QAbstractButton*>(widget);
        const bool hasText = (label && !label->text().isEmpty()) || (button && !button->text().isEmpty())
            || qobject_cast<const QComboBox*>(widget) || qobject_cast<const QAbstractSpinBox*>(widget)
            || qobject_cast<const QLineEdit*>(widget) || qobject_cast<const QListView*>(widget)
            || qobject_cast<const QTabBar*>(widget);
        if (hasText && widget->fontInfo().pixelSize() < pixels)
            return QString("%1 has text of %2 pixels").arg(nameOf(widget)).arg(widget->fontInfo().pixelSize());
    }
    return {};
}

} // namespace lhrs::gui
