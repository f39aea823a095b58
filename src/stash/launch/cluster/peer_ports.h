#pragma once

#include <array>
#include <string>

#include "stash/launch/process/child.h"

namespace stash {

// Ports of rank 0's host where the processes of a launch may meet, in the order in which they are tried. torch has
// `meeting`, and other jobs of the host have those near it.
std::array<int, 4> peer_ports(int meeting);

// Listens at the first of these ports that is free, on all interfaces; on loopback alone where `address`, which is
// numeric, is there. Error when all are taken.
int listen_for_peers(const std::string& address, int meeting, Fd& listener);

// A connection to that port, which is not blocking; none within some seconds: fd -1.
void connect_to_peer(const std::string& address, int port, Fd& connection);

}  // namespace stash
