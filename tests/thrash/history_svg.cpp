// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/thrash/history_svg.h"

#include "common/check/linearize.h"
#include "common/check/say.h"
#include "common/svg_writer.h"

#include <algorithm>
#include <map>
#include <vector>

namespace lhrs::check {

namespace {

constexpr int kLeft = 120;
constexpr int kTop = 44;
constexpr int kLaneHeight = 30;
constexpr int kBarHeight = 20;
constexpr int kCharacter = 8; // width, a little generous
constexpr int kGapMin = 10;
constexpr int kMargin = 8;
constexpr int kBaseline = 14; // of a text, below the top of its bar

constexpr const char* kStyle = ".bar{fill:#dbe7f5;stroke:#31628d}.search{fill:#eef3e6;stroke:#5a7d2a}"
                               ".open{stroke-dasharray:4 3}.wrong{fill:#f7d4d0;stroke:#b3261e;stroke-width:3}"
                               ".lane{stroke:#dddddd}";

// "update 1.2", "search 1.2", "insert 1.3: EXISTS", "delete ?".
std::string labelOf(const Operation& operation)
{
    std::string label = nameOf(operation.kind);
    const bool isFound = operation.outcome == Outcome::Ok;
    if (isWrite(operation.kind) || (operation.kind == RequestKind::Search && isFound))
        label += " " + describeValue(operation.value);
    if (operation.outcome == Outcome::Unknown)
        return label + " ?";
    return isFound ? label : label + ": " + nameOf(operation.outcome);
}

HistoryTime endOf(const Operation& operation)
{
    return operation.outcome == Outcome::Lost ? operation.toldLost : operation.answered;
}

struct Lane {
    std::uint32_t process = 0;
    std::uint32_t nth = 0; // number of this lane among those of the process
    HistoryTime until = 0; // its last operation's end
};

struct Bar {
    const Operation* operation = nullptr;
    std::size_t index = 0;
    std::size_t lane = 0;
};

// Puts each operation into the first free lane of its process. Lanes of one process are adjacent.
std::vector<Lane> placed(std::vector<Bar>& bars)
{
    std::vector<Lane> lanes;
    for (Bar& bar : bars) {
        std::uint32_t nth = 0;
        std::size_t at = 0;
        for (; at < lanes.size(); ++at) {
            if (lanes[at].process != bar.operation->process)
                continue;
            if (lanes[at].until < bar.operation->invoked)
                break;
            ++nth;
        }
        if (at == lanes.size())
            lanes.push_back({ bar.operation->process, nth, 0 });
        lanes[at].until = endOf(*bar.operation);
        bar.lane = at;
    }
    std::vector<std::size_t> order(lanes.size());
    for (std::size_t at = 0; at < order.size(); ++at)
        order[at] = at;
    std::sort(order.begin(), order.end(), [&lanes](std::size_t a, std::size_t b) {
        return std::pair(lanes[a].process, lanes[a].nth) < std::pair(lanes[b].process, lanes[b].nth);
    });
    std::vector<std::size_t> row(lanes.size());
    std::vector<Lane> sorted;
    for (const std::size_t at : order) {
        row[at] = sorted.size();
        sorted.push_back(lanes[at]);
    }
    for (Bar& bar : bars)
        bar.lane = row[bar.lane];
    return sorted;
}

// The x position of each instant: right of the one before, with enough room for the label of any bar that ends there.
std::map<HistoryTime, int> instants(const std::vector<Bar>& bars)
{
    std::map<HistoryTime, int> at;
    std::multimap<HistoryTime, const Operation*> ends;
    for (const Bar& bar : bars) {
        at[bar.operation->invoked] = 0;
        at[endOf(*bar.operation)] = 0;
        ends.emplace(endOf(*bar.operation), bar.operation);
    }
    int x = kLeft;
    for (auto& [time, place] : at) {
        int after = 0; // an operation that ends at the instant it begins has its label in the gap after it
        for (auto [end, last] = ends.equal_range(time); end != last; ++end) {
            const int width = kCharacter * int(labelOf(*end->second).size()) + kGapMin;
            if (end->second->invoked == time)
                after = std::max(after, width);
            else
                x = std::max(x, at[end->second->invoked] + width);
        }
        place = x;
        x += std::max(after, kGapMin);
    }
    return at;
}

void drawLane(SvgWriter& svg, const Lane& lane, int y, int width)
{
    const int middle = y + kBarHeight / 2;
    svg.element("line", { { "class", "lane" }, { "x1", kLeft }, { "x2", width }, { "y1", middle }, { "y2", middle } });
    svg.element("text", { { "x", kMargin }, { "y", y + kBaseline } },
        say("client ", lane.process, lane.nth > 0 ? ", later" : ""));
}

void drawBar(SvgWriter& svg, const Bar& bar, const std::map<HistoryTime, int>& at,
    const std::vector<HistoryTime>& possible, bool isMarked)
{
    const Operation& operation = *bar.operation;
    const int x = at.at(operation.invoked), y = kTop + kLaneHeight * int(bar.lane);
    const int length = std::max(at.at(endOf(operation)) - x, 4);
    std::string look = "bar";
    look += operation.kind == RequestKind::Search ? " search" : "";
    look += certaintyOf(operation.outcome) == Certainty::Open ? " open" : "";
    look += isMarked ? " wrong" : "";
    svg.begin("g");
    svg.element("title", {}, describe(operation));
    svg.element("rect",
        { { "class", look }, { "x", x }, { "y", y }, { "width", length }, { "height", kBarHeight }, { "rx", 3 } });
    svg.element("text", { { "x", x + 4 }, { "y", y + kBaseline } }, labelOf(operation));
    for (const HistoryTime instant : possible)
        if (const auto place = at.find(instant); place != at.end())
            svg.element("circle", { { "cx", place->second }, { "cy", y + kBarHeight }, { "r", 3 } });
    svg.end("g");
}

} // namespace

std::string historySvg(const History& history, const HistoryPicture& picture)
{
    std::vector<Bar> bars;
    for (std::size_t at = 0; at < history.operations().size(); ++at)
        bars.push_back({ &history.operations()[at], at, 0 });
    std::stable_sort(bars.begin(), bars.end(),
        [](const Bar& a, const Bar& b) { return a.operation->invoked < b.operation->invoked; });
    const std::size_t left = bars.size() - std::min(bars.size(), picture.operationsMax);
    bars.erase(bars.begin(), bars.begin() + std::ptrdiff_t(left));
    const std::vector<Lane> lanes = placed(bars);
    const std::map<HistoryTime, int> at = instants(bars);
    const int width = (at.empty() ? kLeft : at.rbegin()->second) + 10 * kGapMin;
    const int height = kTop + kLaneHeight * int(lanes.size()) + kGapMin;

    SvgWriter svg(width, height, { { "font-family", "sans-serif" }, { "font-size", 12 } });
    svg.element("style", {}, kStyle);
    svg.element("rect", { { "width", "100%" }, { "height", "100%" }, { "fill", "white" } });
    svg.element("text", { { "x", kMargin }, { "y", 18 }, { "font-weight", "bold" } }, picture.title);
    std::string note = history.valueBefore() ? "before: " + describeValue(*history.valueBefore()) : "";
    if (left > 0)
        note += say("  (", left, " earlier operations are not shown)");
    if (!note.empty())
        svg.element("text", { { "x", kMargin }, { "y", 34 } }, note);
    for (std::size_t row = 0; row < lanes.size(); ++row)
        drawLane(svg, lanes[row], kTop + kLaneHeight * int(row), width);
    for (const Bar& bar : bars) {
        const std::vector<HistoryTime> none;
        const bool isKnown = bar.index < picture.instants.size();
        drawBar(svg, bar, at, isKnown ? picture.instants[bar.index] : none, bar.index == picture.marked);
    }
    return svg.finish();
}

std::string violationSvg(const std::string& title, const History& history)
{
    if (judge(history).verdict != Verdict::No)
        return historySvg(history, { .title = title });
    constexpr std::size_t kOperationsForInstantsMax = 200;
    const Prefix prefix = shortestIllegalPrefix(history);
    HistoryPicture picture { .title = title + ": " + judge(prefix.history).reason, .marked = prefix.lastAnswered };
    const std::vector<Operation>& all = prefix.history.operations();
    if (all.size() <= kOperationsForInstantsMax) {
        // The prefix without its last answer, which is linearizable.
        History legal(prefix.history.valueBefore());
        for (std::size_t at = 0; at < all.size(); ++at) {
            Operation operation = all[at];
            if (at == prefix.lastAnswered) {
                operation.outcome = Outcome::Unknown;
                operation.answered = operation.toldLost = kNever;
            }
            legal.add(operation);
        }
        for (const Loss& loss : prefix.history.losses())
            legal.lost(loss);
        picture.instants = possibleInstants(legal);
        if (prefix.lastAnswered < picture.instants.size())
            picture.instants[prefix.lastAnswered].clear();
    }
    return historySvg(prefix.history, picture);
}

} // namespace lhrs::check
