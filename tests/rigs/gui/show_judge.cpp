// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/rigs/gui/show_judge.h"

#include "common/kinds.h"
#include "gui/lab/live/ingest.h"
#include "gui/lab/words/process/process_words.h"
#include "gui/view/lhrs/words/object_words.h"

#include <QRegularExpression>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace lhrs::gui {

namespace {

constexpr double kStillMost = 6; // seconds for which a picture may be still while a step plays
constexpr double kLookEvery = 0.5; // seconds, at the picture as a whole
constexpr double kTimeAccuracy = 0.2; // fraction of the minutes that a scenario declares
constexpr double kFrameMost = 0.11; // seconds by which a frame may be too early or late
constexpr qreal kLeastCard = 44; // pixels of the card that the caption names

// The words that must explain an event of the structure: in a caption, the title or a question of its step. For all
// other events the legend names what moves.
constexpr struct {
    const char* kind;
    const char* words;
} kExplained[] = {
    { "BucketOverflowed", "overflow|full|too many|room|holds|capacity|grow" },
    { "SplitOrdered", "split|move|grow|new bucket|new group" },
    { "RecordsMoved", "split|move|grow|new bucket|new group" },
    { "SplitFinished", "split|move|grow|new bucket|new group" },
    { "MemberSuspected", "suspect|silent|answer|gone|end|fail|miss|sleep" },
    { "BucketFailed", "fail|gone|silent|end|lost|dead|sleep" },
    { "RecoveryStarted", "recover|rebuil|slice|comput|back" },
    { "SliceRecovered", "recover|rebuil|slice|comput|back" },
    { "RecoveryFinished", "recover|rebuil|slice|comput|back" },
    { "RecordRecovered", "comput|recover|decod" },
    { "ParityCreationOrdered", "parity" },
    { "ParityBucketFilled", "parity" },
    { "ParityAdded", "parity" },
    { "AvailabilityRaised", "availab|surviv|parity|K " },
    { "GroupLost", "lost|loss|lose" },
    { "NodeReleased", "spare|outside|no bucket|drop|fence" },
    { "MergeOrdered", "merge|shrink" },
    { "MergeFinished", "merge|shrink" },
};

// The words that explain such an event; null: no explanation is needed.
const char* wordsFor(const QString& kind)
{
    const auto* found = std::find_if(std::begin(kExplained), std::end(kExplained),
        [&](const auto& entry) { return kind == QLatin1String(entry.kind); });
    return found == std::end(kExplained) ? nullptr : found->words;
}

} // namespace

ShowJudge::ShowJudge(MainWindow& window) : m_window(window)
{
    QObject::connect(
        &window.player(), &Player::entryShown, &window, [this](const ReelEntry& entry) { onEntry(entry); });
}

void ShowJudge::fault(int rule, const QString& what)
{
    const QString line
        = QStringLiteral("rule %1, %2 s, step %3: %4").arg(rule).arg(m_played, 0, 'f', 1).arg(m_step, what);
    if (!m_faults.contains(line))
        m_faults << line;
}

// 1: no caption is replaced before it can be read, unless a key was pressed.
void ShowJudge::onEntry(const ReelEntry& entry)
{
    using Kind = ReelEntry::Kind;
    judgeMovement();
    if (entry.kind == Kind::Cluster)
        m_firstPainted = entry.at.event + 1; // the picture is cut to it
    const bool isSaid = entry.kind == Kind::Caption || entry.kind == Kind::Question || entry.kind == Kind::Answer
        || entry.kind == Kind::Step;
    if (isSaid && !m_caption.isEmpty() && !m_wasPressed
        && m_played - m_saidAt + kFrameMost < Director::readingSeconds(m_caption))
        fault(1,
            QStringLiteral("after %1 s of %2: \"%3\"")
                .arg(m_played - m_saidAt, 0, 'f', 1)
                .arg(Director::readingSeconds(m_caption), 0, 'f', 1)
                .arg(m_caption));
    if (isSaid)
        m_wasPressed = false;
    if (entry.kind == Kind::Step) {
        for (const auto& [what, when] : m_unexplained)
            fault(4, QStringLiteral("%1 moved at %2 s and no caption of the step explains it").arg(what, when));
        m_unexplained.clear();
        m_step = entry.id;
        m_stepWords = entry.text;
        if (m_window.workspace() != MainWindow::Workspace::Lecture)
            fault(5, QStringLiteral("a panel of the step before is still open"));
    }
    if (!isSaid)
        return;
    m_caption = entry.kind == Kind::Step ? QString() : entry.text;
    m_saidAt = m_played;
    m_stepWords += QLatin1Char(' ') + entry.text + QLatin1Char(' ') + entry.names.join(QLatin1Char(' '));
    if (entry.kind == Kind::Step)
        return;
    judgeLag(entry);
    judgeNames(entry.text);
    judgeLetters(m_window.player().words().caption);
}

