// SPDX-License-Identifier: GPL-3.0-or-later
// The elements of the picture: primitives, their text and SVG, states by shape, word and colour.
#include "tests/rigs/gui/colour_difference.h"
#include "tests/view/golden.h"
#include "tests/rigs/gui/view_stage.h"

#include "gui/view/lhrs/words/object_words.h"

#include <QBuffer>
#include <QRegularExpression>

#include <algorithm>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

constexpr QSizeF kSmallView(1280, 520);

int glyphsOf(const DisplayList& list, ObjectRef object, Glyph glyph)
{
    return int(std::count_if(list.items().begin(), list.items().end(), [&](const DisplayList::Item& item) {
        const auto* mark = std::get_if<DisplayList::Mark>(&item.primitive);
        return mark && item.object == object && mark->glyph == glyph;
    }));
}

QStringList textsOf(const DisplayList& list, ObjectRef object)
{
    QStringList out;
    for (const DisplayList::Item& item : list.items()) {
        if (const auto* text = std::get_if<DisplayList::Text>(&item.primitive); text && item.object == object)
            out << text->text;
    }
    return out;
}

// The picture line by line; for a large file only the first group, and the items that belong to no place.
QString linesOf(const DisplayList& list, const ClusterState& state)
{
    const bool isLarge = state.data.size() > 64;
    DisplayList few(list.theme());
    for (const DisplayList::Item& item : list.items()) {
        const ObjectRef& o = item.object;
        const bool isFar = o.kind == ObjectKind::Data
            ? o.a >= state.m()
            : (o.kind == ObjectKind::Parity || o.kind == ObjectKind::Group) && o.a > 0;
        if (isLarge && isFar)
            continue;
        few.setObject(o);
        few.setClip(item.clip);
        few.add(item.primitive);
    }
    return few.toText();
}

// Two groups. In one a bucket has failed and is being rebuilt, and another is suspected; the other has lost more than
// it can survive.
ClusterState inTrouble()
{
    ClusterState state = fileOf({ 6, 3, 2, 2, 2, 1, 40, 4 });
    GroupState& first = state.groups[0];
    first.state = pb::GROUP_DEGRADED;
    first.down[{ pb::DATA, 1 }] = { kFileData + 1, false, "it does not answer probes", 1 };
    first.down[{ pb::PARITY, 1 }] = { parityProcess(0, 1), false, "it does not answer probes", 1 };
    first.suspected[{ pb::DATA, 2 }] = { "not heard of", 1 };
    first.recovery.id = 1;
    first.recovery.buckets = { 1 };
    first.recovery.isStarted = true;
    first.recovery.slices = 1;
    first.recovery.rankTo = first.recovery.records = 2;
    state.data[1].state = pb::RECOVERING;
    state.data[1].process = kFileSpares;
    GroupState& second = state.groups[1];
    second.state = pb::GROUP_LOST;
    for (std::uint32_t member = 0; member < 3; ++member)
        second.down[{ pb::DATA, member }] = { kFileData + 3 + member, true, "it does not answer probes", 1 };
    return state;
}

// Everything that a picture of a file can show in one place.
std::vector<Look> everyLook()
{
    using enum Condition;
    std::vector<Look> looks { { ObjectKind::Data, Rebuilding }, { ObjectKind::Dummy, Absent } };
    for (const ObjectKind server : { ObjectKind::Data, ObjectKind::Parity })
        for (const Condition now : { Up, Starting, Busy, Silent, Gone, Paused, Suspect, Failed, Lost, Displaced })
            looks.push_back({ server, now });
    for (const ObjectKind kind : { ObjectKind::Spare, ObjectKind::Client, ObjectKind::Coordinator })
        for (const Condition now : { Up, Gone, Paused })
            looks.push_back({ kind, now });
    for (const Condition now : { Invited, Offered })
        looks.push_back({ ObjectKind::Spare, now });
    return looks;
}

} // namespace

