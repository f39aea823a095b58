#pragma once

namespace stash {

// catalog/cpu_sensitivity.csv, which is part of the program.
extern const char* const kCpuSensitivityCsv;

}  // namespace stash
