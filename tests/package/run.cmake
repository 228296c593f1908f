# Installs the build tree into a scratch prefix, then configures, builds and runs the project beside this file against it.
#
#   cmake -D BUILD_DIR=... -D WORK_DIR=... -D GENERATOR=... -D MAKE_PROGRAM=... -D COMPILER=... -D BUILD_TYPE=...
#         -D COMPILE_FLAGS=... -D LINK_FLAGS=... -P run.cmake
#
# The flags are those that every object of one program must share (sanitizers, coverage).
set(prefix "${WORK_DIR}/prefix")
set(outside "${WORK_DIR}/outside")

# What an earlier run left could hide a file that is no longer installed.
file(REMOVE_RECURSE "${WORK_DIR}")

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run("${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${prefix}")
run("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}" -B "${outside}" -G "${GENERATOR}"
  "-DCMAKE_MAKE_PROGRAM=${MAKE_PROGRAM}" "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_BUILD_TYPE=${BUILD_TYPE}"
  "-DCMAKE_CXX_FLAGS=${COMPILE_FLAGS}" "-DCMAKE_EXE_LINKER_FLAGS=${LINK_FLAGS}"
  "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF")
run("${CMAKE_COMMAND}" --build "${outside}")
run("${outside}/outside")
