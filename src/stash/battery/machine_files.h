#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "stash/battery/battery_folder.h"
#include "stash/battery/figure.h"
#include "stash/battery/summary.h"

namespace stash {

// Measures memory, decoding and storage, for some twenty seconds. What cannot be measured is absent with its reason.
// `tell` gets what is going on; `stop` is asked between the measurements: true: the rest is left, and nothing returned.
std::vector<Figure> measure_figures(const std::filesystem::path& storage,
                                    const std::function<void(std::string_view)>& tell,
                                    const std::function<bool()>& stop);

// machine.json, and machine.csv: this machine as a row of the catalogue.
void write_machine_files(const BatteryFolder& folder, const BatterySummary& summary);

}  // namespace stash
