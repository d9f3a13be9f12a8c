// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/charts/chart_panel.h"

#include "gui/view/paint/flow_layout.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QListWidget>
#include <QPainter>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace lhrs::gui {

namespace {

constexpr double kPullEvery = 0.5; // seconds, live
constexpr double kDrawEvery = 0.25;
constexpr std::size_t kEventsPerFrame = 6'000;

struct Span {
    const char* words;
    double seconds;
};
constexpr Span kSpans[] = { { "whole run", 0 }, { "60 s", 60 }, { "10 s", 10 }, { "1 s", 1 }, { "0.1 s", 0.1 } };

// The icon of a series for the legend: a line or a bar as the chart draws it.
QIcon sampleOf(int colour, int dash, bool isBar, const Theme& theme)
{
    const int wide = int(theme.px(34)), high = int(theme.px(14));
    QPixmap picture(wide * 2, high * 2);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    painter.scale(2, 2);
    if (isBar) {
        painter.fillRect(QRectF(4, 1, wide - 8, high - 2), ChartView::colourOf(colour, theme));
    } else {
        painter.setPen(QPen(ChartView::colourOf(colour, theme), theme.px(3), ChartView::dashOf(dash), Qt::FlatCap));
        painter.drawLine(QPointF(0, high / 2.0), QPointF(wide, high / 2.0));
    }
    return QIcon(picture);
}

} // namespace

// ---- the rows

void ChartTable::show(const QStringList& header, const std::vector<QVariantList>& rows)
{
    const bool isSameShape = header == m_header && rows.size() == m_rows.size();
    if (isSameShape) {
        m_rows = rows;
        if (!m_rows.empty() && !m_header.isEmpty())
            emit dataChanged(index(0, 0), index(int(m_rows.size()) - 1, int(m_header.size()) - 1));
        return;
    }
    beginResetModel();
    m_header = header;
    m_rows = rows;
    endResetModel();
}

int ChartTable::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(m_rows.size()); }

int ChartTable::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(m_header.size()); }

QVariant ChartTable::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    if (role == Qt::TextAlignmentRole)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole && role != Qt::AccessibleTextRole)
        return {};
    const QVariant value = m_rows[std::size_t(index.row())].value(index.column());
    return value.typeId() == QMetaType::Double ? QVariant(QString::number(value.toDouble(), 'g', 5)) : value;
}

QVariant ChartTable::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (role != Qt::DisplayRole || orientation != Qt::Horizontal || section < 0 || section >= m_header.size())
        return {};
    return QString(m_header[section]).replace('_', ' ');
}

// ---- the panel

