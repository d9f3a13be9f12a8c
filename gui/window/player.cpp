// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/player.h"

#include "gui/lab/scenario_file.h"
#include "gui/lab/session.h"
#include "gui/view/display_list.h"

#include <QAccessible>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QIcon>
#include <QListView>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace lhrs::gui {

namespace {

constexpr qreal kHistoryFrom = 900; // pixels at 100 % of a strip that has room for the captions before, too
constexpr qreal kHistoryWide = 290;

QString questionWords(const Question& question, const std::vector<int>& votes, int reveal, const QString& why)
{
    QStringList parts { question.text };
    for (qsizetype i = 0; i < question.choices.size(); ++i) {
        const int count = i < qsizetype(votes.size()) ? votes[std::size_t(i)] : 0;
        QString part = QStringLiteral("%1: %2").arg(i + 1).arg(question.choices[i]);
        if (count > 0)
            part += QStringLiteral(" (%1)").arg(count);
        if (i == reveal)
            part += QStringLiteral(" ✓");
        parts << part;
    }
    if (!why.isEmpty())
        parts << why;
    return parts.join(QStringLiteral("   "));
}

} // namespace

Player::Player(Session& session, QWidget* parent)
    : QWidget(parent), m_hallStory(new HallStory(this)), m_step(new QLabel(this)), m_progress(new QLabel(this)), m_caption(new CaptionLabel(this)), m_history(new QListView(this)), m_next(new QPushButton(tr("Next step"), this)),
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
    m_progress->setObjectName(QStringLiteral("progress"));
    m_next->setObjectName(QStringLiteral("nextStepButton"));
    m_run->setObjectName(QStringLiteral("runScenarioButton"));
    m_stop->setObjectName(QStringLiteral("stopScenarioButton"));
    m_next->setToolTip(tr("Goes on to the next step (PgDn, or the clicker)"));
    m_run->setToolTip(tr("Runs the scenario to its end (Ctrl+R)"));
    m_stop->setToolTip(tr("Stops the scenario (Ctrl+.)"));
    m_step->installEventFilter(this);
    m_step->setMinimumWidth(1); // a long title does not make the window wider
    m_progress->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    auto* head = new QHBoxLayout;
    head->setSpacing(18); // an ellipsis does not touch what follows it
    head->addWidget(m_step, 1);
    head->addWidget(m_progress);
    auto* left = new QVBoxLayout;
    left->setSpacing(0);
    left->addLayout(head);
    left->addWidget(m_caption, 1);
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
    connect(m_hallStory, &QAbstractItemModel::rowsInserted, m_history, &QListView::scrollToBottom, Qt::QueuedConnection);
    connect(m_hallStory, &QAbstractItemModel::rowsInserted, this, &Player::arrange);
    connect(m_hallStory, &QAbstractItemModel::modelReset, this, &Player::arrange);
    connect(m_next, &QPushButton::clicked, this, &Player::next);
    connect(m_run, &QPushButton::clicked, this, &Player::runToEnd);
    connect(m_stop, &QPushButton::clicked, this, &Player::stop);
    setCaption(tr("No scenario is open. Ctrl+O opens one."));
    showButtons();
}

Player::~Player()
{
    m_engine.stop();
    m_answered.notify_all();
}

// ---- what a person wants

bool Player::load(const QString& path)
{
    if (isRunning())
        return false;
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
    m_stepsSeen = m_expectationsHeld = m_expectationsFailed = 0;
    setText(read->text, m_file);
    return true;
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
    m_stepsInAll = int(m_plan.size());
    if (isOther) {
        m_stepNow = m_title;
        setCaption(tr("Press PgDn or the clicker to begin."));
        setProgress(tr("%1 steps").arg(m_stepsInAll));
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
    m_stepsSeen = m_expectationsHeld = m_expectationsFailed = 0;
    {
        const std::lock_guard lock(m_mutex);
        m_mail = Mail();
        m_parameters.clear();
        m_clusters.clear();
    }
    m_isHeld = false;
    m_since.start();
    m_hasSpoken = false;
    setCaption(tr("The scenario prepares its cluster …"));
    m_engine.setStops(stops);
    m_engine.start(m_source, m_file, m_settings);
    m_wasRunning = true;
    emit runningChanged(true);
    showButtons();
}

void Player::start()
{
    launch(ScriptStops::BeforeSteps);
}

// Whether it stood before a question, which goes on now as the hall has answered it.
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
    if (!m_isHeld) {
        m_engine.setStops(stops);
        return;
    }
    m_isHeld = false;
    m_trace.proceed();
    m_engine.proceed(stops);
    showButtons();
}

