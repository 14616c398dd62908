# kiln_embed(TARGET HEADER FILE...): a generated header with each file's text as kiln::embedded::kFileName, for code that
# needs a source text of ours at run time. "#pragma once" lines are left out: the texts are joined, not included.
set(KILN_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/KilnEmbedScript.cmake)

function(kiln_embed target header)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded/${header})
  set(files ${ARGN})
  list(TRANSFORM files PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} "-DFILES=${files}" -P ${KILN_EMBED_SCRIPT}
    DEPENDS ${files} ${KILN_EMBED_SCRIPT} COMMENT "Embedding ${header}" VERBATIM)
  target_sources(${target} PRIVATE ${output})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/embedded)
endfunction()
