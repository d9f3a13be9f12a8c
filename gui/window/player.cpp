// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/player.h"

#include "gui/lab/session.h"
#include "gui/view/display_list.h"

#include <QFile>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QIcon>
#include <QPushButton>
#include <QRegularExpression>
#include <QVBoxLayout>

#include <algorithm>

namespace lhrs::gui {

namespace {

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
    : QWidget(parent), m_step(new QLabel(this)), m_progress(new QLabel(this)), m_caption(new CaptionLabel(this)), m_next(new QPushButton(tr("Next step"), this)),
      m_run(new QPushButton(tr("Run"), this)), m_stop(new QPushButton(tr("Stop"), this)), m_engine(session, *this)
{
    setObjectName(QStringLiteral("player"));
    m_caption->setObjectName(QStringLiteral("caption"));
    m_caption->setAccessibleName(tr("Caption"));
    m_step->setObjectName(QStringLiteral("step"));
    m_next->setObjectName(QStringLiteral("nextStepButton"));
    m_run->setObjectName(QStringLiteral("runScenarioButton"));
    m_stop->setObjectName(QStringLiteral("stopScenarioButton"));
    m_next->setToolTip(tr("Goes on to the next step (PgDn, or the clicker)"));
    m_run->setToolTip(tr("Runs the scenario to its end (Ctrl+R)"));
    m_stop->setToolTip(tr("Stops the scenario (Ctrl+.)"));
    m_progress->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    auto* head = new QHBoxLayout;
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
    box->addLayout(buttons);
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
    m_step->clear();
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly | QIODevice::Text)) {
        setCaption(tr("%1 cannot be read: %2.").arg(path, file.errorString()));
        return false;
    }
    const QString source = QString::fromUtf8(file.readAll());
    m_file = QFileInfo(path).fileName();
    if (const auto problem = ScriptEngine::check(source)) {
        setCaption(tr("%1, line %2: %3 %4").arg(m_file).arg(problem->line).arg(problem->message, problem->hint));
        return false;
    }
    m_source = source;
    m_title = headerOf(source).title;
    if (m_title.isEmpty())
        m_title = m_file;
    static const QRegularExpression kSteps(QStringLiteral("^\\s*lab\\.step\\("), QRegularExpression::MultilineOption);
    m_stepsInAll = int(source.count(kSteps));
    m_stepsSeen = m_expectationsHeld = m_expectationsFailed = 0;
    m_step->setText(m_title);
    setCaption(tr("Press PgDn or the clicker to begin."));
    m_progress->setText(tr("%1 steps").arg(m_stepsInAll));
    showButtons();
    return true;
}

