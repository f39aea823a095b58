#pragma once

namespace stash {

// Shown by stash --help and by stash profile --help.
inline constexpr const char* kProfileExamples =
    "Examples:\n"
    "  stash profile                                             a small job on this machine\n"
    "  stash profile --model resnet50 --batch 64 --ranks 8 --data DIR --out r50.json\n"
    "  stash profile --device emulated:V100 --ranks 4            can this machine feed four V100s?\n";

}  // namespace stash
