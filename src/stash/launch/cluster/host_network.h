#pragma once

#include <optional>
#include <string>

namespace stash {

// The numeric address of a host; as Slurm knows it where nobody else does. Error that says what to do.
std::string resolve_host(const std::string& host);

// The interface of this host from which packets go to a numeric address; nullopt when there is no way.
std::optional<std::string> interface_towards(const std::string& address);

}  // namespace stash
