# What a wheel holds: the program among the environment's scripts, and in the package the hooks that go in front of
# somebody's script, the extension for the torch of the build, and the sources that build it for another one.
set(root stash/root)
install(TARGETS stash RUNTIME DESTINATION ${SKBUILD_SCRIPTS_DIR})
install(FILES CMakeLists.txt LICENSE DESTINATION ${root})
install(DIRECTORY cmake catalog DESTINATION ${root})
install(DIRECTORY src DESTINATION ${root})
install(DIRECTORY python DESTINATION ${root} PATTERN __pycache__ EXCLUDE)
if(STASH_EXTENSION)
  # The library that the extension looks for beside itself, under the name that the linker gave it.
  list(GET JPEG_LIBRARIES 0 jpeg)
  file(REAL_PATH ${jpeg} jpeg)
  cmake_path(GET jpeg FILENAME jpeg_name)
  string(REGEX REPLACE "(\\.so\\.[0-9]+).*" "\\1" jpeg_name ${jpeg_name})
  install(FILES ${jpeg} DESTINATION ${root}/lib RENAME ${jpeg_name})
  set_target_properties(_stash PROPERTIES SKIP_BUILD_RPATH OFF BUILD_RPATH "$ORIGIN/../../lib")
  set(unhide)
  if(STASH_PYTHON_HIDDEN)
    set(unhide "--unset=PYTHONPATH --unset=PYTHONNOUSERSITE")
  endif()
  install(CODE "
    execute_process(COMMAND \${CMAKE_COMMAND} -E env ${unhide} \"STASH_ROOT=${PROJECT_SOURCE_DIR}\"
      \"STASH_CACHE_DIR=${PROJECT_BINARY_DIR}/cache\"
      \"$<TARGET_FILE:stash>\" extension --python \"${STASH_PYTHON}\" --adopt \"$<TARGET_FILE:_stash>\"
      --store \"\${CMAKE_INSTALL_PREFIX}/${root}/extensions\"
      COMMAND_ERROR_IS_FATAL ANY)")
endif()
