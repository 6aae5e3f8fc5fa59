# The other kind of machine, $FOREIGN (aarch64 or x86_64): Debian's cross compiler and multiarch libraries, its programs
# run under qemu-user. See scripts/test-foreign.sh.
set(FOREIGN "$ENV{FOREIGN}")
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${FOREIGN})
string(REPLACE "_" "-" foreign_tool "${FOREIGN}")
set(CMAKE_C_COMPILER ${foreign_tool}-linux-gnu-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE ${FOREIGN}-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${FOREIGN})
set(CMAKE_FIND_ROOT_PATH /usr/${FOREIGN}-linux-gnu /usr/lib/${FOREIGN}-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY BOTH)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE BOTH)
