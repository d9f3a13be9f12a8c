// SPDX-License-Identifier: GPL-3.0-or-later
// The opened decoder: its statements about a record group, that nothing is invented, and that every step is readable.
#include "tests/view/golden.h"
#include "tests/rigs/gui/group_stage.h"
#include "tests/rigs/gui/picture_faults.h"
#include "tests/rigs/gui/view_stage.h"

#include "gui/view/lhrs/records/group_picture.h"
#include "gui/view/lhrs/records/record_group_view.h"

#include <QBuffer>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

using Verdict = Decoding::Verdict;

DecodingWish supposing(std::set<Participant> lost)
{
    DecodingWish wish;
    wish.supposed = std::move(lost);
    return wish;
}

struct GroupDrawn {
    GroupPicture picture;
    DisplayList list;
};
GroupDrawn drawnOf(const Decoding& decoding, qreal width, const Theme& theme = Theme())
{
    GroupDrawn drawn { {}, DisplayList(theme) };
    drawn.picture = drawRecordGroup(decoding, {}, theme, width, drawn.list);
    return drawn;
}

// Every step of every page.
std::vector<Decoding> allSteps(const RecordGroup& group, DecodingWish wish)
{
    std::vector<Decoding> all;
    for (const GroupPage page : { GroupPage::Decode, GroupPage::Update, GroupPage::Compare }) {
        wish.page = page;
        const std::size_t steps = page == GroupPage::Decode ? decodingOf(group, wish).steps.size()
            : page == GroupPage::Update                     ? group.k + 1
                                                            : 1;
        for (std::size_t step = 0; step < steps; ++step) {
            wish.step = wish.updateStep = step;
            all.push_back(decodingOf(group, wish));
        }
    }
    return all;
}

QString joined(const DisplayList& list) { return list.texts().join(QLatin1Char('\n')); }

// Texts side by side, in one line.
QString byLines(const DisplayList& list)
{
    QString words;
    qreal top = -1;
    for (const DisplayList::Item& item : list.items()) {
        const auto* text = std::get_if<DisplayList::Text>(&item.primitive);
        if (!text)
            continue;
        words += (words.isEmpty()                 ? QString()
                         : text->box.top() == top ? QStringLiteral("  ")
                                                  : QStringLiteral("\n"))
            + text->text;
        top = text->box.top();
    }
    return words;
}

bool hasColour(const DisplayList& list, QColor colour)
{
    return std::any_of(list.items().begin(), list.items().end(), [&](const DisplayList::Item& item) {
        const auto* box = std::get_if<DisplayList::Box>(&item.primitive);
        return box && box->fill == colour;
    });
}

// A source that answers at once from a record group, and counts the requests to each member.
class GroupSource : public ContentsSource {
public:
    RecordGroup group;
    std::map<ProcessId, int> asked;

    void readContents(ProcessId process, std::uint32_t rankFrom, std::uint32_t count, QObject*,
        std::function<void(ContentsAnswer)> done) override
    {
        QCOMPARE(count, 1u);
        ++asked[process];
        ContentsAnswer answer;
        for (const GroupMember& member : group.members) {
            const ProcessId own = member.member.kind == Participant::Kind::Data
                ? kFileData + member.place.number()
                : parityProcess(0, member.place.column());
            if (own != process || member.standing != GroupMember::Standing::Here)
                continue;
            answer.isOk = true;
            answer.page = pageOf(member, rankFrom);
        }
        if (!answer.isOk)
            answer.why = QStringLiteral("the process does not answer");
        done(answer);
    }
};

// A view of group 0 of a file with four buckets and two parity buckets.
struct Viewed {
    ListFeed feed;
    Pacer pacer { feed };
    GroupSource source;
    WitnessBook witnesses;
    Selection selection;
    RecordGroupView view { pacer, source, witnesses, selection };

    Viewed()
    {
        feed.known() = fileOf({ 4, 4, 2 });
        source.group = groupOf(4, 2, FieldWidth::Gf16, 1'000, 5);
        pacer.reset();
        pacer.advance(0.1);
        view.resize(700, 440);
        view.open({ ObjectKind::Data, 1, 0 }, 5);
        frames();
    }
    void frames(int count = 3)
    {
        for (int i = 0; i < count; ++i) {
            pacer.advance(0.1);
            view.refresh(0.1);
        }
    }
};

} // namespace

