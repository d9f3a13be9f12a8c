// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/start/start_page.h"

#include "gui/view/paint/flow_layout.h"

#include <QApplication>
#include <QFileInfo>
#include <QFrame>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QResizeEvent>
#include <QScrollArea>
#include <QScrollBar>
#include <QStackedWidget>
#include <QStyle>
#include <QVBoxLayout>

namespace lhrs::gui {

namespace {

constexpr qreal kButtonMargin = 16; // pixels at 100 % beside the words of a large button
constexpr int kPageMargin = 20, kBetweenSections = 22; // pixels
const QString kFirst = QStringLiteral("demo.js");

QPushButton* startButton(QWidget* parent, const char* id, const QString& words, const QString& what)
{
    auto* button = new QPushButton(words, parent);
    button->setObjectName(QString::fromLatin1(id));
    button->setAccessibleDescription(what);
    return button;
}

// Breaks the words into as many lines as they need.
QString wrapped(const QString& words, const QFontMetrics& metrics, int room)
{
    QString all, line;
    for (const QString& word : words.split(QLatin1Char(' '))) {
        const QString longer = line.isEmpty() ? word : line + QLatin1Char(' ') + word;
        const bool isOver = !line.isEmpty() && metrics.horizontalAdvance(longer) > room;
        if (isOver)
            all += line + QLatin1Char('\n');
        line = isOver ? word : longer;
    }
    return all + line;
}

QString scenarioFacts(const ScenarioFile& file)
{
    QStringList facts;
    if (file.exercise > 0)
        facts << StartPage::tr("exercise %1").arg(file.exercise);
    if (!file.minutes.isEmpty())
        facts << StartPage::tr("%1 minutes").arg(file.minutes);
    if (!file.needs.isEmpty())
        facts << file.needs;
    for (QString& fact : facts) // keeps a number with its unit
        fact.replace(QLatin1Char(' '), QChar(QChar::Nbsp));
    return facts.join(QStringLiteral("  ·  "));
}

// What an experiment repeats, and which results it writes.
QString experimentSentence(const ScenarioFile& file)
{
    const QStringList tables = cardTables(QFileInfo(file.path).completeBaseName());
    const QString words = tables.size() == 1 ? StartPage::tr("%1. Table: %2") : StartPage::tr("%1. Tables: %2");
    return tables.isEmpty() ? file.experiments : words.arg(file.experiments, tables.join(QStringLiteral(", ")));
}

} // namespace

StartPage::StartPage(const QString& scenarioDirectory, SystemsToStart systems, QWidget* parent)
    : QWidget(parent), m_form(new StartForm(std::move(systems), this)), m_stack(new QStackedWidget(this)),
      m_scroll(new QScrollArea(this)), m_inside(new QWidget), m_status(new QLabel(this)),
      m_firstWords(tr("Never seen LH*RS? Six minutes."))
{
    setObjectName(QStringLiteral("startPage"));
    m_status->setObjectName(QStringLiteral("startStatus"));
    m_status->setWordWrap(true);
    m_status->setContentsMargins(kPageMargin, 8, kPageMargin, 8);
    m_status->setAutoFillBackground(true);
    m_status->hide();
    m_scroll->setObjectName(QStringLiteral("startScroll"));
    m_scroll->setWidget(m_inside);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn); // otherwise the cards would move when it appears
    m_stack->addWidget(m_scroll);
    m_stack->addWidget(m_form);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->setSpacing(0);
    outer->addWidget(m_status);
    outer->addWidget(m_stack, 1);

    auto* rows = new QVBoxLayout(m_inside);
    rows->setContentsMargins(kPageMargin, kPageMargin, kPageMargin, kPageMargin);
    rows->setSpacing(kBetweenSections);
    rows->addWidget(makeFirst(scenarioDirectory));
    const std::vector<ScenarioFile> files = scenariosIn(scenarioDirectory);
    const QString none = tr("No scenario in %1. File, Open scenario opens one from elsewhere."),
                  nothing = none.arg(scenarioDirectory);
    CardSection* lectures = makeSection("lectures", tr("Lectures"),
        tr("Each is told in words and shown on real processes of this computer. PgDn goes on to the next step."));
    fillScenarios(*lectures, lecturesAmong(files), nothing, false);
    m_exercises = makeSection(
        "exercises", tr("Exercises"), tr("You get a task, do it in the window, and the result is checked."));
    fillScenarios(*m_exercises, scenariosIn(scenarioDirectory + QStringLiteral("/exercises")), {}, false);
    m_exercises->setVisible(!m_exercises->cards().empty());
    m_toExercises->setVisible(!m_exercises->cards().empty());
    makeFreePlay();
    CardSection* experiments = makeSection("experiments", tr("Experiments"),
        tr("What the papers measured, measured again on this computer. E1 to E19 are the papers’ experiments. The "
           "tables can be saved as CSV files."));
    fillScenarios(*experiments, experimentsAmong(files), nothing, true);
    makeRecordings();
    rows->addStretch(1);

