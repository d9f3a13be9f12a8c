// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/panels/lamp_list.h"

#include "gui/lab/tables/qt_text.h"

#include <QKeyEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <utility>

namespace lhrs::gui {

namespace {

constexpr qreal kMark = 12, kSide = 10, kGap = 8, kPad = 3; // pixels at 100 %
constexpr TextStyle kLampName { TextSize::Body, true }, kWords { TextSize::Body }, kDetail { TextSize::Small };

QString checksOf(const LampShown& lamp) { return QString::fromUtf8("%1 ×").arg(lamp.checks); }

// "12.043 s", as the lamps display it.
std::string lampSeconds(std::int64_t ns) { return QString::number(double(ns) / 1e9, 'f', 3).toStdString() + " s"; }

// The text of the second line; empty: there is none.
QString reasonOf(const LampShown& lamp, bool isOpen)
{
    return isOpen || lamp.state == LampState::Violated || lamp.state == LampState::Pending ? text(lamp.detail) : QString();
}

} // namespace

LampMark lampMark(LampState state, const Theme& theme)
{
    switch (state) {
    case LampState::Holds: return { Glyph::Ack, theme.good };
    case LampState::Violated: return { Glyph::Cross, theme.bad };
    case LampState::Pending: return { Glyph::Dots, theme.text };
    case LampState::NotChecked: return { Glyph::None, theme.muted };
    }
    return {};
}

LampShown lampFrom(const ClusterState& state, int invariant, std::int64_t beginNs)
{
    LampShown shown = state.lamps.shown(invariant, state);
    const Lamp& lamp = state.lamps.lamp(invariant);
    const std::int64_t ns = shown.state == LampState::Violated ? lamp.first.runNs : lamp.lastNs;
    const std::string told = lampSeconds(ns);
    if (const std::size_t at = shown.detail.find(told); beginNs != 0 && lamp.checks + lamp.violations > 0 && at != std::string::npos)
        shown.detail.replace(at, told.size(), lampSeconds(std::max<std::int64_t>(0, ns - beginNs)));
    return shown;
}

// ---- the rows

LampModel::LampModel(QObject* parent) : QAbstractListModel(parent)
{
    show(ClusterState());
}

void LampModel::show(const ClusterState& state, std::int64_t beginNs)
{
    std::vector<LampShown> lamps;
    for (int invariant = 1; invariant <= kLamps; ++invariant)
        lamps.push_back(lampFrom(state, invariant, beginNs));
    if (m_lamps.empty()) {
        beginResetModel();
        m_lamps = std::move(lamps);
        endResetModel();
        return;
    }
    for (int row = 0; row < int(lamps.size()); ++row) {
        LampShown& old = m_lamps[std::size_t(row)];
        LampShown& now = lamps[std::size_t(row)];
        if (old.state == now.state && old.checks == now.checks && old.detail == now.detail)
            continue;
        const bool isOtherHeight = reasonOf(old, isOpen(row)) != reasonOf(now, isOpen(row));
        old = std::move(now);
        emit dataChanged(index(row), index(row), isOtherHeight ? QList<int>() : QList<int> { Qt::DisplayRole });
    }
}

void LampModel::open(int row)
{
    const int before = std::exchange(m_open, row == m_open ? -1 : row);
    for (const int changed : { before, m_open })
        if (changed >= 0 && changed < int(m_lamps.size()))
            emit dataChanged(index(changed), index(changed));
}

int LampModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_lamps.size());
}

QString LampModel::sentenceOf(const LampShown& lamp)
{
    return QStringLiteral("%1, %2: %3, %4").arg(text(lampName(lamp.invariant)), QLatin1String(lampWords(lamp.invariant)), QLatin1String(lampStateWord(lamp.state)), text(lamp.detail));
}

QVariant LampModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= int(m_lamps.size()))
        return {};
    const LampShown& lamp = m_lamps[std::size_t(index.row())];
    switch (role) {
    case Qt::DisplayRole: return QStringLiteral("%1 %2").arg(text(lampName(lamp.invariant)), QLatin1String(lampWords(lamp.invariant)));
    case Qt::ToolTipRole:
    case Qt::AccessibleTextRole: return sentenceOf(lamp);
    default: return {};
    }
}

// ---- how they look