class RecordGroupTest : public QObject {
    Q_OBJECT
private slots:
    void whatIsLostIsComputedAndEqual_data();
    void whatIsLostIsComputedAndEqual();
    void everyChoiceOfSurvivorsGivesTheSameBytes();
    void theInverseOfTheSpecificationStandsOnThePage();
    void theRowsOfAllSymbolsAddUp();
    void nothingIsInventedWhereThereIsNoWitness();
    void anOlderWitnessIsNotCompared();
    void aByteThatDiffersIsMarked();
    void membersOfTwoStatesAreNotCombined();
    void moreThanKLostStopWhereThereIsNoPivot();
    void theManagersSurvivorsAreTakenAndItsNumbersChecked();
    void aWrongCoefficientOfTheManagerIsSaidInRed();
    void aChangeAddsItsCoefficientTimesTheDelta();
    void noTextIsClippedOrCovered_data();
    void noTextIsClippedOrCovered();
    void theStepsSayWhatTheySaidBefore();
    void thePictureIsTheSameInSvg();
    void theViewReadsEachPlaceAndKeepsAWitness();
    void arrowKeysAloneGoThroughTheStory();
    void aClickTakesAMemberForLost();
    void aDeadBucketIsComparedWithWhatWasReadBefore();
    void whatHappensTakesThePlaceOfWhatWasOnlySupposed();
};

void RecordGroupTest::whatIsLostIsComputedAndEqual_data()
{
    QTest::addColumn<int>("m");
    QTest::addColumn<int>("k");
    QTest::addColumn<int>("width");
    for (const int width : { 8, 16 }) {
        for (const auto& [m, k] : { std::pair(1, 1), std::pair(2, 2), std::pair(4, 3), std::pair(8, 2) })
            QTest::addRow("m %d, k %d, GF(2^%d)", m, k, width) << m << k << width;
    }
}

void RecordGroupTest::whatIsLostIsComputedAndEqual()
{
    QFETCH(const int, m);
    QFETCH(const int, k);
    QFETCH(const int, width);
    const RecordGroup group = groupOf(
        std::uint32_t(m), std::uint32_t(k), FieldWidth(width), std::uint32_t(m) - (m > 2 ? 1 : 0));
    for (unsigned set = 1; set < 1u << (m + k); ++set) {
        std::set<Participant> lost;
        for (int i = 0; i < m + k; ++i) {
            if (set & (1u << i))
                lost.insert(group.members[std::size_t(i)].member);
        }
        if (int(lost.size()) > k)
            continue;
        const Decoding d = decodingOf(group, supposing(lost));
        QVERIFY2(d.hasBytes, qPrintable(d.whyNoBytes));
        for (const Decoding::Outcome& outcome : d.outcomes)
            QVERIFY2(outcome.verdict == Verdict::Equal, qPrintable(outcome.sentence));
    }
}

void RecordGroupTest::everyChoiceOfSurvivorsGivesTheSameBytes()
{
    const RecordGroup group = groupOf(4, 3);
    DecodingWish wish = supposing({ dataMember(2) });
    const Decoding own = decodingOf(group, wish);
    QCOMPARE(own.choices, 15u);
    QCOMPARE(own.choice, 0u);
    for (std::uint32_t choice = 0; choice < own.choices; ++choice) {
        wish.choice = choice;
        const Decoding d = decodingOf(group, wish);
        QCOMPARE(d.choice, choice);
        QCOMPARE(d.outcomes[0].bytes, own.outcomes[0].bytes);
        QCOMPARE(d.outcomes[0].verdict, Verdict::Equal);
        QCOMPARE(d.isNodesChoice, choice == 0);
    }
}

