# Sets stash_fmt and stash_jpeg; a wheel has them inside.
find_package(fmt REQUIRED)
find_package(JPEG REQUIRED)
set(stash_jpeg JPEG::JPEG)
# Header-only fmt costs seconds in every file; its library has the new C++ ABI only, and torch before 2.6 the old one.
set(stash_fmt fmt::fmt)
if(DEFINED STASH_TORCH_CXX11_ABI AND NOT STASH_TORCH_CXX11_ABI)
  set(stash_fmt fmt::fmt-header-only)
endif()
if(NOT STASH_INSTALL)
  return()
endif()

if(stash_fmt STREQUAL fmt::fmt AND fmt_VERSION VERSION_GREATER_EQUAL 9 AND fmt_VERSION VERSION_LESS 10)
  add_library(stash_fmt STATIC cmake/fmt_library.cpp)
  get_target_property(fmt_includes fmt::fmt INTERFACE_INCLUDE_DIRECTORIES)
  target_include_directories(stash_fmt SYSTEM PUBLIC ${fmt_includes})
  set(stash_fmt stash_fmt)
endif()
# Debian's archive can be linked into a program, not into a module: the extension gets the shared library, installed.
find_library(jpeg_archive libjpeg.a)
if(jpeg_archive)
  add_library(stash_jpeg INTERFACE)
  target_include_directories(stash_jpeg SYSTEM INTERFACE ${JPEG_INCLUDE_DIRS})
  target_link_libraries(stash_jpeg INTERFACE
    $<IF:$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>,${jpeg_archive},${JPEG_LIBRARIES}>)
  set(stash_jpeg stash_jpeg)
endif()
