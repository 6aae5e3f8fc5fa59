# install.cmake - what `cmake --install` puts where: programs, libraries, headers, data, and what find_package and pkg-config
# read. Every path inside these files is relative to where they lie, so that an installed tree can be moved.
include(CMakePackageConfigHelpers)
set(WARPLINE_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/warpline)
set(WARPLINE_DOC_DIR ${CMAKE_INSTALL_DOCDIR})

install(TARGETS warpline_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# Two sets, as only the static library needs the libraries behind it.
install(TARGETS warpline EXPORT warplineTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS warpline_static EXPORT warplineStaticTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(set warplineTargets warplineStaticTargets)
  install(EXPORT ${set} NAMESPACE warpline:: DESTINATION ${WARPLINE_CMAKE_DIR})
endforeach()
configure_package_config_file(cmake/warplineConfig.cmake.in ${PROJECT_BINARY_DIR}/warplineConfig.cmake
  INSTALL_DESTINATION ${WARPLINE_CMAKE_DIR} NO_SET_AND_CHECK_MACRO)
set(compatibility SameMajorVersion)
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(compatibility SameMinorVersion)
endif()
write_basic_package_version_file(${PROJECT_BINARY_DIR}/warplineConfigVersion.cmake COMPATIBILITY ${compatibility})
install(FILES ${PROJECT_BINARY_DIR}/warplineConfig.cmake ${PROJECT_BINARY_DIR}/warplineConfigVersion.cmake
        DESTINATION ${WARPLINE_CMAKE_DIR})

# From the folder of warpline.pc back to the prefix: one step more where libraries are in lib/x86_64-linux-gnu.
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR} OR IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
  set(WARPLINE_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
else()
  file(RELATIVE_PATH up /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  string(REGEX REPLACE "/$" "" up "${up}")
  set(WARPLINE_PC_PREFIX "\${pcfiledir}/${up}")
endif()
foreach(dir LIBDIR INCLUDEDIR)
  set(WARPLINE_PC_${dir} "\${prefix}/${CMAKE_INSTALL_${dir}}")
  if(IS_ABSOLUTE ${CMAKE_INSTALL_${dir}})
    set(WARPLINE_PC_${dir} ${CMAKE_INSTALL_${dir}})
  endif()
endforeach()
configure_file(cmake/warpline.pc.in warpline.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/warpline.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(DIRECTORY include/warpline DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY share/devices share/architectures share/kernels share/costs share/schemas DESTINATION ${CMAKE_INSTALL_DATADIR}/warpline)
# The page of make web, for report --interactive, where it was made: OPTIONAL would leave an empty folder.
install(CODE "if(EXISTS \"${PROJECT_SOURCE_DIR}/build/web/index.html\")
  file(INSTALL \"${PROJECT_SOURCE_DIR}/build/web/index.html\" DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/warpline/web\")
endif()")
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${WARPLINE_DOC_DIR})
install(DIRECTORY docs/ DESTINATION ${WARPLINE_DOC_DIR}/docs FILES_MATCHING PATTERN "*.md" PATTERN plots EXCLUDE PATTERN papers EXCLUDE)
install(DIRECTORY examples/ DESTINATION ${WARPLINE_DOC_DIR}/examples PATTERN CMakeLists.txt EXCLUDE)

# Completion: each shell looks in a folder of its own.
set(WARPLINE_ZSH_DIR ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING "where zsh looks for completion")
install(FILES completion/warpline.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME warpline)
install(FILES completion/_warpline DESTINATION ${WARPLINE_ZSH_DIR})
install(FILES completion/warpline.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