void Player::launch(ScriptStops stops)
{
    if (!isLoaded() || isRunning())
        return;
    m_story.clear();
    m_stepsSeen = m_expectationsHeld = m_expectationsFailed = 0;
    {
        const std::lock_guard lock(m_mutex);
        m_mail = Mail();
    }
    m_isHeld = false;
    m_since.start();
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

void Player::next()
{
    {
        const std::lock_guard lock(m_mutex);
        if (m_mail.question && !m_mail.isAnswered) {
            m_mail.isAnswered = true;
            m_answered.notify_all();
            return;
        }
    }
    if (!isRunning())
        start();
    else if (m_isHeld) {
        m_isHeld = false;
        m_engine.proceed();
        showButtons();
    }
}

void Player::runToEnd()
{
    if (!isRunning())
        launch(ScriptStops::Nowhere);
    {
        const std::lock_guard lock(m_mutex);
        m_mail.mayAsk = false;
    }
    m_engine.setStops(ScriptStops::Nowhere);
    if (m_isHeld)
        m_engine.proceed();
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
    if (m_mail.question && !m_mail.isAnswered && choice >= 1 && choice <= int(m_mail.votes.size()))
        ++m_mail.votes[std::size_t(choice - 1)];
}

// ---- what the script says, in its thread

void Player::post(StoryLine::Kind kind, const QString& text)
{
    const std::lock_guard lock(m_mutex);
    m_mail.lines.push_back({ kind, text });
}

void Player::onStarted(const QString& file)
{
    if (m_listener)
        m_listener->onStarted(file);
}

void Player::onHeld(int, const QString&)
{
    const std::lock_guard lock(m_mutex);
    m_mail.isHeld = true;
}

void Player::onStep(const QString& id, const QString& title)
{
    const QString words = QStringLiteral("(%1)  %2").arg(id, title);
    if (m_listener)
        m_listener->onStep(id, title);
    post(StoryLine::Kind::Step, words);
    const std::lock_guard lock(m_mutex);
    m_mail.step = words;
    ++m_mail.steps;
}

void Player::onSay(const QString& text)
{
    if (m_listener)
        m_listener->onSay(text);
    post(StoryLine::Kind::Say, text);
    const std::lock_guard lock(m_mutex);
    m_mail.caption = text;
    m_mail.question.reset();
}

void Player::onNote(const QString& text)
{
    post(StoryLine::Kind::Note, text);
}

void Player::onPrint(const QString& text)
{
    if (m_listener)
        m_listener->onPrint(text);
    post(StoryLine::Kind::Print, text);
}

void Player::onExpectation(const Expectation& expectation)
{
    if (m_listener)
        m_listener->onExpectation(expectation);
    post(expectation.isHeld ? StoryLine::Kind::Held : StoryLine::Kind::Failed,
        expectation.detail.isEmpty() ? expectation.text : QStringLiteral("%1 (%2)").arg(expectation.text, expectation.detail));
    const std::lock_guard lock(m_mutex);
    ++(expectation.isHeld ? m_mail.held : m_mail.failed);
}

void Player::onCamera(const CameraWish& wish)
{
    const std::lock_guard lock(m_mutex);
    m_mail.cameras.push_back(wish);
}

void Player::onHighlight(const QStringList& targets, const QString& text, double seconds)
{
    const std::lock_guard lock(m_mutex);
    m_mail.highlights.push_back({ targets, text, seconds });
}

std::optional<std::vector<int>> Player::onQuestion(const Question& question, const std::stop_token& stop)
{
    std::unique_lock lock(m_mutex);
    m_mail.lines.push_back({ StoryLine::Kind::Say, question.text });
    m_mail.question = question;
    m_mail.votes.assign(std::size_t(question.choices.size()), 0);
    m_mail.isAnswered = false;
    m_mail.reveal = -1;
    m_mail.why.clear();
    // The script stands before the outcome until the hall has voted and PgDn is pressed.
    if (!m_answered.wait(lock, stop, [this] { return m_mail.isAnswered || !m_mail.mayAsk; }))
        return std::nullopt;
    return m_mail.isAnswered ? std::optional(m_mail.votes) : std::nullopt;
}

void Player::onReveal(const Question& question, int index, const QString& why)
{
    post(StoryLine::Kind::Say, QStringLiteral("%1: %2. %3").arg(question.text, question.choices.value(index), why));
    const std::lock_guard lock(m_mutex);
    m_mail.question = question;
    m_mail.isAnswered = true;
    m_mail.reveal = index;
    m_mail.why = why;
}

void Player::onMark(const QString& text)
{
    post(StoryLine::Kind::Note, text);
}

void Player::onFinished(const ScriptResult&)
{
    const std::lock_guard lock(m_mutex);
    m_mail.isFinished = true;
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
    if (mail.step)
        m_step->setText(*mail.step);
    if (mail.caption)
        setCaption(*mail.caption);
    if (mail.question)
        setCaption(questionWords(*mail.question, mail.votes, mail.reveal, mail.why));
    for (const CameraWish& wish : mail.cameras)
        emit cameraWished(wish);
    for (const auto& highlight : mail.highlights)
        emit highlightWished(highlight.targets, highlight.words, highlight.seconds);
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
        parts << tr("%1 s").arg(m_since.elapsed() / 1000);
        m_progress->setText(parts.join(QStringLiteral("   ")));
    }
    if (m_wasRunning && !isRunning()) {
        m_wasRunning = m_isHeld = false;
        const ScriptResult result = m_engine.result();
        const QString end = result.outcome == ScriptOutcome::Held ? tr("The end. All %1 expectations held.").arg(result.expectationsHeld) : result.sentence();
        m_story.add({ { result.outcome == ScriptOutcome::Held ? StoryLine::Kind::End : StoryLine::Kind::Failed, end } });
        if (result.outcome == ScriptOutcome::Held)
            m_progress->setText(end);
        else
            setCaption(end);
        showButtons();
        emit runningChanged(false);
        emit finished();
    }
    return false;
}

void Player::setCaption(const QString& text)
{
    m_caption->setText(text);
    m_caption->setAccessibleDescription(text);
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
    m_caption->setTheme(theme);
    m_step->setFont(theme.font({ TextSize::Strong, true }));
    m_progress->setFont(theme.font({ TextSize::Small }));
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
    setFixedHeight(int(2 * theme.lineHeight({ TextSize::Caption }) + theme.lineHeight({ TextSize::Strong }) + theme.px(18)));
}

} // namespace lhrs::gui
