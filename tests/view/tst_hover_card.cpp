// SPDX-License-Identifier: GPL-3.0-or-later
// The card beside what the mouse points at: its first line, its position, and when it disappears.
#include "tests/view/canvas_views.h"
#include "tests/view/golden.h"
#include "tests/rigs/gui/picture_faults.h"

#include "gui/view/lhrs/words/hover_words.h"
#include "gui/view/lhrs/words/file_words.h"
#include "gui/view/lhrs/words/object_words.h"

using namespace lhrs;
using namespace lhrs::gui;

namespace {

constexpr qreal kHead = 26; // pixels of a bucket's head, with its name and level

} // namespace

class HoverCardTest : public QObject {
    Q_OBJECT
private slots:
    void isBesideTheRowAndGoesAgain_data();
    void isBesideTheRowAndGoesAgain();
    void saysFirstWhatItIsAndHowItIs();
    void coversNothingOfWhatItExplains_data();
    void coversNothingOfWhatItExplains();
};

void HoverCardTest::isBesideTheRowAndGoesAgain_data()
{
    QTest::addColumn<int>("bucket");
    QTest::newRow("above") << 1;
    QTest::newRow("below") << 5;
}

// Its text equals the details, it covers neither the bucket nor the parity of its group, and it disappears.
void HoverCardTest::isBesideTheRowAndGoesAgain()
{
    QFETCH(const int, bucket);
    Views v({ 8, 4, 1 });
    v.settle();
    const ObjectRef object { ObjectKind::Data, std::uint64_t(bucket), 0 };
    const QStringList details = detailsOf(v.show.pacer.state(), object);
    QVERIFY(details.size() >= 2);
    const std::vector<QString> lines // the middle of the bucket is a record
        = hoverCard(v.show.pacer.state(), v.canvas.theme(), object, "rank").lines;
    const auto card = [&] { return placeOf(v.canvas, lines); };
    v.canvas.setAttribute(Qt::WA_UnderMouse); // as the mouse sets it
    moveTo(v.canvas, v.centreOf(object));
    v.frame(0.1);
    QVERIFY(card().isNull()); // a passing mouse shows no card
    v.frame(0.3);
    v.frame(0.1);
    const QStringList shown = v.canvas.movingPicture().texts();
    for (const QString& line : details) // two of them may be on one line
        QVERIFY2(shown.join(" | ").contains(line), qPrintable(line + " is not in " + shown.join(" | ")));
    const ObjectRef parity { ObjectKind::Parity, std::uint64_t(bucket / 4), 0 };
    for (const ObjectRef covered : { object, parity })
        QVERIFY2(!card().intersects(v.canvas.rectOf(covered)),
            qPrintable(wordsOf(card()) + " over " + wordsOf(v.canvas.rectOf(covered))));
    QVERIFY(QRectF(v.canvas.rect()).contains(card()));
    for (int i = 0; i < 10; ++i)
        v.frame(1); // the mouse stays there
    QVERIFY(card().isNull());
    moveTo(v.canvas, v.centreOf(parity));
    moveTo(v.canvas, v.centreOf(object));
    v.frame(0.4);
    v.frame(0.1);
    QVERIFY(!card().isNull());
    QEvent leave(QEvent::Leave);
    QCoreApplication::sendEvent(&v.canvas, &leave);
    v.frame(0.1);
    QVERIFY(card().isNull());
}

// A number that is only useful for debugging comes after everything that a person wants to know.
void HoverCardTest::saysFirstWhatItIsAndHowItIs()
{
    Views v({ 8, 4, 1 });
    v.settle();
    ClusterState state = v.show.pacer.state();
    DataBucketState& full = state.data.at(1);
    full.isOverflowed = true;
    const QString plain = QStringLiteral("Bucket 1 of group 0: %1 of %2 records, overflowing, up")
                              .arg(full.count)
                              .arg(state.file.config.b());
    QCOMPARE(detailsOf(state, { ObjectKind::Data, 1, 0 }).front(), plain);
    state.processes.at(full.process).hasEnded = true;
    state.processes.at(full.process).endReason = "killed on request";
    const auto isTechnical = [](const QString& line) {
        return line.startsWith("process ") || line.contains(", pid ") || line.startsWith("incarnation ")
            || line.startsWith("last change: ") || line.startsWith("applied changes");
    };
    for (const ObjectRef object : objectsOf(state)) {
        const QStringList details = detailsOf(state, object);
        QVERIFY2(!details.empty() && !isTechnical(details.front()), qPrintable(details.join(" | ")));
        const std::vector<QString> all { details.begin(), details.end() };
        for (const std::vector<QString>& lines : { all, hoverCard(state, v.canvas.theme(), object, {}).lines }) {
            const QString joined = QStringList(lines.begin(), lines.end()).join(" | ");
            const auto technical = std::find_if(lines.begin(), lines.end(), isTechnical);
            for (auto line = technical; line != lines.end(); ++line)
                QVERIFY2(!line->startsWith("ended: ") && !line->contains(" of group "), qPrintable(joined));
        }
    }
    const std::vector<QString> card = hoverCard(state, v.canvas.theme(), { ObjectKind::Data, 1, 0 }, "rank").lines;
    QVERIFY(card.size() > 3 && card[0].startsWith("Rank"));
    QVERIFY2(card[1].startsWith("Bucket 1 of group 0: ") && card[1].endsWith("process gone"), qPrintable(card[1]));
    QCOMPARE(card[2], QString("ended: killed on request"));
    QVERIFY2(card.back().contains("pid "), qPrintable(card.back()));
}

