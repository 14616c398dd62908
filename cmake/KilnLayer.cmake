# kiln_layer(NAME [PRIVATE lib...]): one stage of Kiln as a static library, from src/NAME/**.cpp.
# Stages are declared lowest first; a stage may include any declared before it, and tests/architecture checks that.
set_property(GLOBAL PROPERTY KILN_LAYERS "")

function(kiln_layer name)
  cmake_parse_arguments(ARG "" "" "PRIVATE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  get_property(below GLOBAL PROPERTY KILN_LAYERS)
  if(NOT sources)  # a stage that has no code yet
    add_library(kiln_${name} INTERFACE)
    set_property(GLOBAL APPEND PROPERTY KILN_LAYERS ${name})
    return()
  endif()
  add_library(kiln_${name} STATIC ${sources})
  target_include_directories(kiln_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
                             PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
  list(TRANSFORM below PREPEND kiln_ OUTPUT_VARIABLE below_targets)
  target_link_libraries(kiln_${name} PUBLIC ${below_targets} PRIVATE $<BUILD_INTERFACE:kiln_flags> ${ARG_PRIVATE})
  target_precompile_headers(kiln_${name} PRIVATE
    <algorithm> <cstdint> <filesystem> <functional> <map> <memory> <optional> <string> <string_view> <variant> <vector>)
  set_property(GLOBAL APPEND PROPERTY KILN_LAYERS ${name})
endfunction()