class PicturesTest : public QObject {
    Q_OBJECT
private slots:
    void whatIsDrawnLastIsHitFirst();
    void theLongestWordingThatFitsIsTaken();
    void theSamePictureIsTheSameText();
    void screenSvgAndTextHaveTheSameWords();
    void aCellStandsForItsRanks();
    void layersTakeAwayWhatTheySay();
    void everyStateHasItsOwnShapeAndWord();
    void everyStateIsDrawnWithItsGlyphAndWord_data();
    void everyStateIsDrawnWithItsGlyphAndWord();
    void stateColoursDifferForEveryEye();
    void textAndOutlinesStandOutFromWhatIsBehindThem();
    void poolsSayHowTheyAreReached();
    void anEmptyClusterSaysWhatItWaitsFor();
    void whatRestsIsNotPaintedAgain();
    void aStateThatDidNotChangeIsNotCopiedAgain();
    void theCanvasLooksAsItDid_data();
    void theCanvasLooksAsItDid();
    void anotherCanvasIsNotTheSame();
};

void PicturesTest::whatIsDrawnLastIsHitFirst()
{
    DisplayList list { Theme() };
    const ObjectRef below { ObjectKind::Data, 1, 0 }, above { ObjectKind::Data, 2, 0 }, line { ObjectKind::File, 0, 0 };
    list.setObject(below);
    list.add(DisplayList::Box { QRectF(0, 0, 100, 100), Outline::Rectangle, 0, Qt::red, {}, 1, false, false });
    list.setObject(above);
    list.add(DisplayList::Box { QRectF(20, 20, 60, 60), Outline::Diamond, 0, Qt::blue, {}, 1, false, false });
    QCOMPARE(list.hitTest({ 50, 50 }), above);
    QCOMPARE(list.hitTest({ 22, 22 }), below); // beside the diamond's edge
    QCOMPARE(list.hitTest({ 120, 50 }), ObjectRef());
    list.setObject(line);
    list.add(DisplayList::Line { { QPointF(0, 50), QPointF(100, 50) }, Qt::black, 1, false, 0 });
    QCOMPARE(list.hitTest({ 50, 52.5 }), line); // within three pixels
    QCOMPARE(list.hitTest({ 50, 54 }), above);
    list.setObject({});
    list.add(DisplayList::Box { QRectF(0, 0, 100, 100), Outline::Rectangle, 0, Qt::white, {}, 1, false, false });
    QCOMPARE(list.hitTest({ 50, 50 }), line); // items without an object do not intercept the click
    list.setObject(above);
    list.setClip(QRectF(0, 0, 10, 10));
    list.add(DisplayList::Box { QRectF(0, 0, 100, 100), Outline::Rectangle, 0, Qt::white, {}, 1, false, false });
    QCOMPARE(list.hitTest({ 5, 5 }), above);
    QCOMPARE(list.hitTest({ 15, 15 }), below); // outside of its clip
}

void PicturesTest::theLongestWordingThatFitsIsTaken()
{
    const Theme theme;
    const TextStyle style { TextSize::Small };
    const QStringList wordings { "split pointer n = 4", "pointer 4", "n4" };
    const auto given = [&](qreal width) {
        DisplayList list(theme);
        return list.text(QRectF(0, 0, width, 30), wordings, style, Qt::black) ? list.texts().value(0) : QString();
    };
    const auto wide = [&](const QString& words) { return theme.metrics(style).horizontalAdvance(words); };
    QCOMPARE(given(wide(wordings[0])), wordings[0]);
    QCOMPARE(given(wide(wordings[0]) - 1), wordings[1]);
    QCOMPARE(given(wide(wordings[1]) - 1), wordings[2]);
    QCOMPARE(given(wide(wordings[2]) - 1), QString()); // nothing rather than one letter
    DisplayList list(theme);
    QVERIFY(
        list.text(QRectF(0, 0, wide("parity ..."), 30), QStringLiteral("parity bucket of group 5"), style, Qt::black));
    QVERIFY(list.texts()[0].startsWith("pari"));
    QVERIFY(list.texts()[0].endsWith(QChar(0x2026)));
    QVERIFY(!list.text(QRectF(0, 0, 500, 4), QStringLiteral("too low"), style, Qt::black));
}

