// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/charts/chart_view.h"

#include "gui/view/paint/axis_step.h"

#include <QGraphicsLayout>
#include <QMouseEvent>
#include <QPainter>
#include <QtCharts/QBarCategoryAxis>
#include <QtCharts/QBarSet>
#include <QtCharts/QChart>
#include <QtCharts/QHorizontalStackedBarSeries>
#include <QtCharts/QLineSeries>
#include <QtCharts/QLogValueAxis>
#include <QtCharts/QValueAxis>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace lhrs::gui {

namespace {

constexpr TextStyle kAxis { TextSize::Strong, false, false };
constexpr TextStyle kTheoryName { TextSize::Strong, true, false };
constexpr std::size_t kPiecesMax = 60; // of a line; with more pieces the gaps are too narrow to be seen
constexpr TextStyle kNothing { TextSize::Title, true, false };

QString labelFormat(double step)
{
    return QStringLiteral("%.%1f").arg(std::clamp(int(std::ceil(-std::log10(step) - 1e-9)), 0, 6));
}

} // namespace

ChartView::ChartView(QWidget* parent) : QChartView(new QChart, parent)
{
    setObjectName(QStringLiteral("chartView"));
    setRenderHint(QPainter::Antialiasing);
    setMouseTracking(true);
    setFrameShape(QFrame::NoFrame);
    setViewportUpdateMode(QGraphicsView::FullViewportUpdate);
    setFocusPolicy(Qt::StrongFocus);
    chart()->legend()->hide();
    chart()->setBackgroundVisible(false);
    chart()->setAnimationOptions(QChart::NoAnimation);
    chart()->layout()->setContentsMargins(0, 0, 0, 0);
}

ChartView::~ChartView() = default;

QColor ChartView::colourOf(int number, const Theme& theme)
{
    // Orange, sky blue and yellow are too pale for a line on white; black cannot be seen on black.
    const std::array light { okabe::kBlue, okabe::kVermillion, okabe::kGreen, QRgb(0xff8f3f73) };
    const std::array dark { okabe::kSkyBlue, okabe::kOrange, QRgb(0xff2fd3a4), okabe::kPurple };
    return QColor::fromRgb((theme.isDark() ? dark : light)[std::size_t(number) % light.size()]);
}

Qt::PenStyle ChartView::dashOf(int number)
{
    static constexpr std::array kStyles { Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine };
    return kStyles[std::size_t(number) % kStyles.size()];
}

void ChartView::setChart(const ChartData& told)
{
    m_data = told;
    QString shape = QStringLiteral("%1|%2|%3").arg(int(told.kind)).arg(m_isLog).arg(told.nothing.isEmpty()) + told.unit;
    for (const ChartSeries& series : told.series)
        shape += '|' + series.id;
    for (const Piece& piece : piecesOf(told))
        shape += QStringLiteral(" %1").arg(piece.series);
    for (const ChartBar& bar : told.bars)
        shape += '|' + bar.name + bar.total;
    if (shape != m_shape) {
        m_shape = shape;
        rebuild();
        return;
    }
    auto pieces = piecesOf(told);
    for (std::size_t i = 0; i < m_pieces.size(); ++i) {
        pieces[i].line = m_pieces[i].line;
        m_pieces[i] = pieces[i];
        fill(m_pieces[i]);
    }
    setRanges();
    viewport()->update();
}

void ChartView::setTheme(const Theme& theme)
{
    m_theme = theme;
    rebuild();
}

void ChartView::setLogarithmic(bool on)
{
    if (on == m_isLog)
        return;
    m_isLog = on;
    m_shape.clear();
    setChart(ChartData(m_data));
}

void ChartView::setHiddenSeries(const std::set<QString>& ids)
{
    m_hidden = ids;
    for (const Piece& piece : m_pieces)
        piece.line->setVisible(!m_hidden.contains(m_data.series[piece.series].id));
    setRanges();
    viewport()->update();
}

