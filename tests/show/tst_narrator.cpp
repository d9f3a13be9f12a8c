// SPDX-License-Identifier: GPL-3.0-or-later
// The narrator: the sentence of each event, events without a sentence, many events in one sentence, effects before
// their causes, and the story of whole scenarios on a simulated cluster.
#include "gui/lab/live/ingest.h"
#include "tests/rigs/lab/lab_stage.h"
#include "tests/show/narrator_story.h"

#include <QRegularExpression>
#include <QTest>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

// A caption that can be read in time has at most 25 words per sentence.
QString tooLong(const QStringList& texts)
{
    static const QRegularExpression kEnd("\\. (?=[A-Z0-9])");
    for (const QString& text : texts)
        for (const QString& sentence : text.split(kEnd))
            if (sentence.split(' ', Qt::SkipEmptyParts).size() > 25)
                return sentence;
    return {};
}

// A scenario on a simulated cluster, up to a place in its text; returns the events of its processes.
std::vector<RunEvent> played(const QString& name, const QString& end, QString& problem)
{
    ClusterStage stage;
    stage.limit = 100s * kSlower;
    stage.session.local().preferSimulated(SimulatedOptions());
    QString source = textOf(LHRS_SOURCE_DIR "/scenarios/" + name);
    if (!end.isEmpty())
        source = source.left(source.indexOf(end));
    const ScriptResult result = stage.play(source);
    if (result.outcome != ScriptOutcome::Held)
        problem = stage.story(result);
    std::vector<RunEvent> events;
    for (std::uint64_t cursor = 0;;) {
        EventPage page = stage.session.ingest().eventsSince(cursor, 10'000);
        if (page.missed > 0)
            problem = "events are missing";
        if (page.events.empty())
            return events;
        cursor = page.next;
        events.insert(events.end(), page.events.begin(), page.events.end());
    }
}

// "Key 7: alice's image said bucket 0", the path, and the age of the image.
const QRegularExpression kForward("^(Key [0-9]+: [a-z]+'s image said bucket [0-9]+), (bucket|but)[^:.]*(?:: that image was (at least )?([0-9]+) splits? old)?");

struct NarratedSplit {
    std::optional<std::uint32_t> full;
    std::uint32_t bucket = 0;
};

std::optional<NarratedSplit> splitIn(const QString& text)
{
    static const QRegularExpression kSplit("^(?:Bucket ([0-9]+) (?:is|was) full.*)?bucket ([0-9]+) splits"), kAlone("^The split pointer n stands at ([0-9]+), so");
    if (const auto match = kSplit.match(text); match.hasMatch())
        return NarratedSplit { match.captured(1).toUInt(), match.captured(2).toUInt() };
    if (const auto match = kAlone.match(text); match.hasMatch())
        return NarratedSplit { std::nullopt, match.captured(1).toUInt() };
    return std::nullopt;
}

// The bucket was ordered to split, and the full bucket had reported before.
bool isOrderedBecause(const std::vector<RunEvent>& events, const NarratedSplit& split)
{
    std::int64_t fullNs = split.full ? std::numeric_limits<std::int64_t>::max() : 0;
    for (const RunEvent& event : events)
        if (!event.isGap() && event.event->has_bucket_overflowed() && event.event->place().number() == split.full)
            fullNs = std::min(fullNs, event.runNs);
    return std::any_of(events.begin(), events.end(), [&](const RunEvent& event) {
        return !event.isGap() && event.event->has_split_ordered() && event.event->split_ordered().bucket() == split.bucket && event.runNs >= fullNs;
    });
}

const char* const kFail = "C bucket_failed { group: 0 role: DATA index: 2 process: =d2 k_left: 1 reason: \"it does not answer probes\" }";
const char* const kFailed = "Bucket 2 does not answer and is declared failed: group 0 survives 1 further failure.";

} // namespace

class NarratorTest : public QObject {
    Q_OBJECT
private slots:
    void eachHasItsSentence_data();
    void eachHasItsSentence();
    void theFileBegins();
    void insertsAreQuiet();
    void whatStaysAsItIsIsQuiet();
    void manyForwardsAreOneSentence();
    void whatIsShownSlowlyIsToldOneByOne();
    void manySplitsAreCounted();
    void whatNobodyHasSeenIsNotReplaced();
    void endsAndPausesAreSeenByLooking();
    void anotherClusterIsAnotherStory();
    void aRecoveryIsToldInItsOrder();
    void aFileThatGrowsIsToldInItsOrder();
    void effectsMayComeBeforeCauses_data();
    void effectsMayComeBeforeCauses();
    void noOrderOfTheEventsMakesItSayWhatIsWrong_data();
    void noOrderOfTheEventsMakesItSayWhatIsWrong();
};

