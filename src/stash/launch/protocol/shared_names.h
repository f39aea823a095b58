#pragma once

#include <array>
#include <string_view>
#include <utility>

// Names that C++ and Python both use before the extension is loaded. python/stash/shared_names.py is written from
// these; a test compares.
namespace stash {

// How a rank of a crew finds its order, its own index in the crew, its event channel and the shared page. Everything
// else that it is told is in the order.
inline constexpr const char* kOrderVariable = "STASH_ORDER";
inline constexpr const char* kCrewIndexVariable = "STASH_CREW_INDEX";
inline constexpr const char* kEventFdVariable = "STASH_EVENT_FD";
inline constexpr const char* kSharedFdVariable = "STASH_SHARED_FD";
// How a process of the user's command finds the folder with its order, where it reports too.
inline constexpr const char* kRunFolderVariable = "STASH_RUN_FOLDER";

// In a run folder: the order, what each process reports (its id before the suffix), and empty files (a process's id
// behind the mark) that tell how far processes came.
inline constexpr const char* kScriptOrderFile = "script_order.json";
inline constexpr const char* kEventsSuffix = ".events";
inline constexpr const char* kPythonMark = "python-";
inline constexpr const char* kTorchMark = "torch-";
// A file by which a loader worker tells how long it was busy.
inline constexpr const char* kBusyMark = "busy-";

inline constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kSharedNames{{
    {"ORDER_VARIABLE", kOrderVariable},
    {"CREW_INDEX_VARIABLE", kCrewIndexVariable},
    {"EVENT_FD_VARIABLE", kEventFdVariable},
    {"SHARED_FD_VARIABLE", kSharedFdVariable},
    {"RUN_FOLDER_VARIABLE", kRunFolderVariable},
    {"SCRIPT_ORDER_FILE", kScriptOrderFile},
    {"EVENTS_SUFFIX", kEventsSuffix},
    {"PYTHON_MARK", kPythonMark},
    {"TORCH_MARK", kTorchMark},
    {"BUSY_MARK", kBusyMark},
}};

}  // namespace stash
