# Finds the drawing library cairo, without its windows: the imported target Cairo::Cairo.
find_path(CAIRO_INCLUDE_DIR cairo.h PATH_SUFFIXES cairo)
find_library(CAIRO_LIBRARY cairo)
mark_as_advanced(CAIRO_INCLUDE_DIR CAIRO_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Cairo REQUIRED_VARS CAIRO_LIBRARY CAIRO_INCLUDE_DIR)

if(Cairo_FOUND AND NOT TARGET Cairo::Cairo)
  add_library(Cairo::Cairo INTERFACE IMPORTED)
  target_include_directories(Cairo::Cairo SYSTEM INTERFACE "${CAIRO_INCLUDE_DIR}")
  target_link_libraries(Cairo::Cairo INTERFACE "${CAIRO_LIBRARY}")
endif()
