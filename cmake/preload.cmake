# The double of the CUDA runtime and driver, which programs of `warpline run` load in their place, in a folder of its own.
# Programs ask for libcudart.so.N with its version, and for libcuda.so.1: small libraries of those names refer to the double.
if(NOT CMAKE_SYSTEM_NAME STREQUAL Linux)
  return()
endif()
include(CheckCCompilerFlag)
set(WARPLINE_PRELOAD_DIR ${CMAKE_INSTALL_LIBDIR}/warpline)
file(GLOB PRELOAD_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/preload/*.c ${PROJECT_SOURCE_DIR}/preload/driver/*.c)
add_library(warpline_gpu_objects OBJECT ${PRELOAD_SOURCES})
set_target_properties(warpline_gpu_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_include_directories(warpline_gpu_objects PRIVATE include src preload)
target_link_libraries(warpline_gpu_objects PRIVATE PkgConfig::ZSTD warpline_flags)
add_library(warpline_gpu SHARED $<TARGET_OBJECTS:warpline_gpu_objects> $<TARGET_OBJECTS:warpline_objects>)
set_target_properties(warpline_gpu PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/preload)
install(TARGETS warpline_gpu LIBRARY DESTINATION ${WARPLINE_PRELOAD_DIR})
set(GPU_LIBRARIES warpline_gpu)

# The same with an emulator for x86 processors of the last ten years, whose wide registers and fused multiply-adds make it several
# times as fast: the files of it that work on the lanes of a warp. The loader of glibc finds the best one that the machine can run
# below the first.
set(OF_LANES "/ptx/emulate/(alu_|emulate_(carry|memory|address|atomic|frame|matrix|predicate|partial|steady|tally|warp|run)[.]|native_run[.])")
set(WIDE_SOURCES ${LIBRARY_SOURCES})
list(FILTER WIDE_SOURCES INCLUDE REGEX ${OF_LANES})
foreach(wide x86-64-v3 x86-64-v4)
  string(MAKE_C_IDENTIFIER ${wide} name)
  check_c_compiler_flag(-march=${wide} COMPILES_FOR_${name})
  if(NOT COMPILES_FOR_${name} OR WARPLINE_COVERAGE)
    continue()
  endif()
  set(target warpline_gpu_${name})
  add_library(${target} SHARED $<TARGET_OBJECTS:warpline_gpu_objects> ${WIDE_SOURCES}
    $<FILTER:$<TARGET_OBJECTS:warpline_objects>,EXCLUDE,${OF_LANES}>)
  target_compile_options(${target} PRIVATE -march=${wide})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME warpline_gpu
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/preload/glibc-hwcaps/${wide})
  install(TARGETS ${target} LIBRARY DESTINATION ${WARPLINE_PRELOAD_DIR}/glibc-hwcaps/${wide})
  list(APPEND GPU_LIBRARIES ${target})
endforeach()

# Only the names of CUDA are visible to the program, and nothing of it takes the place of ours.
foreach(library ${GPU_LIBRARIES})
  target_include_directories(${library} PRIVATE include src preload)
  target_link_options(${library} PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/preload/exports.map -Wl,-Bsymbolic -Wl,-z,defs)
  set_target_properties(${library} PROPERTIES LINK_DEPENDS ${PROJECT_SOURCE_DIR}/preload/exports.map)
  target_link_libraries(${library} PRIVATE PkgConfig::YAML PkgConfig::JANSSON PkgConfig::CMINPACK PkgConfig::ZSTD ${WARPLINE_OPENMP} m warpline_flags)
endforeach()

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
set(SHARED_WITH_RECORD "/(world|allocations|modules|recorder|tensor|textures)[.]c")
add_library(warpline_record SHARED ${RECORD_SOURCES} $<TARGET_OBJECTS:warpline_objects>
  $<FILTER:$<TARGET_OBJECTS:warpline_gpu_objects>,INCLUDE,${SHARED_WITH_RECORD}>)
set_target_properties(warpline_record PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/preload)
target_include_directories(warpline_record PRIVATE include src preload)
target_link_options(warpline_record PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/preload/record/exports.map -Wl,-Bsymbolic -Wl,-z,defs)
target_link_libraries(warpline_record PRIVATE PkgConfig::YAML PkgConfig::JANSSON PkgConfig::CMINPACK PkgConfig::ZSTD ${WARPLINE_OPENMP} m ${CMAKE_DL_LIBS} warpline_flags)
install(TARGETS warpline_record LIBRARY DESTINATION ${WARPLINE_PRELOAD_DIR})