void ChartView::setInstant(double seconds)
{
    if (std::abs(seconds - m_instant) < (m_data.to - m_data.from) / 4'000)
        return;
    m_instant = seconds;
    viewport()->update();
}

void ChartView::setPointed(std::optional<double> seconds)
{
    if (seconds == m_pointed)
        return;
    m_pointed = seconds;
    viewport()->update();
}

void ChartView::dress(QAbstractAxis& axis, const QString& title) const
{
    axis.setLabelsFont(m_theme.font(kAxis));
    axis.setLabelsColor(m_theme.text);
    axis.setTitleFont(m_theme.font(kAxis));
    axis.setTitleBrush(m_theme.text);
    axis.setTitleText(title);
    axis.setLinePen(QPen(m_theme.outline, 1));
    axis.setGridLinePen(QPen(m_theme.grid, 1));
    axis.setMinorGridLineVisible(false);
}

void ChartView::rebuild()
{
    chart()->removeAllSeries();
    for (QAbstractAxis* axis : chart()->axes()) {
        chart()->removeAxis(axis);
        delete axis;
    }
    m_pieces.clear();
    m_anchor = nullptr;
    m_xAxis = m_yAxis = nullptr;
    const int side = int(m_theme.px(8));
    chart()->setMargins(QMargins(side, int(m_theme.px(10)), int(m_theme.px(18)), side));
    if (m_data.nothing.isEmpty()) {
        if (m_data.bars.empty())
            rebuildLines();
        else
            rebuildBars();
    }
    chart()->layout()->activate(); // positions are requested before the next event
    viewport()->update();
}

double ChartView::shownY(double y) const { return m_isLog ? std::max(y, m_yLow) : y; }

void ChartView::rebuildLines()
{
    if (m_isLog) {
        auto* axis = new QLogValueAxis;
        axis->setBase(10);
        axis->setLabelFormat(QStringLiteral("%g"));
        m_yAxis = axis;
    } else {
        auto* axis = new QValueAxis;
        axis->setTickType(QValueAxis::TicksDynamic);
        m_yAxis = axis;
    }
    auto* time = new QValueAxis;
    time->setTickType(QValueAxis::TicksDynamic);
    m_xAxis = time;
    dress(*m_xAxis, m_data.xTitle);
    dress(*m_yAxis, m_data.unit);
    chart()->addAxis(m_xAxis, Qt::AlignBottom);
    chart()->addAxis(m_yAxis, Qt::AlignLeft);
    setRanges();
    for (Piece piece : piecesOf(m_data)) {
        const ChartSeries& told = m_data.series[piece.series];
        auto* line = piece.line = new QLineSeries;
        line->setName(told.name);
        QPen pen(colourOf(told.colour, m_theme), m_theme.px(3), dashOf(told.dash));
        pen.setCapStyle(Qt::FlatCap);
        pen.setJoinStyle(Qt::RoundJoin);
        line->setPen(pen);
        fill(piece);
        chart()->addSeries(line);
        line->attachAxis(m_xAxis);
        line->attachAxis(m_yAxis);
        line->setVisible(!m_hidden.contains(told.id));
        m_pieces.push_back(piece);
    }
    m_anchor = m_pieces.empty() ? nullptr : m_pieces.front().line;
}

std::vector<ChartView::Piece> ChartView::piecesOf(const ChartData& told) const
{
    std::vector<Piece> pieces;
    for (std::size_t i = 0; i < told.series.size(); ++i) {
        const ChartSeries& series = told.series[i];
        std::size_t first = 0;
        if (series.gaps.size() <= kPiecesMax)
            for (const std::size_t gap : series.gaps) {
                pieces.push_back({ i, first, gap, nullptr });
                first = gap;
            }
        pieces.push_back({ i, first, series.points.size(), nullptr });
    }
    return pieces;
}

void ChartView::fill(const Piece& piece)
{
    QList<QPointF> points;
    const auto& told = m_data.series[piece.series].points;
    for (std::size_t i = piece.first; i < piece.last; ++i)
        points.append({ told[i].x, shownY(told[i].y) });
    // A single point without neighbours is drawn as a point.
    piece.line->setPointsVisible(points.size() < 3);
    piece.line->setMarkerSize(m_theme.px(7));
    piece.line->replace(points);
}

void ChartView::rebuildBars()
{
    auto* bars = new QHorizontalStackedBarSeries;
    bars->setBarWidth(0.62);
    QStringList names;
    for (std::size_t part = 0; part < std::size_t(m_data.parts.size()); ++part) {
        auto* set = new QBarSet(m_data.parts[qsizetype(part)]);
        // In order of time from top to bottom: Qt counts from below.
        for (auto bar = m_data.bars.rbegin(); bar != m_data.bars.rend(); ++bar)
            set->append(bar->parts[part]);
        const QColor colour = colourOf(int(part), m_theme);
        set->setBrush(colour);
        set->setPen(QPen(m_theme.card, 1));
        bars->append(set);
    }
    for (auto bar = m_data.bars.rbegin(); bar != m_data.bars.rend(); ++bar)
        names << bar->name;
    chart()->addSeries(bars);
    auto* places = new QBarCategoryAxis;
    places->append(names);
    auto* time = new QValueAxis;
    time->setTickType(QValueAxis::TicksDynamic);
    m_yAxis = places;
    m_xAxis = time;
    dress(*m_xAxis, QStringLiteral("milliseconds from the first suspicion"));
    dress(*m_yAxis, {});
    places->setGridLineVisible(false);
    chart()->addAxis(m_xAxis, Qt::AlignBottom);
    chart()->addAxis(m_yAxis, Qt::AlignLeft);
    bars->attachAxis(m_xAxis);
    bars->attachAxis(m_yAxis);
    m_anchor = bars;
    setRanges();
}

// The axes end at round numbers; hidden series do not affect them.
void ChartView::setRanges()
{
    auto* time = static_cast<QValueAxis*>(m_xAxis);
    if (time == nullptr)
        return;
    if (!m_data.bars.empty()) {
        const double step = niceStep(m_data.yMax, 6);
        time->setTickInterval(step);
        time->setLabelFormat(labelFormat(step));
        time->setRange(0, m_data.yMax * 1.45); // room for the words at the end of a bar
        return;
    }
    const double step = niceStep(m_data.to - m_data.from, std::max(2.0, width() / m_theme.px(110)));
    time->setTickInterval(step);
    time->setLabelFormat(labelFormat(step));
    time->setRange(m_data.from, m_data.to);
    double high = 0, low = 0;
    for (const ChartSeries& series : m_data.series)
        if (!m_hidden.contains(series.id))
            for (const ChartPoint& point : series.points) {
                high = std::max(high, point.y);
                if (point.y > 0)
                    low = low > 0 ? std::min(low, point.y) : point.y;
            }
    for (const ChartTheory& theory : m_data.theory)
        high = std::max(high, theory.high);
    if (high <= 0)
        high = m_data.yMax;
    if (auto* axis = qobject_cast<QLogValueAxis*>(m_yAxis)) {
        m_yLow = std::pow(10.0, std::floor(std::log10(low > 0 ? low : m_data.yMinPositive)));
        m_yHigh = std::max(10 * m_yLow, std::pow(10.0, std::ceil(std::log10(high))));
        axis->setRange(m_yLow, m_yHigh);
    } else if (auto* plain = qobject_cast<QValueAxis*>(m_yAxis)) {
        const double steps = niceStep(high, std::max(2.0, height() / m_theme.px(60)));
        const double ticks = m_data.kind == ChartKind::Growth ? std::max(1.0, steps) : steps; // no half servers
        m_yLow = 0;
        m_yHigh = std::ceil(high * 1.06 / ticks) * ticks;
        plain->setTickInterval(ticks);
        plain->setLabelFormat(labelFormat(ticks));
        plain->setRange(m_yLow, m_yHigh);
    }
}

QRectF ChartView::plotRect() const
{
    return mapFromScene(chart()->mapToScene(chart()->plotArea()).boundingRect()).boundingRect();
}

QPointF ChartView::positionOf(double x, double y) const
{
    if (m_anchor == nullptr)
        return {};
    return chart()->mapToScene(chart()->mapToPosition(QPointF(x, y), m_anchor));
}

double ChartView::secondsAt(qreal x) const
{
    const QRectF plot = plotRect();
    return m_data.from
        + (m_data.to - m_data.from) * std::clamp((x - plot.left()) / std::max(1.0, plot.width()), 0.0, 1.0);
}

void ChartView::drawBackground(QPainter* painter, const QRectF& rect)
{
    painter->fillRect(rect, m_theme.card);
    if (m_anchor == nullptr || !m_data.bars.empty())
        return;
    const QRectF plot = chart()->plotArea();
    const auto shadeOf = [&](const ChartShade& shade) {
        const qreal from = std::clamp(positionOf(shade.from, m_yHigh).x(), plot.left(), plot.right());
        const qreal to = std::clamp(positionOf(shade.to, m_yHigh).x(), plot.left(), plot.right());
        return QRectF(from, plot.top(), std::max<qreal>(2, to - from), plot.height());
    };
    for (const ChartShade& shade : m_data.shades) {
        if (shade.kind == SeriesShade::Kind::Gate) { // time did not advance for any process
            QColor hatch = m_theme.muted;
            hatch.setAlphaF(0.45F);
            painter->setPen(Qt::NoPen);
            painter->setBrush(QBrush(hatch, Qt::BDiagPattern));
            painter->drawRect(shadeOf(shade));
            continue;
        }
        QColor fill = shade.kind == SeriesShade::Kind::Fault ? m_theme.caution : m_theme.bad;
        // What is too short for a shade, such as a kill, is a line.
        const bool isLine = shadeOf(shade).width() <= 2;
        fill.setAlphaF(isLine ? 0.9F : m_theme.isDark() ? 0.26F : 0.18F);
        painter->fillRect(shadeOf(shade), fill);
        fill.setAlphaF(0.55F);
        painter->setPen(Qt::NoPen);
        painter->setBrush(QBrush(fill, shade.kind == SeriesShade::Kind::Fault ? Qt::BDiagPattern : Qt::FDiagPattern));
        painter->drawRect(QRectF(shadeOf(shade).left(), plot.top(), shadeOf(shade).width(), m_theme.px(6)));
    }
    for (const ChartTheory& theory : m_data.theory) {
        if (theory.high < m_yLow || theory.low > m_yHigh)
            continue;
        const qreal top = std::max(plot.top(), positionOf(m_data.from, shownY(theory.high)).y());
        const qreal bottom = std::min(plot.bottom(), positionOf(m_data.from, shownY(theory.low)).y());
        QColor colour = m_theme.text;
        if (theory.isBand()) {
            colour.setAlphaF(0.13F);
            painter->fillRect(QRectF(plot.left(), top, plot.width(), bottom - top), colour);
        }
        colour.setAlphaF(0.75F);
        QPen pen(colour, m_theme.px(1.3));
        pen.setDashPattern({ 6, 4 });
        painter->setPen(pen);
        painter->drawLine(QPointF(plot.left(), bottom), QPointF(plot.right(), bottom));
        if (theory.isBand())
            painter->drawLine(QPointF(plot.left(), top), QPointF(plot.right(), top));
    }
}

// The labels inside the plot. Names of theory are above their line at the right, those of faults at the top.
std::vector<ChartView::Label> ChartView::labels() const
{
    std::vector<Label> out;
    if (m_anchor == nullptr)
        return out;
    const QRectF plot = chart()->plotArea();
    const qreal high = m_theme.lineHeight(kTheoryName);
    if (!m_data.bars.empty()) {
        for (std::size_t i = 0; i < m_data.bars.size(); ++i) {
            const ChartBar& bar = m_data.bars[i];
            double sum = 0;
            const double row = double(m_data.bars.size() - 1 - i);
            for (const double part : bar.parts) {
                const qreal left = positionOf(sum, row).x(), right = positionOf(sum + part, row).x(),
                            y = positionOf(sum, row).y();
                const QString words = QString::number(part, 'f', part < 9.95 ? 1 : 0);
                if (right - left > m_theme.width(kAxis, words) + m_theme.px(6))
                    out.push_back({ QRectF((left + right) / 2 - m_theme.width(kAxis, words) / 2, y - high / 2,
                                        m_theme.width(kAxis, words), high),
                        words, QColor(), kAxis });
                sum += part;
            }
            const QPointF end = positionOf(sum, row);
            out.push_back({ QRectF(end.x() + m_theme.px(8), end.y() - high / 2, plot.right() - end.x(), high),
                bar.total, m_theme.text, kAxis });
        }
        return out;
    }
    std::vector<QRectF> taken;
    // From bottom to top, so that names of close lines keep their order and are never below the axis.
    std::vector<ChartTheory> ascending = m_data.theory;
    std::stable_sort(
        ascending.begin(), ascending.end(), [](const ChartTheory& x, const ChartTheory& y) { return x.low < y.low; });
    for (const ChartTheory& theory : ascending) {
        const qreal wide = m_theme.width(kTheoryName, theory.name) + m_theme.px(8);
        const qreal line = positionOf(m_data.from, shownY(theory.isBand() ? theory.high : theory.low)).y();
        if (line < plot.top() - 1 || line > plot.bottom() + 1)
            continue;
        QRectF box(plot.right() - wide, line - high - 1, wide, high);
        if (theory.isBand())
            box.moveTop(line + (positionOf(m_data.from, shownY(theory.low)).y() - line - high) / 2);
        while (std::any_of(taken.begin(), taken.end(), [&](const QRectF& other) { return other.intersects(box); }))
            box.translate(0, -1);
        if (box.top() < 0)
            continue; // the text below the chart names it
        taken.push_back(box);
        out.push_back({ box, theory.name, m_theme.text, kTheoryName });
    }
    qreal free = plot.left();
    for (const ChartShade& shade : m_data.shades) {
        const qreal from = std::max(free, positionOf(shade.from, m_yHigh).x() + m_theme.px(3));
        const QString words = m_theme.metrics(kAxis).elidedText(shade.words, Qt::ElideRight, plot.right() - from);
        const qreal wide = m_theme.width(kAxis, words);
        const QRectF box(from, plot.top() + m_theme.px(7), wide, high);
        // Where shades are crowded, only the first ones are named; the table of faults lists all.
        if (words.size() < 4 || from - positionOf(shade.from, m_yHigh).x() > m_theme.px(40))
            continue;
        if (std::any_of(taken.begin(), taken.end(), [&](const QRectF& other) { return other.intersects(box); }))
            continue;
        out.push_back({ box, words, m_theme.text, kAxis });
        free = from + wide + m_theme.px(10);
    }
    return out;
}

void ChartView::drawForeground(QPainter* painter, const QRectF&)
{
    painter->setRenderHint(QPainter::Antialiasing);
    if (!m_data.nothing.isEmpty()) {
        const QRectF room = QRectF(viewport()->rect())
                                .adjusted(m_theme.px(30), m_theme.px(20), -m_theme.px(30), -m_theme.px(20));
        painter->setFont(m_theme.font(kNothing));
        painter->setPen(m_theme.text);
        painter->drawText(room, Qt::AlignCenter | Qt::TextWordWrap, m_data.nothing);
        return;
    }
    for (const Label& label : labels()) {
        painter->setFont(m_theme.font(label.style));
        if (label.colour.isValid()) {
            QColor halo = m_theme.card;
            halo.setAlphaF(0.8F);
            painter->fillRect(label.box, halo);
        }
        painter->setPen(label.colour.isValid() ? label.colour : m_theme.isDark() ? Qt::black : Qt::white);
        painter->drawText(label.box, Qt::AlignVCenter | Qt::AlignLeft, label.text);
    }
    if (m_anchor == nullptr || !m_data.bars.empty())
        return;
    const QRectF plot = chart()->plotArea();
    const qreal u = m_theme.px(1);
    if (m_pointed && *m_pointed >= m_data.from && *m_pointed <= m_data.to) {
        const qreal at = positionOf(*m_pointed, m_yLow).x();
        painter->setPen(QPen(m_theme.text, 1.4 * u, Qt::DashLine));
        painter->drawLine(QPointF(at, plot.top()), QPointF(at, plot.bottom()));
    }
    if (m_instant < m_data.from || m_instant > m_data.to)
        return;
    const qreal x = positionOf(m_instant, m_yLow).x();
    painter->setPen(QPen(m_theme.focus, 2.4 * u));
    painter->drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom() + 4 * u));
    const QPointF head[3] { { x - 5 * u, plot.top() - 7 * u }, { x + 5 * u, plot.top() - 7 * u }, { x, plot.top() } };
    painter->setPen(Qt::NoPen);
    painter->setBrush(m_theme.focus);
    painter->drawPolygon(head, 3);
}

