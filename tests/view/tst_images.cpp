// SPDX-License-Identifier: GPL-3.0-or-later
// Belief and truth: the picture of clients' images, the path of a tried key, the theory beside the counts.
#include "tests/rigs/gui/fake_cluster.h"
#include "tests/view/golden.h"
#include "tests/rigs/gui/picture_faults.h"
#include "tests/rigs/gui/window_part.h"

#include "gui/lab/words/lhrs/key_try.h"
#include "gui/view/panels/lhrs/image_view.h"
#include "gui/window/main/main_window.h"

#include <QLineEdit>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

constexpr int kLimit = 15'000;
constexpr double kFrame = 0.016;

// Advances the picture until all events are shown.
bool showAll(Pacer& pacer, const ListFeed& feed)
{
    for (int frame = 0; frame < 20'000; ++frame) {
        pacer.advance(0.05);
        if (!pacer.isBusy() && pacer.shownUpTo() == feed.committed())
            return true;
    }
    return false;
}

FileImage imageOf(std::uint32_t buckets)
{
    FileImage image;
    while (bucketCount(image) < buckets)
        image = advanceSplit(image);
    return image;
}

OperationState searched(std::uint64_t key, std::vector<std::uint32_t> path)
{
    OperationState operation;
    operation.key = key;
    operation.kind = pb::SEARCH;
    operation.isDone = true;
    operation.result = pb::OK;
    operation.forwards = std::uint32_t(path.size()) - 1;
    operation.path = std::move(path);
    operation.computedBucket = operation.path.front();
    return operation;
}

// A file with this many buckets and one client that knows this many.
ClusterState believing(std::uint32_t buckets, std::uint32_t believed)
{
    FileShape shape { buckets };
    shape.clients = 1;
    ClusterState state = fileOf(shape);
    FileClient& client = state.fileClients[kFileClients];
    const FileImage image = imageOf(believed);
    client.image.set_i(image.i);
    client.image.set_n(image.n);
    return state;
}

struct ImageDrawn {
    ImagePicture picture;
    DisplayList list;
    QString words() const { return list.texts().join(QLatin1Char('\n')); }
};
ImageDrawn imagesOf(const ClusterState& state, qreal width = 440, const Theme& theme = Theme(),
    std::optional<std::uint64_t> tried = std::nullopt)
{
    ImageDrawn drawn { {}, DisplayList(theme) };
    drawn.picture = drawImages(state, theme, {}, width, drawn.list, tried);
    return drawn;
}

} // namespace

class ImagesTest : public QObject {
    Q_OBJECT
private slots:
    void theImageStandsBesideTheTruth();
    void aFrozenImageStaysWhereItIs();
    void aTriedKeyGoesTheWayOfTheAddressingRules();
    void aBucketIsRightStaleOrUnknown();
    void unknownBucketsAreHatched();
    void aTriedKeyIsWorkedOutAndNothingMoreIsSaid();
    void aForwardTooManyIsRed();
    void anImageAheadIsRedUnlessTheFileShrank();
    void itLooksAsItDid_data();
    void itLooksAsItDid();
    void noTextIsClippedOrCovered_data();
    void noTextIsClippedOrCovered();
    void aKeyIsTriedInTheWindowAndSentOnlyWhenAsked();
};

void ImagesTest::theImageStandsBesideTheTruth()
{
    ClusterState state = fileOf({ 8, 4, 1 });
    FileClient& bob = state.fileClients[kFileClients + 1];
    bob.image.set_i(0);
    bob.image.set_n(0);
    OperationState operation;
    operation.key = 4711;
    operation.kind = pb::SEARCH;
    operation.isDone = true;
    operation.result = pb::OK;
    operation.forwards = 2;
    operation.path = { 0, 3, 7 };
    operation.imageAdjusted = true;
    operation.imageAfter.set_i(2);
    operation.imageAfter.set_n(4);
    bob.last.push_back(operation);
    state.clients[kFileClients + 1].hops = { 0, 0, 1 };
    for (const qreal width : { 300.0, 420.0, 640.0 }) {
        const Theme theme;
        DisplayList list(theme);
        const ImagePicture picture = drawImages(state, theme, {}, width, list);
        const QString words = list.texts().join('\n');
        QVERIFY2(words.contains("7 behind") && words.contains("exact"), qPrintable(words));
        QVERIFY2(words.contains("0 → 3 → 7"), qPrintable(words));
        QVERIFY(words.contains(addressWords(4711, 3, 0)));
        for (const DisplayList::Item& item : list.items()) {
            if (const auto* text = std::get_if<DisplayList::Text>(&item.primitive)) {
                const QRectF rect = list.textRect(*text);
                QVERIFY2(rect.right() <= width && rect.bottom() <= picture.height + 1, qPrintable(text->text));
            }
        }
    }
    QCOMPARE(addressWords(13, 2, 0), QString("13 mod 4 = 1 ≥ n = 0: bucket 1"));
}

