# Finds CHOLMOD of SuiteSparse: the imported target CHOLMOD::CHOLMOD. It is partly GPL, so only benchmarks may use it.
find_path(CHOLMOD_INCLUDE_DIR cholmod.h PATH_SUFFIXES suitesparse)
find_library(CHOLMOD_LIBRARY cholmod)
mark_as_advanced(CHOLMOD_INCLUDE_DIR CHOLMOD_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CHOLMOD REQUIRED_VARS CHOLMOD_LIBRARY CHOLMOD_INCLUDE_DIR)

if(CHOLMOD_FOUND AND NOT TARGET CHOLMOD::CHOLMOD)
  add_library(CHOLMOD::CHOLMOD INTERFACE IMPORTED)
  target_include_directories(CHOLMOD::CHOLMOD SYSTEM INTERFACE "${CHOLMOD_INCLUDE_DIR}")
  target_link_libraries(CHOLMOD::CHOLMOD INTERFACE "${CHOLMOD_LIBRARY}")
endif()
