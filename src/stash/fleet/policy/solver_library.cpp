#include "stash/fleet/policy/solver_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "stash/core/error.h"

namespace stash {
namespace {

constexpr const char* kLibrary = "libCbcSolver.so.3";  // which brings CLP along

class LoadedLibrary {
 public:
  LoadedLibrary() : handle_(dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) fail(dlerror());
  }

  template <typename Function>
  void find(Function& function, const char* name) const {
    void* const found = dlsym(handle_, name);
    if (found == nullptr) fail(fmt::format("it has no {}", name));
    function = reinterpret_cast<Function>(found);
  }

 private:
  [[noreturn]] static void fail(const std::string& reason) {
    throw Error(
        fmt::format("cannot load {}, the solver that plans are made with ({}): apt-get install coinor-libcbc3, or "
                    "take another policy, for example --policy mark",
                    kLibrary, reason));
  }

  void* handle_;  // never closed: it stays as long as the program
};

SolverLibrary load_solver() {
  const LoadedLibrary from;
  SolverLibrary to{};
  from.find(to.linear.new_model, "Clp_newModel");
  from.find(to.linear.delete_model, "Clp_deleteModel");
  from.find(to.linear.load, "Clp_loadProblem");
  from.find(to.linear.set_log_level, "Clp_setLogLevel");
  from.find(to.solve_linear, "Clp_dual");  // Clp_initialSolve would prepare longer than it then solves
  from.find(to.linear.cost, "Clp_objectiveValue");
  from.find(to.linear.columns, "Clp_getColSolution");
  from.find(to.linear_status, "Clp_status");
  from.find(to.integer.new_model, "Cbc_newModel");
  from.find(to.integer.delete_model, "Cbc_deleteModel");
  from.find(to.integer.load, "Cbc_loadProblem");
  from.find(to.integer.set_log_level, "Cbc_setLogLevel");
  from.find(to.solve_integer, "Cbc_solve");
  from.find(to.integer.cost, "Cbc_getObjValue");
  from.find(to.integer.columns, "Cbc_bestSolution");
  from.find(to.set_integer, "Cbc_setInteger");
  from.find(to.set_most_nodes, "Cbc_setMaximumNodes");
  from.find(to.set_gap_ratio, "Cbc_setAllowableFractionGap");
  from.find(to.is_optimal, "Cbc_isProvenOptimal");
  return to;
}

}  // namespace

const SolverLibrary& solver_library() {
  static const SolverLibrary library = load_solver();
  return library;
}

}  // namespace stash
