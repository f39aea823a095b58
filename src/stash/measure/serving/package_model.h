#pragma once

#include <memory>
#include <string>

#include "stash/measure/serving/program_model.h"

namespace stash {

// A package of AOTInductor: compiled code, run without Python. Error where this torch cannot load it.
std::unique_ptr<BatchModel> load_package(const std::string& file, c10::Device device,
                                         ProgramModel::Signature signature);

}  // namespace stash