ChartPanel::ChartPanel(TimeLine& time, std::function<RunSeries()> live, QWidget* parent)
    : QWidget(parent), m_time(time), m_live(std::move(live)), m_list(new QListWidget(this)),
      m_legend(new QWidget(this)), m_legendRow(new FlowLayout(m_legend)), m_spans(new QComboBox(this)),
      m_log(new QCheckBox(tr("log axis"), this)), m_tableBox(new QCheckBox(tr("table"), this)),
      m_export(new QPushButton(tr("Export …"), this)), m_remedy(new QPushButton(this)), m_title(new QLabel(this)),
      m_note(new QLabel(this)), m_view(new ChartView(this)), m_measure(new MeasureView(this)),
      m_stack(new QStackedWidget(this)), m_model(new ChartTable(this)), m_table(new QTableView(this))
{
    setObjectName(QStringLiteral("chartPanel"));
    m_list->setObjectName(QStringLiteral("chartList"));
    m_list->setAccessibleName(tr("Charts"));
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    for (int kind = 0; kind < kCharts; ++kind)
        m_list->addItem(chartTitle(ChartKind(kind)));
    m_list->setCurrentRow(0);
    m_spans->setObjectName(QStringLiteral("chartSpan"));
    m_spans->setAccessibleName(tr("Time that the charts show"));
    for (const Span& span : kSpans)
        m_spans->addItem(tr(span.words));
    m_log->setObjectName(QStringLiteral("chartLog"));
    m_tableBox->setObjectName(QStringLiteral("chartTableBox"));
    m_tableBox->setToolTip(tr("The numbers of the chart as rows, as in its CSV"));
    m_export->setObjectName(QStringLiteral("chartExport"));
    m_export->setToolTip(tr("The chart as SVG, PNG or PDF, or exactly these rows as CSV (Ctrl+E)"));
    m_table->setModel(m_model);
    m_table->setObjectName(QStringLiteral("chartTable"));
    m_table->setAccessibleName(tr("Rows of the chart"));
    m_table->verticalHeader()->hide();
    m_table->setShowGrid(false);
    m_table->setAlternatingRowColors(true);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setTabKeyNavigation(false);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    m_table->hide();
    m_remedy->setObjectName(QStringLiteral("chartRemedy"));
    m_remedy->hide();
    m_note->setWordWrap(true);
    m_legendRow->setContentsMargins(0, 0, 0, 0);

    auto* top = new QWidget(this); // in a narrow window the boxes are below the title
    auto* flow = new FlowLayout(top, 12);
    flow->setContentsMargins(0, 0, 0, 0);
    for (QWidget* part : std::initializer_list<QWidget*> { m_title, m_log, m_tableBox, m_spans, m_export })
        flow->addWidget(part);
    auto* column = new QVBoxLayout;
    column->setSpacing(4);
    column->addWidget(top);
    column->addWidget(m_legend);
    m_stack->addWidget(m_view);
    m_stack->addWidget(m_measure);
    column->addWidget(m_stack, 3);
    column->addWidget(m_remedy, 0, Qt::AlignHCenter);
    column->addWidget(m_table, 2);
    column->addWidget(m_note);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(8, 6, 8, 4);
    row->addWidget(m_list);
    row->addLayout(column, 1);

    connect(m_list, &QListWidget::currentRowChanged, this, [this](int chosen) { chooseRow(std::max(0, chosen)); });
    connect(m_spans, &QComboBox::currentIndexChanged, this,
        [this](int index) { setSpan(kSpans[std::size_t(std::max(0, index))].seconds); });
    connect(m_log, &QCheckBox::toggled, this, [this](bool on) {
        m_isLog[std::size_t(m_kind)] = on;
        m_view->setLogarithmic(on);
    });
    connect(m_tableBox, &QCheckBox::toggled, this, &ChartPanel::setTableShown);
    m_view->setMouseTracking(true);
    m_view->viewport()->setMouseTracking(true);
    connect(m_view, &ChartView::instantPointed, this, [this](double seconds) {
        emit instantPointed(std::isfinite(seconds)
                ? std::optional<std::int64_t>(m_originNs + std::int64_t(seconds * 1e9))
                : std::nullopt);
    });
    connect(m_view, &ChartView::instantChosen, this,
        [this](double seconds) { emit instantChosen(m_originNs + std::int64_t(seconds * 1e9)); });
    connect(m_export, &QPushButton::clicked, this, &ChartPanel::exportWanted);
    connect(m_remedy, &QPushButton::clicked, this, [this] { emit remedyWanted(chart().remedy); });
    m_isLog[std::size_t(ChartKind::Latency)] = true;
    setFocusProxy(m_list);
}

void ChartPanel::reset()
{
    m_reader.reset();
    m_read = nullptr;
    m_series = RunSeries();
    m_isDirty = true;
    m_sincePull = kPullEvery;
}

void ChartPanel::showMeasured(const MeasureChart& chart, const QString& origin, bool opens)
{
    auto known = std::find_if(
        m_measured.begin(), m_measured.end(), [&](const Measured& m) { return m.chart.id == chart.id; });
    if (known == m_measured.end()) {
        known = m_measured.insert(m_measured.end(), { chart, origin });
        const QSignalBlocker quiet(m_list);
        m_list->addItem(QString());
    } else {
        *known = { chart, origin };
    }
    const int row = kCharts + int(known - m_measured.begin());
    m_list->item(row)->setText(chart.title);
    m_list->item(row)->setToolTip(chart.title);
    if (opens)
        m_list->setCurrentRow(row);
    if (opens || m_measuredShown == chart.id)
        chooseRow(row);
}

void ChartPanel::forgetMeasured()
{
    if (!m_measuredShown.isEmpty())
        choose(m_kind);
    while (m_list->count() > kCharts)
        delete m_list->takeItem(m_list->count() - 1);
    m_measured.clear();
}

void ChartPanel::chooseRow(int row)
{
    if (row < kCharts) {
        choose(ChartKind(row));
        return;
    }
    const Measured& measured = m_measured[std::size_t(row - kCharts)];
    m_measuredShown = measured.chart.id;
    m_measure->setChart(measured.chart, measured.origin);
    m_stack->setCurrentWidget(m_measure);
    for (QWidget* widget :
        { static_cast<QWidget*>(m_log), static_cast<QWidget*>(m_spans), m_legend, static_cast<QWidget*>(m_remedy) })
        widget->hide();
    m_isDirty = true;
    drawMeasured();
}