void NarratorTest::eachHasItsSentence_data()
{
    QTest::addColumn<QStringList>("events");
    QTest::addColumn<QStringList>("told");
    const auto row = [](const char* name, const QStringList& events, const QStringList& told) { QTest::newRow(name) << events << told; };

    // ---- spares
    row("a client joins", { "carol process_started { process { node: =carol kind: CLIENT name: \"carol\" } }" },
        { "carol joins with the oldest image: it believes that the file has one bucket." });
    row("spares come", { "s10 process_started { process { node: =s10 kind: NODE name: \"data-10\" spare_role: DATA } }", "s11 process_started { process { node: =s11 kind: NODE name: \"data-11\" spare_role: DATA } }" },
        { "2 spare data servers come and wait to be invited." });
    row("no spare answers", { "C spare_missing { role: DATA wanted: 1 purpose: \"splitting bucket 0 into 4\" }", "C spare_missing { role: DATA wanted: 1 purpose: \"splitting bucket 0 into 4\" }", "recruit s8 DATA 4" },
        { "No spare data server answers the invitation: splitting bucket 0 into 4 has to wait for one.", "data-8 answers the invitation and becomes bucket 4." });
    row("a recruit from before the wait does not end it", { "wait 1000", "C spare_missing { role: DATA wanted: 1 purpose: \"recovering group 0\" }", "@100 s8 place { role: DATA number: 4 } node_recruited { incarnation: 99 }" },
        { "No spare data server answers the invitation: recovering group 0 has to wait for one." });
    row("spares run out", { "recruit s8 DATA 4", "recruit s9 DATA 5", "recruit q2 PARITY 1" },
        { "As far as is known, no spare data server is left for the next split or recovery.", "As far as is known, no spare parity server is left for the next parity bucket." });
    row("no multicast", { "C recruiting_changed { transport: UDP reason: \"spares are registered\" }", "C recruiting_changed { transport: MULTICAST }" },
        { "Multicast does not reach the spares, so the coordinator invites them one by one.", "Spares are invited by multicast again." });

    // ---- splits
    row("another bucket is full", { "d1 bucket_overflowed { count: 17 level: 2 }", "C split_ordered { split: 1 bucket: 0 new_bucket: 4 level: 3 }" },
        { "Bucket 1 is full. The split pointer n stands at 0, so bucket 0 splits." });
    row("a bucket is full, and nothing follows yet", { "d1 bucket_overflowed { count: 17 level: 2 }", "d1 bucket_overflowed { count: 18 level: 2 }" },
        { "Bucket 1 is full: it holds 17 records, and its capacity b is 16." });
    row("the full bucket itself splits", { "d0 bucket_overflowed { count: 17 level: 2 }", "C split_ordered { split: 1 bucket: 0 new_bucket: 4 level: 3 }" },
        { "Bucket 0 is full, and the split pointer n stands at it: bucket 0 splits." });
    row("it has lost records since", { "d1 bucket_overflowed { count: 17 level: 2 }", "d1 record_deleted { key: 5 rank: 1 sequence: 20 count: 16 }", "C split_ordered { split: 1 bucket: 0 new_bucket: 4 level: 3 }" },
        { "Bucket 1 was full. The split pointer n stands at 0, so bucket 0 splits." });
    row("somebody wanted a split", { "C split_ordered { split: 1 bucket: 0 new_bucket: 4 level: 3 }" },
        { "The split pointer n stands at 0, so bucket 0 splits into 0 and 4." });
    row("reports are owed in their order", { "d3 bucket_overflowed { count: 17 level: 2 }", "d2 bucket_overflowed { count: 17 level: 2 }", "C split_ordered { split: 1 bucket: 0 new_bucket: 4 level: 3 }", "C split_committed { split: 1 bucket: 0 new_bucket: 4 file { i: 2 n: 1 } }", "C split_ordered { split: 2 bucket: 1 new_bucket: 5 level: 3 }" },
        { "Bucket 3 is full. The split pointer n stands at 0, so bucket 0 splits.", "Bucket 2 is full. The split pointer n stands at 1, so bucket 1 splits.", "Both buckets and their parity have staged the split of bucket 0: it is decided, and n moves to 1." });
    row("splits beside each other", { "C file_created { config { m: 4 b: 16 availability: 2 parallel_splits: true } }", "d3 bucket_overflowed { count: 17 level: 2 }", "d2 bucket_overflowed { count: 17 level: 2 }", "C split_ordered { split: 1 bucket: 0 new_bucket: 4 level: 3 }", "C split_ordered { split: 2 bucket: 1 new_bucket: 5 level: 3 }" },
        { "Bucket 3 is full. The split pointer n stands at 0, so bucket 0 splits.", "Bucket 2 is full. Bucket 1 comes next after the split pointer, so it splits beside the split that is under way." });
    row("a split from end to end", { "C split_ordered { split: 1 bucket: 0 new_bucket: 4 level: 3 }", "d0 split_prepared { split: 1 moved: 9 }", "C split_committed { split: 1 bucket: 0 new_bucket: 4 file { i: 2 n: 1 } }", "d0 split_applied { split: 1 level: 3 count: 8 }", "C split_finished { split: 1 bucket: 0 new_bucket: 4 level: 3 moved: 9 total_ns: 12000000 }" },
        { "The split pointer n stands at 0, so bucket 0 splits into 0 and 4.", "Both buckets and their parity have staged the split of bucket 0: it is decided, and n moves to 1.", "Bucket 0 is split: 9 records moved to bucket 4 in 12 ms." });
    row("the last split of a round", { "C split_committed { split: 1 bucket: 3 new_bucket: 7 file { i: 3 n: 0 } }", "C split_finished { split: 1 bucket: 3 new_bucket: 7 level: 3 }" },
        { "The split of bucket 3 is decided and ends a round: the level i is 3 now, and n goes back to 0.", "Bucket 3 is split, but none of its records belongs in bucket 7." });
    row("another coordinator finishes a split", { "d2 record_inserted { key: 6 rank: 1 sequence: 20 count: 7 }",
        "C split_finished { split: 1 bucket: 0 new_bucket: 2 level: 2 }" },
        { "Bucket 0 is split: bucket 2 holds 7 records." });
    row("a split is undone and tried again", { "C split_ordered { split: 1 bucket: 0 new_bucket: 4 level: 3 }", "C split_undone { split: 1 bucket: 0 new_bucket: 4 reason: \"a member of its groups failed\" }", "C split_ordered { split: 2 bucket: 0 new_bucket: 4 level: 3 }" },
        { "The split pointer n stands at 0, so bucket 0 splits into 0 and 4.", "The split of bucket 0 into 4 is undone and stays owed: a member of its groups failed.", "The split of bucket 0 is tried again: it is still owed, and the split pointer n still stands at 0." });

    // ---- merges
    row("a merge from end to end", { "d1 bucket_underflowed { count: 2 level: 2 }", "C merge_ordered { split: 1 bucket: 3 into: 1 level: 2 }", "C merge_committed { split: 1 bucket: 3 into: 1 file { i: 1 n: 1 } }", "C merge_finished { split: 1 bucket: 3 into: 1 level: 1 moved: 4 total_ns: 20000000 }" },
        { "Bucket 1 holds few records. The last bucket, 3, gives its records back to bucket 1, from which it was split.", "The merge of bucket 3 into 1 is decided: the file goes back to level i = 1 and n = 1.", "Bucket 3 is merged into bucket 1: 4 records moved in 20 ms, and its server is a spare again." });
    row("few records alone are no story", { "d1 bucket_underflowed { count: 2 level: 2 }" }, {});
    row("a merge is undone", { "C merge_undone { split: 1 bucket: 3 into: 1 reason: \"staging took longer than its limit\" }" },
        { "The merge of bucket 3 into 1 is undone: staging took longer than its limit." });

    // ---- availability
    row("a new group", { "C group_created { group: 1 k: 2 }" }, { "Bucket 4 is the first bucket of group 1, and a new group has 2 parity buckets of its own." });
    row("availability rises", { "C availability_raised { availability: 3 reason: \"the file has 4 data buckets\" }", "C parity_creation_ordered { group: 0 column: 2 }", "C parity_added { group: 0 column: 2 k: 3 records: 16 total_ns: 5000000 }" },
        { "The intended availability rises to 3 (the file has 4 data buckets): each group is to survive 3 failures.", "Group 0 has 2 parity buckets, and the intended availability is 3: a spare is to become parity bucket 0.2.", "Parity bucket 0.2 encodes all records of its group: group 0 has 3 parity buckets now." });
    row("a creation is given up", { "C parity_creation_undone { group: 0 column: 2 reason: \"a member of the group failed\" }" },
        { "The creation of parity bucket 0.2 is given up: a member of the group failed." });
    row("a parity bucket fails and comes back", { "C bucket_failed { group: 0 role: PARITY index: 1 process: =p0.1 k_left: 1 reason: \"it does not answer probes\" }", "C parity_creation_ordered { group: 0 column: 1 }", "C parity_added { group: 0 column: 1 k: 2 records: 16 total_ns: 5000000 }" },
        { "Parity bucket 0.1 does not answer and is declared failed: group 0 survives 1 further failure.", "Parity bucket 0.1 is lost: a spare is to take its place and to encode the data buckets of group 0 anew.", "Parity bucket 0.1 is back on a spare with 16 parity records, encoded anew in 5.00 ms." });

    // ---- clients
    const QStringList later { "wait 2000" }; // the file has not grown for a while
    row("a forward", later + forwardOf(1, 75, 1, 3, false), { "Key 75: alice's image said bucket 1, bucket 1 forwarded to 3: that image was 2 splits old." });
    row("a forward while the file grows", forwardOf(1, 75, 1, 3, false), { "Key 75: alice's image said bucket 1, bucket 1 forwarded to 3: that image was at least 2 splits old." });
    row("a forward whose reply corrects the image", later + forwardOf(1, 75, 1, 3), { "Key 75: alice's image said bucket 1, bucket 1 forwarded to 3: that image was 2 splits old. The reply corrects it: it counts 4 buckets now." });
    row("two forwards", { "wait 2000", "alice operation { client: =alice number: 1 } operation_started { kind: SEARCH key: 7 bucket: 0 image { } }", "d0 operation { client: =alice number: 1 } operation_forwarded { kind: SEARCH key: 7 from: 0 to: 1 }", "d1 operation { client: =alice number: 1 } operation_forwarded { kind: SEARCH key: 7 from: 1 to: 3 }", "alice operation { client: =alice number: 1 } operation_done { kind: SEARCH key: 7 result: OK bucket: 3 forwards: 2 }" },
        { "Key 7: alice's image said bucket 0, bucket 0 forwarded to 1, and 1 to 3: that image was 3 splits old." });
    row("an image where operations are not told", { "alice image_adjusted { bucket: 1 level: 2 before { i: 1 n: 0 } after { i: 2 n: 0 } }" },
        { "A reply corrects alice's image: it counts 4 buckets now, not 2." });
    row("a lost key", { "alice operation { client: =alice number: 1 } operation_done { kind: SEARCH key: 75 result: LOST bucket: 1 }" },
        { "Key 75 is lost for alice: bucket 1 failed with more members than the parity can replace." });
    row("a scan", { "alice scan_done { result: OK guaranteed: true records: 40 buckets: 4 }", "alice scan_done { result: LOST records: 20 buckets: 3 lost: 2 }" },
        { "The scan of alice brings 40 records of 4 buckets, and every bucket has answered.", "The scan of alice brings 20 records of 3 buckets: bucket 2 is lost." });

    // ---- failures
    row("a client misses a bucket", { "C cause_process: =alice member_suspected { group: 0 role: DATA index: 2 reason: \"a client has no answer of it\" }" },
        { "Bucket 2 is suspected: alice has no answer from it. The coordinator probes all members of group 0." });
    row("several are suspected, again and again", { "C member_suspected { group: 0 role: DATA index: 2 reason: \"a member of its group has not heard of it\" }", "C member_suspected { group: 0 role: DATA index: 2 reason: \"a client has no answer of it\" }", "C member_suspected { group: 0 role: PARITY index: 1 reason: \"a data bucket has no acknowledgement of it\" }" },
        { "Bucket 2 and parity bucket 0.1 are suspected: the coordinator probes all members of group 0." });
    row("a wrong suspicion", { "C member_suspected { group: 0 role: DATA index: 2 reason: \"a member of its group has not heard of it\" }", "C members_answered { group: 0 }", "C member_suspected { group: 0 role: DATA index: 2 reason: \"a member of its group has not heard of it\" }", "C members_answered { group: 0 }" },
        { "Bucket 2 is suspected: a member of its group has not heard of it. The coordinator probes all members of group 0.", "All members of group 0 answer the probes: bucket 2 has not failed." });
    row("a bucket does not answer", { kFail }, { kFailed });
    row("two members fail at once", { kFail, "C bucket_failed { group: 0 role: PARITY index: 0 process: =p0.0 k_left: 0 reason: \"it does not answer probes\" }" },
        { "Bucket 2 and parity bucket 0.0 do not answer and are declared failed: group 0 survives no further failure." });
    row("another reason", { "C bucket_failed { group: 0 role: PARITY index: 1 process: =p0.1 k_left: 1 reason: \"it lacks a change that nobody has any more\" }" },
        { "Parity bucket 0.1 is declared failed (it lacks a change that nobody has any more): group 0 survives 1 further failure." });
    row("the cut", { kFail, "C epoch_changed { view { group: 0 epoch: 2 state: GROUP_FROZEN k: 2 } }", "p0.0 cut_agreed { group: 0 positions: 2 cuts: 40 copied: 3 }" },
        { kFailed, "Group 0 is frozen: its changes wait until the survivors agree on what the lost buckets held.", "The survivors of group 0 agree on one cut of bucket 2: 3 changes had to be copied." });
    row("the manager is the first that is up", { "C recovery_started { group: 0 recovery: 7 buckets: 2 manager: 0 slice: 5 }" },
        { "Parity bucket 0.0, the first of the group that is up, is the recovery manager: it rebuilds bucket 2 on a spare." });
    row("the manager after a parity bucket that failed", { "C bucket_failed { group: 0 role: PARITY index: 0 process: =p0.0 k_left: 1 reason: \"it does not answer probes\" }", "C recovery_started { group: 0 recovery: 7 buckets: 2 manager: 1 slice: 5 }" },
        { "Parity bucket 0.0 does not answer and is declared failed: group 0 survives 1 further failure.", "Parity bucket 0.1, the first of the group that is up, is the recovery manager: it rebuilds bucket 2 on a spare." });
    row("a manager that somebody chose", { "C recovery_started { group: 0 recovery: 7 buckets: 1 buckets: 2 manager: 1 slice: 5 }" },
        { "Parity bucket 0.1 is the recovery manager: it rebuilds buckets 1 and 2 on spares." });
    row("slices", { "p0.0 decoder_chosen { group: 0 recovery: 7 participants { role: DATA index: 0 } participants { role: DATA index: 1 } participants { role: DATA index: 3 } participants { role: PARITY index: 0 } }", "p0.0 slice_recovered { group: 0 recovery: 7 number: 0 records: 5 is_xor: true }", "p0.0 slice_recovered { group: 0 recovery: 7 number: 1 records: 4 is_xor: true }", "C recovery_finished { group: 0 recovery: 7 buckets: 2 records: 9 slices: 2 total_ns: 1400000000 }" },
        { "Slice by slice, parity bucket 0.0 computes the lost records from buckets 0, 1 and 3 and parity bucket 0.0.", "2 slices are computed by XOR: 9 lost records.", "Bucket 2 is back on a spare with 9 records, 1.4 s after the first suspicion." });
    row("a group is whole again", { kFail, "C epoch_changed { view { group: 0 epoch: 2 state: GROUP_UP k: 2 members { role: DATA index: 2 state: UP } members { role: PARITY state: UP } } }", "C epoch_changed { view { group: 0 epoch: 3 state: GROUP_UP k: 2 members { role: DATA index: 2 state: UP } members { role: PARITY state: UP } members { role: PARITY index: 1 state: UP } } }" },
        { kFailed, "All members of group 0 are back: it survives 2 failures again." });
    row("a record for a client that waits", { "p0.0 operation { client: =alice number: 1 } record_recovered { group: 0 key: 75 rank: 3 bucket: 2 result: OK }" },
        { "alice waits for key 75 of failed bucket 2: parity bucket 0.0 computes this record alone." });
    row("a record that is not there", { "p0.0 operation { client: =bob number: 1 } record_recovered { group: 0 key: 75 bucket: 2 result: NOT_FOUND }", "p0.0 record_recovered { group: 0 key: 75 bucket: 2 result: RETRY }" },
        { "bob waits for key 75 of failed bucket 2: parity bucket 0.0 knows that there is no such record." });
    row("records for clients that wait", { "p0.0 operation { client: =alice number: 1 } record_recovered { group: 0 key: 75 bucket: 2 result: OK }", "p0.1 operation { client: =alice number: 2 } record_recovered { group: 0 key: 76 bucket: 2 result: OK }" },
        { "The parity of group 0 answers 2 searches of failed buckets, for clients that wait." });
    row("a group is lost", { "C bucket_failed { group: 0 role: DATA index: 1 process: =d1 k_left: 1 reason: \"more members are silent than the parity can replace\" }", "C bucket_failed { group: 0 role: DATA index: 2 process: =d2 k_left: 0 reason: \"more members are silent than the parity can replace\" }", "C bucket_failed { group: 0 role: DATA index: 3 process: =d3 k_left: 0 reason: \"more members are silent than the parity can replace\" }", "C group_lost { group: 0 buckets: 1 buckets: 2 buckets: 3 }", "C group_lost { group: 0 buckets: 1 buckets: 2 buckets: 3 }", "C loss_acknowledged { group: 0 buckets: 1 buckets: 2 buckets: 3 }" },
        { "Buckets 1, 2 and 3 do not answer and are declared failed.", "Group 0 is lost: buckets 1, 2 and 3 failed, more than its parity can replace. The keys of lost buckets answer \"lost\"; other groups go on.", "A person acknowledges the loss: buckets 1, 2 and 3 come back empty, without their records." });
    row("a process that was paused is fenced", { "d2 fault_begun { fault { number: 5 pause { } } }", kFail, "d2 fault_ended { fault { number: 5 pause { } } reason: \"healed\" achieved { lasted_ns: 340000000 } }", "d2 node_released { reason: \"the coordinator does not need this bucket\" pool: DATA }" },
        { "Bucket 2 stands still on purpose: to all others it looks dead.", kFailed, "Bucket 2 goes on after a pause of 340 ms.", "data-3 goes on, but bucket 2 has another process: its incarnation is fenced, so it drops its records and becomes a spare." });
    row("a bucket that is not needed is not fenced", { "d3 node_released { reason: \"the coordinator does not need this bucket\" pool: DATA }" }, {});

    // ---- the coordinator
    row("a coordinator is rebuilt", { "C coordinator_listening { listens_ms: 1500 }", "C coordinator_rebuilt { coordinator_epoch: 2 buckets: 4 groups: 1 silent: 1 open_splits: 1 }" },
        { "The coordinator has to rebuild what it knows of the file: it listens to the buckets and orders nothing.", "The coordinator knows the file again, from its buckets alone: 4 data buckets in 1 group, and 1 member said nothing. 1 split was under way and is finished or undone now." });
    row("a later coordinator", { "C coordinator_superseded { coordinator_epoch: 3 }" }, { "The processes follow a later coordinator, so the earlier one orders nothing any more." });
    row("a foreign bucket", { "C foreign_bucket { alive { process { node: 77 name: \"data-77\" } } }", "C foreign_bucket { alive { process { node: 77 name: \"data-77\" } } }" },
        { "data-77 holds a bucket of an older file that the coordinator did not know of: end one of the two." });
    row("another way to recover", { "C recovery_way_changed { recovery: RECOVERY_MANUAL former: RECOVERY_AUTOMATIC reason: \"an operator asked for it\" }" },
        { "Recovery is \"manual\" from now on, not \"automatic\": an operator asked for it." });

    // ---- faults of processes
    row("buckets are killed", { "d1 fault_begun { fault { number: 5 crash { } } }", "d2 fault_begun { fault { number: 5 crash { } } }" }, { "Buckets 1 and 2 are killed on purpose: their processes end at once." });
    row("the coordinator is killed", { "C fault_begun { fault { number: 5 crash { } } }" },
        { "The coordinator is killed on purpose: key operations go on, but nothing splits or is recovered until there is another." });
    row("a fault at two processes", { "d1 fault_begun { fault { number: 5 network { drop: 0.2 } } }", "d2 fault_begun { fault { number: 5 network { drop: 0.2 } } }", "d1 fault_ended { fault { number: 5 network { drop: 0.2 } } reason: \"healed\" achieved { messages: 10 dropped: 2 } }", "d2 fault_ended { fault { number: 5 network { drop: 0.2 } } reason: \"healed\" }" },
        { "Bucket 1 loses 20 % of what it exchanges with everybody, on purpose; 1 other process has the same fault.", "2 processes are free of the fault: healed." });
    row("a process ends by itself", { "s8 process_ended { reason: \"it was asked to\" }" }, { "data-8 is taken for ended (it was asked to)." });
    row("the coordinator ends", { "C process_ended { reason: \"it was asked to\" }" }, { "The coordinator has ended: key operations go on, but nothing splits or is recovered until there is another." });
    row("memory", { "d1 memory_full { is_full: true }", "d1 memory_full { }" },
        { "Bucket 1 has no memory left: it refuses what would make it grow, and searches and deletes go on.", "Bucket 1 has memory for further records again." });
    row("holds", { "alice workload_held { is_held: true }", "bob workload_held { is_held: true }", "alice workload_held { }" }, { "2 clients begin no new operations: the workload is held.", "alice begins operations again." });
    row("gates", { "d1 gate_closed { }", "d2 gate_closed { }", "d1 gate_opened { }" }, { "2 processes are gated: messages wait at them, and their clocks stand.", "Bucket 1 is no longer gated: the messages that waited are delivered." });
}

