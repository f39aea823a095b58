# Compiling in batches. A batch is several sources of one folder in one translation unit, so that headers are read and
# templates compiled once; what every batch reads is precompiled. Names in anonymous namespaces must therefore differ
# within a folder.

# The size of a batch is such that it compiles in 3 to 9 s: larger ones save little and make a small change slow.
function(stash_compile_in_batches target size)
  if(STASH_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${size})
  endif()
endfunction()

# The owner precompiles `header`; the others use what it made, for which their flags must be the same.
function(stash_precompile target header owner)
  if(NOT STASH_UNITY)
    return()
  endif()
  if(target STREQUAL owner)
    target_precompile_headers(${target} PRIVATE ${header})
  else()
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()

# Folders that write text and start processes: -O2 costs nearly twice the compile time of -Og there, and saves a user
# nothing that can be measured.
function(stash_optimize_lightly target)
  if(CMAKE_BUILD_TYPE STREQUAL Release)
    target_compile_options(${target} PRIVATE -Og)
  endif()
endfunction()
