# Run at every build, with cmake -P: writes OUTPUT from TEMPLATE when the revision of SOURCE_DIR is another one.
execute_process(COMMAND bash ${SOURCE_DIR}/scripts/revision.sh
  OUTPUT_VARIABLE STASH_REVISION OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
