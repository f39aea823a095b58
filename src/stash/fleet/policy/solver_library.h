#pragma once

namespace stash {

// The functions of the solver CBC and of its linear part CLP, through their interfaces in C. They are loaded when a
// plan is made: every other verb starts without them, and a wheel needs none of its own.
struct SolverLibrary {
  using Model = void;
  struct Functions {
    Model* (*new_model)();
    void (*delete_model)(Model*);
    void (*load)(Model*, int columns, int rows, const int* starts, const int* row_of, const double* factors,
                 const double* lows, const double* highs, const double* costs, const double* row_lows,
                 const double* row_highs);
    void (*set_log_level)(Model*, int);
    double (*cost)(Model*);
    const double* (*columns)(Model*);
  };

  Functions linear;   // CLP
  Functions integer;  // CBC
  int (*solve_linear)(Model*, int values_pass);
  int (*linear_status)(Model*);  // 0: optimal
  int (*solve_integer)(Model*);
  void (*set_integer)(Model*, int column);
  void (*set_most_nodes)(Model*, int);
  void (*set_gap_ratio)(Model*, double);
  int (*is_optimal)(Model*);
};

// Error says what to install where it cannot be loaded.
const SolverLibrary& solver_library();

}  // namespace stash
