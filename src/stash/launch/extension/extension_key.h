#pragma once

#include <filesystem>

#include "stash/launch/extension/extension_store.h"
#include "stash/launch/extension/interpreter.h"

namespace stash {

// Of the extension that the sources in `root` and the compiler of this machine make for the interpreter.
ExtensionKey extension_key(const Interpreter& interpreter, const std::filesystem::path& root);

}  // namespace stash