void PicturesTest::theSamePictureIsTheSameText()
{
    const ClusterState state = fileOf({ 8, 4, 2 });
    QCOMPARE(drawn(state, kSmallView).list.toText(), drawn(state, kSmallView).list.toText());
    ClusterState other = state;
    other.data[5].ranks.set(21, 4711);
    other.data[5].count = 21;
    QVERIFY(drawn(other, kSmallView).list.toText() != drawn(state, kSmallView).list.toText());
    QVERIFY(drawn(other, kSmallView).list.toImage(kSmallView.toSize())
        != drawn(state, kSmallView).list.toImage(kSmallView.toSize()));
    QVERIFY(drawn(state, kSmallView).list.toImage(kSmallView.toSize())
        == drawn(state, kSmallView).list.toImage(kSmallView.toSize()));
}

void PicturesTest::screenSvgAndTextHaveTheSameWords()
{
    const Drawn picture = drawn(fileOf({ 8, 4, 1 }), kSmallView);
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QVERIFY(picture.list.toSvg(buffer, kSmallView.toSize(), "LHRS Lab: a test"));
    const QString svg = QString::fromUtf8(buffer.data());
    QVERIFY(svg.contains("<title>LHRS Lab: a test</title>"));
    const QStringList texts = picture.list.texts();
    QVERIFY(texts.size() > 50);
    for (const QString& text : texts)
        QVERIFY2(svg.contains('>' + text.toHtmlEscaped()), qPrintable("not in the SVG: " + text));
    const QString words = picture.list.toText();
    for (const QString& text : texts)
        QVERIFY(words.contains('"' + text + '"'));
}

void PicturesTest::aCellStandsForItsRanks()
{
    ClusterState state = fileOf({ 1, 4, 1, 2, 2, 1, 10, 10 });
    const auto cellsOf = [](const Drawn& picture, ObjectRef object) {
        for (const DisplayList::Item& item : picture.list.items()) {
            if (const auto* cells = std::get_if<DisplayList::Cells>(&item.primitive); cells && item.object == object)
                return *cells;
        }
        return DisplayList::Cells();
    };
    const ObjectRef bucket { ObjectKind::Data, 0, 0 };
    const auto used = [&] {
        const DisplayList::Cells cells = cellsOf(drawn(state, kSmallView), bucket);
        return std::count_if(cells.values.begin(), cells.values.end(), [](auto value) { return value > 0; });
    };
    QCOMPARE(used(), 10);
    state.data[0].ranks.clear(4);
    state.data[0].count = 9;
    QCOMPARE(used(), 9);
    QCOMPARE(cellsOf(drawn(state, kSmallView), bucket).values[3], std::uint8_t(0)); // rank 4
    // The keys are written if there is room, each in its cell.
    QVERIFY(textsOf(drawn(state, kSmallView).list, bucket).contains("300"));
    QVERIFY(!textsOf(drawn(state, kSmallView).list, bucket).contains("400"));
    // Records of an undecided split look different.
    state.data[0].incoming.set(4, 77);
    QCOMPARE(cellsOf(drawn(state, kSmallView), bucket).values[3], kCellIncoming);
    // Ten thousand ranks: a cell stands for several, and the picture says how many.
    ClusterState large = fileOf({ 1, 4, 1, 2, 2, 1, 10'000, 10'000 });
    const Drawn picture = drawn(large, kSmallView);
    const CellGeometry geometry = cellGeometry(Theme(), picture.layout.find(bucket)->rect, cellPlanOf(large));
    QVERIFY(geometry.ratio > 1);
    QVERIFY(picture.list.texts().filter(QString("1 cell = %1 ranks").arg(geometry.ratio)).size() == 1);
}

void PicturesTest::layersTakeAwayWhatTheySay()
{
    const ClusterState state = fileOf({ 8, 4, 1 });
    Layers layers;
    layers.waiting = false;
    const Drawn without = drawn(state, kSmallView, Theme(), layers);
    QVERIFY(without.layout.pools.empty());
    QVERIFY(without.layout.groupsArea.height() > drawn(state, kSmallView).layout.groupsArea.height());
    layers = {};
    layers.parts = false;
    const Drawn bare = drawn(state, kSmallView, Theme(), layers);
    for (const DisplayList::Item& item : bare.list.items())
        QVERIFY(!std::holds_alternative<DisplayList::Cells>(item.primitive));
    layers = {};
    layers.labels = false;
    QVERIFY(textsOf(drawn(state, kSmallView, Theme(), layers).list, { ObjectKind::Group, 0, 0 }).isEmpty());
    layers = {};
    layers.legend = false;
    QVERIFY(drawn(state, kSmallView).list.texts().contains("acknowledgement"));
    QVERIFY(!drawn(state, kSmallView, Theme(), layers).list.texts().contains("acknowledgement"));
}

