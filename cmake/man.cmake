# man.cmake - the man pages, from the tables of options and docs/: warpline(1), warpline-rank(1), .., warpline-model(7).
set(WARPLINE_DATE 2026-11-16) # of the pages: that of the last change which users see
set(WARPLINE_MAN_DIR ${PROJECT_BINARY_DIR}/man)
file(GLOB MAN_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/man/*.c)
add_executable(make_man ${MAN_SOURCES})
target_link_libraries(make_man PRIVATE warpline_flags)

file(GLOB MAN_DOCUMENTS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/*.md)
list(SORT MAN_DOCUMENTS)
list(REMOVE_ITEM MAN_DOCUMENTS ${PROJECT_SOURCE_DIR}/docs/manual.md)
list(FILTER MAN_DOCUMENTS EXCLUDE REGEX "/(accuracy|design|gallery|papers|roofline_examples)[.]md$") # reports, and what developers read
if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
  message(STATUS "no man pages: the program, which knows its options, cannot be run here")
  return()
endif()
add_custom_command(OUTPUT ${WARPLINE_MAN_DIR}/made
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${WARPLINE_MAN_DIR}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${WARPLINE_MAN_DIR}
  COMMAND warpline_cli --tables >${WARPLINE_MAN_DIR}/tables
  COMMAND make_man ${WARPLINE_MAN_DIR}/tables ${PROJECT_VERSION} ${WARPLINE_DATE} ${WARPLINE_MAN_DIR}
          ${PROJECT_SOURCE_DIR}/docs/manual.md ${MAN_DOCUMENTS}
  COMMAND ${CMAKE_COMMAND} -E touch ${WARPLINE_MAN_DIR}/made
  DEPENDS warpline_cli make_man ${PROJECT_SOURCE_DIR}/docs/manual.md ${MAN_DOCUMENTS}
  COMMENT "Making man pages")
add_custom_target(man_pages ALL DEPENDS ${WARPLINE_MAN_DIR}/made)
foreach(section 1 5 7)
  install(DIRECTORY ${WARPLINE_MAN_DIR}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section} FILES_MATCHING PATTERN "*.${section}")
endforeach()
