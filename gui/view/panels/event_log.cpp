// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/panels/event_log.h"

#include "common/kinds.h"
#include "gui/lab/words/lhrs/place_words.h"
#include "gui/lab/words/process/process_words.h"
#include "gui/lab/words/sentences.h"
#include "gui/show/words/quantity_words.h"
#include "gui/view/systems/view_systems.h"
#include "gui/view/panels/narration_model.h"

#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

namespace lhrs::gui {

namespace {

constexpr int kRowsMax = 200'000;
constexpr std::uint64_t kBefore = 2'000; // events listed before an instant of the past

bool isMessage(const pb::Event& event)
{
    return event.has_message_sent() || event.has_message_received() || event.has_gauges();
}

// The longest wording first; the shortest one only says how many are left out.
QStringList countWords(const EventLogModel& model)
{
    const auto joined = [](QStringList parts) {
        parts.removeAll(QString());
        return parts.join(QStringLiteral(", "));
    };
    const QString listed = EventLog::tr("%1 listed").arg(grouped(model.listed()));
    const QString hidden = model.hidden() > 0 ? EventLog::tr("%1 hidden").arg(grouped(model.hidden())) : QString();
    const QString older = model.forgotten() > 0 ? EventLog::tr("%1 older").arg(grouped(model.forgotten())) : QString();
    return { joined({ listed, hidden, older.isEmpty() ? older : EventLog::tr("%1 no longer in memory").arg(older) }),
        joined({ listed, hidden, older }), joined({ listed, hidden }), hidden.isEmpty() ? listed : hidden };
}

} // namespace

// ---- the rows

EventLogModel::EventLogModel(const EventFeed& feed, const Pacer& pacer, QObject* parent)
    : QAbstractTableModel(parent), m_feed(feed), m_pacer(pacer)
{
}

bool EventLogModel::passes(const RunEvent& run) const
{
    if (run.isGap())
        return true;
    const pb::Event& event = *run.event;
    if (m_filter.kind == LogFilter::Kind::WithoutMessages && isMessage(event))
        return false;
    if (m_filter.kind == LogFilter::Kind::Structure && !changesStructure(event))
        return false;
    if (m_filter.operation.first != 0
        && m_filter.operation != std::pair(event.operation().client(), event.operation().number()))
        return false;
    if (m_filter.object) {
        const SystemWords& words = wordsOf(m_pacer.state());
        if (words.isProcess(m_filter.object) ? run.process != m_filter.object.a
                                             : words.placeOf(event, run.process) != m_filter.object)
            return false;
    }
    return m_filter.text.isEmpty()
        || QString::fromStdString(sentence(run, m_pacer.state())).contains(m_filter.text, Qt::CaseInsensitive);
}

bool EventLogModel::refresh(std::size_t eventsMax)
{
    const std::uint64_t until = m_pacer.shownUpTo();
    const EventPage page = m_feed.eventsSince(m_cursor, eventsMax);
    m_forgotten += page.missed;
    std::vector<std::uint64_t> fresh;
    for (const RunEvent& event : page.events) {
        if (event.index > until)
            break;
        m_cursor = event.index;
        if (passes(event))
            fresh.push_back(event.index);
        else
            ++m_hidden;
    }
    // Events that the ring has dropped can no longer be listed.
    const EventPage oldest = m_feed.eventsSince(0, 1);
    const std::uint64_t first = oldest.events.empty() ? m_cursor + 1 : oldest.events.front().index;
    const auto kept = std::lower_bound(m_rows.begin(), m_rows.end(), first);
    const auto surplus = std::ptrdiff_t(m_rows.size() + fresh.size()) - kRowsMax;
    const auto gone = std::min(std::ptrdiff_t(m_rows.size()), std::max(kept - m_rows.begin(), surplus));
    if (gone > 0) {
        beginRemoveRows({}, 0, int(gone) - 1);
        m_rows.erase(m_rows.begin(), m_rows.begin() + gone);
        m_forgotten += std::uint64_t(gone);
        endRemoveRows();
    }
    if (!fresh.empty()) {
        beginInsertRows({}, int(m_rows.size()), int(m_rows.size() + fresh.size()) - 1);
        m_rows.insert(m_rows.end(), fresh.begin(), fresh.end());
        endInsertRows();
    }
    return m_cursor < until;
}

void EventLogModel::setFilter(const LogFilter& filter)
{
    if (filter == m_filter)
        return;
    beginResetModel();
    m_filter = filter;
    m_rows.clear();
    m_hidden = m_forgotten = m_cursor = 0;
    endResetModel();
}

void EventLogModel::clear()
{
    beginResetModel();
    m_rows.clear();
    m_cache.clear();
    m_hidden = m_forgotten = 0;
    m_cursor = m_feed.committed();
    endResetModel();
}

void EventLogModel::restart(std::uint64_t event)
{
    beginResetModel();
    m_rows.clear();
    m_cache.clear();
    m_hidden = 0;
    m_cursor = event - std::min<std::uint64_t>(event, kBefore);
    m_forgotten = m_cursor;
    endResetModel();
}

int EventLogModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(m_rows.size()); }

int EventLogModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(Columns); }

const RunEvent* EventLogModel::eventOf(std::uint64_t index) const
{
    if (const auto known = m_cache.find(index); known != m_cache.end())
        return &known->second;
    if (m_cache.size() > kCached)
        m_cache.clear();
    const EventPage page = m_feed.eventsSince(index - 1, 32);
    for (const RunEvent& event : page.events)
        m_cache.emplace(event.index, event);
    const auto known = m_cache.find(index);
    return known == m_cache.end() ? nullptr : &known->second;
}

ObjectRef EventLogModel::objectOfRow(int row) const
{
    if (row < 0 || row >= int(m_rows.size()))
        return {};
    const RunEvent* run = eventOf(m_rows[std::size_t(row)]);
    return run ? wordsOf(m_pacer.state()).objectOf(m_pacer.state(), run->process) : ObjectRef();
}

Pointed EventLogModel::pointedOfRow(int row) const
{
    if (row < 0 || row >= int(m_rows.size()))
        return {};
    const RunEvent* run = eventOf(m_rows[std::size_t(row)]);
    if (!run)
        return {};
    const SystemWords& words = wordsOf(m_pacer.state());
    Pointed pointed { words.objectOf(m_pacer.state(), run->process) };
    pointed.atNs = run->runNs;
    if (!run->isGap()) {
        pointed.operation = { run->event->operation().client(), run->event->operation().number() };
        pointed.part = words.partOf(*run->event);
    }
    return pointed;
}

void EventLogModel::setMarks(const Pointed& pointed, OperationId operation, QColor colour)
{
    m_pointed = pointed;
    m_operation = operation;
    m_markColour = colour;
    m_markedEvent = 0;
    if (operation.first != 0 || pointed.object || !pointed.atNs)
        return;
    // The last row up to the instant.
    const auto after = std::partition_point(m_rows.begin(), m_rows.end(), [&](std::uint64_t index) {
        const RunEvent* run = eventOf(index);
        return run == nullptr || run->runNs <= *pointed.atNs;
    });
    m_markedEvent = after == m_rows.begin() ? 0 : *(after - 1);
}

// Precedence of marks: an operation, then the record that it is about, then the place, then the instant.
bool EventLogModel::isMarked(int row) const
{
    if (m_operation.first == 0 && !m_pointed.object)
        return m_markedEvent != 0 && row >= 0 && row < int(m_rows.size()) && m_rows[std::size_t(row)] == m_markedEvent;
    const Pointed own = pointedOfRow(row);
    if (m_operation.first != 0)
        return own.operation == m_operation;
    if (m_pointed.part == 0)
        return own.object == m_pointed.object;
    return wordsOf(m_pacer.state()).belongsTo(m_pacer.state(), own, m_pointed);
}

QVariant EventLogModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    if (role == Qt::BackgroundRole)
        return isMarked(index.row()) ? QVariant(QBrush(m_markColour)) : QVariant();
    const bool isText = role == Qt::DisplayRole || role == Qt::ToolTipRole || role == Qt::AccessibleTextRole;
    if (role == Qt::TextAlignmentRole)
        return index.column() == Time ? int(Qt::AlignRight | Qt::AlignVCenter) : int(Qt::AlignLeft | Qt::AlignVCenter);
    if (!isText)
        return {};
    const RunEvent* run = eventOf(m_rows[std::size_t(index.row())]);
    if (!run)
        return index.column() == What ? QVariant(tr("no longer in memory")) : QVariant();
    const ClusterState& state = m_pacer.state();
    switch (Column(index.column())) {
    case Time: return QStringLiteral("%1 s").arg(state.shownSeconds(run->runNs), 0, 'f', 3);
    case Who: {
        if (!run->isGap() && run->event->place().role() != pb::NO_ROLE)
            return QString::fromStdString(placeName(run->event->place()));
        return QString::fromStdString(processShown(run->process, state));
    }
    case What: return QString::fromStdString(sentence(*run, state));
    case Operation:
        return run->isGap() ? QString() : QString::fromStdString(operationShown(run->event->operation(), state));
    case Columns: break;
    }
    return {};
}