// 2: everything that happened before is painted, and nothing that happened after.
void ShowJudge::judgeLag(const ReelEntry& entry)
{
    if (!m_window.pacer().isShow())
        return;
    const auto isBefore = [&](const RunEvent& event) {
        return entry.at.isByTime ? event.runNs <= entry.at.ns : event.index <= entry.at.event;
    };
    if (!m_window.director().repeated().isEmpty()) {
        if (m_repeatedUpTo > 0 && m_repeatedUpTo > entry.at.ns)
            fault(2,
                QStringLiteral("\"%1\" comes %2 ms of the run after its event")
                    .arg(entry.text)
                    .arg(double(m_repeatedUpTo - entry.at.ns) / 1e6));
        return;
    }
    std::set<std::uint64_t> now; // painted in this very frame: the entry may have been said at its beginning
    for (const ShownEvent& event : m_window.pacer().shown())
        now.insert(event.run.index);
    const EventPage page = m_window.cluster().session().ingest().eventsSince(0, 1'000'000);
    for (const RunEvent& event : page.events) {
        if (event.isGap() || !changesStructure(*event.event) || event.index < m_firstPainted)
            continue;
        const bool isShown = m_shown.contains(event.index);
        if (isBefore(event) && !isShown)
            fault(2,
                QStringLiteral("\"%1\" is said before %2 (event %3) is painted")
                    .arg(entry.text, QString::fromStdString(kindName(*event.event)))
                    .arg(event.index));
        if (!isBefore(event) && isShown && !now.contains(event.index))
            fault(2,
                QStringLiteral("\"%1\" is said after %2 (event %3) was painted")
                    .arg(entry.text, QString::fromStdString(kindName(*event.event)))
                    .arg(event.index));
    }
}

// 3: what a caption names is visible.
void ShowJudge::judgeNames(const QString& text)
{
    ClusterCanvas& canvas = m_window.canvas();
    std::vector<std::pair<QString, ObjectRef>> named;
    const ClusterState& state = canvas.state();
    static const QRegularExpression kParity(QStringLiteral("[Pp]arity bucket (\\d+)\\.(\\d+)"));
    for (auto match = kParity.globalMatch(text); match.hasNext();) {
        const auto found = match.next();
        named.emplace_back(found.captured(),
            ObjectRef { ObjectKind::Parity, found.captured(1).toULongLong(), found.captured(2).toUInt() });
    }
    QString rest = text;
    rest.remove(kParity);
    static const QRegularExpression kBuckets(QStringLiteral("[Bb]uckets? ((\\d+)((, | and | or )(\\d+))*)"));
    static const QRegularExpression kNumber(QStringLiteral("\\d+"));
    for (auto match = kBuckets.globalMatch(rest); match.hasNext();) {
        const auto found = match.next();
        for (auto number = kNumber.globalMatch(found.captured(1)); number.hasNext();) {
            const QString bucket = number.next().captured();
            named.emplace_back(
                QStringLiteral("bucket ") + bucket, ObjectRef { ObjectKind::Data, bucket.toULongLong(), 0 });
        }
    }
    static const QRegularExpression kGroup(QStringLiteral("[Gg]roup (\\d+)"));
    for (auto match = kGroup.globalMatch(rest); match.hasNext();) {
        const auto found = match.next();
        named.emplace_back(
            found.captured(), ObjectRef { ObjectKind::Data, found.captured(1).toULongLong() * state.m(), 0 });
    }
    for (const auto& [id, client] : state.clients) {
        QString name = QString::fromStdString(client.name);
        if (name.isEmpty())
            continue;
        name[0] = name[0].toUpper();
        if (text.contains(QRegularExpression(QStringLiteral("\\b%1\\b").arg(name))))
            named.emplace_back(name, ObjectRef { ObjectKind::Client, id, 0 });
    }
    if (text.contains(QStringLiteral("oordinator")))
        named.emplace_back(
            QStringLiteral("the coordinator"), ObjectRef { ObjectKind::Coordinator, coordinatorOf(state), 0 });
    for (const auto& [name, object] : named) {
        QRectF rect = canvas.rectOf(object);
        if (rect.isEmpty() && object.kind == ObjectKind::Data) // it does not exist yet, but its place does
            rect = canvas.rectOf({ ObjectKind::Dummy, object.a, 0 });
        const bool isLarge = object.kind == ObjectKind::Client || object.kind == ObjectKind::Coordinator
            ? rect.width() > 8
            : rect.width() >= kLeastCard;
        if (!canvas.isVisible() || rect.isEmpty())
            fault(3, QStringLiteral("%1 is not drawn: \"%2\"").arg(name, text));
        else if (!QRectF(canvas.rect()).adjusted(-1, -1, 1, 1).contains(rect))
            fault(3,
                QStringLiteral("%1 is not wholly in sight (%2,%3 %4x%5 in %6x%7): \"%8\"")
                    .arg(name)
                    .arg(rect.x(), 0, 'f', 0)
                    .arg(rect.y(), 0, 'f', 0)
                    .arg(rect.width(), 0, 'f', 0)
                    .arg(rect.height(), 0, 'f', 0)
                    .arg(canvas.width())
                    .arg(canvas.height())
                    .arg(text));
        else if (!isLarge)
            fault(3,
                QStringLiteral("%1 is too small (%2 pixels wide): \"%3\"")
                    .arg(name)
                    .arg(rect.width(), 0, 'f', 0)
                    .arg(text));
    }
}