void PicturesTest::everyStateHasItsOwnShapeAndWord()
{
    for (const Theme::Kind kind : { Theme::Kind::Light, Theme::Kind::Dark }) {
        const Theme theme(kind);
        const std::vector<Look> looks = everyLook();
        for (std::size_t a = 0; a < looks.size(); ++a) {
            QVERIFY(!lookWord(looks[a]).isEmpty());
            for (std::size_t b = a + 1; b < looks.size(); ++b) {
                const LookStyle x = styleOf(theme, looks[a]), y = styleOf(theme, looks[b]);
                QVERIFY2(x.outline != y.outline || x.glyph != y.glyph,
                    qPrintable(QString("%1 and %2 are told apart by colour only").arg(a).arg(b)));
            }
        }
        std::set<Glyph> glyphs;
        for (int c = 0; c < kMessageClasses; ++c) {
            QVERIFY(!messageWord(MessageClass(c)).isEmpty());
            QVERIFY(glyphs.insert(theme.message(MessageClass(c)).glyph).second);
        }
    }
}

void PicturesTest::everyStateIsDrawnWithItsGlyphAndWord_data()
{
    QTest::addColumn<Condition>("condition");
    QTest::addColumn<bool>("isParity");
    for (const Look look : everyLook())
        if (const bool isParity = look.kind == ObjectKind::Parity;
            (isParity || look.kind == ObjectKind::Data) && look.condition != Condition::Displaced)
            QTest::newRow(qPrintable((isParity ? "parity " : "data ") + lookWord(look))) << look.condition << isParity;
}

void PicturesTest::everyStateIsDrawnWithItsGlyphAndWord()
{
    QFETCH(const Condition, condition);
    QFETCH(const bool, isParity);
    for (const std::uint32_t buckets : { 4u, 300u }) { // as a card, as a tile
        FileShape shape { buckets };
        shape.records = 3;
        ClusterState state = fileOf(shape);
        const ObjectRef object = isParity ? ObjectRef { ObjectKind::Parity, 0, 0 }
                                          : ObjectRef { ObjectKind::Data, 1, 0 };
        const ProcessId process = isParity ? parityProcess(0, 0) : kFileData + 1;
        pb::MemberState& member = isParity ? state.parity[{ 0, 0 }].state : state.data[1].state;
        std::set<ProcessId> silent;
        const Look look { object.kind, condition };
        const QString word = lookWord(look);
        if (word == "splitting" || word == "staging")
            member = pb::SPLITTING;
        else if (word == "starting" || word == "filling")
            member = pb::INIT;
        else if (word == "silent")
            silent.insert(process);
        else if (word == "process gone")
            state.markEnded(process, "killed", 1);
        else if (word == "paused")
            state.markPaused(process, true, 1);
        else if (word == "being rebuilt")
            member = pb::RECOVERING;
        const MemberPlace place { isParity ? pb::PARITY : pb::DATA, isParity ? 0u : 1u };
        if (word == "suspect")
            state.groups[0].suspected[place] = { "not heard of", 1 };
        else if (word == "failed" || word == "LOST")
            state.groups[0].down[place] = { process, word == "LOST", "it does not answer probes", 1 };
        QVERIFY(lookOf(state, object, &silent) == look);
        const Drawn picture = drawn(state, kSmallView, Theme(), {}, &silent);
        const Glyph glyph = styleOf(Theme(), look).glyph;
        if (glyph != Glyph::None)
            QCOMPARE(glyphsOf(picture.list, object, glyph), 1);
        for (const Glyph other : { Glyph::Cross, Glyph::Gone, Glyph::Question, Glyph::Hourglass, Glyph::Turning,
                 Glyph::DoubleCross, Glyph::Clock, Glyph::Fork, Glyph::Dots }) {
            if (other != glyph)
                QCOMPARE(glyphsOf(picture.list, object, other), 0);
        }
        if (buckets == 4 && glyph != Glyph::None)
            QVERIFY2(
                textsOf(picture.list, object).contains(word), qPrintable(textsOf(picture.list, object).join(" | ")));
        QVERIFY(sentenceOf(state, object).contains(word == "silent" ? lookWord({ object.kind }) : word));
    }
}

