// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/editor/editor_panel.h"

#include "gui/lab/script/script_engine.h"
#include "gui/lab/script/script_words.h"
#include "gui/view/paint/display_list.h"
#include "gui/view/paint/flow_layout.h"
#include "gui/window/widgets/actions.h"
#include "gui/window/widgets/find_bar.h"
#include "gui/window/player/player.h"

#include <QAccessible>
#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QFileInfo>
#include <QIcon>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <tuple>
#include <utility>

namespace lhrs::gui {

namespace {

constexpr int kRest = 400; // milliseconds after the last key press
constexpr double kShowEvery = 0.2; // seconds between two checks of the running script
constexpr std::size_t kOffersMax = 3;
constexpr int kLinesLeast = 3; // lines of the text that stay visible during a search

// Finds the first word of lab that lab does not have.
LineNote unknownIn(const QString& text)
{
    int state = 0, number = 0;
    for (const QStringView line : QStringView(text).split(u'\n')) {
        ++number;
        for (const ScriptWord& word : scriptWordsOf(line, state))
            if (word.kind == ScriptWordKind::UnknownCall)
                return { number, callHelp(line.toString(), word.at) };
    }
    return {};
}

} // namespace

EditorPanel::EditorPanel(Player& player, Actions& actions, const Places& places, QWidget* parent)
    : QWidget(parent), m_player(player), m_places(places), m_store(places.unsaved), m_edit(new ScriptEdit(this)),
      m_side(new PlayPanel(player, actions)), m_find(new FindBar(*m_edit, this)), m_file(new QLabel(this)),
      m_banner(new QLabel(this)), m_words(new QLabel(this)), m_bar(new QWidget(this)), m_bannerRow(new QWidget(this))
{
    setObjectName(QStringLiteral("editorPanel"));
    m_file->setObjectName(QStringLiteral("scenarioFile"));
    m_banner->setObjectName(QStringLiteral("editorBanner"));
    m_banner->setWordWrap(true);
    m_words->setObjectName(QStringLiteral("editorWords"));
    m_words->setWordWrap(true);
    m_words->setAlignment(Qt::AlignLeft | Qt::AlignTop);

    // One row where there is room for it.
    auto* flow = new FlowLayout(m_bar, 4);
    flow->setContentsMargins(6, 4, 6, 4);
    for (const auto& [id, words, glyph] :
        { std::tuple("runScenario", tr("Run"), Glyph::Play), std::tuple("pauseScenario", tr("Pause"), Glyph::Pause),
            std::tuple("nextCall", tr("Next call"), Glyph::Next), std::tuple("nextStep", tr("Next step"), Glyph::None),
            std::tuple("stopScenario", tr("Stop"), Glyph::Stop) })
        flow->addWidget(button(actions, id, words, glyph));
    for (const auto& [id, words] : { std::pair("newScenario", tr("New")), std::pair("openScenario", tr("Open")),
             std::pair("saveScenario", tr("Save")), std::pair("findText", tr("Find")),
             std::pair("recordClicks", tr("Record my clicks")) })
        flow->addWidget(button(actions, id, words));
    flow->addWidget(m_file);

    auto* bannerBox = new QVBoxLayout(m_bannerRow);
    bannerBox->setContentsMargins(8, 4, 8, 4);
    bannerBox->setSpacing(4);
    bannerBox->addWidget(m_banner);
    auto* offers = new QHBoxLayout;
    for (std::size_t i = 0; i < kOffersMax; ++i) {
        auto* made = new QPushButton(m_bannerRow);
        made->setObjectName(QStringLiteral("offer%1").arg(i + 1));
        offers->addWidget(made);
        m_offers.push_back(made);
    }
    offers->addStretch(1);
    bannerBox->addLayout(offers);
    m_bannerRow->setAutoFillBackground(true);
    m_bannerRow->hide();

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_bar);
    column->addWidget(m_bannerRow);
    column->addWidget(m_find);
    column->addWidget(m_edit, 1);
    column->addWidget(m_words);
    setFocusPolicy(Qt::StrongFocus);
    setFocusProxy(m_edit);
    m_find->installEventFilter(this);

