#pragma once

#include <string>
#include <string_view>

#include "stash/models/models.h"
#include "support/message_of.h"

namespace stash {

// What is wrong with the model, by its UsageError.
inline std::string model_fault(std::string_view model, const ModelOptions& options = {}) {
  return message_of<UsageError>([&] { make_model(model, options); });
}

}  // namespace stash
