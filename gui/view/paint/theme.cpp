// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/paint/theme.h"

#include "common/errors.h"

#include <QFile>
#include <QFontDatabase>
#include <QGuiApplication>

#include <algorithm>
#include <string_view>

namespace lhrs::gui {

namespace {

constexpr std::array<QRgb, 8> kStateColours { okabe::kBlack, okabe::kOrange, okabe::kSkyBlue, okabe::kGreen,
    okabe::kYellow, okabe::kBlue, okabe::kVermillion, okabe::kPurple };

// Pixels at 100 %. The smallest text is 1/60 of the height of a 720-line picture; with the projector preset, 1/40.
constexpr std::array<int, kTextSizes> kPixels { Theme::kSmallestPixels, 13, 15, 18, 22, 24 };

constexpr qsizetype kWidthsKept = 4'096; // per face

QString g_family = QStringLiteral("DejaVu Sans");
QString g_monoFamily = QStringLiteral("DejaVu Sans Mono");

std::size_t faceIndex(TextStyle style)
{
    return std::size_t(style.size) * 4 + (style.isBold ? 1 : 0) + (style.isMono ? 2 : 0);
}

} // namespace

Theme::Theme(Kind kind, qreal fontScale, bool isHighContrast, qreal stroke)
    : m_kind(kind), m_fontScale(std::clamp(fontScale, kFontScaleMin, kHallScaleMax)),
      m_stroke(std::clamp(stroke, 1.0, 4.0)), m_isHighContrast(isHighContrast)
{
    const bool dark = isDark();
    canvas = dark ? QColor(0x14, 0x17, 0x1c) : QColor(0xf3, 0xf5, 0xf8);
    card = dark ? QColor(0x21, 0x26, 0x2e) : QColor(0xff, 0xff, 0xff);
    cardHeader = dark ? QColor(0x2c, 0x33, 0x3d) : QColor(0xe6, 0xea, 0xf0);
    text = dark ? QColor(0xf2, 0xf5, 0xf8) : QColor(0x14, 0x18, 0x1d);
    muted = dark ? QColor(0xb2, 0xbc, 0xc8) : QColor(0x4e, 0x58, 0x66);
    outline = dark ? QColor(0x8a, 0x95, 0xa3) : QColor(0x76, 0x80, 0x8e);
    grid = dark ? QColor(0x39, 0x41, 0x4c) : QColor(0xcf, 0xd6, 0xdf);
    empty = dark ? QColor(0x33, 0x3a, 0x45) : QColor(0xe2, 0xe7, 0xee);
    shadow = dark ? QColor(0, 0, 0, 90) : QColor(20, 30, 45, 26);
    selection = QColor::fromRgb(okabe::kSkyBlue);
    focus = dark ? QColor::fromRgb(okabe::kSkyBlue) : QColor::fromRgb(okabe::kBlue);
    good = QColor::fromRgb(okabe::kGreen);
    caution = QColor::fromRgb(okabe::kOrange);
    bad = QColor::fromRgb(okabe::kVermillion);
    neutral = QColor::fromRgb(dark ? okabe::kWhite : okabe::kBlack);
    incoming = QColor::fromRgb(okabe::kSkyBlue);

    badText = dark ? QColor(0xff, 0x9b, 0x4d) : QColor(0xa8, 0x3c, 0x00);
    if (isHighContrast) {
        canvas = card = empty = dark ? QColor(Qt::black) : QColor(Qt::white);
        cardHeader = dark ? QColor(0x1c, 0x1c, 0x1c) : QColor(0xee, 0xee, 0xee);
        text = outline = focus = dark ? QColor(Qt::white) : QColor(Qt::black);
        selection = QColor::fromRgb(dark ? okabe::kSkyBlue : okabe::kBlue);
        muted = dark ? QColor(0xe2, 0xe2, 0xe2) : QColor(0x22, 0x22, 0x22);
        grid = dark ? QColor(0x96, 0x96, 0x96) : QColor(0x5e, 0x5e, 0x5e);
        badText = dark ? QColor(0xff, 0xb4, 0x78) : QColor(0x7a, 0x26, 0x00);
        shadow = Qt::transparent;
    }

    const auto colour = [](QRgb rgb) { return QColor::fromRgb(rgb); };
    const auto set = [&](Condition l, QColor c, Glyph g, bool dashed = false, bool hatched = false) {
        m_conditions[std::size_t(l)] = { c, Outline::Rectangle, g, dashed, hatched };
    };
    set(Condition::Up, neutral, Glyph::None);
    set(Condition::Starting, incoming, Glyph::Dots);
    set(Condition::Busy, caution, Glyph::Fork);
    set(Condition::Silent, neutral, Glyph::Clock, true, true);
    set(Condition::Gone, bad, Glyph::Gone, true, true);
    set(Condition::Paused, neutral, Glyph::Hourglass, true, true);
    set(Condition::Suspect, caution, Glyph::Question, true);
    set(Condition::Failed, bad, Glyph::Cross, false, true);
    set(Condition::Rebuilding, good, Glyph::Turning, false, true);
    set(Condition::Lost, neutral, Glyph::DoubleCross, false, true);
    set(Condition::Displaced, caution, Glyph::Flag, true);
    set(Condition::Invited, colour(okabe::kYellow), Glyph::Ring, true);
    set(Condition::Offered, good, Glyph::Hand, true);
    set(Condition::Absent, neutral, Glyph::Ring, true);

    const auto message = [&](MessageClass c, QColor shade, Glyph g) { m_messages[std::size_t(c)] = { shade, g }; };
    message(MessageClass::Operation, colour(okabe::kBlue), Glyph::Operation);
    message(MessageClass::Reply, colour(okabe::kGreen), Glyph::Reply);
    message(MessageClass::Image, colour(okabe::kYellow), Glyph::Image);
    message(MessageClass::Change, colour(okabe::kPurple), Glyph::Change);
    message(MessageClass::Ack, colour(dark ? okabe::kBlack : okabe::kWhite), Glyph::Ack);
    message(MessageClass::Control, neutral, Glyph::Control);
    message(MessageClass::Recruit, colour(okabe::kOrange), Glyph::Recruit);
    message(MessageClass::Bulk, colour(okabe::kSkyBlue), Glyph::Bulk);

    for (int size = 0; size < kTextSizes; ++size) {
        for (int variant = 0; variant < 4; ++variant) {
            QFont font((variant & 2) ? g_monoFamily : g_family);
            font.setPixelSize(qRound(px(kPixels[std::size_t(size)])));
            font.setBold(variant & 1);
            font.setStyleHint((variant & 2) ? QFont::Monospace : QFont::SansSerif);
            font.setHintingPreference(QFont::PreferNoHinting);
            m_faces[std::size_t(size) * 4 + std::size_t(variant)] = { font, QFontMetricsF(font),
                std::make_shared<QHash<QString, qreal>>() };
        }
    }
}

LookStyle Theme::look(const Shape& shape, Condition condition) const
{
    LookStyle style = m_conditions[std::size_t(condition)];
    style.outline = shape.outline;
    if (condition == Condition::Up && shape.fill != 0)
        style.colour = QColor::fromRgb(shape.fill);
    if (shape.edge != Shape::Edge::ByCondition)
        style.isDashed = shape.edge == Shape::Edge::Dashed;
    return style;
}

const QFont& Theme::font(TextStyle style) const { return m_faces[faceIndex(style)].font; }

const QFontMetricsF& Theme::metrics(TextStyle style) const { return m_faces[faceIndex(style)].metrics; }

qreal Theme::width(TextStyle style, const QString& words) const
{
    const Face& face = m_faces[faceIndex(style)];
    const auto known = face.widths->constFind(words);
    if (known != face.widths->constEnd())
        return *known;
    if (face.widths->size() >= kWidthsKept)
        face.widths->clear();
    return *face.widths->insert(words, face.metrics.horizontalAdvance(words));
}

QPalette Theme::palette() const
{
    QPalette p;
    const QColor button = m_isHighContrast ? card : isDark() ? QColor(0x2f, 0x36, 0x41) : QColor(0xfb, 0xfc, 0xfe);
    const QColor window = m_isHighContrast ? canvas : isDark() ? QColor(0x1b, 0x1f, 0x26) : QColor(0xe9, 0xed, 0xf2);
    p.setColor(QPalette::Window, window);
    p.setColor(QPalette::WindowText, text);
    p.setColor(QPalette::Base, card);
    p.setColor(QPalette::AlternateBase,
        m_isHighContrast ? cardHeader
            : isDark()   ? QColor(0x27, 0x2d, 0x36)
                         : QColor(0xf4, 0xf6, 0xf9));
    p.setColor(QPalette::Text, text);
    p.setColor(QPalette::Button, button);
    p.setColor(QPalette::ButtonText, text);
    p.setColor(QPalette::BrightText, text);
    p.setColor(QPalette::PlaceholderText, muted);
    p.setColor(QPalette::ToolTipBase, card);
    p.setColor(QPalette::ToolTipText, text);
    p.setColor(QPalette::Highlight, QColor::fromRgb(okabe::kBlue));
    p.setColor(QPalette::HighlightedText, QColor::fromRgb(okabe::kWhite));
    p.setColor(QPalette::Link, isDark() ? QColor::fromRgb(okabe::kSkyBlue) : QColor::fromRgb(okabe::kBlue));
    p.setColor(QPalette::Light, window.lighter(isDark() ? 140 : 104));
    p.setColor(QPalette::Midlight, window.lighter(isDark() ? 120 : 102));
    p.setColor(QPalette::Mid, grid);
    p.setColor(QPalette::Dark, outline);
    p.setColor(QPalette::Shadow, QColor(0, 0, 0));
    for (auto role : { QPalette::WindowText, QPalette::Text, QPalette::ButtonText })
        p.setColor(QPalette::Disabled, role,
            m_isHighContrast ? grid
                : isDark()   ? QColor(0x86, 0x90, 0x9c)
                             : QColor(0x74, 0x7d, 0x89));
    return p;
}

QString Theme::styleSheet() const
{
    const QString button = palette().color(QPalette::Button).name();
    const auto number = [](qreal v) { return QString::number(qRound(v)); };
    QString sheet = QStringLiteral(
        "QToolTip { color: %1; background: %2; border: 1px solid %3; padding: 4px; }"
        "QPushButton, QToolButton { background: %4; border: 1px solid %3; border-radius: 4px; padding: %5px %6px; }"
        "QPushButton:hover, QToolButton:hover { background: %7; }"
        "QPushButton:pressed, QPushButton:checked, QToolButton:pressed, QToolButton:checked { background: %8; }"
        "QPushButton:disabled, QToolButton:disabled { color: %9; border-color: %8; }"
        "QPushButton:focus, QToolButton:focus { border: 2px solid %10; }")
                        .arg(text.name(), card.name(), outline.name(), button, number(px(4)), number(px(9)),
                            cardHeader.name(), grid.name(),
                            palette().color(QPalette::Disabled, QPalette::ButtonText).name())
                        .arg(focus.name());
    sheet += QStringLiteral(
        "QMenuBar, QStatusBar { background: %1; } QStatusBar::item { border: none; }"
        "QDockWidget { titlebar-close-icon: none; titlebar-normal-icon: none; }"
        "QDockWidget::title { background: %2; padding: %3px %4px; }"
        "QTabBar::tab { background: %1; color: %5; padding: %3px %6px; border: 1px solid %7; border-bottom: none; }"
        "QTabBar::tab:selected { background: %8; font-weight: bold; border-top: 3px solid %9; }"
        "QTableView, QTreeView, QListView { background: %8; gridline-color: %7; border: 1px solid %7; }"
        "QHeaderView::section { background: %2; color: %5; border: none; border-right: 1px solid %7; padding: %3px; }"
        "QTableView:focus, QListView:focus, QScrollArea:focus { border: 2px solid %9; }")
                 .arg(palette().color(QPalette::Window).name(), cardHeader.name(), number(px(3)), number(px(6)),
                     text.name(), number(px(12)), grid.name(), card.name(), focus.name());
    // Controls have small text.
    sheet += QStringLiteral(
        "QMenuBar, QMenu, QTabBar, QComboBox, QAbstractSpinBox, QLineEdit, QCheckBox, QRadioButton, QPushButton, "
        "QToolButton,"
        " QHeaderView { font-size: %1px; } QPushButton#nextStepButton { font-size: %2px; font-weight: bold; }"
        " QWidget#choices QPushButton { font-size: %2px; }")
                 .arg(font({ TextSize::Small }).pixelSize())
                 .arg(font({ TextSize::Strong }).pixelSize());
    return sheet;
}

std::span<const QRgb> Theme::stateColours() { return kStateColours; }

bool Theme::systemIsDark() { return QGuiApplication::palette().color(QPalette::Window).lightnessF() < 0.5F; }

QString Theme::registerFonts()
{
    // The directory of Debian's fonts-dejavu-core. Registered explicitly, because the offscreen platform does not
    // search any directory.
    const QString folder = QStringLiteral("/usr/share/fonts/truetype/dejavu/");
    bool found = true;
    for (const char* file :
        { "DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSansMono.ttf", "DejaVuSansMono-Bold.ttf" }) {
        const QString path = folder + QString::fromLatin1(file);
        found = QFile::exists(path) && QFontDatabase::addApplicationFont(path) >= 0 && found;
    }
    if (!found) {
        g_family = QFontDatabase::systemFont(QFontDatabase::GeneralFont).family();
        g_monoFamily = QFontDatabase::systemFont(QFontDatabase::FixedFont).family();
    }
    return g_family;
}

} // namespace lhrs::gui