QVariant EventLogModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    static const char* const kTitles[] = { "time", "place", "what happened", "operation" };
    if (role != Qt::DisplayRole || orientation != Qt::Horizontal || section < 0 || section >= Columns)
        return {};
    return QString::fromLatin1(kTitles[section]);
}

// ---- the widget

EventLog::EventLog(
    const EventFeed& feed, const Pacer& pacer, const RunStory& story, Selection& selection, QWidget* parent)
    : QWidget(parent), m_selection(selection), m_model(new EventLogModel(feed, pacer, this)),
      m_narration(new NarrationModel(story, feed, pacer, this)), m_table(new QTableView(this)),
      m_narrationTable(new QTableView(this)), m_kind(new QComboBox(this)),
      m_onlySelected(new QCheckBox(tr("only what is selected"), this)), m_follow(new QCheckBox(tr("follow"), this)),
      m_text(new QLineEdit(this)), m_count(new QLabel(this)), m_nothing(new QLabel(this)),
      m_reset(new QPushButton(tr("Show all"), this))
{
    setObjectName(QStringLiteral("eventLog"));
    m_kind->setObjectName(QStringLiteral("logKind"));
    m_kind->addItems({ tr("everything"), tr("without messages"), tr("structure only"), tr("summary in sentences") });
    m_kind->setCurrentIndex(int(m_model->filter().kind));
    m_kind->setAccessibleName(tr("Which events the log lists"));
    m_text->setObjectName(QStringLiteral("logText"));
    m_text->setAccessibleName(tr("Part of the sentence"));
    m_text->setToolTip(tr("Only sentences that contain this"));
    m_text->setClearButtonEnabled(true);
    m_text->setMinimumWidth(60);
    m_follow->setChecked(true);
    m_table->setModel(m_model);
    prepareTable(m_table, "logTable", tr("Event log"));
    m_table->horizontalHeader()->setSectionResizeMode(EventLogModel::What, QHeaderView::Stretch);
    m_table->setWordWrap(false);
    m_narrationTable->setModel(m_narration);
    prepareTable(m_narrationTable, "narrationTable", tr("Summary: what happened, and why"));
    m_narrationTable->horizontalHeader()->setSectionResizeMode(NarrationModel::What, QHeaderView::Stretch);
    m_narrationTable->hide();
    m_nothing->setAlignment(Qt::AlignCenter);
    m_nothing->setWordWrap(true);
    m_nothing->hide();
    m_reset->hide();

    auto* filters = new QHBoxLayout;
    filters->addWidget(m_kind);
    filters->addWidget(m_text, 1);
    filters->addWidget(m_follow);
    auto* second = new QHBoxLayout;
    second->addWidget(m_onlySelected);
    m_count->setObjectName(QStringLiteral("logCount"));
    m_count->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred); // its text is as long as there is room for
    m_count->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    second->addWidget(m_count, 1);
    auto* box = new QVBoxLayout(this);
    box->setContentsMargins(6, 6, 6, 6);
    box->setSpacing(4);
    box->addLayout(filters);
    box->addLayout(second);
    box->addWidget(m_table, 1);
    box->addWidget(m_narrationTable, 1);
    box->addWidget(m_nothing, 1);
    box->addWidget(m_reset, 0, Qt::AlignHCenter);

    connect(m_kind, &QComboBox::currentIndexChanged, this, &EventLog::applyFilter);
    connect(m_text, &QLineEdit::textChanged, this, &EventLog::applyFilter);
    connect(m_onlySelected, &QCheckBox::toggled, this, &EventLog::applyFilter);
    connect(&m_selection, &Selection::selectionChanged, this, &EventLog::applyFilter);
    connect(&m_selection, &Selection::operationChanged, this, &EventLog::applyFilter);
    connect(&m_selection, &Selection::operationChanged, this, &EventLog::mark);
    connect(&m_selection, &Selection::hoverChanged, this, &EventLog::mark);
    // The object of the row under the mouse is marked in all views; a chosen row stays marked.
    connect(m_table, &QTableView::entered, this,
        [this](const QModelIndex& index) { m_selection.point(m_model->pointedOfRow(index.row())); });
    connect(m_table, &QTableView::clicked, this, [this](const QModelIndex& index) {
        if (m_onlySelected->isChecked())
            return; // the list would change under the mouse
        const Pointed chosen = m_model->pointedOfRow(index.row());
        m_selection.select(chosen.object);
        m_selection.selectOperation(chosen.operation);
    });
    connect(m_reset, &QPushButton::clicked, this, [this] {
        m_kind->setCurrentIndex(int(LogFilter::Kind::Everything));
        m_text->clear();
        m_onlySelected->setChecked(false);
    });
    connect(m_table, &QTableView::activated, this,
        [this](const QModelIndex& index) { emit jumpRequested(m_model->objectOfRow(index.row())); });
    for (QTableView* table : { m_table, m_narrationTable })
        connect(table->verticalScrollBar(), &QScrollBar::sliderMoved, this, [this] { m_follow->setChecked(false); });
    connect(m_narrationTable, &QTableView::entered, this,
        [this](const QModelIndex& index) { m_selection.point(m_narration->pointedOfRow(index.row())); });
    connect(m_narrationTable, &QTableView::clicked, this,
        [this](const QModelIndex& index) { m_selection.select(m_narration->pointedOfRow(index.row()).object); });
    connect(m_narrationTable, &QTableView::activated, this,
        [this](const QModelIndex& index) { emit jumpRequested(m_narration->pointedOfRow(index.row()).object); });
}

