# SPDX-License-Identifier: GPL-3.0-or-later
# Writes the commit of the sources into a C++ file, which changes only when the commit does: -DSOURCE=tree -DOUT=file.cpp
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 "--exclude=*" OUTPUT_VARIABLE commit ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
set(text "// SPDX-License-Identifier: GPL-3.0-or-later\nextern const char kProgramCommit[];\nconst char kProgramCommit[] = \"${commit}\"; // empty: the sources are in no repository\n")
set(former "")
if(EXISTS ${OUT})
  file(READ ${OUT} former)
endif()
if(NOT former STREQUAL text)
  file(WRITE ${OUT} "${text}")
endif()
