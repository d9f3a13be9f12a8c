// SPDX-License-Identifier: GPL-3.0-or-later
// Words beside moving objects: each place shows the newest words, as long as they are true.
#include "tests/rigs/gui/motion_show.h"

using namespace lhrs;
using namespace lhrs::gui;

class MotionWordsTest : public QObject {
    Q_OBJECT
private slots:
    void aPlaceSaysTheNewestOnly();
    void whatFailedIsNotSaidAnyMoreWhenItIsBack();
    void whatIsBackIsNotSaidAnyMoreWhenItFailsAgain();
    void anImageThatStaysIsNoNews();
    void aCutSaysWhatItCopied();
    void whatIsBundledIsCounted();
    void aClientThatIsToldLostSaysSo();
    void messagesOnOneWayFlySideBySide();
    void manyMessagesOnOneWayStayNearIt();
    void aMessageToAProcessThatWasNotIntroducedIsDrawnOnceItIs();
    void aMessageIsDrawnToAnAddressOfTheNextCluster();
    void wordsOverASmallCardAreNoWiderThanIt();
    void aLabelGivesWayByNoMoreThanItMust();
};

namespace {

void declareFailed(Show& show, std::uint32_t bucket, std::uint32_t group)
{
    pb::Event failed;
    failed.mutable_bucket_failed()->set_role(pb::DATA);
    failed.mutable_bucket_failed()->set_group(group);
    failed.mutable_bucket_failed()->set_index(bucket);
    failed.mutable_bucket_failed()->set_process(kFileData + bucket);
    show.feed.tell(kFileCoordinator, failed);
}

} // namespace

void MotionWordsTest::aPlaceSaysTheNewestOnly()
{
    Show show({ 4, 4, 1 });
    pb::Event suspected;
    suspected.mutable_member_suspected()->set_role(pb::DATA);
    suspected.mutable_member_suspected()->set_index(1);
    show.feed.tell(kFileCoordinator, suspected);
    declareFailed(show, 1, 0);
    QVERIFY(show.until([&] { return show.picture().texts().contains("declared failed"); }, 20));
    QVERIFY2(!show.picture().texts().contains("suspected"), qPrintable(show.picture().texts().join(" | ")));
}

void MotionWordsTest::whatFailedIsNotSaidAnyMoreWhenItIsBack()
{
    Show show({ 8, 4, 1 });
    declareFailed(show, 1, 0);
    declareFailed(show, 5, 1);
    const auto said = [&](const char* words) { return show.picture().texts().count(QString::fromLatin1(words)); };
    QVERIFY(show.until([&] { return said("declared failed") == 2; }, 20));
    pb::Event finished;
    finished.mutable_recovery_finished()->set_group(0);
    finished.mutable_recovery_finished()->add_buckets(2);
    show.feed.tell(parityProcess(0, 0), finished);
    QVERIFY(show.until([&] { return show.picture().texts().join(" | ").contains("1 bucket is back"); }, 20));
    QCOMPARE(said("declared failed"), 1); // for the other group, where it is still true
}

void MotionWordsTest::whatIsBackIsNotSaidAnyMoreWhenItFailsAgain()
{
    Show show({ 4, 4, 1 });
    pb::Event finished;
    finished.mutable_recovery_finished()->add_buckets(2);
    show.feed.tell(parityProcess(0, 0), finished);
    QVERIFY(show.until([&] { return show.picture().texts().join(" | ").contains("1 bucket is back"); }, 20));
    declareFailed(show, 1, 0);
    QVERIFY(show.until([&] { return show.picture().texts().contains("declared failed"); }, 20));
    QVERIFY(!show.picture().texts().join(" | ").contains("is back"));
}

void MotionWordsTest::anImageThatStaysIsNoNews()
{
    Show show({ 4, 4, 1 });
    const auto adjusted = [&](std::uint32_t before, std::uint32_t after) {
        pb::Event event = show.event(1);
        event.mutable_image_adjusted()->mutable_before()->set_i(before);
        event.mutable_image_adjusted()->mutable_after()->set_i(after);
        show.feed.tell(kAlice, event);
    };
    QStringList seen;
    const auto look = [&] {
        seen << show.picture().texts();
        return false;
    };
    adjusted(1, 1);
    show.until(look, 2);
    QVERIFY2(!seen.join(" | ").contains("(1, 0) → (1, 0)"), qPrintable(seen.join(" | ")));
    adjusted(1, 2);
    show.until(look, 2);
    QVERIFY(seen.join(" | ").contains("image (1, 0) → (2, 0)"));
}

