// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/lhrs/decode_story.h"
#include "gui/lab/words/lhrs/record_group.h"

#include <QString>
#include <QStringList>

#include <optional>
#include <set>
#include <vector>

namespace lhrs::gui {

enum class GroupPage { Update, Decode, Compare };
// How symbols are written: 4 hexadecimal digits, decimal, or their logarithm.
enum class SymbolBase { Hex, Decimal, Log };

// What the person chose to see of a record group.
struct DecodingWish {
    GroupPage page = GroupPage::Decode;
    std::set<Participant> supposed; // treated as lost although available; the page says so
    std::optional<std::uint32_t> choice; // number of a choice of survivors other than that of the nodes
    std::size_t step = 0, updateStep = 0;
    std::size_t symbol = 0;
    std::size_t target = 0; // index of the lost member that is followed
    std::uint32_t changed = 0; // data position whose change the page Update shows
    SymbolBase base = SymbolBase::Hex;
};

// One step of the decoding.
struct DecodingStep {
    enum class Kind {
        Members, // which members are lost and which are left
        Columns, // the survivors' columns of (I|P)
        Gauss, // the elimination after this many steps
        Stuck, // no pivot: too few members
        Inverse, // the coefficients of the lost members
        Term, // one survivor's contribution to the symbol
        Bytes, // all symbols
    };
    Kind kind = Kind::Members;
    std::size_t index = 0; // finished steps of Gauss, or the term
    QString title, sentence;
};

// The decoding of a record group: the lost members, the survivors, the computation, and whether the result equals the
// original. A pure function of group and wish. The arithmetic is that of the nodes (common/).
struct Decoding {
    RecordGroup group;
    DecodingWish wish; // corrected: no step, symbol or target that does not exist
    std::vector<Participant> lost, supposed, available; // supposed: the lost members that are in fact available
    std::optional<DecodeStory> story; // empty: trouble says why
    QString trouble;
    std::uint32_t choices = 0, choice = 0;
    bool isManagersChoice = false; // these survivors were chosen by the manager of the last recovery
    bool isNodesChoice = false;
    QString whyThese; // the reason for these survivors, in a sentence
    std::vector<DecodingStep> steps;

    bool hasBytes = false; // all survivors were read, in one state
    QString whyNoBytes; // a sentence
    std::vector<std::string> contributions; // in the order of the survivors
    std::size_t symbols = 0; // of the longest member

    // What is known of a lost member's bytes without decoding.
    enum class Verdict {
        NotComputed,
        Equal,
        Differs,
        NoWitness, // nothing to compare with
        OldWitness, // the witness was taken before a later change
    };
    struct Outcome {
        Participant member;
        std::vector<std::byte> bytes;
        std::string known; // from the live place or a witness
        bool isKnownLive = false, isKnownPinned = false, hasRecord = true;
        Verdict verdict = Verdict::NotComputed;
        std::size_t firstDifference = 0;
        QString sentence;
    };
    std::vector<Outcome> outcomes; // in the order of story->lost

    // Compares the recovery manager's coefficients with ours; empty: it reported none.
    QString managerSentence;
    bool managerDiffers = false;

    std::vector<ByteSpan> spans() const;
    const LostMember* target() const;
    const DecodingStep& step() const { return steps[wish.step]; }
};

Decoding decodingOf(RecordGroup group, const DecodingWish& wish);
// An instructive symbol: the first one in which no survivor is zero and two differ; otherwise the first that is not
// all zeros; otherwise 0.
std::size_t tellingSymbol(const Decoding& decoding);

// The change of one data record and its effect on the parity: D = old ^ new, B ^= P[q][p] * D.
struct Change {
    std::uint32_t position = 0;
    bool isKnown = false; // false: `words` says why
    bool isInsert = false; // there is no old record: zeros
    QString words;
    std::string before, after;
    std::vector<std::byte> delta;
    struct Column {
        std::uint32_t column = 0;
        Symbol coefficient = 0;
        bool isRead = false;
        std::vector<std::byte> before, after; // before: computed back from the present bytes
    };
    std::vector<Column> columns;
    std::vector<DecodingStep> steps; // kinds are not used: 0 is the delta, then one step per column
};
Change changeOf(const RecordGroup& group, std::uint32_t position);

// ---- words

QString symbolWords(const Field& field, SymbolBase base, Symbol symbol);
// A logarithm, in hexadecimal if symbols are.
QString logWords(const Field& field, SymbolBase base, Symbol log);
QString fieldWords(FieldWidth width); // "GF(2^16), polynomial 1100b"
// "row 1 += eb9b · row 0", rows from 0.
QString gaussWords(const Field& field, SymbolBase base, const GaussStep& step);
// Everything as plain text: members, matrix, elimination, inverse, the chosen symbol, bytes, verdict.
QString textOf(const Decoding& decoding);

} // namespace lhrs::gui
