# For programs that use Kiln: kernels in the program's binary. find_package(kiln) and add_subdirectory bring both functions.
set(KILN_KERNELS_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/KilnKernelsScript.cmake)

# kiln_embed_kernels(TARGET [NAMESPACE kernels] [HEADER kernels.h] FILES axpy.cu lib/tile.h ...): a header for TARGET with the
# text of each file as `inline constexpr std::string_view NAMESPACE::axpy_cu`: the file's name with _ for what no identifier
# has. For service.program("axpy.cu", std::string(kernels::axpy_cu)).
function(kiln_embed_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 embed "" "NAMESPACE;HEADER" "FILES")
  kiln_check_arguments(kiln_embed_kernels embed FILES)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/kiln/${target})
  set(header ${folder}/${embed_HEADER})
  set(files "")
  foreach(file IN LISTS embed_FILES)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    list(APPEND files ${file})
  endforeach()
  add_custom_command(OUTPUT ${header}
    COMMAND ${CMAKE_COMMAND} "-DHEADER=${header}" "-DNAMESPACE=${embed_NAMESPACE}" "-DFILES=${files}" -P ${KILN_KERNELS_SCRIPT}
    DEPENDS ${files} ${KILN_KERNELS_SCRIPT} COMMENT "Embedding kernels in ${embed_HEADER}" VERBATIM)
  target_sources(${target} PRIVATE ${header})
  target_include_directories(${target} PRIVATE ${folder})
endfunction()

# kiln_pack_kernels(TARGET JOBS job.yaml ... [ARCHS native sm_90 ...] [EMBED] [NAMESPACE kernels] [HEADER packed_kernels.h]
# [WORKLOAD_PATH folder ...] [DEPENDS file ...]): compiles all variants of the jobs for each architecture while TARGET is built,
# and packs the code into one bundle, which is TARGET's property KILN_BUNDLE. With EMBED the bundle is in TARGET's binary, and
# the header declares `std::span<const std::byte> NAMESPACE::bundle()` for service.add_bundle(). DEPENDS: the kernel files.
function(kiln_pack_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 pack "EMBED" "NAMESPACE;HEADER" "JOBS;ARCHS;WORKLOAD_PATH;DEPENDS")
  if(NOT pack_HEADER)
    set(pack_HEADER packed_kernels.h)
  endif()
  kiln_check_arguments(kiln_pack_kernels pack JOBS)
  if(TARGET kiln)
    set(program $<TARGET_FILE:kiln>)
    set(depends kiln)
  elseif(KILN_PROGRAM)
    set(program ${KILN_PROGRAM})
    set(depends ${KILN_PROGRAM})
  else()
    message(FATAL_ERROR "kiln_pack_kernels(${target}): the program kiln compiles them, and is built where libcli11-dev is installed")
  endif()
  if(NOT pack_ARCHS)
    set(pack_ARCHS native)
  endif()
  list(JOIN pack_ARCHS "," archs)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/kiln/${target})
  set(bundle ${folder}/kernels.tar)
  set(options --cache-dir ${folder}/cache)
  if(pack_WORKLOAD_PATH)
    list(TRANSFORM pack_WORKLOAD_PATH REPLACE "^([^/].*)$" "${CMAKE_CURRENT_SOURCE_DIR}/\\1")
    list(JOIN pack_WORKLOAD_PATH ":" path)
    list(APPEND options --workload-path ${path})
  endif()
  set(compiles "")
  set(jobs "")
  foreach(job IN LISTS pack_JOBS)
    cmake_path(ABSOLUTE_PATH job BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    list(APPEND jobs ${job})
    list(APPEND compiles COMMAND ${program} compile ${job} --arch ${archs} ${options})
  endforeach()
  foreach(file IN LISTS pack_DEPENDS)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    list(APPEND depends ${file})
  endforeach()
  add_custom_command(OUTPUT ${bundle}
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${folder}/cache
    ${compiles}
    COMMAND ${program} cache pack --cache-dir ${folder}/cache -o ${bundle}
    DEPENDS ${jobs} ${depends} COMMENT "Compiling kernels for ${archs}" VERBATIM)
  set_target_properties(${target} PROPERTIES KILN_BUNDLE ${bundle})
  if(NOT pack_EMBED)
    add_custom_target(${target}_kernels ALL DEPENDS ${bundle})
    return()
  endif()
  string(MAKE_C_IDENTIFIER "kiln_bundle_of_${target}" symbol)
  file(CONFIGURE OUTPUT ${folder}/${pack_HEADER} CONTENT [==[
// Made by kiln_pack_kernels().
#pragma once

#include <cstddef>
#include <span>

namespace @pack_NAMESPACE@ {
[[nodiscard]] std::span<const std::byte> bundle();
}
]==] @ONLY)
  file(CONFIGURE OUTPUT ${folder}/packed_kernels.cpp CONTENT [==[
// Made by kiln_pack_kernels().
#include "@pack_HEADER@"

__asm__(
    ".section .rodata\n.balign 16\n@symbol@_begin:\n.incbin \"@bundle@\"\n@symbol@_end:\n.byte 0\n"
    ".hidden @symbol@_begin\n.hidden @symbol@_end\n.globl @symbol@_begin\n.globl @symbol@_end\n.previous\n");
extern "C" const std::byte @symbol@_begin[];
extern "C" const std::byte @symbol@_end[];

std::span<const std::byte> @pack_NAMESPACE@::bundle() {
  return {@symbol@_begin, @symbol@_end};
}
]==] @ONLY)
  set_source_files_properties(${folder}/packed_kernels.cpp PROPERTIES OBJECT_DEPENDS ${bundle})
  target_sources(${target} PRIVATE ${folder}/packed_kernels.cpp ${bundle})
  set_source_files_properties(${bundle} PROPERTIES HEADER_FILE_ONLY ON)
  target_include_directories(${target} PRIVATE ${folder})
  target_compile_features(${target} PRIVATE cxx_std_20)
endfunction()

# What is missing, or unknown, is an error; NAMESPACE and HEADER have defaults.
macro(kiln_check_arguments function prefix list)
  if(${prefix}_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${function}(${target}): unknown arguments: ${${prefix}_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT ${prefix}_${list})
    message(FATAL_ERROR "${function}(${target}): ${list} is missing, or empty")
  endif()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "${function}(${target}): there is no such target")
  endif()
  if(NOT ${prefix}_NAMESPACE)
    set(${prefix}_NAMESPACE kernels)
  endif()
  if(NOT ${prefix}_HEADER)
    set(${prefix}_HEADER kernels.h)
  endif()
endmacro()
