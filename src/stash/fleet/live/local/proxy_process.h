#pragma once

#include <filesystem>

#include "stash/fleet/live/local/process_identity.h"
#include "stash/fleet/live/local/proxy_socket.h"

namespace stash {

// Error where HAProxy is missing: what to install.
std::string find_proxy();
// HAProxy with the configuration in this folder; it outlives us.
ProcessIdentity start_proxy_process(const std::filesystem::path& folder);
// Until it answers. Error where it ended or does not answer in time.
void wait_for_proxy(const ProxySocket& proxy, const ProcessIdentity& process, const std::filesystem::path& folder);
int most_proxy_connections();  // that this user's limit of open files allows

}  // namespace stash