void RecordGroupTest::theInverseOfTheSpecificationStandsOnThePage()
{
    RecordGroup group = groupOf(4, 3);
    for (const std::uint32_t q : { 0u, 1u, 2u })
        lose(group, dataMember(q), true);
    DecodingWish wish;
    const QString words = textOf(decodingOf(group, wish));
    for (const char* row :
        { "0001 79cc 79cc 0001", "452d b431 f11d 0000", "b431 5170 e541 0000", "f11d e541 145c 0000" })
        QVERIFY2(words.contains(QLatin1String(row)), row);
    // D1 from (D0, D2, D3, P1): parity column 0 is lost, too.
    const Decoding d = decodingOf(groupOf(4, 2), supposing({ dataMember(1), parityMember(0) }));
    QCOMPARE(d.story->lost[0].coefficients, (std::vector<Symbol> { 0x91a0, 0xd3de, 0x79cc, 0x91a0 }));
    QVERIFY(textOf(d).contains("D1 = 91a0 · D0 ^ d3de · D2 ^ 79cc · D3 ^ 91a0 · P1"));
    Decoding inverse = d;
    inverse.wish.step = std::size_t(std::find_if(d.steps.begin(), d.steps.end(), [](const DecodingStep& s) {
        return s.kind == DecodingStep::Kind::Inverse;
    }) - d.steps.begin());
    const QString page = joined(drawnOf(inverse, 700).list);
    for (const char* coefficient : { "91a0", "d3de", "79cc", "D1 = 91a0·D0 ^ d3de·D2 ^ 79cc·D3 ^ 91a0·P1" })
        QVERIFY2(page.contains(QString::fromUtf8(coefficient)), coefficient);
}

// Each row of "All symbols" shows products: a person who adds the column with pencil and paper gets the result.
void RecordGroupTest::theRowsOfAllSymbolsAddUp()
{
    Decoding d = decodingOf(groupOf(4, 2), supposing({ dataMember(1), parityMember(0) }));
    d.wish.step = d.steps.size() - 1;
    QCOMPARE(d.step().kind, DecodingStep::Kind::Bytes);
    const QStringList texts = drawnOf(d, 700).list.texts();
    const auto firstAfter = [&texts](const QString& name) { return texts.at(texts.indexOf(name) + 1).toUInt({}, 16); };
    unsigned sum = 0;
    for (const char* name : { "91a0 · D0", "d3de · D2", "79cc · D3", "91a0 · P1" }) {
        QVERIFY2(texts.contains(QString::fromUtf8(name)), name);
        sum ^= firstAfter(QString::fromUtf8(name));
    }
    QVERIFY(sum != 0);
    QCOMPARE(sum, firstAfter(QStringLiteral("^  D1")));
}

void RecordGroupTest::nothingIsInventedWhereThereIsNoWitness()
{
    RecordGroup group = groupOf(4, 2);
    lose(group, dataMember(1), false);
    DecodingWish wish;
    wish.page = GroupPage::Compare;
    const Decoding d = decodingOf(group, wish);
    QCOMPARE(d.outcomes[0].verdict, Verdict::NoWitness);
    QVERIFY(d.outcomes[0].known.empty());
    QVERIFY(!d.outcomes[0].bytes.empty());
    const QString page = joined(drawnOf(d, 700).list);
    QVERIFY2(page.contains("gone: no witness"), qPrintable(page));
    QVERIFY(page.contains("no witness was taken"));
    QVERIFY(page.contains("key 101")); // the key lists of the parity records contain it
}

void RecordGroupTest::anOlderWitnessIsNotCompared()
{
    RecordGroup group = groupOf(4, 2);
    lose(group, dataMember(1), true);
    group.find(dataMember(1))->witness->record.version = 3;
    const Decoding d = decodingOf(group, {});
    QCOMPARE(d.outcomes[0].verdict, Verdict::OldWitness);
    QVERIFY2(d.outcomes[0].sentence.contains("change 3") && d.outcomes[0].sentence.contains("change 8"),
        qPrintable(d.outcomes[0].sentence));
}

void RecordGroupTest::aByteThatDiffersIsMarked()
{
    RecordGroup group = groupOf(4, 2);
    lose(group, dataMember(1), true);
    group.find(dataMember(1))->witness->record.bytes[9] ^= 0x40;
    DecodingWish wish;
    wish.page = GroupPage::Compare;
    const Decoding d = decodingOf(group, wish);
    QCOMPARE(d.outcomes[0].verdict, Verdict::Differs);
    QCOMPARE(d.outcomes[0].firstDifference, std::size_t(9));
    const GroupDrawn drawn = drawnOf(d, 700);
    QVERIFY(joined(drawn.list).simplified().contains("first at byte 9"));
    QVERIFY(hasColour(drawn.list, Theme().bad));
}