void PicturesTest::stateColoursDifferForEveryEye()
{
    // Known pairs from the paper of the formula.
    QVERIFY(std::abs(ciede2000({ 50, 2.6772, -79.7751 }, { 50, 0, -82.7485 }) - 2.0425) < 1e-4);
    QVERIFY(std::abs(ciede2000({ 60.2574, -34.0099, 36.2677 }, { 60.4626, -34.1751, 39.4387 }) - 1.2644) < 1e-4);
    for (const Eye eye : { Eye::Usual, Eye::Protan, Eye::Deutan, Eye::Tritan }) {
        for (const QRgb x : Theme::stateColours()) {
            for (const QRgb y : Theme::stateColours()) {
                const double d = difference(QColor::fromRgb(x), QColor::fromRgb(y), eye);
                QVERIFY2(x == y || d >= 10,
                    qPrintable(
                        QString("eye %1: %2 and %3 differ by %4").arg(int(eye)).arg(x, 0, 16).arg(y, 0, 16).arg(d)));
            }
        }
        // And the pairs with which each theme really paints states and messages.
        for (const Theme& theme : { Theme(), Theme(Theme::Kind::Dark), Theme(Theme::Kind::Light, 1, true),
                 Theme(Theme::Kind::Dark, 1, true) }) {
            std::vector<QColor> looks, messages;
            for (const Look look : everyLook())
                looks.push_back(styleOf(theme, look).colour);
            for (int c = 0; c < kMessageClasses; ++c)
                messages.push_back(theme.message(MessageClass(c)).colour);
            for (const std::vector<QColor>& colours : { looks, messages }) {
                for (const QColor& x : colours) {
                    for (const QColor& y : colours)
                        QVERIFY2(x == y || difference(x, y, eye) >= 10,
                            qPrintable(QString("eye %1: %2 and %3").arg(int(eye)).arg(x.name(), y.name())));
                }
            }
        }
    }
}

void PicturesTest::textAndOutlinesStandOutFromWhatIsBehindThem()
{
    for (const Theme& theme :
        { Theme(), Theme(Theme::Kind::Dark), Theme(Theme::Kind::Light, 1, true), Theme(Theme::Kind::Dark, 1, true) }) {
        // In high contrast no text is hard to read, and no line is hard to see.
        const double ofText = theme.isHighContrast() ? 12 : 4.5;
        for (const QColor& back : { theme.canvas, theme.card, theme.cardHeader }) {
            QVERIFY2(contrast(theme.text, back) >= ofText, qPrintable(back.name()));
            QVERIFY2(contrast(theme.muted, back) >= ofText, qPrintable(back.name()));
            QVERIFY2(contrast(theme.badText, back) >= 4.5, qPrintable(back.name()));
            QVERIFY2(contrast(theme.grid, back) >= 3 || !theme.isHighContrast(), qPrintable(back.name()));
            QVERIFY2(contrast(theme.selection, back) >= 3 || !theme.isHighContrast(), qPrintable(back.name()));
            QVERIFY2(contrast(theme.outline, back) >= 3 || back == theme.cardHeader,
                qPrintable(QString("outline on %1: %2").arg(back.name()).arg(contrast(theme.outline, back))));
            QVERIFY2(contrast(theme.focus, back) >= 3, qPrintable(back.name()));
        }
        for (const Look look : everyLook())
            QVERIFY(contrast(inkOn(styleOf(theme, look).colour), styleOf(theme, look).colour) >= 4.0);
        for (int c = 0; c < kMessageClasses; ++c)
            QVERIFY(
                contrast(inkOn(theme.message(MessageClass(c)).colour), theme.message(MessageClass(c)).colour) >= 4.0);
        const QPalette palette = theme.palette();
        for (const auto& [ink, back] :
            { std::pair(QPalette::WindowText, QPalette::Window), std::pair(QPalette::Text, QPalette::Base),
                std::pair(QPalette::ButtonText, QPalette::Button), std::pair(QPalette::Text, QPalette::AlternateBase),
                std::pair(QPalette::HighlightedText, QPalette::Highlight) })
            QVERIFY(contrast(palette.color(ink), palette.color(back)) >= 4.5);
    }
}