void NarratorTest::eachHasItsSentence()
{
    QFETCH(QStringList, events);
    QFETCH(QStringList, told);
    NarratorStage stage;
    for (const QString& event : events)
        QVERIFY2(stage.tell(event.toStdString()), qPrintable(event));
    QCOMPARE(stage.story.texts(), told);
    QVERIFY(stage.isWhole);
    QCOMPARE(tooLong(told), QString());
}

void NarratorTest::theFileBegins()
{
    ClusterState state;
    Narrator narrator;
    pb::Event created, inserted;
    created.mutable_file_created()->mutable_config()->set_m(4);
    created.mutable_file_created()->mutable_config()->set_b(16);
    created.mutable_file_created()->mutable_config()->set_availability(1);
    inserted.mutable_place()->set_role(pb::DATA);
    QStringList texts;
    auto give = [&, index = std::uint64_t(0)](ProcessId process, const pb::Event& event) mutable {
        state.apply(process, event, std::int64_t(++index));
        narrator.take({ .index = index, .process = process, .runNs = std::int64_t(index), .event = std::make_shared<const pb::Event>(event) }, state);
        for (const Telling& telling : narrator.takeTellings())
            texts << telling.text;
    };
    give(ProcessId(1), created);
    for (std::uint32_t i = 1; i <= 3; ++i) {
        inserted.mutable_record_inserted()->set_key(74 + i);
        inserted.mutable_record_inserted()->set_rank(i);
        inserted.mutable_record_inserted()->set_sequence(i);
        inserted.mutable_record_inserted()->set_count(i);
        give(ProcessId(2), inserted);
    }
    QCOMPARE(texts, QStringList({ "The file begins with bucket 0 and 1 parity bucket; a bucket with more than 16 records is full.", "Key 75 is the first record: the file has one bucket, so every key belongs in bucket 0." }));
}