    connect(m_form, &StartForm::localWanted, this, &StartPage::localWanted);
    connect(m_form, &StartForm::simulatedWanted, this, &StartPage::simulatedWanted);
    connect(m_form, &StartForm::connectWanted, this, &StartPage::connectWanted);
    connect(m_form, &StartForm::changed, this, &StartPage::showFreePlay);
    connect(m_form, &StartForm::left, this, [this] { showForm(false); });
    // The page scrolls to the widget with the keyboard focus.
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
        if (now && m_inside->isAncestorOf(now))
            m_scroll->ensureWidgetVisible(now, kPageMargin, kPageMargin);
    });
    showFreePlay();
    showRecordings();
}

// ---- contents

QWidget* StartPage::makeFirst(const QString& scenarioDirectory)
{
    auto* all = new QWidget(m_inside);
    m_title = new QLabel(tr("LHRS Lab"), all);
    m_intro = new QLabel(tr("A hash file that spreads over many servers and survives the loss of some. You can watch "
                            "its processes work, and break them."),
        all);
    m_intro->setWordWrap(true);
    auto* buttons = new QWidget(all);
    auto* flow = new FlowLayout(buttons, 12);
    flow->setContentsMargins(0, 0, 0, 0);
    m_first = startButton(buttons, "neverSeen", m_firstWords,
        tr("The demonstration of 2004 on a simulated cluster, step by step: PgDn goes on"));
    m_tour = startButton(buttons, "takeTour", QString(), tr("Eight things to do in this window, each with a hint"));
    m_toExercises = startButton(buttons, "toExercises", tr("Exercises"), tr("Tasks that are checked, further below"));
    for (QPushButton* button : { m_first, m_tour, m_toExercises }) {
        button->setToolTip(button->accessibleDescription());
        flow->addWidget(button);
    }
    auto* words = new QLabel(tr("The demonstration of 2004 on a simulated cluster: a file grows, servers fail, and no "
                                "record is lost."),
        all);
    words->setWordWrap(true);
    m_belowFirst.push_back(words);
    auto* rows = new QVBoxLayout(all);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(8);
    for (QWidget* part : std::initializer_list<QWidget*> { m_title, m_intro, buttons, words })
        rows->addWidget(part);
    setTourLeft(0);
    m_tour->hide();
    const QString first = scenarioDirectory + QLatin1Char('/') + kFirst;
    connect(m_first, &QPushButton::clicked, this, [this, first] { emit scenarioWanted(first, true); });
    connect(m_tour, &QPushButton::clicked, this, &StartPage::tourWanted);
    connect(m_toExercises, &QPushButton::clicked, this, [this] {
        m_exercises->cards().front()->setFocus(Qt::TabFocusReason);
        // Its heading is at the top, whatever its length.
        m_scroll->verticalScrollBar()->setValue(m_exercises->mapTo(m_inside, QPoint()).y());
    });
    return all;
}

CardSection* StartPage::makeSection(const char* id, const QString& heading, const QString& sentence)
{
    auto* section = new CardSection(QString::fromLatin1(id), heading, sentence, m_inside);
    m_inside->layout()->addWidget(section);
    m_sections.push_back(section);
    connect(section, &CardSection::arrow, this, [this](const Card* from, int key) { go(*from, key); });
    return section;
}

void StartPage::fillScenarios(
    CardSection& section, const std::vector<ScenarioFile>& files, const QString& nothing, bool isMeasured)
{
    if (files.empty())
        section.setSentence(nothing);
    for (const ScenarioFile& file : files) {
        const QString name = QFileInfo(file.path).completeBaseName();
        const QString words = isMeasured ? experimentSentence(file) : QString();
        const Card* card = section.add(name, { name, file.title, words, scenarioFacts(file) });
        connect(card, &Card::clicked, this, [this, path = file.path] { emit scenarioWanted(path, false); });
    }
}

