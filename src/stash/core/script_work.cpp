#include "stash/core/script_work.h"

namespace stash {

std::string_view to_string(WorkClass kind) {
  switch (kind) {
    case WorkClass::matrix:
      return "matrix";
    case WorkClass::convolution:
      return "convolution";
    case WorkClass::attention:
      return "attention";
    case WorkClass::memory:
      return "memory";
    case WorkClass::reduction:
      return "reduction";
    case WorkClass::optimizer:
      return "optimizer";
    case WorkClass::gap:
      return "gap";
  }
  return "gap";
}

std::string_view to_string(WorkPass pass) {
  switch (pass) {
    case WorkPass::forward:
      return "forward";
    case WorkPass::backward:
      return "backward";
    case WorkPass::update:
      return "update";
  }
  return "update";
}

std::string_view to_string(UpdateKind kind) {
  switch (kind) {
    case UpdateKind::sgd:
      return "sgd";
    case UpdateKind::momentum:
      return "momentum";
    case UpdateKind::adam:
      return "adam";
  }
  return "sgd";
}

}  // namespace stash