    m_idle.setSingleShot(true);
    m_idle.setInterval(kRest);
    connect(&m_idle, &QTimer::timeout, this, &EditorPanel::rest);
    connect(m_edit, &QPlainTextEdit::textChanged, this, [this] {
        m_idle.start();
        if (hasText() != std::exchange(m_hadText, hasText()))
            emit fileChanged();
    });
    connect(m_edit->document(), &QTextDocument::modificationChanged, this, &EditorPanel::showFile);
    connect(m_edit, &QPlainTextEdit::cursorPositionChanged, this, &EditorPanel::showWords);
    connect(m_edit, &ScriptEdit::breakpointsChanged, this, &EditorPanel::setBreakpoints);
    const auto wire = [&](auto signal, const char* id) {
        QAction* action = actions.get(id);
        connect(m_edit, signal, action, [action] {
            if (action->isEnabled())
                action->trigger();
        });
    };
    wire(&ScriptEdit::saveWanted, "saveScenario");
    wire(&ScriptEdit::saveAsWanted, "saveScenarioAs");
    wire(&ScriptEdit::newWanted, "newScenario");
    wire(&ScriptEdit::findWanted, "findText");
    connect(m_side, &PlayPanel::lineChosen, this, [this](int line) {
        m_edit->goTo(line);
        m_edit->setFocus();
    });
    m_player.setPrepare([this] { return prepareRun(); });
    showFile();
    showWords();
}

QPushButton* EditorPanel::button(Actions& actions, const char* id, const QString& words, Glyph glyph)
{
    QAction* action = actions.get(id);
    auto* made = new QPushButton(words, this);
    made->setObjectName(QLatin1String(id) + QStringLiteral("Here"));
    made->setCheckable(action->isCheckable());
    const auto follow = [made, action] {
        made->setEnabled(action->isEnabled());
        made->setChecked(action->isChecked());
        made->setToolTip(action->toolTip());
    };
    follow();
    connect(action, &QAction::changed, made, follow);
    connect(made, &QPushButton::clicked, action, &QAction::trigger);
    if (glyph != Glyph::None)
        m_faces.emplace_back(made, glyph);
    return made;
}

void EditorPanel::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_edit->setTheme(theme);
    m_side->setTheme(theme);
    m_find->setTheme(theme);
    m_file->setFont(theme.font({ TextSize::Small, true }));
    m_file->setMinimumHeight(m_bar->findChild<QPushButton*>()->sizeHint().height()); // in the middle of its row
    m_banner->setFont(theme.font({ TextSize::Small }));
    m_words->setFont(theme.font({ TextSize::Small }));
    m_words->setMargin(int(theme.px(4)));
    m_words->setMinimumHeight(int(2 * theme.lineHeight({ TextSize::Small }) + theme.px(10)));
    QPalette colours = palette();
    colours.setColor(QPalette::Window, theme.cardHeader);
    m_bannerRow->setPalette(colours);
    const int pixels = int(theme.px(12));
    for (const auto& [face, glyph] : m_faces) {
        QIcon icon(QPixmap::fromImage(glyphImage(glyph, theme.text, pixels)));
        QColor pale = theme.text;
        pale.setAlpha(110);
        icon.addPixmap(QPixmap::fromImage(glyphImage(glyph, pale, pixels)), QIcon::Disabled);
        face->setIcon(icon);
    }
    makeRoom();
    showFile();
    m_words->clear(); // makes the words appear again in the new colour
    showWords();
}

void EditorPanel::openFind() { m_find->open(); }

// ---- when the person stops typing

void EditorPanel::rest()
{
    m_idle.stop();
    const QString text = m_edit->text();
    if (isChanged())
        m_storeTrouble = m_store.keep({ m_path, text, m_hasCrLf, m_hasBom, m_digest, {}, {} });
    else
        m_store.forget();
    m_hasCalls = !callLinesOf(text).empty();
    const auto problem = text.trimmed().isEmpty() ? std::nullopt : ScriptEngine::check(text);
    m_problem = problem ? LineNote { problem->line,
        problem->hint.isEmpty() ? problem->message : problem->message + QStringLiteral(". ") + problem->hint }
                        : LineNote();
    m_edit->setProblem(m_problem);
    m_unknown = unknownIn(text);
    if (!problem && m_hasCalls)
        m_player.setText(text, fileName());
    m_version.reset(); // its lines may have moved
    showWords();
    emit fileChanged();
}

