#pragma once

#include <string>

namespace stash {

// What tells this node from others: ranks with the same key share it.
struct NodeIdentity {
  std::string host;  // its name, for people
  std::string key;   // the name that was given, else boot id, host name and network namespace
};

NodeIdentity node_identity(const std::string& given_name);

}  // namespace stash
