// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/show/words/message_class.h"

#include <QColor>
#include <QFont>
#include <QFontMetricsF>
#include <QHash>
#include <QPainterPath>
#include <QPalette>
#include <QString>

#include <array>
#include <memory>
#include <optional>
#include <span>

namespace lhrs::gui {

// The Okabe-Ito colours, which people with any of the usual colour deficiencies can tell apart.
namespace okabe {
inline constexpr QRgb kBlack = 0xff000000, kOrange = 0xffe69f00, kSkyBlue = 0xff56b4e9, kGreen = 0xff009e73,
                      kYellow = 0xfff0e442, kBlue = 0xff0072b2, kVermillion = 0xffd55e00, kPurple = 0xffcc79a7,
                      kWhite = 0xffffffff;
}

// Small pictures that show a state or a class of messages in addition to its colour. Drawn as paths, so that no font is
// needed.
enum class Glyph {
    None,
    Dots, // starting
    Fork, // busy: what it holds is divided
    Cross, // failed: declared so by the coordinator
    Gone, // the process is gone: an empty place
    Question, // suspected
    Hourglass, // paused: it stands still
    Turning, // being rebuilt
    DoubleCross, // lost for good
    Flag, // displaced: outside its row
    Cut, // no message passes
    Alarm, // a request that is not answered
    Clock, // no event for a while
    Ring, // an invitation
    Hand, // an offer
    Warning, // overload
    Operation, // client -> server
    Reply, // server -> client
    Image, // a reply that corrects what the client knows
    Change, // server -> server: a change of what they hold
    Ack, // acknowledgements
    Control, // orders and reports of the coordinator
    Recruit, // invitation, offer, confirmation, cancel
    Bulk, // many records by stream
    Live,
    Simulated,
    Play,
    Pause,
    Next,
    Stop,
    Barrier, // the workload is held: nothing new comes in
    Gate, // messages are held: nothing passes
};

// Outlines that show the kind of a thing in addition to its colour.
enum class Outline { Rectangle, Rounded, CutCorners, Circle, Diamond };

// The condition of a place or a process, as it is drawn. Each has a glyph, and a colour unless it is `Up`.
enum class Condition {
    Up,
    Starting,
    Busy, // with a change of what it holds
    Silent,
    Gone, // its process has ended
    Paused,
    Suspect,
    Failed,
    Rebuilding,
    Lost,
    Displaced, // its place is another process's
    Invited, // to take a place
    Offered, // itself for a place
    Absent, // there is nothing yet
};
inline constexpr int kConditions = int(Condition::Absent) + 1;

// What one kind of thing looks like. Systems have a shape for each kind of their own servers; no two of one picture
// have the same outline.
struct Shape {
    enum class Edge { ByCondition, Dashed, Solid };
    Outline outline = Outline::Rectangle;
    QRgb fill = 0; // while it is up; 0: black or white, whatever stands out from the background
    Edge edge = Edge::ByCondition;
};
// Every system has clients and a coordinator.
inline constexpr Shape kClientShape { Outline::Circle, okabe::kGreen, Shape::Edge::Solid };
inline constexpr Shape kCoordinatorShape { Outline::Diamond, 0, Shape::Edge::Solid };

struct LookStyle {
    QColor colour;
    Outline outline = Outline::Rectangle;
    Glyph glyph = Glyph::None;
    bool isDashed = false;
    bool isHatched = false;
};

// How a class of messages is drawn.
struct MessageStyle {
    QColor colour;
    Glyph glyph = Glyph::None;
};

enum class TextSize { Small, Body, Strong, Title, Number, Caption };
inline constexpr int kTextSizes = int(TextSize::Caption) + 1;

struct TextStyle {
    TextSize size = TextSize::Body;
    bool isBold = false;
    bool isMono = false;
    bool operator==(const TextStyle&) const = default;
};
inline constexpr TextStyle kSmall { TextSize::Small }, kSmallBold { TextSize::Small, true };
inline constexpr TextStyle kBody { TextSize::Body }, kBodyBold { TextSize::Body, true };

// Colours, fonts and measures of everything that is painted. A value type: a view holds a copy and compares it.
class Theme {
public:
    enum class Kind { Light, Dark };

    // `stroke`: the factor by which all lines are thicker than usual.
    explicit Theme(Kind kind = Kind::Light, qreal fontScale = 1.0, bool isHighContrast = false, qreal stroke = 1.0);

    Kind kind() const { return m_kind; }
    bool isDark() const { return m_kind == Kind::Dark; }
    // Black on white, or white on black; no shade of grey has a meaning.
    bool isHighContrast() const { return m_isHighContrast; }
    qreal fontScale() const { return m_fontScale; }
    qreal stroke() const { return m_stroke; }
    bool operator==(const Theme& other) const
    {
        return m_kind == other.m_kind && m_fontScale == other.m_fontScale && m_isHighContrast == other.m_isHighContrast
            && m_stroke == other.m_stroke;
    }

    // The range that a person may choose; a presentation on a large screen may go up to kHallScaleMax.
    static constexpr qreal kFontScaleMin = 0.8, kFontScaleMax = 2.5, kHallScaleMax = 8;
    // Size of the smallest text, in pixels at 100 %.
    static constexpr int kSmallestPixels = 12;

    // n pixels at 100 %, scaled with the font.
    qreal px(qreal n) const { return n * m_fontScale; }
    const QFont& font(TextStyle style) const;
    const QFontMetricsF& metrics(TextStyle style) const;
    // The width of the text; cached, because shaping text costs more than painting a card. GUI thread only.
    qreal width(TextStyle style, const QString& words) const;
    qreal lineHeight(TextStyle style) const { return metrics(style).height(); }

    // A thing of this shape in this condition.
    LookStyle look(const Shape& shape, Condition condition) const;
    const MessageStyle& message(MessageClass c) const { return m_messages[std::size_t(c)]; }

    QColor canvas, card, cardHeader, text, muted, outline, grid, empty, selection, focus, good, caution, bad, incoming,
        neutral, shadow; // neutral: black or white, whatever stands out from the background
    // The colour of text that reports a failure.
    QColor badText;

    // The same colours as a palette and a style sheet, for the widgets around the canvas.
    QPalette palette() const;
    QString styleSheet() const;

    // The colours of states; tested pairwise under simulated colour deficiencies.
    static std::span<const QRgb> stateColours();
    // Whether the desktop's own palette is dark.
    static bool systemIsDark();
    // Registers the bundled family where it is installed; otherwise the system's default family is used. Call it once,
    // after the application object exists; returns the family that is used.
    static QString registerFonts();

private:
    Kind m_kind;
    qreal m_fontScale, m_stroke;
    bool m_isHighContrast;
    std::array<LookStyle, kConditions> m_conditions;
    std::array<MessageStyle, kMessageClasses> m_messages;
    struct Face {
        QFont font;
        QFontMetricsF metrics { QFont() };
        std::shared_ptr<QHash<QString, qreal>> widths; // shared by all copies of the theme
    };
    std::array<Face, std::size_t(kTextSizes) * 4> m_faces;
};

// The glyph in the unit square, y pointing down; it is filled, or stroked if `isStroked` is set.
struct GlyphPath {
    QPainterPath path;
    bool isStroked = false;
};
const GlyphPath& glyphPath(Glyph glyph);
const char* glyphName(Glyph glyph);

} // namespace lhrs::gui
