// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/start/start_form.h"

#include "common/open_files.h"
#include "gui/lab/local/network_check.h"
#include "gui/lab/local/local_options.h"
#include "gui/view/paint/flow_layout.h"
#include "gui/view/paint/number_box.h"
#include "gui/window/commands/clock_bar.h"
#include "gui/window/commands/cluster_commands.h"

#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QFile>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QStyle>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace lhrs::gui {

namespace {

constexpr int kProcessMegabytes = 12; // of an idle process with its threads, as measured
constexpr int kProcessesMax = 400;
constexpr int kClientsMax = 8;
const QString kMore = QStringLiteral("start/more"); // whether further rows are shown

// Memory that is available according to the kernel, in megabytes; 0: not known.
int memoryAvailable()
{
    QFile file(QStringLiteral("/proc/meminfo"));
    if (!file.open(QIODevice::ReadOnly))
        return 0;
    const QByteArray all = file.readAll();
    const qsizetype at = all.indexOf("MemAvailable:");
    return at < 0 ? 0 : int(all.mid(at + 13, 40).simplified().split(' ').value(0).toLongLong() / 1024);
}

QFormLayout* formLayout()
{
    auto* rows = new QFormLayout;
    rows->setHorizontalSpacing(12);
    rows->setLabelAlignment(Qt::AlignRight | Qt::AlignVCenter);
    rows->setVerticalSpacing(6);
    return rows;
}

// The rows from `from` on become these. Fields that are taken out are hidden, and keep their values.
void replaceRows(QFormLayout& rows, int from, const std::vector<FormRow>& wanted)
{
    while (rows.rowCount() > from) {
        const QFormLayout::TakeRowResult row = rows.takeRow(from);
        row.fieldItem->widget()->hide();
        if (row.labelItem != nullptr)
            delete row.labelItem->widget();
        delete row.labelItem;
        delete row.fieldItem;
    }
    for (const FormRow& row : wanted) {
        rows.addRow(row.label, row.field);
        row.field->show();
    }
}

// ---- a field of any kind: its key in the settings is its name

QString keyOf(const QWidget& field) { return QStringLiteral("start/") + field.objectName(); }

void recallField(QWidget& field, const Remembered& remembered)
{
    const QString key = keyOf(field);
    if (auto* number = qobject_cast<QSpinBox*>(&field))
        number->setValue(int(remembered.number(key, number->minimum(), number->maximum(), number->value())));
    else if (auto* choice = qobject_cast<QComboBox*>(&field))
        choice->setCurrentIndex(int(remembered.number(key, 0, choice->count() - 1, choice->currentIndex())));
    else if (auto* flag = qobject_cast<QAbstractButton*>(&field))
        flag->setChecked(remembered.flag(key, flag->isChecked()));
    else if (auto* words = qobject_cast<QLineEdit*>(&field))
        words->setText(remembered.text(key, words->text()));
}

void keepField(const QWidget& field, Remembered& remembered)
{
    const QString key = keyOf(field);
    if (const auto* number = qobject_cast<const QSpinBox*>(&field))
        remembered.keep(key, number->value());
    else if (const auto* choice = qobject_cast<const QComboBox*>(&field))
        remembered.keep(key, choice->currentIndex());
    else if (const auto* flag = qobject_cast<const QAbstractButton*>(&field))
        remembered.keep(key, flag->isChecked());
    else if (const auto* words = qobject_cast<const QLineEdit*>(&field))
        remembered.keep(key, words->text());
}

// The list as lab.cluster takes it.
QString hostsLine(const std::vector<HostEntry>& hosts)
{
    const auto quoted = [](const std::string& text) {
        return QStringLiteral("'%1'").arg(QString::fromStdString(text));
    };
    QStringList all;
    for (const HostEntry& host : hosts) {
        QStringList words;
        for (const auto& [name, value] : { std::pair("by", &host.by), std::pair("address", &host.address),
                 std::pair("programs", &host.programs), std::pair("config", &host.config) })
            if (!value->empty() && *value != HostEntry().by)
                words << QStringLiteral("%1: %2").arg(QLatin1String(name), quoted(*value));
        for (const auto& [pool, most] : host.most)
            words << QStringLiteral("'max-%1': %2").arg(QString::fromStdString(pool)).arg(most);
        all << (words.isEmpty()
                ? quoted(host.name)
                : QStringLiteral("{ name: %1, %2 }").arg(quoted(host.name), words.join(QStringLiteral(", "))));
    }
    return QStringLiteral("[%1]").arg(all.join(QStringLiteral(", ")));
}

template <class Told> void onChange(QWidget& field, QObject* context, const Told& told)
{
    if (auto* number = qobject_cast<QSpinBox*>(&field))
        QObject::connect(number, &QSpinBox::valueChanged, context, told);
    else if (auto* choice = qobject_cast<QComboBox*>(&field))
        QObject::connect(choice, &QComboBox::currentIndexChanged, context, told);
    else if (auto* flag = qobject_cast<QAbstractButton*>(&field))
        QObject::connect(flag, &QAbstractButton::toggled, context, told);
    else if (auto* words = qobject_cast<QLineEdit*>(&field))
        QObject::connect(words, &QLineEdit::textChanged, context, told);
}

} // namespace