void PicturesTest::poolsSayHowTheyAreReached()
{
    ClusterState state = fileOf({ 4, 4, 1 });
    state.processes.at(kFileCoordinator).address = "127.0.0.1:40001"; // 0x9c41
    const auto titles = [&](QSizeF view) {
        return drawn(state, view).list.texts().filter(QRegularExpression("[Ss]pare (data|parity) servers|spares: "));
    };
    QCOMPARE(titles(QSizeF(1920, 700)),
        (QStringList { "Spare data servers: 6 waiting (multicast group 239.76.156.65)",
            "Spare parity servers: 4 waiting (multicast group 239.77.156.65)" }));
    QVERIFY2(
        titles(QSizeF(800, 520)).join('|').contains("239.76.156.65"), qPrintable(titles(QSizeF(800, 520)).join('|')));
    QVERIFY(sentenceOf(state, { ObjectKind::Pool, std::uint64_t(pb::DATA), 0 })
                .contains("6 are waiting, multicast group 239.76.156.65"));
    state.recruiting = pb::UDP;
    QCOMPARE(titles(QSizeF(1920, 700)).value(1), QString("Spare parity servers: 4 waiting (unicast registry)"));
    // A simulated network has no addresses.
    state.recruiting = pb::MULTICAST;
    state.isSimulated = true;
    QCOMPARE(
        titles(QSizeF(1920, 700)).value(0), QString("Spare data servers: 6 waiting (data buckets multicast group)"));
}

void PicturesTest::anEmptyClusterSaysWhatItWaitsFor()
{
    const QStringList nothing = drawn(ClusterState(), kSmallView).list.texts();
    QVERIFY(nothing.contains("No process has been heard yet."));
    ClusterState waiting = fileOf({ 0, 4, 1 });
    const QStringList words = drawn(waiting, kSmallView).list.texts();
    QVERIFY(words.filter("no bucket yet").size() == 1);
    QVERIFY(words.filter("No file yet").size() == 1);
    waiting.file.waitsFor = "a spare parity server for group 0";
    QVERIFY(drawn(waiting, kSmallView).list.texts().filter("a spare parity server for group 0").size() == 1);
}

namespace {

// Counts the paintings of the widget.
class PaintCounter : public QObject {
public:
    explicit PaintCounter(QWidget& widget) { widget.installEventFilter(this); }
    int paints = 0;

protected:
    bool eventFilter(QObject*, QEvent* event) override
    {
        paints += event->type() == QEvent::Paint ? 1 : 0;
        return false;
    }
};

// A feed that reports whether its state has changed.
struct RevisedFeed : ListFeed {
    std::uint64_t number = 7;
    mutable int copies = 0;
    std::uint64_t revision() const override { return number; }
    ClusterState state() const override
    {
        ++copies;
        return ListFeed::state();
    }
};

} // namespace

