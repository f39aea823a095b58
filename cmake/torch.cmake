# What building against STASH_PYTHON's torch needs: STASH_TORCH_* and the C++ library ABI of every object.
option(STASH_PYTHON_HIDDEN "The variables of this process hide the interpreter's torch, as pip's do in a build" OFF)
set(stash_python ${STASH_PYTHON})
if(STASH_PYTHON_HIDDEN)
  set(stash_python ${CMAKE_COMMAND} -E env --unset=PYTHONPATH --unset=PYTHONNOUSERSITE ${STASH_PYTHON})
endif()
execute_process(COMMAND ${stash_python} ${PROJECT_SOURCE_DIR}/cmake/torch_facts.py
  OUTPUT_FILE ${PROJECT_BINARY_DIR}/torch_facts.cmake
  ERROR_VARIABLE facts_error
  RESULT_VARIABLE facts_result)
file(REMOVE ${PROJECT_BINARY_DIR}/torch_fault.txt)
if(NOT facts_result EQUAL 0)
  file(WRITE ${PROJECT_BINARY_DIR}/torch_fault.txt "${facts_error}") # as it is: message() folds lines
  message(FATAL_ERROR "cannot build for ${STASH_PYTHON}: ${facts_error}")
endif()
include(${PROJECT_BINARY_DIR}/torch_facts.cmake)
add_compile_definitions(_GLIBCXX_USE_CXX11_ABI=${STASH_TORCH_CXX11_ABI})
