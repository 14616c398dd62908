# kiln_layer(NAME [PRIVATE lib...]): one stage of Kiln as a static library, from src/NAME/**.cpp.
# Stages are declared lowest first; a stage may include any declared before it, and tests/architecture checks that.
set_property(GLOBAL PROPERTY KILN_LAYERS "")

# The standard headers that most files include, compiled once for all stages.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/kiln_pch.cpp CONTENT "")
add_library(kiln_pch STATIC EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/kiln_pch.cpp)
target_link_libraries(kiln_pch PRIVATE kiln_flags)
target_precompile_headers(kiln_pch PRIVATE
  <algorithm> <cstdint> <filesystem> <functional> <map> <memory> <optional> <string> <string_view> <variant> <vector>)

function(kiln_layer name)
  cmake_parse_arguments(ARG "" "" "PRIVATE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  get_property(below GLOBAL PROPERTY KILN_LAYERS)
  set_property(GLOBAL APPEND PROPERTY KILN_LAYERS ${name})
  set_property(GLOBAL APPEND PROPERTY KILN_LAYER_LIBRARIES_${name} ${ARG_PRIVATE})
  add_library(kiln_${name} STATIC ${sources})
  target_include_directories(kiln_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  list(TRANSFORM below PREPEND kiln_ OUTPUT_VARIABLE below_targets)
  target_link_libraries(kiln_${name} PUBLIC ${below_targets} PRIVATE kiln_flags ${ARG_PRIVATE})
  target_precompile_headers(kiln_${name} REUSE_FROM kiln_pch)
  if(KILN_UNITY)
    set_target_properties(kiln_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    target_compile_options(kiln_${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)  # sources are no headers
    foreach(source IN LISTS sources)
      get_filename_component(folder ${source} DIRECTORY)
      file(RELATIVE_PATH folder ${CMAKE_CURRENT_SOURCE_DIR} ${folder})
      string(REPLACE / _ group ${folder})
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
    endforeach()
  endif()
endfunction()