void PicturesTest::whatRestsIsNotPaintedAgain()
{
    ListFeed feed;
    feed.known() = fileOf({ 8, 4, 1 });
    Pacer pacer(feed);
    Selection selection;
    ClusterCanvas canvas(pacer, selection);
    canvas.resize(1280, 520);
    canvas.show();
    QVERIFY(QTest::qWaitForWindowExposed(&canvas));
    PaintCounter counter(canvas);
    const auto pass = [&](int frames) {
        for (int frame = 0; frame < frames; ++frame) {
            feed.passTime(33'000'000);
            pacer.advance(0.033);
            canvas.refresh(0.033);
            QCoreApplication::processEvents();
        }
        return std::exchange(counter.paints, 0);
    };
    pass(60); // for moving objects, and all cells
    const std::uint64_t version = pacer.version();
    QCOMPARE(pass(60), 0);
    QVERIFY(pacer.version() > version); // the state was taken again all the time
    // One more record becomes visible, and then it rests again.
    pb::Event event;
    event.mutable_place()->set_role(pb::DATA);
    event.mutable_record_inserted()->set_rank(21);
    event.mutable_record_inserted()->set_count(21);
    event.mutable_record_inserted()->set_sequence(21);
    feed.tell(kFileData, event);
    QVERIFY(pass(60) > 0);
    QVERIFY(canvas.restingPicture().texts().contains("21 / 40"));
    QCOMPARE(pass(60), 0);
    // An offer is running out, and its bar gets shorter.
    auto& offer = feed.known().processes.at(kFileSpares).offer;
    offer.invitation = 3;
    offer.sinceNs = feed.nowNs();
    offer.expiresMs = 5'000;
    QVERIFY(pass(60) > 5);
    canvas.setTheme(Theme(Theme::Kind::Dark));
    QVERIFY(pass(5) > 0);
}

void PicturesTest::aStateThatDidNotChangeIsNotCopiedAgain()
{
    RevisedFeed feed;
    feed.known() = fileOf({ 4, 4, 1 });
    Pacer pacer(feed);
    const auto pass = [&] {
        for (int frame = 0; frame < 60; ++frame)
            pacer.advance(0.033);
    };
    pass();
    const std::uint64_t version = pacer.version();
    pass();
    QCOMPARE(pacer.version(), version);
    feed.known().file.buckets = 5; // as a snapshot does
    ++feed.number;
    pass();
    QCOMPARE(pacer.state().file.buckets, 5u);
    QVERIFY(pacer.version() > version);
    // The state of another feed would be different, whatever its number is.
    pacer.reset();
    feed.copies = 0;
    pass();
    QVERIFY(feed.copies > 0);
    QCOMPARE(pacer.state().data.size(), std::size_t(4));
}

void PicturesTest::theCanvasLooksAsItDid_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<ClusterState>("state");
    QTest::addColumn<Theme>("theme");
    const Theme light, darkAndLarge(Theme::Kind::Dark, 2.0);
    const ClusterState twoGroups = fileOf({ 4, 2, 1, 2, 2, 1, 40, 4 });
    QTest::newRow("two groups at rest") << "canvas_light.txt" << twoGroups << light;
    QTest::newRow("the same, dark, 200 %") << "canvas_dark_200.txt" << twoGroups << darkAndLarge;
    QTest::newRow("failed, suspected, being rebuilt, LOST") << "canvas_trouble.txt" << inTrouble() << light;
    QTest::newRow("tiles") << "canvas_tiles.txt" << fileOf({ 72, 4, 1, 2, 2, 1 }) << light;
    QTest::newRow("heat map") << "canvas_heat.txt" << fileOf({ 1'100, 4, 1, 2, 2, 1 }) << light;
}

void PicturesTest::theCanvasLooksAsItDid()
{
    QFETCH(const QString, file);
    QFETCH(const ClusterState, state);
    QFETCH(const Theme, theme);
    const QString wrong = differenceTo(file, linesOf(drawn(state, QSizeF(1280, 620), theme).list, state));
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
}

void PicturesTest::anotherCanvasIsNotTheSame()
{
    if (qEnvironmentVariableIsSet("LHRS_REWRITE"))
        QSKIP("the files are written anew");
    ClusterState oneMore = fileOf({ 4, 2, 1, 2, 2, 1, 40, 4 });
    oneMore.data[3].ranks.set(5, 503);
    oneMore.data[3].count = 5;
    const QString wrong = differenceTo(
        QStringLiteral("canvas_light.txt"), linesOf(drawn(oneMore, QSizeF(1280, 620)).list, oneMore));
    QVERIFY2(wrong.contains("5 / 40"), qPrintable(wrong)); // the message names the differing line
    QVERIFY(differenceTo(QStringLiteral("nobody_drew_this.txt"), QString()).contains("cannot be read"));
}

int main(int count, char** arguments) { return runOffscreen<PicturesTest>(count, arguments); }
#include "tst_pictures.moc"
