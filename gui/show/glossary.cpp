// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/show/glossary.h"

#include "gui/show/show_systems.h"
#include "gui/show/window_terms.h"

#include <algorithm>

namespace lhrs::gui {

namespace {

std::vector<Term> makeTerms()
{
    std::vector<Term> terms = termsOfSystems();
    for (Term& term : windowTerms())
        terms.push_back(std::move(term));
    std::sort(terms.begin(), terms.end(),
        [](const Term& a, const Term& b) { return a.name.compare(b.name, Qt::CaseInsensitive) < 0; });
    return terms;
}

} // namespace

const std::vector<Term>& glossary()
{
    static const std::vector<Term> kTerms = makeTerms();
    return kTerms;
}

const Term* termOf(std::string_view id)
{
    const auto& all = glossary();
    const auto found = std::find_if(all.begin(), all.end(), [id](const Term& term) { return id == term.id; });
    return found == all.end() ? nullptr : &*found;
}

std::string_view termIdOf(ObjectRef object)
{
    for (const Term& term : glossary())
        if (std::find(term.explains.begin(), term.explains.end(), object.kind) != term.explains.end())
            return term.id;
    return {};
}

QString exampleOf(const Term& term, const ClusterState& state, ObjectRef object, std::uint32_t part)
{
    const QString words = term.example != nullptr ? term.example(term, state, object, part) : QString();
    return words.isEmpty() ? QString() : QStringLiteral("Here: %1.").arg(words);
}

std::vector<const Term*> findTerms(const QString& words)
{
    const QStringList parts = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    const QString whole = parts.join(QLatin1Char(' '));
    const auto hasAll = [&parts](const QString& text) {
        return std::all_of(
            parts.begin(), parts.end(), [&](const QString& part) { return text.contains(part, Qt::CaseInsensitive); });
    };
    // Case-sensitive, because k and K are different terms.
    const auto orderOf = [&](const Term& term) {
        const QString id = QString::fromLatin1(term.id);
        return id == whole                                                                                      ? 0
            : term.name.compare(whole, Qt::CaseInsensitive) == 0 || id.compare(whole, Qt::CaseInsensitive) == 0 ? 1
            : hasAll(term.name)                                                                                 ? 2
                                                                                                                : 3;
    };
    std::vector<const Term*> found;
    for (const Term& term : glossary()) {
        if (hasAll(term.name + QLatin1Char(' ') + term.meaning))
            found.push_back(&term);
    }
    if (!parts.isEmpty())
        std::stable_sort(
            found.begin(), found.end(), [&](const Term* a, const Term* b) { return orderOf(*a) < orderOf(*b); });
    return found;
}

} // namespace lhrs::gui