StartForm::StartForm(SystemsToStart systems, QWidget* parent)
    : QWidget(parent), m_systems(std::move(systems)), m_system(choiceField(this, "system", {})),
      m_speed(choiceField(this, "speed", {}, tr("Speed of virtual time"))),
      m_recordBytes(numberField(this, "recordBytes", 0, 65'535, 100)),
      m_clients(numberField(this, "clients", 1, kClientsMax, 1)),
      m_seed(numberField(this, "seed", 0, 2'000'000'000, 1)),
      m_slow(flagField(this, "slow", tr("classroom: time-outs five times longer"))),
      m_gate(flagField(this, "gate", tr("gate: messages can be held"))), m_address(new QLineEdit(this)),
      m_keyFile(new QLineEdit(this)), m_hosts(new QLineEdit(this)), m_first(formLayout()), m_further(formLayout()),
      m_columns(new QBoxLayout(QBoxLayout::LeftToRight)), m_title(new QLabel(tr("Free play: the parameters"), this)),
      m_intro(new QLabel(this)), m_help(new QLabel(this)), m_note(new QLabel(this)), m_line(new QLabel(this)),
      m_command(new QLabel(this)), m_start(new QPushButton(tr("Start these processes"), this)),
      m_simulate(new QPushButton(tr("Simulate them"), this)), m_connect(new QPushButton(tr("Connect"), this)),
      m_back(new QPushButton(tr("Back to the start page"), this)), m_more(new QPushButton(tr("More parameters"), this))
{
    setObjectName(QStringLiteral("startForm"));
    nameFields();
    nameButtons();
    m_columns->setSpacing(28);
    m_columns->addLayout(ownColumn(), 5);
    m_columns->addLayout(otherColumn(), 5);
    auto* inside = new QWidget;
    auto* box = new QVBoxLayout(inside);
    box->setContentsMargins(20, 20, 20, 20);
    box->setSpacing(10);
    auto* top = new FlowLayout(nullptr, 20); // below each other if the text is large
    top->addWidget(m_title);
    top->addWidget(m_back);
    box->addLayout(top);
    box->addWidget(m_intro);
    box->addSpacing(8);
    box->addLayout(m_columns, 1);
    auto* scroll = new QScrollArea(this);
    scroll->setWidget(inside);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(scroll);

    meetSystems();
    NumberEntry::follow(*this, this, [this] { check(); });
    connect(m_address, &QLineEdit::textChanged, this, &StartForm::changed);
    connect(m_start, &QPushButton::clicked, this, &StartForm::localWanted);
    connect(m_simulate, &QPushButton::clicked, this, &StartForm::simulatedWanted);
    connect(m_connect, &QPushButton::clicked, this, [this] { emit connectWanted(m_address->text().trimmed()); });
    connect(m_address, &QLineEdit::returnPressed, m_connect, &QPushButton::click);
    connect(m_keyFile, &QLineEdit::returnPressed, m_connect, &QPushButton::click);
    connect(m_back, &QPushButton::clicked, this, &StartForm::left);
    check();
}

void StartForm::nameFields()
{
    m_address->setObjectName(QStringLiteral("address"));
    m_address->setText(QStringLiteral("127.0.0.1:"));
    m_address->setAccessibleName(tr("Address of the coordinator, HOST:PORT"));
}

void StartForm::nameButtons()
{
    m_start->setObjectName(QStringLiteral("startLocal"));
    m_simulate->setObjectName(QStringLiteral("startSimulated"));
    m_simulate->setToolTip(
        tr("One process plays all parts on a virtual clock, which can be paused, stepped and slowed down"));
    m_seed->setAccessibleName(tr("Seed of the simulation"));
    for (const double speed : { 1.0, 0.1, 0.01, 0.001, 10.0, 0.0 })
        m_speed->addItem(speedWords(speed), speed);
    m_connect->setObjectName(QStringLiteral("connect"));
    m_back->setObjectName(QStringLiteral("formBack"));
    m_back->setToolTip(tr("Esc: the parameters stay as they are here"));
    m_more->setObjectName(QStringLiteral("moreParameters"));
    m_more->setCheckable(true);
    m_help->setText(tr("Each field says here what it is, while it has the focus or the mouse."));
    for (QLabel* label : { m_intro, m_help, m_note, m_line, m_command })
        label->setWordWrap(true);
    m_intro->setObjectName(QStringLiteral("startIntro"));
    m_help->setObjectName(QStringLiteral("startHelp"));
    m_note->setObjectName(QStringLiteral("startNote"));
    for (QLabel* label : { m_line, m_command }) {
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        label->setTextFormat(Qt::PlainText);
        label->setMinimumWidth(1);
    }
    m_line->setObjectName(QStringLiteral("startLine"));
    m_line->setAccessibleName(tr("What does the same in a scenario"));
    m_command->setObjectName(QStringLiteral("startCommand"));
    m_command->setAccessibleName(tr("Programs that are started"));
}

QLabel* StartForm::heading(const QString& words)
{
    auto* label = new QLabel(words, this);
    m_headings.push_back(label);
    return label;
}

QLayout* StartForm::ownColumn()
{
    auto* local = new QVBoxLayout;
    local->setSpacing(10);
    local->addWidget(heading(tr("1  On this computer")));
    // Parameters that a first cluster does not need.
    auto* further = new QWidget(this);
    further->setLayout(m_further);
    m_further->setContentsMargins(0, 0, 0, 0);
    connect(m_more, &QPushButton::toggled, further, &QWidget::setVisible);
    further->hide();
    local->addLayout(m_first);
    local->addWidget(m_more, 0, Qt::AlignLeft);
    local->addWidget(further);
    m_hosts->setObjectName(QStringLiteral("hosts"));
    m_hosts->setPlaceholderText(tr("this computer; or a file with a list of hosts"));
    auto* hosts = new QHBoxLayout;
    hosts->setSpacing(8);
    hosts->addWidget(new QLabel(tr("hosts"), this));
    hosts->addWidget(m_hosts, 1);
    local->addLayout(hosts);
    local->addWidget(m_help);
    local->addWidget(m_note);
    local->addWidget(m_start, 0, Qt::AlignLeft);
    local->addWidget(m_line);
    local->addWidget(m_command);
    local->addStretch(1);
    return local;
}

QLayout* StartForm::otherColumn()
{
    auto* other = new QVBoxLayout;
    other->setSpacing(10);
    other->addWidget(heading(tr("2  A cluster that runs already")));
    auto* where = new QHBoxLayout;
    where->setSpacing(8);
    where->addWidget(new QLabel(tr("coordinator"), this));
    where->addWidget(m_address, 1);
    where->addWidget(m_connect);
    other->addLayout(where);
    m_keyFile->setObjectName(QStringLiteral("keyFile"));
    m_keyFile->setPlaceholderText(tr("operator.key or client.key, if the cluster has keys"));
    m_keyFile->setAccessibleName(tr("Key file"));
    auto* secret = new QHBoxLayout;
    secret->setSpacing(8);
    secret->addWidget(new QLabel(tr("key file"), this));
    secret->addWidget(m_keyFile, 1);
    other->addLayout(secret);
    other->addSpacing(12);
    other->addWidget(heading(tr("3  Simulated, with these parameters")));
    auto* simulated = new QWidget(this);
    auto* flow = new FlowLayout(simulated, 8);
    flow->setContentsMargins(0, 0, 0, 0);
    for (QWidget* part :
        std::initializer_list<QWidget*> { new QLabel(tr("seed"), simulated), m_seed, m_speed, m_simulate })
        flow->addWidget(part);
    other->addWidget(simulated);
    other->addStretch(1);
    return other;
}

// ---- the systems

GeneralRows StartForm::generalRows() const
{
    return {
        .recordBytes = { tr("bytes of a record"), m_recordBytes,
            tr("The length of the values that this window’s clients write.") },
        .slow = { {}, m_slow,
            tr("All time-outs of the protocol are five times as long, so that failures can be talked about while they "
               "are found.") },
        .gate = { {}, m_gate,
            tr("With X every process holds what arrives, and its clock stands still; Alt+5 lets one message through. A "
               "simulated cluster can always do that.") },
        .clients = { tr("clients"), m_clients,
            tr("Processes that insert, update, search and delete: alice, bob, … More can be started later.") },
    };
}

void StartForm::take(const FormRow& row)
{
    if (row.field->accessibleName().isEmpty())
        row.field->setAccessibleName(row.label);
    explain(row.field, row.words);
    onChange(*row.field, this, [this] { check(); });
    m_remembered.push_back(row.field);
}

// Takes the fields of all systems, and shows those of the first one.
void StartForm::meetSystems()
{
    explain(m_address,
        tr("HOST:PORT, the control endpoint that the coordinator writes when it starts; the parameters are the running "
           "cluster’s."));
    explain(m_keyFile,
        tr("A key of the running cluster. With the operator key everything can be commanded and broken, with the "
           "client "
           "key records can be read and written. Empty: the cluster has no keys."));
    explain(m_speed, tr("How fast virtual time passes. It can be changed, paused and stepped while it runs."));
    m_remembered = { m_address, m_speed };
    const GeneralRows general = generalRows();
    for (const FormRow& row : { general.recordBytes, general.slow, general.gate, general.clients })
        take(row);
    take({ {}, m_seed,
        tr("The seed decides everything that is left to chance in a simulated run: the same seed, the same run.") });
    take({ tr("hosts"), m_hosts,
        tr("A file with a line for each computer on which processes run, by its name as ssh knows it. Empty: they run "
           "on "
           "this computer.") });
    connect(m_hosts, &QLineEdit::textChanged, this, [this] {
        readHostList();
        check();
    });
    for (const auto& system : m_systems) {
        system->setParent(this);
        m_system->addItem(system->name(), system->id());
        for (const auto& rows : { system->firstRows({}), system->moreRows({}) })
            for (const FormRow& row : rows)
                if (row.field != nullptr) // otherwise a general one
                    take(row);
    }
    m_first->addRow(tr("system"), m_system);
    m_system->setAccessibleName(tr("system"));
    explain(m_system,
        tr("What the processes are, and how they work together. Each system has parameters of its own, and keeps them "
           "while another one is chosen."));
    connect(m_system, &QComboBox::currentIndexChanged, this, [this] {
        showSystem();
        check();
    });
    showSystem();
}

const SystemFields& StartForm::system() const { return *m_systems.at(std::size_t(m_system->currentIndex())); }

std::uint32_t StartForm::servers() const { return linesOf(localOptions()).servers(); }

void StartForm::showSystem()
{
    replaceRows(*m_first, 1, system().firstRows(generalRows()));
    replaceRows(*m_further, 0, system().moreRows(generalRows()));
    m_intro->setText(tr("%1 Three ways to get one:").arg(system().intro()));
    m_more->setToolTip(system().moreWords());
    orderFields();
    QTimer::singleShot(0, this, &StartForm::placeColumns); // when the labels are shown
}

// The Tab key goes on as one reads.
void StartForm::orderFields()
{
    std::vector<QWidget*> order { m_back };
    const auto add = [&order](const QFormLayout& rows) {
        for (int row = 0; row < rows.rowCount(); ++row)
            order.push_back(rows.itemAt(row, QFormLayout::FieldRole)->widget());
    };
    add(*m_first);
    order.push_back(m_more);
    add(*m_further);
    order.push_back(m_hosts);
    order.insert(
        order.end(), { m_start, m_line, m_command, m_address, m_connect, m_keyFile, m_seed, m_speed, m_simulate });
    for (std::size_t i = 1; i < order.size(); ++i)
        setTabOrder(order[i - 1], order[i]);
}

// ---- what is chosen

LocalOptions StartForm::localOptions() const
{
    LocalOptions options;
    options.slowTimers = m_slow->isChecked();
    options.hasGate = m_gate->isChecked();
    options.hosts = m_hostList;
    system().applyTo(options);
    return options;
}

QString StartForm::line() const
{
    QString words = system().line(localOptions(), recordBytes());
    const QString end = QStringLiteral(" });");
    if (!m_hostList.empty() && words.endsWith(end))
        words = words.chopped(end.size()) + QStringLiteral(", hosts: %1").arg(hostsLine(m_hostList)) + end;
    return words;
}

void StartForm::readHostList()
{
    m_hostList.clear();
    m_hostsTrouble.clear();
    const QString file = m_hosts->text().trimmed();
    if (file.isEmpty())
        return;
    auto hosts = readHosts(QFile::encodeName(file).toStdString());
    if (hosts)
        m_hostList = std::move(*hosts);
    else
        m_hostsTrouble = QString::fromStdString(hosts.error().text);
}

SimulatedOptions StartForm::simulatedOptions() const
{
    return { std::uint64_t(m_seed->value()), m_speed->currentData().toDouble() };
}

std::uint32_t StartForm::recordBytes() const { return std::uint32_t(m_recordBytes->value()); }

std::uint32_t StartForm::clients() const { return std::uint32_t(m_clients->value()); }

int StartForm::processes() const { return int(servers()) + m_clients->value() + 1; }

QString StartForm::address() const
{
    const QString words = m_address->text().trimmed();
    return words.endsWith(QLatin1Char(':')) ? QString() : words;
}

QString StartForm::keyFile() const { return m_keyFile->text().trimmed(); }

void StartForm::focusSystem() { m_system->setFocus(Qt::OtherFocusReason); }

void StartForm::askForAddress()
{
    m_address->setFocus();
    m_address->setCursorPosition(int(m_address->text().size()));
}

QString StartForm::objectionAtAll() const
{
    const QString why = NumberEntry::objectionIn(*this);
    return why.isEmpty() ? system().objection() : why;
}

QString StartForm::objection() const
{
    const int processes = this->processes();
    if (const QString why = objectionAtAll(); !why.isEmpty())
        return why;
    if (processes > kProcessesMax)
        return tr("%1 processes are more than this window starts (%2). Take fewer servers, or simulate them.")
            .arg(processes)
            .arg(kProcessesMax);
    if (!m_hostsTrouble.isEmpty())
        return tr("Hosts: %1.").arg(m_hostsTrouble);
    if (!m_hostList.empty()) // what this computer has does not count there
        return {};
    if (const std::string why = portTrouble(std::uint32_t(processes)); !why.empty())
        return QString::fromStdString(why);
    if (const std::string why = openFilesTrouble(
            std::uint64_t(processes) * ClusterPrograms::kFilesOfProcess, std::to_string(processes) + " processes");
        !why.empty())
        return QString::fromStdString(why) + QLatin1Char('.');
    const int available = memoryAvailable();
    if (available > 0 && processes * kProcessMegabytes > available)
        return tr("%1 processes need about %2 MB of memory, and %3 MB are free. Take fewer servers.")
            .arg(processes)
            .arg(processes * kProcessMegabytes)
            .arg(available);
    if (const FullCluster full = system().full(recordBytes());
        available > 0 && full.megabytes + processes * kProcessMegabytes > available)
        return tr("When all servers are full their records take about %1 MB, and %2 MB are free. %3")
            .arg(full.megabytes, 0, 'f', 0)
            .arg(available)
            .arg(full.remedy);
    return {};
}

QString StartForm::multicastNote() const
{
    const QString without = system().withoutMulticast();
    if (without.isEmpty())
        return {};
    if (!m_multicastTrouble)
        m_multicastTrouble = QString::fromStdString(multicastTrouble());
    return m_multicastTrouble->isEmpty()
        ? QString()
        : tr(" IP multicast does not work here (%1): %2.").arg(*m_multicastTrouble, without);
}

void StartForm::check()
{
    const QString why = objection();
    const int processes = this->processes();
    m_note->setText(!why.isEmpty() ? why
            : !m_hostList.empty()  ? tr("%1 processes on %2 hosts, with keys. They end with this window.")
                                        .arg(processes)
                                        .arg(m_hostList.size())
                                  : tr("%1 processes, about %2 MB. They end with this window.%3")
                                        .arg(processes)
                                        .arg(processes * kProcessMegabytes)
                                        .arg(multicastNote()));
    m_canStart = why.isEmpty();
    m_canSimulate = m_canStart || objectionAtAll().isEmpty();
    m_start->setEnabled(m_canStart);
    m_simulate->setEnabled(m_canSimulate);
    m_line->setText(line());
    QStringList flags;
    for (const std::string& flag : linesOf(localOptions()).always)
        flags << QString::fromStdString(flag);
    if (m_gate->isChecked())
        flags << QStringLiteral("--gate");
    m_command->setText(tr("1 × lhrs-coordinator, %1 × lhrs-node, %2 × lhrs-client%3; the same from a terminal: "
                          "lhrs-play FILE.js with this line in it")
                           .arg(servers())
                           .arg(m_clients->value())
                           .arg(flags.isEmpty() ? QString() : tr(", each with %1").arg(flags.join(QLatin1Char(' ')))));
    emit changed();
}

void StartForm::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    placeColumns();
}

// The width of its words is known once it has its style.
void StartForm::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    QTimer::singleShot(0, this, &StartForm::placeColumns);
}

void StartForm::placeColumns()
{
    int needed = m_columns->spacing();
    for (int column = 0; column < m_columns->count(); ++column)
        needed += m_columns->itemAt(column)->minimumSize().width();
    const QMargins margins = m_columns->parentWidget()->layout()->contentsMargins();
    const int room = width() - margins.left() - margins.right() - style()->pixelMetric(QStyle::PM_ScrollBarExtent);
    m_columns->setDirection(room < needed ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

// ---- explanation of the fields

void StartForm::explain(QWidget* field, const QString& words)
{
    field->setToolTip(words);
    field->setAccessibleDescription(words);
    field->installEventFilter(this);
}

// Esc is a key of the window; here it leads back.
bool StartForm::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        event->accept();
        return true;
    }
    return QWidget::event(event);
}

void StartForm::keyPressEvent(QKeyEvent* event)
{
    event->key() == Qt::Key_Escape ? emit left() : QWidget::keyPressEvent(event);
}

bool StartForm::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::Enter)
        m_help->setText(static_cast<QWidget*>(watched)->toolTip());
    return QWidget::eventFilter(watched, event);
}

