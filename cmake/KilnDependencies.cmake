# Third-party libraries, all from the distribution's packages (see tools/packages.txt).
if(KILN_STATIC_DEPENDENCIES)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a .so)
  set(Boost_USE_STATIC_LIBS ON)
  set(OPENSSL_USE_STATIC_LIBS ON)
endif()

find_package(Threads REQUIRED)
find_package(spdlog REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(Boost REQUIRED COMPONENTS context)

# yaml-cpp exports yaml-cpp::yaml-cpp since 0.8; Debian 12 has 0.7.
add_library(kiln_yaml_cpp INTERFACE)
if(KILN_STATIC_DEPENDENCIES)
  find_library(KILN_YAML_CPP_LIBRARY NAMES libyaml-cpp.a REQUIRED)
  target_link_libraries(kiln_yaml_cpp INTERFACE ${KILN_YAML_CPP_LIBRARY})
elseif(TARGET yaml-cpp::yaml-cpp)
  target_link_libraries(kiln_yaml_cpp INTERFACE yaml-cpp::yaml-cpp)
else()
  target_link_libraries(kiln_yaml_cpp INTERFACE yaml-cpp)
endif()

# muParser's package has a CMake file on some distributions only.
find_path(KILN_MUPARSER_INCLUDE muParser.h REQUIRED)
find_library(KILN_MUPARSER_LIBRARY NAMES muparser REQUIRED)
add_library(kiln_muparser INTERFACE)
target_include_directories(kiln_muparser SYSTEM INTERFACE ${KILN_MUPARSER_INCLUDE})
target_link_libraries(kiln_muparser INTERFACE ${KILN_MUPARSER_LIBRARY})
