// SPDX-License-Identifier: GPL-3.0-or-later
// Labels of events on a card leave its text legible, and epochs are numbers that people can count.
#include "tests/rigs/gui/motion_show.h"

#include "gui/lab/words/sentences.h"
#include "gui/view/lhrs/words/object_words.h"

using namespace lhrs;
using namespace lhrs::gui;

class LabelsTest : public QObject {
    Q_OBJECT
private slots:
    void wordsOfWhatHappensDoNotCoverTheCard_data();
    void wordsOfWhatHappensDoNotCoverTheCard();
    void anEpochIsCountedUnderItsCoordinator();
};

void LabelsTest::wordsOfWhatHappensDoNotCoverTheCard_data()
{
    QTest::addColumn<QSizeF>("view");
    QTest::newRow("1280 x 720") << QSizeF(1280, 520);
    QTest::newRow("1920 x 1080") << QSizeF(1920, 860);
    QTest::newRow("small cards") << QSizeF(800, 420);
}

// The reason of a suspicion is readable while its label is shown.
void LabelsTest::wordsOfWhatHappensDoNotCoverTheCard()
{
    QFETCH(const QSizeF, view);
    for (const pb::Role role : { pb::DATA, pb::PARITY }) {
        for (const bool isDeclared : { false, true }) {
            Show show({ 8, 4, 1 });
            const ObjectRef object = role == pb::DATA ? ObjectRef { ObjectKind::Data, 1, 0 }
                                                      : ObjectRef { ObjectKind::Parity, 0, 0 };
            show.feed.known().groups[0].suspected[{ role, role == pb::DATA ? 1u : 0u }] = { "no answer to an alarm",
                1'000'000 };
            pb::Event event = show.event();
            if (isDeclared) {
                event.mutable_bucket_failed()->set_role(role);
                event.mutable_bucket_failed()->set_index(role == pb::DATA ? 1 : 0);
                event.mutable_bucket_failed()->set_process(role == pb::DATA ? kFileData + 1 : parityProcess(0, 0));
            } else {
                event.mutable_member_suspected()->set_role(role);
                event.mutable_member_suspected()->set_index(role == pb::DATA ? 1 : 0);
                event.mutable_member_suspected()->set_reason("no answer to an alarm");
            }
            show.feed.tell(kFileCoordinator, event);
            const QString said = isDeclared ? "declared failed" : "suspected";
            const auto labelOf = [&](const DisplayList& list) {
                for (const DisplayList::Item& item : list.items())
                    if (const auto* text = std::get_if<DisplayList::Text>(&item.primitive); text && text->text == said)
                        return text->box;
                return QRectF();
            };
            bool isSeen = false;
            for (int frame = 0; frame < 60; ++frame) {
                show.frame();
                const Drawn resting = drawn(show.pacer.state(), view);
                CellReader cells;
                PictureInput input { show.pacer.state(), resting.layout, show.theme, cells };
                input.plan = cellPlanOf(show.pacer.state(), resting.layout.detail);
                DisplayList moving(show.theme);
                show.motion.draw(input, show.pacer.clock(), moving);
                const QRectF label = labelOf(moving);
                isSeen = isSeen || !label.isNull();
                const QRectF card = resting.layout.find(object)->rect;
                for (const DisplayList::Item& item : resting.list.items()) {
                    const auto* text = std::get_if<DisplayList::Text>(&item.primitive);
                    if (!text || item.object != object || label.isNull())
                        continue;
                    const QRectF rect = resting.list.textRect(*text);
                    const bool isKey = std::all_of(text->text.begin(), text->text.end(), [](QChar c) {
                        return c.isDigit();
                    }) && rect.top() > card.center().y();
                    QVERIFY2(isKey || !label.intersects(rect),
                        qPrintable(QString("“%1” covers “%2”").arg(said, text->text)));
                }
            }
            QVERIFY2(isSeen, qPrintable(said));
        }
    }
}

// Under the second coordinator the numbers continue above 2^32.
void LabelsTest::anEpochIsCountedUnderItsCoordinator()
{
    ClusterState state = fileOf({ 8, 4, 2 });
    const auto shown = [&](std::uint64_t epoch) {
        state.groups[0].epoch = state.groups[1].epoch = epoch;
        return drawn(state, QSizeF(1280, 520)).list.texts().filter("epoch").value(0) + " / "
            + detailsOf(state, { ObjectKind::Group, 0, 0 }).filter("epoch").join('|').section(',', 0, 0);
    };
    QCOMPARE(shown(3), QString("epoch 3 / epoch 3"));
    QCOMPARE(shown(4'294'967'297), QString("epoch 1 of coordinator 2 / epoch 1 of coordinator 2"));
    state.data[5].incarnation = (2ULL << 32) + 9;
    state.data[6].incarnation = (1ULL << 32) + 7;
    QVERIFY2(detailsOf(state, { ObjectKind::Data, 5, 0 }).join('\n').contains("incarnation 9 of coordinator 2"),
        qPrintable(detailsOf(state, { ObjectKind::Data, 5, 0 }).join('\n')));
    QVERIFY2(detailsOf(state, { ObjectKind::Data, 6, 0 }).join('\n').contains("incarnation 7")
            && !detailsOf(state, { ObjectKind::Data, 6, 0 }).join('\n').contains("of coordinator"),
        qPrintable(detailsOf(state, { ObjectKind::Data, 6, 0 }).join('\n')));
    pb::Event changed;
    changed.mutable_epoch_changed()->mutable_view()->set_epoch(4'294'967'297);
    QVERIFY2(QString::fromStdString(sentence(kFileCoordinator, changed, state))
                 .contains("group 0 is in epoch 1 of coordinator 2"),
        sentence(kFileCoordinator, changed, state).c_str());
    pb::Event recruited;
    recruited.mutable_node_recruited()->set_incarnation((2ULL << 32) + 9);
    QVERIFY2(
        QString::fromStdString(sentence(kFileSpares, recruited, state)).contains("incarnation 9 of coordinator 2;"),
        sentence(kFileSpares, recruited, state).c_str());
}

int main(int count, char** arguments) { return runOffscreen<LabelsTest>(count, arguments); }
#include "tst_labels.moc"
