// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/panels/fault_panel.h"

#include "common/kinds.h"
#include "gui/lab/live/ingest.h"
#include "gui/lab/state/process/fault_sentences.h"
#include "gui/show/show_systems.h"
#include "gui/view/paint/flow_layout.h"
#include "gui/view/paint/number_box.h"
#include "gui/view/systems/view_systems.h"
#include "gui/window/widgets/actions.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace lhrs::gui {

namespace {

constexpr double kAskEvery = 0.5; // seconds

using WishKind = FaultWish::Kind;

// The names of the signs of life, which have no class.
QStringList heartbeats()
{
    QStringList kinds;
    for (const Kind& kind : messageKinds())
        if (!messageClassOf(kind.name))
            kinds << QString::fromStdString(kind.name);
    return kinds;
}

// The processes of each host; nothing if all are on one.
std::vector<ProcessPicker::Group> hostsOf(const ClusterState& state, const std::vector<ProcessPicker::Choice>& choices)
{
    std::map<std::string, std::vector<ProcessId>> hosts;
    for (const ProcessPicker::Choice& choice : choices)
        if (const std::string& host = state.processes.at(choice.first).host; !host.empty())
            hosts[host].push_back(choice.first);
    std::vector<ProcessPicker::Group> groups;
    if (hosts.size() > 1)
        for (auto& [host, processes] : hosts)
            groups.push_back(
                { FaultPanel::tr("Host %1: all %2 processes").arg(QString::fromStdString(host)).arg(processes.size()),
                    std::move(processes) });
    return groups;
}

bool isEvent(const QString& name) { return eventKindOfType(name.toStdString()) != nullptr; }

} // namespace

// ---- what is armed

void ArmedModel::setFaults(const std::vector<FaultArmed>& faults, const ClusterState& state)
{
    std::vector<Row> rows;
    for (const FaultArmed& armed : faults) {
        const ArmedFault& fault = armed.fault;
        Row row;
        row.number = fault.fault.number();
        row.processes = fault.processes;
        const QString sentence = row.number == 0 ? QString() : wordsOf(state).faultSentence(state, row.number);
        if (row.number == 0) {
            row.fault = QStringLiteral("%1 is paused")
                            .arg(wordsOf(state).nameOf(state, wordsOf(state).objectOf(state, fault.processes.front())));
            row.achieved = QStringLiteral("stands still");
        } else {
            // The event may not have arrived yet, or be older than this window.
            row.fault = sentence.startsWith(QStringLiteral("Fault on purpose: "))
                ? sentence.section(QStringLiteral(": "), 1)
                : QString::fromStdString(faultWords(fault.fault));
            const std::string did = fault.fault.has_crash()
                ? "waits for " + std::to_string(fault.achieved.events_left()) + " more"
                : effectWords(fault.fault, fault.achieved);
            row.achieved = QString::fromStdString(did);
            // The actual share for comparison with the requested one.
            if (fault.fault.network().drop() > 0 && fault.achieved.messages() > 0)
                row.achieved += QStringLiteral(" (%1 % lost)")
                                    .arg(100.0 * double(fault.achieved.dropped() + fault.achieved.overflowed())
                                            / double(fault.achieved.messages()),
                                        0, 'f', 1);
        }
        row.left = armed.isKept ? QStringLiteral("kept") : QStringLiteral("%1 s").arg((fault.leaseLeftMs + 999) / 1000);
        rows.push_back(std::move(row));
    }
    if (rows == m_rows)
        return;
    // Selection and scroll position stay while only the counts change.
    const bool isSame = rows.size() == m_rows.size()
        && std::equal(rows.begin(), rows.end(), m_rows.begin(),
            [](const Row& x, const Row& y) { return x.number == y.number && x.processes == y.processes; });
    if (isSame) {
        m_rows = std::move(rows);
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
        return;
    }
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

int ArmedModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(m_rows.size()); }

int ArmedModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : 3; }

QVariant ArmedModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount()
        || (role != Qt::DisplayRole && role != Qt::ToolTipRole && role != Qt::AccessibleTextRole))
        return {};
    const Row& row = m_rows[std::size_t(index.row())];
    return index.column() == 0 ? row.fault : index.column() == 1 ? row.left : row.achieved;
}

QVariant ArmedModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    return section == 0 ? tr("Asked for") : section == 1 ? tr("Left") : tr("Achieved");
}

// ---- the form

