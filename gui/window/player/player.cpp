// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/player/player.h"

#include "gui/lab/script/scenario_file.h"
#include "gui/lab/local/session.h"
#include "gui/view/paint/display_list.h"
#include "gui/window/widgets/choice_row.h"

#include <QAccessible>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QIcon>
#include <QListView>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <numeric>

namespace lhrs::gui {

namespace {

constexpr qreal kHistoryFrom = 900; // pixels at 100 %: a strip this wide has room for earlier captions too
constexpr qreal kHistoryWide = 290;
constexpr qreal kClearlySmaller = 0.8;

} // namespace

Player::Player(Session& session, Director& director, QWidget* parent)
    : QWidget(parent), m_director(director), m_hallStory(new HallStory(this)), m_step(new QLabel(this)),
      m_badge(new QLabel(this)), m_progress(new QLabel(this)), m_caption(new CaptionLabel(this)),
      m_choices(new ChoiceRow(this)), m_history(new QListView(this)), m_next(new QPushButton(tr("Next step"), this)),
      m_run(new QPushButton(tr("Run"), this)), m_stop(new QPushButton(tr("Stop"), this)), m_engine(session, *this)
{
    setObjectName(QStringLiteral("player"));
    m_caption->setObjectName(QStringLiteral("caption"));
    m_hallStory->setSourceModel(&m_story);
    m_history->setObjectName(QStringLiteral("captionHistory"));
    m_history->setAccessibleName(tr("Captions so far"));
    m_history->setModel(m_hallStory);
    m_history->setWordWrap(true);
    m_history->setTextElideMode(Qt::ElideNone);
    m_history->setSelectionMode(QAbstractItemView::NoSelection);
    m_history->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_history->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_history->setResizeMode(QListView::Adjust);
    m_history->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_history->hide();
    m_step->setObjectName(QStringLiteral("step"));
    m_badge->setObjectName(QStringLiteral("repeatedBadge"));
    m_badge->setMargin(3);
    m_badge->setAutoFillBackground(true);
    m_badge->hide();
    m_progress->setObjectName(QStringLiteral("progress"));
    m_progress->setToolTip(tr("The steps, what held of what was expected, and for how long the scenario has run, "
                              "by the clock on the wall"));
    m_next->setObjectName(QStringLiteral("nextStepButton"));
    m_run->setObjectName(QStringLiteral("runScenarioButton"));
    m_stop->setObjectName(QStringLiteral("stopScenarioButton"));
    m_run->setToolTip(tr("Runs the scenario to its end (Ctrl+R)"));
    m_stop->setToolTip(tr("Stops the scenario (Ctrl+.)"));
    m_step->installEventFilter(this);
    m_step->setMinimumWidth(1); // a long title must not make the window wider
    m_progress->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    auto* head = new QHBoxLayout;
    head->setSpacing(18); // keeps an ellipsis apart from the next text
    head->addWidget(m_badge);
    head->addWidget(m_step, 1);
    head->addWidget(m_progress);
    auto* left = new QVBoxLayout;
    left->setSpacing(0);
    left->addLayout(head);
    left->addWidget(m_caption, 1);
    left->addWidget(m_choices);
    auto* buttons = new QVBoxLayout;
    buttons->setSpacing(4);
    buttons->addWidget(m_next, 1);
    auto* small = new QHBoxLayout;
    small->addWidget(m_run);
    small->addWidget(m_stop);
    buttons->addLayout(small);
    auto* box = new QHBoxLayout(this);
    box->setContentsMargins(14, 6, 10, 8);
    box->setSpacing(14);
    box->addLayout(left, 1);
    box->addWidget(m_history);
    box->addLayout(buttons);
    connect(
        m_hallStory, &QAbstractItemModel::rowsInserted, m_history, &QListView::scrollToBottom, Qt::QueuedConnection);
    connect(m_hallStory, &QAbstractItemModel::rowsInserted, this, &Player::arrange);
    connect(m_hallStory, &QAbstractItemModel::modelReset, this, &Player::arrange);
    connect(m_next, &QPushButton::clicked, this, &Player::next);
    connect(m_run, &QPushButton::clicked, this, &Player::runToEnd);
    connect(m_choices, &ChoiceRow::voted, this, &Player::vote);
    connect(m_choices, &ChoiceRow::wordsMoved, this, &Player::showWords);
    connect(m_stop, &QPushButton::clicked, this, &Player::stopWanted);
    setCaption(tr("What happens is told here. Ctrl+O opens a scenario."));
    showButtons();
}

Player::~Player()
{
    m_engine.stop();
    m_answered.notify_all();
}

// ---- commands of a person

bool Player::load(const QString& path)
{
    if (isRunning())
        return false;
    m_director.end();
    m_story.clear();
    m_source.clear();
    m_plan.clear();
    m_stepNow.clear();
    m_file = QFileInfo(path).fileName();
    const auto read = readScenario(path);
    if (!read) {
        setCaption(QString::fromStdString(read.error().text));
        return false;
    }
    if (const auto problem = ScriptEngine::check(read->text)) {
        setCaption(tr("%1, line %2: %3 %4").arg(m_file).arg(problem->line).arg(problem->message, problem->hint));
        return false;
    }
    m_expectationsHeld = m_expectationsFailed = 0;
    setText(read->text, m_file);
    return true;
}

void Player::forgetWords()
{
    if (isRunning())
        return;
    m_story.clear();
    m_tellings.clear();
    m_toldEvent = 0;
    m_stepNow.clear();
    setProgress({});
    setCaption(tr("What happens is told here. Ctrl+O opens a scenario."));
}

void Player::setText(const QString& source, const QString& file)
{
    if (isRunning())
        return;
    const bool isOther = m_source.isEmpty() || file != m_file;
    m_source = source;
    m_file = file;
    m_title = headerOf(source).title;
    if (m_title.isEmpty())
        m_title = m_file;
    m_plan = planOf(source);
    m_stepsInAll = stepsOf(source);
    if (isOther) {
        m_stepNow = m_title;
        setCaption(tr("Press PgDn or the clicker to begin."));
        setProgress(m_stepsInAll > 0 ? tr("%1 steps").arg(m_stepsInAll) : QString());
    }
    showButtons();
}

RunFacts Player::runFacts(RunFacts facts) const
{
    const RunIdentity identity = m_engine.identity();
    facts.run = identity.run;
    facts.isSimulated = identity.isSimulated;
    facts.scenario = m_file;
    facts.seed = QString::number(m_settings.seed);
    const std::lock_guard lock(m_mutex);
    facts.parameters = m_parameters;
    return facts;
}

std::vector<ClusterFacts> Player::clusters() const
{
    const std::lock_guard lock(m_mutex);
    return m_clusters;
}

void Player::launch(ScriptStops stops)
{
    if (isRunning())
        return;
    if (const QString problem = m_prepare ? m_prepare() : QString(); !problem.isEmpty()) {
        setCaption(problem);
        return;
    }
    if (!isLoaded())
        return;
    m_story.clear();
    m_trace.start();
    m_expectationsHeld = m_expectationsFailed = 0;
    {
        const std::lock_guard lock(m_mutex);
        m_mail = Mail();
        m_lastCue = {};
        m_parameters.clear();
        m_clusters.clear();
    }
    m_isScriptHeld = false;
    m_charts.clear();
    m_since.start();
    m_hasSpoken = m_hasTask = false;
    m_stepNow = m_title;
    m_director.beginLive();
    m_director.setStops(stops != ScriptStops::Nowhere);
    setCaption(tr("The scenario prepares its cluster …"));
    m_engine.setStops(stops);
    m_engine.start(m_source, m_file, m_settings);
    m_wasRunning = true;
    emit runningChanged(true);
    showButtons();
}

void Player::start() { launch(ScriptStops::BeforeSteps); }

// Returns whether the script waits at a question; if so, the question now counts as answered and the script continues.
bool Player::isAsking()
{
    const std::lock_guard lock(m_mutex);
    if (!m_mail.question || m_mail.isAnswered)
        return false;
    m_mail.isAnswered = true;
    m_answered.notify_all();
    return true;
}

void Player::goOn(ScriptStops stops)
{
    {
        const std::lock_guard lock(m_mutex);
        m_mail.mayAsk = true;
    }
    if (!m_director.waitsForPerson())
        m_director.setScript(Director::Script::Runs);
    if (!m_isScriptHeld) {
        m_engine.setStops(stops);
        return;
    }
    m_isScriptHeld = false;
    m_trace.proceed();
    m_engine.proceed(stops);
}

void Player::next()
{
    if (!isRunning() && (!m_director.isOn() || m_director.isOver())) {
        start();
        return;
    }
    switch (m_director.next()) {
    case Director::Went::Answered: isAsking(); break;
    case Director::Went::NextStep:
        if (isRunning())
            goOn(ScriptStops::BeforeSteps);
        break;
    case Director::Went::Nowhere:
    case Director::Went::Skipped:
    case Director::Went::Resumed: break;
    }
    showButtons();
}

void Player::pause()
{
    if (isRunning())
        m_engine.setStops(ScriptStops::BeforeCalls);
}

void Player::nextCall()
{
    if (m_director.await() == Director::Await::Question)
        return next();
    if (!isRunning())
        return launch(ScriptStops::BeforeCalls);
    if (isHeld())
        (void)m_director.next();
    goOn(ScriptStops::BeforeCalls);
}

void Player::runToEnd()
{
    if (!isRunning())
        launch(ScriptStops::Nowhere);
    m_director.setStops(false);
    {
        const std::lock_guard lock(m_mutex);
        m_mail.mayAsk = false;
    }
    if (!m_director.waitsForPerson())
        m_director.setScript(Director::Script::Runs);
    if (m_isScriptHeld) { // a script that has just begun may already wait at a breakpoint
        m_trace.proceed();
        m_engine.proceed(ScriptStops::Nowhere);
    } else {
        m_engine.setStops(ScriptStops::Nowhere);
    }
    m_isScriptHeld = false;
    m_answered.notify_all();
    showButtons();
}

void Player::stop()
{
    m_engine.stop();
    m_answered.notify_all();
}

void Player::vote(int choice)
{
    if (!mayVote())
        return;
    const std::lock_guard lock(m_mutex);
    if (m_mail.question && !m_mail.isAnswered && choice >= 1 && choice <= int(m_mail.votes.size())) {
        ++m_mail.votes[std::size_t(choice - 1)];
        m_votedLast = choice;
    }
}

void Player::voteAgain(int difference)
{
    if (!mayVote())
        return;
    const std::lock_guard lock(m_mutex);
    if (!m_mail.question || m_mail.isAnswered || m_mail.votes.empty())
        return;
    int& votes = m_mail.votes[std::size_t(std::clamp(m_votedLast, 1, int(m_mail.votes.size())) - 1)];
    votes = std::max(0, votes + difference);
}

// ---- what is shown

void Player::setCaption(const QString& text)
{
    m_captionNow = text;
    showWords();
}

void Player::setProgress(const QString& text)
{
    m_progressNow = text;
    showWords();
}

void Player::setNotice(const QString& words)
{
    if (words == m_notice)
        return;
    m_notice = words;
    showNotice();
    if (words.isEmpty())
        return;
    QAccessibleEvent event(m_progress, QAccessible::Alert);
    QAccessible::updateAccessibility(&event);
}

void Player::showPast(const CaptionTrack* track, const CaptionTrack::Instant& instant)
{
    if (!track && !m_showsPast)
        return;
    if (track && m_showsPast && instant.said == m_past.said && instant.step == m_past.step
        && instant.caption == m_past.caption)
        return;
    m_past = instant;
    if (track) {
        m_pastStory.show(track->lines(), instant.said);
        const auto steps = std::count_if(m_pastStory.lines().begin(), m_pastStory.lines().end(),
            [](const StoryLine& line) { return line.kind == StoryLine::Kind::Step; });
        m_pastProgress = track->steps() > 0 ? tr("step %1 of %2").arg(steps).arg(track->steps()) : QString();
    }
    m_showsPast = track != nullptr;
    if (QAbstractItemModel* wanted = m_showsPast ? &m_pastStory : &m_story; m_hallStory->sourceModel() != wanted)
        m_hallStory->setSourceModel(wanted);
    showWords();
}

void Player::showWords()
{
    fitStep();
    const std::optional<ReelEntry>& question = m_director.question();
    const bool isOnButtons = !m_showsPast && question && !m_choices->isHidden() && m_choices->hasWords();
    m_caption->setText(m_showsPast ? m_past.caption : m_captionNow, isOnButtons ? question->text : QString());
    m_progress->setText(!m_notice.isEmpty() ? m_notice : m_showsPast ? m_pastProgress : m_progressNow);
}

QString Player::stepTitle() const { return m_showsPast ? m_past.step : m_stepNow; }

// A step title that does not fit beside the step count ends with an ellipsis; the tooltip has all of it.
void Player::fitStep()
{
    const QString all = stepTitle();
    const QString shown = m_step->fontMetrics().elidedText(all, Qt::ElideRight, m_step->width());
    if (shown != m_step->text())
        m_step->setText(shown);
    if (const QString tip = shown == all ? QString() : all; tip != m_step->toolTip())
        m_step->setToolTip(tip);
}

void Player::showNotice()
{
    m_progress->setFont(m_theme.font({ TextSize::Small, !m_notice.isEmpty() }));
    QPalette colours = palette();
    colours.setColor(QPalette::WindowText, m_notice.isEmpty() ? m_theme.text : m_theme.badText);
    m_progress->setPalette(colours);
    showWords();
}

void Player::setButtonsShown(bool on)
{
    for (QPushButton* button : { m_next, m_run, m_stop })
        button->setVisible(on);
    fitHeight();
}

// Earlier captions are beside the present one if there is room for both.
void Player::arrange()
{
    // A question and its choices use the whole width.
    const bool hasRoom = width() >= m_theme.px(kHistoryFrom) && m_hallStory->rowCount() > 1 && m_choices->isHidden();
    m_history->setFixedWidth(int(m_theme.px(kHistoryWide)));
    m_history->setVisible(hasRoom);
    m_history->scrollToBottom();
}

void Player::resizeEvent(QResizeEvent*) { arrange(); }

bool Player::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_step && event->type() == QEvent::Resize)
        fitStep();
    return QWidget::eventFilter(watched, event);
}

