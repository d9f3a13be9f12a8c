// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QDateTime>
#include <QString>

#include <memory>
#include <vector>

class QLockFile;

namespace lhrs::gui {

// A text that was being written and is in no file yet.
struct UnsavedText {
    QString path; // of the file that it is a change of; empty: a new one
    QString text;
    bool hasCrLf = false, hasBom = false;
    QByteArray digest; // of that file when it was opened
    QDateTime keptAt;
    QString kept;      // where it is kept
};

// Keeps the unsaved text of one window in a directory, so that it outlives a crash; finds those of windows that are gone.
// Each is a file of its own with a lock: a window that still runs has the lock of its text.
class UnsavedStore {
public:
    // An empty directory: nothing is kept and nothing is found.
    explicit UnsavedStore(const QString& directory);
    // What is kept stays.
    ~UnsavedStore();
    UnsavedStore(const UnsavedStore&) = delete;
    UnsavedStore& operator=(const UnsavedStore&) = delete;

    // In place of what was kept before. An error is a sentence; empty: kept.
    QString keep(const UnsavedText& text);
    // There is nothing unsaved any more.
    void forget();
    // Of windows that are gone, the newest first; no other window is offered them while this one lives.
    const std::vector<UnsavedText>& left();
    // It was taken, or is not wanted.
    void drop(const UnsavedText& text);

    // Where windows keep them, unless told otherwise.
    static QString usualDirectory();

private:
    QString m_directory, m_own;
    std::unique_ptr<QLockFile> m_lock;
    bool m_hasLooked = false;
    std::vector<UnsavedText> m_left;
    std::vector<std::pair<QString, std::unique_ptr<QLockFile>>> m_adopted;
};

} // namespace lhrs::gui
