// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/start/scenario_cards.h"

#include "gui/lab/script/script_engine.h"
#include "gui/view/paint/display_list.h"
#include "gui/view/paint/flow_layout.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QFocusEvent>
#include <QImageReader>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QRegularExpression>
#include <QVBoxLayout>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <limits>

namespace lhrs::gui {

namespace {

constexpr int kHeaderMax = 4096; // bytes at the beginning of a scenario that can contain its tags
constexpr qreal kCardWidth = 268; // pixels at 100 %: the least width of a card
constexpr int kCardsMargin = 10, kCardsSpacing = 12; // around the contents of a card, and between cards
constexpr double kPictureShape = 9.0 / 16;

QString cardFile(const QString& name, bool isDark)
{
    return QStringLiteral(":/cards/%1_%2.png").arg(name, isDark ? QStringLiteral("dark") : QStringLiteral("light"));
}

// A scenario that repeats an experiment is a lecture, too, if it has a number among them.
bool isLecture(const ScenarioFile& file) { return file.experiments.isEmpty() || file.lecture > 0; }

int lecturePlace(const ScenarioFile& file) { return file.lecture > 0 ? file.lecture : std::numeric_limits<int>::max(); }

} // namespace

// ---- files

std::vector<ScenarioFile> scenariosIn(const QString& directory)
{
    static const QRegularExpression kExercise(QStringLiteral("@exercise\\s+(\\d{1,4})\\b")),
        kLecture(QStringLiteral("@lecture\\s+(\\d{1,4})\\b"));
    std::vector<ScenarioFile> found;
    const QDir folder(directory);
    for (const QString& name : folder.entryList({ QStringLiteral("*.js") }, QDir::Files, QDir::Name)) {
        QFile file(folder.filePath(name));
        if (!file.open(QIODevice::ReadOnly | QIODevice::Text))
            continue;
        const QString text = QString::fromUtf8(file.read(kHeaderMax));
        const ScriptHeader header = headerOf(text);
        const QString tags = text.section('\n', 0, 0);
        found.push_back({ folder.filePath(name), header.title.isEmpty() ? name : header.title, header.minutes,
            header.needs, header.experiments, kExercise.match(tags).captured(1).toInt(),
            kLecture.match(tags).captured(1).toInt() });
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.exercise < b.exercise; });
    return found;
}

std::vector<ScenarioFile> lecturesAmong(const std::vector<ScenarioFile>& files)
{
    std::vector<ScenarioFile> found;
    std::copy_if(files.begin(), files.end(), std::back_inserter(found), isLecture);
    std::stable_sort(
        found.begin(), found.end(), [](const auto& a, const auto& b) { return lecturePlace(a) < lecturePlace(b); });
    return found;
}

std::vector<ScenarioFile> experimentsAmong(const std::vector<ScenarioFile>& files)
{
    std::vector<ScenarioFile> found;
    const auto first = [](const ScenarioFile& file) { return file.experiments.section(' ', 0, 0).mid(1).toInt(); };
    std::remove_copy_if(files.begin(), files.end(), std::back_inserter(found), isLecture);
    std::stable_sort(found.begin(), found.end(), [&](const auto& a, const auto& b) { return first(a) < first(b); });
    return found;
}

QPixmap cardPicture(const QString& name, bool isDark) { return QPixmap(cardFile(name, isDark)); }

QStringList cardTables(const QString& name)
{
    return QImageReader(cardFile(name, false)).text(QStringLiteral("tables")).split(' ', Qt::SkipEmptyParts);
}

// ---- a card

Card::Card(const CardWords& words, QWidget* parent)
    : QAbstractButton(parent), m_picture(new QLabel(this)), m_title(new QLabel(this)), m_sentence(new QLabel(this)),
      m_facts(new QLabel(this)), m_rows(new QVBoxLayout(this))
{
    setCursor(Qt::PointingHandCursor);
    setAttribute(Qt::WA_Hover);
    m_rows->setContentsMargins(kCardsMargin, kCardsMargin, kCardsMargin, kCardsMargin);
    m_rows->setSpacing(5);
    for (QLabel* label : { m_picture, m_title, m_sentence, m_facts }) {
        label->setAttribute(Qt::WA_TransparentForMouseEvents);
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
        m_rows->addWidget(label);
    }
    m_rows->addStretch(1);
    say(words);
}

