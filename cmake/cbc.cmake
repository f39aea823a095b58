# Sets stash_cbc: the solver of integer programs. Its packages have pkg-config files, but not every machine has pkg-config.
foreach(name Cbc Cgl OsiClp Clp Osi CoinUtils)
  find_library(cbc_${name} ${name} REQUIRED)
  list(APPEND cbc_libraries ${cbc_${name}})
endforeach()
add_library(stash_cbc INTERFACE)
target_link_libraries(stash_cbc INTERFACE ${cbc_libraries})
set(stash_cbc stash_cbc)
