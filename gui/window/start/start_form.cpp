// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/start/start_form.h"

#include "common/open_files.h"
#include "gui/lab/local/network_check.h"
#include "gui/view/paint/flow_layout.h"
#include "gui/view/paint/number_box.h"
#include "gui/window/commands/clock_bar.h"
#include "gui/window/commands/cluster_commands.h"
#include "gui/window/commands/cluster_line.h"

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
#include <QStyle>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

namespace lhrs::gui {

namespace {

constexpr int kProcessMegabytes = 12; // of an idle process with its threads, as measured
constexpr int kProcessesMax = 400;
constexpr int kClientsMax = 8;
constexpr int kRecordExtra = 64; // bytes of overhead per record
constexpr int kServersMax = 1'100; // of one pool; this many are possible only in a simulation
constexpr int kSlicesShown = 5; // slices of a full bucket in a small file
constexpr int kSliceMax = 3'125; // ranks; a slice size of the 2003 report

QSpinBox* spin(QWidget* parent, const char* id, int low, int high, int value)
{
    auto* box = new WholeBox(parent);
    box->setObjectName(QString::fromLatin1(id));
    box->setRange(low, high);
    box->setValue(value);
    return box;
}

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

} // namespace

StartForm::StartForm(QWidget* parent)
    : QWidget(parent), m_m(spin(this, "m", 1, 32, 4)), m_k(spin(this, "k", 0, 8, 1)),
      m_b(spin(this, "b", 1, 10'000'000, 40)), m_recordBytes(spin(this, "recordBytes", 0, 65'535, 100)),
      m_data(spin(this, "dataServers", 1, kServersMax, 9)), m_parity(spin(this, "parityServers", 0, kServersMax, 5)),
      m_clients(spin(this, "clients", 1, kClientsMax, 1)), m_slice(spin(this, "slice", 0, 1'000'000, 0)),
      m_seed(spin(this, "seed", 0, 2'000'000'000, 1)), m_loadControl(spin(this, "loadControl", 0, 100, 0)),
      m_field(new QComboBox(this)), m_recovery(new QComboBox(this)), m_transport(new QComboBox(this)),
      m_tcp(new QComboBox(this)), m_split(new QComboBox(this)), m_rerank(new QComboBox(this)),
      m_speed(new QComboBox(this)), m_slow(new QCheckBox(tr("classroom: time-outs five times longer"), this)),
      m_gate(new QCheckBox(tr("gate: messages can be held"), this)),
      m_merges(new QCheckBox(tr("merges: a file of few records shrinks"), this)),
      m_mixKeys(new QCheckBox(tr("mixed keys: patterns spread evenly"), this)),
      m_pureRs(new QCheckBox(tr("experiment: multiply, never XOR"), this)), m_thresholds(new QLineEdit(this)),
      m_address(new QLineEdit(this)), m_columns(new QBoxLayout(QBoxLayout::LeftToRight)),
      m_title(new QLabel(tr("Free play: the parameters"), this)),
      m_intro(new QLabel(tr("An LH*RS file lives in real processes: a coordinator, servers that become data and parity "
                            "buckets, and clients. Three ways to get one:"),
          this)),
      m_help(new QLabel(this)), m_note(new QLabel(this)), m_line(new QLabel(this)), m_command(new QLabel(this)),
      m_start(new QPushButton(tr("Start these processes"), this)),
      m_simulate(new QPushButton(tr("Simulate them"), this)), m_connect(new QPushButton(tr("Connect"), this)),
      m_back(new QPushButton(tr("Back to the start page"), this))
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

    explain(m_address,
        tr("HOST:PORT, the control endpoint that the coordinator writes when it starts; the parameters are the running "
           "file’s."));
    explain(m_seed,
        tr("The seed decides everything that is left to chance in a simulated run: the same seed, the same run."));
    explain(m_speed, tr("How fast virtual time passes. It can be changed, paused and stepped while it runs."));
    for (QSpinBox* box2 : { m_m, m_k, m_b, m_recordBytes, m_data, m_parity, m_clients, m_slice, m_loadControl })
        connect(box2, &QSpinBox::valueChanged, this, &StartForm::check);
    for (QComboBox* box2 : { m_field, m_recovery, m_transport, m_tcp, m_split, m_rerank })
        connect(box2, &QComboBox::currentIndexChanged, this, &StartForm::check);
    NumberEntry::follow(*this, this, [this] { check(); });
    connect(m_thresholds, &QLineEdit::textChanged, this, &StartForm::check);
    for (QCheckBox* box2 : { m_slow, m_gate, m_merges, m_mixKeys, m_pureRs })
        connect(box2, &QCheckBox::toggled, this, &StartForm::check);
    connect(m_address, &QLineEdit::textChanged, this, &StartForm::changed);
    connect(m_start, &QPushButton::clicked, this, &StartForm::localWanted);
    connect(m_simulate, &QPushButton::clicked, this, &StartForm::simulatedWanted);
    connect(m_connect, &QPushButton::clicked, this, [this] { emit connectWanted(m_address->text().trimmed()); });
    connect(m_address, &QLineEdit::returnPressed, m_connect, &QPushButton::click);
    connect(m_back, &QPushButton::clicked, this, &StartForm::left);
    check();
}

void StartForm::nameFields()
{
    m_field->setObjectName(QStringLiteral("field"));
    m_field->addItems({ QStringLiteral("GF(2¹⁶)"), QStringLiteral("GF(2⁸)") });
    m_field->setAccessibleName(tr("Galois field of the parity"));
    m_recovery->setObjectName(QStringLiteral("recovery"));
    m_recovery->addItems({ tr("automatic"), tr("on an alarm"), tr("off"), tr("by hand") });
    m_recovery->setAccessibleName(tr("When a bucket that does not answer is recovered"));
    m_transport->setObjectName(QStringLiteral("recoveryTransport"));
    m_transport->addItems({ tr("TCP"), tr("UDP") });
    m_transport->setAccessibleName(tr("How the slices of a recovery travel"));
    m_tcp->setObjectName(QStringLiteral("tcp"));
    m_tcp->addItems({ tr("passive open"), tr("handshake (SDDS-2000)") });
    m_tcp->setAccessibleName(tr("How connections for long messages are made"));
    m_split->setObjectName(QStringLiteral("split"));
    m_split->addItems({ tr("one after the other"), tr("up to four at once") });
    m_split->setAccessibleName(tr("How many buckets split at once"));
    m_rerank->setObjectName(QStringLiteral("rerank"));
    m_rerank->addItems({ tr("fill the holes"), tr("keep") });
    m_rerank->setAccessibleName(tr("Ranks of the records that stay when a bucket splits"));
    m_slice->setSpecialValueText(tr("a fifth of a bucket"));
    m_loadControl->setSpecialValueText(tr("any"));
    m_loadControl->setSuffix(tr(" %"));
    m_thresholds->setObjectName(QStringLiteral("thresholds"));
    m_thresholds->setPlaceholderText(tr("never, or for example 8, 32"));
    m_thresholds->setAccessibleName(tr("Numbers of data buckets from which K is one higher"));
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
    m_speed->setObjectName(QStringLiteral("speed"));
    m_speed->setAccessibleName(tr("Speed of virtual time"));
    for (const double speed : { 1.0, 0.1, 0.01, 0.001, 10.0, 0.0 })
        m_speed->addItem(speedWords(speed), speed);
    m_connect->setObjectName(QStringLiteral("connect"));
    m_back->setObjectName(QStringLiteral("formBack"));
    m_back->setToolTip(tr("Esc: the parameters stay as they are here"));
    m_slow->setObjectName(QStringLiteral("slow"));
    m_gate->setObjectName(QStringLiteral("gate"));
    m_merges->setObjectName(QStringLiteral("merges"));
    m_mixKeys->setObjectName(QStringLiteral("mixKeys"));
    m_pureRs->setObjectName(QStringLiteral("pureRs"));
    m_help->setText(tr("Each field says here what it is, while it has the focus or the mouse."));
    for (QLabel* label : { m_intro, m_help, m_note, m_line, m_command })
        label->setWordWrap(true);
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

void StartForm::row(QFormLayout* rows, const QString& label, QWidget* field, const QString& words)
{
    rows->addRow(label, field);
    if (field->accessibleName().isEmpty())
        field->setAccessibleName(label);
    explain(field, words);
}

QLayout* StartForm::ownColumn()
{
    auto* local = new QVBoxLayout;
    local->setSpacing(10);
    local->addWidget(heading(tr("1  On this computer")));
    auto* form = new QFormLayout;
    form->setHorizontalSpacing(12);
    form->setLabelAlignment(Qt::AlignRight | Qt::AlignVCenter);
    form->setVerticalSpacing(6);
    // Parameters that a first file does not need.
    auto* more = new QWidget(this);
    auto* moreForm = new QFormLayout(more);
    moreForm->setContentsMargins(0, 0, 0, 0);
    moreForm->setHorizontalSpacing(12);
    moreForm->setLabelAlignment(Qt::AlignRight | Qt::AlignVCenter);
    moreForm->setVerticalSpacing(6);
    auto* showMore = new QPushButton(tr("More parameters"), this);
    showMore->setObjectName(QStringLiteral("moreParameters"));
    showMore->setCheckable(true);
    showMore->setToolTip(tr("Slices, connections, ranks, growing availability, clients"));
    connect(showMore, &QPushButton::toggled, more, &QWidget::setVisible);
    more->hide();
    addFirstRows(form);
    addMoreRows(moreForm);
    local->addLayout(form);
    local->addWidget(showMore, 0, Qt::AlignLeft);
    local->addWidget(more);
    local->addWidget(m_help);
    local->addWidget(m_note);
    local->addWidget(m_start, 0, Qt::AlignLeft);
    local->addWidget(m_line);
    local->addWidget(m_command);
    local->addStretch(1);
    return local;
}

void StartForm::addFirstRows(QFormLayout* rows)
{
    row(rows, tr("data buckets of a group, m"), m_m,
        tr("The number of data buckets that share their parity. The larger m, the less storage parity takes, and the "
           "more buckets a recovery reads."));
    row(rows, tr("intended availability, K"), m_k,
        tr("The number of parity buckets of each new group: it survives the loss of any K of its buckets. 0: nothing "
           "is recovered."));
    row(rows, tr("capacity of a bucket, b records"), m_b,
        tr("A bucket with more records than that overflows, and the file splits the bucket at the split pointer, which "
           "is usually another one."));
    row(rows, tr("bytes of a record"), m_recordBytes, tr("The length of the values that this window’s clients write."));
    row(rows, tr("field"), m_field,
        tr("Parity is computed with symbols of 16 bits, as in the papers, or of 8 bits, whose tables are smaller. Both "
           "give the same protection."));
    row(rows, tr("recovery"), m_recovery,
        tr("automatic: any process that misses a bucket reports it. On an alarm: only one whose request is not "
           "answered, as in 2004. Off: no bucket is declared failed. By hand: “Look after the group”."));
    row(rows, tr("data servers"), m_data,
        tr("Processes that wait to become data buckets. When none is left, the file cannot split until more are "
           "started."));
    row(rows, tr("parity servers"), m_parity,
        tr("Processes that wait to become parity buckets: K for each group, and one for each bucket that is to be "
           "replaced."));
    row(rows, QString(), m_slow,
        tr("All time-outs of the protocol are five times as long, so that failures can be talked about while they are "
           "found."));
}

void StartForm::addMoreRows(QFormLayout* rows)
{
    row(rows, tr("slices travel by"), m_transport,
        tr("How the slices of a bucket recovery travel: as streams, or as datagrams that are acknowledged one by "
           "one."));
    row(rows, tr("ranks of a slice"), m_slice,
        tr("A lost bucket is rebuilt in slices of this many ranks, so that its group never waits for all of it at "
           "once."));
    row(rows, tr("TCP connections"), m_tcp,
        tr("Passive open: all processes listen from the start, and connections stay open. Handshake: two datagrams, "
           "then a connection for one message."));
    row(rows, tr("splits"), m_split,
        tr("One after the other, as the papers need it for bulk inserts; or several owed splits are staged at once and "
           "decided in the order of the split pointer."));
    row(rows, tr("ranks after a split"), m_rerank,
        tr("Fill the holes: records with high ranks move into ranks that became free. Keep: ranks stay, and free ones "
           "are given to new records."));
    row(rows, tr("splits above a load of"), m_loadControl,
        tr("An overflowing bucket causes a split only when the file is fuller than this: more records in fewer "
           "buckets. Any: every time."));
    row(rows, tr("K grows at"), m_thresholds,
        tr("Numbers of data buckets, ascending: from each of them on, the intended availability is one higher. Empty: "
           "it stays what it is."));
    row(rows, QString(), m_gate,
        tr("With X every process holds what arrives, and its clock stands still; Alt+5 lets one message through. A "
           "simulated cluster can always do that."));
    row(rows, QString(), m_merges,
        tr("When few records are left, the last bucket goes back into the one that it was split from, and the file is "
           "smaller by one bucket."));
    row(rows, QString(), m_mixKeys,
        tr("Clients address by a mix of the key’s bits: keys with a pattern, such as all even ones, spread evenly "
           "too."));
    row(rows, QString(), m_pureRs,
        tr("Multiplies also where a coefficient is 1 and XOR would do, to measure what XOR saves. What is stored is "
           "the same."));
    row(rows, tr("clients"), m_clients,
        tr("Processes that insert, update, search and delete: alice, bob, … More can be started later."));
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
    auto* keyFile = new QLineEdit(this);
    keyFile->setObjectName(QStringLiteral("keyFile"));
    keyFile->setPlaceholderText(tr("keys come later: loopback only, no key needed"));
    keyFile->setAccessibleName(tr("Key file"));
    explain(keyFile,
        tr("Keys and authentication come later. Until then everything listens on the loopback interface only, and no "
           "key is asked for."));
    keyFile->setEnabled(false);
    auto* secret = new QHBoxLayout;
    secret->setSpacing(8);
    auto* keyWords = new QLabel(tr("key file"), this);
    keyWords->setEnabled(false);
    secret->addWidget(keyWords);
    secret->addWidget(keyFile, 1);
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

LocalOptions StartForm::localOptions() const
{
    LocalOptions options;
    options.config.set_m(std::uint32_t(m_m->value()));
    options.config.set_availability(std::uint32_t(m_k->value()));
    options.config.set_b(std::uint32_t(m_b->value()));
    options.config.set_field(m_field->currentIndex() == 1 ? pb::GF_8 : pb::GF_16);
    options.config.set_recovery(m_recovery->currentIndex() == 0 ? pb::RECOVERY_AUTOMATIC
            : m_recovery->currentIndex() == 1                   ? pb::RECOVERY_ON_ALARM
            : m_recovery->currentIndex() == 2                   ? pb::RECOVERY_OFF
                                                                : pb::RECOVERY_MANUAL);
    if (m_recovery->currentIndex() != 2) // a few slices for each bucket, so that they can be seen
        options.config.set_slice(m_slice->value() > 0
                ? std::uint32_t(m_slice->value())
                : std::uint32_t(std::clamp(m_b->value() / kSlicesShown, 1, kSliceMax)));
    options.config.set_recovery_transport(m_transport->currentIndex() == 1 ? pb::RECOVERY_UDP : pb::RECOVERY_TCP);
    options.config.set_tcp_mode(m_tcp->currentIndex() == 1 ? pb::TCP_HANDSHAKE : pb::TCP_PASSIVE);
    options.config.set_parallel_splits(m_split->currentIndex() == 1);
    options.config.set_rerank(m_rerank->currentIndex() == 1 ? pb::KEEP : pb::FILL_HOLES);
    options.config.set_load_control(std::uint32_t(m_loadControl->value()) * 10);
    options.config.set_merges(m_merges->isChecked());
    options.config.set_mix_keys(m_mixKeys->isChecked());
    options.config.set_pure_rs(m_pureRs->isChecked());
    std::uint32_t availability = options.config.availability();
    for (const std::uint32_t buckets : thresholds()) {
        pb::Threshold* threshold = options.config.add_thresholds();
        threshold->set_buckets(buckets);
        threshold->set_availability(++availability);
    }
    options.slowTimers = m_slow->isChecked();
    options.hasGate = m_gate->isChecked();
    options.dataServers = std::uint32_t(m_data->value());
    options.parityServers = std::uint32_t(m_parity->value());
    return options;
}

SimulatedOptions StartForm::simulatedOptions() const
{
    return { std::uint64_t(m_seed->value()), m_speed->currentData().toDouble() };
}

std::uint32_t StartForm::recordBytes() const { return std::uint32_t(m_recordBytes->value()); }

// The thresholds, as far as they are numbers; objectionToThresholds() reports the others.
std::vector<std::uint32_t> StartForm::thresholds() const
{
    std::vector<std::uint32_t> found;
    for (const QString& part : m_thresholds->text().split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        bool isNumber = false;
        if (const std::uint32_t buckets = part.trimmed().toUInt(&isNumber); isNumber && buckets > 0)
            found.push_back(buckets);
    }
    return found;
}

QString StartForm::objectionToThresholds() const
{
    std::uint32_t last = 0;
    int number = 0;
    for (const QString& part : m_thresholds->text().split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        bool isNumber = false;
        const std::uint32_t buckets = part.trimmed().toUInt(&isNumber);
        if (!isNumber || buckets == 0)
            return tr("“K grows at” has “%1”, which is not a number of data buckets. Write, for example, 8, 32.")
                .arg(part.trimmed());
        if (buckets <= last)
            return tr("“K grows at” has %1 after %2. Write the numbers ascending.").arg(buckets).arg(last);
        last = buckets;
        if (m_k->value() + ++number > m_k->maximum())
            return tr("“K grows at” would raise K above %1, its maximum. Leave out numbers, or begin with a lower K.")
                .arg(m_k->maximum());
    }
    return {};
}

std::uint32_t StartForm::clients() const { return std::uint32_t(m_clients->value()); }

int StartForm::processes() const { return m_data->value() + m_parity->value() + m_clients->value() + 1; }

QString StartForm::parameters() const
{
    return tr("m = %1, K = %2, b = %3").arg(m_m->value()).arg(m_k->value()).arg(m_b->value());
}

QString StartForm::address() const
{
    const QString words = m_address->text().trimmed();
    return words.endsWith(QLatin1Char(':')) ? QString() : words;
}

void StartForm::askForAddress()
{
    m_address->setFocus();
    m_address->setCursorPosition(int(m_address->text().size()));
}

QString StartForm::objectionToFile() const
{
    if (const QString why = NumberEntry::objectionIn(*this); !why.isEmpty())
        return why;
    if (m_parity->value() < m_k->value())
        return tr("The first group needs K = %1 parity servers, and there are %2. Add parity servers or lower K.")
            .arg(m_k->value())
            .arg(m_parity->value());
    if (m_slice->value() > m_b->value() * 4)
        return tr("A slice of %1 ranks is more than a bucket can ever hold (4 b = %2). Take a shorter slice, or 0.")
            .arg(m_slice->value())
            .arg(4 * m_b->value());
    return objectionToThresholds();
}

QString StartForm::objection() const
{
    const int processes = this->processes();
    if (const QString why = objectionToFile(); !why.isEmpty())
        return why;
    if (processes > kProcessesMax)
        return tr("%1 processes are more than this window starts (%2). Take fewer servers, or simulate them.")
            .arg(processes)
            .arg(kProcessesMax);
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
    // A full file: every data server holds a bucket with b records, and each group has its parity.
    const double full = double(m_b->value()) * (m_recordBytes->value() + kRecordExtra)
        * (m_data->value() + double(m_data->value()) * m_k->value() / m_m->value()) / 1e6;
    if (available > 0 && full + processes * kProcessMegabytes > available)
        return tr("When all servers are full their records take about %1 MB, and %2 MB are free. Lower b, the bytes of "
                  "a record, or the number of servers.")
            .arg(full, 0, 'f', 0)
            .arg(available);
    return {};
}

const QString& StartForm::multicastNote() const
{
    if (!m_multicastNote) {
        const QString why = QString::fromStdString(multicastTrouble());
        m_multicastNote = why.isEmpty()
            ? QString()
            : tr(" IP multicast does not work here (%1): spares are recruited one by one, by the registry.").arg(why);
    }
    return *m_multicastNote;
}

void StartForm::check()
{
    const QString why = objection();
    const int processes = this->processes();
    m_note->setText(!why.isEmpty() ? why
                                   : tr("%1 processes, about %2 MB. They end with this window.%3")
                                         .arg(processes)
                                         .arg(processes * kProcessMegabytes)
                                         .arg(multicastNote()));
    m_canStart = why.isEmpty();
    m_canSimulate = m_canStart || objectionToFile().isEmpty();
    m_start->setEnabled(m_canStart);
    m_simulate->setEnabled(m_canSimulate);
    const LocalOptions options = localOptions();
    m_line->setText(clusterLine(options, recordBytes()));
    m_command->setText(tr("1 × lhrs-coordinator, %1 × lhrs-node, %2 × lhrs-client%3; the same from a terminal: "
                          "lhrs-play FILE.js with this line in it")
                           .arg(m_data->value() + m_parity->value())
                           .arg(m_clients->value())
                           .arg(options.hasGate ? tr(", each with --gate") : QString()));
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
    m_explained.push_back(field);
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
    const auto key = [](const QObject* field) { return QStringLiteral("start/") + field->objectName(); };
    for (QSpinBox* field :
        { m_m, m_k, m_b, m_recordBytes, m_data, m_parity, m_clients, m_slice, m_seed, m_loadControl })
        field->setValue(int(remembered.number(key(field), field->minimum(), field->maximum(), field->value())));
    for (QComboBox* field : { m_field, m_recovery, m_transport, m_tcp, m_split, m_rerank, m_speed })
        field->setCurrentIndex(int(remembered.number(key(field), 0, field->count() - 1, field->currentIndex())));
    for (QCheckBox* field : { m_slow, m_gate, m_merges, m_mixKeys, m_pureRs })
        field->setChecked(remembered.flag(key(field), false));
    findChild<QPushButton*>("moreParameters")->setChecked(remembered.flag("start/more", false));
    m_thresholds->setText(remembered.text(key(m_thresholds), {}));
    m_address->setText(remembered.text(key(m_address), m_address->text()));
    check();
}

void StartForm::keep(Remembered& remembered) const
{
    const auto key = [](const QObject* field) { return QStringLiteral("start/") + field->objectName(); };
    for (const QSpinBox* field :
        { m_m, m_k, m_b, m_recordBytes, m_data, m_parity, m_clients, m_slice, m_seed, m_loadControl })
        remembered.keep(key(field), field->value());
    for (const QComboBox* field : { m_field, m_recovery, m_transport, m_tcp, m_split, m_rerank, m_speed })
        remembered.keep(key(field), field->currentIndex());
    for (const QCheckBox* field : { m_slow, m_gate, m_merges, m_mixKeys, m_pureRs })
        remembered.keep(key(field), field->isChecked());
    remembered.keep("start/more", findChild<QPushButton*>("moreParameters")->isChecked());
    remembered.keep(key(m_thresholds), m_thresholds->text());
    remembered.keep(key(m_address), m_address->text());
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