QStringList ChartView::texts() const
{
    QStringList out;
    if (!m_data.nothing.isEmpty())
        return { m_data.nothing };
    for (const Label& label : labels())
        out << label.text;
    return out;
}

std::vector<QRectF> ChartView::textBoxes() const
{
    std::vector<QRectF> out;
    for (const Label& label : labels())
        out.push_back(label.box);
    return out;
}

void ChartView::paintTo(QPainter& painter, const QSizeF& size, const QString& head, const QString& foot)
{
    const qreal high = m_theme.lineHeight(kTheoryName) + m_theme.px(8), margin = m_theme.px(12);
    painter.fillRect(QRectF(QPointF(), size), m_theme.card);
    painter.setPen(m_theme.text);
    painter.setFont(m_theme.font({ TextSize::Strong, true, false }));
    painter.drawText(QRectF(margin, 0, size.width() - 2 * margin, high), Qt::AlignLeft | Qt::AlignVCenter, head);
    painter.setFont(m_theme.font({ TextSize::Small, false, false }));
    painter.drawText(
        QRectF(margin, size.height() - high, size.width() - 2 * margin, high), Qt::AlignLeft | Qt::AlignVCenter, foot);
    qreal left = margin;
    painter.setFont(m_theme.font(kAxis));
    for (const ChartSeries& series : m_data.series) {
        if (m_hidden.contains(series.id))
            continue;
        painter.setPen(QPen(colourOf(series.colour, m_theme), m_theme.px(2.4), dashOf(series.dash)));
        painter.drawLine(QPointF(left, 1.5 * high), QPointF(left + m_theme.px(34), 1.5 * high));
        painter.setPen(m_theme.text);
        const qreal wide = m_theme.width(kAxis, series.name);
        painter.drawText(
            QRectF(left + m_theme.px(40), high, wide + 4, high), Qt::AlignLeft | Qt::AlignVCenter, series.name);
        left += wide + m_theme.px(64);
    }
    for (qsizetype part = 0; part < m_data.parts.size(); ++part) {
        painter.fillRect(QRectF(left, 1.25 * high, m_theme.px(22), 0.5 * high), colourOf(int(part), m_theme));
        const qreal wide = m_theme.width(kAxis, m_data.parts[part]);
        painter.drawText(
            QRectF(left + m_theme.px(28), high, wide + 4, high), Qt::AlignLeft | Qt::AlignVCenter, m_data.parts[part]);
        left += wide + m_theme.px(52);
    }
    painter.save();
    render(
        &painter, QRectF(0, 2 * high, size.width(), size.height() - 3 * high), viewport()->rect(), Qt::KeepAspectRatio);
    painter.restore();
}

void ChartView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && m_anchor != nullptr && m_data.bars.empty()
        && plotRect().contains(event->position()))
        emit instantChosen(secondsAt(event->position().x()));
    event->accept();
}

void ChartView::mouseMoveEvent(QMouseEvent* event)
{
    const bool hasTime = m_anchor != nullptr && m_data.bars.empty();
    if (event->buttons().testFlag(Qt::LeftButton) && hasTime)
        emit instantChosen(secondsAt(event->position().x()));
    const bool isOver = hasTime && plotRect().contains(event->position());
    emit instantPointed(isOver ? secondsAt(event->position().x()) : -std::numeric_limits<double>::infinity());
    event->accept();
}

void ChartView::leaveEvent(QEvent*) { emit instantPointed(-std::numeric_limits<double>::infinity()); }

void ChartView::resizeEvent(QResizeEvent* event)
{
    QChartView::resizeEvent(event);
    setRanges();
}

} // namespace lhrs::gui
