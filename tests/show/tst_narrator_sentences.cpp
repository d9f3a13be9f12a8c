// SPDX-License-Identifier: GPL-3.0-or-later
// The sentence of each event, and of an effect that is heard before its cause.
#include "tests/show/narrator_story.h"

#include <QTest>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

const char* const kFail
    = "C bucket_failed { group: 0 role: DATA index: 2 process: =d2 k_left: 1 reason: \"it does not answer probes\" }";
const char* const kFailed = "Bucket 2 does not answer and is declared failed: group 0 survives 1 further failure.";

} // namespace

class NarratorSentencesTest : public QObject {
    Q_OBJECT
private slots:
    void eachHasItsSentence_data();
    void eachHasItsSentence();
    void effectsMayComeBeforeCauses_data();
    void effectsMayComeBeforeCauses();
};

void NarratorSentencesTest::eachHasItsSentence_data()
{
    QTest::addColumn<QStringList>("events");
    QTest::addColumn<QStringList>("told");
    const auto row = [](const char* name, const QStringList& events, const QStringList& told) {
        QTest::newRow(name) << events << told;
    };

    // ---- spares
    row("a client joins", { "carol process_started { process { node: =carol kind: CLIENT name: \"carol\" } }" },
        { "carol joins with the oldest image: it believes that the file has one bucket." });
    row("spares come",
        { "s10 process_started { process { node: =s10 kind: NODE name: \"data-10\" pool: DATA } }",
            "s11 process_started { process { node: =s11 kind: NODE name: \"data-11\" pool: DATA } }" },
        { "2 spare data servers come and wait to be invited." });
    row("no spare answers",
        { "C spare_missing { role: DATA wanted: 1 purpose: \"splitting bucket 0 into 4\" }",
            "C spare_missing { role: DATA wanted: 1 purpose: \"splitting bucket 0 into 4\" }", "recruit s8 DATA 4" },
        { "No spare data server answers the invitation: splitting bucket 0 into 4 has to wait for one.",
            "data-8 answers the invitation and becomes bucket 4." });
    row("a recruit from before the wait does not end it",
        { "wait 1000", "C spare_missing { role: DATA wanted: 1 purpose: \"recovering group 0\" }",
            "@100 s8 place { role: DATA number: 4 } node_recruited { incarnation: 99 }" },
        { "No spare data server answers the invitation: recovering group 0 has to wait for one." });
    row("spares run out", { "recruit s8 DATA 4", "recruit s9 DATA 5", "recruit q2 PARITY 1" },
        { "As far as is known, no spare data server is left for the next split or recovery.",
            "As far as is known, no spare parity server is left for the next parity bucket." });
    row("no multicast",
        { "C recruiting_changed { transport: UDP reason: \"spares are registered\" }",
            "C recruiting_changed { transport: MULTICAST }" },
        { "Multicast does not reach the spares, so the coordinator invites them one by one.",
            "Spares are invited by multicast again." });

    // ---- splits
    row("another bucket is full",
        { "d1 bucket_overflowed { count: 17 level: 2 }",
            "C split_ordered { split: 1 bucket: 0 new_bucket: 4 level: 3 }" },
        { "Bucket 1 is full. The split pointer n stands at 0, so bucket 0 splits." });
    row("a bucket is full, and nothing follows yet",
        { "d1 bucket_overflowed { count: 17 level: 2 }", "d1 bucket_overflowed { count: 18 level: 2 }" },
        { "Bucket 1 is full: it holds 17 records, and its capacity b is 16." });
    row("the full bucket itself splits",
        { "d0 bucket_overflowed { count: 17 level: 2 }",
            "C split_ordered { split: 1 bucket: 0 new_bucket: 4 level: 3 }" },
        { "Bucket 0 is full, and the split pointer n stands at it: bucket 0 splits." });
    row("it has lost records since",
        { "d1 bucket_overflowed { count: 17 level: 2 }", "d1 record_deleted { key: 5 rank: 1 sequence: 20 count: 16 }",
            "C split_ordered { split: 1 bucket: 0 new_bucket: 4 level: 3 }" },
        { "Bucket 1 was full. The split pointer n stands at 0, so bucket 0 splits." });
    row("somebody wanted a split", { "C split_ordered { split: 1 bucket: 0 new_bucket: 4 level: 3 }" },
        { "The split pointer n stands at 0, so bucket 0 splits into 0 and 4." });
    row("reports are owed in their order",
        { "d3 bucket_overflowed { count: 17 level: 2 }", "d2 bucket_overflowed { count: 17 level: 2 }",
            "C split_ordered { split: 1 bucket: 0 new_bucket: 4 level: 3 }",
            "C split_committed { split: 1 bucket: 0 new_bucket: 4 file { i: 2 n: 1 } }",
            "C split_ordered { split: 2 bucket: 1 new_bucket: 5 level: 3 }" },
        { "Bucket 3 is full. The split pointer n stands at 0, so bucket 0 splits.",
            "Bucket 2 is full. The split pointer n stands at 1, so bucket 1 splits.",
            "Both buckets and their parity have staged the split of bucket 0: it is decided, and n moves to 1." });
    row("splits beside each other",
        { "C file_created { config { m: 4 b: 16 availability: 2 parallel_splits: true } }",
            "d3 bucket_overflowed { count: 17 level: 2 }", "d2 bucket_overflowed { count: 17 level: 2 }",
            "C split_ordered { split: 1 bucket: 0 new_bucket: 4 level: 3 }",
            "C split_ordered { split: 2 bucket: 1 new_bucket: 5 level: 3 }" },
        { "Bucket 3 is full. The split pointer n stands at 0, so bucket 0 splits.",
            "Bucket 2 is full. Bucket 1 comes next after the split pointer, so it splits beside the split that is "
            "under way." });
    row("a split from end to end",
        { "C split_ordered { split: 1 bucket: 0 new_bucket: 4 level: 3 }", "d0 split_prepared { split: 1 moved: 9 }",
            "C split_committed { split: 1 bucket: 0 new_bucket: 4 file { i: 2 n: 1 } }",
            "d0 split_applied { split: 1 level: 3 count: 8 }",
            "C split_finished { split: 1 bucket: 0 new_bucket: 4 level: 3 moved: 9 total_ns: 12000000 }" },
        { "The split pointer n stands at 0, so bucket 0 splits into 0 and 4.",
            "Both buckets and their parity have staged the split of bucket 0: it is decided, and n moves to 1.",
            "Bucket 0 is split: 9 records moved to bucket 4 in 12 ms." });
    row("the last split of a round",
        { "C split_committed { split: 1 bucket: 3 new_bucket: 7 file { i: 3 n: 0 } }",
            "C split_finished { split: 1 bucket: 3 new_bucket: 7 level: 3 }" },
        { "The split of bucket 3 is decided and ends a round: the level i is 3 now, and n goes back to 0.",
            "Bucket 3 is split, but none of its records belongs in bucket 7." });
    row("another coordinator finishes a split",
        { "d2 record_inserted { key: 6 rank: 1 sequence: 20 count: 7 }",
            "C split_finished { split: 1 bucket: 0 new_bucket: 2 level: 2 }" },
        { "Bucket 0 is split: bucket 2 holds 7 records." });
    row("a split is undone and tried again",
        { "C split_ordered { split: 1 bucket: 0 new_bucket: 4 level: 3 }",
            "C split_undone { split: 1 bucket: 0 new_bucket: 4 reason: \"a member of its groups failed\" }",
            "C split_ordered { split: 2 bucket: 0 new_bucket: 4 level: 3 }" },
        { "The split pointer n stands at 0, so bucket 0 splits into 0 and 4.",
            "The split of bucket 0 into 4 is undone and stays owed: a member of its groups failed.",
            "The split of bucket 0 is tried again: it is still owed, and the split pointer n still stands at 0." });

    // ---- merges
    row("a merge from end to end",
        { "d1 bucket_underflowed { count: 2 level: 2 }", "C merge_ordered { split: 1 bucket: 3 into: 1 level: 2 }",
            "C merge_committed { split: 1 bucket: 3 into: 1 file { i: 1 n: 1 } }",
            "C merge_finished { split: 1 bucket: 3 into: 1 level: 1 moved: 4 total_ns: 20000000 }" },
        { "Bucket 1 holds few records. The last bucket, 3, gives its records back to bucket 1, from which it was "
          "split.",
            "The merge of bucket 3 into 1 is decided: the file goes back to level i = 1 and n = 1.",
            "Bucket 3 is merged into bucket 1: 4 records moved in 20 ms, and its server is a spare again." });
    row("few records alone are no story", { "d1 bucket_underflowed { count: 2 level: 2 }" }, {});
    row("a merge is undone",
        { "C merge_undone { split: 1 bucket: 3 into: 1 reason: \"staging took longer than its limit\" }" },
        { "The merge of bucket 3 into 1 is undone: staging took longer than its limit." });

    // ---- availability
    row("a new group", { "C group_created { group: 1 k: 2 }" },
        { "Bucket 4 is the first bucket of group 1, and a new group has 2 parity buckets of its own." });
    row("availability rises",
        { "C availability_raised { availability: 3 reason: \"the file has 4 data buckets\" }",
            "C parity_creation_ordered { group: 0 column: 2 }",
            "C parity_added { group: 0 column: 2 k: 3 records: 16 total_ns: 5000000 }" },
        { "The intended availability rises to 3 (the file has 4 data buckets): each group is to survive 3 failures.",
            "Group 0 has 2 parity buckets, and the intended availability is 3: a spare is to become parity bucket 0.2.",
            "Parity bucket 0.2 encodes all records of its group: group 0 has 3 parity buckets now." });
    row("a creation is given up",
        { "C parity_creation_undone { group: 0 column: 2 reason: \"a member of the group failed\" }" },
        { "The creation of parity bucket 0.2 is given up: a member of the group failed." });
    row("a parity bucket fails and comes back",
        { "C bucket_failed { group: 0 role: PARITY index: 1 process: =p0.1 k_left: 1 reason: \"it does not answer "
          "probes\" }",
            "C parity_creation_ordered { group: 0 column: 1 }",
            "C parity_added { group: 0 column: 1 k: 2 records: 16 total_ns: 5000000 }" },
        { "Parity bucket 0.1 does not answer and is declared failed: group 0 survives 1 further failure.",
            "Parity bucket 0.1 is lost: a spare is to take its place and to encode the data buckets of group 0 anew.",
            "Parity bucket 0.1 is back on a spare with 16 parity records, encoded anew in 5.00 ms." });

    // ---- clients
    const QStringList later { "wait 2000" }; // the file has not grown for a while
    row("a forward", later + forwardOf(1, 75, 1, 3, false),
        { "Key 75: alice's image said bucket 1, bucket 1 forwarded to 3: that image was 2 splits old." });
    row("a forward while the file grows", forwardOf(1, 75, 1, 3, false),
        { "Key 75: alice's image said bucket 1, bucket 1 forwarded to 3: that image was at least 2 splits old." });
    row("a forward whose reply corrects the image", later + forwardOf(1, 75, 1, 3),
        { "Key 75: alice's image said bucket 1, bucket 1 forwarded to 3: that image was 2 splits old. The reply "
          "corrects it: it counts 4 buckets now." });
    row("two forwards",
        { "wait 2000",
            "alice operation { client: =alice number: 1 } operation_started { kind: SEARCH key: 7 bucket: 0 image { } "
            "}",
            "d0 operation { client: =alice number: 1 } operation_forwarded { kind: SEARCH key: 7 from: 0 to: 1 }",
            "d1 operation { client: =alice number: 1 } operation_forwarded { kind: SEARCH key: 7 from: 1 to: 3 }",
            "alice operation { client: =alice number: 1 } operation_done { kind: SEARCH key: 7 result: OK bucket: 3 "
            "forwards: 2 }" },
        { "Key 7: alice's image said bucket 0, bucket 0 forwarded to 1, and 1 to 3: that image was 3 splits old." });
    row("an image where operations are not told",
        { "alice image_adjusted { bucket: 1 level: 2 before { i: 1 n: 0 } after { i: 2 n: 0 } }" },
        { "A reply corrects alice's image: it counts 4 buckets now, not 2." });
    row("a lost key",
        { "alice operation { client: =alice number: 1 } operation_done { kind: SEARCH key: 75 result: LOST bucket: 1 "
          "}" },
        { "Key 75 is lost for alice: bucket 1 failed with more members than the parity can replace." });
    row("a scan",
        { "alice scan_done { result: OK guaranteed: true records: 40 buckets: 4 }",
            "alice scan_done { result: LOST records: 20 buckets: 3 lost: 2 }" },
        { "The scan of alice brings 40 records of 4 buckets, and every bucket has answered.",
            "The scan of alice brings 20 records of 3 buckets: bucket 2 is lost." });

    // ---- failures
    row("a client misses a bucket",
        { "C cause_process: =alice member_suspected { group: 0 role: DATA index: 2 reason: \"a client has no answer of "
          "it\" }" },
        { "Bucket 2 is suspected: alice has no answer from it. The coordinator probes all members of group 0." });
    row("several are suspected, again and again",
        { "C member_suspected { group: 0 role: DATA index: 2 reason: \"a member of its group has not heard of it\" }",
            "C member_suspected { group: 0 role: DATA index: 2 reason: \"a client has no answer of it\" }",
            "C member_suspected { group: 0 role: PARITY index: 1 reason: \"a data bucket has no acknowledgement of "
            "it\" }" },
        { "Bucket 2 and parity bucket 0.1 are suspected: the coordinator probes all members of group 0." });
    row("a wrong suspicion",
        { "C member_suspected { group: 0 role: DATA index: 2 reason: \"a member of its group has not heard of it\" }",
            "C members_answered { group: 0 }",
            "C member_suspected { group: 0 role: DATA index: 2 reason: \"a member of its group has not heard of it\" }",
            "C members_answered { group: 0 }" },
        { "Bucket 2 is suspected: a member of its group has not heard of it. The coordinator probes all members of "
          "group 0.",
            "All members of group 0 answer the probes: bucket 2 has not failed." });
    row("a bucket does not answer", { kFail }, { kFailed });
    row("two members fail at once",
        { kFail,
            "C bucket_failed { group: 0 role: PARITY index: 0 process: =p0.0 k_left: 0 reason: \"it does not answer "
            "probes\" }" },
        { "Bucket 2 and parity bucket 0.0 do not answer and are declared failed: group 0 survives no further "
          "failure." });
    row("another reason",
        { "C bucket_failed { group: 0 role: PARITY index: 1 process: =p0.1 k_left: 1 reason: \"it lacks a change that "
          "nobody has any more\" }" },
        { "Parity bucket 0.1 is declared failed (it lacks a change that nobody has any more): group 0 survives 1 "
          "further failure." });
    row("the cut",
        { kFail, "C epoch_changed { view { group: 0 epoch: 2 state: GROUP_FROZEN k: 2 } }",
            "p0.0 cut_agreed { group: 0 positions: 2 cuts: 40 copied: 3 }" },
        { kFailed, "Group 0 is frozen: its changes wait until the survivors agree on what the lost buckets held.",
            "The survivors of group 0 agree on one cut of bucket 2: 3 changes had to be copied." });
    row("the manager is the first that is up",
        { "C recovery_started { group: 0 recovery: 7 buckets: 2 manager: 0 slice: 5 }" },
        { "Parity bucket 0.0, the first of the group that is up, is the recovery manager: it rebuilds bucket 2 on a "
          "spare." });
    row("the manager after a parity bucket that failed",
        { "C bucket_failed { group: 0 role: PARITY index: 0 process: =p0.0 k_left: 1 reason: \"it does not answer "
          "probes\" }",
            "C recovery_started { group: 0 recovery: 7 buckets: 2 manager: 1 slice: 5 }" },
        { "Parity bucket 0.0 does not answer and is declared failed: group 0 survives 1 further failure.",
            "Parity bucket 0.1, the first of the group that is up, is the recovery manager: it rebuilds bucket 2 on a "
            "spare." });
    row("a manager that somebody chose",
        { "C recovery_started { group: 0 recovery: 7 buckets: 1 buckets: 2 manager: 1 slice: 5 }" },
        { "Parity bucket 0.1 is the recovery manager: it rebuilds buckets 1 and 2 on spares." });
    row("slices",
        { "p0.0 decoder_chosen { group: 0 recovery: 7 participants { role: DATA index: 0 } participants { role: DATA "
          "index: 1 } participants { role: DATA index: 3 } participants { role: PARITY index: 0 } }",
            "p0.0 slice_recovered { group: 0 recovery: 7 number: 0 records: 5 is_xor: true }",
            "p0.0 slice_recovered { group: 0 recovery: 7 number: 1 records: 4 is_xor: true }",
            "C recovery_finished { group: 0 recovery: 7 buckets: 2 records: 9 slices: 2 total_ns: 1400000000 }" },
        { "Slice by slice, parity bucket 0.0 computes the lost records from buckets 0, 1 and 3 and parity bucket 0.0.",
            "2 slices are computed by XOR: 9 lost records.",
            "Bucket 2 is back on a spare with 9 records, 1.4 s after the first suspicion." });
    const char* const decoder
        = "q2 decoder_chosen { group: 1 recovery: 8 participants { role: DATA index: 1 } participants { role: DATA "
          "index: 2 } participants { role: DATA index: 3 } participants { role: PARITY index: 0 } }";
    row("slices of a group of which the coordinator has not been heard", { "recruit q2 PARITY 1 0", decoder },
        { "As far as is known, no spare parity server is left for the next parity bucket.",
            "Slice by slice, parity bucket 1.0 computes the lost records." });
    row("slices of a group with positions that have no bucket",
        { "recruit q2 PARITY 1 0", "C recovery_started { group: 1 recovery: 8 buckets: 4 manager: 0 slice: 5 }",
            decoder },
        { "As far as is known, no spare parity server is left for the next parity bucket.",
            "Parity bucket 1.0, the first of the group that is up, is the recovery manager: it rebuilds bucket 4 on a "
            "spare.",
            "Slice by slice, parity bucket 1.0 computes the lost records from parity bucket 1.0." });
    row("a group is whole again",
        { kFail,
            "C epoch_changed { view { group: 0 epoch: 2 state: GROUP_UP k: 2 members { role: DATA index: 2 state: UP } "
            "members { role: PARITY state: UP } } }",
            "C epoch_changed { view { group: 0 epoch: 3 state: GROUP_UP k: 2 members { role: DATA index: 2 state: UP } "
            "members { role: PARITY state: UP } members { role: PARITY index: 1 state: UP } } }" },
        { kFailed, "All members of group 0 are back: it survives 2 failures again." });
    row("a record for a client that waits",
        { "p0.0 operation { client: =alice number: 1 } record_recovered { group: 0 key: 75 rank: 3 bucket: 2 result: "
          "OK }" },
        { "alice waits for key 75 of failed bucket 2: parity bucket 0.0 computes this record alone." });
    row("a record that is not there",
        { "p0.0 operation { client: =bob number: 1 } record_recovered { group: 0 key: 75 bucket: 2 result: NOT_FOUND }",
            "p0.0 record_recovered { group: 0 key: 75 bucket: 2 result: RETRY }" },
        { "bob waits for key 75 of failed bucket 2: parity bucket 0.0 knows that there is no such record." });
    row("records for clients that wait",
        { "p0.0 operation { client: =alice number: 1 } record_recovered { group: 0 key: 75 bucket: 2 result: OK }",
            "p0.1 operation { client: =alice number: 2 } record_recovered { group: 0 key: 76 bucket: 2 result: OK }" },
        { "The parity of group 0 answers 2 searches of failed buckets, for clients that wait." });
    row("a group is lost",
        { "C bucket_failed { group: 0 role: DATA index: 1 process: =d1 k_left: 1 reason: \"more members are silent "
          "than the parity can replace\" }",
            "C bucket_failed { group: 0 role: DATA index: 2 process: =d2 k_left: 0 reason: \"more members are silent "
            "than the parity can replace\" }",
            "C bucket_failed { group: 0 role: DATA index: 3 process: =d3 k_left: 0 reason: \"more members are silent "
            "than the parity can replace\" }",
            "C group_lost { group: 0 buckets: 1 buckets: 2 buckets: 3 }",
            "C group_lost { group: 0 buckets: 1 buckets: 2 buckets: 3 }",
            "C loss_acknowledged { group: 0 buckets: 1 buckets: 2 buckets: 3 }" },
        { "Buckets 1, 2 and 3 do not answer and are declared failed.",
            "Group 0 is lost: buckets 1, 2 and 3 failed, more than its parity can replace. The keys of lost buckets "
            "answer \"lost\"; other groups go on.",
            "A person acknowledges the loss: buckets 1, 2 and 3 come back empty, without their records." });
    row("a process that was paused is fenced",
        { "d2 fault_begun { fault { number: 5 pause { } } }", kFail,
            "d2 fault_ended { fault { number: 5 pause { } } reason: \"healed\" achieved { lasted_ns: 340000000 } }",
            "d2 node_released { reason: \"the coordinator does not need this bucket\" pool: DATA }" },
        { "Bucket 2 stands still on purpose: to all others it looks dead.", kFailed,
            "Bucket 2 goes on after a pause of 340 ms.",
            "data-3 goes on, but bucket 2 has another process: its incarnation is fenced, so it drops its records and "
            "becomes a spare." });
    row("a bucket that is not needed is not fenced",
        { "d3 node_released { reason: \"the coordinator does not need this bucket\" pool: DATA }" }, {});

    // ---- the coordinator
    row("a coordinator is rebuilt",
        { "C coordinator_listening { listens_ms: 1500 }",
            "C coordinator_rebuilt { coordinator_epoch: 2 buckets: 4 groups: 1 silent: 1 open_splits: 1 }" },
        { "The coordinator has to rebuild what it knows of the file: it listens to the buckets and orders nothing.",
            "The coordinator knows the file again, from its buckets alone: 4 data buckets in 1 group, and 1 member "
            "said nothing. 1 split was under way and is finished or undone now." });
    row("a later coordinator", { "C coordinator_superseded { coordinator_epoch: 3 }" },
        { "The processes follow a later coordinator, so the earlier one orders nothing any more." });
    row("a foreign bucket",
        { "C foreign_bucket { alive { process { node: 77 name: \"data-77\" } } }",
            "C foreign_bucket { alive { process { node: 77 name: \"data-77\" } } }" },
        { "data-77 holds a bucket of an older file that the coordinator did not know of: end one of the two." });
    row("another way to recover",
        { "C recovery_way_changed { recovery: RECOVERY_MANUAL former: RECOVERY_AUTOMATIC reason: \"an operator asked "
          "for it\" }" },
        { "Recovery is \"manual\" from now on, not \"automatic\": an operator asked for it." });

    // ---- faults of processes
    row("buckets are killed",
        { "d1 fault_begun { fault { number: 5 crash { } } }", "d2 fault_begun { fault { number: 5 crash { } } }" },
        { "Buckets 1 and 2 are killed on purpose: their processes end at once." });
    row("the coordinator is killed", { "C fault_begun { fault { number: 5 crash { } } }" },
        { "The coordinator is killed on purpose: key operations go on, but nothing splits or is recovered until there "
          "is another." });
    row("a fault at two processes",
        { "d1 fault_begun { fault { number: 5 network { drop: 0.2 } } }",
            "d2 fault_begun { fault { number: 5 network { drop: 0.2 } } }",
            "d1 fault_ended { fault { number: 5 network { drop: 0.2 } } reason: \"healed\" achieved { messages: 10 "
            "dropped: 2 } }",
            "d2 fault_ended { fault { number: 5 network { drop: 0.2 } } reason: \"healed\" }" },
        { "Bucket 1 loses 20 % of what it exchanges with all others, on purpose; 1 other process has the same fault.",
            "2 processes are free of the fault: healed." });
    row("a bucket is cut off",
        { "d1 fault_begun { fault { number: 5 partition { peers { node: =d2 } } } }",
            "d2 fault_begun { fault { number: 5 partition { all_but_peers: true peers { node: =d2 } } } }",
            "s8 fault_begun { fault { number: 5 partition { peers { node: =d2 } } } }" },
        { "Bucket 2 is cut off from all others, on purpose." });
    row("one way",
        { "d1 fault_begun { fault { number: 5 partition { way: OUTGOING peers { node: =d2 } peers { node: =d3 } } } }",
            "d2 fault_begun { fault { number: 5 partition { way: INCOMING peers { node: =d1 } } } }" },
        { "Bucket 1 no longer reaches buckets 2 and 3, on purpose." });
    row("two sides",
        { "d1 fault_begun { fault { number: 5 partition { peers { node: =d2 } } } }",
            "d2 fault_begun { fault { number: 5 partition { peers { node: =d1 } } } }" },
        { "Bucket 1 is cut off from bucket 2, on purpose." });
    row("a process ends by itself", { "s8 process_ended { reason: \"it was asked to\" }" },
        { "data-8 is taken for ended (it was asked to)." });
    row("the coordinator ends", { "C process_ended { reason: \"it was asked to\" }" },
        { "The coordinator has ended: key operations go on, but nothing splits or is recovered until there is "
          "another." });
    row("memory", { "d1 memory_full { is_full: true }", "d1 memory_full { }" },
        { "Bucket 1 has no memory left: it refuses what would make it grow, and searches and deletes go on.",
            "Bucket 1 has memory for further records again." });
    row("holds",
        { "alice workload_held { is_held: true }", "bob workload_held { is_held: true }", "alice workload_held { }" },
        { "2 clients begin no new operations: the workload is held.", "alice begins operations again." });
    row("gates", { "d1 gate_closed { }", "d2 gate_closed { }", "d1 gate_opened { }" },
        { "2 processes are gated: messages wait at them, and their clocks stand still.",
            "Bucket 1 is no longer gated: the messages that waited are delivered." });
}

