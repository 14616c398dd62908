# kiln_embed(TARGET HEADER FILE...): a generated header with each file's text as kiln::embedded::kFileName, for code that
# needs one of Kiln's source texts at run time. Each source file of Kiln has constants of its own (internal linkage), because two headers
# may have a text of one name (math.h of the cpu and of NVRTC). "#pragma once" lines are left out: the texts are joined, not included.
set(KILN_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/KilnEmbedScript.cmake)

function(kiln_embed target header)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded/${header})
  set(files "")
  foreach(file IN LISTS ARGN)
    get_filename_component(path ${file} ABSOLUTE)
    list(APPEND files ${path})
  endforeach()
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} "-DFILES=${files}" -P ${KILN_EMBED_SCRIPT}
    DEPENDS ${files} ${KILN_EMBED_SCRIPT} COMMENT "Embedding ${header}" VERBATIM)
  target_sources(${target} PRIVATE ${output})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/embedded)
endfunction()

# kiln_source_digest(TARGET HEADER PATTERN...): a generated HEADER that defines KILN_SOURCE_DIGEST, the SHA-256 of the files
# that match. Code made from a kernel text depends on the code that makes it, so this is part of every cache key.
function(kiln_source_digest target header)
  file(GLOB files CONFIGURE_DEPENDS ${ARGN})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(digests "")
  foreach(file IN LISTS files)
    file(SHA256 ${file} digest)
    string(APPEND digests ${digest})
  endforeach()
  string(SHA256 digest "${digests}")
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/embedded/${header}
       CONTENT "#pragma once\n#define KILN_SOURCE_DIGEST \"${digest}\"\n")
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/embedded)
endfunction()