void RecordGroupTest::membersOfTwoStatesAreNotCombined()
{
    RecordGroup group = groupOf(4, 2);
    group.find(dataMember(3))->record.version = 99; // it was read after a change, and the parity before it
    const Decoding d = decodingOf(group, supposing({ dataMember(0) }));
    QVERIFY(!d.hasBytes);
    QVERIFY2(d.whyNoBytes.contains("data 3") && d.whyNoBytes.contains("middle of a change"), qPrintable(d.whyNoBytes));
    QCOMPARE(d.outcomes[0].verdict, Verdict::NotComputed);
    QVERIFY(d.story->isSolvable()); // the matrix does not depend on bytes
}

void RecordGroupTest::moreThanKLostStopWhereThereIsNoPivot()
{
    RecordGroup group = groupOf(4, 1);
    lose(group, dataMember(1), true);
    lose(group, dataMember(2), true);
    DecodingWish wish;
    wish.step = 1'000;
    const Decoding d = decodingOf(group, wish);
    QCOMPARE(int(d.step().kind), int(DecodingStep::Kind::Stuck));
    const QString page = joined(drawnOf(d, 700).list);
    QVERIFY2(page.contains("has no pivot"), qPrintable(page));
    QVERIFY(!d.hasBytes);
}

void RecordGroupTest::theManagersSurvivorsAreTakenAndItsNumbersChecked()
{
    RecordGroup group = groupOf(4, 2);
    lose(group, dataMember(1), true);
    const std::vector<Participant> survivors { dataMember(0), dataMember(2), dataMember(3), parityMember(1) };
    group.decoder = toldOf(group, survivors, { dataMember(1) });
    const Decoding d = decodingOf(group, {});
    QVERIFY(d.isManagersChoice);
    QCOMPARE(d.story->survivors, survivors);
    QVERIFY(!d.managerDiffers);
    QVERIFY(d.managerSentence.contains("the same as here"));
    DecodingWish other;
    other.choice = 0; // a person's choice is respected
    QVERIFY(!decodingOf(group, other).isManagersChoice);
}

void RecordGroupTest::aWrongCoefficientOfTheManagerIsSaidInRed()
{
    RecordGroup group = groupOf(4, 2);
    lose(group, dataMember(1), true);
    const auto told = toldOf(
        group, { dataMember(0), dataMember(2), dataMember(3), parityMember(1) }, { dataMember(1) });
    told->mutable_lost(0)->set_coefficients(2, 0x79cd);
    group.decoder = told;
    const Decoding d = decodingOf(group, {});
    QVERIFY(d.managerDiffers);
    QCOMPARE(
        d.managerSentence, QString("The recovery manager’s coefficient of D3 for D1 is 79cd; the code gives 79cc."));
    // On every step, in the colour of errors.
    for (std::size_t step = 0; step < d.steps.size(); ++step) {
        DecodingWish wish;
        wish.step = step;
        const GroupDrawn drawn = drawnOf(decodingOf(group, wish), 700);
        QVERIFY(joined(drawn.list).simplified().contains("the code gives 79cc"));
        QVERIFY(hasColour(drawn.list, Theme().bad));
    }
}

void RecordGroupTest::aChangeAddsItsCoefficientTimesTheDelta()
{
    RecordGroup group = groupOf(4, 2);
    GroupMember& member = *group.find(dataMember(1));
    WitnessBook::Entry old { member.record, true, 1 };
    old.record.version -= 1;
    old.record.bytes[0] ^= 0x5a;
    member.witness = old;
    const Change change = changeOf(group, 1);
    QVERIFY2(change.isKnown && !change.isInsert, qPrintable(change.words));
    QCOMPARE(change.delta[0], std::byte { 0x5a });
    QCOMPARE(change.delta[1], std::byte { 0 });
    QCOMPARE(change.columns.size(), std::size_t(2));
    QCOMPARE(change.columns[1].coefficient, Symbol(0xeb9b));
    // The parity of the old record was there before.
    const ErasureCode code(FieldWidth::Gf16, 4);
    for (std::uint32_t p = 0; p < 2; ++p) {
        std::vector<std::byte> parity = change.columns[p].before;
        QVERIFY(parity != change.columns[p].after);
        code.addDelta(ParityColumn(p), Position(1), change.delta, parity);
        QCOMPARE(parity, change.columns[p].after);
    }
    group.find(dataMember(1))->witness.reset();
    QVERIFY(changeOf(group, 1).isInsert);
    QVERIFY(!changeOf(groupOf(4, 2, FieldWidth::Gf16, 2), 3).isKnown); // a bucket that does not exist yet
}