void NarratorSentencesTest::eachHasItsSentence()
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

void NarratorSentencesTest::effectsMayComeBeforeCauses_data()
{
    QTest::addColumn<QStringList>("events");
    QTest::addColumn<QStringList>("told");
    const auto row = [](const char* name, const QStringList& events, const QStringList& told) {
        QTest::newRow(name) << events << told;
    };
    const QString ordered = "C split_ordered { split: 1 bucket: 0 new_bucket: 4 level: 3 }",
                  full = "d1 bucket_overflowed { count: 17 level: 2 }";
    row("a split before the report that brought it about", { "@900 " + ordered, "@890 " + full },
        { "Bucket 1 was full. The split pointer n stands at 0, so bucket 0 splits." });
    row("a report that came after the split", { "@880 " + ordered, "@890 " + full },
        { "The split pointer n stands at 0, so bucket 0 splits into 0 and 4.",
            "Bucket 1 is full: it holds 17 records, and its capacity b is 16." });
    row("a report that is heard before, and was later", { "@890 " + full, "@880 " + ordered },
        { "Bucket 1 is full: it holds 17 records, and its capacity b is 16.",
            "The split pointer n stands at 0, so bucket 0 splits into 0 and 4." });
    row("a split that has gone on",
        { "@900 " + ordered, "@910 C split_committed { split: 1 bucket: 0 new_bucket: 4 file { i: 2 n: 1 } }",
            "@890 " + full },
        { "The split pointer n stands at 0, so bucket 0 splits into 0 and 4.",
            "Both buckets and their parity have staged the split of bucket 0: it is decided, and n moves to 1.",
            "Bucket 1 is full: it holds 17 records, and its capacity b is 16." });
    QStringList overtaken = forwardOf(1, 75, 1, 3, false);
    overtaken.move(1, 2); // the event of the forwarding bucket arrives last
    row("an answer before the forward", QStringList { "wait 2000" } + overtaken,
        { "Key 75: alice's image said bucket 1, but it belongs in bucket 3: that image was 2 splits old." });
    // The reply to an earlier operation has adjusted its image; only the start of that operation is known.
    QStringList beside = forwardOf(2, 75, 1, 3);
    beside.prepend("alice operation { client: =alice number: 1 } operation_started { kind: SEARCH key: 7 bucket: 1 "
                   "image { i: 1 n: 0 } }");
    row("another operation beside it", QStringList { "wait 2000" } + beside,
        { "Key 75: alice's image said bucket 1, bucket 1 forwarded to 3. The reply corrects it: it counts 4 buckets "
          "now." });
    row("a release from before the failure", { QString("@800 ") + kFail, "@700 d2 node_released { pool: DATA }" },
        { kFailed });
    row("slices after the end",
        { "C recovery_started { group: 0 recovery: 7 buckets: 2 manager: 0 slice: 5 }",
            "C recovery_finished { group: 0 recovery: 7 buckets: 2 records: 9 }",
            "p0.0 slice_recovered { group: 0 recovery: 7 number: 0 records: 5 is_xor: true }" },
        { "Parity bucket 0.0, the first of the group that is up, is the recovery manager: it rebuilds bucket 2 on a "
          "spare.",
            "Bucket 2 is back on a spare with 9 records." });
    row("a decoder before its recovery",
        { "p0.1 slice_recovered { group: 0 recovery: 7 number: 0 records: 5 }",
            "C recovery_started { group: 0 recovery: 7 buckets: 2 manager: 1 slice: 5 }",
            "p0.1 slice_recovered { group: 0 recovery: 7 number: 1 records: 4 }" },
        { "2 slices are computed by Reed-Solomon decoding: 9 lost records.",
            "Parity bucket 0.1 is the recovery manager: it rebuilds bucket 2 on a spare." });
}

void NarratorSentencesTest::effectsMayComeBeforeCauses() { eachHasItsSentence(); }

QTEST_GUILESS_MAIN(NarratorSentencesTest)
#include "tst_narrator_sentences.moc"