// 6: at most two lines, in letters as high as the picture's own titles.
void ShowJudge::judgeLetters(const QString& text)
{
    const auto* caption = m_window.player().strip().findChild<CaptionLabel*>(QStringLiteral("caption"));
    const QFontMetricsF metrics(caption->fontShown());
    const qreal title = m_window.canvas().theme().metrics({ TextSize::Title, true }).capHeight();
    if (metrics.capHeight() + 0.5 < title)
        fault(6,
            QStringLiteral("letters of %1 pixels under titles of %2: \"%3\"")
                .arg(metrics.capHeight(), 0, 'f', 1)
                .arg(title, 0, 'f', 1)
                .arg(text));
    const qreal lines = metrics.boundingRect(QRectF(caption->rect()), Qt::TextWordWrap, text).height()
        / metrics.lineSpacing();
    if (std::round(lines) > 2)
        fault(6, QStringLiteral("%1 lines: \"%2\"").arg(std::round(lines)).arg(text));
    if (!caption->fits())
        fault(6, QStringLiteral("the caption is cut: \"%1\"").arg(text));
}

// 4: the picture moves while a step plays.
void ShowJudge::judgeStillness(double)
{
    const bool plays = m_window.director().isOn() && !m_window.director().isOver()
        && m_window.director().await() == Director::Await::Nothing && m_window.pacer().isShow();
    if (!plays) {
        m_stillSince = m_played;
        return;
    }
    if (m_played - m_lookedAt < kLookEvery)
        return;
    m_lookedAt = m_played;
    const QString picture = m_window.canvas().picture().toText() + QString::number(int(m_window.workspace()));
    if (picture != m_picture) {
        if (m_played - m_stillSince > kStillMost + kLookEvery)
            fault(4,
                QStringLiteral("the picture stood for %1 s under \"%2\"")
                    .arg(m_played - m_stillSince, 0, 'f', 1)
                    .arg(m_stillAt));
        m_stillSince = m_played;
        m_stillAt = m_caption;
    }
    m_picture = picture;
}

void ShowJudge::judgeMovement()
{
    // Earlier content was not painted event by event.
    if (const bool isShow = m_window.pacer().isShow(); isShow != m_wasShow) {
        m_wasShow = isShow;
        if (isShow)
            m_firstPainted = std::max(m_firstPainted, m_window.director().begunAt() + 1);
    }
    for (const ShownEvent& shown : m_window.pacer().shown()) {
        if (shown.run.isGap())
            continue;
        m_shown.insert(shown.run.index);
        const QString kind = QString::fromStdString(kindName(*shown.run.event));
        if (wordsFor(kind) != nullptr && m_window.pacer().isShow() && !m_step.isEmpty())
            m_unexplained.try_emplace(kind, QString::number(m_played, 'f', 1));
    }
    std::erase_if(m_unexplained, [this](const auto& entry) {
        return m_stepWords.contains(
            QRegularExpression(QString::fromLatin1(wordsFor(entry.first)), QRegularExpression::CaseInsensitiveOption));
    });
}

void ShowJudge::look(double seconds)
{
    m_played += seconds;
    judgeMovement();
    if (m_window.director().repeated().isEmpty())
        m_repeatedUpTo = 0;
    else
        for (const ShownEvent& event : m_window.pacer().shown())
            if (!event.run.isGap() && changesStructure(*event.run.event))
                m_repeatedUpTo = std::max(m_repeatedUpTo, event.run.runNs);
    judgeStillness(seconds);
}

void ShowJudge::finish(double minutes)
{
    for (const auto& [what, when] : m_unexplained)
        fault(4, QStringLiteral("%1 moved at %2 s and no caption of the step explains it").arg(what, when));
    if (minutes > 0 && std::abs(m_played / 60 - minutes) > kTimeAccuracy * minutes)
        fault(6,
            QStringLiteral("it takes %1 minutes, and its header says %2").arg(m_played / 60, 0, 'f', 1).arg(minutes));
}

} // namespace lhrs::gui