void Player::next()
{
    if (isAsking())
        return;
    if (!isRunning())
        start();
    else if (m_isHeld)
        goOn(ScriptStops::BeforeSteps);
}

void Player::pause()
{
    if (isRunning())
        m_engine.setStops(ScriptStops::BeforeCalls);
}

void Player::nextCall()
{
    if (isAsking())
        return;
    if (!isRunning())
        launch(ScriptStops::BeforeCalls);
    else
        goOn(ScriptStops::BeforeCalls);
}

void Player::setPace(double pace)
{
    m_settings.pace = pace;
    m_engine.setPace(pace);
}

void Player::runToEnd()
{
    if (!isRunning())
        launch(ScriptStops::Nowhere);
    {
        const std::lock_guard lock(m_mutex);
        m_mail.mayAsk = false;
    }
    if (m_isHeld) { // one that has only just begun may stand before a breakpoint already
        m_trace.proceed();
        m_engine.proceed(ScriptStops::Nowhere);
    } else {
        m_engine.setStops(ScriptStops::Nowhere);
    }
    m_isHeld = false;
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
    const std::lock_guard lock(m_mutex);
    if (m_mail.question && !m_mail.isAnswered && choice >= 1 && choice <= int(m_mail.votes.size())) {
        ++m_mail.votes[std::size_t(choice - 1)];
        m_votedLast = choice;
    }
}

void Player::voteAgain(int difference)
{
    const std::lock_guard lock(m_mutex);
    if (!m_mail.question || m_mail.isAnswered || m_mail.votes.empty())
        return;
    int& votes = m_mail.votes[std::size_t(std::clamp(m_votedLast, 1, int(m_mail.votes.size())) - 1)];
    votes = std::max(0, votes + difference);
}

// ---- once per frame

bool Player::refresh(double)
{
    Mail mail;
    {
        const std::lock_guard lock(m_mutex);
        // Taken out, but for a question, which stays until it is answered and shown.
        mail = m_mail;
        m_mail.lines.clear();
        m_mail.cameras.clear();
        m_mail.highlights.clear();
        m_mail.charts.clear();
        m_mail.step.reset();
        m_mail.caption.reset();
        m_mail.isHeld = m_mail.isFinished = false;
        m_mail.steps = m_mail.held = m_mail.failed = 0;
    }
    if (!mail.lines.empty())
        m_story.add(mail.lines);
    m_stepsSeen += mail.steps;
    m_expectationsHeld += mail.held;
    m_expectationsFailed += mail.failed;
    if (mail.step) {
        m_stepNow = *mail.step;
        emit stepShown(*mail.step);
    }
    m_hasSpoken = m_hasSpoken || mail.caption || mail.question;
    if (mail.caption)
        setCaption(*mail.caption);
    if (mail.question)
        setCaption(questionWords(*mail.question, mail.votes, mail.reveal, mail.why));
    for (const CameraWish& wish : mail.cameras)
        emit cameraWished(wish);
    for (const auto& highlight : mail.highlights)
        emit highlightWished(highlight.targets, highlight.words, highlight.seconds);
    for (const auto& [chart, isNew] : mail.charts)
        emit chartWished(chart, isNew);
    if (mail.isHeld) {
        m_isHeld = true;
        if (m_stepsSeen == 0 && !mail.caption)
            setCaption(tr("Ready. Press PgDn or the clicker."));
        showButtons();
    }
    if (isRunning()) {
        QStringList parts { tr("step %1 of %2").arg(m_stepsSeen).arg(std::max(m_stepsSeen, m_stepsInAll)) };
        if (m_expectationsHeld > 0)
            parts << tr("✓ %1 held").arg(m_expectationsHeld);
        if (m_expectationsFailed > 0)
            parts << tr("✗ %1 failed").arg(m_expectationsFailed);
        if (const PlayState play = m_trace.state(); play.isHeld && play.call != QLatin1String("lab.step"))
            parts << tr("stands before line %1").arg(play.line);
        parts << tr("%1 s").arg(m_since.elapsed() / 1000);
        setProgress(parts.join(QStringLiteral("   ")));
    }
    if (m_wasRunning && !isRunning()) {
        m_wasRunning = m_isHeld = false;
        const ScriptResult result = m_engine.result();
        const QString end = result.outcome == ScriptOutcome::Held ? tr("The end. All %1 expectations held.").arg(result.expectationsHeld) : result.sentence();
        m_story.add({ { result.outcome == ScriptOutcome::Held ? StoryLine::Kind::End : StoryLine::Kind::Failed, end } });
        if (result.outcome == ScriptOutcome::Held)
            setProgress(end);
        if (result.outcome != ScriptOutcome::Held || !m_hasSpoken)
            setCaption(end); // also where the scenario said nothing itself
        showButtons();
        emit runningChanged(false);
        emit finished();
    }
    return false;
}

