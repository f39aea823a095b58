#pragma once

namespace stash {

// Files of the repository that are part of the program.
extern const char* const kCpuMachinesCsv;     // catalog/cpu_machines.csv
extern const char* const kFunctionsCsv;       // catalog/functions.csv
extern const char* const kMarkCapacitiesCsv;  // data/mark_capacities.csv
extern const char* const kFleetLstmCsv;       // data/fleet_lstm.csv

}  // namespace stash
