# kiln::kiln, the library for programs that embed Kiln: every stage but the command line, as one libkiln (static, or
# shared with BUILD_SHARED_LIBS). The same name for find_package, FetchContent and add_subdirectory.
get_property(layers GLOBAL PROPERTY KILN_LAYERS)
list(REMOVE_ITEM layers cli)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/kiln_library.cpp CONTENT "")
add_library(kiln_library ${PROJECT_BINARY_DIR}/kiln_library.cpp)
add_library(kiln::kiln ALIAS kiln_library)
add_dependencies(kiln_library kiln-worker)  # programs that embed Kiln start it
set_target_properties(kiln_library PROPERTIES OUTPUT_NAME kiln EXPORT_NAME kiln)
target_compile_features(kiln_library PUBLIC cxx_std_20)
target_include_directories(kiln_library PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                               $<INSTALL_INTERFACE:include>)
foreach(layer IN LISTS layers)
  target_sources(kiln_library PRIVATE $<TARGET_OBJECTS:kiln_${layer}>)
  get_property(libraries GLOBAL PROPERTY KILN_LAYER_LIBRARIES_${layer})
  list(APPEND KILN_LIBRARY_LINKS ${libraries})
endforeach()
list(REMOVE_DUPLICATES KILN_LIBRARY_LINKS)
list(REMOVE_ITEM KILN_LIBRARY_LINKS nlohmann_json::nlohmann_json)  # headers only, in no header of ours that is public
# kilnConfig.cmake adds them for users of the installed static library.
target_link_libraries(kiln_library PRIVATE $<BUILD_INTERFACE:kiln_flags> $<BUILD_INTERFACE:${KILN_LIBRARY_LINKS}>)