QString Player::elapsedWords() const
{
    const qint64 seconds = isRunning() ? m_since.elapsed() / 1000 : 0;
    return QStringLiteral("%1:%2").arg(seconds / 60).arg(seconds % 60, 2, 10, QLatin1Char('0'));
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
    if (track && m_showsPast && instant.said == m_past.said && instant.step == m_past.step && instant.caption == m_past.caption)
        return;
    m_past = instant;
    if (track) {
        m_pastStory.show(track->lines(), instant.said);
        const auto steps = std::count_if(m_pastStory.lines().begin(), m_pastStory.lines().end(), [](const StoryLine& line) { return line.kind == StoryLine::Kind::Step; });
        m_pastProgress = tr("step %1 of %2").arg(steps).arg(track->steps());
    }
    m_showsPast = track != nullptr;
    if (QAbstractItemModel* wanted = m_showsPast ? &m_pastStory : &m_story; m_hallStory->sourceModel() != wanted)
        m_hallStory->setSourceModel(wanted);
    showWords();
}

void Player::showWords()
{
    fitStep();
    m_caption->setText(m_showsPast ? m_past.caption : m_captionNow);
    m_progress->setText(!m_notice.isEmpty() ? m_notice : m_showsPast ? m_pastProgress : m_progressNow);
}

QString Player::stepTitle() const
{
    return m_showsPast ? m_past.step : m_stepNow;
}

// What does not fit beside the count of steps ends with an ellipsis, and is whole in the tooltip.
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
}

// The captions before stand beside the present one where there is room for both.
void Player::arrange()
{
    const bool hasRoom = width() >= m_theme.px(kHistoryFrom) && m_hallStory->rowCount() > 1;
    m_history->setFixedWidth(int(m_theme.px(kHistoryWide)));
    m_history->setVisible(hasRoom);
    m_history->scrollToBottom();
}

void Player::resizeEvent(QResizeEvent*)
{
    arrange();
}

bool Player::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_step && event->type() == QEvent::Resize)
        fitStep();
    return QWidget::eventFilter(watched, event);
}

void Player::showButtons()
{
    const bool runs = isRunning();
    m_next->setEnabled(isLoaded() && (!runs || m_isHeld));
    m_run->setEnabled(isLoaded());
    m_stop->setEnabled(runs);
    m_next->setText(runs ? (m_isHeld ? tr("Next step   PgDn") : tr("playing …")) : tr("Begin   PgDn"));
}

void Player::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_story.setTheme(theme);
    m_pastStory.setTheme(theme);
    m_caption->setTheme(theme);
    m_step->setFont(theme.font({ TextSize::Strong, true }));
    m_next->setFont(theme.font({ TextSize::Strong, true }));
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
    m_next->setMinimumWidth(int(theme.px(170)));
    // Two lines of the largest caption beside the step's title.
    showNotice();
    arrange();
    fitHeight();
}

void Player::setLow(int most)
{
    m_most = most;
    fitHeight();
}

// A smaller strip writes its caption smaller.
void Player::fitHeight()
{
    const int usual = int(2 * m_theme.lineHeight({ TextSize::Caption }) + m_theme.lineHeight({ TextSize::Strong }) + m_theme.px(18));
    const int least = m_next->minimumSizeHint().height() + m_run->minimumSizeHint().height() + 18; // the buttons above each other
    setFixedHeight(m_most > 0 ? std::min(usual, std::max(least, m_most)) : usual);
}

} // namespace lhrs::gui