void EventLog::prepareTable(QTableView* table, const char* name, const QString& words)
{
    table->setObjectName(QLatin1String(name));
    table->setAccessibleName(words);
    table->verticalHeader()->hide();
    table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table->horizontalHeader()->setHighlightSections(false);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->setShowGrid(false);
    table->setAlternatingRowColors(true);
    table->setTabKeyNavigation(false);
    table->setMouseTracking(true);
    table->viewport()->setMouseTracking(true);
    table->viewport()->installEventFilter(this);
}

bool EventLog::isSummary() const { return m_kind->currentIndex() == int(LogFilter::Kind::Summary); }

bool EventLog::eventFilter(QObject* watched, QEvent* event)
{
    if ((watched == m_table->viewport() || watched == m_narrationTable->viewport()) && event->type() == QEvent::Leave)
        m_selection.point({});
    return QWidget::eventFilter(watched, event);
}

void EventLog::mark()
{
    m_model->setMarks(m_selection.pointed(), m_selection.shownOperation(), m_markColour);
    m_table->viewport()->update();
}

void EventLog::applyFilter()
{
    LogFilter filter;
    filter.kind = LogFilter::Kind(m_kind->currentIndex());
    filter.text = m_text->text().trimmed();
    if (m_onlySelected->isChecked()) {
        // An operation that is followed concerns the whole file.
        filter.operation = m_selection.operation();
        if (filter.operation.first == 0)
            filter.object = m_selection.selected();
    }
    m_narration->setText(filter.text);
    m_onlySelected->setEnabled(!isSummary()); // a sentence is about more than one place
    if (!isSummary())
        m_model->setFilter(filter);
    m_sinceCount = 1;
}

void EventLog::refreshSummary()
{
    if (m_narration->refresh()) {
        m_narrationTable->resizeRowsToContents(); // a sentence may need several lines
        if (m_follow->isChecked())
            m_narrationTable->scrollToBottom();
    }
    if (m_sinceCount <= 0.2)
        return;
    m_sinceCount = 0;
    m_narrationTable->horizontalHeader()->setVisible(width() >= m_wide);
    if (std::exchange(m_narrationWidth, m_narrationTable->columnWidth(NarrationModel::What))
        != m_narrationTable->columnWidth(NarrationModel::What))
        m_narrationTable->resizeRowsToContents();
    const int rows = m_narration->rowCount();
    const QString listed = tr("%1 listed").arg(grouped(std::uint64_t(rows)));
    const QString words = m_narration->hidden() > 0 ? tr("%1, %2 hidden").arg(listed, grouped(m_narration->hidden()))
                                                    : listed;
    m_count->setText(m_count->fontMetrics().elidedText(words, Qt::ElideRight, m_count->width()));
    m_count->setToolTip(words);
    m_count->setAccessibleName(words);
    m_table->hide();
    m_narrationTable->setVisible(rows > 0);
    m_nothing->setVisible(rows == 0);
    m_reset->setVisible(rows == 0 && m_narration->hidden() > 0);
    if (rows == 0)
        m_nothing->setText(m_narration->hidden() > 0
                ? tr("None of %1 sentences has these words.").arg(grouped(m_narration->hidden()))
                : tr("Nothing worth a sentence has happened yet."));
}

