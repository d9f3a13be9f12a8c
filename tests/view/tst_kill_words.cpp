// SPDX-License-Identifier: GPL-3.0-or-later
// The question before a process is killed: none while parity suffices, and never more than is known.
#include "tests/rigs/gui/view_stage.h"

#include "gui/view/lhrs/words/kill_words.h"

using namespace lhrs;
using namespace lhrs::gui;

namespace {

ClusterState fileWith(std::uint32_t k, pb::RecoveryWay recovery = pb::RECOVERY_AUTOMATIC)
{
    ClusterState state = fileOf({ 8, 4, k });
    state.file.config.set_recovery(recovery);
    return state;
}

QString askedFor(const ClusterState& state, const std::vector<ProcessId>& processes)
{
    return warningOfKill(state, processes, QStringLiteral("it"));
}

const QString kLost = QStringLiteral(" If it ends now, what it holds is lost for good.");
const QString kUnknown = QStringLiteral(
    "It is not known here yet which failures this file survives. If it ends now, what it holds may be lost for good.");

} // namespace

class KillWordsTest : public QObject {
    Q_OBJECT
private slots:
    void whatParityReplacesIsNotAskedFor();
    void whatItDoesNotReplaceIs();
    void whoHoldsNothingIsNotAskedFor();
    void aFileThatIsNotKnownYetIsNotSaidToBeLost();
};

void KillWordsTest::whatParityReplacesIsNotAskedFor()
{
    const ClusterState state = fileWith(2);
    QCOMPARE(askedFor(state, { kFileData }), QString());
    QCOMPARE(askedFor(state, { kFileData, parityProcess(0, 0) }), QString());
    QCOMPARE(askedFor(state, { kFileData, kFileData + 1, kFileData + 4, parityProcess(1, 1) }),
        QString()); // two of each group
}

void KillWordsTest::whatItDoesNotReplaceIs()
{
    QCOMPARE(askedFor(fileWith(0), { kFileData + 5 }), "Group 1 has no parity bucket." + kLost);
    QCOMPARE(askedFor(fileWith(2, pb::RECOVERY_OFF), { kFileData }),
        "This file does not recover from failures: it was made with recovery “off”." + kLost);
    ClusterState state = fileWith(2);
    QCOMPARE(askedFor(state, { kFileData, kFileData + 1, kFileData + 2 }),
        "Group 0 survives 2 failures more, and these are 3." + kLost);
    state.groups[0].down[{ pb::DATA, 1 }] = { kFileData + 1, false, "it does not answer probes", 1 };
    QCOMPARE(askedFor(state, { kFileData }), QString());
    QCOMPARE(
        askedFor(state, { kFileData, kFileData + 2 }), "Group 0 survives 1 failure more, and these are 2." + kLost);
    state.processes.at(parityProcess(0, 1)).hasEnded = true; // its end has not been noticed yet
    QCOMPARE(askedFor(state, { kFileData }),
        "Group 0 survives no further failure: 2 of its members are down, and k is 2." + kLost);
    QCOMPARE(askedFor(state, { kFileData + 4 }), QString()); // in the other group
    ClusterState single = fileWith(1);
    single.groups[0].down[{ pb::DATA, 1 }] = { kFileData + 1, false, "it does not answer probes", 1 };
    QCOMPARE(askedFor(single, { kFileData }),
        "Group 0 survives no further failure: 1 of its members is down, and k is 1." + kLost);
}

void KillWordsTest::whoHoldsNothingIsNotAskedFor()
{
    for (ClusterState state : { fileWith(0), ClusterState() })
        QCOMPARE(askedFor(state, { kFileSpares, kFileCoordinator, kFileClients }), QString());
}

// A bucket may appear, and can be killed, before the coordinator's description of its file and its group arrives.
void KillWordsTest::aFileThatIsNotKnownYetIsNotSaidToBeLost()
{
    ClusterState state = fileWith(2);
    state.file = {}; // it would give the setting of recovery: off
    state.groups.clear();
    QCOMPARE(askedFor(state, { kFileData }), kUnknown);
    state = fileWith(2);
    state.groups[0].k = 0; // k arrives with the group; only a parity bucket of it is known
    QCOMPARE(askedFor(state, { kFileData }), kUnknown);
    state.groups.erase(0);
    QCOMPARE(askedFor(state, { kFileData }), kUnknown);
    QCOMPARE(askedFor(state, { kFileData + 4 }), QString());
}

int main(int count, char** arguments) { return runOffscreen<KillWordsTest>(count, arguments); }
#include "tst_kill_words.moc"