// The chart of a script has its own legend and words in its picture.
void ChartPanel::drawMeasured()
{
    m_isDirty = false;
    const MeasureChart& chart = m_measure->chart();
    m_model->show(chart.header, chart.rows);
    m_title->clear();
    m_note->clear();
    setAccessibleDescription(
        chart.title + (chart.nothing.isEmpty() ? QString() : QStringLiteral(". ") + chart.nothing));
}

void ChartPanel::choose(ChartKind kind)
{
    if (!m_measuredShown.isEmpty()) {
        m_measuredShown.clear();
        m_stack->setCurrentWidget(m_view);
        m_spans->show();
        m_legend->show();
    }
    m_kind = kind;
    m_list->setCurrentRow(int(kind));
    {
        const QSignalBlocker quiet(m_log);
        m_log->setChecked(m_isLog[std::size_t(kind)]);
        m_log->setVisible(kind != ChartKind::Repair && kind != ChartKind::Load);
    }
    m_hidden.clear();
    m_view->setHiddenSeries({});
    m_view->setLogarithmic(m_isLog[std::size_t(kind)] && kind != ChartKind::Load);
    m_isDirty = true;
    draw();
}

void ChartPanel::setSpan(double seconds)
{
    m_span = seconds;
    for (int i = 0; i < int(std::size(kSpans)); ++i)
        if (kSpans[i].seconds == seconds)
            m_spans->setCurrentIndex(i);
    m_isDirty = true;
    m_sincePull = kPullEvery;
}

void ChartPanel::setTableShown(bool on)
{
    m_tableBox->setChecked(on);
    m_table->setVisible(on);
    m_isDirty = true;
}