void ImagesTest::aFrozenImageStaysWhereItIs()
{
    ListFeed feed;
    feed.known() = fileOf({ 4, 4, 1 });
    FileClient& alice = feed.known().fileClients[kFileClients];
    alice.mode = pb::FROZEN;
    alice.image.set_i(0);
    alice.image.set_n(0);
    Pacer pacer(feed);
    pacer.advance(kFrame);
    Selection selection;
    ImageView view(pacer, selection);
    view.setTheme(Theme());
    view.resize(420, 600);
    view.refresh(1);
    QVERIFY(view.picture().texts().join('\n').contains("image frozen"));
    QVERIFY(view.picture().texts().join('\n').contains("3 behind"));
    for (std::uint64_t number = 1; number <= 5; ++number) {
        pb::Event done;
        done.mutable_operation()->set_client(kFileClients);
        done.mutable_operation()->set_number(number);
        done.mutable_operation_done()->set_key(number);
        done.mutable_operation_done()->set_forwards(1);
        feed.tell(kFileClients, done);
    }
    QVERIFY(showAll(pacer, feed));
    view.refresh(1);
    QVERIFY(view.picture().texts().join('\n').contains("3 behind"));
}

void ImagesTest::aTriedKeyGoesTheWayOfTheAddressingRules()
{
    for (std::uint32_t buckets = 1; buckets <= 40; ++buckets) {
        for (std::uint32_t believed = 1; believed <= buckets; ++believed) {
            const FileImage truth = imageOf(buckets), image = imageOf(believed);
            for (std::uint64_t key = 0; key < 96; ++key) {
                const KeyTry tried = tryKey(key, image, truth);
                QCOMPARE(tried.path.front(), addressOf(Key(key), image).value);
                QCOMPARE(tried.path.back(), addressOf(Key(key), truth).value);
                QVERIFY(tried.forwards() <= 2);
                QCOMPARE(tried.adjustment.has_value(), tried.forwards() > 0);
                if (!tried.adjustment)
                    continue;
                // The client does not make an error for that key twice, and is never ahead of the file.
                QCOMPARE(tryKey(key, tried.adjustment->after, truth).forwards(), std::size_t(0));
                QVERIFY(
                    bucketCount(tried.adjustment->after) > believed && bucketCount(tried.adjustment->after) <= buckets);
            }
        }
    }
    QVERIFY(tryKey(7, imageOf(8), imageOf(4)).path.empty()); // the file has shrunk
}

void ImagesTest::aBucketIsRightStaleOrUnknown()
{
    const FileImage truth = imageOf(7), image = imageOf(3);
    std::vector<BucketBelief> beliefs;
    for (std::uint32_t a = 0; a < 7; ++a)
        beliefs.push_back(beliefOf(a, image, truth));
    using B = BucketBelief;
    // Truth: j = 3 3 3 2 3 3 3; the client believes in j = 2 1 2.
    QCOMPARE(beliefs, (std::vector { B::Stale, B::Stale, B::Stale, B::Unknown, B::Unknown, B::Unknown, B::Unknown }));
    QCOMPARE(beliefOf(3, imageOf(6), truth), B::Right);
    QCOMPARE(beliefOf(7, imageOf(8), truth), B::Gone);
}

