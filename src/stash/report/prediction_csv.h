#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "stash/predict/prediction.h"

namespace stash {

// The columns of a prediction and its row, both without the line's end, so that more columns can follow. Unknown is
// empty.
std::string prediction_csv_header();
std::string prediction_csv_row(const Prediction& prediction);

std::string csv_number(std::optional<double> value);
std::string csv_text(std::string_view text);  // quoted where a reader would split it

}  // namespace stash