void MotionWordsTest::aCutSaysWhatItCopied()
{
    Show show({ 4, 4, 2 });
    const auto agreed = [&](std::uint32_t copied, const char* words) {
        pb::Event cut;
        cut.mutable_cut_agreed()->add_positions(1);
        cut.mutable_cut_agreed()->add_cuts(10);
        cut.mutable_cut_agreed()->set_copied(copied);
        show.feed.tell(parityProcess(0, 0), cut);
        return show.until([&] { return show.picture().texts().contains(QString::fromLatin1(words)); }, 20);
    };
    QVERIFY(agreed(0, "cut agreed: none missing"));
    QVERIFY(agreed(1, "cut agreed: 1 change copied"));
}

// Two messages that leave together for the same place are drawn as two dots; two for different places need no
// separation.
void MotionWordsTest::messagesOnOneWayFlySideBySide()
{
    Show show({ 4, 4, 1 });
    show.message("probe", kFileCoordinator, kBucket0);
    show.message("probe", kFileCoordinator, kBucket0);
    QVERIFY(show.until([&] { return show.motion.messagesUnderWay() == 2; }, 20));
    show.until([] { return false; }, show.pacer.hopSeconds() / 2);
    QSet<std::pair<int, int>> dots;
    const DisplayList picture = show.picture();
    for (const auto& item : picture.items())
        if (const auto* box = std::get_if<DisplayList::Box>(&item.primitive);
            box != nullptr && box->outline == Outline::Circle)
            dots.insert({ qRound(box->rect.center().x()), qRound(box->rect.center().y()) });
    QCOMPARE(dots.size(), 2);
}

// However many there are, they stay near their path instead of spreading over the whole picture.
void MotionWordsTest::manyMessagesOnOneWayStayNearIt()
{
    Show show({ 4, 4, 1 });
    for (int i = 0; i < 40; ++i)
        show.message("probe", kFileCoordinator, kBucket0);
    QVERIFY(show.until([&] { return show.motion.messagesUnderWay() > 20; }, 20));
    show.until([] { return false; }, show.pacer.hopSeconds() / 2);
    QRectF around;
    int dots = 0;
    const DisplayList picture = show.picture();
    for (const auto& item : picture.items())
        if (const auto* box = std::get_if<DisplayList::Box>(&item.primitive);
            box != nullptr && box->outline == Outline::Circle) {
            around |= box->rect;
            ++dots;
        }
    QVERIFY2(dots > 20, qPrintable(QString::number(dots)));
    QVERIFY2(around.width() < 260 && around.height() < 260,
        qPrintable(QStringLiteral("%1 x %2").arg(around.width()).arg(around.height())));
}

void MotionWordsTest::aClientThatIsToldLostSaysSo()
{
    Show show({ 4, 4, 1 });
    const auto done = [&](pb::ResultCode result, pb::OperationKind kind) {
        pb::Event event = show.event(1);
        event.mutable_operation_done()->set_kind(kind);
        event.mutable_operation_done()->set_key(42);
        event.mutable_operation_done()->set_result(result);
        show.feed.tell(kAlice, event);
    };
    const auto says = [&](const QString& words) {
        return [&show, words] { return show.picture().texts().contains(words); };
    };
    done(pb::NOT_FOUND, pb::SEARCH);
    QVERIFY(!show.until(says("answer: key 42 is lost"), 3));
    done(pb::LOST, pb::SEARCH);
    QVERIFY(show.until(says("answer: key 42 is lost"), 20));
    done(pb::LOST, pb::INSERT); // a record that never existed is not lost
    QVERIFY(show.until(says("answer: key 42 refused, group lost"), 20));
}

// A show presents the first operation of a burst in full and counts the others, even if a caption divides the burst:
// the count never decreases before the next step begins.
void MotionWordsTest::whatIsBundledIsCounted()
{
    Show show({ 4, 4, 1 });
    const std::uint64_t from = show.feed.committed();
    std::vector<Cue> cues;
    for (std::uint64_t number = 1; number <= 80; ++number) {
        show.insert(number, std::uint32_t(number), 1);
        if (number % 40 == 0)
            cues.push_back({ show.feed.committed(), show.feed.nowNs() });
    }
    show.pacer.beginShow(show.feed, from);
    const auto counted = [&](const QString& words) {
        std::vector<int> counts;
        show.until(
            [&] {
                for (const QString& text : show.picture().texts())
                    if (const auto match = QRegularExpression("^(\\d+) inserts?" + words + "$").match(text);
                        match.hasMatch())
                        counts.push_back(match.captured(1).toInt());
                return show.pacer.isAtGate();
            },
            60);
        return counts;
    };
    std::vector<int> seen;
    for (const Cue& cue : cues) {
        show.pacer.setGate(cue);
        const std::vector<int> counts = counted(" so far");
        QVERIFY(counts.size() > 3);
        seen.insert(seen.end(), counts.begin(), counts.end());
    }
    QVERIFY(seen.front() < 10);
    QVERIFY(seen.back() > 75 && seen.back() <= 80);
    QVERIFY(std::is_sorted(seen.begin(), seen.end()));

    // A new step counts from its beginning; a count that begins in the middle of a step is not presented as the count
    // of the whole step.
    show.pacer.beginCount();
    show.pacer.countIsPartial();
    for (std::uint64_t number = 81; number <= 100; ++number)
        show.insert(number, std::uint32_t(number), 1);
    show.pacer.setGate(Cue { show.feed.committed(), show.feed.nowNs() });
    const std::vector<int> partial = counted("");
    QVERIFY(partial.size() > 1);
    QVERIFY(partial.back() <= 20);
}