void Card::say(const CardWords& words)
{
    m_words = words;
    m_title->setText(words.title);
    m_sentence->setText(words.words);
    m_sentence->setVisible(!words.words.isEmpty());
    m_facts->setText(words.facts);
    m_facts->setVisible(!words.facts.isEmpty());
    setAccessibleName(words.title);
    QStringList rest { words.words, words.facts };
    rest.removeAll(QString());
    setAccessibleDescription(rest.isEmpty() ? words.title : rest.join(QStringLiteral(" ")));
}

void Card::setGrey(bool on)
{
    m_isGrey = on;
    setEnabled(!on);
    colour();
}

void Card::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_title->setFont(theme.font({ TextSize::Body, true }));
    m_sentence->setFont(theme.font({ TextSize::Small }));
    m_facts->setFont(theme.font({ TextSize::Small }));
    colour();
}

void Card::colour()
{
    // With the window's style sheet, a palette would have no effect on them.
    for (QLabel* label : { m_title, m_sentence, m_facts }) {
        const QColor ink = m_isGrey || label == m_facts ? m_theme.muted : m_theme.text;
        label->setStyleSheet(QStringLiteral("color: %1;").arg(ink.name()));
    }
    update();
}

int Card::pictureHeight(int width) const { return int((width - 2 * kCardsMargin) * kPictureShape); }

int Card::heightFor(int width) const
{
    int high = 2 * kCardsMargin + pictureHeight(width);
    for (const QLabel* label : { m_title, m_sentence, m_facts })
        if (!label->text().isEmpty())
            high += m_rows->spacing() + label->heightForWidth(width - 2 * kCardsMargin);
    return high + m_rows->spacing();
}

void Card::place(QSize size)
{
    setFixedSize(size);
    const QSize room(size.width() - 2 * kCardsMargin, pictureHeight(size.width()));
    m_picture->setFixedSize(room);
    update();
}

// Made only when it is painted: most cards of a page are out of sight.
void Card::makePicture()
{
    const QSize room = m_picture->size();
    const qreal ratio = devicePixelRatioF();
    const QString wanted
        = QStringLiteral("%1 %2 %3 %4").arg(m_words.picture).arg(m_theme.isDark()).arg(m_isGrey).arg(ratio);
    if (wanted == m_shownAs && m_shown.size() == (QSizeF(room) * ratio).toSize())
        return;
    m_shownAs = wanted;
    QPixmap whole = cardPicture(m_words.picture, m_theme.isDark());
    if (whole.isNull()) { // a plain area with a glyph
        whole = QPixmap(room * ratio);
        whole.fill(m_theme.canvas);
        const int side = int(m_theme.px(28) * ratio);
        QPainter(&whole).drawImage(
            (whole.width() - side) / 2, (whole.height() - side) / 2, glyphImage(Glyph::Play, m_theme.muted, side));
    }
    m_shown = whole.scaled((QSizeF(room) * ratio).toSize(), Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
    if (m_isGrey) {
        QPainter pale(&m_shown);
        QColor veil = m_theme.card;
        veil.setAlphaF(0.7F);
        pale.fillRect(m_shown.rect(), veil);
    }
    m_shown.setDevicePixelRatio(ratio);
}

void Card::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool isChosen = hasFocus();
    const qreal wide = isChosen ? 3 : 1;
    painter.setPen(QPen(isChosen ? m_theme.focus : m_theme.outline, wide));
    painter.setBrush(isDown() ? m_theme.grid : underMouse() && isEnabled() ? m_theme.cardHeader : m_theme.card);
    painter.drawRoundedRect(QRectF(rect()).adjusted(wide / 2, wide / 2, -wide / 2, -wide / 2), 6, 6);
    makePicture();
    painter.drawPixmap(m_picture->pos(), m_shown);
}

void Card::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter: click(); break;
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down: emit arrow(event->key()); break;
    default: QAbstractButton::keyPressEvent(event);
    }
}

void Card::changeEvent(QEvent* event)
{
    QAbstractButton::changeEvent(event);
    if (event->type() == QEvent::EnabledChange)
        update();
}

// ---- cards beside each other