// ---- the run

QString EditorPanel::prepareRun()
{
    const QString text = m_edit->text();
    if (text.trimmed().isEmpty())
        return {}; // nothing has been opened or written here
    rest();
    if (m_problem.line > 0) {
        m_edit->goTo(m_problem.line);
        return tr("%1, line %2: %3").arg(fileName()).arg(m_problem.line).arg(m_problem.text);
    }
    m_player.setText(text, fileName());
    const QString beside = QFileInfo(m_path).absolutePath() + QStringLiteral("/paper");
    m_player.run().settings().paperDirectory = !m_path.isEmpty() && QFileInfo(beside).isDir()
        ? beside
        : m_places.scenarios + QStringLiteral("/paper");
    m_edit->beginRun();
    m_runText = text;
    m_rows = 0;
    setBreakpoints();
    return {};
}

void EditorPanel::showProblem()
{
    if (m_problem.line > 0)
        m_edit->goTo(m_problem.line);
    m_edit->setFocus();
}

void EditorPanel::setBreakpoints()
{
    std::set<int> lines = m_edit->breakpointsOfRun();
    if (m_runTo > 0)
        lines.insert(m_runTo);
    m_player.run().engine().setBreakpoints(std::move(lines));
}

void EditorPanel::runToCursor()
{
    const std::vector<int> calls = callLinesOf(m_edit->text());
    const auto call = std::lower_bound(calls.begin(), calls.end(), m_edit->cursorLine());
    if (call == calls.end()) {
        say(tr("There is no call from line %1 on, so the scenario would not stop there.").arg(m_edit->cursorLine()));
        return;
    }
    m_runTo = m_player.run().isRunning() ? m_edit->lineOfRun(*call) : *call;
    setBreakpoints();
    m_player.runToEnd();
}

void EditorPanel::insertRecorded(const QString& line) { m_edit->insertLine(line); }

bool EditorPanel::refresh(double seconds)
{
    m_time += seconds;
    m_edit->setPaging(!m_player.run().isRunning());
    const std::uint64_t version = m_player.run().trace().version();
    if (version == m_version && !(m_player.run().isRunning() && m_time - m_shownAt >= kShowEvery))
        return false;
    PlayState play = m_player.run().trace().state();
    const bool isOurs = m_runText.has_value();
    if (version != m_version) {
        RunMarks marks;
        const bool hadEnded = !m_edit->runMarks().isRunning;
        if (isOurs) {
            marks = { play.isRunning, play.isHeld, play.line, play.reached, {} };
            for (const LineFault& fault : play.faults)
                marks.faults.push_back({ fault.line, fault.text });
        }
        m_edit->showRun(marks);
        // The error that ended the script is scrolled into view, unless the text has been changed meanwhile.
        if (!hadEnded && !marks.isRunning && !marks.faults.empty() && m_runText == m_edit->text())
            m_edit->goTo(m_edit->lineNow(marks.faults.back().line));
    }
    if (m_runTo > 0 && (play.isHeld || !play.isRunning) && version != m_version) {
        m_runTo = 0;
        setBreakpoints();
    }
    m_version = version;
    if (m_time - m_shownAt >= kShowEvery || play.isHeld || !play.isRunning) {
        m_shownAt = m_time;
        // The lines of the steps are those of the present text.
        std::vector<PlannedStep> plan = m_player.scenario().plan;
        if (!isOurs)
            play.steps.clear();
        for (PlayedStep& step : play.steps)
            step.line = m_edit->lineNow(step.line);
        if (play.isRunning && isOurs)
            for (PlannedStep& step : plan)
                step.line = m_edit->lineNow(step.line);
        m_side->showSteps(plan, play);
        if (play.rows != m_rows) {
            m_rows = play.rows;
            m_side->showRows();
        }
    } else {
        m_version.reset(); // the next check shows the rest
    }
    showWords();
    return false;
}

// ---- messages

QString EditorPanel::banner() const { return m_bannerRow->isVisibleTo(this) ? m_banner->text() : QString(); }

QString EditorPanel::words() const { return m_words->text(); }

