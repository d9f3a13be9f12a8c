// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/widgets/bar_shelf.h"

#include <QEvent>
#include <QVBoxLayout>

#include <algorithm>

namespace lhrs::gui {

namespace {

constexpr int kAnyWidth = 100'000; // pixels; wide enough for all buttons of a bar side by side

} // namespace

BarShelf::BarShelf(QWidget* parent) : QScrollArea(parent)
{
    setObjectName(QStringLiteral("barShelf"));
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setWidgetResizable(true);
    setFocusPolicy(Qt::NoFocus);
    auto* inside = new QWidget;
    auto* column = new QVBoxLayout(inside);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    setWidget(inside);
    inside->installEventFilter(this);
    fit();
}

void BarShelf::add(QWidget* bar) { widget()->layout()->addWidget(bar); }

void BarShelf::setLow(bool on)
{
    m_isLow = on;
    fit();
}

bool BarShelf::eventFilter(QObject* watched, QEvent* event)
{
    const bool isDone = QScrollArea::eventFilter(watched, event);
    if (watched == widget() && event->type() == QEvent::LayoutRequest)
        fit();
    return isDone;
}

void BarShelf::resizeEvent(QResizeEvent* event)
{
    QScrollArea::resizeEvent(event);
    fit();
}

void BarShelf::fit()
{
    int all = 0, row = 0;
    const QLayout* column = widget()->layout();
    for (int i = 0; i < column->count(); ++i) {
        const QWidget* bar = column->itemAt(i)->widget();
        if (bar->isHidden())
            continue;
        all += bar->layout()->heightForWidth(viewport()->width());
        row = std::max(row, bar->layout()->heightForWidth(kAnyWidth));
    }
    const int wanted = m_isLow ? std::min(all, row) : all;
    setVerticalScrollBarPolicy(wanted < all ? Qt::ScrollBarAlwaysOn : Qt::ScrollBarAlwaysOff);
    if (height() != wanted || minimumHeight() != wanted)
        setFixedHeight(wanted);
}

} // namespace lhrs::gui
