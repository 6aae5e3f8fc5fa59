# The double of the CUDA runtime and driver, which programs of `warpline run` load in their place, in a folder of its own.
# Programs ask for libcudart.so.N with its version, and for libcuda.so.1: small libraries of those names refer to the double.
if(NOT CMAKE_SYSTEM_NAME STREQUAL Linux)
  return()
endif()
set(WARPLINE_PRELOAD_DIR ${CMAKE_INSTALL_LIBDIR}/warpline)
file(GLOB PRELOAD_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/preload/*.c ${PROJECT_SOURCE_DIR}/preload/driver/*.c)
add_library(warpline_gpu SHARED ${PRELOAD_SOURCES} $<TARGET_OBJECTS:warpline_objects>)
set_target_properties(warpline_gpu PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/preload)
target_include_directories(warpline_gpu PRIVATE include src preload)
# Only the names of CUDA are visible to the program, and nothing of it takes the place of ours.
target_link_options(warpline_gpu PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/preload/exports.map -Wl,-Bsymbolic -Wl,-z,defs)
set_target_properties(warpline_gpu PROPERTIES LINK_DEPENDS ${PROJECT_SOURCE_DIR}/preload/exports.map)
target_link_libraries(warpline_gpu PRIVATE PkgConfig::YAML PkgConfig::JANSSON PkgConfig::CMINPACK PkgConfig::ZSTD ${WARPLINE_OPENMP} m warpline_flags)
install(TARGETS warpline_gpu LIBRARY DESTINATION ${WARPLINE_PRELOAD_DIR})

foreach(name libcudart.so.11.0 libcudart.so.12 libcudart.so.13 libcuda.so.1)
  string(MAKE_C_IDENTIFIER ${name} target)
  file(WRITE ${PROJECT_BINARY_DIR}/preload/${target}.map "${name} { global: warpline_cudart; local: *; };\n")
  add_library(${target} SHARED ${PROJECT_SOURCE_DIR}/preload/names/cudart.c)
  set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/preload PREFIX "" SUFFIX ""
    OUTPUT_NAME ${name} NO_SONAME ON INSTALL_RPATH "$ORIGIN" BUILD_RPATH "$ORIGIN")
  target_link_options(${target} PRIVATE -Wl,--version-script=${PROJECT_BINARY_DIR}/preload/${target}.map -Wl,-soname,${name} -Wl,--no-as-needed)
  target_link_libraries(${target} PRIVATE warpline_gpu)
  install(TARGETS ${target} LIBRARY DESTINATION ${WARPLINE_PRELOAD_DIR})
endforeach()

# The recorder, which programs of `warpline record` load beside CUDA's own driver.
file(GLOB RECORD_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/preload/record/*.c)
foreach(name world allocations modules recorder tensor textures)
  list(APPEND RECORD_SOURCES ${PROJECT_SOURCE_DIR}/preload/${name}.c)
endforeach()
add_library(warpline_record SHARED ${RECORD_SOURCES} $<TARGET_OBJECTS:warpline_objects>)
set_target_properties(warpline_record PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/preload)
target_include_directories(warpline_record PRIVATE include src preload)
target_link_options(warpline_record PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/preload/record/exports.map -Wl,-Bsymbolic -Wl,-z,defs)
target_link_libraries(warpline_record PRIVATE PkgConfig::YAML PkgConfig::JANSSON PkgConfig::CMINPACK PkgConfig::ZSTD ${WARPLINE_OPENMP} m ${CMAKE_DL_LIBS} warpline_flags)
install(TARGETS warpline_record LIBRARY DESTINATION ${WARPLINE_PRELOAD_DIR})
