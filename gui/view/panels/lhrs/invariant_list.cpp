// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/panels/lhrs/invariant_list.h"

#include "gui/lab/tables/qt_text.h"

#include <QKeyEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <utility>

namespace lhrs::gui {

namespace {

constexpr qreal kMark = 12, kSide = 10, kGap = 8, kPad = 3; // pixels at 100 %
constexpr TextStyle kInvariantName { TextSize::Body, true }, kWords { TextSize::Body }, kDetail { TextSize::Small };

QString checksOf(const InvariantShown& invariant) { return QString::fromUtf8("%1 ×").arg(invariant.checks); }

// "12.043 s", as InvariantMonitor writes it.
std::string invariantSeconds(std::int64_t ns) { return QString::number(double(ns) / 1e9, 'f', 3).toStdString() + " s"; }

// The text of the second line; empty: there is none.
QString reasonOf(const InvariantShown& invariant, bool isOpen)
{
    return isOpen || invariant.state == InvariantState::Violated || invariant.state == InvariantState::Pending
        ? text(invariant.detail)
        : QString();
}

} // namespace

InvariantMark invariantMark(InvariantState state, const Theme& theme)
{
    switch (state) {
    case InvariantState::Holds: return { Glyph::Ack, theme.good };
    case InvariantState::Violated: return { Glyph::Cross, theme.bad };
    case InvariantState::Pending: return { Glyph::Dots, theme.text };
    case InvariantState::NotChecked: return { Glyph::None, theme.muted };
    }
    return {};
}

InvariantShown invariantFrom(const ClusterState& state, int number, std::int64_t beginNs)
{
    InvariantShown shown = state.invariants.shown(number, state);
    const Invariant& invariant = state.invariants.invariant(number);
    const std::int64_t ns = shown.state == InvariantState::Violated ? invariant.first.runNs : invariant.lastNs;
    const std::string told = invariantSeconds(ns);
    if (const std::size_t at = shown.detail.find(told);
        beginNs != 0 && invariant.checks + invariant.violations > 0 && at != std::string::npos)
        shown.detail.replace(at, told.size(), invariantSeconds(std::max<std::int64_t>(0, ns - beginNs)));
    return shown;
}

// ---- the rows

InvariantModel::InvariantModel(QObject* parent) : QAbstractListModel(parent) { show(ClusterState()); }

void InvariantModel::show(const ClusterState& state, std::int64_t beginNs)
{
    std::vector<InvariantShown> invariants;
    for (int number = 1; number <= kInvariants; ++number)
        invariants.push_back(invariantFrom(state, number, beginNs));
    if (m_invariants.empty()) {
        beginResetModel();
        m_invariants = std::move(invariants);
        endResetModel();
        return;
    }
    for (int row = 0; row < int(invariants.size()); ++row) {
        InvariantShown& old = m_invariants[std::size_t(row)];
        InvariantShown& now = invariants[std::size_t(row)];
        if (old.state == now.state && old.checks == now.checks && old.detail == now.detail)
            continue;
        const bool isOtherHeight = reasonOf(old, isOpen(row)) != reasonOf(now, isOpen(row));
        old = std::move(now);
        emit dataChanged(index(row), index(row), isOtherHeight ? QList<int>() : QList<int> { Qt::DisplayRole });
    }
}

void InvariantModel::open(int row)
{
    const int before = std::exchange(m_open, row == m_open ? -1 : row);
    for (const int changed : { before, m_open })
        if (changed >= 0 && changed < int(m_invariants.size()))
            emit dataChanged(index(changed), index(changed));
}

int InvariantModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_invariants.size());
}

QString InvariantModel::sentenceOf(const InvariantShown& invariant)
{
    return QStringLiteral("%1, %2: %3, %4")
        .arg(text(invariantName(invariant.number)), QLatin1String(invariantWords(invariant.number)),
            QLatin1String(invariantStateWord(invariant.state)), text(invariant.detail));
}

QVariant InvariantModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= int(m_invariants.size()))
        return {};
    const InvariantShown& invariant = m_invariants[std::size_t(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return QStringLiteral("%1 %2").arg(
            text(invariantName(invariant.number)), QLatin1String(invariantWords(invariant.number)));
    case Qt::ToolTipRole:
    case Qt::AccessibleTextRole: return sentenceOf(invariant);
    default: return {};
    }
}

// ---- how they look