bool EventLog::refresh(double seconds)
{
    const std::uint64_t before = m_model->listed();
    const bool isBehind = m_model->refresh(m_model->filter().text.isEmpty() ? 6'000 : 1'500);
    m_sinceCount += seconds;
    if (isSummary()) {
        refreshSummary();
        return isBehind;
    }
    if (m_model->listed() != before && m_follow->isChecked())
        m_table->scrollToBottom();
    if (m_sinceCount > 0.2) {
        m_sinceCount = 0;
        // Beside the picture a sentence has two lines, and the full width except for the time.
        const bool isNarrow = width() < m_wide;
        m_table->setColumnHidden(EventLogModel::Operation, isNarrow);
        m_table->setColumnHidden(EventLogModel::Who, isNarrow);
        m_table->horizontalHeader()->setVisible(!isNarrow);
        m_table->setWordWrap(isNarrow);
        if (const int high = isNarrow ? 2 * m_lineHeight + m_rowGap : m_lineHeight + m_rowGap;
            high != m_table->verticalHeader()->defaultSectionSize())
            m_table->verticalHeader()->setDefaultSectionSize(high);
        const QStringList words = countWords(*m_model);
        const QFontMetrics metrics(m_count->font());
        const auto fits = std::find_if(words.begin(), words.end(),
            [&](const QString& wording) { return metrics.horizontalAdvance(wording) <= m_count->width(); });
        m_count->setText(
            fits == words.end() ? metrics.elidedText(words.back(), Qt::ElideRight, m_count->width()) : *fits);
        m_count->setToolTip(words.front());
        m_count->setAccessibleName(words.front());
        const bool isNothing = m_model->listed() == 0;
        m_table->setVisible(!isNothing);
        m_narrationTable->hide();
        m_nothing->setVisible(isNothing);
        m_reset->setVisible(isNothing && m_model->hidden() > 0);
        if (isNothing)
            m_nothing->setText(m_model->hidden() > 0
                    ? tr("None of %1 events passes the filter.").arg(grouped(m_model->hidden()))
                    : tr("No event yet. What the processes do will be listed here."));
    }
    return isBehind;
}

void EventLog::setTheme(const Theme& theme)
{
    m_markColour = theme.selection;
    m_markColour.setAlphaF(0.35F);
    mark();
    const TextStyle style { TextSize::Small };
    m_table->setFont(theme.font(style));
    m_narrationTable->setFont(theme.font(style));
    m_lineHeight = int(std::ceil(theme.lineHeight(style)));
    m_rowGap = int(theme.px(4));
    m_sinceCount = 1; // recomputes the heights of the rows
    const auto wide = [&](const char* text) {
        return int(theme.metrics(style).horizontalAdvance(QString::fromLatin1(text)) + theme.px(14));
    };
    m_table->setColumnWidth(EventLogModel::Time, wide("1234.567 s"));
    m_narrationTable->setColumnWidth(NarrationModel::Time, wide("1234.567 s"));
    m_narrationTable->setMinimumHeight(int(theme.px(20)));
    m_table->setColumnWidth(EventLogModel::Who, wide("coordinator"));
    m_table->setColumnWidth(EventLogModel::Operation, wide("client-1 12345"));
    m_table->setMinimumHeight(int(theme.px(20))); // in a low window the text around it keeps its room
    m_nothing->setFont(theme.font({ TextSize::Strong }));
    m_nothing->setMinimumHeight(int(std::ceil(2 * theme.lineHeight({ TextSize::Strong }))));
    m_wide = int(theme.px(560));
}

} // namespace lhrs::gui