void ImagesTest::unknownBucketsAreHatched()
{
    const auto hatched = [](const ImageDrawn& drawn) {
        return std::count_if(drawn.list.items().begin(), drawn.list.items().end(), [](const DisplayList::Item& item) {
            const auto* box = std::get_if<DisplayList::Box>(&item.primitive);
            return box && box->isHatched;
        });
    };
    QCOMPARE(hatched(imagesOf(believing(8, 3))), 5);
    QCOMPARE(hatched(imagesOf(believing(8, 8))), 0);
    QVERIFY(imagesOf(believing(8, 3)).words().contains("hatched: unknown to the client"));
    QVERIFY(!imagesOf(believing(8, 8)).words().contains("hatched"));
}

void ImagesTest::aTriedKeyIsWorkedOutAndNothingMoreIsSaid()
{
    ClusterState state = believing(8, 1);
    QString words = imagesOf(state, 460, Theme(), 4711).words();
    QVERIFY2(words.contains("nothing is sent"), qPrintable(words));
    QVERIFY(words.contains(addressWords(4711, 0, 0)) && words.contains(addressWords(4711, 3, 0)));
    const KeyTry tried = tryKey(4711, {}, imageOf(8));
    QCOMPARE(tried.right, 7u);
    QVERIFY2(
        words.simplified().contains(
            QString("adjust the image by (a = %1, j = %2)").arg(tried.adjustment->bucket).arg(tried.adjustment->level)),
        qPrintable(words));
    // The correct bucket at once.
    words = imagesOf(believing(8, 8), 460, Theme(), 4711).words();
    QVERIFY2(words.contains("Both say bucket 7: no forward"), qPrintable(words));
    // A frozen image is shown as unchanging.
    state.fileClients[kFileClients].mode = pb::FROZEN;
    QVERIFY(imagesOf(state, 460, Theme(), 4711).words().contains("frozen and stays"));
    // Keys that the file scrambles.
    state.file.config.set_mix_keys(true);
    QVERIFY(
        imagesOf(state, 460, Theme(), 4711).words().contains(QString("mix64(4711) = %1").arg(mix64(Key(4711)).value)));
}

void ImagesTest::aForwardTooManyIsRed()
{
    const auto isRed = [](const ImageDrawn& drawn) {
        return std::any_of(drawn.list.items().begin(), drawn.list.items().end(), [](const DisplayList::Item& item) {
            const auto* line = std::get_if<DisplayList::Line>(&item.primitive);
            return line && line->colour == Theme().bad;
        });
    };
    ClusterState state = believing(8, 1);
    FileClient& client = state.fileClients[kFileClients];
    client.last.push_back(searched(7, { 0, 3, 7 }));
    state.clients[kFileClients].hops = { 10, 3, 1 };
    client.imageAdjustments = 4;
    const ImageDrawn right = imagesOf(state);
    QVERIFY(!isRed(right));
    QVERIFY2(right.words().contains("never more than 2"), qPrintable(right.words()));
    QVERIFY2(right.words().contains("3.0"), qPrintable(right.words())); // log2 of 8 buckets
    QVERIFY(right.words().contains("71.4 %"));
    QVERIFY2(right.words().contains("4 image adjustments "), qPrintable(right.words()));
    client.imageAdjustments = 1;
    QVERIFY2(imagesOf(state).words().contains("1 image adjustment "), qPrintable(imagesOf(state).words()));
    client.last.push_back(searched(7, { 0, 1, 3, 7 }));
    const ImageDrawn wrong = imagesOf(state);
    QVERIFY(isRed(wrong));
    QVERIFY2(wrong.words().contains("this must not happen"), qPrintable(wrong.words()));
}

void ImagesTest::anImageAheadIsRedUnlessTheFileShrank()
{
    ClusterState state = believing(4, 8);
    QVERIFY(imagesOf(state).words().contains("must not happen"));
    state.file.hasShrunk = true;
    QVERIFY2(imagesOf(state).words().contains("has shrunk"), qPrintable(imagesOf(state).words()));
    QVERIFY2(imagesOf(state, 460, Theme(), 7).words().simplified().contains("Bucket 7 no longer exists"),
        qPrintable(imagesOf(state, 460, Theme(), 7).words()));
}

void ImagesTest::itLooksAsItDid_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<bool>("isDark");
    QTest::addColumn<double>("fontScale");
    QTest::newRow("light") << "images_light.txt" << false << 1.0;
    QTest::newRow("dark, 200 %") << "images_dark_200.txt" << true << 2.0;
}

