// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/panels/time_bar.h"

#include "gui/show/director.h"
#include "gui/show/words/quantity_words.h"
#include "gui/window/widgets/actions.h"

#include <QHBoxLayout>
#include <QIcon>
#include <QLabel>
#include <QPushButton>
#include <QSlider>

#include <algorithm>
#include <cmath>

namespace lhrs::gui {

namespace {

constexpr qreal kButtonWide = 34, kTrackLeast = 60, kSliderWide = 56; // pixels at 100 %
constexpr qint64 kLate = 500'000'000; // ns behind the run: from this lag on the bar reports it

} // namespace

TimeBar::TimeBar(Actions& actions, TimeLine& time, Director& director, const EventFeed& live, QWidget* parent)
    : QWidget(parent), m_time(time), m_director(director), m_live(live), m_track(new TimeTrack(time, live, this)),
      m_words(new QLabel(this)), m_speed(new QSlider(Qt::Horizontal, this)), m_speedWords(new QLabel(this))
{
    setObjectName(QStringLiteral("timeBar"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(10, 1, 10, 1);
    row->setSpacing(6);
    for (const auto& [id, glyph, text] :
        { std::tuple("stepBack", Glyph::None, "‹"), std::tuple("playPause", Glyph::Pause, ""),
            std::tuple("stepForward", Glyph::None, "›"), std::tuple("follow", Glyph::Live, ""),
            std::tuple("holdWorkload", Glyph::Barrier, ""), std::tuple("gate", Glyph::Gate, "") }) {
        QAction* action = actions.get(id);
        auto* made = new QPushButton(QString::fromUtf8(text), this);
        made->setObjectName(QLatin1String(id) + QStringLiteral("Button"));
        made->setToolTip(action->toolTip());
        made->setAccessibleName(action->text());
        made->setFocusPolicy(Qt::TabFocus); // so that Space always pauses
        made->setCheckable(action->isCheckable());
        connect(made, &QPushButton::clicked, action, [made, action] {
            action->trigger();
            made->setChecked(action->isChecked());
        });
        connect(action, &QAction::changed, made, [made, action] {
            made->setEnabled(action->isEnabled());
            made->setChecked(action->isChecked());
        });
        row->addWidget(made);
        m_buttons.emplace_back(made, glyph);
    }
    m_play = m_buttons[1].first;
    row->addWidget(m_track, 1);
    m_words->setObjectName(QStringLiteral("timeWords"));
    m_words->setTextFormat(Qt::PlainText);
    m_words->setAccessibleName(tr("Instant that is shown"));
    row->addWidget(m_words);
    // In steps of a factor of two, as with the keys.
    m_speed->setObjectName(QStringLiteral("showSpeed"));
    m_speed->setAccessibleName(tr("Speed of the show"));
    m_speed->setToolTip(tr("How fast everything is shown (keys , and ;); the cluster has its own time"));
    m_speed->setRange(qRound(std::log2(Director::kSlowest)), qRound(std::log2(Director::kFastest)));
    m_speed->setPageStep(1);
    m_speed->setFocusPolicy(Qt::TabFocus);
    m_speedWords->setObjectName(QStringLiteral("showSpeedWords"));
    connect(m_speed, &QSlider::valueChanged, this, [this](int power) {
        m_director.setSpeed(std::exp2(power));
        showSpeed();
    });
    row->addWidget(m_speed);
    row->addWidget(m_speedWords);
    showSpeed();
}

QString TimeBar::speedWords() const
{
    const double speed = m_director.speed();
    return speed >= Director::kInstant ? tr("at once") : tr("%1 x").arg(speed);
}

void TimeBar::showSpeed()
{
    const QSignalBlocker quiet(m_speed);
    m_speed->setValue(qRound(std::log2(std::min(m_director.speed(), Director::kFastest))));
    if (const QString words = speedWords(); words != m_speedWords->text())
        m_speedWords->setText(words);
}

QString TimeBar::words() const
{
    const QString at = durationWords(m_time.cursorNs() - m_time.beginNs());
    const QString mode = m_time.mode() == TimeLine::Mode::Play ? tr("PLAY %1 x").arg(m_time.speed()) : tr("PAUSED");
    if (!m_time.trouble().isEmpty())
        return m_time.trouble();
    if (m_time.mode() == TimeLine::Mode::Show && m_time.isReplay())
        return tr("%1   %2 of %3")
            .arg(m_director.isPaused() ? tr("PAUSED") : tr("SHOW"), at,
                durationWords(m_time.endNs() - m_time.beginNs()));
    const std::int64_t late = m_director.behindNs(m_live.nowNs());
    if (m_time.mode() == TimeLine::Mode::Show || (m_time.mode() == TimeLine::Mode::Follow && late > kLate)) {
        const QString shown = m_director.isPaused() ? tr("PAUSED")
            : m_time.mode() == TimeLine::Mode::Show ? tr("SHOW")
                                                    : tr("FOLLOW");
        return late > kLate ? tr("%1   %2 s behind, End: now").arg(shown).arg(double(late) / 1e9, 0, 'f', 1) : shown;
    }
    if (m_time.isReplay())
        return tr("%1   %2 of %3   event %4 of %5")
            .arg(mode, at, durationWords(m_time.endNs() - m_time.beginNs()), grouped(m_time.cursor()),
                grouped(m_time.newest()));
    if (m_time.mode() == TimeLine::Mode::Follow)
        return tr("FOLLOW");
    return tr("%1   %2 behind, %3")
        .arg(mode, durationWords(m_time.endNs() - m_time.cursorNs()), countedWords(m_time.behind(), "event", "events"));
}

bool TimeBar::refresh(double seconds)
{
    const bool isBusy = m_track->refresh(seconds);
    showWords();
    showSpeed();
    if (const bool shows = m_time.mode() != TimeLine::Mode::Paused && !m_director.isPaused(); shows != m_showsPause) {
        m_showsPause = shows;
        setTheme(m_theme);
    }
    return isBusy;
}

// If the text is too long for the bar, the event count is left out first; the track keeps its minimum width.
void TimeBar::showWords()
{
    const QString all = words();
    const QFontMetricsF& metrics = m_theme.metrics(kSmallBold);
    const qreal room = wordsRoom();
    QString shown = all;
    if (metrics.horizontalAdvance(shown) > room && m_time.trouble().isEmpty())
        shown = all.section(m_time.isReplay() ? QStringLiteral("   event ") : QStringLiteral(", "), 0, 0);
    shown = metrics.elidedText(shown, Qt::ElideRight, room);
    if (shown != m_words->text())
        m_words->setText(shown);
    if (const QString tip = shown == all ? QString() : all; tip != m_words->toolTip())
        m_words->setToolTip(tip);
}

// The pixels for the words beside the buttons and the track.
qreal TimeBar::wordsRoom() const
{
    const qreal buttons = qreal(m_buttons.size()) * (m_theme.px(kButtonWide) + layout()->spacing());
    return std::max(m_theme.px(60),
        width() - buttons - m_speed->width() - m_speedWords->minimumWidth() - 2 * layout()->spacing()
            - m_theme.px(kTrackLeast) - 20 - layout()->spacing());
}

void TimeBar::fitWords()
{
    // The width for typical words, so that the track keeps its width.
    const qreal wanted = m_theme.width(kSmallBold, tr("PLAY 0.25 x   12.34 s of 56.78 s   event 123 456 of 234 567"));
    m_words->setMinimumWidth(int(std::min(wanted, wordsRoom())));
    showWords();
}

void TimeBar::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitWords();
}

void TimeBar::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_track->setTheme(theme);
    m_words->setFont(theme.font(kSmallBold));
    m_speedWords->setFont(theme.font(kSmallBold));
    m_speedWords->setMinimumWidth(int(theme.width(kSmallBold, tr("0.125 x"))));
    m_speed->setFixedWidth(int(theme.px(kSliderWide)));
    fitWords();
    const int side = int(theme.px(13));
    m_buttons[1].second = m_showsPause ? Glyph::Pause : Glyph::Play;
    for (const auto& [button, glyph] : m_buttons) {
        button->setFixedSize(int(theme.px(kButtonWide)), int(theme.px(22)));
        if (glyph != Glyph::None) {
            button->setIcon(QIcon(QPixmap::fromImage(glyphImage(glyph, theme.text, side * 2))));
            button->setIconSize(QSize(side, side));
        }
    }
}

} // namespace lhrs::gui
