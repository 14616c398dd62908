# What programs that embed Kiln are linked with, in the build and by find_package, FetchContent and add_subdirectory:
#   kiln::kiln    libkiln.a, every stage but the command line
#   kiln::shared  libkiln.so.1, of the same objects: the C interface and the C++ one, and no other symbol
get_property(layers GLOBAL PROPERTY KILN_LAYERS)
list(REMOVE_ITEM layers cli)
set(kiln_objects)
foreach(layer IN LISTS layers)
  list(APPEND kiln_objects $<TARGET_OBJECTS:kiln_${layer}>)
  get_property(libraries GLOBAL PROPERTY KILN_LAYER_LIBRARIES_${layer})
  list(APPEND KILN_LIBRARY_LINKS ${libraries})
endforeach()
list(REMOVE_DUPLICATES KILN_LIBRARY_LINKS)
list(REMOVE_ITEM KILN_LIBRARY_LINKS nlohmann_json::nlohmann_json)  # headers only, which no public header includes

file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/kiln_library.cpp CONTENT "")
add_library(kiln_library STATIC ${PROJECT_BINARY_DIR}/kiln_library.cpp)
add_library(kiln_shared SHARED ${PROJECT_BINARY_DIR}/kiln_library.cpp)
set_target_properties(kiln_library PROPERTIES OUTPUT_NAME kiln EXPORT_NAME kiln)
file(STRINGS ${PROJECT_SOURCE_DIR}/include/kiln.h abi REGEX "^#define KILN_ABI ")
string(REGEX REPLACE "[^0-9]" "" abi "${abi}")
set_target_properties(kiln_shared PROPERTIES
  OUTPUT_NAME kiln EXPORT_NAME shared SOVERSION ${abi} VERSION ${abi}.${PROJECT_VERSION}
  LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/kiln.map)
target_link_options(kiln_shared PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/kiln.map -Wl,--gc-sections)
if(NOT KILN_SANITIZE)
  target_link_options(kiln_shared PRIVATE -Wl,-z,defs)
endif()
foreach(library kiln_library kiln_shared)
  get_target_property(name ${library} EXPORT_NAME)
  add_library(kiln::${name} ALIAS ${library})
  add_dependencies(${library} kiln-worker)  # programs that embed Kiln start it
  target_compile_features(${library} PUBLIC cxx_std_20)
  target_include_directories(${library} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                               $<INSTALL_INTERFACE:include>)
  target_sources(${library} PRIVATE ${kiln_objects})
  # kilnConfig.cmake adds them for users of the installed static library.
  target_link_libraries(${library} PRIVATE $<BUILD_INTERFACE:kiln_flags> $<BUILD_INTERFACE:${KILN_LIBRARY_LINKS}>)
endforeach()
