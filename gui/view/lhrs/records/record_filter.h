// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include <cstdint>
#include <string>

namespace lhrs::gui {

// Bytes as hexadecimal pairs, and as text with dots for what cannot be printed.
QString hexOf(const std::string& bytes, std::size_t bytesMax);
QString textOf(const std::string& bytes, std::size_t bytesMax);

// The condition for a row to be listed. "17": the key or rank 17, or a key with these digits; "rank 10-40"; "key 4711";
// anything else: records that contain these bytes, given as text or as hexadecimal pairs.
struct RecordFilter {
    enum class Kind { All, Number, Rank, Key, Bytes };
    Kind kind = Kind::All;
    std::uint64_t from = 0, to = 0;
    QString words;
    static RecordFilter of(const QString& words);
    bool needsBytes() const { return kind == Kind::Bytes; }
    bool takes(std::uint32_t rank, const QStringList& keys, const std::string* bytes) const;
};

// What has happened to a rank since a witness of the bucket was taken.
enum class WitnessVerdict { Equal, Changed, Missing, Extra };
QString verdictWord(WitnessVerdict verdict);

} // namespace lhrs::gui
