# Script: writes OUT, a C source with every file of FOLDER as bytes, sorted by name without suffix.
file(GLOB files ${FOLDER}/*.*)
list(TRANSFORM files REPLACE "[.][a-z]+$" "") # "v100" before "v100-sxm2"
list(SORT files)
string(REGEX REPLACE "s$" "" single ${KIND})
set(arrays "")
set(table "")
set(index 0)
foreach(file ${files})
  get_filename_component(name ${file} NAME)
  file(GLOB whole ${file}.*)
  file(READ ${whole} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(APPEND arrays "static const unsigned char file_${index}[] = {${bytes}0x00};\n")
  string(APPEND table "    {\"${name}\", file_${index}, sizeof file_${index} - 1},\n")
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE ${OUT} "/* generated from share/${KIND}: do not edit */\n#include \"base/embedded.h\"\n\n${arrays}
const wl_embedded_file wl_embedded_${KIND}[] = {\n${table}};\nconst size_t wl_embedded_${single}_count = ${index};\n")