void HoverCardTest::coversNothingOfWhatItExplains_data()
{
    QTest::addColumn<int>("buckets");
    QTest::addColumn<QSize>("size");
    QTest::addColumn<bool>("isNear");
    QTest::newRow("few") << 3 << QSize(1280, 480) << false;
    QTest::newRow("many") << 14 << QSize(1280, 480) << false;
    QTest::newRow("wide") << 8 << QSize(1920, 840) << false;
    QTest::newRow("low, and brought near") << 8 << QSize(640, 300) << true;
}

// The mouse is at its middle or at its lower edge, where a card at the mouse would cover it. If a bucket fills the
// picture there is no room beside it; then its head, with name and state, stays uncovered.
void HoverCardTest::coversNothingOfWhatItExplains()
{
    QFETCH(const int, buckets);
    QFETCH(const QSize, size);
    QFETCH(const bool, isNear);
    Views v({ std::uint32_t(buckets), 4, 1 });
    v.canvas.resize(size);
    v.settle();
    v.canvas.setAttribute(Qt::WA_UnderMouse);
    v.selection.point(Pointed { { ObjectKind::Data, 999, 0 } }); // of another instant
    const auto countBoxes = [&] {
        const auto& items = v.canvas.movingPicture().items();
        return std::count_if(items.begin(), items.end(),
            [](const DisplayList::Item& item) { return std::holds_alternative<DisplayList::Box>(item.primitive); });
    };
    const auto before = countBoxes();
    v.frame(0.4);
    v.frame(0.1);
    QCOMPARE(countBoxes(), before); // no card without text
    int seen = 0;
    const ClusterState& state = v.show.pacer.state();
    for (const ObjectRef object : objectsOf(state)) {
        if (object.kind == ObjectKind::Group) // a whole row
            continue;
        if (isNear)
            v.canvas.fitTo(object);
        for (int i = 0; isNear && i < 20; ++i)
            v.frame(0.2); // it moves there
        QRectF thing = v.canvas.rectOf(object);
        for (const DisplayList::Part& part : v.canvas.restingPicture().parts())
            if (part.object == object)
                thing = thing.united(part.rect);
        if (isNear)
            thing.setHeight(std::min(thing.height(), kHead));
        const QRectF whole = v.canvas.rectOf(object);
        for (const QPointF at : { whole.center(), QPointF(whole.center().x(), whole.bottom() - 2) }) {
            moveTo(v.canvas, QPointF(1, 1));
            v.frame(0.1);
            moveTo(v.canvas, at);
            v.frame(0.4);
            v.frame(0.1);
            if (v.selection.hovered() != object)
                continue;
            const std::string_view term = v.canvas.restingPicture().termAt(at);
            const QRectF card = placeOf(v.canvas, hoverCard(state, v.canvas.theme(), object, term).lines);
            const QString name = fileWords().nameOf(state, object);
            QVERIFY2(!card.isNull(), qPrintable(name));
            ++seen;
            QVERIFY2(!card.intersects(thing), qPrintable(name + ": " + wordsOf(card) + " over " + wordsOf(thing)));
            QVERIFY2(QRectF(v.canvas.rect()).contains(card), qPrintable(wordsOf(card)));
        }
    }
    QVERIFY2(seen > buckets, qPrintable(QString::number(seen)));
}

int main(int count, char** arguments) { return runOffscreen<HoverCardTest>(count, arguments); }
#include "tst_hover_card.moc"