void Player::showButtons()
{
    const bool runs = isRunning();
    m_next->setEnabled(isLoaded() || m_director.isOn());
    m_run->setEnabled(isLoaded() && !m_director.isRecorded());
    m_stop->setEnabled(runs);
    const auto say = [this](const QString& words, const QString& sentence) {
        m_next->setText(tr("%1   PgDn").arg(words));
        m_next->setToolTip(tr("%1 (PgDn, or the clicker)").arg(sentence));
    };
    const bool isOn = m_director.isOn() && !m_director.isOver();
    if (isOn && (m_director.isPaused() || m_director.isAway()))
        return say(tr("Go on"), tr("Goes on with the show, where it stood"));
    switch (m_director.await()) {
    case Director::Await::Begin: return say(tr("Begin"), tr("Goes on to the first step"));
    case Director::Await::Step: return say(tr("Next step"), tr("Goes on to the next step"));
    case Director::Await::Question: return say(tr("Answer"), tr("Ends the vote, and shows what happens"));
    case Director::Await::Answer: return say(tr("Go on"), tr("Goes on after the answer"));
    case Director::Await::Nothing: break;
    }
    if (m_director.waitsForPerson()) { // this key has no effect now
        m_next->setText(tr("Your turn"));
        m_next->setToolTip(tr("What is to be done stands above the caption"));
        m_next->setEnabled(false);
        return;
    }
    if (isOn)
        return say(tr("Next caption"),
            tr("Does not wait until this caption has been read: goes on to the next one, or to the step's end"));
    say(tr("Begin"), tr("Begins the scenario"));
}

