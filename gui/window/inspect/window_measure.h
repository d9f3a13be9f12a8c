// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/export/result_folder.h"
#include "gui/window/parts/window_parts.h"

namespace lhrs::gui {

class ChartPanel;
class SpaceTimeView;
struct ExportResult;

// Charts and the space-time diagram, and the files that are written of them.
class WindowMeasure : public WindowSubject {
    Q_OBJECT
public:
    explicit WindowMeasure(WindowParts& parts);

    void build() override;
    void forget() override;
    void clear() override;
    void restart() override;
    void showRun() override;
    void applyTheme() override;
    std::optional<ViewExport> inFront() override;

    // Writes everything that can be exported from the open recording: its tables, the ShiViz log, charts, and pictures
    // of its end. `writeView` writes the view in front into a file.
    ExportResult writeAll(
        const QString& directory, FolderUse use, const std::function<QString(const QString& path)>& writeView);

signals:
    // A script wants a chart to be shown, which is done next.
    void wanted();

private:
    QString writeChart(const QString& path);
    QString writeSpaceTime(const QString& path);

    ChartPanel* m_charts = nullptr;
    SpaceTimeView* m_spaceTime = nullptr;
};

} // namespace lhrs::gui