void NarratorTest::insertsAreQuiet()
{
    NarratorStage stage;
    for (const std::string& line : insertsOf(1'000))
        QVERIFY2(stage.tell(line), line.c_str());
    QCOMPARE(stage.state.data.at(0).count, 1'000u);
    QCOMPARE(stage.story.texts(), QStringList());
}

void NarratorTest::whatStaysAsItIsIsQuiet()
{
    NarratorStage stage;
    for (int i = 1; i <= 100; ++i) {
        const std::string operation = "operation { client: =alice number: " + std::to_string(i) + " } ";
        QVERIFY(stage.tell("alice " + operation + "operation_started { kind: SEARCH key: 75 bucket: 3 image { i: 2 n: 0 } }"));
        QVERIFY(stage.tell("d3 " + operation + "record_read { key: 75 rank: 1 }"));
        QVERIFY(stage.tell("alice " + operation + "operation_done { kind: SEARCH key: 75 result: OK bucket: 3 rank: 1 }"));
        QVERIFY(stage.tell("C file_state_changed { file { i: 2 n: 0 } buckets: 4 availability: 2 }"));
        QVERIFY(stage.tell("C epoch_changed { view { group: 0 epoch: " + std::to_string(i) + " state: GROUP_UP k: 2 } }"));
        QVERIFY(stage.tell("C members_answered { group: 0 }"));
        stage.tell("look");
    }
    QCOMPARE(stage.story.texts(), QStringList());
}

void NarratorTest::manyForwardsAreOneSentence()
{
    NarratorStage stage;
    for (int i = 1; i <= 20; ++i)
        for (const QString& line : forwardOf(i, 75 + 4 * i, 1, 3, i == 20))
            QVERIFY2(stage.tell(line.toStdString()), qPrintable(line));
    QCOMPARE(stage.story.texts(), QStringList { "20 requests of alice were forwarded, because its image was old: it counts 4 buckets now." });
    QVERIFY(stage.isWhole);
    QVERIFY(stage.tell("wait 2000")); // another run of operations
    for (const QString& line : forwardOf(21, 75, 1, 3, false))
        QVERIFY(stage.tell(line.toStdString()));
    QCOMPARE(stage.story.texts().size(), 2);
    QCOMPARE(stage.story.texts().last(), QString("Key 75: alice's image said bucket 1, bucket 1 forwarded to 3: that image was 2 splits old."));
}

void NarratorTest::whatIsShownSlowlyIsToldOneByOne()
{
    NarratorStage stage;
    for (int i = 1; i <= 3; ++i) {
        for (const QString& line : forwardOf(i, 75 + 4 * i, 1, 3, false))
            QVERIFY(stage.tell(line.toStdString()));
        for (int frame = 0; frame < 60; ++frame)
            stage.tell("look");
    }
    QCOMPARE(stage.story.texts().size(), 3);
    QVERIFY(stage.story.texts().last().startsWith("Key 87: alice's image said bucket 1, bucket 1 forwarded to 3"));
}

void NarratorTest::manySplitsAreCounted()
{
    NarratorStage stage;
    for (std::uint32_t i = 0; i < 12; ++i) {
        const std::uint32_t level = i < 4 ? 2 : 3, n = i < 4 ? i : i - 4, next = (i < 4 ? i + 1 : i - 3) % (1u << level);
        const std::string split = "split: " + std::to_string(i + 1) + " bucket: " + std::to_string(n) + " new_bucket: " + std::to_string(4 + i);
        const std::string file = " file { i: " + std::to_string(next == 0 ? level + 1 : level) + " n: " + std::to_string(next) + " }";
        QVERIFY(stage.tell("d0 bucket_overflowed { count: 17 level: 2 }"));
        QVERIFY(stage.tell("C split_ordered { " + split + " }"));
        QVERIFY(stage.tell("C split_committed { " + split + file + " }"));
        QVERIFY(stage.tell("C split_finished { " + split + " moved: 8 total_ns: 3000000 }"));
    }
    const QStringList texts = stage.story.texts();
    QCOMPARE(texts.size(), 3 * 3 + 1);
    QCOMPARE(texts.at(3), QString("Bucket 0 is full. The split pointer n stands at 1, so bucket 1 splits."));
    QCOMPARE(texts.last(), QString("9 further splits follow closely: the file has 16 data buckets, and the split pointer n stands at 0."));
    QVERIFY(stage.isWhole);
}

// If a caller asks only after two sentences, of which the second continues the first, it gets one.
void NarratorTest::whatNobodyHasSeenIsNotReplaced()
{
    NarratorStage stage;
    std::vector<Telling> told;
    pb::Event overflowed, ordered;
    overflowed.mutable_place()->set_role(pb::DATA);
    overflowed.mutable_place()->set_number(1);
    overflowed.mutable_bucket_overflowed()->set_count(17);
    ordered.mutable_split_ordered()->set_split(1);
    ordered.mutable_split_ordered()->set_new_bucket(4);
    for (const auto& [process, event] : { std::pair(stage.of("d1"), overflowed), std::pair(stage.of("C"), ordered) }) {
        stage.state.apply(process, event, 1);
        stage.narrator.take({ .index = 100 + process, .process = process, .runNs = 1, .event = std::make_shared<const pb::Event>(event) }, stage.state);
    }
    told = stage.narrator.takeTellings();
    QCOMPARE(told.size(), 1u);
    QCOMPARE(told.at(0).text, QString("Bucket 1 is full. The split pointer n stands at 0, so bucket 0 splits."));
    QCOMPARE(told.at(0).instead, 0u);
    QCOMPARE(told.at(0).event, 100 + stage.of("C"));
    // Of three sentences, only the first was taken; the last one replaces it.
    NarratorStage seen;
    QVERIFY(seen.tell("d1 fault_begun { fault { number: 5 crash { } } }"));
    const std::uint64_t first = seen.story.tellings().at(0).event;
    pb::Event killed;
    killed.mutable_fault_begun()->mutable_fault()->set_number(5);
    killed.mutable_fault_begun()->mutable_fault()->mutable_crash();
    for (const char* name : { "s8", "s9" }) {
        RunEvent run { .index = ++seen.index, .process = seen.of(name), .runNs = seen.nowNs, .event = std::make_shared<const pb::Event>(killed) };
        seen.state.apply(run.process, killed, run.runNs);
        seen.narrator.take(run, seen.state);
    }
    told = seen.narrator.takeTellings();
    QCOMPARE(told.size(), 1u);
    QCOMPARE(told.at(0).text, QString("Bucket 1, data-8 and data-9 are killed on purpose: their processes end at once."));
    QCOMPARE(told.at(0).instead, first);
}

void NarratorTest::endsAndPausesAreSeenByLooking()
{
    NarratorStage stage;
    stage.state.markEnded(stage.of("s9"), "it was ended", stage.nowNs); // before the first frame: no sentence
    stage.tell("look");
    stage.tell("look");
    QCOMPARE(stage.story.texts(), QStringList());
    stage.state.markPaused(stage.of("d3"), true, stage.nowNs);
    stage.tell("look");
    stage.tell("look");
    stage.state.markPaused(stage.of("d3"), false, stage.nowNs);
    stage.tell("look");
    stage.state.markEnded(stage.of("d1"), "killed on request", stage.nowNs);
    stage.state.markEnded(stage.of("d2"), "killed on request", stage.nowNs);
    stage.state.markEnded(stage.of("s8"), "the coordinator no longer lists it", stage.nowNs);
    stage.tell("look");
    stage.state.markEnded(stage.of("C"), "killed on request", stage.nowNs);
    stage.tell("look");
    stage.tell("look");
    QCOMPARE(stage.story.texts(),
        QStringList({ "Bucket 3 stands still: its process is paused, and to all others it looks dead.", "Bucket 3 goes on: its process is no longer paused.",
            "Buckets 1 and 2 are gone: their processes were killed on request.", "data-8 is taken for ended (the coordinator no longer lists it).",
            "The coordinator has ended: key operations go on, but nothing splits or is recovered until there is another." }));
    // What an event has already said is not repeated after a frame.
    QVERIFY(stage.tell("d0 fault_begun { fault { number: 9 pause { } } }"));
    stage.tell("look");
    QVERIFY(stage.tell("d0 fault_ended { fault { number: 9 pause { } } achieved { lasted_ns: 20000000 } }"));
    stage.tell("look");
    QVERIFY(stage.tell("d0 fault_begun { fault { number: 10 crash { } } }"));
    stage.state.markEnded(stage.of("d0"), "killed on request", stage.nowNs);
    stage.tell("look");
    QCOMPARE(stage.story.texts().mid(5),
        QStringList({ "Bucket 0 stands still on purpose: to all others it looks dead.", "Bucket 0 goes on after a pause of 20 ms.", "Bucket 0 is killed on purpose: its process ends at once." }));
}

void NarratorTest::anotherClusterIsAnotherStory()
{
    NarratorStage stage;
    QVERIFY(stage.tell("d1 bucket_overflowed { count: 17 level: 2 }"));
    QVERIFY(stage.tell("C member_suspected { group: 0 role: DATA index: 2 reason: \"a client has no answer of it\" }"));
    stage.state.markEnded(stage.of("d2"), "killed on request", stage.nowNs);
    stage.narrator.reset();
    stage.story = {};
    stage.tell("look");
    QVERIFY(stage.tell("C split_ordered { split: 1 bucket: 0 new_bucket: 4 level: 3 }"));
    QVERIFY(stage.tell("C members_answered { group: 0 }"));
    QVERIFY(stage.tell("s8 process_started { process { node: =s8 kind: NODE name: \"data-8\" spare_role: DATA } }"));
    QCOMPARE(stage.story.texts(), QStringList { "The split pointer n stands at 0, so bucket 0 splits into 0 and 4." });
}

// Each of these begins a sentence, in this order; others may be between them.
QString missingIn(const QStringList& texts, const QStringList& beginnings)
{
    qsizetype at = 0;
    for (const QString& text : texts)
        if (at < beginnings.size() && text.startsWith(beginnings.at(at)))
            ++at;
    return at == beginnings.size() ? QString() : beginnings.at(at) + " is not after what was expected before it in:\n" + texts.join('\n');
}

void NarratorTest::aRecoveryIsToldInItsOrder()
{
    QString problem;
    const std::vector<RunEvent> events = played("recover_k.js", {}, problem);
    QCOMPARE(problem, QString());
    const Reading reading = read(events, 0);
    const QStringList texts = reading.story.texts();
    QVERIFY(reading.isWhole);
    QCOMPARE(tooLong(reading.all), QString());
    const QString missing = missingIn(texts,
        { "The file begins with bucket 0 and 2 parity buckets", "Key ", "Bucket 0 is full, and the split pointer n stands at it: bucket 0 splits.",
            "Buckets 1 and 2 are killed on purpose", "Bucket", "Buckets 1 and 2 do not answer and are declared failed: group 0 survives no further failure.",
            "Group 0 is frozen", "The survivors of group 0 agree on one cut of buckets 1 and 2",
            "Parity bucket 0.0, the first of the group that is up, is the recovery manager: it rebuilds buckets 1 and 2 on spares.",
            "Slice by slice, parity bucket 0.0 computes the lost records from buckets 0 and 3 and parity buckets 0.0 and 0.1.",
            "3 slices are computed by Reed-Solomon decoding", "Buckets 1 and 2 are back on spares with ", "All members of group 0 are back: it survives 2 failures again.",
            "Bucket 0 and parity bucket 0.0 are killed on purpose", "Bucket 0 and parity bucket 0.0 do not answer and are declared failed",
            "Parity bucket 0.1, the first of the group that is up, is the recovery manager: it rebuilds bucket 0 on a spare.", "Bucket 0 is back on a spare",
            "Parity bucket 0.0 is lost: a spare is to take its place", "Parity bucket 0.0 is back on a spare", "All members of group 0 are back",
            "Bucket 3 stands still on purpose", "Bucket 3 is suspected", "Bucket 3 does not answer", "Bucket 3 is back on a spare", "All members of group 0 are back",
            "Bucket 3 goes on after a pause of " });
    QVERIFY2(missing.isEmpty(), qPrintable(missing));
    QVERIFY2(std::any_of(texts.begin(), texts.end(), [](const QString& text) { return text.contains(" goes on, but bucket 3 has another process"); }), qPrintable(texts.join('\n')));
    // No sentence occurs twice for one recovery.
    QStringList part;
    bool hasFailed = false;
    for (const QString& text : texts) {
        hasFailed = hasFailed || text.contains("killed on purpose");
        QVERIFY2(!hasFailed || !part.contains(text), qPrintable(text));
        part << text;
        if (text.startsWith("All members of group 0 are back"))
            part.clear();
    }
}

void NarratorTest::aFileThatGrowsIsToldInItsOrder()
{
    QString problem;
    const std::vector<RunEvent> events = played("grow.js", "lab.step('g'", problem);
    QCOMPARE(problem, QString());
    const Reading fast = read(events, 0), slow = read(events, 60);
    QVERIFY(fast.isWhole && slow.isWhole);
    QCOMPARE(tooLong(fast.all + slow.all), QString());
    const QStringList both { "The file begins with bucket 0 and 1 parity bucket", "Key 0 is the first record",
        "Bucket 0 is full, and the split pointer n stands at it: bucket 0 splits.", "The split of bucket 0 is decided and ends a round: the level i is 1 now",
        "Bucket 0 is split: ", "Bucket 1 is full. The split pointer n stands at 0, so bucket 0 splits.", "Both buckets and their parity have staged the split of bucket 0",
        "Bucket 0 is split: ", "Bucket 4 is the first bucket of group 1" };
    for (const Reading* reading : { &fast, &slow }) {
        const QStringList texts = reading->story.texts();
        const QString missing = missingIn(texts, both);
        QVERIFY2(missing.isEmpty(), qPrintable(missing));
        QVERIFY2(std::any_of(texts.begin(), texts.end(),
                     [](const QString& text) {
                         return text.contains("bob's image said bucket 0, bucket 0 forwarded to 3, and 3 to 7: that image was 7 splits old. The reply corrects it: it counts 8 buckets now.");
                     }),
            qPrintable(texts.filter("bob").join('\n')));
    }
    // In quick succession some splits are only counted; in slow motion each has its sentences.
    const auto splits = std::count_if(events.begin(), events.end(), [](const RunEvent& event) { return !event.isGap() && event.event->has_split_finished(); });
    const auto told = [](const Reading& reading, const char* words) { return reading.story.texts().filter(words).size(); };
    QCOMPARE(told(slow, " is split: "), splits);
    QCOMPARE(told(slow, "further split"), 0);
    QCOMPARE(told(fast, " is split: "), 3);
    QCOMPARE(told(fast, "further split"), 1);
}

void NarratorTest::effectsMayComeBeforeCauses_data()
{
    QTest::addColumn<QStringList>("events");
    QTest::addColumn<QStringList>("told");
    const auto row = [](const char* name, const QStringList& events, const QStringList& told) { QTest::newRow(name) << events << told; };
    const QString ordered = "C split_ordered { split: 1 bucket: 0 new_bucket: 4 level: 3 }", full = "d1 bucket_overflowed { count: 17 level: 2 }";
    row("a split before the report that brought it about", { "@900 " + ordered, "@890 " + full },
        { "Bucket 1 was full. The split pointer n stands at 0, so bucket 0 splits." });
    row("a report that came after the split", { "@880 " + ordered, "@890 " + full },
        { "The split pointer n stands at 0, so bucket 0 splits into 0 and 4.", "Bucket 1 is full: it holds 17 records, and its capacity b is 16." });
    row("a report that is heard before, and was later", { "@890 " + full, "@880 " + ordered },
        { "Bucket 1 is full: it holds 17 records, and its capacity b is 16.", "The split pointer n stands at 0, so bucket 0 splits into 0 and 4." });
    row("a split that has gone on", { "@900 " + ordered, "@910 C split_committed { split: 1 bucket: 0 new_bucket: 4 file { i: 2 n: 1 } }", "@890 " + full },
        { "The split pointer n stands at 0, so bucket 0 splits into 0 and 4.", "Both buckets and their parity have staged the split of bucket 0: it is decided, and n moves to 1.", "Bucket 1 is full: it holds 17 records, and its capacity b is 16." });
    QStringList overtaken = forwardOf(1, 75, 1, 3, false);
    overtaken.move(1, 2); // the event of the forwarding bucket arrives last
    row("an answer before the forward", QStringList { "wait 2000" } + overtaken, { "Key 75: alice's image said bucket 1, but it belongs in bucket 3: that image was 2 splits old." });
    // The reply to an earlier operation has adjusted its image; only the start of that operation is known.
    QStringList beside = forwardOf(2, 75, 1, 3);
    beside.prepend("alice operation { client: =alice number: 1 } operation_started { kind: SEARCH key: 7 bucket: 1 image { i: 1 n: 0 } }");
    row("another operation beside it", QStringList { "wait 2000" } + beside, { "Key 75: alice's image said bucket 1, bucket 1 forwarded to 3. The reply corrects it: it counts 4 buckets now." });
    row("a release from before the failure", { QString("@800 ") + kFail, "@700 d2 node_released { pool: DATA }" }, { kFailed });
    row("slices after the end", { "C recovery_started { group: 0 recovery: 7 buckets: 2 manager: 0 slice: 5 }", "C recovery_finished { group: 0 recovery: 7 buckets: 2 records: 9 }", "p0.0 slice_recovered { group: 0 recovery: 7 number: 0 records: 5 is_xor: true }" },
        { "Parity bucket 0.0, the first of the group that is up, is the recovery manager: it rebuilds bucket 2 on a spare.", "Bucket 2 is back on a spare with 9 records." });
    row("a decoder before its recovery", { "p0.1 slice_recovered { group: 0 recovery: 7 number: 0 records: 5 }", "C recovery_started { group: 0 recovery: 7 buckets: 2 manager: 1 slice: 5 }", "p0.1 slice_recovered { group: 0 recovery: 7 number: 1 records: 4 }" },
        { "2 slices are computed by Reed-Solomon decoding: 9 lost records.", "Parity bucket 0.1 is the recovery manager: it rebuilds bucket 2 on a spare." });
}

void NarratorTest::effectsMayComeBeforeCauses() { eachHasItsSentence(); }

void NarratorTest::noOrderOfTheEventsMakesItSayWhatIsWrong_data()
{
    QTest::addColumn<QString>("scenario");
    QTest::addColumn<QString>("end");
    QTest::newRow("grow") << "grow.js" << "lab.step('g'";
    QTest::newRow("recover_k") << "recover_k.js" << "";
}

// A whole run, in many orders: every statement about a cause or a number is true.
void NarratorTest::noOrderOfTheEventsMakesItSayWhatIsWrong()
{
    QFETCH(QString, scenario);
    QFETCH(QString, end);
    QString problem;
    const std::vector<RunEvent> events = played(scenario, end, problem);
    QCOMPARE(problem, QString());
    const Reading inOrder = read(events, 60);
    const std::set<QString> right(inOrder.all.begin(), inOrder.all.end());
    int causes = 0, ages = 0;
    for (std::uint32_t seed = 1; seed <= 20; ++seed) {
        const Reading reading = read(interleaved(events, seed), 60, false);
        QVERIFY(reading.isWhole);
        for (const QString& text : reading.all) {
            const QByteArray what = QString("seed %1: %2").arg(seed).arg(text).toUtf8();
            if (const auto split = splitIn(text)) {
                causes += split->full ? 1 : 0;
                QVERIFY2(isOrderedBecause(events, *split), what.constData());
            } else if (const auto forward = kForward.match(text); forward.hasMatch()) {
                // Part of the path, or the age of the image, may be missing, but what is said is true.
                const int age = forward.captured(4).toInt();
                ages += age > 0 ? 1 : 0;
                QVERIFY2(std::any_of(right.begin(), right.end(),
                             [&](const QString& r) {
                                 const auto all = kForward.match(r);
                                 const int exact = all.captured(4).toInt();
                                 return all.captured(1) == forward.captured(1) && (age == 0 || age == exact || (age < exact && !forward.captured(3).isEmpty()));
                             }),
                    what.constData());
            } else {
                // What is known at a time, and which of several events comes first, depend on the order.
                const bool isOfOrder = text.endsWith(" is killed on purpose: its process ends at once.") || text.contains(" joins with the oldest image")
                    || text.startsWith("As far as is known");
                // Or its beginning, while b of the file is unknown.
                QVERIFY2(isOfOrder || std::any_of(right.begin(), right.end(), [&](const QString& r) { return r.startsWith(text.chopped(1)); }), what.constData());
            }
        }
    }
    QVERIFY(causes > 0);
    QVERIFY(ages > 0);
}

QTEST_GUILESS_MAIN(NarratorTest)
#include "tst_narrator.moc"
