// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/words/lhrs/decoding.h"

#include "gui/lab/tables/qt_text.h"

#include <algorithm>

namespace lhrs::gui {

namespace {

QString listed(const std::vector<Participant>& members)
{
    QStringList names;
    for (const Participant member : members)
        names << text(shortName(member));
    return names.size() < 2
        ? names.join(QString())
        : names.mid(0, names.size() - 1).join(QStringLiteral(", ")) + QStringLiteral(" and ") + names.back();
}

ByteSpan spanOf(const std::string& bytes) { return { reinterpret_cast<const std::byte*>(bytes.data()), bytes.size() }; }

Participant participantOf(const pb::DecoderChosen::Participant& told)
{
    return told.role() == pb::DATA ? Participant::data(Position(told.index()))
                                   : Participant::parity(ParityColumn(told.index()));
}

std::vector<Participant> managersSurvivors(const pb::DecoderChosen& told)
{
    std::vector<Participant> survivors;
    for (const auto& participant : told.participants())
        survivors.push_back(participantOf(participant));
    return survivors;
}

// Members that are down, and those that the person treats as lost.
void findLost(Decoding& d)
{
    for (const GroupMember& member : d.group.members) {
        const bool isDown = member.standing == GroupMember::Standing::Down;
        if (isDown || d.wish.supposed.contains(member.member)) {
            d.lost.push_back(member.member);
            if (!isDown)
                d.supposed.push_back(member.member);
        } else {
            d.available.push_back(member.member);
        }
    }
}

// The participants chosen by the recovery manager, if they can decode the members lost here.
std::optional<std::vector<Participant>> managersChoice(const Decoding& d)
{
    if (!d.group.decoder)
        return std::nullopt;
    std::vector<Participant> survivors = managersSurvivors(*d.group.decoder);
    std::set<Participant> lostData, told;
    for (const Participant lost : d.lost) {
        if (lost.kind == Participant::Kind::Data)
            lostData.insert(lost);
    }
    for (const auto& lost : d.group.decoder->lost())
        told.insert(Participant::data(Position(lost.position())));
    const bool areThere = std::all_of(survivors.begin(), survivors.end(),
        [&](Participant p) { return std::find(d.available.begin(), d.available.end(), p) != d.available.end(); });
    if (lostData != told || !areThere || survivors.size() != d.group.m)
        return std::nullopt;
    return survivors;
}

void chooseSurvivors(Decoding& d, std::vector<Participant>& survivors)
{
    const std::uint32_t m = d.group.m;
    const auto left = int(d.available.size());
    d.choices = choicesOf(d.available.size(), m);
    if (d.choices == 0) {
        survivors = d.available;
        d.whyThese = QStringLiteral(
            "Only %1 of the group’s %2 members are left, and %3 are needed: %4 equations for %3 unknowns.")
                         .arg(left)
                         .arg(d.group.members.size())
                         .arg(m)
                         .arg(left);
        return;
    }
    const std::vector<Participant> own = choiceAt(d.available, m, 0);
    const auto manager = managersChoice(d);
    if (d.wish.choice)
        survivors = choiceAt(d.available, m, std::min(*d.wish.choice, d.choices - 1));
    else
        survivors = manager ? *manager : own;
    d.choice = numberOfChoice(d.available, survivors);
    d.isManagersChoice = manager
        && std::is_permutation(survivors.begin(), survivors.end(), manager->begin(), manager->end());
    d.isNodesChoice = d.choice == 0;
    const auto isData = [](Participant p) { return p.kind == Participant::Kind::Data; };
    const auto lostData = std::count_if(d.lost.begin(), d.lost.end(), isData);
    const bool hasXorColumn = std::find(survivors.begin(), survivors.end(), Participant::parity(ParityColumn(0)))
        != survivors.end();
    if (lostData == 0 && std::all_of(survivors.begin(), survivors.end(), isData))
        d.whyThese = QStringLiteral("All data records are there: a lost parity record is encoded again from them.");
    else if (lostData == 1 && hasXorColumn
        && std::count_if(survivors.begin(), survivors.end(), isData) == std::ptrdiff_t(m) - 1)
        d.whyThese = QStringLiteral(
            "One data bucket is lost and parity column 0 is alive: its coefficients are ones, so XOR is enough.");
    else if (d.isNodesChoice || d.isManagersChoice)
        d.whyThese = QStringLiteral(
            "All data records that are left, and for each lost one a parity record: %1 equations for %1 unknowns.")
                         .arg(m);
    else
        d.whyThese = QStringLiteral(
            "Any %1 of the %2 members that are left will do: every choice gives the same bytes.")
                         .arg(m)
                         .arg(left);
    if (d.isManagersChoice)
        d.whyThese += QStringLiteral(" The recovery manager took these.");
}

void collectBytes(Decoding& d)
{
    const std::string difference = d.group.differenceOfStates();
    d.hasBytes = d.story->isSolvable();
    if (!d.hasBytes)
        d.whyNoBytes = QStringLiteral("There is nothing to compute: the system has no single solution.");
    std::size_t longest = 0;
    for (const Participant survivor : d.story->survivors) {
        const GroupMember& member = *d.group.find(survivor);
        d.contributions.push_back(member.record.bytes);
        if (member.standing != GroupMember::Standing::Dummy && !member.isRead && d.hasBytes) {
            d.hasBytes = false;
            d.whyNoBytes = member.trouble.empty()
                ? QStringLiteral("The bytes of %1 are being read from its process …").arg(text(nameOf(member.place)))
                : QStringLiteral("The bytes of %1 cannot be read: %2")
                      .arg(text(nameOf(member.place)), text(member.trouble));
        }
    }
    if (d.hasBytes && !difference.empty()) {
        d.hasBytes = false;
        d.whyNoBytes = QStringLiteral("The members were read in the middle of a change: %1. They are read again, and "
                                      "combined when they are of one state.")
                           .arg(text(difference));
    }
    for (const GroupMember& member : d.group.members)
        longest = std::max(longest, member.record.bytes.size());
    for (std::uint32_t q = 0; q < d.group.m; ++q) {
        if (const auto listed = d.group.listed(q))
            longest = std::max<std::size_t>(longest, listed->length);
    }
    d.symbols = symbolsOf(d.story->code.field(), longest);
}

QString bytesWords(std::size_t length)
{
    return length == 1 ? QStringLiteral("1 byte") : QStringLiteral("%1 bytes").arg(length);
}

// The length of a parity record: that of the longest record, rounded up to whole symbols.
std::size_t parityLength(const Decoding& d)
{
    std::size_t length = 0;
    for (std::uint32_t q = 0; q < d.group.m; ++q) {
        const auto of = d.group.listed(q);
        length = std::max<std::size_t>(length, of ? of->length : 0);
    }
    for (const std::string& bytes : d.contributions)
        length = std::max(length, bytes.size());
    return d.story->code.field().paddedLength(length);
}

// Compares what was computed with what is known of the lost record from elsewhere.
void compare(Decoding::Outcome& outcome, const GroupMember& member, std::size_t length, bool isWitnessed)
{
    using Verdict = Decoding::Verdict;
    const QString name = text(nameOf(member.place));
    std::vector<std::byte> expected(spanOf(outcome.known).begin(), spanOf(outcome.known).end());
    std::vector<std::byte> computed = outcome.bytes;
    expected.resize(std::max(expected.size(), computed.size()));
    computed.resize(expected.size());
    const auto [a, b] = std::mismatch(computed.begin(), computed.end(), expected.begin());
    const QString with = outcome.isKnownLive ? QStringLiteral("those that %1 holds").arg(name)
        : outcome.isKnownPinned              ? QStringLiteral("the witness that was taken before")
                                             : QStringLiteral("those that were read here before it failed");
    outcome.firstDifference = std::size_t(a - computed.begin());
    outcome.verdict = a == computed.end() ? Verdict::Equal : Verdict::Differs;
    outcome.sentence = a == computed.end()
        ? QStringLiteral("%1 computed, equal to %2.").arg(bytesWords(length), with)
        : QStringLiteral("The computed bytes differ from %1, first at byte %2.").arg(with).arg(outcome.firstDifference);
    if (isWitnessed && outcome.verdict == Verdict::Equal) {
        const bool isHeld = member.record.bytes == member.witness->record.bytes;
        outcome.sentence += isHeld ? QStringLiteral(" %1 holds the same.").arg(name)
                                   : QStringLiteral(" But %1 holds others.").arg(name);
        outcome.verdict = isHeld ? Verdict::Equal : Verdict::Differs;
    }
}

void judge(Decoding& d, const LostMember& lost, Decoding::Outcome& outcome)
{
    using Verdict = Decoding::Verdict;
    const GroupMember& member = *d.group.find(lost.member);
    const bool isData = lost.member.kind == Participant::Kind::Data;
    const auto listed = isData ? d.group.listed(lost.member.index) : std::nullopt;
    const QString name = text(nameOf(member.place));
    outcome.member = lost.member;
    std::size_t length = 0;
    if (isData) {
        outcome.hasRecord = listed.has_value();
        length = listed ? listed->length : 0;
    } else {
        length = parityLength(d);
    }
    // A pinned witness is preferred to the bucket's own contents, if it is of the same change.
    const MemberRecord* known = nullptr;
    const bool isWitnessed = member.isRead && member.witness && member.witness->isPinned && isData
        && member.witness->record.version == member.record.version;
    if (member.isRead && !isWitnessed) {
        known = &member.record;
        outcome.isKnownLive = true;
    } else if (member.witness) {
        known = &member.witness->record;
        outcome.isKnownPinned = member.witness->isPinned;
    }
    if (known)
        outcome.known = known->bytes;
    // Without a parity record the length, and whether there is a record, are unknown; a witness of the lost bucket
    // may tell.
    if (isData && !d.group.hasParityRead() && known) {
        length = known->bytes.size();
        outcome.hasRecord = known->isPresent;
    }
    if (!d.hasBytes) {
        outcome.sentence = d.whyNoBytes;
        return;
    }
    outcome.bytes = d.story->bytes(lost, d.spans(), length);
    if (isData && !outcome.hasRecord) {
        outcome.verdict = Verdict::Equal;
        outcome.sentence = QStringLiteral("The key lists name no record of %1 at this rank: it counts as zeros.")
                               .arg(name);
        return;
    }
    if (!known) {
        outcome.verdict = Verdict::NoWitness;
        outcome.sentence = QStringLiteral(
            "%1 of %2 computed. What was lost is gone: no witness was taken, so there is nothing to compare them with.")
                               .arg(bytesWords(length), name);
        return;
    }
    // GCC 12 -O3 does not see that listed is set below.
    const auto listedVersion = listed.value_or(MemberRecord::Listed {}).version;
    if (isData && listed && !outcome.isKnownLive && known->version != listedVersion) {
        outcome.verdict = Verdict::OldWitness;
        outcome.sentence = QStringLiteral(
            "The witness of %1 is of change %2, the record that was lost of change %3: they cannot be compared.")
                               .arg(name)
                               .arg(known->version)
                               .arg(listedVersion);
        return;
    }
    compare(outcome, member, length, isWitnessed);
}

// Compares the manager's coefficients with the code's, whatever is shown here.
void checkManager(Decoding& d)
{
    if (!d.group.decoder)
        return;
    const pb::DecoderChosen& told = *d.group.decoder;
    const std::vector<Participant> survivors = managersSurvivors(told);
    std::vector<Participant> lost;
    for (const auto& member : told.lost())
        lost.push_back(Participant::data(Position(member.position())));
    const ErasureCode code(told.field() == pb::GF_8 ? FieldWidth::Gf8 : FieldWidth::Gf16, d.group.m);
    std::uint32_t k = d.group.k;
    for (const Participant survivor : survivors)
        k = survivor.kind == Participant::Kind::Parity ? std::max(k, survivor.index + 1) : k;
    const auto own = k <= ParityMatrix::parityCountMax(code.field().width())
        ? tellDecoding(code, k, survivors, lost)
        : Result<DecodeStory>(Error { "too many parity columns" });
    d.managerDiffers = true;
    if (!own || !own->isSolvable()) {
        d.managerSentence = QStringLiteral("The recovery manager says it decoded from %1, which is not possible: %2.")
                                .arg(listed(survivors),
                                    own ? QStringLiteral("the system is singular") : text(own.error().text));
        return;
    }
    for (int i = 0; i < told.lost_size(); ++i) {
        const LostMember& ours = own->lost[std::size_t(i)];
        for (std::size_t t = 0; t < ours.coefficients.size(); ++t) {
            const int at = int(t);
            const Symbol theirs = at < told.lost(i).coefficients_size() ? told.lost(i).coefficients(at) : 0;
            if (theirs == ours.coefficients[t])
                continue;
            d.managerSentence = QStringLiteral(
                "The recovery manager’s coefficient of %1 for %2 is %3; the code gives %4.")
                                    .arg(text(shortName(survivors[t])), text(shortName(ours.member)),
                                        symbolWords(code.field(), SymbolBase::Hex, theirs & code.field().symbolMax()),
                                        symbolWords(code.field(), SymbolBase::Hex, ours.coefficients[t]));
            return;
        }
    }
    d.managerDiffers = false;
    d.managerSentence = QStringLiteral(
        "The recovery manager announced the coefficients of %1 from %2: they are the same as here.")
                            .arg(listed(lost), listed(survivors));
}

void tellSteps(Decoding& d)
{
    using Kind = DecodingStep::Kind;
    const DecodeStory& story = *d.story;
    const Field& field = story.code.field();
    const bool isThought = !d.supposed.empty() && d.supposed.size() == d.lost.size();
    const QString what = d.lost.empty() ? QStringLiteral("Nothing is lost")
        : isThought                     ? QStringLiteral("Suppose %1 lost").arg(listed(d.lost))
                                        : QStringLiteral("%1 lost").arg(listed(d.lost));
    const auto add = [&](Kind kind, std::size_t index, const QString& title, const QString& sentence) {
        d.steps.push_back({ kind, index, title, sentence });
    };
    add(Kind::Members, 0,
        QStringLiteral("%1; %2 of %3 members are left").arg(what).arg(d.available.size()).arg(d.group.members.size()),
        d.whyThese);
    const SymbolMatrix& h = story.elimination.h;
    const QString columns = QStringLiteral("Each column of (I|P) says how one member comes from the %1 data records: u "
                                           "= a · (I|P). The columns of the survivors are the matrix H.")
                                .arg(d.group.m);
    add(Kind::Columns, 0, QStringLiteral("The columns of %1").arg(listed(story.survivors)), columns);
    const auto& gauss = story.elimination.steps;
    SymbolMatrix left = h; // before the step
    for (std::size_t i = 0; i < gauss.size(); ++i) {
        const GaussStep& s = gauss[i];
        const QString why = s.kind == GaussStep::Kind::Swap
            ? QStringLiteral("The pivot of column %1 must not be zero: rows %1 and %2 change places.")
                  .arg(s.row)
                  .arg(s.other)
            : s.kind == GaussStep::Kind::Scale
            ? QStringLiteral("The pivot becomes 1: row %1 is multiplied by the inverse of %2.")
                  .arg(s.row)
                  .arg(symbolWords(field, d.wish.base, left.at(s.row, s.row)))
            : QStringLiteral(
                "Row %1 has %2 in the pivot’s column %3; adding that many times row %3 makes it 0. Adding is XOR.")
                  .arg(s.row)
                  .arg(symbolWords(field, d.wish.base, left.at(s.row, s.other)))
                  .arg(s.other);
        add(Kind::Gauss, i + 1,
            QStringLiteral("Elimination %1 of %2:  %3")
                .arg(i + 1)
                .arg(gauss.size())
                .arg(gaussWords(field, d.wish.base, s)),
            why);
        applyStep(field, s, left);
    }
    if (!story.isSolvable()) {
        add(Kind::Stuck, gauss.size(),
            QStringLiteral("Column %1 has no pivot: here it ends").arg(story.elimination.columnStopped),
            QStringLiteral("%1 members are left and %2 are needed. The key lists of the parity records still say which "
                           "keys are lost, not what they held.")
                .arg(d.available.size())
                .arg(d.group.m));
        return;
    }
    const bool isIdentity = h == SymbolMatrix::identity(d.group.m);
    add(Kind::Inverse, 0, QStringLiteral("The inverse of H, computed once for all ranks"),
        isIdentity ? QStringLiteral("The survivors are the data records themselves. A lost parity record has the "
                                    "coefficients of its column of P.")
                   : QStringLiteral("b = a · H, so a = b · H⁻¹: the coefficients of a lost data record are its column "
                                    "of the inverse, one for each survivor."));
    if (d.lost.empty())
        return;
    const LostMember& target = *d.target();
    const QString name = text(shortName(target.member));
    for (std::size_t t = 0; t < target.coefficients.size(); ++t)
        add(Kind::Term, t,
            QStringLiteral("Symbol %1 of %2: the part of %3")
                .arg(d.wish.symbol)
                .arg(name, text(shortName(story.survivors[t]))),
            target.coefficients[t] == 0
                ? QStringLiteral("Its coefficient is 0: this member is not needed for %1.").arg(name)
                : target.coefficients[t] == 1
                ? QStringLiteral("Its coefficient is 1: the symbol itself is added. Adding is XOR.")
                : QStringLiteral(
                    "A product is a sum of logarithms modulo 2^%1 - 1, looked up in two tables. Then it is added: XOR.")
                      .arg(int(field.width())));
    add(Kind::Bytes, 0, QStringLiteral("All symbols of %1").arg(name),
        QStringLiteral("The same coefficients for every symbol, every rank and every record of the bucket."));
}

} // namespace

std::vector<ByteSpan> Decoding::spans() const
{
    std::vector<ByteSpan> spans;
    for (const std::string& contribution : contributions)
        spans.push_back(spanOf(contribution));
    return spans;
}

const LostMember* Decoding::target() const
{
    return !story || story->lost.empty() ? nullptr : &story->lost[std::min(wish.target, story->lost.size() - 1)];
}

Decoding decodingOf(RecordGroup group, const DecodingWish& wish)
{
    Decoding d;
    d.group = std::move(group);
    d.wish = wish;
    findLost(d);
    std::vector<Participant> survivors;
    chooseSurvivors(d, survivors);
    auto story = tellDecoding(ErasureCode(d.group.field, d.group.m), d.group.k, survivors, d.lost);
    if (!story) {
        d.trouble = text(story.error().text);
        return d;
    }
    d.story = std::move(*story);
    collectBytes(d);
    d.wish.symbol = std::min(d.wish.symbol, d.symbols == 0 ? 0 : d.symbols - 1);
    d.wish.target = d.lost.empty() ? 0 : std::min(d.wish.target, d.lost.size() - 1);
    d.wish.changed = std::min(d.wish.changed, d.group.m - 1);
    tellSteps(d);
    d.wish.step = std::min(d.wish.step, d.steps.size() - 1);
    for (const LostMember& lost : d.story->lost)
        judge(d, lost, d.outcomes.emplace_back());
    checkManager(d);
    return d;
}

std::size_t tellingSymbol(const Decoding& d)
{
    if (!d.story)
        return 0;
    std::optional<std::size_t> some;
    const std::vector<ByteSpan> spans = d.spans();
    for (std::size_t i = 0; i < d.symbols; ++i) {
        std::set<Symbol> seen;
        for (const ByteSpan bytes : spans) {
            if (!bytes.empty()) // a dummy is zero in all symbols
                seen.insert(symbolAt(d.story->code.field(), bytes, i));
        }
        if (seen.size() > 1 && !seen.contains(0))
            return i;
        if (!some && (seen.size() > 1 || (seen.size() == 1 && !seen.contains(0))))
            some = i;
    }
    return some.value_or(0);
}

Change changeOf(const RecordGroup& group, std::uint32_t position)
{
    Change change;
    change.position = position;
    const GroupMember* member = group.find(Participant::data(Position(position)));
    const QString name = member ? text(nameOf(member->place)) : QString();
    if (!member || member->standing == GroupMember::Standing::Dummy) {
        change.words = QStringLiteral(
            "This bucket does not exist yet: its records count as zeros and change nothing. Choose another member.");
        return change;
    }
    if (!member->isRead) {
        change.words = member->standing == GroupMember::Standing::Down
            ? QStringLiteral("%1 is not there: choose a member that is.").arg(name)
            : QStringLiteral("The bytes of %1 are being read …").arg(name);
        return change;
    }
    if (!member->record.isPresent) {
        change.words = QStringLiteral("%1 has no record at this rank: choose another member.").arg(name);
        return change;
    }
    if (const std::string difference = group.differenceOfStates(); !difference.empty()) {
        change.words = QStringLiteral("A change is under way: %1.").arg(text(difference));
        return change;
    }
    change.isKnown = true;
    change.after = member->record.bytes;
    const bool hasOld = member->witness && member->witness->record.isPresent
        && member->witness->record.key == member->record.key
        && member->witness->record.version < member->record.version;
    change.isInsert = !hasOld;
    if (hasOld)
        change.before = member->witness->record.bytes;
    change.words = hasOld
        ? QStringLiteral("Old: the witness, change %1. New: what %2 holds, change %3.")
              .arg(member->witness->record.version)
              .arg(name)
              .arg(member->record.version)
        : QStringLiteral("No older witness: the record as if it were inserted now. Before an insert there are zeros.");
    const ErasureCode code(group.field, group.m);
    const Field& field = code.field();
    change.delta.resize(field.paddedLength(std::max(change.before.size(), change.after.size())));
    Field::xorInto(change.delta.data(), spanOf(change.before).data(), change.before.size());
    Field::xorInto(change.delta.data(), spanOf(change.after).data(), change.after.size());
    change.steps.push_back({ DecodingStep::Kind::Bytes, 0, QStringLiteral("The delta: old ^ new"),
        QStringLiteral("The data bucket sends D = old ^ new to every parity bucket of its group. Records of other "
                       "members are not needed.") });
    for (std::uint32_t p = 0; p < group.k; ++p) {
        Change::Column column;
        column.column = p;
        column.coefficient = code.coefficient(Position(position), ParityColumn(p));
        const GroupMember* parity = group.find(Participant::parity(ParityColumn(p)));
        column.isRead = parity && parity->isRead && parity->record.isPresent;
        if (column.isRead) {
            const ByteSpan now = spanOf(parity->record.bytes);
            column.after.assign(now.begin(), now.end());
            column.after.resize(std::max(column.after.size(), change.delta.size()));
            column.before = column.after;
            // Adding the delta again removes it.
            code.addDelta(ParityColumn(p), Position(position), change.delta, column.before);
        }
        const QString coefficient = symbolWords(field, SymbolBase::Hex, column.coefficient);
        change.steps.push_back({ DecodingStep::Kind::Term, p,
            QStringLiteral("Parity bucket %1.%2:  B ^= %3 · D").arg(group.group).arg(p).arg(coefficient),
            column.coefficient == 1
                ? QStringLiteral("The coefficient P[%1][%2] is 1: plain XOR.").arg(position).arg(p)
                : QStringLiteral("The coefficient P[%1][%2] is %3. Its logarithm, %4, is kept for the whole column.")
                      .arg(position)
                      .arg(p)
                      .arg(coefficient, logWords(field, SymbolBase::Hex, field.log(column.coefficient))) });
        change.columns.push_back(std::move(column));
    }
    return change;
}

} // namespace lhrs::gui
