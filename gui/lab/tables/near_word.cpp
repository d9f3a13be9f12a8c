// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/tables/near_word.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace lhrs::gui {

QString nearestWord(const QString& name, const QStringList& known)
{
    // Edit distance, ignoring case. Near means at most a third of the name is wrong, or a common prefix.
    const auto distance = [](const QString& a, const QString& b) {
        std::vector<qsizetype> row(std::size_t(b.size()) + 1);
        for (std::size_t j = 0; j < row.size(); ++j)
            row[j] = qsizetype(j);
        for (qsizetype i = 1; i <= a.size(); ++i) {
            qsizetype diagonal = std::exchange(row[0], i);
            for (qsizetype j = 1; j <= b.size(); ++j) {
                const qsizetype change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
                diagonal = std::exchange(
                    row[std::size_t(j)], std::min({ change, row[std::size_t(j)] + 1, row[std::size_t(j) - 1] + 1 }));
            }
        }
        return row.back();
    };
    QString best;
    qsizetype least = std::max<qsizetype>(2, name.size() / 3) + 1;
    for (const QString& candidate : known) {
        const qsizetype d = distance(name.toLower(), candidate.toLower());
        if (d < least) {
            least = d;
            best = candidate;
        }
    }
    if (best.isEmpty() && name.size() >= 3)
        for (const QString& candidate : known)
            if (candidate.startsWith(name.left(3), Qt::CaseInsensitive))
                return candidate;
    return best;
}

} // namespace lhrs::gui