void RecordGroupTest::noTextIsClippedOrCovered_data()
{
    QTest::addColumn<qreal>("width");
    QTest::addColumn<double>("scale");
    QTest::newRow("a dock of 1280 x 720") << 690.0 << 1.0;
    QTest::newRow("a narrow dock") << 440.0 << 1.0;
    QTest::newRow("150 %") << 690.0 << 1.5;
    QTest::newRow("a dock of 1920 x 1080") << 1'036.0 << 1.5;
    QTest::newRow("250 %") << 1'036.0 << 2.5;
}

void RecordGroupTest::noTextIsClippedOrCovered()
{
    QFETCH(const qreal, width);
    QFETCH(const double, scale);
    for (const Theme::Kind kind : { Theme::Kind::Light, Theme::Kind::Dark }) {
        const Theme theme(kind, scale);
        for (const auto& [m, k] : { std::pair(4u, 1u), std::pair(4u, 3u), std::pair(8u, 2u), std::pair(32u, 3u) }) {
            for (const FieldWidth field : { FieldWidth::Gf16, FieldWidth::Gf8 }) {
                const RecordGroup group = groupOf(m, k, field, m > 4 ? m - 2 : m);
                for (const SymbolBase base : { SymbolBase::Hex, SymbolBase::Decimal, SymbolBase::Log }) {
                    DecodingWish wish = supposing(
                        k > 1 ? std::set { dataMember(1), parityMember(0) } : std::set { dataMember(1) });
                    wish.base = base;
                    if (m == 32 && base != SymbolBase::Hex)
                        continue;
                    for (const Decoding& d : allSteps(group, wish)) {
                        if (m == 32 && d.wish.step % 16 != 0)
                            continue;
                        const GroupDrawn drawn = drawnOf(d, width, theme);
                        const QString wrong = textFault(drawn.list, QSizeF(width, drawn.picture.height));
                        QVERIFY2(wrong.isEmpty(),
                            qPrintable(QString("m %1, k %2, page %3, step %4: %5")
                                           .arg(m)
                                           .arg(k)
                                           .arg(int(d.wish.page))
                                           .arg(d.wish.step)
                                           .arg(wrong)));
                    }
                }
            }
        }
    }
}

// The text of all steps, as reviewed; LHRS_REWRITE=1 writes the file again.
void RecordGroupTest::theStepsSayWhatTheySaidBefore()
{
    QString words;
    RecordGroup group = groupOf(4, 2, FieldWidth::Gf16, 3);
    lose(group, dataMember(1), true);
    group.decoder = toldOf(group, { dataMember(0), dataMember(2), dataMember(3), parityMember(1) }, { dataMember(1) });
    for (const Decoding& d : allSteps(group, {}))
        words += QString("== page %1, step %2\n%3\n")
                     .arg(int(d.wish.page))
                     .arg(d.wish.page == GroupPage::Update ? d.wish.updateStep : d.wish.step)
                     .arg(byLines(drawnOf(d, 690).list));
    const QString wrong = differenceTo(QStringLiteral("decoder.txt"), words);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
}

void RecordGroupTest::thePictureIsTheSameInSvg()
{
    DecodingWish wish = supposing({ dataMember(1) });
    wish.step = 1;
    const GroupDrawn drawn = drawnOf(decodingOf(groupOf(4, 2), wish), 690);
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QVERIFY(drawn.list.toSvg(buffer, QSize(690, int(drawn.picture.height) + 1), "LHRS Lab: a record group"));
    const QString svg = QString::fromUtf8(buffer.data());
    for (const QString& text : drawn.list.texts())
        QVERIFY2(svg.contains('>' + text.toHtmlEscaped()), qPrintable("not in the SVG: " + text));
}

// ---- the view

