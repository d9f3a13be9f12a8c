#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes the languages of the tests in the given folder, for LOCPATH: German (0,5), Turkish (a dotless i), Arabic (other
# digits). They need not be installed, but their sources must be (Debian: locales).
set -eu
folder=$1
mkdir -p "$folder"
for language in de_DE tr_TR ar_EG; do
    [ -e "$folder/$language.UTF-8/LC_NUMERIC" ] && continue
    if ! localedef -i "$language" -f UTF-8 "$folder/$language.UTF-8.new"; then
        echo "the language $language cannot be made; install what Debian calls locales" >&2
        exit 1
    fi
    mv "$folder/$language.UTF-8.new" "$folder/$language.UTF-8"
done