// Shows one message at a time, with buttons for what can be done about it; empty words: the matter is settled.
void EditorPanel::say(const QString& words, std::vector<Offer> offers)
{
    m_banner->setText(words);
    if (!words.isEmpty() && offers.empty())
        offers.push_back({ tr("All right"), [] {} });
    for (std::size_t i = 0; i < m_offers.size(); ++i) {
        QPushButton* made = m_offers[i];
        disconnect(made, &QPushButton::clicked, nullptr, nullptr); // only this connection: the style is connected too
        made->setVisible(i < offers.size());
        if (i >= offers.size())
            continue;
        made->setText(offers[i].words);
        connect(made, &QPushButton::clicked, this, [this, act = offers[i].act] {
            say({});
            act();
        });
    }
    m_bannerRow->setVisible(!words.isEmpty());
}

void EditorPanel::showWords()
{
    const auto notes = m_edit->notes();
    const RunMarks& marks = m_edit->runMarks();
    const bool isOlder = marks.isRunning && m_runText && *m_runText != m_edit->text();
    bool isBad = false;
    QString words;
    if (const auto here = notes.find(m_edit->cursorLine()); here != notes.end()) {
        words = tr("Line %1: %2").arg(here->first).arg(here->second);
        isBad = true;
    } else if (m_problem.line > 0) {
        words = tr("Line %1: %2").arg(m_problem.line).arg(m_problem.text);
        isBad = true;
    } else if (marks.isRunning) {
        const QString call = m_player.run().trace().state().call;
        words = marks.isHeld ? tr("Stopped before line %1, %2. F10: this call; PgDn: to the next step; Ctrl+R: on.")
                                   .arg(m_edit->currentLine())
                                   .arg(call)
            : marks.line > 0 ? tr("Line %1: %2 …").arg(m_edit->currentLine()).arg(call)
                             : tr("begins …");
        if (isOlder)
            words += tr(" It runs as it was when it began; changes take effect in the next run.");
    } else if (!notes.empty()) {
        words = tr("Line %1: %2").arg(notes.begin()->first).arg(notes.begin()->second);
        isBad = true;
    } else if (!m_storeTrouble.isEmpty()) {
        words = m_storeTrouble;
        isBad = true;
    } else if (m_unknown.line > 0) {
        words = tr("Line %1: %2").arg(m_unknown.line).arg(m_unknown.text);
        isBad = true;
    } else if (!m_hasCalls) {
        words = tr("Write lab. and choose, or record your clicks. F9, or a click on a line number, makes a scenario "
                   "stop there.");
    } else {
        words = tr("No error found. Ctrl+R runs it, F10 makes one call.");
    }
    if (words == m_words->text())
        return;
    m_words->setText(words);
    if (marks.isHeld || isBad) { // tells screen readers too
        QAccessibleEvent event(m_words, QAccessible::Alert);
        QAccessible::updateAccessibility(&event);
    }
    QPalette colours = m_words->palette();
    colours.setColor(QPalette::WindowText, isBad ? m_theme.badText : m_theme.muted);
    m_words->setPalette(colours);
}

bool EditorPanel::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::WindowActivate && watched == window())
        checkDisk();
    if (watched == m_find && (event->type() == QEvent::Show || event->type() == QEvent::Hide))
        makeRoom();
    return QWidget::eventFilter(watched, event);
}

void EditorPanel::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    makeRoom();
}

// Large text in a low window: during a search the words below the text are hidden to leave lines of the text visible.
// If that is not enough, the buttons are hidden too, which are also in the menu.
void EditorPanel::makeRoom()
{
    const int lines = std::max(m_edit->minimumSizeHint().height(), kLinesLeast * m_edit->fontMetrics().lineSpacing());
    const int withBar = m_bar->heightForWidth(width()) + m_find->heightForWidth(width()) + lines;
    m_words->setVisible(m_find->isHidden() || height() >= withBar + m_words->minimumHeight());
    m_bar->setVisible(m_find->isHidden() || height() >= withBar);
}

void EditorPanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    window()->removeEventFilter(this);
    window()->installEventFilter(this);
    offerLeft();
    checkDisk();
}

} // namespace lhrs::gui