CardSection::CardSection(const QString& id, const QString& heading, const QString& sentence, QWidget* parent)
    : QWidget(parent), m_heading(new QLabel(heading, this)), m_sentence(new QLabel(sentence, this)),
      m_inside(new QWidget(this)), m_below(new QWidget(this)), m_flow(new FlowLayout(m_inside, kCardsSpacing)),
      m_belowFlow(new FlowLayout(m_below, kCardsSpacing))
{
    setObjectName(id);
    setAccessibleName(heading);
    m_sentence->setWordWrap(true);
    auto* rows = new QVBoxLayout(this);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(6);
    for (FlowLayout* flow : { m_flow, m_belowFlow })
        flow->setContentsMargins(0, 0, 0, 0);
    for (QWidget* part : std::initializer_list<QWidget*> { m_heading, m_sentence, m_inside, m_below })
        rows->addWidget(part);
    m_below->hide();
}

Card* CardSection::add(const QString& id, const CardWords& words)
{
    auto* card = new Card(words, m_inside);
    card->setObjectName(id);
    card->setTheme(m_theme);
    card->setFocusPolicy(m_cards.empty() ? Qt::StrongFocus : Qt::ClickFocus);
    card->installEventFilter(this);
    connect(card, &Card::arrow, this, [this, card](int key) { emit arrow(card, key); });
    m_flow->addWidget(card);
    m_cards.push_back(card);
    card->show();
    return card;
}

void CardSection::clear()
{
    for (Card* card : m_cards) {
        m_flow->removeWidget(card);
        card->hide();
        card->deleteLater(); // it may be the card that was pressed
    }
    m_cards.clear();
}

void CardSection::setSentence(const QString& words) { m_sentence->setText(words); }

void CardSection::addBelow(QWidget* widget)
{
    m_belowFlow->addWidget(widget);
    m_below->show();
}

void CardSection::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_heading->setFont(theme.font({ TextSize::Title, true }));
    m_sentence->setFont(theme.font({ TextSize::Body }));
    for (Card* card : m_cards)
        card->setTheme(theme);
    setRoom(m_room);
}

void CardSection::setRoom(int width)
{
    m_room = width;
    if (width <= 0 || m_cards.empty())
        return;
    const int least = std::max(1, int(m_theme.px(kCardWidth)));
    const int columns = std::max(1, (width + kCardsSpacing) / (least + kCardsSpacing));
    const int wide = (width - (columns - 1) * kCardsSpacing) / columns;
    for (std::size_t first = 0; first < m_cards.size(); first += std::size_t(columns)) { // one height per row
        const std::size_t end = std::min(m_cards.size(), first + std::size_t(columns));
        int high = 0;
        for (std::size_t i = first; i < end; ++i)
            high = std::max(high, m_cards[i]->heightFor(wide));
        for (std::size_t i = first; i < end; ++i)
            m_cards[i]->place({ wide, high });
    }
    m_flow->invalidate();
}

bool CardSection::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::FocusIn)
        makeCurrent(static_cast<Card*>(watched));
    return QWidget::eventFilter(watched, event);
}

// Tab returns to the card that the arrow keys reached.
void CardSection::makeCurrent(Card* card)
{
    for (Card* other : m_cards)
        other->setFocusPolicy(other == card ? Qt::StrongFocus : Qt::ClickFocus);
}

Card* cardBeside(const Card& from, int key, const std::vector<Card*>& cards, const QWidget& page)
{
    const auto at = std::find(cards.begin(), cards.end(), &from);
    if (at == cards.end())
        return nullptr;
    if (key == Qt::Key_Left)
        return at == cards.begin() ? nullptr : *(at - 1);
    if (key == Qt::Key_Right)
        return at + 1 == cards.end() ? nullptr : *(at + 1);
    const auto centre = [&](const Card& card) { return card.mapTo(&page, card.rect().center()); };
    const QPoint here = centre(from);
    Card* best = nullptr;
    for (Card* card : cards) {
        const int away = (centre(*card).y() - here.y()) * (key == Qt::Key_Down ? 1 : -1);
        if (away <= 1)
            continue;
        // The next row, and the nearest card in it.
        const auto distance = [&](const Card& one) {
            const QPoint there = centre(one);
            return std::pair(std::abs(there.y() - here.y()), std::abs(there.x() - here.x()));
        };
        if (!best || distance(*card) < distance(*best))
            best = card;
    }
    return best;
}

} // namespace lhrs::gui
