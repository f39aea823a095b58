#include "stash/study/study_set.h"

namespace stash {

// The ends are fitted, so that what is held out lies between them: a study does not extrapolate.
StudySet layers_study() {
  return {.fitted = {"resnet10", "resnet18", "resnet34", "resnet50", "resnet101", "resnet152", "resnet18_nobn",
                     "resnet50_noshortcut", "resnet34_nobn_noshortcut"},
          .held_out = {"resnet14", "resnet26", "resnet77", "resnet26_nobn", "resnet38_noshortcut", "resnet122"}};
}

StudySet gradients_study() {
  return {
      .fitted = {"vgg11", "vgg16", "vgg19", "vgg11_w0.25", "vgg19_w0.25", "vgg11_w0.5", "vgg16_w0.5", "vgg19_w0.75"},
      .held_out = {"vgg13", "vgg13_w0.35", "vgg19_w0.5", "vgg11_w0.75", "vgg16_w0.85"}};
}

}  // namespace stash
