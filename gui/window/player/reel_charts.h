// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/tables/measure_chart.h"

#include <map>
#include <utility>

namespace lhrs::gui {

// The charts of a show. A chart is opened when the reel reaches its place, and grows from then on.
class ReelCharts {
public:
    void clear() { m_charts.clear(); }
    // The newest state of a chart. Whether it is open, so that it is to be drawn anew.
    bool take(const MeasureChart& chart, bool isNew)
    {
        auto& [known, isOpen] = m_charts[chart.id];
        known = chart;
        isOpen = isOpen && !isNew;
        return isOpen;
    }
    // The reel has reached its place. Null: there is no such chart.
    const MeasureChart* open(const QString& id)
    {
        const auto known = m_charts.find(id);
        if (known == m_charts.end())
            return nullptr;
        known->second.second = true;
        return &known->second.first;
    }

private:
    std::map<QString, std::pair<MeasureChart, bool>> m_charts; // by id; and whether it is open
};

} // namespace lhrs::gui