void ImagesTest::itLooksAsItDid()
{
    QFETCH(const QString, file);
    QFETCH(const bool, isDark);
    QFETCH(const double, fontScale);
    const QString wrong = differenceTo(file,
        imagesOf(believing(7, 5), 440, Theme(isDark ? Theme::Kind::Dark : Theme::Kind::Light, fontScale), 23)
            .list.toText());
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
}

void ImagesTest::noTextIsClippedOrCovered_data()
{
    QTest::addColumn<qreal>("width");
    QTest::addColumn<double>("scale");
    QTest::newRow("a dock of 1280 x 720") << 452.0 << 1.0;
    QTest::newRow("a narrow dock") << 320.0 << 1.0;
    QTest::newRow("a dock of 1920 x 1080") << 690.0 << 1.0;
    QTest::newRow("150 %") << 600.0 << 1.5;
    QTest::newRow("250 %") << 900.0 << 2.5;
}

void ImagesTest::noTextIsClippedOrCovered()
{
    QFETCH(const qreal, width);
    QFETCH(const double, scale);
    for (const Theme::Kind kind : { Theme::Kind::Light, Theme::Kind::Dark }) {
        for (const std::uint32_t buckets : { 1u, 4u, 13u, 64u, 300u }) {
            for (const bool isTried : { false, true }) {
                ClusterState state = believing(buckets, std::max(1u, buckets / 3));
                FileClient& client = state.fileClients[kFileClients];
                OperationState operation = searched(4711, { 0, buckets / 2, buckets - 1 });
                operation.imageAdjusted = true;
                client.last.push_back(operation);
                state.clients[kFileClients].hops = { 1'234'567, 89, 3 };
                client.imageAdjustments = 9;
                const Theme theme(kind, scale);
                const ImageDrawn drawn = imagesOf(state, width, theme,
                    isTried ? std::optional<std::uint64_t>(18'446'744'073'709'551'557u) : std::nullopt);
                const QString wrong = textFault(drawn.list, QSizeF(width, drawn.picture.height));
                QVERIFY2(wrong.isEmpty(), qPrintable(QString("%1 buckets: %2").arg(buckets).arg(wrong)));
            }
        }
    }
}

void ImagesTest::aKeyIsTriedInTheWindowAndSentOnlyWhenAsked()
{
    FakeCluster cluster({ 4, 4, 1 });
    MainWindow::Options options;
    options.theme = MainWindow::ThemeChoice::Light;
    options.scenarioDirectory = QStringLiteral(LHRS_SOURCE_DIR "/scenarios");
    MainWindow window(options);
    window.show();
    window.start().connectTo(cluster.address());
    QTRY_VERIFY_WITH_TIMEOUT(
        window.cluster().link().state() == LinkState::Here && window.workloads().client() != 0, kLimit);
    QTRY_VERIFY_WITH_TIMEOUT(window.actions().get("sendKey")->isEnabled(), kLimit);
    QVERIFY(QTest::qWaitForWindowActive(&window));
    cluster.forgetOrders();
    window.canvas().setFocus();
    QTest::sendKeyEvent(QTest::Click, &window.canvas(), Qt::Key_K, QString(), Qt::AltModifier);
    auto* field = window.findChild<QLineEdit*>("tryKey");
    QTRY_VERIFY_WITH_TIMEOUT(field->hasFocus(), kLimit);
    QTest::keyClicks(field, "4711");
    QTRY_VERIFY_WITH_TIMEOUT(part<ImageView>(window).picture().texts().join(' ').contains("nothing is sent"), kLimit);
    QVERIFY(cluster.orders().empty());
    QTest::keyClick(field, Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(cluster.order(pb::Command::kOperate).has_value(), kLimit);
    const auto order = cluster.order(pb::Command::kOperate);
    QCOMPARE(order->process, window.workloads().client());
    QCOMPARE(order->command.operate().kind(), pb::SEARCH);
    QCOMPARE(order->command.operate().key(), std::uint64_t(4711));
}

int main(int count, char** arguments) { return runOffscreen<ImagesTest>(count, arguments); }
#include "tst_images.moc"