void RecordGroupTest::theViewReadsEachPlaceAndKeepsAWitness()
{
    Viewed v;
    QCOMPARE(v.source.asked.size(), std::size_t(6));
    QVERIFY(v.view.decoding() != nullptr);
    QVERIFY2(v.view.decoding()->hasBytes, qPrintable(v.view.decoding()->whyNoBytes));
    QCOMPARE(v.view.decoding()->supposed, std::vector { dataMember(1) }); // the member whose record was opened
    QCOMPARE(v.view.decoding()->outcomes[0].verdict, Verdict::Equal);
    v.frames(20);
    for (const auto& [process, times] : v.source.asked)
        QCOMPARE(times, 1); // without a change no member is asked again
    pb::Place place;
    place.set_role(pb::DATA);
    place.set_number(2);
    QVERIFY(v.witnesses.find(place, 5).has_value());
    QVERIFY(!v.witnesses.find(place, 5)->isPinned);
    QCOMPARE(v.view.setPinned(true), 6);
    QVERIFY(v.witnesses.find(place, 5)->isPinned);
    v.frames();
    QVERIFY(v.view.isPinned());
    v.view.setPinned(false);
    v.frames();
    QVERIFY(!v.view.isPinned());
    // One bucket changes: only this one is read again.
    pb::Event event;
    event.mutable_place()->set_role(pb::DATA);
    event.mutable_place()->set_number(2);
    auto* updated = event.mutable_record_updated();
    updated->set_key(502);
    updated->set_rank(5);
    updated->set_sequence(4'000);
    v.feed.tell(kFileData + 2, event);
    v.frames(20);
    QCOMPARE(v.source.asked[kFileData + 2], 2);
    QCOMPARE(v.source.asked[kFileData + 1], 1);
}

void RecordGroupTest::arrowKeysAloneGoThroughTheStory()
{
    Viewed v;
    const std::size_t steps = v.view.decoding()->steps.size();
    const QString first = v.view.picture().toText();
    for (std::size_t step = 1; step < steps; ++step) {
        QTest::keyClick(&v.view, Qt::Key_Right);
        QCOMPARE(v.view.decoding()->wish.step, step);
    }
    QVERIFY(joined(v.view.picture()).contains("computed, equal to those"));
    QTest::keyClick(&v.view, Qt::Key_Right); // there is no further step
    QCOMPARE(v.view.decoding()->wish.step, steps - 1);
    const std::size_t symbol = v.view.decoding()->wish.symbol;
    QTest::keyClick(&v.view, Qt::Key_Down);
    QCOMPARE(v.view.decoding()->wish.symbol, symbol + 1);
    QTest::keyClick(&v.view, Qt::Key_Up);
    QCOMPARE(v.view.decoding()->wish.symbol, symbol);
    for (std::size_t step = 1; step < steps; ++step)
        QTest::keyClick(&v.view, Qt::Key_Left);
    QCOMPARE(v.view.picture().toText(), first);
    // Members: Shift with an arrow selects, Enter declares lost.
    v.selection.select({ ObjectKind::Data, 1, 0 });
    QTest::keyClick(&v.view, Qt::Key_Right, Qt::ShiftModifier);
    QCOMPARE(v.selection.selected(), (ObjectRef { ObjectKind::Data, 2, 0 }));
    QTest::keyClick(&v.view, Qt::Key_Return);
    QCOMPARE(v.view.decoding()->supposed, (std::vector { dataMember(1), dataMember(2) }));
    QTest::keyClick(&v.view, Qt::Key_Left, Qt::ShiftModifier);
    QTest::keyClick(&v.view, Qt::Key_Left, Qt::ShiftModifier);
    QTest::keyClick(&v.view, Qt::Key_Left, Qt::ShiftModifier);
    QCOMPARE(v.selection.selected(), (ObjectRef { ObjectKind::Parity, 0, 1 })); // wraps around at the end
    QVERIFY(v.view.accessibleDescription().contains("Record group (0, 5)"));
}

void RecordGroupTest::aClickTakesAMemberForLost()
{
    Viewed v;
    const auto centreOf = [&](ObjectRef object) {
        for (const DisplayList::Item& item : v.view.picture().items()) {
            const auto* box = std::get_if<DisplayList::Box>(&item.primitive);
            if (box && item.object == object && box->rect.height() > 40)
                return box->rect.center().toPoint();
        }
        return QPoint();
    };
    for (const ObjectRef object : { ObjectRef { ObjectKind::Data, 3, 0 }, ObjectRef { ObjectKind::Parity, 0, 1 } }) {
        QVERIFY(!centreOf(object).isNull());
        QCOMPARE(v.view.picture().hitTest(centreOf(object)), object);
        QTest::mouseClick(&v.view, Qt::LeftButton, {}, centreOf(object));
        QCOMPARE(v.selection.selected(), object);
    }
    // Three of six are declared lost, and two parity buckets can replace two: this is stated, and nothing is computed.
    QCOMPARE(v.view.decoding()->supposed.size(), std::size_t(3));
    QVERIFY(!v.view.decoding()->story->isSolvable());
    QTest::mouseClick(&v.view, Qt::LeftButton, {}, centreOf({ ObjectKind::Parity, 0, 1 }));
    QCOMPARE(v.view.decoding()->supposed.size(), std::size_t(2));
    QVERIFY(v.view.decoding()->hasBytes);
    // The step's tick.
    QVERIFY(v.view.decoding()->steps.size() > 6);
    QTest::keyClick(&v.view, Qt::Key_Right);
    QCOMPARE(v.view.decoding()->wish.step, std::size_t(1));
}

void RecordGroupTest::aDeadBucketIsComparedWithWhatWasReadBefore()
{
    Viewed v;
    v.feed.known().markEnded(kFileData + 1, "killed", 1'000);
    v.source.group.members[1].standing = GroupMember::Standing::Down;
    pb::Event event;
    event.mutable_bucket_failed()->set_role(pb::DATA);
    event.mutable_bucket_failed()->set_index(1);
    event.mutable_bucket_failed()->set_process(kFileData + 1);
    v.feed.tell(kFileCoordinator, event);
    v.frames(40);
    const Decoding& d = *v.view.decoding();
    QCOMPARE(d.lost, std::vector { dataMember(1) });
    QVERIFY(d.supposed.empty());
    QCOMPARE(d.outcomes[0].verdict, Verdict::Equal);
    QVERIFY2(d.outcomes[0].sentence.contains("read here before it failed"), qPrintable(d.outcomes[0].sentence));
    // Its manager reports that it is back on a spare: it remains the subject of the view.
    ClusterState& known = v.feed.known();
    known.groups[0].down.clear();
    known.groups[0].recovery.decoder = toldOf(
        v.source.group, { dataMember(0), dataMember(2), dataMember(3), parityMember(0) }, { dataMember(1) });
    known.processes[kFileData + 1].hasEnded = false;
    v.source.group.members[1].standing = GroupMember::Standing::Here;
    v.pacer.reset();
    v.frames(40);
    QVERIFY(v.view.decoding()->lost == std::vector { dataMember(1) } && v.view.decoding()->isManagersChoice);
    QVERIFY(v.view.decoding()->outcomes[0].isKnownLive);
    // A recording has no bytes, and the view says so; the arithmetic remains.
    v.view.setReading(false, "A recording holds no bytes.");
    v.frames();
    QVERIFY(!v.view.decoding()->hasBytes);
    QVERIFY(v.view.decoding()->story->isSolvable());
    QVERIFY(joined(v.view.picture()).contains("A recording holds no bytes."));
}

void RecordGroupTest::whatHappensTakesThePlaceOfWhatWasOnlySupposed()
{
    for (const bool isChosen : { false, true }) {
        Viewed v;
        if (isChosen) { // chosen by a person: it stays in addition to what is really lost
            v.view.toggleSupposed(dataMember(1));
            v.view.toggleSupposed(dataMember(1));
        }
        QCOMPARE(v.view.decoding()->lost, std::vector { dataMember(1) });
        v.feed.known().markEnded(kFileData + 2, "killed", 1'000);
        v.pacer.reset();
        v.frames(20);
        QCOMPARE(v.view.decoding()->lost,
            isChosen ? (std::vector { dataMember(1), dataMember(2) }) : std::vector { dataMember(2) });
    }
}

int main(int count, char** arguments) { return runOffscreen<RecordGroupTest>(count, arguments); }
#include "tst_record_group.moc"
