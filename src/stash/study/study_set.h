#pragma once

#include <string>
#include <vector>

namespace stash {

// The models of a study: those that the coefficients are fitted to, and others to see how well they predict.
struct StudySet {
  std::vector<std::string> fitted;
  std::vector<std::string> held_out;
};

StudySet layers_study();     // ResNets of depth 10 to 152, with and without batch norm and shortcuts
StudySet gradients_study();  // VGGs of depth 11 to 19 and of several widths

}  // namespace stash
