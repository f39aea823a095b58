#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stash {

// The first host of a list as Slurm writes it: "gpu[03-05,9],login" is "gpu03". Empty when there is none.
std::string first_slurm_host(std::string_view list);

// "2(x3),1" is {2, 2, 2, 1}: tasks on each node. Empty when it cannot be read.
std::vector<int> slurm_tasks_per_node(std::string_view list);

}  // namespace stash