LampDelegate::Places LampDelegate::placesOf(const QRectF& row, const LampShown& lamp, bool isOpen) const
{
    Places places;
    const qreal top = row.top() + m_theme.px(kPad), line = m_theme.lineHeight(kWords), left = row.left() + m_theme.px(kSide), right = row.right() - m_theme.px(kSide);
    places.mark = QRectF(left, top + (line - m_theme.px(kMark)) / 2, m_theme.px(kMark), m_theme.px(kMark));
    places.name = QRectF(places.mark.right() + m_theme.px(kGap), top, m_theme.width(kLampName, QStringLiteral("I22")) + m_theme.px(kGap), line);
    const qreal checksWide = lamp.checks > 0 ? m_theme.width(kDetail, checksOf(lamp)) + m_theme.px(2) : 0;
    places.checks = QRectF(right - checksWide, top, checksWide, line);
    const auto wrapped = [this](TextStyle style, QPointF at, qreal wide, const QString& words) {
        const QRectF room(at, QSizeF(std::max<qreal>(40, wide), 10'000));
        return words.isEmpty() ? QRectF(at, QSizeF()) : QRectF(at, QSizeF(room.width(), std::ceil(m_theme.metrics(style).boundingRect(room, Qt::TextWordWrap, words).height())));
    };
    places.words = wrapped(kWords, { places.name.right(), top }, places.checks.left() - m_theme.px(kGap) - places.name.right(), QLatin1String(lampWords(lamp.invariant)));
    const qreal below = std::max(places.words.bottom(), top + line);
    places.detail = wrapped(kDetail, { places.name.left(), below }, right - places.name.left(), reasonOf(lamp, isOpen));
    places.height = std::max(places.detail.bottom(), below) + m_theme.px(kPad) - row.top();
    return places;
}

QSize LampDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const auto* model = qobject_cast<const LampModel*>(index.model());
    const auto* list = qobject_cast<const QAbstractScrollArea*>(option.widget);
    const qreal wide = list != nullptr ? list->viewport()->width() : option.rect.width();
    const qreal high = model != nullptr ? placesOf(QRectF(0, 0, wide, 0), model->lamp(index.row()), model->isOpen(index.row())).height : 0;
    return { int(wide), int(std::ceil(high)) };
}

void LampDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const auto* model = qobject_cast<const LampModel*>(index.model());
    if (model == nullptr)
        return;
    const LampShown& lamp = model->lamp(index.row());
    const bool isOpen = model->isOpen(index.row());
    const QRectF row(option.rect);
    const Places places = placesOf(row, lamp, isOpen);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->fillRect(row, m_theme.card);
    if ((option.state & QStyle::State_HasFocus) != 0) {
        painter->setPen(QPen(m_theme.focus, 2));
        painter->drawRect(row.adjusted(1, 1, -1, -1));
    }
    const LampMark mark = lampMark(lamp.state, m_theme);
    const QRectF& square = places.mark;
    const QPen pen(mark.colour, m_theme.px(2) * m_theme.stroke(), Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);
    if (mark.glyph == Glyph::None) {
        painter->setPen(pen);
        painter->drawLine(QPointF(square.left() + square.width() * 0.15, square.center().y()), QPointF(square.right() - square.width() * 0.15, square.center().y()));
    } else {
        const GlyphPath& glyph = glyphPath(mark.glyph);
        QTransform place;
        place.translate(square.left(), square.top());
        place.scale(square.width(), square.height());
        const QPainterPath path = place.map(glyph.path);
        if (glyph.isStroked)
            painter->strokePath(path, pen);
        else
            painter->fillPath(path, mark.colour);
    }
    const auto write = [&](const QRectF& where, const QString& words, TextStyle style, const QColor& colour, int flags) {
        painter->setFont(m_theme.font(style));
        painter->setPen(colour);
        painter->drawText(where, flags, words);
    };
    const QColor colour = lamp.state == LampState::NotChecked ? m_theme.muted : m_theme.text;
    write(places.name, text(lampName(lamp.invariant)), kLampName, colour, Qt::AlignLeft | Qt::AlignVCenter);
    write(places.words, QLatin1String(lampWords(lamp.invariant)), kWords, colour, Qt::TextWordWrap);
    if (lamp.checks > 0)
        write(places.checks, checksOf(lamp), kDetail, m_theme.muted, Qt::AlignRight | Qt::AlignVCenter);
    if (const QString reason = reasonOf(lamp, isOpen); !reason.isEmpty())
        write(places.detail, reason, kDetail, lamp.state == LampState::Violated ? m_theme.badText : m_theme.muted, Qt::TextWordWrap);
    painter->restore();
}

LampList::LampList(QWidget* parent) : QListView(parent), m_model(new LampModel(this)), m_delegate(new LampDelegate(this))
{
    setObjectName(QStringLiteral("lampList"));
    setAccessibleName(tr("Invariants"));
    setModel(m_model);
    setItemDelegate(m_delegate);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    const auto choose = [this](const QModelIndex& index) {
        m_model->open(index.row());
        scheduleDelayedItemsLayout();
        emit lampChosen(m_model->lamp(index.row()).invariant);
    };
    connect(this, &QListView::clicked, this, choose);

}

void LampList::setTheme(const Theme& theme)
{
    m_delegate->setTheme(theme);
    scheduleDelayedItemsLayout();
    viewport()->update();
}

// activated() is not used, because on some desktops a click emits it too.
void LampList::keyPressEvent(QKeyEvent* event)
{
    if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && currentIndex().isValid())
        emit clicked(currentIndex());
    else
        QListView::keyPressEvent(event);
}

void LampList::resizeEvent(QResizeEvent* event)
{
    QListView::resizeEvent(event);
    scheduleDelayedItemsLayout(); // lines wrap at other places
}

} // namespace lhrs::gui