void Player::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_story.setTheme(theme);
    m_pastStory.setTheme(theme);
    m_caption->setTheme(captionTheme());
    m_step->setFont(theme.font({ TextSize::Strong, true }));
    m_next->setFont(theme.font({ TextSize::Strong, true }));
    m_badge->setFont(theme.font({ TextSize::Strong, true }));
    QPalette badge = palette();
    badge.setColor(QPalette::Window, theme.caution);
    badge.setColor(QPalette::WindowText, inkOn(theme.caution));
    m_badge->setPalette(badge);
    const int pixels = int(theme.px(14));
    const auto icon = [&](Glyph glyph) {
        QIcon made(QPixmap::fromImage(glyphImage(glyph, theme.text, pixels)));
        QColor pale = theme.text;
        pale.setAlpha(110);
        made.addPixmap(QPixmap::fromImage(glyphImage(glyph, pale, pixels)), QIcon::Disabled);
        return made;
    };
    m_next->setIcon(icon(Glyph::Next));
    m_run->setIcon(icon(Glyph::Play));
    m_stop->setIcon(icon(Glyph::Stop));
    // As wide as its longest text, so that it does not move.
    m_next->setText(tr("Next caption   PgDn"));
    m_next->setMinimumWidth(0);
    m_next->setMinimumWidth(std::max(int(theme.px(170)), m_next->sizeHint().width()));
    showButtons();
    // Two lines of the largest caption beside the title of the step.
    showNotice();
    arrange();
    m_choices->refit();
    fitHeight();
}

