// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/show/lhrs/file_terms.h"

namespace lhrs::gui {

namespace {

QString demoSection(const char* section)
{
    return QStringLiteral("Litwin, Moussa, Schwarz 2004 (VLDB), section %1").arg(QLatin1String(section));
}
QString reportSection(const char* section)
{
    return QStringLiteral("Moussa 2003 (report), section %1").arg(QLatin1String(section));
}
const char* const kAppendix = "Litwin, Moussa, Schwarz 2005 (TODS), online appendix";
const char* const kScalable = "Litwin, Neimat, Schneider 1996 (TODS), abstract";
const char* const kHashing = "LHRS Lab, common/lhrs/linear_hash.h";

} // namespace

std::vector<Term> fileTerms()
{
    std::vector<Term> terms {
        // ---- the file
        { "file", QStringLiteral("File"), QStringLiteral("data buckets in groups, with parity"),
            QStringLiteral("All records of one LH*RS store: data buckets in groups, and the parity buckets of each "
                           "group; it grows by splits."),
            demoSection("2"), { "M", "i", "n", "K", "bucket-group" }, { ObjectKind::File } },
        { "i", QStringLiteral("File level i"), QStringLiteral("each level is i or i + 1"),
            QStringLiteral("The level of the file: each bucket has level i or i + 1, and the present round of splits "
                           "began with 2^i buckets."),
            QLatin1String(kHashing), { "n", "j", "M" } },
        { "n", QStringLiteral("Split pointer n"), QStringLiteral("this bucket splits next"),
            QStringLiteral("The number of the bucket that splits next, whichever is full; after bucket 2^i - 1 it is 0 "
                           "again, and i grows by 1."),
            QLatin1String(kHashing) + QStringLiteral("; ") + treePlace("node/lhrs/PROTOCOL.md, Overload"),
            { "i", "split", "overflow" } },
        { "M", QStringLiteral("Number of buckets M"), QStringLiteral("M = 2^i + n"),
            QStringLiteral("The number of data buckets of the file: M = 2^i + n, numbered from 0 to M - 1."),
            QLatin1String(kHashing), { "i", "n", "load-factor" } },
        { "j", QStringLiteral("Bucket level j"), QStringLiteral("last bits of a key that count"),
            QStringLiteral("A bucket of level j keeps the keys whose last j bits are the bits of its number; each "
                           "split raises its level by 1."),
            QLatin1String(kHashing), { "i", "split", "data-bucket" } },
        { "split", QStringLiteral("Split"), QStringLiteral("half of the records go to a new bucket"),
            QStringLiteral(
                "The file grows by one bucket: about half of the records of bucket n move to a new bucket, n + 2^i."),
            demoSection("2") + QStringLiteral("; ") + QLatin1String(kHashing), { "n", "overflow", "j" } },
        { "overflow", QStringLiteral("Overflow"), QStringLiteral("more than b records"),
            QStringLiteral("A data bucket has more than b records; it tells the coordinator once, and the coordinator "
                           "chooses a bucket to split."),
            demoSection("2") + QStringLiteral("; ") + reportSection("8.4"), { "b", "split", "coordinator" } },
        { "load-factor", QStringLiteral("Load factor"), QStringLiteral("records / (b × M)"),
            QStringLiteral("How much of the file's room is used: the number of records divided by b × M."),
            QLatin1String(kScalable), { "b", "M", "overflow" } },
        { "galois-field", QStringLiteral("Galois field"), QStringLiteral("the arithmetic of the parity"),
            QStringLiteral(
                "The numbers that parity is computed with; a symbol of GF(2^16) has 16 bits, and addition is XOR."),
            demoSection("2"), { "delta", "parity-bucket" } },

        // ---- buckets and records
        { "data-bucket", QStringLiteral("Data bucket"), QStringLiteral("holds records"),
            QStringLiteral("A server's memory for the records whose keys belong to this bucket number."),
            demoSection("2"), { "j", "b", "rank", "bucket-group", "incarnation", "lease" }, { ObjectKind::Data } },
        { "parity-bucket", QStringLiteral("Parity bucket"), QStringLiteral("holds parity records of its group"),
            QStringLiteral("It holds one parity record for each record group of its bucket group; lost records are "
                           "computed from these."),
            demoSection("2"), { "record-group", "k", "delta", "recovery-manager" }, { ObjectKind::Parity } },
        { "dummy-bucket", QStringLiteral("Dummy bucket"), QStringLiteral("counts as zeros"),
            QStringLiteral(
                "A place in a bucket group whose data bucket does not exist yet; parity counts it as zeros."),
            reportSection("4.1"), { "bucket-group", "m" }, { ObjectKind::Dummy } },
        { "bucket-group", QStringLiteral("Bucket group"), QStringLiteral("m data buckets and their parity"),
            QStringLiteral("m data buckets with successive numbers and the k parity buckets that protect them."),
            demoSection("2"), { "m", "k", "epoch", "record-group", "degraded-group" }, { ObjectKind::Group } },
        { "m", QStringLiteral("Group size m"), QStringLiteral("data buckets of a group"),
            QStringLiteral("The number of data buckets in a bucket group: bucket a is in group a div m."),
            demoSection("2"), { "bucket-group", "k" } },
        { "k", QStringLiteral("Availability level k"), QStringLiteral("losses that a group survives"),
            QStringLiteral("The number of parity buckets of a bucket group: no record is lost while at most k of its "
                           "buckets are."),
            demoSection("2"), { "K", "bucket-group", "lost-group" } },
        { "K", QStringLiteral("Intended availability K"), QStringLiteral("k to be reached"),
            QStringLiteral("The number of parity buckets that each group is to have; while the file grows, a group has "
                           "K or K - 1."),
            demoSection("2"), { "k", "file" } },
        { "b", QStringLiteral("Bucket capacity b"), QStringLiteral("records that fit"),
            QStringLiteral(
                "The number of records that a data bucket may hold; with more of them it reports an overflow."),
            demoSection("2"), { "overflow", "load-factor" } },
        { "rank", QStringLiteral("Rank"), QStringLiteral("a record's place in its bucket"),
            QStringLiteral("The number of a record's place in its data bucket, given when the record is inserted."),
            demoSection("2"), { "record-group", "data-bucket" } },
        { "record-group", QStringLiteral("Record group"), QStringLiteral("all records of one rank"),
            QStringLiteral(
                "All records that have the same rank in a bucket group; their parity records are computed from them."),
            demoSection("2"), { "rank", "bucket-group", "delta" } },
        { "delta", QStringLiteral("Delta"), QStringLiteral("old record XOR new record"),
            QStringLiteral("The XOR of a record before and after a change; the data bucket sends it to all parity "
                           "buckets of its group."),
            demoSection("2"), { "parity-bucket", "galois-field" } },
        { "incarnation", QStringLiteral("Incarnation"), QStringLiteral("one holder of a bucket number"),
            QStringLiteral("The number under which one process holds a bucket; it is never used twice, so a former "
                           "holder is refused."),
            treePlace("node/lhrs/PROTOCOL.md, Insert"), { "displaced", "epoch" } },
        { "lease", QStringLiteral("Lease"), QStringLiteral("until then it may answer reads"),
            QStringLiteral("The time for which a data bucket may answer reads; other members of its group grant it "
                           "again and again."),
            treePlace("node/lhrs/PROTOCOL.md, Reads are fenced by leases"), { "suspect", "incarnation" } },

        // ---- clients
        { "client", QStringLiteral("Client"), QStringLiteral("inserts and searches by keys"),
            QStringLiteral(
                "A process that inserts, searches, updates and deletes records; it finds their buckets by its image."),
            treePlace("node/lhrs/PROTOCOL.md, An operation at a client (client.h)"), { "client-image", "forward" },
            { ObjectKind::Client } },
        { "client-image", QStringLiteral("Client image"), QStringLiteral("the file as a client knows it"),
            QStringLiteral("The file state (i', n') that a client assumes; it may be behind the file's own."),
            QLatin1String(kAppendix), { "image-adjustment", "forward", "i", "n" } },
        { "forward", QStringLiteral("Forward"), QStringLiteral("a bucket passes a request on"),
            QStringLiteral("A bucket that a key does not belong to passes the request on; after two forwards at most "
                           "it is at the right bucket."),
            QLatin1String(kScalable) + QStringLiteral("; ") + treePlace("node/lhrs/PROTOCOL.md, Insert"),
            { "client-image", "image-adjustment" } },
        { "image-adjustment", QStringLiteral("Image adjustment"), QStringLiteral("corrects a client's image"),
            QStringLiteral("The reply to a forwarded request names the last bucket that forwarded it and its level; "
                           "the client corrects its image."),
            QLatin1String(kAppendix), { "client-image", "forward" } },

        // ---- failures
        { "suspect", QStringLiteral("Suspect"), QStringLiteral("has been silent for a while"),
            QStringLiteral("A bucket from which another member of its group has heard nothing for a while; the "
                           "coordinator then probes the whole group."),
            treePlace("node/lhrs/PROTOCOL.md, Suspect"), { "lease", "coordinator", "frozen-group" } },
        { "epoch", QStringLiteral("Epoch"), QStringLiteral("the version of a group's membership"),
            QStringLiteral("The number of a group's view of its members; it grows with each change of them, and older "
                           "messages are refused."),
            treePlace("node/lhrs/PROTOCOL.md, Epoch"), { "bucket-group", "incarnation" } },
        { "frozen-group", QStringLiteral("Frozen group"), QStringLiteral("changes wait"),
            QStringLiteral(
                "A bucket group in which changes wait while its survivors agree on what its lost buckets had done."),
            treePlace("node/lhrs/PROTOCOL.md, CutReport"), { "cut", "degraded-group", "epoch" } },
        { "degraded-group", QStringLiteral("Degraded group"), QStringLiteral("works with a member missing"),
            QStringLiteral("A bucket group that works although buckets are missing; a search for one of their records "
                           "has it computed."),
            treePlace("node/lhrs/PROTOCOL.md, CutDone"), { "frozen-group", "lost-group", "recovery-manager" } },
        { "lost-group", QStringLiteral("Lost group"), QStringLiteral("more failures than k"),
            QStringLiteral("A bucket group with more failures than it had parity buckets: the records of its lost "
                           "buckets cannot be computed."),
            treePlace("node/lhrs/PROTOCOL.md, A group whose members do not all answer (group_recovery.h)"),
            { "k", "degraded-group" } },
        { "cut", QStringLiteral("Cut"), QStringLiteral("the last change that is kept"),
            QStringLiteral("For each lost bucket the last of its changes that the recovery keeps; all survivors are "
                           "brought to it first."),
            treePlace("node/lhrs/PROTOCOL.md, CutReport"), { "frozen-group", "recovery-manager", "delta" } },
        { "recovery-manager", QStringLiteral("Recovery manager"), QStringLiteral("computes the lost records"),
            QStringLiteral("The parity bucket that the coordinator chooses to compute the lost buckets of its group."),
            demoSection("4"), { "slice", "spare", "coordinator" } },
        { "slice", QStringLiteral("Slice"), QStringLiteral("successive ranks, recovered at once"),
            QStringLiteral("The records of some successive ranks, which the recovery manager asks for, computes and "
                           "sends on together."),
            demoSection("4") + QStringLiteral("; ") + reportSection("5.1"), { "recovery-manager", "rank", "spare" } },
        { "spare", QStringLiteral("Spare"), QStringLiteral("waits to become a bucket"),
            QStringLiteral(
                "A server without a bucket that waits in its pool to become a new bucket, or to replace a lost one."),
            demoSection("3"), { "coordinator", "split", "recovery-manager" }, { ObjectKind::Spare, ObjectKind::Pool } },
        { "coordinator", QStringLiteral("Coordinator"), QStringLiteral("decides on splits and recoveries"),
            QStringLiteral(
                "The process that decides which bucket splits, and that starts the recovery of lost buckets."),
            QStringLiteral("Litwin, Moussa, Schwarz 2004 (VLDB), sections 2 and 4"),
            { "split", "spare", "recovery-manager" }, { ObjectKind::Coordinator } },
        { "displaced", QStringLiteral("Displaced"), QStringLiteral("its place has another holder"),
            QStringLiteral(
                "A process whose bucket was given to another one while it was silent; it no longer serves anything."),
            treePlace("node/lhrs/PROTOCOL.md, Alive"), { "incarnation", "suspect" }, { ObjectKind::Displaced } },

        // ---- checks
        { "invariant", QStringLiteral("Invariant"), QStringLiteral("holds at all times"),
            QStringLiteral("What must always hold of the file; the window shows whether this run has checked it, how "
                           "often, and whether it ever did not hold."),
            treePlace("README.md, Two commands"), { "hold" } },
    };
    for (Term& term : terms)
        term.example = exampleInFile;
    return terms;
}

} // namespace lhrs::gui
