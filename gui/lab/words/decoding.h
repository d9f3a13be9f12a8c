// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/decode_story.h"
#include "gui/lab/words/record_group.h"

#include <QString>
#include <QStringList>

#include <optional>
#include <set>
#include <vector>

namespace lhrs::gui {

enum class GroupPage { Update, Decode, Compare };
// How symbols are written: 4 hexadecimal digits, decimal, or their logarithm.
enum class SymbolBase { Hex, Decimal, Log };

// What a person wants to see of a record group.
struct DecodingWish {
    GroupPage page = GroupPage::Decode;
    std::set<Participant> supposed;       // taken for lost although it is there: a thought, and said so
    std::optional<std::uint32_t> choice;  // other survivors than the nodes take, by its number
    std::size_t step = 0, updateStep = 0;
    std::size_t symbol = 0;
    std::size_t target = 0;               // which of the lost members is followed
    std::uint32_t changed = 0;            // data position whose change the page Update shows
    SymbolBase base = SymbolBase::Hex;
};

// One step of the story.
struct DecodingStep {
    enum class Kind {
        Members, // what is lost and what is left
        Columns, // the survivors' columns of (I|P)
        Gauss,   // the elimination after so many steps
        Stuck,   // no pivot: too few members
        Inverse, // the coefficients of the lost members
        Term,    // one survivor's part of the symbol
        Bytes,   // all symbols
    };
    Kind kind = Kind::Members;
    std::size_t index = 0; // steps of Gauss that are done, or the term
    QString title, sentence;
};

// A record group decoded: what is lost, from whom, how, and whether what comes out is what was there. Pure: the same for
// the same group and wish. The arithmetic is that of the nodes (common/).
struct Decoding {
    RecordGroup group;
    DecodingWish wish; // made to fit: no step, symbol or target that does not exist
    std::vector<Participant> lost, supposed, available; // supposed: those of the lost that are there
    std::optional<DecodeStory> story;                   // nothing: trouble says why
    QString trouble;
    std::uint32_t choices = 0, choice = 0;
    bool isManagersChoice = false; // the survivors are those of the last recovery's manager
    bool isNodesChoice = false;
    QString whyThese;              // the survivors, in a sentence
    std::vector<DecodingStep> steps;

    bool hasBytes = false;   // of all survivors, of one state
    QString whyNoBytes;      // a sentence
    std::vector<std::string> contributions; // beside the survivors
    std::size_t symbols = 0; // of the longest member

    // What is known of a lost member's bytes otherwise than by decoding.
    enum class Verdict {
        NotComputed,
        Equal,
        Differs,
        NoWitness,  // nothing to compare with
        OldWitness, // the witness is of an earlier change
    };
    struct Outcome {
        Participant member;
        std::vector<std::byte> bytes;
        std::string known; // live, or a witness'
        bool isKnownLive = false, isKnownPinned = false, hasRecord = true;
        Verdict verdict = Verdict::NotComputed;
        std::size_t firstDifference = 0;
        QString sentence;
    };
    std::vector<Outcome> outcomes; // beside story->lost

    // The recovery manager's own numbers against ours; empty: it told none.
    QString managerSentence;
    bool managerDiffers = false;

    std::vector<ByteSpan> spans() const;
    const LostMember* target() const;
    const DecodingStep& step() const { return steps[wish.step]; }
};

Decoding decodingOf(RecordGroup group, const DecodingWish& wish);
// A symbol worth looking at: the first one in which no survivor is zero and two differ; else the first that is not all
// zeros; else 0.
std::size_t tellingSymbol(const Decoding& decoding);

// The change of one data record and what it does to the parity: D = old ^ new, B ^= P[q][p] * D.
struct Change {
    std::uint32_t position = 0;
    bool isKnown = false;   // else `words` says why not
    bool isInsert = false;  // old is no record: zeros
    QString words;
    std::string before, after;
    std::vector<std::byte> delta;
    struct Column {
        std::uint32_t column = 0;
        Symbol coefficient = 0;
        bool isRead = false;
        std::vector<std::byte> before, after; // before: computed back from what is there
    };
    std::vector<Column> columns;
    std::vector<DecodingStep> steps; // kinds do not matter: 0 the delta, then one for each column
};
Change changeOf(const RecordGroup& group, std::uint32_t position);

// ---- words

QString symbolWords(const Field& field, SymbolBase base, Symbol symbol);
// A logarithm: hexadecimal where symbols are.
QString logWords(const Field& field, SymbolBase base, Symbol log);
QString fieldWords(FieldWidth width); // "GF(2^16), polynomial 1100b"
// "row 1 += eb9b · row 0", rows from 0.
QString gaussWords(const Field& field, SymbolBase base, const GaussStep& step);
// All of it as plain text: members, matrix, elimination, inverse, the chosen symbol, bytes, verdict.
QString textOf(const Decoding& decoding);

} // namespace lhrs::gui