InvariantDelegate::Places InvariantDelegate::placesOf(
    const QRectF& row, const InvariantShown& invariant, bool isOpen) const
{
    Places places;
    const qreal top = row.top() + m_theme.px(kPad), line = m_theme.lineHeight(kWords),
                left = row.left() + m_theme.px(kSide), right = row.right() - m_theme.px(kSide);
    places.mark = QRectF(left, top + (line - m_theme.px(kMark)) / 2, m_theme.px(kMark), m_theme.px(kMark));
    places.name = QRectF(places.mark.right() + m_theme.px(kGap), top,
        m_theme.width(kInvariantName, QStringLiteral("I22")) + m_theme.px(kGap), line);
    const qreal checksWide = invariant.checks > 0 ? m_theme.width(kDetail, checksOf(invariant)) + m_theme.px(2) : 0;
    places.checks = QRectF(right - checksWide, top, checksWide, line);
    const auto wrapped = [this](TextStyle style, QPointF at, qreal wide, const QString& words) {
        const QRectF room(at, QSizeF(std::max<qreal>(40, wide), 10'000));
        return words.isEmpty()
            ? QRectF(at, QSizeF())
            : QRectF(at,
                QSizeF(room.width(),
                    std::ceil(m_theme.metrics(style).boundingRect(room, Qt::TextWordWrap, words).height())));
    };
    places.words = wrapped(kWords, { places.name.right(), top },
        places.checks.left() - m_theme.px(kGap) - places.name.right(), QLatin1String(invariantWords(invariant.number)));
    const qreal below = std::max(places.words.bottom(), top + line);
    places.detail = wrapped(
        kDetail, { places.name.left(), below }, right - places.name.left(), reasonOf(invariant, isOpen));
    places.height = std::max(places.detail.bottom(), below) + m_theme.px(kPad) - row.top();
    return places;
}

QSize InvariantDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const auto* model = qobject_cast<const InvariantModel*>(index.model());
    const auto* list = qobject_cast<const QAbstractScrollArea*>(option.widget);
    const qreal wide = list != nullptr ? list->viewport()->width() : option.rect.width();
    const qreal high = model != nullptr
        ? placesOf(QRectF(0, 0, wide, 0), model->invariant(index.row()), model->isOpen(index.row())).height
        : 0;
    return { int(wide), int(std::ceil(high)) };
}

void InvariantDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const auto* model = qobject_cast<const InvariantModel*>(index.model());
    if (model == nullptr)
        return;
    const InvariantShown& invariant = model->invariant(index.row());
    const bool isOpen = model->isOpen(index.row());
    const QRectF row(option.rect);
    const Places places = placesOf(row, invariant, isOpen);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->fillRect(row, m_theme.card);
    if ((option.state & QStyle::State_HasFocus) != 0) {
        painter->setPen(QPen(m_theme.focus, 2));
        painter->drawRect(row.adjusted(1, 1, -1, -1));
    }
    const InvariantMark mark = invariantMark(invariant.state, m_theme);
    const QRectF& square = places.mark;
    const QPen pen(mark.colour, m_theme.px(2) * m_theme.stroke(), Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);
    if (mark.glyph == Glyph::None) {
        painter->setPen(pen);
        painter->drawLine(QPointF(square.left() + square.width() * 0.15, square.center().y()),
            QPointF(square.right() - square.width() * 0.15, square.center().y()));
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
    const auto write = [&](const QRectF& where, const QString& words, TextStyle style, const QColor& colour,
                           int flags) {
        painter->setFont(m_theme.font(style));
        painter->setPen(colour);
        painter->drawText(where, flags, words);
    };
    const QColor colour = invariant.state == InvariantState::NotChecked ? m_theme.muted : m_theme.text;
    write(places.name, text(invariantName(invariant.number)), kInvariantName, colour, Qt::AlignLeft | Qt::AlignVCenter);
    write(places.words, QLatin1String(invariantWords(invariant.number)), kWords, colour, Qt::TextWordWrap);
    if (invariant.checks > 0)
        write(places.checks, checksOf(invariant), kDetail, m_theme.muted, Qt::AlignRight | Qt::AlignVCenter);
    if (const QString reason = reasonOf(invariant, isOpen); !reason.isEmpty())
        write(places.detail, reason, kDetail,
            invariant.state == InvariantState::Violated ? m_theme.badText : m_theme.muted, Qt::TextWordWrap);
    painter->restore();
}

InvariantList::InvariantList(QWidget* parent)
    : QListView(parent), m_model(new InvariantModel(this)), m_delegate(new InvariantDelegate(this))
{
    setObjectName(QStringLiteral("invariantList"));
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
        emit invariantChosen(m_model->invariant(index.row()).number);
    };
    connect(this, &QListView::clicked, this, choose);
}

void InvariantList::setTheme(const Theme& theme)
{
    m_delegate->setTheme(theme);
    scheduleDelayedItemsLayout();
    viewport()->update();
}

// activated() is not used, because on some desktops a click emits it too.
void InvariantList::keyPressEvent(QKeyEvent* event)
{
    if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && currentIndex().isValid())
        emit clicked(currentIndex());
    else
        QListView::keyPressEvent(event);
}

void InvariantList::resizeEvent(QResizeEvent* event)
{
    QListView::resizeEvent(event);
    scheduleDelayedItemsLayout(); // lines wrap at other places
}

} // namespace lhrs::gui
