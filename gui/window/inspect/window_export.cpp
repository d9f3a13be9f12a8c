// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/inspect/window_export.h"

#include "gui/view/paint/picture_export.h"

#include <QFileDialog>

namespace lhrs::gui {

WindowExport::WindowExport(WindowParts& parts, const std::vector<WindowSubject*>& subjects)
    : WindowSubject(parts), m_subjects(subjects)
{
    m_parts.actions.add({ "exportPicture", "File", "Export …", "Ctrl+E",
                            "Saves what is shown: a picture as SVG, PDF or PNG, rows as CSV" },
        [this] { ask(); });
}

ViewExport WindowExport::inFrontOfAll()
{
    for (WindowSubject* subject : m_subjects)
        if (const std::optional<ViewExport> view = subject->inFront())
            return *view;
    const auto write = [this](const QString& path) {
        if (isCsv(path))
            return tr("The picture of the cluster has no rows; choose .svg, .pdf or .png, or open the charts "
                      "(Ctrl+3).");
        return writePicture(
            path, m_parts.canvas.picture(), m_parts.canvas.size(), tr("the file and its processes"), m_parts.origin());
    };
    return { QStringLiteral("cluster"), tr("Pictures (*.svg *.pdf *.png)"), write };
}

QString WindowExport::write(const QString& path) { return inFrontOfAll().write(path); }

void WindowExport::ask()
{
    const ViewExport view = inFrontOfAll();
    const QString path = QFileDialog::getSaveFileName(
        &m_parts.window, tr("Export what is shown"), view.name + QStringLiteral(".svg"), view.endings);
    if (path.isEmpty())
        return;
    if (view.readRows && isCsv(path)) {
        view.readRows(path);
        return;
    }
    const QString problem = view.write(path);
    m_parts.line.answer(tr("export"), problem.isEmpty() ? tr("Written: %1").arg(path) : problem, problem.isEmpty());
}

} // namespace lhrs::gui
