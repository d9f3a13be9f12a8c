// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/tables/chart_svg.h"

#include "common/svg_writer.h"

#include <QPointF>

#include <algorithm>
#include <cmath>

namespace lhrs::gui {

namespace {

constexpr double kFootEms = 0.8, kFootLine = 1.1; // height of the foot's letters, and of its lines
constexpr double kThin = 1.6, kThick = 2.6; // lines: published, measured
constexpr double kTitleEms = 1.25, kBold = 1.1; // letters of the title; bold ones are wider by this factor
constexpr double kRim = 2.2; // pixels
constexpr const char* kDashes = "6 4";
constexpr std::size_t kPointsMax = 600; // of a line with marks; a longer line keeps the extremes of each pixel column

struct Box {
    double x = 0, y = 0, width = 0, height = 0;
    double right() const { return x + width; }
    double bottom() const { return y + height; }
};

// "12 500" with narrow spaces, "0.25", "3e-05".
QString tickShown(double value)
{
    QString text = QString::number(value, 'g', 5);
    if (text.contains('e'))
        return text;
    const qsizetype point = text.indexOf('.');
    const qsizetype sign = text.startsWith('-') ? 1 : 0;
    for (qsizetype at = (point < 0 ? text.size() : point) - 3; at > sign && std::abs(value) >= 10'000; at -= 3)
        text.insert(at, QChar(0x202f));
    return text;
}

// An estimate, because no fonts are available: letters of DejaVu Sans are 0.6 em wide on average.
double widthOf(const QString& text, double em) { return 0.6 * em * double(text.size()); }

struct Axis {
    double low = 0, high = 1;
    bool isLog = false;
    std::vector<double> ticks;

    double share(double value) const
    {
        return isLog ? (std::log10(value) - std::log10(low)) / (std::log10(high) - std::log10(low))
                     : (value - low) / (high - low);
    }
};

// About `steps` round ticks; `areWhole`: whole numbers only (there is no half server).
Axis linear(double low, double high, double steps, bool areWhole)
{
    if (!(high > low))
        high = low + (low == 0 ? 1 : std::abs(low));
    const double rough = (high - low) / steps, power = std::pow(10, std::floor(std::log10(rough)));
    double step = 10 * power;
    for (const double factor : { 5.0, 2.0, 1.0 })
        if (factor * power >= rough * 0.999)
            step = factor * power;
    if (areWhole)
        step = std::max(step, 1.0);
    Axis axis { std::floor(low / step) * step, std::ceil(high / step) * step, false, {} };
    for (double at = axis.low; at <= axis.high + step / 2; at += step)
        axis.ticks.push_back(std::abs(at) < step / 1e6 ? 0 : at);
    return axis;
}

// Decades, with 2 and 5 between them if there are few.
Axis logarithmic(double low, double high)
{
    Axis axis { low / 1.15, high * 1.15, true, {} };
    const bool isShort = std::log10(axis.high / axis.low) < 2.5;
    for (double power = std::pow(10, std::floor(std::log10(axis.low))); power <= axis.high; power *= 10)
        for (const double factor : { 1.0, 2.0, 5.0 })
            if ((factor == 1 || isShort) && factor * power >= axis.low && factor * power <= axis.high)
                axis.ticks.push_back(factor * power);
    if (axis.ticks.size() < 2)
        axis.ticks = { low, high };
    return axis;
}

// "ms" of "per op (ms)"; empty if there is no unit.
QString unitOf(const QString& title)
{
    return title.endsWith(u')') && title.contains(u'(') ? title.section(u'(', -1).chopped(1) : QString();
}

class Picture {
public:
    Picture(const MeasureChart& chart, const SvgLook& look, QSize size)
        : m_chart(chart), m_look(look), m_em(look.em),
          m_svg(size.width(), size.height(), { { "font-family", look.family.toStdString() } })
    {
        m_svg.element("title", {}, chart.title.toStdString());
        m_svg.element("rect",
            { { "width", size.width() }, { "height", size.height() }, { "fill", look.background.toStdString() } });
    }

    QByteArray bytes(QSize size, const QString& origin)
    {
        const double margin = m_em, width = size.width();
        const double needed = kBold * widthOf(m_chart.title, kTitleEms * m_em);
        text(margin, 1.6 * m_em, m_chart.title, "start",
            kTitleEms * std::min(1.0, (width - 2 * margin) / std::max(needed, 1.0)), true);
        QStringList foot { origin };
        if (!m_chart.source.isEmpty())
            foot << (m_chart.isOnlyPublished ? "" : "dashed, hollow marks: ") + ("published, " + m_chart.source);
        if (hasSpread())
            foot << "medians; bars from the lower to the upper quartile";
        foot.removeAll(QString());
        const QStringList lines = footLines(foot, width - 2 * margin);
        // The last line is where a single line would be.
        const double below = kFootLine * m_em * double(lines.size() - 1);
        for (qsizetype i = 0; i < lines.size(); ++i)
            text(margin, size.height() - 0.6 * m_em - below + kFootLine * m_em * double(i), lines[i], "start", kFootEms,
                false, m_look.muted);
        if (!m_chart.nothing.isEmpty()) {
            text(width / 2, size.height() / 2.0, m_chart.nothing + ".", "middle", 1.1, true, m_look.muted);
            return QByteArray::fromStdString(m_svg.finish());
        }
        const double legend = drawLegend({ margin, 0, width - 2 * margin, 0 }, size.height() - 2.2 * m_em - below);
        const int columns = std::max(1, std::min(m_chart.columns, int(m_chart.panels.size())));
        const int rows = (int(m_chart.panels.size()) + columns - 1) / columns;
        const Box all { margin, 2.4 * m_em, width - 2 * margin,
            size.height() - 2.4 * m_em - 2.4 * m_em - below - legend };
        for (std::size_t i = 0; i < m_chart.panels.size(); ++i)
            drawPanel(m_chart.panels[i], i + std::size_t(columns) >= m_chart.panels.size(),
                { all.x + all.width / columns * double(i % std::size_t(columns)),
                    all.y + all.height / rows * double(i / std::size_t(columns)), all.width / columns,
                    all.height / rows });
        if (m_chart.isSimulated && !m_chart.isOnlyPublished && !m_chart.source.isEmpty())
            drawSimulated(width / 2, size.height() / 2.0);
        return QByteArray::fromStdString(m_svg.finish());
    }

private:
    void text(double x, double y, const QString& words, const char* anchor, double ems, bool isBold,
        const QString& colour = {})
    {
        m_svg.element("text",
            { { "x", x }, { "y", y }, { "text-anchor", anchor }, { "font-size", ems * m_em },
                { "font-weight", isBold ? "bold" : "" },
                { "fill", (colour.isEmpty() ? m_look.text : colour).toStdString() } },
            words.toStdString());
    }
    void line(double x1, double y1, double x2, double y2, const QString& colour, double width, bool isDashed = false)
    {
        m_svg.element("line",
            { { "x1", x1 }, { "y1", y1 }, { "x2", x2 }, { "y2", y2 }, { "stroke", colour.toStdString() },
                { "stroke-width", width }, { "stroke-dasharray", isDashed ? kDashes : "" } });
    }
    // Across the figure, so that a copy of any part of it still says so.
    void drawSimulated(double x, double y)
    {
        m_svg.element("text",
            { { "x", x }, { "y", y }, { "text-anchor", "middle" }, { "font-size", 4 * m_em }, { "font-weight", "bold" },
                { "fill", m_look.text.toStdString() }, { "fill-opacity", "0.25" },
                { "transform", "rotate(-18 " + svgNumber(x) + ' ' + svgNumber(y) + ')' } },
            "SIMULATED TIME");
    }
    bool hasSpread() const
    {
        for (const auto& panel : m_chart.panels)
            for (const auto& series : panel.series)
                if (std::any_of(series.points.begin(), series.points.end(),
                        [](const auto& point) { return point.q3 > point.q1; }))
                    return true;
        return false;
    }
    // As many parts per line as fit: the audience must be able to read which values are dashed.
    QStringList footLines(const QStringList& parts, double width) const
    {
        QStringList lines { QString() };
        for (const QString& part : parts) {
            const QString longer = lines.last().isEmpty() ? part : lines.last() + QString::fromUtf8("  ·  ") + part;
            if (lines.last().isEmpty() || widthOf(longer, kFootEms * m_em) <= width)
                lines.last() = longer;
            else
                lines << part;
        }
        return lines;
    }
    QString colourOf(int number) const { return m_look.colours[number % m_look.colours.size()]; }

    // Circle, square, triangle, diamond, in turn as colours repeat. Hollow: published. `rim`: pixels that it is larger.
    void mark(double x, double y, int number, bool isHollow, double rim = 0)
    {
        const double r = 0.28 * m_em + rim;
        const std::string fill = (isHollow ? m_look.background : colourOf(number)).toStdString();
        const std::string stroke = colourOf(number).toStdString();
        const auto draw = [&](const char* name, SvgWriter::Attribute a, SvgWriter::Attribute b, SvgWriter::Attribute c,
                              SvgWriter::Attribute d) {
            m_svg.element(name, { a, b, c, d, { "fill", fill }, { "stroke", stroke }, { "stroke-width", 1.6 } });
        };
        const auto polygon = [&](std::initializer_list<QPointF> corners) {
            std::string path;
            for (const QPointF& at : corners)
                path += (path.empty() ? "M" : "L") + svgNumber(at.x()) + ' ' + svgNumber(at.y());
            m_svg.element(
                "path", { { "d", path + 'Z' }, { "fill", fill }, { "stroke", stroke }, { "stroke-width", 1.6 } });
        };
        switch (number / int(m_look.colours.size()) % 4) {
        case 0: draw("circle", { "cx", x }, { "cy", y }, { "r", r }, { "", "" }); break;
        case 1: draw("rect", { "x", x - r }, { "y", y - r }, { "width", 2 * r }, { "height", 2 * r }); break;
        case 2: polygon({ { x, y - 1.2 * r }, { x + 1.2 * r, y + r }, { x - 1.2 * r, y + r } }); break;
        default: polygon({ { x, y - 1.4 * r }, { x + 1.4 * r, y }, { x, y + 1.4 * r }, { x - 1.4 * r, y } }); break;
        }
    }

    // Draws the names of the lines above the foot, in as many rows as needed, and returns the height.
    double drawLegend(const Box& box, double bottom)
    {
        std::vector<const MeasureChart::Series*> entries;
        for (const auto& panel : m_chart.panels)
            for (const auto& series : panel.series)
                if (std::none_of(entries.begin(), entries.end(), [&](const auto* e) {
                        return e->colour == series.colour && e->isPublished == series.isPublished;
                    }))
                    entries.push_back(&series);
        // Published lines have the colours of the measured ones; the foot explains the difference.
        const auto all = entries;
        std::erase_if(entries, [&](const auto* e) {
            return e->isPublished && std::any_of(all.begin(), all.end(), [&](const auto* other) {
                return !other->isPublished && other->colour == e->colour;
            });
        });
        std::sort(entries.begin(), entries.end(), [](const auto* a, const auto* b) {
            return a->colour != b->colour ? a->colour < b->colour : a->isPublished < b->isPublished;
        });
        if (entries.size() == 1 && entries[0]->name == "here")
            return 0;
        std::vector<std::vector<const MeasureChart::Series*>> rows(1);
        double at = 0;
        const auto wide = [&](const MeasureChart::Series& series) { return 4 * m_em + widthOf(series.name, m_em); };
        for (const auto* entry : entries) {
            if (at > 0 && at + wide(*entry) > box.width) {
                rows.emplace_back();
                at = 0;
            }
            rows.back().push_back(entry);
            at += wide(*entry);
        }
        const double height = 1.5 * m_em * double(rows.size());
        double y = bottom - height + 0.8 * m_em;
        for (const auto& row : rows) {
            at = box.x;
            for (const auto* entry : row) {
                line(at, y, at + 2 * m_em, y, colourOf(entry->colour), entry->isPublished ? kThin : kThick,
                    entry->isPublished);
                mark(at + m_em, y, entry->colour, entry->isPublished);
                text(at + 2.5 * m_em, y + 0.35 * m_em, entry->name, "start", 1, false);
                at += wide(*entry);
            }
            y += 1.5 * m_em;
        }
        return height;
    }

    // Quantities of one unit are compared by eye, so they share a scale: a mean with its percentiles, a part with the
    // whole.
    std::vector<double> valuesOf(const MeasureChart::Panel& panel, bool isX) const
    {
        std::vector<double> values;
        const QString unit = unitOf(panel.title);
        for (const auto& other : m_chart.panels) {
            if (&other != &panel && (isX || unit.isEmpty() || unitOf(other.title) != unit))
                continue;
            for (const auto& series : other.series)
                for (const auto& point : series.points)
                    for (const double value : isX ? std::vector<double> { point.x }
                                                  : std::vector<double> { point.median, point.q1, point.q3 })
                        if (!m_chart.isLog || value > 0)
                            values.push_back(value);
        }
        return values;
    }

    Axis axisOf(const MeasureChart::Panel& panel, bool isX, double steps) const
    {
        double low = HUGE_VAL, high = -HUGE_VAL;
        bool areWhole = true;
        for (const double value : valuesOf(panel, isX)) {
            low = std::min(low, value);
            high = std::max(high, value);
            areWhole = areWhole && value == std::floor(value);
        }
        if (isX && !m_chart.words.isEmpty()) {
            Axis axis { -0.5, double(m_chart.words.size()) - 0.5, false, {} };
            for (qsizetype i = 0; i < m_chart.words.size(); ++i)
                axis.ticks.push_back(double(i));
            return axis;
        }
        if (!(high >= low))
            return linear(0, 1, steps, false);
        if (m_chart.isLog)
            return logarithmic(low, high);
        // The axis of a quantity begins at 0; that of a factor at its minimum, unless 0 is near.
        return linear(!isX || low < 0.3 * high ? std::min(0.0, low) : low, high, steps, areWhole);
    }

    // `isLast`: no panel is below, so this one labels the axis.
    void drawPanel(const MeasureChart::Panel& panel, bool isLast, const Box& box)
    {
        const Axis y = axisOf(panel, false, std::clamp(box.height / (3.5 * m_em), 2.0, 8.0));
        double labels = 0;
        for (const double tick : y.ticks)
            labels = std::max(labels, widthOf(tickShown(tick), 0.9 * m_em));
        const Box plot { box.x + labels + 1.0 * m_em, box.y + 2 * m_em, box.width - labels - 2.4 * m_em,
            box.height - (isLast ? 5.4 : 4.2) * m_em };
        const Axis x = axisOf(panel, true, std::clamp(plot.width / (6 * m_em), 2.0, 8.0));
        const auto atX = [&](double value) { return plot.x + plot.width * x.share(value); };
        const auto atY = [&](double value) {
            return plot.bottom() - plot.height * (y.isLog && value <= 0 ? 0 : y.share(value));
        };
        text(plot.x, box.y + 1.3 * m_em, panel.title, "start", 1, true);
        double below = HUGE_VAL; // labels that would touch are left out
        for (const double tick : y.ticks) {
            line(plot.x, atY(tick), plot.right(), atY(tick), m_look.grid, 1);
            if (atY(tick) + m_em > below)
                continue;
            below = atY(tick);
            text(plot.x - 0.4 * m_em, atY(tick) + 0.32 * m_em, tickShown(tick), "end", 0.9, false);
        }
        double written = -HUGE_VAL;
        for (const double tick : x.ticks) {
            const QString words = m_chart.words.isEmpty() ? tickShown(tick) : m_chart.words.value(qsizetype(tick));
            const double half = widthOf(words, 0.9 * m_em) / 2;
            line(atX(tick), plot.bottom(), atX(tick), plot.bottom() + 4, m_look.muted, 1);
            if (atX(tick) - half < written)
                continue;
            text(atX(tick), plot.bottom() + 1.3 * m_em, words, "middle", 0.9, false);
            written = atX(tick) + half + 0.4 * m_em;
        }
        line(plot.x, plot.bottom(), plot.right(), plot.bottom(), m_look.muted, 1.2);
        line(plot.x, plot.y, plot.x, plot.bottom(), m_look.muted, 1.2);
        if (isLast)
            text(plot.x + plot.width / 2, plot.bottom() + 2.6 * m_em, m_chart.xTitle, "middle", 0.9, false,
                m_look.muted);
        if (panel.series.empty())
            text(plot.x + plot.width / 2, plot.y + plot.height / 2, "no value", "middle", 1, false, m_look.muted);
        // Measured lines are drawn above published ones.
        std::vector<const MeasureChart::Series*> order;
        for (const bool isPublished : { true, false })
            for (const auto& series : panel.series)
                if (series.isPublished == isPublished)
                    order.push_back(&series);
        const auto areNear = [&](const MeasureChart::Point& a, const MeasureChart::Point& b) {
            return std::hypot(atX(a.x) - atX(b.x), atY(a.median) - atY(b.median)) < 0.2 * m_em;
        };
        for (auto series = order.begin(); series != order.end(); ++series) {
            // A line that a later one would hide shows as a rim around that later line.
            const auto above = std::count_if(series + 1, order.end(),
                [&](const MeasureChart::Series* later) { return isAlong(**series, *later, areNear); });
            drawSeries(**series, atX, atY, kRim * double(above));
        }
    }

    // Whether the lines of two series coincide.
    static bool isAlong(const MeasureChart::Series& series, const MeasureChart::Series& other, const auto& areNear)
    {
        return series.points.size() <= kPointsMax && series.points.size() == other.points.size()
            && std::equal(series.points.begin(), series.points.end(), other.points.begin(), areNear);
    }

    // `rim`: how many pixels wider it is, so that it is seen below another line.
    void drawSeries(const MeasureChart::Series& series, const auto& atX, const auto& atY, double rim)
    {
        const QString colour = colourOf(series.colour);
        const bool isLong = series.points.size() > kPointsMax;
        std::string path;
        const auto add = [&](double px, double py) {
            path += (path.empty() ? "" : " ") + svgNumber(px) + ',' + svgNumber(py);
        };
        for (std::size_t i = 0; i < series.points.size();) {
            const double px = atX(series.points[i].x);
            double least = series.points[i].median, most = least;
            std::size_t end = i + 1;
            for (; isLong && end < series.points.size() && std::floor(atX(series.points[end].x)) == std::floor(px);
                 ++end) {
                least = std::min(least, series.points[end].median);
                most = std::max(most, series.points[end].median);
            }
            add(px, atY(least));
            if (most > least)
                add(px, atY(most));
            i = end;
        }
        // There are no values between words, so they are not joined by a line.
        if (m_chart.words.isEmpty() || isLong)
            m_svg.element("polyline",
                { { "points", path }, { "fill", "none" }, { "stroke", colour.toStdString() },
                    { "stroke-width", (series.isPublished ? kThin : kThick) + 2 * rim }, { "stroke-linejoin", "round" },
                    { "stroke-dasharray", series.isPublished ? kDashes : "" } });
        if (isLong)
            return;
        for (const auto& point : series.points) {
            const double px = atX(point.x), r = 0.25 * m_em;
            if (point.q3 > point.q1) {
                line(px, atY(point.q1), px, atY(point.q3), colour, 1.4);
                line(px - r, atY(point.q1), px + r, atY(point.q1), colour, 1.4);
                line(px - r, atY(point.q3), px + r, atY(point.q3), colour, 1.4);
            }
            mark(px, atY(point.median), series.colour, series.isPublished, rim);
        }
    }

    const MeasureChart& m_chart;
    const SvgLook& m_look;
    const double m_em;
    SvgWriter m_svg;
};

} // namespace

QString chartOrigin(const RunIdentity& identity, const MeasureChart* chart)
{
    const bool isPublished = chart != nullptr && chart->isOnlyPublished;
    const QString word = isPublished ? "PUBLISHED" : identity.isSimulated ? "SIMULATED" : "LIVE";
    if (identity.run.isEmpty())
        return word;
    return word + QString::fromUtf8(isPublished ? "  ·  shown by run " : "  ·  run ") + identity.run;
}

QSize chartSize(const MeasureChart& chart)
{
    const int columns = std::max(1, std::min(chart.columns, int(chart.panels.size())));
    const int rows = std::max(1, (int(chart.panels.size()) + columns - 1) / columns);
    return { columns == 1 ? 960 : 480 * columns, std::max(540, 340 * rows + 120) };
}

QByteArray chartSvg(const MeasureChart& chart, const SvgLook& look, QSize size, const QString& origin)
{
    return Picture(chart, look, size).bytes(size, origin);
}

} // namespace lhrs::gui