// The picture grows and shrinks a little with the strip below it, so the caption shrinks only when the picture is
// clearly smaller.
void Player::setPictureScale(qreal scale)
{
    if (scale <= m_pictureScale && scale > m_pictureScale * kClearlySmaller)
        return;
    m_pictureScale = scale;
    setTheme(Theme(m_theme));
}

Theme Player::captionTheme() const
{
    return Theme(
        m_theme.kind(), std::max(m_theme.fontScale(), m_pictureScale), m_theme.isHighContrast(), m_theme.stroke());
}

void Player::setLow(int most)
{
    m_most = most;
    fitHeight();
}

// A lower strip has a smaller caption.
void Player::fitHeight()
{
    const Theme caption = captionTheme();
    const qreal letters = std::max(
        std::min(caption.lineHeight({ TextSize::Caption }), m_theme.lineHeight({ TextSize::Caption })),
        caption.lineHeight({ TextSize::Title }));
    const int usual = int(2 * letters + m_theme.lineHeight({ TextSize::Strong }) + m_theme.px(18));
    // The buttons are above each other; without them there is one line of words.
    const int least = m_next->isHidden()
        ? int(m_theme.lineHeight({ TextSize::Strong }) + caption.lineHeight({ TextSize::Body }) * 2) + 14
        : m_next->minimumSizeHint().height() + m_run->minimumSizeHint().height() + 18;
    const int choices = m_choices->isHidden() ? 0 : m_choices->sizeHint().height(); // the question stays above them
    setFixedHeight(m_most > 0 ? std::min(usual, std::max(least + choices, m_most)) : usual);
}

} // namespace lhrs::gui
