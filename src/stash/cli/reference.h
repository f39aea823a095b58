#pragma once

#include <string>

namespace CLI {
class App;
}

namespace stash {

// The generated parts of docs/cli, each between `<!-- generated: NAME -->` and `<!-- end generated -->`: the flags of
// every verb, its exit codes, and the keys of JSON documents. scripts/update_docs.py puts them into the pages.
std::string reference_text(const CLI::App& app);

}  // namespace stash