void StartPage::makeFreePlay()
{
    m_freePlay = makeSection("freePlay", tr("Free play"),
        tr("A cluster of your own: insert, search, kill a server, and see what the others do about it."));
    m_live = m_freePlay->add(QStringLiteral("playLive"), { QStringLiteral("free_live"), tr("Live") });
    m_simulated = m_freePlay->add(
        QStringLiteral("playSimulated"), { QStringLiteral("free_simulated"), tr("Simulated") });
    m_running = m_freePlay->add(
        QStringLiteral("playRunning"), { QStringLiteral("free_running"), tr("A cluster that runs already") });
    m_parameters = startButton(m_freePlay, "chooseParameters", tr("Choose the parameters …"),
        tr("All parameters of live and simulated clusters, and the address of a running one"));
    m_parameters->setToolTip(m_parameters->accessibleDescription());
    m_freePlay->addBelow(m_parameters);
    connect(m_parameters, &QPushButton::clicked, this, [this] { showForm(true); });
    // If the parameters cannot work, the form says why.
    connect(m_live, &Card::clicked, this, [this] { m_form->canStart() ? emit localWanted() : showForm(true); });
    connect(
        m_simulated, &Card::clicked, this, [this] { m_form->canSimulate() ? emit simulatedWanted() : showForm(true); });
    connect(m_running, &Card::clicked, this, [this] {
        if (const QString address = m_form->address(); !address.isEmpty()) {
            emit connectWanted(address);
            return;
        }
        showForm(true);
        m_form->askForAddress();
    });
}

// Labels the buttons with what they do for the present parameters.
void StartPage::showFreePlay()
{
    const QString with = m_form->system().parameters(), address = m_form->address(),
                  picture = m_form->system().cardPicture();
    const std::uint64_t seed = m_form->simulatedOptions().seed;
    const QString changes = tr("These parameters do not work: opens them");
    m_live->say({ picture.isEmpty() ? QStringLiteral("free_live") : picture, tr("Live"),
        tr("Real processes on this computer, which talk by UDP, TCP and multicast and can really be killed."),
        m_form->canStart() ? tr("Starts %1 processes: %2").arg(m_form->processes()).arg(with) : changes });
    m_simulated->say({ picture.isEmpty() ? QStringLiteral("free_simulated") : picture, tr("Simulated"),
        tr("One process plays all parts in virtual time, which you can pause, step and slow down."),
        m_form->canSimulate() ? tr("Starts 1 process: %1, seed %2").arg(with).arg(seed) : changes });
    m_running->say({ QStringLiteral("free_running"), tr("A cluster that runs already"),
        tr("Watches and works with a cluster that somebody started from a terminal or a program."),
        address.isEmpty() ? tr("Asks for the address of its coordinator") : tr("Connects to %1").arg(address) });
    placeSections();
}

void StartPage::makeRecordings()
{
    m_recent = makeSection("recordings", tr("Recordings"), QString());
    m_open = startButton(m_recent, "openARecording", tr("Open a recording …"),
        tr("Chooses a file of a recorded run, .lhrun; no cluster is needed"));
    m_forget = startButton(m_recent, "forgetMissing", tr("Forget those that are missing"),
        tr("Removes recordings from this list whose files no longer exist"));
    for (QPushButton* button : { m_open, m_forget }) {
        button->setToolTip(button->accessibleDescription());
        m_recent->addBelow(button);
    }
    connect(m_open, &QPushButton::clicked, this, &StartPage::openRecordingWanted);
    connect(m_forget, &QPushButton::clicked, this, [this] {
        m_recordings.forgetMissing();
        m_open->setFocus();
        showRecordings();
        emit recordingsChanged();
    });
}

void StartPage::showRecordings()
{
    m_recent->clear();
    m_recent->setSentence(m_recordings.all().empty()
            ? tr("A run that you save is found again here: a lecture without a cluster, on any machine.")
            : tr("Runs that were opened or saved here, the last one first. They need no cluster."));
    bool isAnyMissing = false;
    for (const RecentRecording& known : m_recordings.all()) {
        const bool isThere = known.isThere();
        isAnyMissing = isAnyMissing || !isThere;
        QStringList facts { known.isSimulated ? tr("simulated") : tr("real processes") };
        if (!known.date().isEmpty())
            facts.prepend(known.date());
        if (!isThere)
            facts.prepend(tr("missing"));
        const QString name = QFileInfo(known.scenario).completeBaseName();
        const QString words = known.scenario.isEmpty() ? tr("Free play") : tr("Scenario %1").arg(known.scenario);
        const QString free = known.isSimulated ? QStringLiteral("free_simulated") : QStringLiteral("free_live");
        const QString picture = known.scenario.isEmpty() ? free : name;
        Card* card = m_recent->add(
            known.path, { picture, QFileInfo(known.path).fileName(), words, facts.join(QStringLiteral("  ·  ")) });
        card->setToolTip(known.path);
        card->setGrey(!isThere);
        card->setEnabled(isThere && !m_isBusy);
        connect(card, &Card::clicked, this, [this, path = known.path] { emit recordingWanted(path); });
    }
    m_forget->setVisible(isAnyMissing);
    placeSections();
}

