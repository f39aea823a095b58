# What a wheel holds: the program among the environment's scripts, and in the package what builds the library on first
# use: its sources, and the hooks that go in front of somebody's script.
set(root stash/root)
install(TARGETS stash RUNTIME DESTINATION ${SKBUILD_SCRIPTS_DIR})
install(FILES CMakeLists.txt LICENSE DESTINATION ${root})
install(DIRECTORY cmake catalog DESTINATION ${root})
install(DIRECTORY src DESTINATION ${root})
install(DIRECTORY python DESTINATION ${root} PATTERN __pycache__ EXCLUDE)
