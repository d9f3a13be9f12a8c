// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/widgets/focus_ring.h"

#include "gui/view/canvas/cluster_canvas.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QDockWidget>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QTimer>
#include <QToolButton>

namespace lhrs::gui {

namespace {

constexpr int kWide = 2;

bool showsItself(const QWidget* widget)
{
    const auto* scroll = qobject_cast<const QScrollArea*>(widget);
    return widget->isWindow() || (scroll && scroll->frameShape() != QFrame::NoFrame)
        || qobject_cast<const QPushButton*>(widget) || qobject_cast<const QToolButton*>(widget)
        || qobject_cast<const QAbstractItemView*>(widget) || qobject_cast<const ClusterCanvas*>(widget);
}

// A control that hides itself in a panel that stays leaves the focus to the next one there.
bool isInClosedPanel(const QWidget* widget)
{
    for (; widget; widget = widget->parentWidget())
        if (qobject_cast<const QDockWidget*>(widget))
            return widget->isHidden();
    return false;
}

} // namespace

class FocusRing::Frame : public QFocusFrame {
public:
    Frame(QWidget* around, QColor colour) : QFocusFrame(around), m_colour(colour) { setWidget(around); }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        for (const QRect& side : { QRect(0, 0, width(), kWide), QRect(0, height() - kWide, width(), kWide),
                 QRect(0, 0, kWide, height()), QRect(width() - kWide, 0, kWide, height()) })
            painter.fillRect(side, m_colour);
    }

private:
    QColor m_colour;
};

FocusRing::FocusRing(QWidget* home, QObject* parent) : QObject(parent), m_home(home)
{
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget* before, QWidget* now) {
        follow(now);
        // By then `before` is hidden if it is about to be, and its successor is chosen if there is one.
        if (before && m_home && before != m_home && before->window() == m_home->window())
            QTimer::singleShot(0, this, [this, before = QPointer(before), now = QPointer(now)] {
                if (before && isInClosedPanel(before) && QApplication::focusWidget() == now)
                    goHome();
            });
    });
}

FocusRing::~FocusRing() { delete m_frame; }

void FocusRing::setTheme(const Theme& theme)
{
    m_colour = theme.focus;
    follow(QApplication::focusWidget());
}

void FocusRing::follow(QWidget* focus)
{
    delete m_frame;
    // A view that gets the focus behind another tab comes to the front; otherwise a person would type into a hidden
    // view.
    for (QWidget* around = focus; around; around = around->parentWidget()) {
        if (auto* dock = qobject_cast<QDockWidget*>(around); dock && dock->visibleRegion().isEmpty())
            dock->raise();
    }
    if (focus && !showsItself(focus))
        m_frame = new Frame(focus, m_colour);
}

// Qt gives the focus of a hidden widget to the next one in its order, mostly a tab, or to none.
void FocusRing::goHome()
{
    if (m_home && m_home->isVisible() && m_home->isActiveWindow())
        m_home->setFocus(Qt::OtherFocusReason);
}

} // namespace lhrs::gui