FaultPanel::FaultPanel(const Pacer& pacer, ClusterCommands& cluster, Actions& actions, QWidget* parent)
    : QWidget(parent), m_pacer(pacer), m_commands(cluster), m_model(new ArmedModel(this))
{
    setObjectName(QStringLiteral("faultPanel"));
    makeForm();
    const auto button = [&](const char* id) {
        QAction* action = actions.get(id);
        auto* made = new QPushButton(action->text(), this);
        made->setObjectName(QLatin1String(id) + QStringLiteral("Button"));
        made->setToolTip(action->toolTip());
        made->setEnabled(action->isEnabled());
        connect(made, &QPushButton::clicked, action, &QAction::trigger);
        connect(action, &QAction::changed, made, [made, action] {
            made->setEnabled(action->isEnabled());
            made->setToolTip(action->toolTip());
        });
        return made;
    };
    // What does not fit side by side goes below: the panel must not be wider than its place.
    auto* last = new FlowLayout(nullptr, 6);
    last->addWidget(labelled(tr("Lease"), m_lease));
    last->addWidget(m_kept);
    last->addWidget(button("armFault"));
    m_table = new QTableView(this);
    m_table->setObjectName(QStringLiteral("armedFaults"));
    m_table->setAccessibleName(tr("Faults that are armed"));
    m_table->setModel(m_model);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setWordWrap(true);
    m_table->setTabKeyNavigation(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_table->horizontalHeader()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setSectionResizeMode(2, QHeaderView::Stretch);
    m_nothing = new QLabel(tr("Nothing is broken on purpose now."), this);
    m_nothing->setObjectName(QStringLiteral("noFaults"));
    auto* mend = new FlowLayout(nullptr, 6);
    mend->addWidget(m_nothing);
    mend->addWidget(button("healFault"));
    mend->addWidget(button("healAll"));

    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(8, 6, 8, 6);
    all->setSpacing(5);
    all->addWidget(m_kind);
    auto* sides = new QHBoxLayout;
    sides->addWidget(m_firstLabel);
    sides->addWidget(m_first, 1);
    sides->addWidget(m_secondLabel);
    sides->addWidget(m_second, 1);
    all->addLayout(sides);
    all->addWidget(m_network);
    all->addWidget(m_partition);
    all->addWidget(m_atStep);
    all->addLayout(last);
    all->addWidget(m_line);
    all->addLayout(mend);
    all->addWidget(m_table, 1);

    setFocusProxy(m_kind);
    NumberEntry::follow(*this, this, [this] { showLine(); });
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &FaultPanel::changed);
    connect(&m_commands.faults(), &ClusterFaults::listed, this, [this] {
        m_model->setFaults(m_commands.faults().armed(), m_pacer.state());
        m_nothing->setText(
            m_model->rowCount() == 0 ? tr("Nothing is broken on purpose now.") : tr("Broken on purpose now:"));
        emit changed();
    });
    takeSystem(wordsOf(m_pacer.state()));
    showKind();
}

QWidget* FaultPanel::labelled(const QString& words, QWidget* field)
{
    auto* box = new QWidget(this);
    auto* row = new QHBoxLayout(box);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(5);
    auto* label = new QLabel(words, box);
    label->setBuddy(field);
    row->addWidget(label);
    row->addWidget(field, 1);
    if (field->accessibleName().isEmpty())
        field->setAccessibleName(words);
    return box;
}

template <class Field, class Signal> void FaultPanel::follow(Field* field, Signal signal)
{
    connect(field, signal, this, [this] { showLine(); });
}

void FaultPanel::makeForm()
{
    m_kind = new QComboBox(this);
    m_kind->setObjectName(QStringLiteral("faultKind"));
    m_kind->setAccessibleName(tr("What is broken"));
    for (const auto& [kind, words] : { std::pair(WishKind::Network, tr("Messages: lost, late, duplicated …")),
             std::pair(WishKind::Partition, tr("Partition of two sides")), std::pair(WishKind::Pause, tr("Pause")),
             std::pair(WishKind::Kill, tr("Kill at once")),
             std::pair(WishKind::KillAtStep, tr("Kill at a step of the protocol")) })
        m_kind->addItem(words, int(kind));
    connect(m_kind, &QComboBox::currentIndexChanged, this, &FaultPanel::showKind);
    m_firstLabel = new QLabel(this);
    m_secondLabel = new QLabel(this);
    m_first = new ProcessPicker(QString(), this);
    m_first->setObjectName(QStringLiteral("faultFirst"));
    m_second = new ProcessPicker(QString(), this);
    m_second->setObjectName(QStringLiteral("faultSecond"));
    m_firstLabel->setBuddy(m_first);
    m_secondLabel->setBuddy(m_second);
    for (ProcessPicker* picker : { m_first, m_second }) {
        picker->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
        follow(picker, &ProcessPicker::changed);
    }

    makeNetwork();
    makeStep();
    makeLease();
}

