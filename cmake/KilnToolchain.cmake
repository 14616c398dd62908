# Flags of all targets of Kiln, as one interface target, and the compiler cache.
add_library(kiln_flags INTERFACE)
target_compile_options(kiln_flags INTERFACE -Wall -Wextra -Wconversion -Wshadow)
if(KILN_WERROR)
  target_compile_options(kiln_flags INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
    # False positives of GCC 12 and 13 in the standard library's strings and vectors (its bugs 105329, 105651, 107852). Some
    # come up only in a source folder whose path is short.
    target_compile_options(kiln_flags INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds)
  endif()
endif()
if(KILN_SANITIZE)
  target_compile_options(kiln_flags INTERFACE -fsanitize=${KILN_SANITIZE} -fno-omit-frame-pointer -g)
  target_link_options(kiln_flags INTERFACE -fsanitize=${KILN_SANITIZE})
  if(KILN_SANITIZE MATCHES "undefined")
    target_compile_options(kiln_flags INTERFACE -fno-sanitize-recover=undefined)
  endif()
endif()
if(KILN_BUILD_FUZZERS)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "KILN_BUILD_FUZZERS needs clang++: -D CMAKE_CXX_COMPILER=clang++")
  endif()
  target_compile_options(kiln_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(KILN_COVERAGE)
  target_compile_options(kiln_flags INTERFACE --coverage -O0 -g -fprofile-update=atomic)
  target_link_options(kiln_flags INTERFACE --coverage)
endif()

# ccache hits in every build folder and every clone: paths are taken relative to the source folder, and what goes into a
# precompiled header is judged by content.
find_program(KILN_CCACHE ccache)
if(KILN_CCACHE AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${KILN_CCACHE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(kiln_flags INTERFACE -fpch-preprocess)
  elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_options(kiln_flags INTERFACE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endif()
