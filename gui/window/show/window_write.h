// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/export/result_folder.h"
#include "gui/window/editor/editor_panel.h"
#include "gui/window/parts/window_parts.h"

namespace lhrs::gui {

// Writing and playing scenarios: the editor, its actions, and the tables of a run.
class WindowWrite : public WindowSubject {
    Q_OBJECT
public:
    WindowWrite(WindowParts& parts, const EditorPanel::Places& places);

    void build() override;
    void enable() override;
    void applyTheme() override;
    void addStatus(std::vector<StatusPart>& parts) const override;

    EditorPanel& editor() const { return *m_editor; }
    // The editor has more buttons than the player, which shows its own only outside of it.
    void showButtons();

private:
    void exportTables();
    // Writes the tables of the scenario; returns an error as a sentence.
    QString writeResults(const QString& directory, FolderUse use);

    const EditorPanel::Places m_places;
    EditorPanel* m_editor = nullptr;
};

} // namespace lhrs::gui
