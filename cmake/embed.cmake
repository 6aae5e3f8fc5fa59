# embed_folder(kind folder out): a C source holding every file of a folder, regenerated when one changes.
function(embed_folder kind folder out)
  file(GLOB files CONFIGURE_DEPENDS ${folder}/*.*)
  list(SORT files)
  set(source ${PROJECT_BINARY_DIR}/embedded_${kind}.c)
  add_custom_command(OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DKIND=${kind} -DFOLDER=${folder} -DOUT=${source} -P ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake
    DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake
    COMMENT "Embedding share/${kind}")
  set(${out} ${source} PARENT_SCOPE)
endfunction()