void FaultPanel::makeNetwork()
{
    m_network = new QWidget(this);
    auto* flow = new FlowLayout(m_network, 6);
    flow->setContentsMargins(0, 0, 0, 0);
    const auto place = [&](QWidget* field, const QString& words) {
        QWidget* cell = labelled(words, field);
        flow->addWidget(cell);
        m_cells.push_back({ cell->findChild<QLabel*>(), field });
    };
    const auto share = [&](const char* id, const QString& words) {
        auto* field = new FractionBox(m_network);
        field->setObjectName(QLatin1String(id));
        field->setRange(0, 100);
        field->setDecimals(1);
        field->setSingleStep(5);
        field->setSuffix(QStringLiteral(" %"));
        follow(field, &QDoubleSpinBox::valueChanged);
        m_shares[QLatin1String(id)] = field;
        place(field, words);
    };
    const auto number = [&](const char* id, const QString& words, int max, const QString& suffix) {
        auto* field = new WholeBox(m_network);
        field->setObjectName(QLatin1String(id));
        field->setRange(0, max);
        field->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
        field->setSuffix(suffix);
        follow(field, &QSpinBox::valueChanged);
        m_numbers[QLatin1String(id)] = field;
        place(field, words);
        return field;
    };
    share("faultDrop", tr("Lost"));
    number("faultDelay", tr("Late by"), 60'000, tr(" ms"));
    share("faultDuplicate", tr("Duplicated"));
    number("faultJitter", tr("Jitter"), 60'000, tr(" ms"));
    share("faultReorder", tr("Reordered"));
    number("faultRate", tr("At most"), 1'000'000, tr(" kB/s"))->setSpecialValueText(tr("no limit"));
    share("faultCorrupt", tr("Corrupted"));
    m_kinds = new QComboBox(m_network);
    m_kinds->setObjectName(QStringLiteral("faultMessages"));
    follow(m_kinds, &QComboBox::currentIndexChanged);
    place(m_kinds, tr("Of"));
}

void FaultPanel::makeStep()
{
    m_direction = new QComboBox(this);
    m_direction->setObjectName(QStringLiteral("faultDirection"));
    using Direction = PartitionSides::Direction;
    for (const auto& [direction, words] : { std::pair(Direction::Both, tr("both ways")),
             std::pair(Direction::AToB, tr("first → second")), std::pair(Direction::BToA, tr("second → first")) })
        m_direction->addItem(words, int(direction));
    follow(m_direction, &QComboBox::currentIndexChanged);
    m_partition = labelled(tr("Cut"), m_direction);

    m_step = new QComboBox(this);
    m_step->setObjectName(QStringLiteral("faultStep"));
    m_step->setEditable(true);
    follow(m_step, &QComboBox::currentTextChanged);
    m_count = new WholeBox(this);
    m_count->setObjectName(QStringLiteral("faultCount"));
    m_count->setRange(1, 100'000);
    m_count->setPrefix(tr("number "));
    m_count->setAccessibleName(tr("Which occurrence of this step"));
    follow(m_count, &QSpinBox::valueChanged);
    m_atStep = new QWidget(this);
    auto* step = new QHBoxLayout(m_atStep);
    step->setContentsMargins(0, 0, 0, 0);
    step->addWidget(labelled(tr("At"), m_step), 1);
    step->addWidget(m_count);
}

void FaultPanel::makeLease()
{
    m_lease = new WholeBox(this);
    m_lease->setObjectName(QStringLiteral("faultLease"));
    m_lease->setRange(1, 3600);
    m_lease->setValue(60);
    m_lease->setSuffix(tr(" s"));
    m_lease->setToolTip(
        tr("The fault ends by itself after this time, so that a forgotten fault does no harm for long"));
    follow(m_lease, &QSpinBox::valueChanged);
    m_kept = new QCheckBox(tr("keep"), this);
    m_kept->setObjectName(QStringLiteral("faultKept"));
    m_kept->setToolTip(
        tr("This window renews the lease again and again; after the window is closed, the fault ends with its lease"));
    follow(m_kept, &QCheckBox::toggled);
    m_line = new QLabel(this);
    m_line->setObjectName(QStringLiteral("faultLine"));
    m_line->setWordWrap(true);
    m_line->setTextFormat(Qt::PlainText);
    m_line->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_line->setAccessibleName(tr("The line of a scenario that does this"));
}

void FaultPanel::showKind()
{
    const auto kind = WishKind(m_kind->currentData().toInt());
    const bool isNetwork = kind == WishKind::Network, isPartition = kind == WishKind::Partition;
    m_network->setVisible(isNetwork);
    m_partition->setVisible(isPartition);
    m_atStep->setVisible(kind == WishKind::KillAtStep);
    m_firstLabel->setText(isNetwork ? tr("From") : isPartition ? tr("Between") : tr("Target"));
    m_first->setNobody(isNetwork ? tr("any process") : tr("choose …"));
    m_first->setAccessibleName(isNetwork ? tr("Senders")
            : isPartition                ? tr("First side of the partition")
                                         : tr("Target of the fault"));
    m_secondLabel->setText(isNetwork ? tr("to") : tr("and"));
    m_second->setNobody(isNetwork ? tr("any process") : tr("choose …"));
    m_second->setAccessibleName(isNetwork ? tr("Receivers") : tr("Second side of the partition"));
    m_second->setRest(isPartition ? tr("all others") : QString());
    if (isPartition && m_second->chosen().empty())
        m_second->setRestChosen(true);
    m_secondLabel->setVisible(isNetwork || isPartition);
    m_second->setVisible(isNetwork || isPartition);
    m_lease->parentWidget()->setVisible(kind != WishKind::Kill);
    m_kept->setVisible(isNetwork || isPartition);
    showLine();
}

FaultWish FaultPanel::wish() const
{
    FaultWish wish;
    wish.kind = WishKind(m_kind->currentData().toInt());
    wish.first = m_first->chosen();
    const bool hasSecond = wish.kind == WishKind::Network || wish.kind == WishKind::Partition;
    if (hasSecond)
        wish.second = m_second->chosen();
    wish.secondIsRest = wish.kind == WishKind::Partition && m_second->isRest();
    wish.direction = PartitionSides::Direction(m_direction->currentData().toInt());
    pb::NetworkFault& network = wish.network;
    network.set_drop(m_shares.at(QStringLiteral("faultDrop"))->value() / 100);
    network.set_duplicate(m_shares.at(QStringLiteral("faultDuplicate"))->value() / 100);
    network.set_reorder(m_shares.at(QStringLiteral("faultReorder"))->value() / 100);
    network.set_corrupt(m_shares.at(QStringLiteral("faultCorrupt"))->value() / 100);
    network.set_delay_ms(std::uint32_t(m_numbers.at(QStringLiteral("faultDelay"))->value()));
    network.set_jitter_ms(std::uint32_t(m_numbers.at(QStringLiteral("faultJitter"))->value()));
    network.set_bytes_per_second(std::uint64_t(m_numbers.at(QStringLiteral("faultRate"))->value()) * 1000);
    for (const QString& kind : m_kinds->currentData().toStringList())
        network.add_kinds(kind.toStdString());
    wish.step = m_step->currentText().trimmed().toStdString();
    wish.count = std::uint32_t(m_count->value());
    wish.lease = std::chrono::seconds(m_lease->value());
    wish.isKept = hasSecond && m_kept->isChecked();
    return wish;
}

QString FaultPanel::objection() const
{
    if (const QString why = NumberEntry::objectionIn(*this); !why.isEmpty())
        return why;
    const FaultWish wanted = wish();
    switch (wanted.kind) {
    case WishKind::Network: {
        const pb::NetworkFault& n = wanted.network;
        const bool isNothing = n.drop() + n.duplicate() + n.reorder() + n.corrupt() <= 0
            && n.delay_ms() + n.jitter_ms() == 0 && n.bytes_per_second() == 0;
        return isNothing ? tr("Say how many messages are lost, duplicated, reordered or corrupted, how late they are, "
                              "or how many pass.")
                         : QString();
    }
    case WishKind::Partition:
        if (wanted.first.empty())
            return tr("Choose the processes of the first side.");
        if (wanted.second.empty() && !wanted.secondIsRest)
            return tr("Choose the processes of the second side, or all others.");
        for (const ProcessId process : wanted.first)
            if (std::find(wanted.second.begin(), wanted.second.end(), process) != wanted.second.end())
                return tr("A process cannot be on both sides.");
        return {};
    case WishKind::Pause:
    case WishKind::Kill:
        if (!m_commands.link().isLocal())
            return tr("Only processes that this window has started can be paused or ended; it only watches these.");
        break;
    case WishKind::KillAtStep:
        if (!m_commands.link().isLocal())
            return tr("Only processes that this window has started can be ended; it only watches these.");
        if (!isEvent(QString::fromStdString(wanted.step)))
            return tr("“%1” is not an event; choose one from the list, or a name from proto/event.proto.")
                .arg(QString::fromStdString(wanted.step));
        break;
    }
    return wanted.first.empty() ? tr("Choose the target.") : QString();
}

void FaultPanel::showLine()
{
    const QString why = objection();
    m_line->setText(why.isEmpty() ? faultLine(wish(), m_commands.session().ingest().state()) : why);
    emit changed();
}

void FaultPanel::aimAt(const std::vector<ProcessId>& processes)
{
    takeProcesses();
    // Faults of the network hit the messages to the process, which makes it look dead; in a partition the process is
    // the first side.
    const bool isNetwork = WishKind(m_kind->currentData().toInt()) == WishKind::Network;
    (isNetwork ? m_second : m_first)->choose(processes);
}

void FaultPanel::arm()
{
    if (objection().isEmpty())
        m_commands.faults().arm(wish());
}

void FaultPanel::healSelected()
{
    const QModelIndexList chosen = m_table->selectionModel()->selectedRows();
    if (chosen.isEmpty() && m_model->rowCount() == 0)
        return;
    const ArmedModel::Row& row = m_model->rows()[std::size_t(chosen.isEmpty() ? 0 : chosen.front().row())];
    if (row.number != 0)
        m_commands.faults().healFault(row.number);
    else
        m_commands.faults().resume(row.processes.front(),
            QStringLiteral("lab.process('%1')").arg(m_commands.clients().name(row.processes.front())));
}

// ---- frames

bool FaultPanel::refresh(double seconds)
{
    m_time += seconds;
    if (m_time - m_askedAt >= kAskEvery) {
        m_askedAt = m_time;
        takeProcesses();
        m_commands.faults().ask();
    }
    return false;
}

// What can be broken is named in the words of the cluster's system.
void FaultPanel::takeSystem(const SystemWords& words)
{
    if (m_words == &words)
        return;
    m_words = &words;
    const QSignalBlocker quiet(m_kinds), still(m_step);
    m_kinds->clear();
    m_kinds->addItem(tr("all messages"), QStringList());
    for (const SystemWords::MessagesNamed& named : words.messagesToBreak())
        m_kinds->addItem(named.words, named.kinds);
    m_kinds->addItem(tr("heartbeats"), heartbeats());
    m_step->clear();
    m_step->addItems(words.stepsToKillAt());
    showLine();
}

void FaultPanel::takeProcesses()
{
    const ClusterState& state = m_pacer.state();
    takeSystem(wordsOf(state));
    std::vector<ProcessPicker::Choice> choices;
    std::map<ObjectRef, ProcessId> byObject;
    for (const auto& [id, process] : state.processes)
        if (!process.hasEnded)
            byObject[wordsOf(state).objectOf(state, id)] = id;
    for (const ObjectRef object : wordsOf(state).objectsOf(state)) // in reading order
        if (const auto at = byObject.find(object); at != byObject.end())
            choices.emplace_back(at->second, wordsOf(state).choiceOf(state, state.processes.at(at->second)));
    if (choices == m_choices)
        return;
    m_choices = std::move(choices);
    for (ProcessPicker* picker : { m_first, m_second }) {
        picker->setChoices(m_choices);
        picker->setGroups(hostsOf(state, m_choices));
    }
    showLine();
}

void FaultPanel::setTheme(const Theme& theme)
{
    m_line->setFont(theme.font({ TextSize::Small, false, true }));
    m_table->setFont(theme.font({ TextSize::Small }));
    m_table->horizontalHeader()->setFont(theme.font({ TextSize::Small, true }));
    // Cells of one size stand in columns, as many as there is room for.
    int label = 0, field = 0;
    for (const auto& [words, box] : m_cells) {
        words->setMinimumWidth(0);
        box->setMinimumWidth(0);
        words->ensurePolished();
        box->ensurePolished();
        label = std::max(label, words->sizeHint().width());
        field = std::max(field, box->sizeHint().width());
    }
    for (const auto& [words, box] : m_cells) {
        words->setFixedWidth(label);
        box->setFixedWidth(field);
    }
    updateGeometry();
}

} // namespace lhrs::gui