// Reads the numbers of the interval to show.
void ChartPanel::pull(double seconds)
{
    m_sincePull += seconds;
    const bool isFollowing = m_time.mode() == TimeLine::Mode::Follow;
    Recording* recording = isFollowing ? nullptr : m_time.recording();
    const auto span = std::int64_t(m_span * 1e9);
    std::int64_t from = 0, to = 0;
    if (recording != nullptr && (m_time.isReplay() || span > 0)) {
        from = m_originNs = recording->beginNs();
        to = std::max(recording->endNs(), from + 1);
        if (span > 0 && span < to - from) {
            // By whole pages, so that the axes stand still while the instant moves.
            from += (std::max(m_time.cursorNs(), from) - from) / span * span;
            to = from + span;
        }
        if (m_read != recording || m_readFrom != from || m_readTo != to) {
            const bool isWhole = from == recording->beginNs() && to >= recording->endNs();
            m_reader = isWhole ? std::make_unique<SeriesReader>(*recording)
                               : std::make_unique<SeriesReader>(*recording, from, to);
            m_read = recording;
        }
        m_readFrom = from;
        m_readTo = to;
        if (!m_reader->isDone()) {
            m_reader->step(kEventsPerFrame);
            if (m_reader->isDone() || m_sincePull >= kPullEvery) {
                m_sincePull = 0;
                m_series = m_reader->series().shown();
                m_isDirty = true;
            }
        }
        return;
    }
    m_reader.reset();
    m_read = nullptr;
    if (m_sincePull < kPullEvery)
        return;
    m_sincePull = 0;
    m_series = m_live();
    m_isDirty = true;
    // The clock also advances where nothing happens; until a simulator's time is known, it may be far off.
    const std::int64_t now = m_time.endNs();
    m_readTo = now > m_series.endNs() && now - m_series.endNs() < std::int64_t(86'400) * 1'000'000'000
        ? now
        : m_series.endNs();
    // Only the present cluster: previous clusters of this window had their own times and kills.
    m_readFrom = m_originNs = m_series.isEmpty() ? 0 : std::max(m_series.beginNs(), m_time.beginNs());
    if (span > 0 && isFollowing)
        m_readFrom = std::max(m_readFrom, m_readTo - span);
}

bool ChartPanel::refresh(double seconds)
{
    if (!m_measuredShown.isEmpty())
        return false; // it changes only with its table
    pull(seconds);
    m_sinceDraw += seconds;
    if (m_isDirty && (m_sinceDraw >= kDrawEvery || !isReading()))
        draw();
    m_view->setInstant(double(m_time.cursorNs() - m_originNs) / 1e9);
    return isReading();
}

void ChartPanel::draw()
{
    if (!m_measuredShown.isEmpty())
        return;
    m_sinceDraw = 0;
    m_isDirty = false;
    ChartWish wish;
    wish.kind = m_kind;
    wish.originNs = m_originNs;
    wish.fromNs = m_readFrom;
    wish.toNs = std::max(m_readTo, m_readFrom + 1);
    wish.columns = std::size_t(std::max(64, m_view->viewport()->width() - int(m_theme.px(90))));
    const ChartData chart = chartOf(m_series, wish);
    m_view->setChart(chart);
    m_model->show(chart.header, chart.rows);
    QString note = chart.note;
    for (const ChartTheory& theory : chart.theory)
        if (!theory.source.isEmpty())
            note += QStringLiteral(".  ") + theory.name + QStringLiteral(": ") + theory.source;
    if (isReading())
        note = tr("reading the recording, %1 %;  ").arg(int(100 * m_reader->progress())) + note;
    m_note->setText(note);
    m_title->setText(chart.title);
    m_remedy->setVisible(!chart.nothing.isEmpty() && !chart.remedy.isEmpty() && !m_time.isReplay());
    if (m_remedyWords && !chart.remedy.isEmpty())
        m_remedy->setText(m_remedyWords(chart.remedy));
    makeLegend();
    setAccessibleDescription(chart.title + QStringLiteral(". ") + (chart.nothing.isEmpty() ? note : chart.nothing));
}

// One button for each series: how it is drawn, its name, on or off.
void ChartPanel::makeLegend()
{
    const ChartData& chart = m_view->shown();
    QString shape = QString::number(int(chart.kind)) + (m_theme.isDark() ? 'd' : 'l')
        + (m_theme.isHighContrast() ? "c" : "") + QString::number(m_theme.fontScale());
    for (const ChartSeries& series : chart.series)
        shape += '|' + series.id;
    shape += chart.bars.empty() ? QString() : chart.parts.join('|');
    if (shape == m_legendShape)
        return;
    m_legendShape = shape;
    while (QLayoutItem* item = m_legendRow->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    const QSize sample(int(m_theme.px(34)), int(m_theme.px(14)));
    for (const ChartSeries& series : chart.series) {
        auto* button = new QToolButton(m_legend);
        button->setObjectName(QStringLiteral("series_") + series.id);
        button->setText(QStringLiteral("  ") + series.name); // the style leaves no gap between icon and name
        button->setIcon(sampleOf(series.colour, series.dash, false, m_theme));
        button->setIconSize(sample);
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setCheckable(true);
        button->setChecked(!m_hidden.contains(series.id));
        button->setToolTip(tr("Shows or hides this line"));
        button->setFont(m_theme.font({ TextSize::Strong }));
        connect(button, &QToolButton::toggled, this, [this, id = series.id](bool on) {
            if (on)
                m_hidden.erase(id);
            else
                m_hidden.insert(id);
            m_view->setHiddenSeries(m_hidden);
        });
        m_legendRow->addWidget(button);
    }
    if (!chart.bars.empty())
        for (qsizetype part = 0; part < chart.parts.size(); ++part) {
            auto* swatch = new QLabel(m_legend);
            swatch->setPixmap(sampleOf(int(part), 0, true, m_theme).pixmap(sample));
            auto* words = new QLabel(chart.parts[part], m_legend);
            words->setFont(m_theme.font({ TextSize::Strong }));
            m_legendRow->addWidget(swatch);
            m_legendRow->addWidget(words);
        }
}

void ChartPanel::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_view->setTheme(theme);
    m_measure->setTheme(theme);
    m_title->setFont(theme.font({ TextSize::Title, true, false }));
    m_note->setFont(theme.font({ TextSize::Body }));
    m_list->setFont(theme.font({ TextSize::Strong }));
    m_list->setSpacing(int(theme.px(3)));
    qreal wide = 0;
    for (int kind = 0; kind < kCharts; ++kind)
        wide = std::max(
            wide, theme.metrics({ TextSize::Strong, false, false }).horizontalAdvance(chartTitle(ChartKind(kind))));
    m_list->setFixedWidth(int(wide + theme.px(26)));
    m_table->setFont(theme.font({ TextSize::Small }));
    m_table->verticalHeader()->setDefaultSectionSize(int(theme.lineHeight({ TextSize::Small }) + theme.px(4)));
    m_legendShape.clear();
    m_isDirty = true;
    draw();
}

void ChartPanel::setPointed(std::optional<std::int64_t> runNs)
{
    m_view->setPointed(runNs ? std::optional<double>(double(*runNs - m_originNs) / 1e9) : std::nullopt);
}

} // namespace lhrs::gui