// ---- remembered fields

void StartForm::recall(const Remembered& remembered)
{
    for (QWidget* field : m_remembered)
        recallField(*field, remembered);
    const int known = m_system->findData(remembered.text(keyOf(*m_system), {}));
    m_system->setCurrentIndex(std::max(known, 0));
    m_more->setChecked(remembered.flag(kMore, false));
    check();
}

void StartForm::keep(Remembered& remembered) const
{
    for (const QWidget* field : m_remembered)
        keepField(*field, remembered);
    remembered.keep(keyOf(*m_system), system().id());
    remembered.keep(kMore, m_more->isChecked());
}

void StartForm::setBusy(bool on)
{
    for (QWidget* widget : std::initializer_list<QWidget*> { m_start, m_simulate, m_connect })
        widget->setEnabled(!on);
    if (!on)
        check();
}

void StartForm::setTheme(const Theme& theme)
{
    m_title->setFont(theme.font({ TextSize::Caption, true }));
    m_intro->setFont(theme.font({ TextSize::Strong }));
    for (QWidget* label : m_headings)
        label->setFont(theme.font({ TextSize::Title, true }));
    m_note->setFont(theme.font({ TextSize::Small, true }));
    m_help->setFont(theme.font({ TextSize::Small }));
    m_help->setMinimumHeight(int(3 * theme.lineHeight({ TextSize::Small })));
    m_line->setFont(theme.font({ TextSize::Small, false, true }));
    m_command->setFont(theme.font({ TextSize::Small, false, true }));
    m_note->setMinimumHeight(int(2 * theme.lineHeight({ TextSize::Small })));
    placeColumns();
}

} // namespace lhrs::gui