// Messages name an address. The first event of a process may come before it is introduced.
void MotionWordsTest::aMessageToAProcessThatWasNotIntroducedIsDrawnOnceItIs()
{
    constexpr ProcessId kJoined = 9'003;
    Show show({ 4, 4, 1 });
    show.pacer.beginShow(show.feed, show.feed.committed());
    const auto play = [&show](double seconds) {
        show.pacer.setGate(Cue { show.feed.committed(), show.feed.nowNs() });
        show.until([] { return false; }, seconds);
    };
    pb::Event started;
    started.mutable_operation_started()->set_kind(pb::SEARCH);
    show.feed.tell(kJoined, started, 1'000'000);
    play(1);
    ProcessState& known = show.feed.known().processes[kJoined];
    known.id = kJoined;
    known.kind = pb::CLIENT;
    known.address = "127.0.0.1:4711";
    show.feed.tell(kBucket0, show.event(), 1'000'000);
    play(1);
    pb::Event sent;
    sent.mutable_message_sent()->set_kind("reply");
    sent.mutable_message_sent()->mutable_address()->set_ip(0x7f00'0001);
    sent.mutable_message_sent()->mutable_address()->set_udp_port(4'711);
    show.feed.tell(kBucket0, sent, 2'000'000);
    show.feed.tell(kBucket0, show.event(), 30'000'000);
    show.pacer.setGate(Cue { show.feed.committed(), show.feed.nowNs() });
    QVERIFY(show.until([&] { return show.picture().texts().contains("reply"); }, 5));
}

// The next cluster has as many processes as the former one, at other addresses.
void MotionWordsTest::aMessageIsDrawnToAnAddressOfTheNextCluster()
{
    Show show({ 4, 4, 1 });
    for (const std::uint32_t port : { 4'711u, 4'712u }) {
        show.feed.known().processes.at(kFileClients).address = "127.0.0.1:" + std::to_string(port);
        show.pacer.beginShow(show.feed, show.feed.committed());
        pb::Event sent;
        sent.mutable_message_sent()->set_kind("reply");
        sent.mutable_message_sent()->mutable_address()->set_ip(0x7f00'0001);
        sent.mutable_message_sent()->mutable_address()->set_udp_port(port);
        show.feed.tell(kBucket0, sent, 2'000'000);
        show.feed.tell(kBucket0, show.event(), 30'000'000);
        show.pacer.setGate(Cue { show.feed.committed(), show.feed.nowNs() });
        QVERIFY2(
            show.until([&] { return show.picture().texts().contains("reply"); }, 5), qPrintable(QString::number(port)));
        QVERIFY(show.until([&] { return !show.picture().texts().contains("reply"); }, 20));
    }
}

// Wider ones would lie on the cards beside it, and read as theirs.
void MotionWordsTest::wordsOverASmallCardAreNoWiderThanIt()
{
    Show show({ 32, 4, 1 });
    pb::Event forwarded = show.event(1);
    forwarded.mutable_place()->set_role(pb::DATA);
    forwarded.mutable_operation_forwarded()->set_to(7);
    show.feed.tell(kBucket0, forwarded);
    QVERIFY(show.until([&] { return show.picture().texts().join("|").contains("→ 7"); }, 20));
    QVERIFY2(!show.picture().texts().join("|").contains("not mine"), qPrintable(show.picture().texts().join(" | ")));
}

// Otherwise the words of a small card lie on the card below it.
void MotionWordsTest::aLabelGivesWayByNoMoreThanItMust()
{
    const Theme theme;
    DisplayList out(theme);
    std::vector<QRectF> taken { QRectF(0, 80, 400, 15) };
    QVERIFY(drawLabel(theme, kView, QPointF(200, 100), QStringLiteral("→ 8"), theme.card, taken, out));
    QVERIFY(taken.back().top() < 95 + taken.back().height() / 2 + 2);
    QVERIFY(taken.back().top() >= 95);
}

int main(int count, char** arguments) { return runOffscreen<MotionWordsTest>(count, arguments); }
#include "tst_motion_words.moc"