void StartPage::noteRecording(const RecentRecording& recording)
{
    m_recordings.add(recording);
    showRecordings();
    emit recordingsChanged();
}

// ---- the tour

void StartPage::setTourThere(bool on) { m_tour->setVisible(on); }

void StartPage::setTourLeft(int stop)
{
    m_tourWords = stop > 0 && stop <= kTourStops ? tr("Go on with the tour, stop %1 of %2").arg(stop).arg(kTourStops)
                                                 : tr("Take the tour: eight stops, you do it yourself");
    m_tour->setText(m_tourWords);
    placeSections();
}

// ---- appearance

void StartPage::showForm(bool on)
{
    m_stack->setCurrentWidget(on ? static_cast<QWidget*>(m_form) : m_scroll);
    on ? m_form->focusSystem() : m_parameters->setFocus(Qt::OtherFocusReason);
}

bool StartPage::showsForm() const { return m_stack->currentWidget() == m_form; }

void StartPage::setStatus(const QString& words, bool isTrouble)
{
    m_status->setText(isTrouble ? tr("That did not work. %1").arg(words) : words);
    m_status->setVisible(!words.isEmpty());
}

void StartPage::setBusy(bool on)
{
    m_isBusy = on;
    m_form->setBusy(on);
    for (QPushButton* button : { m_first, m_tour, m_open })
        button->setEnabled(!on);
    for (const CardSection* section : m_sections)
        for (Card* card : section->cards())
            card->setEnabled(!on && !card->isGrey());
    m_title->setText(on ? tr("One moment") : tr("LHRS Lab"));
}

void StartPage::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_title->setFont(theme.font({ TextSize::Caption, true }));
    m_intro->setFont(theme.font({ TextSize::Strong }));
    m_status->setFont(theme.font({ TextSize::Strong, true }));
    // The window's style sheet gives buttons small letters.
    const QString large = QStringLiteral("font-size: %1px; padding: %2px %3px;")
                              .arg(theme.font({ TextSize::Title }).pixelSize())
                              .arg(qRound(theme.px(10)))
                              .arg(qRound(theme.px(kButtonMargin)));
    for (QPushButton* button : { m_first, m_tour, m_toExercises })
        button->setStyleSheet(button == m_first ? large + QStringLiteral(" font-weight: bold;") : large);
    for (QLabel* label : m_belowFirst)
        label->setFont(theme.font({ TextSize::Body }));
    for (CardSection* section : m_sections)
        section->setTheme(theme);
    m_form->setTheme(theme);
    placeSections();
}

void StartPage::placeSections()
{
    const int room = width() - 2 * kPageMargin - style()->pixelMetric(QStyle::PM_ScrollBarExtent);
    for (CardSection* section : m_sections)
        section->setRoom(room);
    // Large letters in a narrow window: the words of a button are wrapped.
    QFont large = m_theme.font({ TextSize::Title, true });
    const int inside = room - 2 * qRound(m_theme.px(kButtonMargin)) - 8;
    for (const auto& [button, words] : { std::pair(m_first, m_firstWords), std::pair(m_tour, m_tourWords) })
        button->setText(inside > 0 ? wrapped(words, QFontMetrics(large), inside) : words);
}

// Files may be added and removed while the window shows something else.
void StartPage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    showRecordings();
}

// A card is opened by Return, so a button beside it is pressed by Return, too.
void StartPage::keyPressEvent(QKeyEvent* event)
{
    auto* button = qobject_cast<QPushButton*>(focusWidget());
    if (button != nullptr && (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter))
        button->click();
    else
        QWidget::keyPressEvent(event);
}

void StartPage::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    placeSections();
}

// ---- keyboard

void StartPage::go(const Card& from, int key)
{
    std::vector<Card*> cards;
    for (const CardSection* section : m_sections)
        for (Card* card : section->cards())
            if (card->isVisible() && card->isEnabled())
                cards.push_back(card);
    if (Card* next = cardBeside(from, key, cards, *m_inside))
        next->setFocus(Qt::OtherFocusReason);
}

// ---- remembered state

void StartPage::recall(const Remembered& remembered)
{
    m_form->recall(remembered);
    m_recordings.recall(remembered);
    showRecordings();
}

void StartPage::keep(Remembered& remembered) const
{
    m_form->keep(remembered);
    m_recordings.keep(remembered);
}

} // namespace lhrs::gui
